//! Tables of an experiment: every cell, and those that its file asks for.

use std::collections::BTreeMap;

use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Table as Asked;

use crate::page::{Cell, Table};
use crate::statistics::{Statistic, bootstrap_ratio_of_medians};
use crate::summary::gap;
use crate::{Interval, ReportError, Rows, units};

/// Most rows of the summary on the page; `records.csv` has them all.
const MOST: usize = 500;

/// A value with its interval small under it; `≥` where it was cut at a limit.
pub fn measured(value: Option<Interval>, form: impl Fn(f64) -> String) -> Cell {
    let Some(Interval {
        low,
        mid,
        high,
        at_least,
    }) = value
    else {
        return Cell::number("–");
    };
    let sign = if at_least { "≥\u{202f}" } else { "" };
    let cell = Cell::number(format!("{sign}{}", form(mid)));
    if low == high {
        cell
    } else {
        cell.with_detail(format!("{} … {}", form(low), form(high)))
    }
}

/// The columns of settings and parameters that differ between cells.
fn varying<'a>(rows: &'a Rows, own: &[u32]) -> Vec<&'a str> {
    let asked = |name: &&str| {
        name.starts_with("setting_") || matches!(*name, "seed" | "bound_policy" | "threads")
    };
    rows.columns()
        .filter(asked)
        .filter(|name| rows.distinct(name, own).len() > 1)
        .collect()
}

/// One row per cell: time with interval, speed-up against the baseline, score.
pub fn summary(rows: &Rows, cells: &[Vec<u32>], experiment: &Experiment, command: &str) -> Table {
    let own: Vec<u32> = cells.iter().flatten().copied().collect();
    let varying = varying(rows, &own);
    let labels = rows.distinct("label", &own);
    let baseline = experiment
        .baseline
        .as_ref()
        .or(labels.first())
        .cloned()
        .unwrap_or_default();
    let question = |row: u32| -> Vec<String> {
        let columns = varying.iter().filter(|name| **name != "threads");
        std::iter::once("instance_hash")
            .chain(columns.copied())
            .map(|name| rows.text(name, row).to_owned())
            .collect()
    };
    let times = |cell: &[u32]| rows.numbers("wall_ns", &solved(rows, cell));
    let naive: BTreeMap<Vec<String>, Vec<f64>> = cells
        .iter()
        .filter(|cell| rows.text("label", cell[0]) == baseline)
        .map(|cell| (question(cell[0]), times(cell)))
        .collect();
    let row = |cell: &Vec<u32>| {
        let text = |column: &str| Cell::text(rows.text(column, cell[0]));
        let ratio = naive
            .get(&question(cell[0]))
            .and_then(|naive| bootstrap_ratio_of_medians(naive, &times(cell)));
        let middle = |column| Statistic::Median.of(rows, column, cell);
        let score = score(middle("score"), middle("bound"));
        let mut fields = vec![text("label"), text("instance")];
        fields.extend(varying.iter().map(|name| text(name)));
        fields.extend([
            text("outcome"),
            Cell::number(units::count(cell.len() as u64)),
            measured(Statistic::Median.of(rows, "wall_ns", cell), units::duration),
            measured(ratio, units::ratio),
            score,
        ]);
        fields
    };
    let heads = ["variant", "instance"]
        .into_iter()
        .chain(
            varying
                .iter()
                .map(|name| name.trim_start_matches("setting_")),
        )
        .chain(["outcome"])
        .map(Cell::text)
        .chain([
            Cell::number("samples"),
            Cell::number("median time").with_detail("95 % interval"),
            Cell::number(format!("speed-up over {baseline}")),
            Cell::number("score"),
        ])
        .collect();
    let shown = cells.len().min(MOST);
    Table {
        title: "Every cell".to_owned(),
        note: if shown < cells.len() {
            format!("The first {shown} of {} cells. ", cells.len())
        } else {
            String::new()
        },
        command: command.to_owned(),
        heads,
        rows: cells[..shown].iter().map(row).collect(),
    }
}

/// A score, and of a search that was stopped what its bound leaves open.
fn score(score: Option<Interval>, bound: Option<Interval>) -> Cell {
    let cell = measured(score, units::number);
    let Some(bound) = bound.map(|bound| bound.mid) else {
        return cell;
    };
    let open = format!("bound {}", units::number(bound));
    cell.with_detail(match gap(score.map(|score| score.mid), Some(bound)) {
        Some(gap) => format!("{open}, gap {} %", units::number(100.0 * gap)),
        None => open,
    })
}

fn solved(rows: &Rows, cell: &[u32]) -> Vec<u32> {
    let solved = |row: &&u32| rows.text("outcome", **row) == "solved";
    cell.iter().filter(solved).copied().collect()
}

/// A table that the experiment asks for.
///
/// # Errors
/// An unknown statistic or an impossible filter.
pub fn asked(rows: &Rows, own: &[u32], asked: &Asked, command: &str) -> Result<Table, ReportError> {
    let statistic: Statistic = asked.statistic.parse()?;
    let own = rows.narrow(own, &asked.only)?;
    let by_row = rows.group(&asked.rows, &own);
    let columns = match &asked.columns {
        Some(column) => rows.distinct(column, &own),
        None => vec![String::new()],
    };
    // The rows of one field of the table, by its column's value.
    let field = |own: &[u32], value: &str| match &asked.columns {
        None => own.to_vec(),
        Some(column) => rows
            .group(column, own)
            .into_iter()
            .find(|(at, _)| at == value)
            .map_or(Vec::new(), |(_, rows)| rows),
    };
    let value = |own: &[u32], at: &str| statistic.of(rows, &asked.value, &field(own, at));
    let base = asked
        .relative_to
        .as_ref()
        .and_then(|name| by_row.iter().find(|(value, _)| value == name));
    let form = |value: f64| match statistic {
        Statistic::Solved | Statistic::Over(_) => {
            format!("{}\u{202f}%", units::number(100.0 * value))
        }
        _ => units::of_column(&asked.value, value),
    };
    let line = |(name, own): &(String, Vec<u32>)| {
        let mut cells = vec![Cell::text(name.as_str())];
        for column in &columns {
            let here = value(own, column);
            cells.push(measured(here, form));
            if let Some((_, base)) = base {
                let there = value(base, column);
                let ratio = there.zip(here).map(|(there, here)| Interval {
                    at_least: there.at_least,
                    ..Interval::exact(there.mid / here.mid)
                });
                // Of a divisor that is itself cut at the limit nothing is known.
                let ratio = ratio.filter(|_| here.is_some_and(|here| !here.at_least));
                cells.push(measured(ratio, units::ratio));
            }
        }
        cells
    };
    let short = asked.columns.as_deref().unwrap_or("");
    let short = short
        .trim_start_matches("setting_")
        .trim_start_matches("param_");
    let mut heads = vec![Cell::text(asked.rows.trim_start_matches("setting_"))];
    for column in &columns {
        let head = match column.as_str() {
            "" => asked.statistic.clone(),
            at => format!("{short} {at}"),
        };
        heads.push(Cell::number(head));
        if let Some((name, _)) = base {
            heads.push(Cell::number(format!("over {name}")));
        }
    }
    Ok(Table {
        title: asked.title.clone(),
        note: format!("The {} of {}. ", asked.statistic, asked.value),
        command: command.to_owned(),
        heads,
        rows: by_row.iter().map(line).collect(),
    })
}
