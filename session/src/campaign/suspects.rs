//! Suspect samples taken again: samples whose canary deviated.
//!
//! The replacement has the same cell and repeat and the next attempt. The suspect sample stays in `records.csv` but
//! no longer enters a statistic. Replacements are taken in rounds, as the first attempts were. No replacement is
//! skipped, because a cell that was measured is not hopeless.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use anyhow::Result;
use ikeru_bench_data::Mode;
use ikeru_core::Random;
use ikeru_reports::Rows;
use ikeru_reports::records::is_suspect;

use super::hopeless::Hopeless;
use super::journal::Journal;
use super::rounds;
use super::sampler::Conditions;
use super::schedule::{Pick, Round, Schedule, Taken};
use crate::execute::Executor;
use crate::plan::{Plan, Stage};

/// The maximum number of passes over the suspect samples, in case the machine stays noisy.
const PASSES: usize = 3;

/// The repeat and next attempt of each suspect sample, by experiment and cell.
type Attempts = HashMap<(String, String), Vec<(u32, u32)>>;

/// Takes the suspect samples in `records` again, and repeats this for replacements that are suspect.
///
/// # Errors
/// An error of [`schedule::run`](super::schedule::run).
pub fn rerun<E: Executor>(
    conditions: &Conditions<E>,
    plan: &Plan,
    journal: &mut Journal,
    records: &Path,
) -> Result<()> {
    for pass in 0..PASSES {
        let suspects = suspects(&Rows::read(records)?);
        if suspects.is_empty() {
            break;
        }
        let isolated = |stage: &&Stage| stage.mode == Mode::Isolated;
        for stage in plan.stages.iter().filter(isolated) {
            let mut again = Suspects {
                rounds: rounds_of(stage, &suspects).into(),
                random: Random::new("suspects", conditions.seed + pass as u64),
            };
            let never = |_| Hopeless::default();
            rounds::run(conditions, &[stage], never, journal, &mut again)?;
        }
    }
    Ok(())
}

/// The suspect samples of one stage, round by round.
struct Suspects {
    rounds: VecDeque<Vec<Pick>>,
    random: Random,
}

impl Schedule for Suspects {
    fn next(&mut self, _: &[Taken]) -> Option<Round> {
        let mut picks = self.rounds.pop_front()?;
        self.random.shuffle(&mut picks);
        Some(Round {
            picks,
            end: None,
            is_extra: true,
        })
    }
}

/// The samples of each round: the first suspect sample of every cell, then the second, and so on.
fn rounds_of(stage: &Stage, suspects: &Attempts) -> Vec<Vec<Pick>> {
    let mut rounds: Vec<Vec<Pick>> = Vec::new();
    for (at, cell) in stage.cells.iter().enumerate() {
        let key = (stage.experiment.clone(), cell.id.to_string());
        let own = suspects.get(&key).into_iter().flatten();
        for (round, &(repeat, attempt)) in own.enumerate() {
            if rounds.len() == round {
                rounds.push(Vec::new());
            }
            rounds[round].push(Pick {
                stage: 0,
                cell: at,
                repeat,
                attempt,
                follows: true,
            });
        }
    }
    rounds
}

/// The next attempt for every suspect sample that counts.
fn suspects(rows: &Rows) -> Attempts {
    let mut attempts = Attempts::new();
    for row in rows.all() {
        if !rows.number("canary", row).is_some_and(is_suspect) {
            continue;
        }
        let whole = |column| rows.number(column, row).unwrap_or(0.0) as u32;
        let text = |column| rows.text(column, row).to_owned();
        let own = attempts.entry((text("experiment"), text("cell")));
        let next = (whole("repeat"), whole("attempt") + 1);
        own.or_default().push(next);
    }
    attempts
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicU32;

    use ikeru_reports::records::Place;

    use super::*;
    use crate::campaign::schedule::tests::{Mock, NEVER, fields, plan, run};
    use crate::progress::Progress;

    #[test]
    fn suspects_are_taken_again_in_rounds_and_none_is_skipped() {
        let folder = tempfile::tempdir().expect("a folder");
        let records = folder.path().join("records.csv");
        let plan = plan("repeats = 2, hopeless_along = \"setting_steps\"");
        assert_eq!(run(&plan, folder.path(), 99, 1).len(), 24);
        // Simulates a slow canary for every sample.
        let mut reader = csv::Reader::from_path(&records).expect("a journal");
        let header = reader.headers().expect("a header").clone();
        let rows: Vec<csv::StringRecord> =
            reader.records().map(|row| row.expect("a row")).collect();
        let mut writer = csv::Writer::from_path(&records).expect("writable");
        writer.write_record(&header).expect("written");
        for row in rows {
            let forged = header.iter().zip(&row);
            let forged = forged.map(|(name, field)| if name == "canary" { "1.500" } else { field });
            writer.write_record(forged).expect("written");
        }
        writer.flush().expect("written");
        // Now every sample reaches its limit: if one were hopeless, larger ones would be skipped.
        let (mut journal, finished) =
            Journal::resume(&records, plan.columns.clone()).expect("resumed");
        let mock = Mock {
            ran: Mutex::new(Vec::new()),
            too_large: 0,
        };
        let conditions = Conditions {
            place: &Place::default(),
            executor: &mock,
            finished: &finished,
            jobs: 1,
            session: 4,
            seed: 1,
            rounds: AtomicU32::new(0),
            stop: &NEVER,
            progress: &Progress::hidden(),
            watch: None,
        };
        rerun(&conditions, &plan, &mut journal, &records).expect("taken");
        let again = |name| fields(folder.path(), name).split_off(24);
        assert!(again("outcome").iter().all(|outcome| outcome == "timeout"));
        assert!(again("outcome").len() >= 24);
        let places: Vec<(String, String)> = again("round").into_iter().zip(again("cell")).collect();
        let different: HashSet<_> = places.iter().collect();
        assert_eq!(
            different.len(),
            places.len(),
            "a cell is in a round at most once"
        );
        assert_eq!(again("round")[..12], vec!["0"; 12]);
        assert_eq!(again("round")[12..24], vec!["1"; 12]);
        assert!(again("session").iter().all(|session| session == "4"));
    }
}
