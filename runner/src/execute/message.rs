//! The messages between a run and its worker: one line of JSON each, over a private socket.
//!
//! The first line is a [`Job`]. An empty line asks for each further sample. The worker answers with [`Message`]s; the
//! last one of a sample is [`Message::Taken`] or [`Message::Mistake`].

use std::path::PathBuf;
use std::time::Duration;

use ikeru_bench_data::Mode;
use ikeru_core::{BoundPolicy, Settings};
use serde::{Deserialize, Serialize};

use super::foreign::Call;
use super::{Phase, Sample, Task};
use crate::plan::{Cell, Stage};

/// The input of a worker: one cell and its limits.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    problem: String,
    /// The instance as its problem writes it.
    instance: String,
    question: Settings,
    variant: String,
    method: Settings,
    bound_policy: BoundPolicy,
    threads: u32,
    mode: Mode,
    limit: Duration,
    sample: Duration,
    warm_up: Duration,
    /// Whether each rise of the incumbent is logged.
    #[serde(default)]
    pub anytime: bool,
    /// The data limit of each process of the worker, in bytes.
    pub memory: Option<u64>,
    /// The foreign solver that answers in place of a variant.
    foreign: Option<Call>,
    /// What ends with the worker.
    #[serde(flatten)]
    pub belongings: Belongings,
}

/// What ends with a worker, besides its process group.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Belongings {
    /// The cgroup of its processes.
    #[serde(default)]
    pub cgroup: Option<PathBuf>,
    /// The folder of a foreign solver's files.
    #[serde(default)]
    pub scratch: Option<PathBuf>,
}

/// A message of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Message {
    /// A part of the sample begins, and its time limit starts.
    Begins(Phase),
    /// The variant has an answer with this score, better than those before.
    Best(i64),
    /// The sample.
    Taken(Box<Sample>),
    /// A setting does not fit: an input error.
    Mistake(String),
}

impl Job {
    /// The job of a worker for `cell`.
    pub fn of(stage: &Stage, cell: &Cell, belongings: Belongings) -> Self {
        let task = Task::of(stage, cell);
        Self {
            problem: stage.problem.name().to_owned(),
            instance: cell.input.base.text(),
            question: cell.question.clone(),
            variant: task.variant,
            method: task.method,
            bound_policy: task.bound_policy,
            threads: task.threads,
            mode: task.mode,
            limit: task.limit,
            sample: task.sample,
            warm_up: task.warm_up,
            anytime: stage.anytime,
            memory: stage.memory,
            foreign: Call::of(stage, cell, belongings.scratch.as_deref()),
            belongings,
        }
    }

    /// The problem's name, the instance's text and the question put to it.
    pub fn question(&self) -> (&str, &str, Settings) {
        (&self.problem, &self.instance, self.question.clone())
    }

    /// Whether a foreign solver answers.
    pub fn is_foreign(&self) -> bool {
        self.foreign.is_some()
    }

    /// How the sample is to be taken.
    pub fn task(&self) -> Task {
        Task {
            variant: self.variant.clone(),
            method: self.method.clone(),
            bound_policy: self.bound_policy,
            threads: self.threads,
            mode: self.mode,
            limit: self.limit,
            sample: self.sample,
            warm_up: self.warm_up,
            foreign: self.foreign.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worker gets an instance as text: whatever a generator makes must ask the same there.
    #[test]
    fn every_generated_instance_asks_the_same_when_read_back() {
        for problem in crate::registry::problems() {
            for generator in problem.generators() {
                let made = problem.generate(generator.name, &Settings::new(), 1);
                let made = made.unwrap_or_else(|error| panic!("{}: {error}", generator.name));
                let read = problem.read(&made.text());
                let read = read.unwrap_or_else(|error| panic!("{}: {error}", generator.name));
                assert_eq!(read.hash(), made.hash(), "{}", generator.name);
                assert_eq!(read.default_variant(), made.default_variant());
                // A search that the limit cuts off has no answer to compare.
                if let (Some(here), Some(there)) = (
                    answer(*problem, made.as_ref()),
                    answer(*problem, read.as_ref()),
                ) {
                    assert_eq!(here, there, "{}", generator.name);
                }
            }
        }
    }

    fn answer(
        problem: &dyn ikeru_core::AnyProblem,
        instance: &dyn ikeru_core::AnyInstance,
    ) -> Option<Option<i64>> {
        let prepared = instance.prepare(
            instance.default_variant(),
            &Settings::new(),
            ikeru_core::Deadline::never(),
        );
        let mut solver = prepared.expect("the default variant takes the instance");
        let incumbent = ikeru_core::Incumbent::new(problem.direction());
        let mut search = ikeru_core::Search {
            deadline: ikeru_core::Deadline::after(Duration::from_millis(100)),
            ..ikeru_core::Search::new(&incumbent)
        };
        solver.solve(&mut search);
        let solved = solver.ended() == Some(ikeru_core::Ended::Solved);
        solved.then(|| solver.claimed())
    }
}
