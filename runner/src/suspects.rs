//! Suspect samples taken again: those beside which the canary was not as usual.
//!
//! The sample that stands in has the same cell and repeat and the next attempt; the suspect one stays
//! in `records.csv` and enters no statistic any more.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use anyhow::Result;
use ikeru_bench_data::Mode;
use ikeru_core::Random;
use ikeru_reports::Rows;
use ikeru_reports::records::is_suspect;

use crate::execute::Executor;
use crate::isolated::Bench;
use crate::journal::Journal;
use crate::plan::Plan;
use crate::schedule::{Hopeless, Schedule, Turn, questions};

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
            let of = |id: String| suspects.get(&(stage.experiment.clone(), id));
            let mut turns: Vec<(usize, Turn)> = Vec::new();
            for (at, cell) in stage.cells.iter().enumerate() {
                let own = of(cell.id.to_string()).into_iter().flatten();
                turns.extend(own.map(|turn| (at, *turn)));
            }
            if turns.is_empty() {
                continue;
            }
            Random::new("suspects", schedule.seed + pass as u64).shuffle(&mut turns);
            schedule.progress.expect(turns.len() as u64);
            let questions = questions(stage);
            let hopeless = Hopeless::new(stage, schedule.finished);
            let mut bench = Bench::new(schedule, stage, &questions, &journal, &hopeless);
            for (at, turn) in turns {
                bench.take(at, turn)?;
            }
        }
    }
    Ok(())
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
        };
        let text = |column| rows.text(column, row).to_owned();
        turns
            .entry((text("experiment"), text("cell")))
            .or_default()
            .push(turn);
    }
    turns
}
