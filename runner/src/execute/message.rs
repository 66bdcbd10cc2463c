//! The messages between a run and its worker: one line of JSON each, over a private socket.
//!
//! The first line is a [`Job`]. An empty line asks for each further sample. The worker answers with [`Message`]s; the
//! last one of a sample is [`Message::Taken`] or [`Message::Mistake`].

use std::path::PathBuf;
use std::time::Duration;

use ikeru_bench_data::Mode;
use ikeru_core::{BoundPolicy, Settings, Value};
use serde::{Deserialize, Serialize};

use super::{Phase, Sample, Task};
use crate::plan::{Cell, Stage};

/// The input of a worker: one cell and its limits.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    problem: String,
    /// The instance as its problem writes it.
    instance: String,
    question: Vec<(String, WireValue)>,
    variant: String,
    method: Vec<(String, WireValue)>,
    shared_bound: bool,
    threads: u32,
    isolated: bool,
    limit: Duration,
    sample: Duration,
    warm_up: Duration,
    /// The data limit of each process of the worker, in bytes.
    pub memory: Option<u64>,
    /// The cgroup that ends with the worker.
    pub cgroup: Option<PathBuf>,
}

/// A message of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Message {
    /// A part of the sample begins, and its time limit starts.
    Begins(Phase),
    /// The variant has an answer with this score, negated where lower is better.
    Best(i64),
    /// The sample.
    Taken(Box<Sample>),
    /// A setting does not fit: an input error.
    Mistake(String),
}

/// A [`Value`] in other words.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum WireValue {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

impl Job {
    /// The job of a worker for `cell`.
    #[must_use]
    pub fn of(stage: &Stage, cell: &Cell, cgroup: Option<PathBuf>) -> Self {
        Self {
            problem: stage.problem.name().to_owned(),
            instance: cell.input.base.text(),
            question: to_wire(&cell.question),
            variant: cell.variant.name.to_owned(),
            method: to_wire(&cell.method),
            shared_bound: cell.bound_policy == BoundPolicy::Shared,
            threads: cell.threads,
            isolated: stage.mode == Mode::Isolated,
            limit: stage.limit,
            sample: stage.sample,
            warm_up: stage.warm_up,
            memory: stage.memory,
            cgroup,
        }
    }

    /// The problem's name, the instance's text and the question put to it.
    #[must_use]
    pub fn question(&self) -> (&str, &str, Settings) {
        (&self.problem, &self.instance, from_wire(&self.question))
    }

    /// How the sample is to be taken.
    #[must_use]
    pub fn task(&self) -> Task {
        Task {
            variant: self.variant.clone(),
            method: from_wire(&self.method),
            bound_policy: if self.shared_bound {
                BoundPolicy::Shared
            } else {
                BoundPolicy::Private
            },
            threads: self.threads,
            mode: if self.isolated {
                Mode::Isolated
            } else {
                Mode::Contended
            },
            limit: self.limit,
            sample: self.sample,
            warm_up: self.warm_up,
        }
    }
}

fn to_wire(settings: &Settings) -> Vec<(String, WireValue)> {
    let value = |value: &Value| match value {
        Value::Bool(value) => WireValue::Bool(*value),
        Value::Int(value) => WireValue::Int(*value),
        Value::Float(value) => WireValue::Float(*value),
        Value::Text(value) => WireValue::Text(value.clone()),
    };
    let pairs = settings.iter();
    pairs.map(|(name, v)| (name.to_owned(), value(v))).collect()
}

fn from_wire(settings: &[(String, WireValue)]) -> Settings {
    let value = |value: &WireValue| match value {
        WireValue::Bool(value) => Value::Bool(*value),
        WireValue::Int(value) => Value::Int(*value),
        WireValue::Float(value) => Value::Float(*value),
        WireValue::Text(value) => Value::Text(value.clone()),
    };
    let pairs = settings.iter();
    pairs.map(|(name, v)| (name.as_str(), value(v))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_what_they_are() {
        let settings = Settings::from_iter([
            ("bool", Value::Bool(true)),
            ("int", Value::Int(-3)),
            ("float", Value::Float(1.0)),
            ("digits", Value::Text("12".into())),
        ]);
        let text = serde_json::to_string(&to_wire(&settings)).expect("values have a form");
        let back: Vec<_> = serde_json::from_str(&text).expect("and are read back");
        assert_eq!(from_wire(&back), settings);
    }

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
                if let (Some(here), Some(there)) = (answer(made.as_ref()), answer(read.as_ref())) {
                    assert_eq!(here, there, "{}", generator.name);
                }
            }
        }
    }

    fn answer(instance: &dyn ikeru_core::AnyInstance) -> Option<Option<i64>> {
        let prepared = instance.prepare(
            instance.default_variant(),
            &Settings::new(),
            ikeru_core::Deadline::never(),
        );
        let mut solver = prepared.expect("the default variant takes the instance");
        let incumbent = ikeru_core::Incumbent::new();
        let mut search = ikeru_core::Search {
            deadline: ikeru_core::Deadline::after(Duration::from_millis(100)),
            ..ikeru_core::Search::new(&incumbent)
        };
        solver.solve(&mut search);
        let solved = solver.ended() == Some(ikeru_core::Ended::Solved);
        solved.then(|| solver.claimed())
    }
}
