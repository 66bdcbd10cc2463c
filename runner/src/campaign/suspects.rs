//! Suspect samples taken again: samples whose canary deviated.
//!
//! The replacement has the same cell and repeat and the next attempt. The suspect sample stays in `records.csv` but
//! no longer enters a statistic. Replacements are taken in rounds, as the first attempts were. None is skipped, since
//! a cell that was measured is not hopeless.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use anyhow::Result;
use ikeru_bench_data::Mode;
use ikeru_core::Random;
use ikeru_reports::Rows;
use ikeru_reports::records::is_suspect;

use super::hopeless::Hopeless;
use super::isolated::{Bench, all_asked};
use super::journal::Journal;
use super::sampler::{Conditions, Sampler, Turn};
use crate::execute::Executor;
use crate::plan::{Plan, Stage};

/// The maximum number of passes over the suspect samples, in case the machine stays noisy.
const PASSES: usize = 3;

/// Samples by experiment and cell.
type Turns = HashMap<(String, String), Vec<Turn>>;

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
        let journal = Mutex::new(&mut *journal);
        for stage in &plan.stages {
            if stage.mode != Mode::Isolated {
                continue;
            }
            let rounds = rounds(stage, &suspects);
            conditions
                .progress
                .expect(rounds.iter().map(|round| round.len() as u64).sum());
            let asked = all_asked(stage);
            let sampler = Sampler::new(conditions, stage, &journal, Hopeless::never());
            let mut random = Random::new("suspects", conditions.seed + pass as u64);
            let mut bench = Bench::new(&sampler, &asked);
            for mut round in rounds {
                random.shuffle(&mut round);
                let number = Some(conditions.rounds.begin());
                for (at, turn) in round {
                    let turn = Turn {
                        round: number,
                        ..turn
                    };
                    bench.take(at, turn, true)?;
                }
            }
        }
    }
    Ok(())
}

/// The samples of each round: the first suspect sample of every cell, then the second, and so on.
fn rounds(stage: &Stage, suspects: &Turns) -> Vec<Vec<(usize, Turn)>> {
    let mut rounds: Vec<Vec<(usize, Turn)>> = Vec::new();
    for (at, cell) in stage.cells.iter().enumerate() {
        let key = (stage.experiment.clone(), cell.id.to_string());
        for (round, turn) in suspects.get(&key).into_iter().flatten().enumerate() {
            if rounds.len() == round {
                rounds.push(Vec::new());
            }
            rounds[round].push((at, *turn));
        }
    }
    rounds
}

/// The next attempt for every suspect sample that counts.
fn suspects(rows: &Rows) -> Turns {
    let mut turns = Turns::new();
    for row in rows.all() {
        if !rows.number("canary", row).is_some_and(is_suspect) {
            continue;
        }
        let whole = |column| rows.number(column, row).unwrap_or(0.0) as u32;
        let turn = Turn {
            repeat: whole("repeat"),
            attempt: whole("attempt") + 1,
            round: None,
        };
        let text = |column| rows.text(column, row).to_owned();
        turns
            .entry((text("experiment"), text("cell")))
            .or_default()
            .push(turn);
    }
    turns
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use ikeru_reports::records::Place;

    use super::*;
    use crate::campaign::sampler::Rounds;
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
            rounds: Rounds::default(),
            stop: &NEVER,
            progress: &Progress::hidden(),
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
