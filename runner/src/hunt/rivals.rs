//! Two variants on one instance.

use std::time::Duration;

use anyhow::Result;
use ikeru_bench_data::Mode;
use ikeru_core::{AnyInstance, AnyProblem, BoundPolicy, Incumbent, Settings};

use crate::execute::{Outcome, Sample, Task, Watch};
use crate::interrupt;

/// The shortest sample if times are compared.
const SAMPLE: Duration = Duration::from_millis(2);

/// The metric of the comparison; less is better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RivalMetric {
    /// CPU time of one answer.
    Time,
    /// A counter.
    Counter(String),
}

impl RivalMetric {
    /// Its word on the command line and in tables.
    pub fn word(&self) -> String {
        match self {
            Self::Time => "cpu".to_owned(),
            Self::Counter(name) => format!("counter:{name}"),
        }
    }

    /// Its value in a sample, in nanoseconds or as a count; `None` if the sample has none.
    fn of(&self, sample: &Sample) -> Option<f64> {
        match self {
            Self::Time => sample.each(sample.cpu.or(sample.batch)),
            Self::Counter(name) => {
                let mut counters = sample.counters.iter();
                let found = counters.find(|(known, _)| known == name);
                found.map(|(_, count)| *count as f64)
            }
        }
    }
}

/// The two variants and how they are measured.
pub struct Rivals {
    /// Their problem.
    pub problem: &'static dyn AnyProblem,
    /// Their names.
    pub names: [String; 2],
    /// The metric of the comparison.
    pub cost: RivalMetric,
    /// The time limit of one answer.
    pub limit: Duration,
}

/// The costs of both variants on an instance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RivalCosts {
    /// The costs of the first and of the second variant.
    pub costs: [f64; 2],
    /// True for a variant that the limit ended: its cost is a lower bound.
    pub stopped: [bool; 2],
}

impl RivalCosts {
    /// The logarithm of the first cost by the second: positive if the second variant is better.
    pub fn ratio(&self) -> f64 {
        // A count of 0 is as good as one of 1.
        (self.costs[0].max(1.0) / self.costs[1].max(1.0)).ln()
    }
}

/// The reason why an instance does not compare the two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// One of them refused it, or neither ended.
    Unanswered,
    /// A wrong answer, a crash, or two proven answers that differ: a finding of another kind.
    Mistake(String),
}

impl Rivals {
    /// Lets both answer, `first` of them first.
    ///
    /// # Errors
    /// A setting that does not fit.
    pub fn meet(
        &self,
        instance: &dyn AnyInstance,
        first: usize,
    ) -> Result<Result<RivalCosts, Unfit>> {
        let mut samples = [Sample::default(), Sample::default()];
        for side in [first, 1 - first] {
            samples[side] = self.sample(instance, side)?;
            let sample = &samples[side];
            match sample.outcome {
                Outcome::Solved | Outcome::Timeout => {}
                Outcome::Wrong | Outcome::Crashed => {
                    let why = format!(
                        "{} is {}: {}",
                        self.names[side],
                        sample.outcome.name(),
                        sample.detail
                    );
                    return Ok(Err(Unfit::Mistake(why)));
                }
                _ => return Ok(Err(Unfit::Unanswered)),
            }
        }
        Ok(self.judge(&samples))
    }

    fn judge(&self, samples: &[Sample; 2]) -> Result<RivalCosts, Unfit> {
        let [one, other] = samples;
        if one.proven && other.proven && one.score != other.score {
            let score = |sample: &Sample| {
                sample
                    .score
                    .map_or("none".to_owned(), |score| score.to_string())
            };
            return Err(Unfit::Mistake(format!(
                "{} proves the score {}, {} proves {}",
                self.names[0],
                score(one),
                self.names[1],
                score(other)
            )));
        }
        let stopped = [one, other].map(|sample| sample.outcome == Outcome::Timeout);
        // A counter at the limit cannot be compared with the counter of a whole search.
        if stopped == [true, true] || stopped != [false, false] && self.cost != RivalMetric::Time {
            return Err(Unfit::Unanswered);
        }
        match (self.cost.of(one), self.cost.of(other)) {
            (Some(one), Some(other)) => Ok(RivalCosts {
                costs: [one, other],
                stopped,
            }),
            _ => Err(Unfit::Unanswered),
        }
    }

    fn sample(&self, instance: &dyn AnyInstance, side: usize) -> Result<Sample> {
        let timed = self.cost == RivalMetric::Time;
        let task = Task {
            variant: self.names[side].clone(),
            method: Settings::new(),
            bound_policy: BoundPolicy::Private,
            threads: 1,
            mode: Mode::Isolated,
            limit: self.limit,
            sample: if timed { SAMPLE } else { Duration::ZERO },
            warm_up: Duration::ZERO,
            certify: false,
            foreign: None,
        };
        let watch = Watch {
            incumbent: &Incumbent::new(self.problem.direction()),
            begins: &|_| (),
            stop: interrupt::flag(),
            team: None,
        };
        task.sample_here(instance, &mut None, &watch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    fn sample(outcome: Outcome, nodes: u64, score: i64) -> Sample {
        Sample {
            outcome,
            proven: outcome == Outcome::Solved,
            score: Some(score),
            counters: vec![("nodes".into(), nodes)],
            cpu: Some(Duration::from_nanos(10 * nodes)),
            iterations: 1,
            ..Sample::default()
        }
    }

    #[test]
    fn a_bout_is_judged_by_its_cost() {
        let problem = registry::problem("trail").expect("built in");
        let rivals = |cost| Rivals {
            problem,
            names: ["a".to_owned(), "b".to_owned()],
            cost,
            limit: Duration::from_secs(1),
        };
        let nodes = rivals(RivalMetric::Counter("nodes".to_owned()));
        let solved = |nodes| sample(Outcome::Solved, nodes, 7);
        let bout = nodes.judge(&[solved(8), solved(2)]).expect("a bout");
        assert!((bout.ratio() - 4.0_f64.ln()).abs() < 1e-12);
        let cut = sample(Outcome::Timeout, 5, 7);
        assert_eq!(
            nodes.judge(&[cut.clone(), solved(2)]),
            Err(Unfit::Unanswered)
        );
        let time = rivals(RivalMetric::Time);
        let bout = time.judge(&[cut.clone(), solved(2)]).expect("a bound");
        assert_eq!((bout.costs, bout.stopped), ([50.0, 20.0], [true, false]));
        assert_eq!(time.judge(&[cut.clone(), cut]), Err(Unfit::Unanswered));
        let other = sample(Outcome::Solved, 2, 8);
        assert!(matches!(
            nodes.judge(&[solved(1), other]),
            Err(Unfit::Mistake(_))
        ));
        let none = rivals(RivalMetric::Counter("no-such".to_owned()));
        assert_eq!(none.judge(&[solved(1), solved(1)]), Err(Unfit::Unanswered));
    }
}
