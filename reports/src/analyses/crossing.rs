//! Where a column passes a value, along another column.

use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Analysis;

use super::{Finding, amount, parameter, points, varying};
use crate::error::ReportError;
use crate::row;
use crate::rows::{Rows, TIME};
use crate::table::{Cell, Table};
use crate::units::{self, Quantity};

/// One row per label and instance: the first `set.x` at which `set.y` is `set.at` or more, and what
/// it is there. Columns that differ otherwise are named.
pub(super) fn crossing(
    rows: &Rows,
    selection: &[u32],
    analysis: &Analysis,
    _: &Experiment,
) -> Result<Finding, ReportError> {
    let x = parameter(analysis, "x", "setting_steps");
    let y = parameter(analysis, "y", TIME);
    let at = amount(analysis, "at", 0.0);
    let what = parameter(analysis, "what", y);
    let title = format!("Where {what} passes {}", units::number(at));
    let heads = "variant | instance | settings | first at | there";
    let mut table = Table::new(title, heads);
    let solved = rows.solved(selection);
    let mut apart = varying(rows, &solved, x);
    apart.retain(|column| *column != "generator");
    let mut by = vec!["label", "instance"];
    by.extend(&apart);
    for group in rows.group_by(&by, &solved) {
        let points = points(rows, (x, y), &group);
        let Some(last) = points.iter().map(|point| point.0).reduce(f64::max) else {
            continue;
        };
        let passed = points.iter().filter(|point| point.1 >= at);
        let first = passed.min_by(|a, b| a.0.total_cmp(&b.0));
        let first_at = match first {
            Some((x, _)) => Cell::from((*x, Quantity::Plain)),
            None => format!("not up to {}", units::number(last)).into(),
        };
        let there = first.map(|(_, y)| *y);
        table.rows.push(row![
            rows.text("label", group[0]),
            rows.text("instance", group[0]),
            rows.described(apart.iter().copied(), group[0]),
            first_at,
            (there, Quantity::Plain),
        ]);
    }
    Ok(table.into())
}
