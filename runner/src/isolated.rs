//! Isolated mode's bench: one sample at a time on a pinned core, with a canary beside.

use std::sync::Mutex;

use anyhow::Result;
use ikeru_reports::records::Record;
use indicatif::ProgressBar;

use crate::canary::Canary;
use crate::cores::Cores;
use crate::execute::{Executor, Outcome};
use crate::hopeless::Hopeless;
use crate::journal::Journal;
use crate::kept::Kept;
use crate::plan::Stage;
use crate::schedule::{Question, Schedule, Turn};

/// Takes the samples of one stage, each on its own, and keeps what was prepared between them.
pub(crate) struct Bench<'a, 'j, 'q, E: Executor> {
    schedule: &'a Schedule<'a, E>,
    stage: &'a Stage,
    questions: &'q [Question],
    kept: Kept<E::Prepared<'q>>,
    journal: &'a Mutex<&'j mut Journal>,
    hopeless: &'a Hopeless<'a>,
    cores: Cores,
    canary: Canary,
    line: ProgressBar,
}

impl<'a, 'j, 'q, E: Executor> Bench<'a, 'j, 'q, E> {
    /// A bench for `stage`, whose `questions` are those of its cells.
    pub fn new(
        schedule: &'a Schedule<'a, E>,
        stage: &'a Stage,
        questions: &'q [Question],
        journal: &'a Mutex<&'j mut Journal>,
        hopeless: &'a Hopeless<'a>,
    ) -> Self {
        let cores = Cores::of_this_thread();
        // The thread that draws the line inherits where it may run.
        cores.keep_off();
        let line = schedule.progress.line();
        cores.pin(true);
        Self {
            schedule,
            stage,
            questions,
            kept: Kept::of(questions.len()),
            journal,
            hopeless,
            canary: Canary::begin(),
            cores,
            line,
        }
    }

    /// Takes one sample of the cell at `at` and writes it to the journal, with what the canary said. The solver is
    /// kept for the next sample of the cell if one `follows` and there is room.
    ///
    /// # Errors
    /// A mistake in a setting, a journal that cannot be written, or an interruption.
    pub fn take(&mut self, at: usize, turn: Turn, follows: bool) -> Result<Record<'a>> {
        let cell = &self.stage.cells[at];
        self.schedule.progress.tell(&self.line, self.stage, cell);
        let before = self.watch();
        self.cores.pin(cell.threads == 1);
        let mine = (&self.questions[at], self.kept.place(at));
        let (outcome, mut record) =
            self.schedule
                .measure((self.stage, cell), turn, mine, self.hopeless)?;
        self.kept.settle(at, record.taken.table_bytes, follows);
        if outcome != Outcome::Skipped {
            let after = self.watch();
            let further = |ratio: f64| ratio.ln().abs();
            record.canary = Some(if further(after) > further(before) {
                after
            } else {
                before
            });
        }
        self.schedule.keep(&record, self.journal)?;
        Ok(record)
    }

    /// What the canary says, always from the timing core.
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
