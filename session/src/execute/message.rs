//! The messages between a run and its worker: one line of JSON each, over a private socket.
//!
//! The first line is a [`Job`]. An empty line asks for each further sample of it. The worker answers with [`Message`]s;
//! the last one of a sample is [`Message::Taken`] or [`Message::Mistake`]. A worker that said [`Message::Clean`] may get
//! another job after the sample.

use std::path::PathBuf;

use ikeru_bench_data::experiment::ScoreStream;
use ikeru_core::Settings;
use serde::{Deserialize, Serialize};

use super::foreign::Call;
use super::{Phase, Sample, Task};
use crate::declared::Declaration;
use crate::plan::{Cell, Stage};
use crate::registry;

/// The input of a worker: one cell and its limits.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    /// The problem's name.
    pub problem: String,
    /// What makes the problem, if an experiment declared it.
    pub declaration: Option<Declaration>,
    /// The instance as its problem writes it.
    pub instance: String,
    /// The question put to the instance.
    pub question: Settings,
    /// The parameters of taking the sample.
    #[serde(flatten)]
    pub task: Task,
    /// True if each rise of the incumbent is logged.
    #[serde(default)]
    pub anytime: bool,
    /// True if the worker says when it can take another job.
    #[serde(default)]
    pub again: bool,
    /// The data limit of each process of the worker, in bytes.
    pub memory: Option<u64>,
    /// The cgroup and the folder that are removed with the worker.
    #[serde(flatten)]
    pub belongings: Belongings,
}

/// The resources that end with a worker, in addition to its process group.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Belongings {
    /// The cgroup of its processes.
    pub cgroup: Option<PathBuf>,
    /// The folder of all files of its foreign solvers and of their referee.
    pub scratch: Option<PathBuf>,
}

impl Belongings {
    /// The folder of a foreign solver, which is empty when a job begins.
    pub fn of_solver(&self) -> Option<PathBuf> {
        Some(self.scratch.as_ref()?.join("solver"))
    }

    /// The folder of the referee of foreign solvers.
    pub fn of_referee(&self) -> Option<PathBuf> {
        Some(self.scratch.as_ref()?.join("referee"))
    }
}

/// A message of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Message {
    /// A part of the sample begins, and its time limit starts.
    Begins(Phase),
    /// The variant has an answer with this score, better than those before.
    Best(i64),
    /// Nothing of the sample remains in the worker: its solver and all processes that this one started have ended.
    Clean,
    /// The stream that had the score, if the problem names none.
    ScoreFrom(ScoreStream),
    /// The sample.
    Taken(Box<Sample>),
    /// A setting does not fit: an input error.
    Mistake(String),
}

impl Task {
    /// The task of `cell` of `stage` in a worker with these belongings.
    pub fn with_command(stage: &Stage, cell: &Cell, belongings: &Belongings) -> Self {
        Self {
            foreign: Call::of(stage, cell, belongings.of_solver()),
            ..Self::of(stage, cell)
        }
    }
}

impl Job {
    /// The job of a worker for `cell`.
    pub fn of(stage: &Stage, cell: &Cell, belongings: Belongings) -> Self {
        let declared = registry::declared(stage.problem.name());
        Self {
            problem: stage.problem.name().to_owned(),
            declaration: declared.map(|declared| {
                let mut declaration = declared.declaration().clone();
                declaration.problem.score_from = declared.score_from();
                declaration
            }),
            instance: cell.input.base.text(),
            question: cell.question.clone(),
            task: Task::with_command(stage, cell, &belongings),
            anytime: stage.anytime,
            again: cell.solver.answers_once(),
            memory: stage.memory,
            belongings,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A worker gets an instance as text, so a generated instance must ask the same question after it is read back.
    #[test]
    fn every_generated_instance_asks_the_same_when_read_back() {
        for problem in registry::problems() {
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
