//! Modelled mode: a search over many ranks, worked out by an event model.
//!
//! One core makes the real search as a team whose subproblems the model gives to its ranks. Each subproblem begins
//! with the best score that its rank would know, so the searched nodes are those of a search over ranks. Its CPU time
//! is the rank's work; the stage assumes the time of messages
//! ([`RankModel`](ikeru_bench_data::experiment::RankModel)).
//!
//! | module | owns |
//! |---|---|
//! | [`events`] | the ranks and their messages in virtual time |

pub mod events;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use ikeru_core::{AnyInstance, BoundPolicy, Incumbent, Rise, Score, Team};

use self::events::{Assumptions, Ranks};
use super::{Outcome, Phase, Sample, Task, Watch};
use crate::interrupt;
use crate::plan::{Cell, Stage};
use crate::system::{self, CpuClock};

/// The sample of `cell`. Its time is the virtual time of its ranks.
///
/// # Errors
/// A setting of the method that does not fit: an input error, not a result.
pub fn sample(stage: &Stage, cell: &Cell, question: &dyn AnyInstance) -> Result<Sample> {
    if system::cpu_time(CpuClock::Process).is_none() {
        let why = format!("{} has no fine clock of CPU time", system::HERE.system);
        return Ok(Sample::failed(Outcome::Skipped, why));
    }
    let incumbent = Incumbent::logged(stage.problem.direction());
    let team = OnPaper {
        assumed: assumptions(stage, cell),
        incumbent: &incumbent,
        overhead: overhead(),
        work: Mutex::default(),
    };
    let watch = Watch {
        incumbent: &incumbent,
        begins: &|phase| match phase {
            Phase::Answering => team.begin(),
            Phase::Starting | Phase::Preparing | Phase::Refereeing => {}
        },
        stop: interrupt::flag(),
        team: Some(&team),
    };
    let task = Task {
        threads: 1,
        sample: Duration::ZERO,
        warm_up: Duration::ZERO,
        ..Task::of(stage, cell)
    };
    let sample = task.sample(question, &mut None, &watch)?;
    let told = team.told(sample, stage.anytime);
    Ok(within(task.limit, cell.ranks, told))
}

/// The sample under a limit of the ranks' virtual time. Ranks that would need longer are stopped at the limit, before they
/// have the answer that the core found. The core that plays several ranks needs longer than they do: if the limit stopped
/// it, the ranks may still have been in time.
fn within(limit: Duration, ranks: u32, sample: Sample) -> Sample {
    match sample.outcome {
        Outcome::Solved if sample.batch.is_some_and(|took| took > limit) => {
            let in_time = |rise: &Rise| rise.after <= limit;
            let rises: Vec<Rise> = sample.rises.into_iter().filter(in_time).collect();
            Sample {
                batch: Some(limit),
                iterations: sample.iterations,
                claimed: rises.last().map(|rise| rise.score),
                rises,
                ..Sample::failed(Outcome::Timeout, "")
            }
        }
        Outcome::Timeout if ranks > 1 => {
            let why = format!(
                "the core that plays {ranks} ranks reached the limit of {limit:?}, which is one of their modelled time; a longer --limit lets it end"
            );
            Sample::failed(Outcome::Skipped, why)
        }
        _ => sample,
    }
}

fn assumptions(stage: &Stage, cell: &Cell) -> Assumptions {
    let model = stage.model;
    let cores = model.cores.map_or(f64::INFINITY, |it| it.get().into());
    Assumptions {
        ranks: cell.ranks as usize,
        delay: model.delay(),
        handling: model.handling(),
        stretch: (f64::from(cell.ranks) / cores).max(1.0),
        shares: cell.bound_policy == BoundPolicy::Shared,
        direction: stage.problem.direction(),
    }
}

/// The CPU time of this process: a variant may search on another thread.
fn clock() -> Duration {
    system::cpu_time(CpuClock::Process).unwrap_or_default()
}

