//! In which order samples are taken, and by whom: one at a time and interleaved, or on all cores.
//!
//! The scheduler knows no clock: an [`Executor`] takes the samples, so a test can put a table of
//! outcomes in its place and look at the order of what ran.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow};
use ikeru_bench_data::Mode;
use ikeru_core::{AnyInstance, Random, Settings};
use ikeru_reports::records::{Family, Record};

use crate::execute::{Executor, Outcome, Sample};
use crate::hopeless::Hopeless;
use crate::interrupt::Interrupted;
use crate::isolated::Bench;
use crate::journal::{Finished, Journal};
use crate::plan::{Cell, Plan, Stage};
use crate::progress::Progress;

/// Most worker threads of contended mode, whatever is asked for.
const MOST_JOBS: usize = 256;

/// How a plan is carried out.
pub struct Schedule<'a, E> {
    /// Takes the samples.
    pub executor: &'a E,
    /// What an earlier run finished.
    pub finished: &'a Finished,
    /// Worker threads in contended mode; no more are started than there are cells.
    pub jobs: usize,
    /// The number of the session that takes the samples.
    pub session: u32,
    /// Seed of the session's order.
    pub seed: u64,
    /// Numbers the session's rounds.
    pub rounds: Rounds,
    /// Is set when the run should stop. The samples that run then are dropped unless they are solved.
    pub stop: &'a AtomicBool,
    /// What the person sees.
    pub progress: &'a Progress,
}

/// The rounds of a session, over all its experiments. Samples of one round are taken next to each other, each cell at
/// most once, in random order.
#[derive(Debug, Default)]
pub struct Rounds(AtomicU32);

impl Rounds {
    /// Begins a round and gives its number, from 0.
    pub fn begin(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

impl<E: Executor> Schedule<'_, E> {
    /// Takes every sample of the plan that is not finished, and writes each to the journal at once.
    ///
    /// # Errors
    /// A mistake in a setting, a journal that cannot be written, or [`Interrupted`]; what was finished is kept.
    pub fn run(&self, plan: &Plan, journal: &mut Journal) -> Result<()> {
        for stage in &plan.stages {
            let journal = Mutex::new(&mut *journal);
            let hopeless = Hopeless::new(stage, self.finished);
            match stage.mode {
                Mode::Isolated => self.isolated(stage, &journal, &hopeless)?,
                Mode::Contended => self.contended(stage, &journal, &hopeless)?,
            }
        }
        journal.look()
    }

    /// One sample at a time, in rounds over all cells, each round in a random order of its own.
    fn isolated(
        &self,
        stage: &Stage,
        journal: &Mutex<&mut Journal>,
        hopeless: &Hopeless,
    ) -> Result<()> {
        let questions = questions(stage);
        let mut bench = Bench::new(self, stage, &questions, journal, hopeless);
        let mut random = Random::new("schedule", self.seed);
        for repeat in 0..stage.repeats {
            let turn = Turn::first(repeat, Some(self.rounds.begin()));
            for at in order(stage, &mut random) {
                let cell = &stage.cells[at];
                if !self.is_finished(stage, cell, repeat) {
                    bench.take(at, turn, self.is_unfinished_after(stage, cell, repeat))?;
                }
            }
        }
        Ok(())
    }

    /// All workers busy, each with a cell and all its repeats. Workers are plain threads: one of a thread pool could
    /// take up another cell while the solver in it waits for a pool of its own.
    fn contended(
        &self,
        stage: &Stage,
        journal: &Mutex<&mut Journal>,
        hopeless: &Hopeless,
    ) -> Result<()> {
        let order = order(stage, &mut Random::new("schedule", self.seed));
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let failure = Mutex::new(None);
        let work = &|| {
            let line = self.progress.line();
            while !stop.load(Ordering::Relaxed) {
                let Some(at) = order.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                let cell = &stage.cells[*at];
                self.progress.tell(&line, stage, cell);
                if let Err(error) = self.all_repeats(stage, cell, journal, hopeless) {
                    stop.store(true, Ordering::Relaxed);
                    if let Ok(mut failure) = failure.lock() {
                        failure.get_or_insert(error);
                    }
                }
            }
            line.finish_and_clear();
        };
        std::thread::scope(|scope| {
            for number in 0..workers(self.jobs, order.len()) {
                let thread = std::thread::Builder::new().name(format!("cells-{number}"));
                let started = thread.spawn_scoped(scope, work);
                // With one thread less the run takes longer; without any it is over.
                if number == 0 {
                    started.context("no thread can be started")?;
                }
            }
            anyhow::Ok(())
        })?;
        match failure.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => Ok(()),
        }
    }

    fn all_repeats(
        &self,
        stage: &Stage,
        cell: &Cell,
        journal: &Mutex<&mut Journal>,
        hopeless: &Hopeless,
    ) -> Result<()> {
        let question = ask(cell);
        let mut kept = None;
        for repeat in 0..stage.repeats {
            if !self.is_finished(stage, cell, repeat) {
                let mine = (&question, &mut kept);
                let turn = Turn::first(repeat, None);
                let (_, record) = self.measure((stage, cell), turn, mine, hopeless)?;
                self.keep(&record, journal)?;
            }
        }
        Ok(())
    }

