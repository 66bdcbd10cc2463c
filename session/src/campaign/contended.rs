//! Contended mode: all cores busy, each worker with a cell and all its repeats.

use anyhow::{Context, Result};
use ikeru_core::Random;
use ikeru_core::sync::{Mutex, thread};
use ikeru_core::threads::Handout;

use super::hopeless::Hopeless;
use super::journal::Journal;
use super::sampler::{Conditions, Sampler, ask};
use super::schedule::{is_finished, order_by_question};
use crate::execute::Executor;
use crate::plan::{Cell, Stage};

/// The maximum number of worker threads, for every value of `--jobs`.
const MOST_JOBS: usize = 256;

/// Takes the missing samples of a stage. Workers are plain threads. A worker of a thread pool could start another
/// cell while its solver waits for another pool.
///
/// # Errors
/// A mistake in a setting, a journal that cannot be written, or an interruption.
pub(super) fn run<E: Executor>(
    conditions: &Conditions<E>,
    stage: &Stage,
    journal: &Mutex<&mut Journal>,
) -> Result<()> {
    let sampler = Sampler {
        conditions,
        stage,
        journal,
        hopeless: Hopeless::new(stage, conditions.finished),
    };
    let jobs = workers(stage.jobs.unwrap_or(conditions.jobs), stage.cells.len());
    if jobs > 1 && stage.cells.iter().all(|cell| cell.solver.answers_once()) {
        conditions.progress.say(&format!(
            "{jobs} samples at a time, all sides under the same load; --mode isolated takes one at a time, `ikeru doctor EXPERIMENT` measures what the load costs in score"
        ));
    }
    let order = order_by_question(stage, &mut Random::new("schedule", conditions.seed));
    let cells = Handout::of(order.len());
    let work = &|| {
        let line = conditions.progress.line();
        while let Some(place) = cells.take() {
            let cell = &stage.cells[order[place]];
            let told = [&*stage.experiment, &cell.label, &cell.input.name];
            conditions.progress.tell(&line, told);
            if let Err(error) = all_repeats(&sampler, cell) {
                cells.fail(error);
            }
        }
        line.finish_and_clear();
    };
    thread::scope(|scope| {
        for number in 0..jobs {
            let thread = thread::Builder::new().name(format!("cells-{number}"));
            let started = thread.spawn_scoped(scope, work);
            // With fewer threads the run takes longer; without any thread it fails.
            if number == 0 {
                started.context("no thread can be started")?;
            }
        }
        anyhow::Ok(())
    })?;
    cells.result()
}

fn all_repeats<'a, E: Executor>(sampler: &Sampler<'a, '_, E>, cell: &'a Cell) -> Result<()> {
    let asked = ask(cell);
    let mut kept = None;
    for repeat in sampler.stage.first_repeat..sampler.stage.repeats {
        let (finished, stage) = (sampler.conditions.finished, sampler.stage);
        if !is_finished(finished, stage, cell, repeat) {
            sampler.keep(&sampler.measure(cell, (repeat, 0), &asked, &mut kept)?)?;
        }
    }
    Ok(())
}

/// The number of worker threads for `cells` cells if `jobs` are requested.
fn workers(jobs: usize, cells: usize) -> usize {
    jobs.max(1).min(cells).min(MOST_JOBS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_threads_are_started_than_are_of_use() {
        assert_eq!(workers(100_000, 72), 72);
        assert_eq!(workers(100_000, 1_000_000), MOST_JOBS);
        assert_eq!((workers(0, 5), workers(3, 5), workers(3, 0)), (1, 3, 0));
    }
}
