//! How long a given amount of work would take at the measured rate, here and on consoles.

use ikeru_bench_data::Consoles;
use ikeru_bench_data::experiment::Analysis;

use super::{Finding, amount, parameter, varying};
use crate::consoles::first_tier;
use crate::error::ReportError;
use crate::rows::Rows;
use crate::statistics::sample::Units;
use crate::statistics::{Estimate, Interval};
use crate::units;

/// One column per label and kind of instance that counted any work: the rate at its largest solved
/// question, and what `set.amount` units of the counter `set.counter` would take here and on each
/// console, by the first of the articles' models that its facts allow. `set.what` says what that
/// amount is.
pub(super) fn work(
    rows: &Rows,
    selection: &[u32],
    analysis: &Analysis,
) -> Result<Finding, ReportError> {
    let counter = parameter(analysis, "counter", "counter_states");
    let wanted = amount(analysis, "amount", 1e12);
    let what = parameter(analysis, "what", "that much work");
    let facts = Consoles::built_in()?;
    let models = first_tier(&facts.reference);
    let mut finding = Finding::with_header(&["where"]);
    finding.title = format!("How long {what} would take");
    finding.paragraphs.push(format!(
        "The rate is the median of `{counter}` over time at each variant's largest solved question with its 95 % interval, where there are enough instances or repeats for one. Consoles are modelled by the first tier alone: by MIPS, by clock where no rate is known, as if this machine's core were {}.",
        facts.reference.name
    ));
    let places = facts.consoles.iter().map(|console| console.name.clone());
    let first = ["rate here, per second", "time here"].map(str::to_owned);
    let places = first.into_iter().chain(places);
    finding.rows = places.map(|place| vec![place]).collect();
    for (name, rate) in measured_rates(rows, selection, counter) {
        let here = Estimate {
            value: wanted / rate.value,
            interval: rate.interval.map(|Interval { low, high }| Interval {
                low: wanted / high,
                high: wanted / low,
            }),
            ..rate
        };
        let per_second = |rate: f64| units::number(rate * 1e9);
        let on_consoles = facts.consoles.iter().map(|console| {
            let mut modelled = models.iter().map(|model| model.modelled(console, here));
            let first = modelled.find_map(|time| time);
            first.map_or_else(|| "–".to_owned(), |time| units::duration(time.value))
        });
        let own = [
            match rate.interval {
                None => per_second(rate.value),
                Some(Interval { low, high }) => format!(
                    "{} ({} to {})",
                    per_second(rate.value),
                    per_second(low),
                    per_second(high)
                ),
            },
            units::duration(here.value),
        ];
        finding.header.push(name);
        for (row, cell) in finding
            .rows
            .iter_mut()
            .zip(own.into_iter().chain(on_consoles))
        {
            row.push(cell);
        }
    }
    Ok(finding)
}

/// Each label and kind of instance with its units of work per nanosecond.
fn measured_rates(rows: &Rows, selection: &[u32], counter: &str) -> Vec<(String, Estimate)> {
    let solved = rows.solved(selection);
    let apart = varying(rows, &solved, "setting_steps");
    let mut by = vec!["label"];
    by.extend(&apart);
    let measured = |group: Vec<u32>| {
        let rate = rate(rows, counter, &group)?;
        let label = rows.text("label", group[0]);
        Some((
            format!(
                "{label} {}",
                rows.described(apart.iter().copied(), group[0])
            ),
            rate,
        ))
    };
    let groups = rows.group_by(&by, &solved);
    groups.into_iter().filter_map(measured).collect()
}

/// Units per nanosecond of the rows that did most.
fn rate(rows: &Rows, counter: &str, group: &[u32]) -> Option<Estimate> {
    let done = |row: &u32| rows.number(counter, *row).unwrap_or(0.0);
    let most = group.iter().map(done).fold(0.0, f64::max);
    let mut largest = group.to_vec();
    largest.retain(|row| most > 0.0 && done(row) == most);
    Units::medians(rows, &format!("{counter}/wall_ns"), &largest).median()
}