    fn is_finished(&self, stage: &Stage, cell: &Cell, repeat: u32) -> bool {
        !self.finished.is_empty()
            && self
                .finished
                .contains_key(&(stage.experiment.clone(), cell.sample(repeat).to_string()))
    }

    /// Whether a later repeat of the cell is still to be taken.
    fn is_unfinished_after(&self, stage: &Stage, cell: &Cell, repeat: u32) -> bool {
        (repeat + 1..stage.repeats).any(|repeat| !self.is_finished(stage, cell, repeat))
    }

    /// Refuses to go on once the run should stop.
    fn check_stop(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Interrupted.into());
        }
        Ok(())
    }

    /// Takes one sample; [`keep`](Self::keep) writes what it gives back.
    pub(crate) fn measure<'p, 'q>(
        &self,
        (stage, cell): (&'p Stage, &'p Cell),
        turn: Turn,
        (question, kept): (&'q Question, &mut Option<E::Prepared<'q>>),
        hopeless: &Hopeless,
    ) -> Result<(Outcome, Record<'p>)> {
        self.check_stop()?;
        let started = SystemTime::now();
        let sample = match (question, hopeless.why(cell)) {
            (_, Some(why)) => Sample::failed(Outcome::Skipped, why),
            (Err(why), None) => Sample::failed(Outcome::Skipped, why.clone()),
            (Ok(question), None) => self.executor.sample(stage, cell, question.as_ref(), kept)?,
        };
        let outcome = sample.outcome;
        if outcome != Outcome::Solved {
            // Only an answer was not cut short for certain.
            self.check_stop()?;
        }
        hopeless.note(cell, outcome);
        if outcome == Outcome::Timeout {
            *kept = None;
        }
        let record = Record {
            session: self.session,
            ..record(stage, cell, turn, started, sample)
        };
        Ok((outcome, record))
    }

    /// Writes a sample to the journal.
    pub(crate) fn keep(&self, record: &Record, journal: &Mutex<&mut Journal>) -> Result<()> {
        journal
            .lock()
            .map_err(|_| anyhow!("another worker failed"))?
            .append(record)?;
        self.progress.advance();
        Ok(())
    }
}

/// How many worker threads take `cells` cells if `jobs` are asked for.
fn workers(jobs: usize, cells: usize) -> usize {
    jobs.max(1).min(cells).min(MOST_JOBS)
}

/// Which sample of a cell is taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// From 0.
    pub repeat: u32,
    /// Above 0 if it stands in for an earlier sample of the same repeat.
    pub attempt: u32,
    /// The round in which it is taken; none in contended mode.
    pub round: Option<u32>,
}

impl Turn {
    /// The first attempt at a repeat.
    pub fn first(repeat: u32, round: Option<u32>) -> Self {
        Self {
            repeat,
            attempt: 0,
            round,
        }
    }
}

/// A cell's instance with its question, or why the instance does not take it.
pub(crate) type Question = Result<Box<dyn AnyInstance>, String>;

fn ask(cell: &Cell) -> Question {
    cell.input
        .base
        .ask(&cell.question)
        .map_err(|error| error.message)
}

pub(crate) fn questions(stage: &Stage) -> Vec<Question> {
    stage.cells.iter().map(ask).collect()
}

/// A random order of the cells; along the column of `hopeless_along`, smaller ones come first.
fn order(stage: &Stage, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..stage.cells.len()).collect();
    random.shuffle(&mut order);
    if let Some(column) = &stage.hopeless_along {
        let along = |at: &usize| stage.cells[*at].along(column).unwrap_or(f64::NEG_INFINITY);
        order.sort_by(|a, b| along(a).total_cmp(&along(b)));
    }
    order
}

fn record<'a>(
    stage: &'a Stage,
    cell: &'a Cell,
    turn: Turn,
    started: SystemTime,
    taken: Sample,
) -> Record<'a> {
    let words = |family, settings: &'a Settings| {
        let settings = settings.iter();
        settings.map(move |(name, value)| (family, name, value.to_string()))
    };
    let settings = words(Family::Setting, &cell.question)
        .chain(words(Family::Method, &cell.method))
        .chain(words(Family::Parameter, &cell.input.parameters));
    let since = started.duration_since(UNIX_EPOCH).unwrap_or_default();
    Record {
        experiment: &stage.experiment,
        sample: cell.again(turn.repeat, turn.attempt).to_string(),
        cell: cell.id.to_string(),
        problem: stage.problem.name(),
        instance: &cell.input.name,
        instance_hash: cell.input.hash.to_string(),
        question: cell.asked.to_string(),
        size: cell.input.size,
        generator: &cell.input.origin,
        seed: cell.input.seed,
        variant: cell.variant.name,
        variant_version: cell.variant.version,
        label: &cell.label,
        mode: stage.mode,
        bound_policy: cell.bound_policy,
        threads: cell.threads,
        repeat: turn.repeat,
        attempt: turn.attempt,
        started_ns: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX),
        canary: None,
        session: 0,
        round: turn.round,
        taken,
        settings: settings.collect(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
