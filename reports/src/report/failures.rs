//! What stands first on the page: disagreements, wrong answers, crashes, timeouts, and what was skipped.

use crate::failures::{Disagreement, Failure, Failures, WORST_FIRST};
use crate::page::{Cell, FailureGroup, Table, Tone};
use crate::records::Outcome;
use crate::units;

/// Most rows of one table; the rest is counted.
const MOST: usize = 200;

/// One table for disagreements and one per outcome, the worst first; what is serious stands open.
pub fn groups(failures: &Failures, command: &str) -> Vec<FailureGroup> {
    let mut groups = Vec::new();
    if !failures.disagreements.is_empty() {
        groups.push(disagreements(&failures.disagreements, command));
    }
    for outcome in WORST_FIRST {
        let own = failures.groups.iter();
        let own: Vec<&Failure> = own.filter(|group| group.outcome == outcome).collect();
        if !own.is_empty() {
            groups.push(group(outcome, failures.count(outcome), &own, command));
        }
    }
    groups
}

fn words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Wrong => "with a wrong answer",
        Outcome::OutOfMemory => "out of memory",
        other => other.name(),
    }
}

fn tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Timeout => Tone::Warn,
        Outcome::Skipped => Tone::Still,
        _ => Tone::Bad,
    }
}

/// What a table says that shows only the first of `all` rows.
fn note(all: usize) -> String {
    if all <= MOST {
        return String::new();
    }
    let all = units::count(all as u64);
    format!("The first {MOST} of {all} rows; the samples are in records.csv.")
}

fn disagreements(all: &[Disagreement], command: &str) -> FailureGroup {
    let row = |found: &Disagreement| {
        vec![
            Cell::text(&found.experiment),
            Cell::prose(&found.instance),
            Cell::text(&found.question),
            Cell::prose(found.scores_in_words()),
        ]
    };
    let title = "Exact variants that disagree on one question".to_owned();
    FailureGroup {
        summary: title.clone(),
        open: true,
        table: Table {
            title,
            note: note(all.len()),
            command: command.to_owned(),
            heads: vec![
                Cell::text("experiment"),
                Cell::prose("instance"),
                Cell::text("question"),
                Cell::prose("proven scores"),
            ],
            rows: all.iter().take(MOST).map(row).collect(),
        },
    }
}

fn group(outcome: Outcome, samples: usize, own: &[&Failure], command: &str) -> FailureGroup {
    let plural = if samples == 1 { "" } else { "s" };
    let summary = format!(
        "{} sample{plural} {}",
        units::count(samples as u64),
        words(outcome)
    );
    let row = |failure: &&Failure| {
        let instance = match failure.instances {
            0 | 1 => failure.instance.clone(),
            more => format!("{} and {} more", failure.instance, more - 1),
        };
        vec![
            Cell::text(&failure.experiment),
            Cell::text(&failure.label),
            Cell::prose(instance),
            Cell::badge(outcome.name(), tone(outcome)),
            Cell::number(units::count(failure.count as u64)),
            Cell::prose(&failure.detail),
        ]
    };
    FailureGroup {
        open: outcome.is_serious(),
        table: Table {
            title: summary.clone(),
            note: note(own.len()),
            command: command.to_owned(),
            heads: vec![
                Cell::text("experiment"),
                Cell::text("variant"),
                Cell::prose("instance"),
                Cell::text("outcome"),
                Cell::number("samples"),
                Cell::prose("why"),
            ],
            rows: own.iter().take(MOST).map(row).collect(),
        },
        summary,
    }
}
