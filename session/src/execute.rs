//! Taking one sample: prepare, warm up, time a batch of answers, call the referee.
//!
//! [`Executor`] is the interface. [`InProcess`] runs trusted kernels in this process. [`ChildProcess`] runs any
//! variant in a separate process with hard limits. [`PerStage`] chooses between the two for each stage. Tests use an
//! executor with fixed outcomes.
//!
//! | module | owns |
//! |---|---|
//! | [`child`] | the parent's side of a child process: limits, its end, the outcome |
//! | [`worker`] | the child's side |
//! | [`confinement`] | the processes that end together with a child process |
//! | `cpu_times` | the CPU time of a cell, by the clocks that can report it |
//! | [`foreign`] | foreign solvers: a command in place of a variant, in a child process |
//! | [`lines`] | the lines that a process writes, and the end of its standard error |
//! | `memory` | the check for solvers that remember answers or leave work to their end |
//! | [`message`] | the messages between the two |
//! | [`modelled`] | searches over ranks that exist only in an event model |

pub mod child;
pub mod confinement;
mod cpu_times;
pub mod foreign;
pub mod lines;
mod memory;
pub mod message;
pub mod modelled;
pub mod worker;

use std::any::Any;
use std::cell::RefCell;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use ikeru_bench_data::Mode;
use ikeru_core::{
    AnyInstance, AnyProblem, AnySolver, BoundPolicy, Deadline, Ended, Failure, Incumbent, Refusal,
    Rejection, Search, Settings, Team,
};
use serde::{Deserialize, Serialize};

pub use ikeru_reports::records::{Outcome, Sample};

pub use self::child::{ChildProcess, PerStage};
use self::cpu_times::CpuTimes;
use self::foreign::{Call, Process};
use self::memory::FirstAnswer;
use crate::plan::{Cell, Stage};
use crate::system;
use crate::{interrupt, output};

/// Takes samples.
pub trait Executor: Sync {
    /// The state kept between two samples of one cell.
    type Prepared<'a>: Send;

    /// Takes one sample of `cell`; `question` is its instance with its question. `kept` holds the preparation of an
    /// earlier sample, and receives that of this one.
    ///
    /// # Errors
    /// A setting of the method that does not fit: an input error, not a result.
    fn sample<'a>(
        &self,
        stage: &Stage,
        cell: &Cell,
        question: &'a dyn AnyInstance,
        kept: &mut Option<Self::Prepared<'a>>,
    ) -> Result<Sample>;
}

/// Runs variants in this process: for trusted kernels.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcess;

/// A solver with the time of its preparation and the number of answers in its last sample.
pub struct Prepared<'a> {
    /// The solver, with its last answer.
    pub solver: Box<dyn AnySolver + 'a>,
    /// The certificate of the last answer, if the task asked for one and the variant wrote one.
    pub certificate: Option<String>,
    took: Duration,
    iterations: u64,
    /// The first answer after the preparation.
    first: Option<FirstAnswer>,
    /// True if fresh solvers were compared with this one.
    is_known: bool,
    /// True if the next sample needs a new preparation: the first answer was wrong, or the process failed.
    is_spent: bool,
    /// The CPU time of the first answer, if fresh solvers in this process seem to remember it.
    outlived: Option<Duration>,
}

impl<'a> Prepared<'a> {
    fn of(solver: Box<dyn AnySolver + 'a>, took: Duration) -> Self {
        Self {
            solver,
            certificate: None,
            took,
            iterations: 1,
            first: None,
            is_known: false,
            is_spent: false,
            outlived: None,
        }
    }
}

impl Executor for InProcess {
    type Prepared<'a> = Prepared<'a>;

    fn sample<'a>(
        &self,
        stage: &Stage,
        cell: &Cell,
        question: &'a dyn AnyInstance,
        kept: &mut Option<Prepared<'a>>,
    ) -> Result<Sample> {
        let watch = Watch {
            incumbent: &incumbent(stage.problem, stage.anytime),
            begins: &|_| (),
            stop: interrupt::flag(),
            team: None,
        };
        Task::of(stage, cell).sample_here(question, kept, &watch)
    }
}

thread_local! {
    /// The variant of the sample that this thread takes. A thread that ends the program drops its values first.
    static SAMPLED: Sampled = const { Sampled(RefCell::new(None)) };
}

struct Sampled(RefCell<Option<String>>);

