//! Where a column passes a value, along another column.

use ikeru_bench_data::experiment::Analysis;

use super::{Finding, amount, parameter, varying};
use crate::rows::Rows;
use crate::statistics::median;
use crate::units;

/// One row per label and instance: the first `set.x` at which `set.y` is `set.at` or more, and what
/// it is there. Columns that differ otherwise are named.
pub(super) fn crossing(rows: &Rows, selection: &[u32], analysis: &Analysis) -> Finding {
    let x = parameter(analysis, "x", "setting_steps");
    let y = parameter(analysis, "y", "wall_ns");
    let at = amount(analysis, "at", 0.0);
    let what = parameter(analysis, "what", y);
    let mut finding =
        Finding::with_header(&["variant", "instance", "settings", "first at", "there"]);
    finding.title = format!("Where {what} passes {}", units::number(at));
    let solved = rows.solved(selection);
    let mut apart = varying(rows, &solved, x);
    apart.retain(|column| *column != "generator");
    let mut by = vec!["label", "instance"];
    by.extend(&apart);
    for group in rows.group_by(&by, &solved) {
        let points = rows.group(x, &group).into_iter().filter_map(|(x, at_x)| {
            let number: f64 = x.parse().ok()?;
            Some((number, median(&rows.numbers(y, &at_x))?))
        });
        let points: Vec<(f64, f64)> = points.collect();
        let Some(last) = points.iter().map(|point| point.0).reduce(f64::max) else {
            continue;
        };
        let passed = points.iter().filter(|point| point.1 >= at);
        let first = passed.min_by(|a, b| a.0.total_cmp(&b.0));
        let (first, there) = match first {
            Some((x, y)) => (units::number(*x), units::number(*y)),
            None => (format!("not up to {}", units::number(last)), "–".to_owned()),
        };
        finding.rows.push(vec![
            rows.text("label", group[0]).to_owned(),
            rows.text("instance", group[0]).to_owned(),
            rows.described(apart.iter().copied(), group[0]),
            first,
            there,
        ]);
    }
    finding
}
