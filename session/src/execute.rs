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
//! | `judged` | the referee's verdict on an attempt |
//! | [`lines`] | the lines that a process writes, and the end of its standard error |
//! | `memory` | the check for solvers that remember answers or leave work to their end |
//! | [`message`] | the messages between the two |
//! | `timing` | warm-up and batch of a sample |
//! | [`until_end`] | a command that is no solver |

pub mod child;
pub mod confinement;
mod cpu_times;
pub mod foreign;
mod judged;
pub mod lines;
mod memory;
pub mod message;
mod timing;
pub mod until_end;
pub mod worker;

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use ikeru_bench_data::Mode;
use ikeru_core::{
    AnyInstance, AnyProblem, AnySolver, BoundPolicy, Deadline, Ended, Incumbent, InputError,
    Refusal, Search, Settings,
};
use serde::{Deserialize, Serialize};

pub use ikeru_reports::records::{Outcome, Sample};

pub use self::child::{ChildProcess, PerStage};
use self::foreign::{Call, Process};
use self::judged::judge;
pub use self::timing::Prepared;
use self::timing::{Times, batch, counted, fill, warm_up};
use crate::cores::{self, CorePlace};
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

impl Executor for InProcess {
    type Prepared<'a> = Prepared<'a>;

    fn sample<'a>(
        &self,
        stage: &Stage,
        cell: &Cell,
        question: &'a dyn AnyInstance,
        kept: &mut Option<Prepared<'a>>,
    ) -> Result<Sample> {
        cores::go(CorePlace::of_solver(stage.mode, cell.threads));
        let watch = Watch {
            incumbent: &incumbent(stage.problem, stage.anytime),
            begins: &|_| (),
            stop: interrupt::flag(),
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
    if anytime {
        return Incumbent::logged(problem.direction());
    }
    Incumbent::new(problem.direction())
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
    /// Warm-up of a freshly prepared solver; ten answers in a fifth of it are enough.
    pub warm_up: Duration,
    /// The foreign solver that answers in place of a variant.
    pub foreign: Option<Call>,
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
            foreign: None,
        }
    }

    /// Returns whether the solver is a process that ends after its answer.
    pub fn answers_once(&self) -> bool {
        let call = self.foreign.as_ref();
        call.is_some_and(|call| call.program.answers_once())
    }

    /// A search by its policy, on its threads, that `watch` observes.
    fn search<'a>(&self, watch: &Watch<'a>) -> Search<'a> {
        Search {
            bound_policy: self.bound_policy,
            threads: self.threads as usize,
            ..Search::new(watch.incumbent)
        }
    }

    /// The smaller of wall and CPU time: under load, the wall time of an answer grows. In contended mode the clock of CPU time
    /// is that of one thread, and the CPU time of a foreign solver is not known here: then it is the wall time.
    fn cost(&self, (wall, cpu): Times) -> Duration {
        let is_known = self.mode == Mode::Isolated && self.foreign.is_none();
        cpu.filter(|_| is_known).map_or(wall, |cpu| cpu.min(wall))
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
    let mut search = task.search(watch);
    let (mut warm, mut first_answer) = (None, None);
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
                let cost = task.cost(first);
                first_answer = Some(cost);
                let is_long = cost >= task.warm_up * 10 && cost >= task.sample;
                if is_long || prepared.solver.ended() != Some(Ended::Solved) {
                    warm = Some(first);
                } else if let Some(refused) = first_refused(task, prepared, first, watch)? {
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
    if is_batch && iterations > 1 && solved {
        let each = task.cost((batch, cpu)) / u32::try_from(iterations).unwrap_or(u32::MAX);
        let last = (each, counted(&search));
        // A check that fails raises no doubt.
        doubt = memory::doubt(task, question, prepared, last, watch).unwrap_or(None);
    }
    (watch.begins)(Phase::Refereeing);
    let mut sample = judge(prepared.solver.as_ref(), task.limit)?;
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
    sample.first = first_answer.filter(|_| is_batch && solved);
    sample.counters = counted(&search);
    // The process of a foreign solver that failed has ended.
    prepared.is_spent = task.foreign.is_some() && sample.outcome != Outcome::Solved;
    if task.foreign.is_some() {
        let each = batch / u32::try_from(sample.iterations.max(1)).unwrap_or(u32::MAX);
        correct(&mut sample, each, task.limit, watch.incumbent);
    }
    if sample.outcome == Outcome::Solved && memory::tell(doubt, &mut sample, task) {
        // The next sample is a first answer again.
        *kept = None;
    }
    Ok(sample)
}

/// Corrects what a foreign solver's answer, which took `time` on average in its batch, says of itself.
fn correct(sample: &mut Sample, time: Duration, limit: Duration, incumbent: &Incumbent) {
    // The limit may pass between two looks at the process.
    if sample.outcome == Outcome::Solved && time > limit {
        (sample.outcome, sample.proven) = (Outcome::Timeout, false);
    }
    if let Some((bound, score)) = sample.bound.zip(sample.score)
        && incumbent.is_better(score, bound)
    {
        sample.outcome = Outcome::Wrong;
        sample.detail = format!("its answer has the score {score}, its bound is {bound}");
    }
}

/// The sample of a first answer that the referee does not confirm. The answers of a batch are not checked one by one;
/// only the first answer after the preparation and the last one are.
fn first_refused(
    task: &Task,
    prepared: &Prepared,
    (batch, cpu): Times,
    watch: &Watch,
) -> Result<Option<Sample>, InputError> {
    (watch.begins)(Phase::Refereeing);
    let checked = judge(prepared.solver.as_ref(), task.limit)?;
    (watch.begins)(Phase::Answering);
    Ok((checked.outcome == Outcome::Wrong).then(|| Sample {
        batch: Some(batch),
        cpu: cpu.filter(|_| task.foreign.is_none()),
        iterations: 1,
        prepare: Some(prepared.took),
        ..checked
    }))
}

#[cfg(test)]
mod tests {
    use super::cpu_times::CpuTimes;
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
        let used = CpuTimes::begin(Mode::Isolated, 1);
        let work = || {
            let used = || system::cpu_time(system::CpuClock::Thread);
            while used() < Some(Duration::from_millis(20)) {}
        };
        std::thread::spawn(work).join().expect("it ends");
        let cpu = used.work();
        assert!(cpu >= Some(Duration::from_millis(20)), "{cpu:?}");
    }
}
