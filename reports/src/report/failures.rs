//! The failures on the page: wrong answers, crashes, timeouts, and skipped samples.

use crate::failures::{FailedSamples, Failures, WORST_FIRST};
use crate::page::FailureGroup;
use crate::records::Outcome;
use crate::table::{Cell, Table, Tone};
use crate::{row, units};

/// The largest number of rows of one table; a longer table has a note with their total number.
const MOST: usize = 200;

/// One table for doubtful times, and one per outcome, the worst first. Serious ones are open.
pub fn groups(failures: &Failures) -> Vec<FailureGroup> {
    let mut groups = Vec::new();
    if !failures.doubtful.is_empty() {
        let samples = failures.doubtful.iter().map(|group| group.count).sum();
        let own: Vec<&FailedSamples> = failures.doubtful.iter().collect();
        groups.push(group(Outcome::Solved, samples, &own));
    }
    for outcome in WORST_FIRST {
        let own = failures.groups.iter();
        let own: Vec<&FailedSamples> = own.filter(|group| group.outcome == outcome).collect();
        if !own.is_empty() {
            groups.push(group(outcome, failures.count(outcome), &own));
        }
    }
    groups
}

fn words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Solved => "with a doubtful time",
        Outcome::Wrong => "with a wrong answer",
        Outcome::Disputed => "with an answer in dispute",
        Outcome::OutOfMemory => "out of memory",
        Outcome::NoAnswer => "without an answer",
        Outcome::Timeout => "with a timeout",
        other => other.name(),
    }
}

fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Timeout | Outcome::NoAnswer | Outcome::Solved => Tone::Warn,
        Outcome::Skipped => Tone::Still,
        _ => Tone::Bad,
    }
}

fn group(outcome: Outcome, samples: usize, own: &[&FailedSamples]) -> FailureGroup {
    let summary = format!("{} {}", units::plural(samples, "sample"), words(outcome));
    let row = |failure: &&FailedSamples| {
        row![
            &failure.experiment,
            &failure.label,
            Cell::prose(failure.place()),
            Cell::badge(outcome.name(), tone(outcome)),
            failure.count,
            Cell::prose(&failure.detail),
        ]
    };
    let heads = "experiment | variant | instance | outcome | samples | why";
    let mut table = Table::new(&summary, heads);
    table.rows = own.iter().take(MOST).map(row).collect();
    if own.len() > MOST {
        let count = units::count(own.len());
        table.note(format!(
            "The first {MOST} of {count} rows; the samples are in records.csv."
        ));
    }
    FailureGroup {
        open: !matches!(
            outcome,
            Outcome::Timeout | Outcome::NoAnswer | Outcome::Skipped
        ),
        table,
        summary,
    }
}
