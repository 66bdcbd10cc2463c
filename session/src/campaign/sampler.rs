//! Takes one sample, makes its row and writes it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow};
use ikeru_core::sync::Mutex;
use ikeru_core::{AnyInstance, Settings};
use ikeru_reports::records::{Family, Outcome, Place, Record, Sample};

use super::hopeless::Hopeless;
use super::journal::{Finished, Journal, failed_file};
use crate::execute::Executor;
use crate::files::{HashedFile, IN_THE_MAKING};
use crate::interrupt::Interrupted;
use crate::machine::LoadWatch;
use crate::plan::{Cell, LAYOUT_SETTING, Stage};
use crate::progress::Progress;
use crate::slept;

/// The most attempts at a sample that is disturbed.
const TRIES: u32 = 3;

/// The conditions under which one session takes its samples.
pub struct Conditions<'a, E> {
    /// Takes the samples.
    pub executor: &'a E,
    /// The samples that earlier sessions finished.
    pub finished: &'a Finished,
    /// Worker threads in contended mode; at most one is started per cell.
    pub jobs: usize,
    /// The node, job and task of this program.
    pub place: &'a Place,
    /// The number of the session.
    pub session: u32,
    /// Seed of the session's order.
    pub seed: u64,
    /// The number of rounds so far, over all experiments of the session. Samples of one round are taken consecutively,
    /// each cell at most once, in random order.
    pub rounds: AtomicU32,
    /// Set when the run should stop. Samples in progress are then dropped unless they are solved.
    pub stop: &'a AtomicBool,
    /// The progress display.
    pub progress: &'a Progress,
    /// Observes the load of the machine, if times are measured.
    pub watch: Option<&'a LoadWatch>,
}

/// A cell's instance with its question, or the reason why the instance refuses it.
pub type Asked = Result<Box<dyn AnyInstance>, String>;

/// Puts the cell's question to its instance.
pub fn ask(cell: &Cell) -> Asked {
    let asked = cell.input.base.ask(&cell.question);
    asked.map_err(|error| error.message)
}

/// Takes the samples of one stage.
pub(super) struct Sampler<'a, 'j, E> {
    pub conditions: &'a Conditions<'a, E>,
    pub stage: &'a Stage,
    pub journal: &'a Mutex<&'j mut Journal>,
    pub hopeless: Hopeless<'a>,
}

impl<'a, E: Executor> Sampler<'a, '_, E> {
    /// Takes one sample of `cell`, its repeat and attempt, without writing it; see [`keep`](Self::keep).
    ///
    /// # Errors
    /// A mistake in a setting, or [`Interrupted`].
    pub fn measure<'q>(
        &self,
        cell: &'a Cell,
        turn: (u32, u32),
        asked: &'q Asked,
        kept: &mut Option<E::Prepared<'q>>,
    ) -> Result<Record<'a>> {
        self.check_stop()?;
        let started = SystemTime::now();
        let taken = match (asked, self.hopeless.why(cell)) {
            (_, Some(why)) => Sample::unasked(why),
            (Err(why), None) => Sample::failed(Outcome::Skipped, why.clone()),
            (Ok(asked), None) => self.sample(cell, asked.as_ref(), kept)?,
        };
        // A sample during which a file changed may be of either content.
        self.stage.check_files(cell)?;
        if taken.outcome != Outcome::Solved {
            // Only a solved sample was certainly not cut short by the stop.
            self.check_stop()?;
        }
        let has_score = taken.score.is_some();
        self.hopeless.note(cell, taken.outcome, has_score);
        if taken.outcome == Outcome::Timeout {
            *kept = None;
        }
        Ok(self.record(cell, turn, started, taken))
    }

    /// Takes a sample; again if it failed while a file of its commands was written, if this program could not take it, or if
    /// the machine slept meanwhile: that tells nothing of the solver.
    fn sample<'q>(
        &self,
        cell: &Cell,
        asked: &'q dyn AnyInstance,
        kept: &mut Option<E::Prepared<'q>>,
    ) -> Result<Sample> {
        let executor = self.conditions.executor;
        for _ in 1..TRIES {
            let sleeps = slept::count();
            let taken = executor.sample(self.stage, cell, asked, kept);
            let has_slept = slept::count() != sleeps;
            let is_disturbed = cell.solver.foreign().is_some()
                && taken.as_ref().map_or(true, |sample| {
                    let ended = matches!(sample.outcome, Outcome::Solved | Outcome::Timeout);
                    !ended && self.stage.files(cell).any(HashedFile::is_touched)
                });
            if !(is_disturbed || has_slept) || self.check_stop().is_err() {
                return taken;
            }
            if is_disturbed {
                std::thread::sleep(IN_THE_MAKING);
            }
            *kept = None;
        }
        executor.sample(self.stage, cell, asked, kept)
    }

    /// Writes a sample to the journal.
    ///
    /// # Errors
    /// A journal that cannot be written.
    pub fn keep(&self, record: &Record) -> Result<()> {
        let journal = self.journal.lock();
        let mut journal = journal.map_err(|_| anyhow!("another worker failed"))?;
        journal.append(record)?;
        drop(journal);
        self.conditions.progress.advance(record);
        Ok(())
    }

    /// Returns an error once the run should stop.
    fn check_stop(&self) -> Result<()> {
        if self.conditions.stop.load(Ordering::Relaxed) {
            return Err(Interrupted.into());
        }
        Ok(())
    }

    fn record(
        &self,
        cell: &'a Cell,
        (repeat, attempt): (u32, u32),
        started: SystemTime,
        mut taken: Sample,
    ) -> Record<'a> {
        let sample = cell.again(repeat, attempt).to_string();
        if taken.said.is_some() {
            let file = failed_file(&sample);
            if !taken.detail.is_empty() {
                taken.detail += "; ";
            }
            taken.detail += &format!("its standard error: {}", file.display());
        }
        let words = |family, settings: &'a Settings| {
            let settings = settings.iter();
            settings.map(move |(name, value)| (family, name, value.to_string()))
        };
        let settings = words(Family::Setting, &cell.question)
            .chain(words(Family::Method, &cell.method))
            .chain(
                cell.layout
                    .map(|it| (Family::Method, LAYOUT_SETTING, it.to_string())),
            )
            .chain(words(Family::Parameter, &cell.input.parameters));
        let since = started.duration_since(UNIX_EPOCH).ok();
        Record {
            experiment: &self.stage.experiment,
            sample,
            cell: cell.id.to_string(),
            problem: self.stage.problem.name(),
            instance: &cell.input.name,
            instance_hash: cell.input.hash.to_string(),
            question: cell.asked.to_string(),
            size: cell.input.size,
            generator: &cell.input.origin,
            seed: cell.input.seed,
            variant: cell.solver.name(),
            variant_version: cell.solver.version(),
            label: &cell.label,
            mode: self.stage.mode,
            bound_policy: cell.bound_policy,
            threads: cell.threads,
            repeat,
            attempt,
            started_ns: since.and_then(|since| u64::try_from(since.as_nanos()).ok()),
            canary: None,
            session: self.conditions.session,
            round: None,
            place: Some(self.conditions.place),
            limit: Some(self.stage.limit),
            taken,
            settings: settings.collect(),
        }
    }
}
