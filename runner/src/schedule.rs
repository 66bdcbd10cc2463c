//! In which order samples are taken, and by whom: one at a time and interleaved, or on all cores.
//!
//! The scheduler knows no clock: an [`Executor`] takes the samples, so a test can put a table of
//! outcomes in its place and look at the order of what ran.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow};
use ikeru_bench_data::Mode;
use ikeru_core::{AnyInstance, Random};
use ikeru_reports::records::Record;

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
            (_, Some(why)) => Sample::skipped(why),
            (Err(why), None) => Sample::skipped(why.clone()),
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
    sample: Sample,
) -> Record<'a> {
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let each = |time: Duration| quotient(time.as_nanos(), sample.iterations);
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
        session: 0,
        round: turn.round,
        extra,
    }
}

/// Nanoseconds of one answer of several, to a thousandth.
fn quotient(nanoseconds: u128, iterations: u64) -> f64 {
    let iterations = u128::from(iterations.max(1));
    if iterations == 1 {
        return nanoseconds as f64;
    }
    ((nanoseconds * 1000 + iterations / 2) / iterations) as f64 / 1000.0
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::{Path, PathBuf};

    use anyhow::bail;
    use ikeru_bench_data::Experiment;

    use super::*;
    use crate::plan::Choice;

    /// Writes down what ran; everything from `too_large` steps on times out.
    pub struct Mock {
        pub ran: Mutex<Vec<(String, i64)>>,
        pub too_large: i64,
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

    pub fn plan(run: &str) -> Plan {
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

    /// A stop that never comes.
    pub static NEVER: AtomicBool = AtomicBool::new(false);

    /// Carries the plan out with `jobs` threads.
    fn carry_out(
        plan: &Plan,
        folder: &Path,
        executor: &impl Executor,
        (jobs, seed, stop): (usize, u64, &AtomicBool),
    ) -> Result<()> {
        let records = folder.join("records.csv");
        let (mut journal, finished) =
            Journal::resume(&records, plan.columns.clone()).expect("a writable folder");
        let progress = Progress::hidden();
        let schedule = Schedule {
            executor,
            finished: &finished,
            jobs,
            session: 3,
            seed,
            rounds: Rounds::default(),
            stop,
            progress: &progress,
        };
        schedule.run(plan, &mut journal)
    }

    pub fn run(plan: &Plan, folder: &Path, too_large: i64, seed: u64) -> Vec<(String, i64)> {
        let mock = Mock {
            ran: Mutex::new(Vec::new()),
            too_large,
        };
        carry_out(plan, folder, &mock, (2, seed, &NEVER)).expect("a run");
        mock.ran.into_inner().expect("one test")
    }

    /// The fields of one column.
    pub fn fields(folder: &Path, name: &str) -> Vec<String> {
        let mut reader = csv::Reader::from_path(folder.join("records.csv")).expect("a journal");
        let header = reader.headers().expect("a header");
        let place = header.iter().position(|column| column == name);
        let place = place.expect("a column of that name");
        let rows = reader.records().map(|row| row.expect("a row"));
        rows.map(|row| row[place].to_owned()).collect()
    }

    /// Counts the threads that it runs on, and looks whether one belongs to a thread pool.
    #[derive(Default)]
    struct OnThreads {
        threads: Mutex<std::collections::HashSet<std::thread::ThreadId>>,
        of_a_pool: AtomicBool,
    }

    impl Executor for OnThreads {
        type Prepared<'a> = ();

        fn sample(
            &self,
            _: &Stage,
            _: &Cell,
            _: &dyn AnyInstance,
            _: &mut Option<()>,
        ) -> Result<Sample> {
            let thread = std::thread::current().id();
            self.threads.lock().expect("one test").insert(thread);
            let in_pool = rayon::current_thread_index().is_some();
            self.of_a_pool.fetch_or(in_pool, Ordering::Relaxed);
            Ok(Sample::default())
        }
    }

    #[test]
    fn contended_cells_run_on_plain_threads_and_no_more_than_there_are_cells() {
        let folder = tempfile::tempdir().expect("a folder");
        let plan = plan("repeats = 2, mode = \"contended\"");
        let executor = OnThreads::default();
        let cells = plan.stages[0].cells.len();
        carry_out(&plan, folder.path(), &executor, (1_000_000, 1, &NEVER)).expect("a run");
        let threads = executor.threads.into_inner().expect("one test").len();
        assert!(
            (1..=cells).contains(&threads),
            "{threads} for {cells} cells"
        );
        assert!(!executor.of_a_pool.into_inner());
        assert_eq!(rows(folder.path()), 2 * cells);
    }

    #[test]
    fn no_more_threads_are_started_than_are_of_use() {
        assert_eq!(workers(100_000, 72), 72);
        assert_eq!(workers(100_000, 1_000_000), MOST_JOBS);
        assert_eq!((workers(0, 5), workers(3, 5), workers(3, 0)), (1, 3, 0));
    }

    #[test]
    fn rows_name_their_session_and_round() {
        let folder = tempfile::tempdir().expect("a folder");
        run(&plan("repeats = 2"), folder.path(), 99, 1);
        let mut rounds = fields(folder.path(), "round");
        assert_eq!(rounds[..12], vec!["0"; 12]);
        assert_eq!(rounds.split_off(12), vec!["1"; 12]);
        assert_eq!(fields(folder.path(), "session"), vec!["3"; 24]);
        let contended = tempfile::tempdir().expect("a folder");
        let plan = plan("repeats = 1, mode = \"contended\"");
        run(&plan, contended.path(), 99, 1);
        assert_eq!(fields(contended.path(), "round"), vec![""; 12]);
    }

    /// Solves as long as `left` lasts; then asks for a stop and ends as `last`.
    struct Stopping<'a> {
        left: AtomicUsize,
        stop: &'a AtomicBool,
        last: Outcome,
    }

    impl Executor for Stopping<'_> {
        type Prepared<'a> = ();

        fn sample(
            &self,
            _: &Stage,
            _: &Cell,
            _: &dyn AnyInstance,
            _: &mut Option<()>,
        ) -> Result<Sample> {
            let is_last = self.left.fetch_sub(1, Ordering::Relaxed) == 1;
            self.stop.fetch_or(is_last, Ordering::Relaxed);
            let outcome = if is_last { self.last } else { Outcome::Solved };
            Ok(Sample {
                outcome,
                ..Sample::default()
            })
        }
    }

    #[test]
    fn a_stop_keeps_what_is_solved_and_drops_what_may_be_cut_short() {
        for mode in ["isolated", "contended"] {
            for (last, kept) in [
                (Outcome::Solved, 5),
                (Outcome::Timeout, 4),
                (Outcome::Crashed, 4),
            ] {
                let folder = tempfile::tempdir().expect("a folder");
                let plan = plan(&format!("repeats = 1, mode = \"{mode}\""));
                let stop = AtomicBool::new(false);
                let executor = Stopping {
                    left: AtomicUsize::new(5),
                    stop: &stop,
                    last,
                };
                let ended = carry_out(&plan, folder.path(), &executor, (1, 1, &stop));
                let error = ended.expect_err("it was asked to stop");
                assert!(error.is::<Interrupted>(), "{error}");
                assert_eq!(rows(folder.path()), kept, "{mode} {last:?}");
                // What is missing runs in the next session, and nothing else.
                assert_eq!(run(&plan, folder.path(), 99, 1).len(), 12 - kept);
            }
        }
    }

    #[test]
    fn times_of_one_answer_are_exact_to_a_thousandth() {
        assert_eq!(quotient(2_000_000, 26_214), 76.295);
        assert_eq!(quotient(1_500, 1_000), 1.5);
        assert_eq!((quotient(7, 1), quotient(7, 0)), (7.0, 7.0));
        let year = 365 * 24 * 3600 * 1_000_000_000;
        assert_eq!(quotient(year, 1), year as f64);
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
