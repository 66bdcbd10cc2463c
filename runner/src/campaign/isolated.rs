//! Isolated mode: one sample at a time on a pinned core, with the canary, interleaved in rounds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use ikeru_core::Random;
use ikeru_reports::records::{Outcome, Record};
use indicatif::ProgressBar;

use super::hopeless::Hopeless;
use super::journal::Journal;
use super::kept::Kept;
use super::sampler::{Asked, Conditions, Sampler, Turn, ask};
use crate::canary::Canary;
use crate::cores::Cores;
use crate::execute::Executor;
use crate::plan::{Cell, Stage};

/// Takes the missing samples of a stage in rounds over all cells, each round in a random order of its own.
///
/// # Errors
/// A mistake in a setting, a journal that cannot be written, or an interruption.
pub(super) fn run<E: Executor>(
    conditions: &Conditions<E>,
    stage: &Stage,
    journal: &Mutex<&mut Journal>,
) -> Result<()> {
    let hopeless = Hopeless::new(stage, conditions.finished);
    let sampler = Sampler::new(conditions, stage, journal, hopeless);
    let asked = all_asked(stage);
    let mut bench = Bench::new(&sampler, &asked);
    let mut random = Random::new("schedule", conditions.seed);
    for repeat in 0..stage.repeats {
        let turn = Turn::first(repeat, Some(conditions.rounds.begin()));
        for at in sampler.order(&mut random) {
            let cell = &stage.cells[at];
            if !sampler.is_finished(cell, repeat) {
                let mut later = repeat + 1..stage.repeats;
                let follows = later.any(|repeat| !sampler.is_finished(cell, repeat));
                bench.take(at, turn, follows)?;
            }
        }
    }
    Ok(())
}

/// The question of every cell, put to its instance. Cells with the same question share one, and with it the referee,
/// which checks equal answers once.
pub(super) fn all_asked(stage: &Stage) -> Vec<Arc<Asked>> {
    let mut known = HashMap::new();
    let cells = stage.cells.iter();
    let share = |cell: &Cell| {
        let asked = known.entry(cell.asked);
        asked.or_insert_with(|| Arc::new(ask(cell))).clone()
    };
    cells.map(share).collect()
}

/// Takes the samples of one stage one by one, and keeps prepared solvers between them.
pub(super) struct Bench<'a, 'j, 'q, E: Executor> {
    sampler: &'a Sampler<'a, 'j, E>,
    asked: &'q [Arc<Asked>],
    kept: Kept<E::Prepared<'q>>,
    cores: Cores,
    canary: Canary,
    line: ProgressBar,
}

impl<'a, 'j, 'q, E: Executor> Bench<'a, 'j, 'q, E> {
    /// A bench for the sampler's stage, whose cells' questions are `asked`.
    pub fn new(sampler: &'a Sampler<'a, 'j, E>, asked: &'q [Arc<Asked>]) -> Self {
        let cores = Cores::of_this_thread();
        // The thread that draws the line inherits its cores from this thread.
        cores.keep_off();
        let line = sampler.conditions.progress.line();
        cores.pin(true);
        Self {
            sampler,
            asked,
            kept: Kept::of(asked.len()),
            canary: Canary::begin(),
            cores,
            line,
        }
    }

    /// Takes one sample of the cell at `at` and writes it to the journal, with the canary's ratio. The solver is kept
    /// for the next sample of the cell if one `follows` and there is room.
    ///
    /// # Errors
    /// A mistake in a setting, a journal that cannot be written, or an interruption.
    pub fn take(&mut self, at: usize, turn: Turn, follows: bool) -> Result<Record<'a>> {
        let stage = self.sampler.stage;
        let cell = &stage.cells[at];
        self.sampler
            .conditions
            .progress
            .tell(&self.line, stage, cell);
        let before = self.watch();
        self.cores.pin(cell.threads == 1);
        let kept = self.kept.place(at);
        let mut record = self.sampler.measure(cell, turn, &self.asked[at], kept)?;
        self.kept.settle(at, record.taken.table_bytes, follows);
        if record.taken.outcome != Outcome::Skipped {
            let after = self.watch();
            let further = |ratio: f64| ratio.ln().abs();
            record.canary = Some(if further(after) > further(before) {
                after
            } else {
                before
            });
        }
        self.sampler.keep(&record)?;
        Ok(record)
    }

    /// The canary's ratio, always measured on the timing core.
    fn watch(&mut self) -> f64 {
        self.cores.pin(true);
        self.canary.ratio()
    }
}

impl<E: Executor> Drop for Bench<'_, '_, '_, E> {
    fn drop(&mut self) {
        self.cores.pin(false);
        self.line.finish_and_clear();
    }
}
