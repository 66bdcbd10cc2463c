//! Suspect samples taken again: those beside which the canary was not as usual.
//!
//! The sample that stands in has the same cell and repeat and the next attempt; the suspect one stays in `records.csv`
//! and enters no statistic any more. They are taken in rounds, as the first attempts were, and none is skipped: a cell
//! that was measured is not hopeless.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use anyhow::Result;
use ikeru_bench_data::Mode;
use ikeru_core::Random;
use ikeru_reports::Rows;
use ikeru_reports::records::is_suspect;

use crate::execute::Executor;
use crate::hopeless::Hopeless;
use crate::isolated::Bench;
use crate::journal::Journal;
use crate::plan::{Plan, Stage};
use crate::schedule::{Schedule, Turn, questions};

/// How often the suspect samples are gone through: a machine that never calms down ends it.
const PASSES: usize = 3;

/// Samples by experiment and cell.
type Turns = HashMap<(String, String), Vec<Turn>>;

/// Takes the suspect samples in `records` again, and those that come out suspect once more.
///
/// # Errors
/// As [`Schedule::run`].
pub fn rerun<E: Executor>(
    schedule: &Schedule<E>,
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
            schedule
                .progress
                .expect(rounds.iter().map(|round| round.len() as u64).sum());
            let questions = questions(stage);
            let hopeless = Hopeless::never();
            let mut random = Random::new("suspects", schedule.seed + pass as u64);
            let mut bench = Bench::new(schedule, stage, &questions, &journal, &hopeless);
            for mut round in rounds {
                random.shuffle(&mut round);
                let number = Some(schedule.rounds.begin());
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

/// What is taken again in each round: the first suspect sample of every cell, then the second, and so on.
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

/// The next attempt at every suspect sample that counts.
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
