//! The failures on the page: disagreements, wrong answers, crashes, timeouts, and skipped samples.

use crate::disagreements::Disagreement;
use crate::failures::{FailedSamples, Failures, WORST_FIRST};
use crate::page::FailureGroup;
use crate::records::Outcome;
use crate::table::{Cell, Table, Tone};
use crate::{row, units};

/// The largest number of rows of one table; a longer table has a note with their total number.
const MOST: usize = 200;

/// One table for disagreements, one for doubtful times, and one per outcome, the worst first. Serious ones are open.
pub fn groups(failures: &Failures) -> Vec<FailureGroup> {
    let mut groups = Vec::new();
    if !failures.disagreements.is_empty() {
        groups.push(disagreements(&failures.disagreements));
    }
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
        Outcome::OutOfMemory => "out of memory",
        Outcome::Timeout => "with a timeout",
        other => other.name(),
    }
}

fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Timeout | Outcome::Solved => Tone::Warn,
        Outcome::Skipped => Tone::Still,
        _ => Tone::Bad,
    }
}

/// The table with the first rows, and a note if there are more.
fn first<T>(all: &[T], row: impl Fn(&T) -> Vec<Cell>, table: Table) -> Table {
    let count = units::count(all.len());
    let cut = format!("The first {MOST} of {count} rows; the samples are in records.csv.");
    Table {
        rows: all.iter().take(MOST).map(row).collect(),
        notes: (all.len() > MOST).then_some(cut).into_iter().collect(),
        ..table
    }
}

fn disagreements(all: &[Disagreement]) -> FailureGroup {
    let row = |found: &Disagreement| {
        row![
            &found.experiment,
            Cell::prose(&found.instance),
            &found.question,
            Cell::prose(&*found.scores),
        ]
    };
    let title = "Exact variants that disagree on one question";
    let table = Table::new(title, "experiment | instance | question | proven scores");
    FailureGroup {
        summary: title.to_owned(),
        open: true,
        table: first(all, row, table),
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
    let table = Table::new(&summary, heads);
    FailureGroup {
        open: !matches!(outcome, Outcome::Timeout | Outcome::Skipped),
        table: first(own, row, table),
        summary,
    }
}