impl Drop for Sampled {
    fn drop(&mut self) {
        if let Some(variant) = self.0.take() {
            output::tell(&format!(
                "error: the variant {variant} ended the program; with --isolate it ends a process of its own"
            ));
            system::exit_at_once(output::BAD_INPUT);
        }
    }
}

/// An incumbent without a score; with a log of its rises if `anytime` is set.
pub(crate) fn incumbent(problem: &dyn AnyProblem, anytime: bool) -> Incumbent {
    match anytime {
        true => Incumbent::logged(problem.direction()),
        false => Incumbent::new(problem.direction()),
    }
}

/// The properties of a stage and a cell that decide how a sample is taken.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Task {
    /// The variant's name.
    pub variant: String,
    /// Settings of the method.
    pub method: Settings,
    /// The policy by which parallel workers share their best score.
    pub bound_policy: BoundPolicy,
    /// At least 1.
    pub threads: u32,
    /// The mode in which samples share the machine.
    pub mode: Mode,
    /// Time limit of one answer.
    pub limit: Duration,
    /// The shortest sample.
    pub sample: Duration,
    /// Warm-up of a freshly prepared solver.
    pub warm_up: Duration,
    /// True if the variant writes a certificate for a proven answer.
    #[serde(skip)]
    pub certify: bool,
    /// The foreign solver that answers in place of a variant.
    pub foreign: Option<Call>,
    /// The part by which each answer is slowed down on purpose: 0.02 for 2 %.
    #[serde(default)]
    pub planted: f64,
}

/// The parts of a sample that have separate time limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// The process starts and reads its instance.
    Starting,
    /// The work that is done once per instance.
    Preparing,
    /// Warm-up and answers.
    Answering,
    /// The referee checks the answer.
    Refereeing,
}

/// The connections between a sample and its observer while it is taken.
pub struct Watch<'a> {
    /// Receives the score of the variant's best answer.
    pub incumbent: &'a Incumbent,
    /// Called when a part begins.
    pub begins: &'a dyn Fn(Phase),
    /// Set when the sample should end early.
    pub stop: &'a AtomicBool,
    /// The processes that search together.
    pub team: Option<&'a dyn Team>,
}

impl Task {
    /// The task of `cell` of `stage`.
    pub fn of(stage: &Stage, cell: &Cell) -> Self {
        // A process that answers once is one sample; a warm-up would have no effect on it.
        let once = cell.solver.answers_once();
        let unless_once = |time| if once { Duration::ZERO } else { time };
        Self {
            variant: cell.solver.name().to_owned(),
            method: cell.method.clone(),
            bound_policy: cell.bound_policy,
            threads: cell.threads,
            mode: stage.mode,
            limit: stage.limit,
            sample: unless_once(stage.sample),
            warm_up: unless_once(stage.warm_up),
            certify: false,
            foreign: None,
            planted: cell.planted,
        }
    }

    /// Returns whether the solver is a process that ends after its answer.
    pub fn answers_once(&self) -> bool {
        let call = self.foreign.as_ref();
        call.is_some_and(|call| call.program.answers_once())
    }

    /// The solver, after the work that is done once per instance.
    fn prepare<'a>(
        &self,
        question: &'a dyn AnyInstance,
    ) -> Result<Box<dyn AnySolver + 'a>, Refusal> {
        let deadline = Deadline::after(self.limit);
        let Some(call) = &self.foreign else {
            return question.prepare(&self.variant, &self.method, deadline);
        };
        let process = Process::prepare(call.clone(), question, deadline)?;
        Ok(question.answered_by(Box::new(process)))
    }

    /// As [`Task::sample`], in the process of the run: a variant that ends it does so with an error.
    ///
    /// # Errors
    /// The errors of [`Task::sample`].
    pub fn sample_here<'a>(
        &self,
        question: &'a dyn AnyInstance,
        kept: &mut Option<Prepared<'a>>,
        watch: &Watch,
    ) -> Result<Sample> {
        SAMPLED.with(|sampled| sampled.0.replace(Some(self.variant.clone())));
        let sample = self.sample(question, kept, watch);
        SAMPLED.with(|sampled| sampled.0.take());
        sample
    }

    /// Takes one sample in this process; a panic becomes its outcome.
    ///
    /// # Errors
    /// A setting of the method that does not fit: an input error, not a result.
    pub fn sample<'a>(
        &self,
        question: &'a dyn AnyInstance,
        kept: &mut Option<Prepared<'a>>,
        watch: &Watch,
    ) -> Result<Sample> {
        let taken = catch_unwind(AssertUnwindSafe(|| take(self, question, kept, watch)));
        match taken {
            Ok(Ok(sample)) => Ok(sample),
            Ok(Err(Refusal::Skip(why))) => Ok(Sample::failed(Outcome::Skipped, why)),
            Ok(Err(refusal @ Refusal::Timeout)) => {
                Ok(Sample::failed(Outcome::Timeout, refusal.to_string()))
            }
            Ok(Err(Refusal::Input(error))) => Err(anyhow!("variant {}: {error}", self.variant)),
            Err(panic) => {
                *kept = None;
                Ok(Sample::failed(Outcome::Crashed, said(panic.as_ref())))
            }
        }
    }
}

