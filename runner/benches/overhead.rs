//! The overhead of the runner: `cargo bench -p ikeru`.
//!
//! It prints three kinds of numbers. The time per sample and mode, with an executor that answers at once: order,
//! journal, row, canary. The time per cell in a separate process: the process, its instance, its messages and its
//! end. The share of the workers' time that cells of a millisecond get in contended mode. Each number is the best of
//! some rounds, which has the least load of other processes.

use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use ikeru::campaign::journal::Journal;
use ikeru::campaign::sampler::Conditions;
use ikeru::campaign::stages;
use ikeru::execute::{ChildProcess, Executor, InProcess, Sample};
use ikeru::plan::{Cell, Plan, Selection, Stage};
use ikeru::progress::Progress;
use ikeru_bench_data::Experiment;
use ikeru_core::AnyInstance;

const ROUNDS: usize = 7;
const JOBS: usize = 2;

fn main() -> Result<ExitCode> {
    if std::env::args().nth(1).as_deref() == Some("worker") {
        return Ok(ikeru::main_with(Vec::new()));
    }
    for mode in ["isolated", "contended"] {
        // The samples are many, so that the time of work done once a run, such as the first readings of the canary,
        // is negligible.
        let plan = plan(mode, 50, 200)?;
        let each =
            best(|| Ok(run(&plan, &Samples(Sample::default))?.div_f64(plan.samples() as f64)))?;
        println!(
            "{mode:9}  {:8.2} µs a sample in this process",
            each.as_secs_f64() * 1e6
        );
    }
    for mode in ["isolated", "contended"] {
        let plan = plan(mode, 50, 1)?;
        let here = best(|| run(&plan, &InProcess))?;
        let child = best(|| run(&plan, &ChildProcess::default()))?;
        let more = child.saturating_sub(here).div_f64(plan.samples() as f64);
        println!(
            "{mode:9}  {:8.2} ms a cell in a process of its own",
            more.as_secs_f64() * 1e3
        );
    }
    let plan = plan("contended", 50, 5)?;
    let mut shares = Vec::new();
    for _ in 0..ROUNDS {
        let busy = AtomicU64::new(0);
        let lasted = run(&plan, &Samples(|| busy_for_a_millisecond(&busy)))?;
        let all = lasted.as_nanos() as f64 * JOBS as f64;
        shares.push(busy.into_inner() as f64 / all);
    }
    let share = shares.into_iter().fold(0.0, f64::max);
    println!(
        "contended  {:8.1} % of {JOBS} workers' time in cells of 1 ms",
        share * 100.0
    );
    Ok(ExitCode::SUCCESS)
}

fn best(mut round: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        best = best.min(round()?);
    }
    Ok(best)
}

/// The plan of two variants on one small map with `questions` questions.
fn plan(mode: &str, questions: u32, repeats: u32) -> Result<Plan> {
    let text = format!(
        "name = \"overhead\"\ntitle = \"t\"\nabout = \"a\"\nproblem = \"reach\"\n\
         variants = [\"arrivals\", \"bitboard\"]\n\
         instances = [{{ generator = \"reach.full-grid\", set = {{ width = 8 }} }}]\n\
         settings = {{ steps = {{ from = 1, to = {questions} }} }}\n\
         run = {{ repeats = {repeats}, mode = \"{mode}\", sample = \"0ms\", warm_up = \"0ms\" }}\n"
    );
    let experiment = Experiment::read("overhead.toml", &text)?;
    Plan::new(&[(experiment, PathBuf::new())], &Selection::default())
}

/// The run time of the plan.
fn run<E: Executor>(plan: &Plan, executor: &E) -> Result<Duration> {
    let folder = tempfile::tempdir()?;
    let records = folder.path().join("records.csv");
    let (mut journal, finished) = Journal::resume(&records, plan.columns.clone())?;
    let progress = Progress::hidden();
    let conditions = Conditions {
        place: &ikeru_reports::records::Place::default(),
        executor,
        finished: &finished,
        jobs: JOBS,
        session: 1,
        seed: 0,
        rounds: AtomicU32::new(0),
        stop: &AtomicBool::new(false),
        progress: &progress,
        watch: None,
    };
    let started = Instant::now();
    stages::run(
        &conditions,
        &plan.stages.iter().collect::<Vec<_>>(),
        &mut journal,
    )?;
    Ok(started.elapsed())
}

/// Is busy for a millisecond, and adds the time.
fn busy_for_a_millisecond(sum: &AtomicU64) -> Sample {
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(1) {
        black_box(started);
    }
    sum.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
    Sample::default()
}

/// Takes the samples of a function, which is given nothing.
struct Samples<F>(F);

impl<F: Fn() -> Sample + Sync> Executor for Samples<F> {
    type Prepared<'a> = ();

    fn sample(
        &self,
        _: &Stage,
        _: &Cell,
        _: &dyn AnyInstance,
        _: &mut Option<()>,
    ) -> Result<Sample> {
        Ok((self.0)())
    }
}
