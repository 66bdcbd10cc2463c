//! Published values in the charts of a run: black diamonds at marks with the same rows.

use ikeru_bench_data::Figure;
use ikeru_bench_data::published::{Claims, FigureForm, FixedVerdict, Ours};

use super::chart::Published;
use super::question::PlotQuestion;
use crate::error::ReportError;

/// The published value of `figure`, if it belongs to a mark of a panel: its rows are exactly those of one x and
/// one series (or of all series).
///
/// # Errors
/// A figure with an impossible range.
pub(super) fn value(
    figure: &Figure,
    question: &PlotQuestion,
    panel: &[u32],
) -> Result<Option<Published>, ReportError> {
    let (Some(ours), Some(value)) = (&figure.ours, figure.value) else {
        return Ok(None);
    };
    let rows = question.rows;
    let is_drawn = rows.compared(&ours.column, &question.selection) == question.plot.y
        && is_level(ours)
        && !figure.is_of_another
        && ours.statistic == question.plot.statistic
        && matches!(figure.claims, Claims::Equal | Claims::Exact)
        && figure.verdict != Some(FixedVerdict::Erratum);
    if !is_drawn {
        return Ok(None);
    }
    let mut own = rows.narrow(panel, &ours.only)?;
    own.retain(|row| rows.text("experiment", *row) == ours.experiment);
    let only = |column: &str| match rows.distinct(column, &own).as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    };
    let series = only(&question.series);
    let Some(x) = only(&question.x) else {
        return Ok(None);
    };
    // The mark may have more rows than the figure refers to.
    let is_in_mark = |row: &&u32| {
        let is_series = |name: &String| rows.text(&question.series, **row) == name;
        rows.text(&question.x, **row) == x && series.as_ref().is_none_or(is_series)
    };
    if panel.iter().filter(is_in_mark).count() != own.len() {
        return Ok(None);
    }
    Ok(question.place(&x).map(|x| Published {
        figure: figure.id.clone(),
        x,
        y: value * ours.divide_by.unwrap_or(1.0),
        series,
    }))
}

/// Returns whether a figure is a plain value of its rows: no ratio, sum, difference, order, rate or modelled time.
fn is_level(ours: &Ours) -> bool {
    ours.relative_to.is_none()
        && ours.minus.is_none()
        && ours.plus.is_none()
        && ours.order.is_empty()
        && ours.along.is_none()
        && ours.console.is_none()
        && ours.form == FigureForm::Plain
}