/// The message of a panic.
pub(crate) fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("panicked without a message")
}

fn take<'a>(
    task: &Task,
    question: &'a dyn AnyInstance,
    kept: &mut Option<Prepared<'a>>,
    watch: &Watch,
) -> Result<Sample, Refusal> {
    let mut search = Search {
        bound_policy: task.bound_policy,
        threads: task.threads as usize,
        team: watch.team,
        ..Search::new(watch.incumbent)
    };
    let mut warm = None;
    if kept.as_ref().is_some_and(|prepared| prepared.is_spent) {
        *kept = None;
    }
    let prepared = match kept {
        Some(prepared) => {
            (watch.begins)(Phase::Answering);
            prepared
        }
        None => {
            (watch.begins)(Phase::Preparing);
            let started = Instant::now();
            let solver = task.prepare(question)?;
            let took = started.elapsed();
            let prepared = kept.insert(Prepared::of(solver, took));
            (watch.begins)(Phase::Answering);
            if !task.sample.is_zero() {
                let first = batch(task, prepared, &mut search, (1, watch));
                let is_long = first.0 >= task.warm_up * 10 && first.0 >= task.sample;
                if is_long || prepared.solver.ended() != Some(Ended::Solved) {
                    warm = Some(first);
                } else if let Some(refused) = first_refused(task, prepared, first, watch) {
                    prepared.is_spent = true;
                    return Ok(refused);
                } else {
                    warm = warm_up(task, prepared, &mut search, (first.0, watch));
                }
            }
            prepared
        }
    };
    let is_batch = warm.is_none();
    let (batch, cpu) = match warm {
        Some(first) => first,
        None => fill(task, prepared, &mut search, watch),
    };
    let core = system::this_core();
    let rises = watch.incumbent.rises();
    let best = watch.incumbent.best();
    let iterations = prepared.iterations;
    let mut doubt = None;
    let solved = prepared.solver.ended() == Some(Ended::Solved);
    if is_batch && iterations > 1 && solved && !task.certify {
        let each = batch / u32::try_from(iterations).unwrap_or(u32::MAX);
        let last = (each, memory::counted(&search));
        // A check that fails raises no doubt.
        doubt = memory::doubt(task, question, prepared, last, watch).unwrap_or(None);
    }
    (watch.begins)(Phase::Refereeing);
    let patience = Deadline::after(referee_limit(task.limit));
    let mut sample = judge(prepared.solver.as_ref(), patience);
    if task.foreign.is_some() && sample.score.is_none() {
        sample.claimed = best;
    }
    sample.batch = Some(batch);
    // A foreign solver works in other processes, whose time is not known here.
    sample.cpu = cpu.filter(|_| task.foreign.is_none());
    sample.core = core;
    sample.rises = rises;
    sample.iterations = prepared.iterations;
    sample.prepare = Some(prepared.took);
    let counters = search.counters.iter();
    sample.counters = counters.map(|(name, value)| (name.into(), value)).collect();
    // The process of a foreign solver that failed has ended.
    prepared.is_spent = task.foreign.is_some() && sample.outcome != Outcome::Solved;
    if sample.outcome == Outcome::Solved && memory::tell(doubt, &mut sample, task) {
        // The next sample is a first answer again.
        *kept = None;
    }
    Ok(sample)
}

/// The sample of a first answer that the referee does not confirm. The answers of a batch are not checked one by one;
/// only the first answer after the preparation and the last one are.
fn first_refused(
    task: &Task,
    prepared: &Prepared,
    (batch, cpu): Times,
    watch: &Watch,
) -> Option<Sample> {
    (watch.begins)(Phase::Refereeing);
    let checked = judge(
        prepared.solver.as_ref(),
        Deadline::after(referee_limit(task.limit)),
    );
    (watch.begins)(Phase::Answering);
    (checked.outcome == Outcome::Wrong).then(|| Sample {
        batch: Some(batch),
        cpu: cpu.filter(|_| task.foreign.is_none()),
        iterations: 1,
        prepare: Some(prepared.took),
        ..checked
    })
}

