//! Values from elsewhere in the charts of a run: black diamonds at marks with the same rows.

use std::collections::BTreeMap;

use ikeru_bench_data::matrix::Values;

use super::chart::Published;
use super::question::PlotQuestion;
use crate::error::Result;

/// A value from elsewhere, for example a printed one, with the rows that it is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct QuotedValue {
    /// Its identifier, as it is printed in the legend.
    pub id: String,
    /// The experiment of the rows.
    pub experiment: String,
    /// The column of the rows that the value is compared with.
    pub column: String,
    /// The statistic of the rows that the value is compared with.
    pub statistic: String,
    /// The selection of the rows.
    pub only: BTreeMap<String, Values>,
    /// The value, in the unit of the column.
    pub value: f64,
}

/// The place of `quoted`, if it belongs to a mark of a panel: its rows are exactly those of one x and one series (or of
/// all series).
///
/// # Errors
/// A value with an impossible range.
pub(super) fn value(
    quoted: &QuotedValue,
    question: &PlotQuestion,
    panel: &[u32],
) -> Result<Option<Published>> {
    let rows = question.rows;
    let is_drawn = rows.compared(&quoted.column, &question.selection) == question.plot.y
        && quoted.statistic == question.plot.statistic;
    if !is_drawn {
        return Ok(None);
    }
    let mut own = rows.select(&quoted.only)?;
    own.retain(|row| {
        rows.text("experiment", *row) == quoted.experiment
            && (rows.ran(*row) || panel.binary_search(row).is_ok())
    });
    let only = |column: &str| match rows.distinct(column, &own).as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    };
    let series = only(&question.series);
    let Some(x) = only(&question.x) else {
        return Ok(None);
    };
    // The mark may have more rows than the value refers to, or fewer.
    let is_in_mark = |row: &&u32| {
        let is_series = |name: &String| rows.text(&question.series, **row) == name;
        rows.text(&question.x, **row) == x && series.as_ref().is_none_or(is_series)
    };
    if !panel.iter().filter(is_in_mark).eq(&own) {
        return Ok(None);
    }
    Ok(question.place(&x).map(|x| Published {
        figure: quoted.id.clone(),
        x,
        y: quoted.value,
        series: series.map(|name| question.series_name(name)),
    }))
}
