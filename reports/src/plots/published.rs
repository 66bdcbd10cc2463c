//! Published values in charts of a run: black diamonds where a mark of ours answers the same.

use ikeru_bench_data::published::FixedVerdict;
use ikeru_bench_data::{Figure, PlotKind};

use super::chart::Published;
use crate::error::ReportError;
use crate::rows::Rows;

/// The columns of a plot that decide where a mark stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns<'a> {
    pub(super) kind: PlotKind,
    pub(super) x: &'a str,
    pub(super) y: &'a str,
    pub(super) series: &'a str,
}

/// The published values that belong to a mark of one panel: their rows are exactly those of one x and
/// one series (or of all series). `place` says where a value of x lies.
///
/// # Errors
/// A figure with an impossible range.
pub(super) fn values(
    figures: &[&Figure],
    columns: Columns,
    rows: &Rows,
    panel: &[u32],
    place: impl Fn(&str) -> Option<f64>,
) -> Result<Vec<Published>, ReportError> {
    let mut values = Vec::new();
    if matches!(
        columns.kind,
        PlotKind::Line | PlotKind::Bar | PlotKind::Strip
    ) {
        for figure in figures {
            values.extend(value(figure, columns, rows, panel, &place)?);
        }
    }
    Ok(values)
}

fn value(
    figure: &Figure,
    columns: Columns,
    rows: &Rows,
    panel: &[u32],
    place: impl Fn(&str) -> Option<f64>,
) -> Result<Option<Published>, ReportError> {
    let (Some(ours), Some(value)) = (&figure.ours, figure.value) else {
        return Ok(None);
    };
    let is_drawn = ours.column == columns.y
        && ours.relative_to.is_none()
        && matches!(ours.statistic.as_str(), "median" | "mean")
        && figure.verdict != Some(FixedVerdict::Erratum);
    if !is_drawn {
        return Ok(None);
    }
    let mut own = rows.narrow(panel, &ours.only)?;
    own.retain(|row| rows.text("experiment", *row) == ours.experiment);
    let only = |column| match rows.distinct(column, &own).as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    };
    let series = only(columns.series);
    let Some(x) = only(columns.x) else {
        return Ok(None);
    };
    // The mark may stand for more rows than the figure speaks of.
    let is_in_mark = |row: &&u32| {
        let same_series = series
            .as_ref()
            .is_none_or(|name| rows.text(columns.series, **row) == name);
        rows.text(columns.x, **row) == x && same_series
    };
    if panel.iter().filter(is_in_mark).count() != own.len() {
        return Ok(None);
    }
    Ok(place(&x).map(|x| Published {
        x,
        y: value * ours.divide_by.unwrap_or(1.0),
        series,
        label: figure.claim.clone(),
    }))
}
