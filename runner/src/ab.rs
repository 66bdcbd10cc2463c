//! Two builds of this program, compared in one session.
//!
//! Every sample has a process of its own, which one of the two builds runs; this program plans the cells, makes their
//! instances and holds the clock's results. So both builds answer the same questions at nearly the same time, and what
//! the machine does in between meets both.
//!
//! | module | owns |
//! |---|---|
//! | [`build`] | a side of the comparison: a binary, or a revision that is built once |
//! | [`session`] | which sample comes next, and what is decided |
//! | [`told`] | tables, `samples.csv` and the file for histories of benchmarks |

pub mod build;
pub mod session;
pub mod told;

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Result, bail};
use ikeru_core::BoundPolicy;

use self::build::Build;
use self::session::{Look, Side};
use crate::campaign::sampler;
use crate::cores::Cores;
use crate::execute::{ChildProcess, Executor, Outcome, Sample};
use crate::interrupt::{self, Interrupted};
use crate::plan::{Cell, Plan, Stage};

/// The two builds and the cells that both are asked.
pub struct Arena {
    stages: Vec<Stage>,
    /// Of every cell its stage and its place in it.
    cells: Vec<(usize, usize)>,
    executors: [ChildProcess; 2],
    cores: Cores,
}

impl Arena {
    /// All cells of `plan` under `base` and `head`.
    pub fn new(plan: Plan, base: &Build, head: &Build) -> Self {
        let stages = plan.stages;
        let places = |(at, stage): (usize, &Stage)| {
            let cells = 0..stage.cells.len();
            cells.map(move |cell| (at, cell)).collect::<Vec<_>>()
        };
        let cells = stages.iter().enumerate().flat_map(places).collect();
        let executor = |build: &Build| ChildProcess::of(build.program.clone());
        Self {
            stages,
            cells,
            executors: [executor(base), executor(head)],
            cores: Cores::of_this_thread(),
        }
    }

    /// The number of cells.
    pub fn count(&self) -> usize {
        self.cells.len()
    }

    /// The stage and the cell at `at`.
    pub fn cell(&self, at: usize) -> (&Stage, &Cell) {
        let (stage, cell) = self.cells[at];
        (&self.stages[stage], &self.stages[stage].cells[cell])
    }

    /// One sample of the cell at `at` by the build of `side`, in a new process.
    ///
    /// # Errors
    /// A build that cannot be started, or that does not know the variant or a setting; [`Interrupted`].
    pub fn sample(&self, at: usize, side: Side) -> Result<Sample> {
        let (stage, cell) = self.cell(at);
        let asked = match sampler::ask(cell) {
            Ok(asked) => asked,
            Err(why) => return Ok(Sample::failed(Outcome::Skipped, why)),
        };
        self.cores.pin(cell.threads == 1);
        let executor = &self.executors[side as usize];
        let sample = executor.sample(stage, cell, asked.as_ref(), &mut None);
        self.cores.pin(false);
        // A signal ends the running sample too, and that says nothing of the build.
        if interrupt::flag().load(Ordering::Relaxed) {
            return Err(Interrupted.into());
        }
        sample
    }

    /// What both builds answer to every cell, one answer each: outcomes, scores and counters, before any clock.
    ///
    /// # Errors
    /// A cell that neither build can be asked; [`Interrupted`].
    pub fn look(&mut self, mut seen: impl FnMut()) -> Result<Vec<Look>> {
        let lengths: Vec<_> = self
            .stages
            .iter()
            .map(|it| (it.sample, it.warm_up))
            .collect();
        for stage in &mut self.stages {
            (stage.sample, stage.warm_up) = (Duration::ZERO, Duration::ZERO);
        }
        let mut looks = Vec::new();
        for at in 0..self.count() {
            let [base, head] = [Side::Base, Side::Head].map(|side| self.sample(at, side));
            let (base, head) = match (base, head) {
                (Err(why), _) | (_, Err(why)) if why.is::<Interrupted>() => return Err(why),
                (Err(why), Err(_)) => bail!("neither build can be asked: {why:#}"),
                both => both,
            };
            let (stage, cell) = self.cell(at);
            // Threads that share their best score count what the clock makes of it.
            let counts_alike = cell.threads == 1 || cell.bound_policy == BoundPolicy::Private;
            let said = |sample: Result<Sample>| sample.map_err(|why| format!("{why:#}"));
            let terms = (stage.problem.direction(), counts_alike);
            looks.push(Look::of(said(base), said(head), terms));
            seen();
        }
        for (stage, (sample, warm_up)) in self.stages.iter_mut().zip(lengths) {
            (stage.sample, stage.warm_up) = (sample, warm_up);
        }
        Ok(looks)
    }
}
