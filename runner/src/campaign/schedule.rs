//! A plan, carried out stage by stage.
//!
//! It uses no clock: an [`Executor`] takes the samples. So a test can use an executor with fixed outcomes and check
//! the order of the samples.

use std::sync::Mutex;

use anyhow::Result;
use ikeru_bench_data::Mode;

use super::journal::Journal;
use super::sampler::Conditions;
use super::{contended, isolated};
use crate::execute::Executor;
use crate::plan::Plan;

/// Takes every sample of the plan that is not finished, and writes each to the journal at once.
///
/// # Errors
/// A mistake in a setting, a journal that cannot be written, or an interruption; finished samples are kept.
pub fn run<E: Executor>(
    conditions: &Conditions<E>,
    plan: &Plan,
    journal: &mut Journal,
) -> Result<()> {
    let count = plan.stages.len();
    for (stage, number) in plan.stages.iter().zip(1..) {
        conditions.progress.stage(number, count, &stage.experiment);
        let journal = Mutex::new(&mut *journal);
        match stage.mode {
            // What is modelled is worked out from the CPU time of work on one core.
            Mode::Isolated | Mode::Modelled => isolated::run(conditions, stage, &journal)?,
            Mode::Contended => contended::run(conditions, stage, &journal)?,
        }
    }
    journal.look()
}

#[cfg(test)]
pub(super) mod tests;
