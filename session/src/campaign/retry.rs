//! Failed samples that are taken again: `--retry`.
//!
//! The samples of all variants for the same question and repeat are taken again, once: a second chance for one side alone
//! would decide comparisons. A new sample replaces the earlier one, which stays in the file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::str::FromStr;

use anyhow::Result;
use ikeru_core::Random;
use ikeru_reports::Rows;
use ikeru_reports::records::Outcome;
use ikeru_reports::run_file::RunFile;

use super::hopeless::Hopeless;
use super::journal::Journal;
use super::rounds;
use super::sampler::Conditions;
use super::schedule::{Pick, Round, Schedule, Taken};
use crate::execute::Executor;
use crate::plan::{Plan, Stage};

/// The samples that are taken again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retry {
    /// All that are neither solved nor stopped at their limit.
    Failed,
    /// Samples with an outcome.
    Ended(Outcome),
    /// Samples of a cell, by the beginning of its identity.
    Cell(String),
    /// All samples of a session.
    Session(u32),
}

impl FromStr for Retry {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let is_cell = word.len() >= 6 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let session = word.strip_prefix("session:");
        if let Some(number) = session.and_then(|number| number.parse().ok()) {
            return Ok(Self::Session(number));
        }
        match (word, Outcome::named(word)) {
            ("failed", _) => Ok(Self::Failed),
            (_, Some(outcome)) if outcome != Outcome::Solved => Ok(Self::Ended(outcome)),
            _ if is_cell => Ok(Self::Cell(word.to_owned())),
            _ => Err(format!(
                "expected `failed`, an outcome such as `crashed`, `timeout` or `referee-failed`, `session:2`, or a cell, found `{word}`"
            )),
        }
    }
}

impl Retry {
    fn takes(&self, rows: &Rows, row: u32) -> bool {
        let outcome = rows.outcome(row);
        match self {
            Self::Failed => !matches!(outcome, Some(Outcome::Solved | Outcome::Timeout)),
            Self::Ended(wanted) => outcome == Some(*wanted),
            Self::Cell(cell) => rows.text("cell", row).starts_with(cell.as_str()),
            Self::Session(number) => rows.number("session", row) == Some(f64::from(*number)),
        }
    }
}

/// Takes them; returns their number.
///
/// # Errors
/// Rows that cannot be read, and the errors of a round.
pub fn take<E: Executor>(
    conditions: &Conditions<E>,
    plan: &Plan,
    journal: &mut Journal,
    folder: &Path,
    retry: &Retry,
) -> Result<usize> {
    let rows = RunFile::read(folder)?.present_rows(folder)?;
    let mut count = 0;
    for stage in &plan.stages {
        let mut schedule = Retries {
            rounds: rounds_of(stage, &rows, retry),
            random: Random::new("retry", conditions.seed),
        };
        count += schedule.rounds.iter().map(Vec::len).sum::<usize>();
        let hopeless = |stage| Hopeless::new(stage, conditions.finished);
        if !schedule.rounds.is_empty() {
            rounds::run(conditions, &[stage], hopeless, journal, &mut schedule)?;
        }
    }
    Ok(count)
}

/// For each question and repeat with such a sample, the next attempts of all cells.
fn rounds_of(stage: &Stage, rows: &Rows, retry: &Retry) -> Vec<Vec<Pick>> {
    let repeat = |row: u32| rows.number("repeat", row).unwrap_or(0.0) as u32;
    let own = rows.with("experiment", &stage.experiment);
    let failed = own.iter().filter(|row| retry.takes(rows, **row));
    let failed: BTreeSet<(String, u32)> = failed
        .map(|row| (rows.text("question", *row).to_owned(), repeat(*row)))
        .collect();
    // Also rows that a later attempt replaced have their number.
    let mut last: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    for row in 0..rows.len() as u32 {
        let attempt = rows.number("attempt", row).unwrap_or(0.0) as u32;
        let known = last
            .entry((rows.text("cell", row), repeat(row)))
            .or_default();
        *known = attempt.max(*known);
    }
    let of_question = |(question, repeat): &(String, u32)| -> Vec<Pick> {
        let cells = stage.cells.iter().enumerate();
        let asked = cells.filter(|(_, cell)| cell.asked.to_string() == *question);
        let taken = asked.filter_map(|(at, cell)| {
            let attempt = last.get(&(cell.id.to_string().as_str(), *repeat))? + 1;
            Some(Pick {
                stage: 0,
                cell: at,
                repeat: *repeat,
                attempt,
                follows: false,
            })
        });
        taken.collect()
    };
    let mut all: Vec<Vec<Pick>> = failed.iter().map(of_question).collect();
    all.retain(|picks| !picks.is_empty());
    all
}

/// A round for each question and repeat.
struct Retries {
    rounds: Vec<Vec<Pick>>,
    random: Random,
}

impl Schedule for Retries {
    fn next(&mut self, _: &[Taken]) -> Option<Round> {
        let mut picks = self.rounds.pop()?;
        self.random.shuffle(&mut picks);
        Some(Round {
            picks,
            end: None,
            is_extra: true,
        })
    }
}
