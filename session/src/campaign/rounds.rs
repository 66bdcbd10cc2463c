//! Isolated mode: one sample at a time on a pinned core, with the canary, in the order of a schedule.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::Result;
use ikeru_core::sync::Mutex;
use ikeru_reports::records::Outcome;
use indicatif::ProgressBar;

use super::hopeless::Hopeless;
use super::journal::Journal;
use super::kept::KeptSolvers;
use super::sampler::{Asked, Conditions, Sampler, ask};
use super::schedule::{Pick, Schedule, Taken};
use crate::canary::Canary;
use crate::cores::{self, CorePlace};
use crate::execute::Executor;
use crate::plan::{Cell, Stage};

/// Takes the rounds of `schedule` over cells of `stages`, until it has no more or its end has come. `hopeless`
/// returns the hopeless cells of a stage, which are skipped.
///
/// # Errors
/// A mistake in a setting, a journal that cannot be written, or an interruption.
pub(super) fn run<'a, E: Executor>(
    conditions: &'a Conditions<E>,
    stages: &[&'a Stage],
    hopeless: impl Fn(&'a Stage) -> Hopeless<'a>,
    journal: &mut Journal,
    schedule: &mut dyn Schedule,
) -> Result<()> {
    let journal = Mutex::new(journal);
    let sampler = |stage: &&'a Stage| Sampler {
        conditions,
        stage,
        journal: &journal,
        hopeless: hopeless(stage),
    };
    let samplers: Vec<Sampler<E>> = stages.iter().map(sampler).collect();
    let asked: Vec<Vec<Arc<Asked>>> = stages.iter().map(|stage| all_asked(stage)).collect();
    let mut bench = Workbench {
        conditions,
        samplers: &samplers,
        asked: &asked,
        kept: asked.iter().map(|own| KeptSolvers::of(own.len())).collect(),
        // The thread that draws the line inherits its cores from this thread.
        line: cores::at(CorePlace::Rest, || conditions.progress.line()),
        canary: cores::at(CorePlace::Timing, Canary::begin),
    };
    let mut last = Vec::new();
    while let Some(round) = schedule.next(&last) {
        let number = conditions.rounds.fetch_add(1, Ordering::Relaxed);
        last.clear();
        if round.is_extra {
            for pick in &round.picks {
                let stage = stages[pick.stage];
                conditions.progress.expect(1, &stage.experiment);
            }
        }
        for pick in round.picks {
            if round.end.is_some_and(|end| Instant::now() >= end) {
                return Ok(());
            }
            last.push(bench.take(pick, number)?);
        }
    }
    Ok(())
}

/// The question of every cell, put to its instance. Cells with the same question share one, and with it the referee,
/// which checks equal answers once.
fn all_asked(stage: &Stage) -> Vec<Arc<Asked>> {
    let mut known = HashMap::new();
    let cells = stage.cells.iter();
    let share = |cell: &Cell| {
        let asked = known.entry(cell.asked);
        asked.or_insert_with(|| Arc::new(ask(cell))).clone()
    };
    cells.map(share).collect()
}

/// Takes samples one by one, and keeps prepared solvers between them.
struct Workbench<'s, 'a, 'j, 'q, E: Executor> {
    conditions: &'a Conditions<'a, E>,
    samplers: &'s [Sampler<'a, 'j, E>],
    asked: &'q [Vec<Arc<Asked>>],
    kept: Vec<KeptSolvers<E::Prepared<'q>>>,
    canary: Canary,
    line: ProgressBar,
}

impl<E: Executor> Workbench<'_, '_, '_, '_, E> {
    /// Takes one sample and writes it to the journal, with the canary's ratio. The solver is kept for the next sample
    /// of the cell if one follows and there is room.
    fn take(&mut self, pick: Pick, round: u32) -> Result<Taken> {
        let sampler = &self.samplers[pick.stage];
        let cell = &sampler.stage.cells[pick.cell];
        let progress = self.conditions.progress;
        let told = [&*sampler.stage.experiment, &cell.label, &cell.input.name];
        progress.tell(&self.line, told);
        let before = self.watch();
        let (kept, asked) = (&mut self.kept[pick.stage], &self.asked[pick.stage]);
        let turn = (pick.repeat, pick.attempt);
        let place = kept.place(pick.cell);
        let mut record = sampler.measure(cell, turn, &asked[pick.cell], place)?;
        record.round = Some(round);
        kept.settle(pick.cell, record.taken.table_bytes, pick.follows);
        if record.taken.outcome != Outcome::Skipped {
            let after = self.watch();
            let further = |ratio: f64| ratio.ln().abs();
            let is_further = further(after) > further(before);
            record.canary = Some(if is_further { after } else { before });
        }
        sampler.keep(&record)?;
        if let Some(watch) = self.conditions.watch {
            watch.look().iter().for_each(|doubt| progress.warn(doubt));
        }
        Ok(Taken {
            pick,
            canary: record.canary,
            sample: record.taken,
        })
    }

    /// The canary's ratio, always measured on the timing core.
    fn watch(&mut self) -> f64 {
        // PERF: a reading is due every 40 ms; this thread moves between cores for it alone.
        if self.canary.is_due() {
            cores::at(CorePlace::Timing, || self.canary.read());
        }
        self.canary.ratio
    }
}

impl<E: Executor> Drop for Workbench<'_, '_, '_, '_, E> {
    fn drop(&mut self) {
        cores::go(CorePlace::All);
        self.line.finish_and_clear();
    }
}
