//! `--list`: the samples that would be taken, and the expected time.

use std::time::Duration;

use anyhow::Result;
use ikeru_reports::row;
use ikeru_reports::table::{Cell, Table};
use ikeru_reports::units;

use crate::campaign::{Campaign, Expectation};
use crate::output;
use crate::plan::Stage;

/// Prints cells, samples and expected time of each experiment.
///
/// # Errors
/// When standard output is closed.
pub fn print(campaign: &Campaign) -> Result<()> {
    let plan = &campaign.plan;
    let mut table = Table::new("", "experiment | cells | samples | expected");
    let stages = plan.stages.iter().zip(&campaign.expected);
    let expected = stages.map(|(stage, known)| bounded(stage, *known));
    let expected: Vec<Expectation> = expected.collect();
    for (stage, expected) in plan.stages.iter().zip(&expected) {
        table.rows.push(row![
            &stage.experiment,
            stage.cells.len(),
            stage.samples() as usize,
            expected_in_words(*expected)
        ]);
    }
    if let (2.., Some(all)) = (table.rows.len(), expected.into_iter().reduce(and)) {
        let (samples, expected) = (plan.samples() as usize, expected_in_words(all));
        let line = row!["together", Cell::EMPTY, samples, expected];
        table.rows.push(line);
    }
    output::print(&table.lines())
}

/// The limit of all samples where nothing else is known: a process that answers once takes its own time.
fn bounded(stage: &Stage, known: Expectation) -> Expectation {
    let mut cells = stage.cells.iter();
    match known {
        Expectation::AtLeast(_) if cells.all(|cell| cell.solver.answers_once()) => {
            let samples = u32::try_from(stage.samples()).unwrap_or(u32::MAX);
            Expectation::Below(stage.limit.saturating_mul(samples))
        }
        known => known,
    }
}

/// The expectation of both, one after the other. It is the weaker statement of the two; `below` and `at least`
/// together are `about`.
fn and(a: Expectation, b: Expectation) -> Expectation {
    use Expectation::{About, AtLeast, Below};
    let both = a.time().saturating_add(b.time());
    match (a, b) {
        (Below(_), Below(_) | About(_)) | (About(_), Below(_)) => Below(both),
        (AtLeast(_), AtLeast(_) | About(_)) | (About(_), AtLeast(_)) => AtLeast(both),
        _ => About(both),
    }
}

fn expected_in_words(expected: Expectation) -> String {
    match expected {
        Expectation::About(time) => format!("about {}", in_words(time)),
        Expectation::Below(time) => format!("below {}", in_words(time)),
        Expectation::AtLeast(time) => format!("at least {}", in_words(time)),
    }
}

fn in_words(time: Duration) -> String {
    units::about(time.as_nanos() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_times_add_up_to_the_weaker_statement() {
        let seconds = Duration::from_secs;
        let about = |n| Expectation::About(seconds(n));
        assert_eq!(and(about(4), about(5)), about(9));
        assert_eq!(
            and(about(4), Expectation::Below(seconds(5))),
            Expectation::Below(seconds(9))
        );
        let least = Expectation::AtLeast(seconds(5));
        assert_eq!(
            expected_in_words(and(least, about(90))),
            "at least 95\u{202f}s"
        );
        assert_eq!(expected_in_words(about(4)), "about 4\u{202f}s");
        assert_eq!(expected_in_words(about(8 * 3600)), "about 8\u{202f}h");
    }
}