type Times = (Duration, Option<Duration>);

/// Answers until `warm_up` is over, of which the first answer took `first`, and estimates from that how many answers a
/// sample needs. An answer that is not solved is the sample itself.
fn warm_up<'a>(
    task: &Task,
    prepared: &mut Prepared,
    search: &mut Search<'a>,
    (first, watch): (Duration, &Watch<'a>),
) -> Option<Times> {
    let (mut answers, mut took) = (1, first);
    while took < task.warm_up {
        let started = Instant::now();
        let times = batch(task, prepared, search, (1, watch));
        if prepared.solver.ended() != Some(Ended::Solved) {
            return Some(times);
        }
        answers += 1;
        took += started.elapsed();
    }
    prepared.iterations = enough(task.sample, (answers, took));
    None
}

/// The number of answers that would last 1.2 times `sample`, estimated from `answers` that took `took`. The margin
/// makes batches that are too short rare.
fn enough(sample: Duration, (answers, took): (u64, Duration)) -> u64 {
    let ratio = 1.2 * sample.as_secs_f64() / took.as_secs_f64().max(1e-9);
    ((answers as f64 * ratio).ceil() as u64).clamp(1, MOST_ANSWERS)
}

/// The maximum number of answers in a batch.
const MOST_ANSWERS: u64 = 1 << 40;

/// The maximum number of repetitions of a batch that was stopped although a single answer keeps the limit.
const DISTURBED: u32 = 3;

/// Enlarges the batch until it lasts at least `sample`.
fn fill<'a>(
    task: &Task,
    prepared: &mut Prepared,
    search: &mut Search<'a>,
    watch: &Watch<'a>,
) -> Times {
    let mut disturbed = 0;
    loop {
        let iterations = prepared.iterations;
        let times = batch(task, prepared, search, (iterations, watch));
        let solved = prepared.solver.ended() == Some(Ended::Solved);
        let most = task
            .limit
            .saturating_mul(u32::try_from(iterations).unwrap_or(u32::MAX));
        let is_within = times.0 <= most;
        if iterations > 1 && !(solved && is_within) && task.foreign.is_none() {
            // The limit is for one answer: is it the answer that takes so long, or was the batch disturbed?
            prepared.iterations = 1;
            (watch.begins)(Phase::Answering);
            let single = batch(task, prepared, search, (1, watch));
            disturbed += 1;
            let is_solved = prepared.solver.ended() == Some(Ended::Solved);
            if !is_solved || disturbed > DISTURBED || watch.stop.load(Ordering::Relaxed) {
                return single;
            }
            prepared.iterations = enough(task.sample, (1, single.0));
            (watch.begins)(Phase::Answering);
            continue;
        }
        if !solved || times.0 >= task.sample || iterations >= MOST_ANSWERS {
            return times;
        }
        prepared.iterations = enough(task.sample, (iterations, times.0)).max(iterations + 1);
    }
}

/// Asks `iterations` times. The limit is for one answer, but reading the clock for each answer would cost as much as
/// a short answer. A batch therefore has a single deadline: the limit plus its planned length. A foreign solver keeps
/// the limit itself; its batch ends at the first question without an answer, and only the time of this question is
/// returned.
fn batch<'a>(
    task: &Task,
    prepared: &mut Prepared,
    search: &mut Search<'a>,
    (iterations, watch): (u64, &Watch<'a>),
) -> Times {
    let planned = if iterations > 1 {
        task.sample * 3
    } else {
        Duration::ZERO
    };
    let used = CpuTimes::begin(task.mode, task.threads);
    let mut started = Instant::now();
    search.deadline = Deadline::after(task.limit.saturating_add(planned)).or_stop(watch.stop);
    for _ in 0..iterations {
        let began = task.foreign.is_some().then(Instant::now);
        search.incumbent.reset();
        search.counters.clear();
        match task.certify {
            true => prepared.certificate = prepared.solver.certify(search),
            false => prepared.solver.solve(search),
        }
        black_box(&prepared.solver);
        if let Some(began) = began
            && prepared.solver.ended() != Some(Ended::Solved)
        {
            (started, prepared.iterations) = (began, 1);
            break;
        }
    }
    let mut elapsed = started.elapsed();
    if task.planted > 0.0 {
        let end = elapsed.mul_f64(1.0 + task.planted);
        while elapsed < end {
            elapsed = started.elapsed();
        }
    }
    let times = (elapsed, used.work(elapsed));
    if prepared.first.is_none() && prepared.solver.ended() == Some(Ended::Solved) {
        let counters = memory::counted(search);
        prepared.first = Some(FirstAnswer { times, counters });
    }
    times
}

