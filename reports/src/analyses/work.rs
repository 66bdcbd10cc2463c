//! How long a given amount of work would take at the measured rate, here and on consoles.

use crate::consoles::Consoles;
use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Analysis;

use super::{Finding, amount, labelled, parameter};
use crate::consoles::history::ratios;
use crate::error::ReportError;
use crate::row;
use crate::rows::{Rows, TIME};
use crate::statistics::Estimate;
use crate::table::{Cell, Table};
use crate::units::Quantity;

/// One column per label and kind of instance that counted any work: the rate at its largest solved
/// question, and what `set.amount` units of the counter `set.counter` would take here and on each
/// console, by the first of the articles' ratios that its facts allow. `set.what` says what that
/// amount is.
pub(super) fn work(
    rows: &Rows,
    selection: &[u32],
    analysis: &Analysis,
    _: &Experiment,
) -> Result<Finding, ReportError> {
    let counter = parameter(analysis, "counter", "counter_states");
    let wanted = amount(analysis, "amount", 1e12);
    let what = parameter(analysis, "what", "that much work");
    let facts = Consoles::built_in()?;
    let ratios = ratios(&facts.reference);
    let mut table = Table::new(format!("How long {what} would take"), "where");
    table.notes.push(format!(
        "The rate is the median of `{counter}` over time at each variant's largest solved question with its 95 % interval, where there are enough instances or repeats for one. On consoles it is what the articles' own methods make of it, no simulation: by MIPS, by clock where no rate is known, as if this machine's core were {}.",
        facts.reference.name
    ));
    let places = facts.consoles.iter().map(|console| console.name.as_str());
    let places = ["rate here, per second", "time here"]
        .into_iter()
        .chain(places);
    table.rows = places.map(|place| row![place]).collect();
    for (label, place, group) in labelled(rows, selection, "setting_steps") {
        let Some(rate) = rate(rows, counter, &group) else {
            continue;
        };
        let here = Estimate {
            value: wanted / rate.value,
            interval: None,
            ..rate
        };
        let on_consoles = facts.consoles.iter().map(|console| {
            let mut scaled = ratios.iter().map(|ratio| ratio.scaled(console, here));
            Cell::from((scaled.find_map(|time| time), Quantity::Time))
        });
        let own = row![(rate.scaled(1e9), Quantity::Plain), (here, Quantity::Time)];
        let own = own.into_iter().chain(on_consoles);
        table.heads.push(format!("{label} {place}"));
        for (row, cell) in table.rows.iter_mut().zip(own) {
            row.push(cell);
        }
    }
    Ok(table.into())
}

/// Units per nanosecond of the rows that did most.
fn rate(rows: &Rows, counter: &str, group: &[u32]) -> Option<Estimate> {
    let done = |row: &u32| rows.number(counter, *row).unwrap_or(0.0);
    let most = group.iter().map(done).fold(0.0, f64::max);
    let mut largest = group.to_vec();
    largest.retain(|row| most > 0.0 && done(row) == most);
    rows.medians(&format!("{counter}/{TIME}"), &largest)
        .median()
}