/// The CPU time between two consecutive readings of the clock.
fn overhead() -> Duration {
    let looks = (0..32).map(|_| {
        let before = clock();
        clock().saturating_sub(before)
    });
    looks.min().unwrap_or_default()
}

/// A team of ranks that exist only in the model; the variant sees a team of processes.
#[derive(Debug)]
struct OnPaper<'a> {
    assumed: Assumptions,
    incumbent: &'a Incumbent,
    overhead: Duration,
    work: Mutex<ModelledWork>,
}

/// The work that the core does at present.
#[derive(Debug, Default)]
struct ModelledWork {
    /// The clock when it began.
    began: Duration,
    /// The best score that was known then.
    known: Option<Score>,
    /// `None` while the split is made.
    ranks: Option<Ranks>,
}

impl OnPaper<'_> {
    /// The search begins.
    fn begin(&self) {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        *work = ModelledWork::default();
        work.began = clock();
    }

    /// The sample with the time, the messages and the rises of the ranks.
    fn told(self, sample: Sample, anytime: bool) -> Sample {
        let work = self.work.into_inner();
        let ranks = work.unwrap_or_else(PoisonError::into_inner).ranks;
        let Some(mut ranks) = ranks.filter(|_| sample.outcome == Outcome::Solved) else {
            return Sample {
                rises: Vec::new(),
                ..sample
            };
        };
        let (took, relayed) = ranks.end();
        let rises = ranks.rises().into_iter().filter(|_| anytime);
        let rises = rises.map(|(after, score, rank)| Rise {
            after,
            score,
            worker: u32::try_from(rank).unwrap_or(u32::MAX),
        });
        let mut counters = sample.counters;
        counters.push(("bounds_relayed".into(), relayed));
        Sample {
            batch: Some(took),
            cpu: None,
            core: None,
            counters,
            rises: rises.collect(),
            ..sample
        }
    }
}

impl Team for OnPaper<'_> {
    fn size(&self) -> usize {
        self.assumed.ranks
    }

    fn number(&self) -> usize {
        0
    }

    fn next(&self) -> usize {
        let now = clock();
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let took = now.saturating_sub(work.began + self.overhead);
        let known = work.known;
        let ranks = match &mut work.ranks {
            None => {
                let ranks = Ranks::begin(self.assumed, took, self.incumbent.best());
                work.ranks.insert(ranks)
            }
            Some(ranks) => {
                let rises = self.incumbent.rises().into_iter();
                let news = rises.filter(|rise| Some(rise.score) != known);
                let news: Vec<_> = news.map(|rise| (rise.after, rise.score)).collect();
                ranks.end_turn(took, &news);
                ranks
            }
        };
        let (number, known) = ranks.next_turn();
        self.incumbent.reset();
        work.known = known;
        if let Some(known) = known {
            self.incumbent.improve(known);
        }
        work.began = clock();
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_one_of_modelled_time() {
        let sample = |outcome, ranks, took| {
            let sample = Sample {
                score: Some(732),
                batch: Some(Duration::from_millis(took)),
                ..Sample::failed(outcome, "")
            };
            within(Duration::from_millis(60), ranks, sample)
        };
        let stopped = sample(Outcome::Solved, 16, 95);
        let kept = (stopped.batch, stopped.score);
        assert_eq!(kept, (Some(Duration::from_millis(60)), None));
        let outcome = |given, ranks, took| sample(given, ranks, took).outcome;
        assert_eq!(outcome(Outcome::Solved, 16, 60), Outcome::Solved);
        assert_eq!(outcome(Outcome::Solved, 16, 61), Outcome::Timeout);
        // The time of the core, not of the ranks.
        assert_eq!(outcome(Outcome::Timeout, 16, 95), Outcome::Skipped);
        assert_eq!(outcome(Outcome::Timeout, 1, 95), Outcome::Timeout);
    }
}