/// The minimum time limit of the referee.
const REFEREE_LIMIT: Duration = Duration::from_secs(60);

/// The time limit of the referee for an answer that was limited to `limit`.
pub fn referee_limit(limit: Duration) -> Duration {
    limit.max(REFEREE_LIMIT)
}

/// The outcome of a sample whose foreign solver gave no answer.
pub fn failed(failure: &Failure) -> Outcome {
    match failure {
        Failure::Crashed(_) => Outcome::Crashed,
        Failure::OutOfMemory(_) => Outcome::OutOfMemory,
        Failure::Wrong(_) => Outcome::Wrong,
        Failure::Skipped(_) => Outcome::Skipped,
    }
}

/// The referee's verdict on the last attempt, within `deadline`.
fn judge(solver: &dyn AnySolver, deadline: Deadline) -> Sample {
    let used = solver.used();
    Sample {
        table_bytes: solver.table_bytes(),
        answer: solver.text_answer(),
        said: solver.last_words(),
        process_cpu: used.cpu,
        peak_bytes: used.peak_bytes,
        ..verdict(solver, deadline)
    }
}

/// The outcome of the last attempt, with the score and the measures that the referee confirms.
fn verdict(solver: &dyn AnySolver, deadline: Deadline) -> Sample {
    let (outcome, bound) = match solver.ended() {
        Some(Ended::Timeout { bound }) => (Outcome::Timeout, bound),
        Some(Ended::Failed(failure)) => {
            return Sample::failed(failed(&failure), failure.to_string());
        }
        _ => (Outcome::Solved, None),
    };
    let sample = Sample {
        outcome,
        bound,
        proven: solver.proven(),
        ..Sample::default()
    };
    match solver.referee(deadline) {
        None => sample,
        Some(Ok(checked)) => Sample {
            score: checked.score,
            measures: checked
                .measures
                .into_iter()
                .map(|(name, value)| (name.into(), value))
                .collect(),
            ..sample
        },
        Some(Err(rejection)) => Sample {
            outcome: match rejection {
                Rejection::Wrong(_) => Outcome::Wrong,
                Rejection::Timeout => Outcome::Unchecked,
                Rejection::Broken(_) => Outcome::RefereeFailed,
            },
            detail: rejection.to_string(),
            ..sample
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test runs itself, in the part of a variant that ends the program.
    #[test]
    fn a_variant_that_ends_the_program_does_so_with_an_error() {
        const ENDS: &str = "IKERU_TEST_ENDS";
        if std::env::var_os(ENDS).is_some() {
            SAMPLED.with(|sampled| sampled.0.replace(Some("quits".to_owned())));
            std::process::exit(0);
        }
        let name = "execute::tests::a_variant_that_ends_the_program_does_so_with_an_error";
        let program = std::env::current_exe().expect("a program");
        let mut again = std::process::Command::new(program);
        let ended = again.args([name, "--exact", "--nocapture"]).env(ENDS, "1");
        let ended = ended.output().expect("it ends");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(
            said.contains("error: the variant quits ended the program"),
            "{said}"
        );
    }

    #[test]
    fn the_time_of_one_cell_holds_the_work_of_its_other_threads() {
        let (used, started) = (CpuTimes::begin(Mode::Isolated, 1), Instant::now());
        let work = || {
            let used = || system::cpu_time(system::CpuClock::Thread);
            while used() < Some(Duration::from_millis(20)) {}
        };
        std::thread::spawn(work).join().expect("it ends");
        let cpu = used.work(started.elapsed());
        assert!(cpu >= Some(Duration::from_millis(20)), "{cpu:?}");
    }

    #[test]
    fn a_batch_is_as_large_as_its_answers_are_short() {
        let sample = Duration::from_millis(2);
        let of = |answers, took| enough(sample, (answers, took));
        assert_eq!(of(10, Duration::from_millis(5)), 5);
        assert_eq!(of(5_000, Duration::from_millis(5)), 2_400);
        assert_eq!(of(1, Duration::from_secs(3)), 1);
        assert_eq!(of(1, Duration::ZERO), 2_400_000);
        assert_eq!(of(u64::MAX, Duration::ZERO), MOST_ANSWERS);
    }
}
