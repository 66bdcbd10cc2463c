//! The problem under test: its instances, and the answers of its variants to the small ones.

use crate::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(super) use super::specimen::LIMIT;
use super::specimen::{self, Specimen};
use crate::{
    AnyInstance, AnyProblem, AnySolver, Deadline, Ended, Incumbent, Search, Settings, VariantInfo,
};

/// The number of small instances per generator.
const SPECIMENS: u64 = 4;

/// The time after which a search is stopped.
const STOP_AFTER: Duration = Duration::from_millis(30);

/// A problem with the instances on which it is tested.
pub(super) struct Subject {
    pub(super) problem: &'static dyn AnyProblem,
    pub(super) seed: u64,
    pub(super) small: Vec<Specimen>,
    pub(super) large: Vec<Specimen>,
}

impl Subject {
    pub(super) fn new(problem: &'static dyn AnyProblem, seed: u64) -> Result<Self, String> {
        let (mut small, mut large) = (Vec::new(), Vec::new());
        for generator in problem.generators() {
            large.push(specimen::default(problem, &generator, seed)?);
            for number in 0..SPECIMENS {
                small.push(specimen::small(problem, &generator, seed + number)?);
            }
        }
        Ok(Self {
            problem,
            seed,
            small,
            large,
        })
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Specimen> {
        self.small.iter().chain(&self.large)
    }

    /// Lets `solver` answer; returns its counters.
    pub(super) fn solve(
        &self,
        solver: &mut dyn AnySolver,
        deadline: Deadline,
    ) -> Vec<(&'static str, u64)> {
        let incumbent = Incumbent::new(self.problem.direction());
        let mut search = Search {
            deadline,
            ..Search::new(&incumbent)
        };
        solver.solve(&mut search);
        search.counters.iter().collect()
    }

    /// The same as [`solve`](Subject::solve) without a time limit; sets a stop flag after [`STOP_AFTER`].
    pub(super) fn solve_until_stopped(
        &self,
        solver: &mut dyn AnySolver,
    ) -> Vec<(&'static str, u64)> {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(STOP_AFTER);
                stop.store(true, Ordering::Relaxed);
            });
            self.solve(solver, Deadline::never().or_stop(&stop))
        })
    }

    /// The answers of every variant to every small instance that it solves within [`LIMIT`].
    pub(super) fn answers(&self) -> Vec<AnsweredSpecimen<'_>> {
        let mut answers = Vec::new();
        for specimen in &self.small {
            for variant in self.problem.variants() {
                let Some(mut solver) = prepare(specimen.instance.as_ref(), &variant) else {
                    continue;
                };
                let counters = self.solve(solver.as_mut(), Deadline::after(LIMIT));
                if solver.ended() == Some(Ended::Solved) {
                    answers.push(AnsweredSpecimen {
                        specimen,
                        who: format!("{} on {}", variant.name, specimen.name),
                        is_exact: variant.exact,
                        solver,
                        counters,
                    });
                }
            }
        }
        answers
    }
}

/// A solver that has just answered.
pub(super) struct AnsweredSpecimen<'a> {
    pub(super) specimen: &'a Specimen,
    pub(super) who: String,
    pub(super) is_exact: bool,
    pub(super) solver: Box<dyn AnySolver + 'a>,
    pub(super) counters: Vec<(&'static str, u64)>,
}

pub(super) fn prepare<'a>(
    instance: &'a dyn AnyInstance,
    variant: &VariantInfo,
) -> Option<Box<dyn AnySolver + 'a>> {
    let ready = instance.prepare(variant.name, &Settings::new(), Deadline::after(LIMIT));
    ready.ok()
}
