//! Takes the samples of a campaign's stages, each in its mode.

use anyhow::Result;
use ikeru_bench_data::Mode;
use ikeru_core::Random;
use ikeru_core::sync::Mutex;

use super::hopeless::Hopeless;
use super::journal::Journal;
use super::sampler::Conditions;
use super::schedule::Repeats;
use super::{contended, rounds};
use crate::execute::Executor;
use crate::plan::Stage;

/// Takes every sample of the stages that is not finished, stage by stage, and writes each to the journal at once.
///
/// # Errors
/// A mistake in a setting, a journal that cannot be written, or an interruption; finished samples are kept.
pub fn run<E: Executor>(
    conditions: &Conditions<E>,
    stages: &[&Stage],
    journal: &mut Journal,
) -> Result<()> {
    let count = stages.len();
    let finished = conditions.finished;
    for (stage, number) in stages.iter().zip(1..) {
        conditions.progress.stage(number, count, &stage.experiment);
        match stage.mode {
            Mode::Isolated => {
                // Repeats that are added have an order of their own.
                let stream = match stage.first_repeat {
                    0 => "schedule".to_owned(),
                    first => format!("schedule {first}"),
                };
                let mut repeats = Repeats {
                    stage,
                    finished,
                    random: Random::new(&stream, conditions.seed),
                    repeat: stage.first_repeat,
                };
                let hopeless = |stage| Hopeless::new(stage, finished);
                rounds::run(conditions, &[stage], hopeless, journal, &mut repeats)?;
            }
            Mode::Contended => contended::run(conditions, stage, &Mutex::new(&mut *journal))?,
        }
    }
    journal.look()
}
