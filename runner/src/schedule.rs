//! In which order samples are taken, and by whom: one at a time and interleaved, or on all cores.
//!
//! The scheduler knows no clock: an [`Executor`] takes the samples, so a test can put a table of
//! outcomes in its place and look at the order of what ran.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow};
use ikeru_bench_data::Mode;
use ikeru_core::{AnyInstance, Random};
use ikeru_reports::records::Record;

use crate::execute::{Executor, Outcome, Sample};
use crate::hopeless::Hopeless;
use crate::isolated::Bench;
use crate::journal::{Finished, Journal};
use crate::plan::{Cell, Plan, Stage};
use crate::progress::Progress;

/// Solvers of larger instances are prepared again for each sample rather than kept between them.
const KEPT_SIZE: u64 = 20_000;

/// How a plan is carried out.
pub struct Schedule<'a, E> {
    /// Takes the samples.
    pub executor: &'a E,
    /// What an earlier run finished.
    pub finished: &'a Finished,
    /// Worker threads in contended mode.
    pub jobs: usize,
    /// Seed of the order.
    pub seed: u64,
    /// What the person sees.
    pub progress: &'a Progress,
}

impl<E: Executor> Schedule<'_, E> {
    /// Takes every sample of the plan that is not finished, and writes each to the journal at once.
    ///
    /// # Errors
    /// A mistake in a setting, or a journal that cannot be written; what was finished is kept.
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
            for at in order(stage, &mut random) {
                if !self.is_finished(stage, &stage.cells[at], repeat) {
                    bench.take(at, Turn::first(repeat))?;
                }
            }
        }
        Ok(())
    }

    /// All workers busy, each with a cell and all its repeats.
    fn contended(
        &self,
        stage: &Stage,
        journal: &Mutex<&mut Journal>,
        hopeless: &Hopeless,
    ) -> Result<()> {
        let order = order(stage, &mut Random::new("schedule", self.seed));
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let failure = Mutex::new(None);
        let work = || {
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
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs.max(1))
            .build()?;
        pool.scope(|scope| (0..self.jobs.max(1)).for_each(|_| scope.spawn(|_| work())));
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
                let (_, record) =
                    self.measure((stage, cell), Turn::first(repeat), mine, hopeless)?;
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

    /// Takes one sample; [`keep`](Self::keep) writes what it gives back.
    pub(crate) fn measure<'p, 'q>(
        &self,
        (stage, cell): (&'p Stage, &'p Cell),
        turn: Turn,
        (question, kept): (&'q Question, &mut Option<E::Prepared<'q>>),
        hopeless: &Hopeless,
    ) -> Result<(Outcome, Record<'p>)> {
        let started = SystemTime::now();
        let sample = match (question, hopeless.why(cell)) {
            (_, Some(why)) => Sample::skipped(why),
            (Err(why), None) => Sample::skipped(why.clone()),
            (Ok(question), None) => self.executor.sample(stage, cell, question.as_ref(), kept)?,
        };
        let outcome = sample.outcome;
        hopeless.note(cell, outcome);
        if cell.input.size > KEPT_SIZE || outcome == Outcome::Timeout {
            *kept = None;
        }
        Ok((outcome, record(stage, cell, turn, started, sample)))
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

/// Which sample of a cell is taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// From 0.
    pub repeat: u32,
    /// Above 0 if it stands in for an earlier sample of the same repeat.
    pub attempt: u32,
}

impl Turn {
    /// The first attempt at a repeat.
    pub fn first(repeat: u32) -> Self {
        Self { repeat, attempt: 0 }
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
    sample: Sample,
) -> Record<'a> {
    let nanoseconds =
        |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let iterations = sample.iterations.max(1);
    let each = |time: std::time::Duration| (nanoseconds(time) + iterations / 2) / iterations;
    let settings = cell.question.iter().chain(cell.method.iter());
    let settings = settings.map(|(name, value)| ("setting_", name, value.to_string()));
    let parameters = cell.input.parameters.iter();
    let parameters = parameters.map(|(name, value)| ("param_", name, value.to_string()));
    let counters = sample.counters.iter();
    let counters = counters.map(|(name, value)| ("counter_", *name, value.to_string()));
    let measures = sample.measures.iter();
    let measures = measures.map(|(name, value)| ("measure_", *name, value.to_string()));
    let extra = settings.chain(parameters).chain(counters).chain(measures);
    let extra = extra.collect();
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
        exact: sample.proven,
        repeat: turn.repeat,
        attempt: turn.attempt,
        mode: stage.mode.name(),
        bound_policy: cell.bound_policy.name(),
        threads: cell.threads,
        outcome: sample.outcome.name(),
        detail: sample.detail,
        score: sample.score,
        claimed: sample.claimed,
        bound: sample.bound,
        wall_ns: sample.batch.map(each),
        cpu_ns: sample.cpu.map(each),
        batch_ns: sample.batch.map(nanoseconds),
        iterations: sample.iterations,
        prepare_ns: sample.prepare.map(nanoseconds),
        table_bytes: sample.table_bytes,
        started_ns: started.duration_since(UNIX_EPOCH).map_or(0, nanoseconds),
        canary: None,
        extra,
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use anyhow::bail;
    use ikeru_bench_data::Experiment;

    use super::*;
    use crate::plan::Choice;

    /// Writes down what ran; everything from `too_large` steps on times out.
    struct Mock {
        ran: Mutex<Vec<(String, i64)>>,
        too_large: i64,
    }

    impl Executor for Mock {
        type Prepared<'a> = ();

        fn sample(
            &self,
            _stage: &Stage,
            cell: &Cell,
            _question: &dyn AnyInstance,
            _kept: &mut Option<()>,
        ) -> Result<Sample> {
            let steps = cell
                .along("setting_steps")
                .expect("the experiment sets steps") as i64;
            self.ran
                .lock()
                .expect("one test")
                .push((cell.label.clone(), steps));
            let outcome = if steps >= self.too_large {
                Outcome::Timeout
            } else {
                Outcome::Solved
            };
            Ok(Sample {
                outcome,
                iterations: 1,
                ..Sample::default()
            })
        }
    }

    fn plan(run: &str) -> Plan {
        let text = format!(
            r#"
            name = "test"
            title = "t"
            about = "a"
            problem = "reach"
            variants = ["memo", "memo-flat"]
            instances = [{{ generator = "reach.spanning-grid", set = {{ width = 4 }} }}]
            settings = {{ steps = {{ from = 1, to = 6 }} }}
            run = {{ {run} }}
            "#
        );
        plan_of(&text)
    }

    fn plan_of(text: &str) -> Plan {
        let experiment = Experiment::read("test.toml", text).expect("a good experiment");
        let problem = ikeru_core::erase::<ikeru_reach::Reach>();
        Plan::new(
            &[(experiment, PathBuf::new())],
            &Choice::default(),
            &|_| Ok(problem),
            &|_, _| bail!("no files in this test"),
        )
        .expect("a good plan")
    }

    fn run(plan: &Plan, folder: &Path, too_large: i64, seed: u64) -> Vec<(String, i64)> {
        let records = folder.join("records.csv");
        let (mut journal, finished) =
            Journal::resume(&records, plan.columns.clone()).expect("a writable folder");
        let mock = Mock {
            ran: Mutex::new(Vec::new()),
            too_large,
        };
        let progress = Progress::hidden();
        Schedule {
            executor: &mock,
            finished: &finished,
            jobs: 2,
            seed,
            progress: &progress,
        }
        .run(plan, &mut journal)
        .expect("a run");
        mock.ran.into_inner().expect("one test")
    }

    fn rows(folder: &Path) -> usize {
        let text = std::fs::read_to_string(folder.join("records.csv")).expect("written");
        text.lines().count() - 1
    }

    #[test]
    fn each_round_has_every_cell_once_in_an_order_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let ran = run(&plan("repeats = 3"), folder.path(), 99, 1);
        let rounds: Vec<&[(String, i64)]> = ran.chunks(12).collect();
        assert_eq!((rounds.len(), rows(folder.path())), (3, 36));
        let sorted = |round: &[(String, i64)]| {
            let mut round = round.to_vec();
            round.sort();
            round
        };
        assert_eq!(sorted(rounds[0]), sorted(rounds[1]));
        assert_ne!(rounds[0], rounds[1]);
        let again = tempfile::tempdir().expect("a folder");
        assert_eq!(
            run(&plan("repeats = 3"), again.path(), 99, 1),
            ran,
            "the seed decides"
        );
    }

    #[test]
    fn what_is_finished_does_not_run_again() {
        for mode in ["isolated", "contended"] {
            let folder = tempfile::tempdir().expect("a folder");
            let plan = plan(&format!("repeats = 2, mode = \"{mode}\""));
            assert_eq!(run(&plan, folder.path(), 99, 1).len(), 24);
            let records = folder.path().join("records.csv");
            let text = std::fs::read_to_string(&records).expect("written");
            let kept: Vec<&str> = text.split_inclusive('\n').take(10).collect();
            // The tenth line is torn, as by a kill.
            let torn = &kept.concat()[..kept.concat().len() - 7];
            std::fs::write(&records, torn).expect("writable");
            assert_eq!(run(&plan, folder.path(), 99, 2).len(), 24 - 8, "{mode}");
            assert_eq!(rows(folder.path()), 24, "{mode}");
        }
    }

    #[test]
    fn larger_ones_are_skipped_after_a_timeout_also_when_resumed() {
        let folder = tempfile::tempdir().expect("a folder");
        let plan = plan("repeats = 1, hopeless_along = \"setting_steps\"");
        let ran = run(&plan, folder.path(), 4, 1);
        assert_eq!(ran.iter().map(|(_, steps)| *steps).max(), Some(4));
        assert_eq!((ran.len(), rows(folder.path())), (8, 12));
        assert!(run(&plan, folder.path(), 4, 1).is_empty());
    }

    #[test]
    fn a_family_is_hopeless_alone_and_by_all_its_parameters() {
        let text = r#"
            name = "test"
            title = "t"
            about = "a"
            problem = "reach"
            variants = ["memo", "memo-flat"]
            instances = [{ generator = "reach.spanning-grid", set = { width = [3, 4, 5], player_count = [1, 2] } }]
            run = { repeats = 1, hopeless_along = "COLUMN" }
            "#;
        for column in ["size", "param_width"] {
            let plan = plan_of(&text.replace("COLUMN", column));
            let stage = &plan.stages[0];
            let hopeless = Hopeless::new(stage, &Finished::new());
            let cell = |variant: &str, width: &str, players: &str| {
                let is = |cell: &&Cell, name: &str, value: &str| {
                    cell.input
                        .parameters
                        .get(name)
                        .map(ToString::to_string)
                        .as_deref()
                        == Some(value)
                };
                let mut cells = stage
                    .cells
                    .iter()
                    .filter(|cell| cell.variant.name == variant);
                cells
                    .find(|cell| is(cell, "width", width) && is(cell, "player_count", players))
                    .expect("in the plan")
            };
            for (outcome, hopeless_now) in [(Outcome::Crashed, false), (Outcome::OutOfMemory, true)]
            {
                hopeless.note(cell("memo", "4", "2"), outcome);
                assert_eq!(
                    hopeless.why(cell("memo", "5", "2")).is_some(),
                    hopeless_now,
                    "{column}"
                );
                for other in [
                    ("memo", "4", "2"),
                    ("memo", "3", "2"),
                    ("memo", "5", "1"),
                    ("memo-flat", "5", "2"),
                ] {
                    let other = cell(other.0, other.1, other.2);
                    assert_eq!(hopeless.why(other), None, "{column}");
                }
            }
        }
    }
}
