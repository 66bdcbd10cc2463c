//! A problem on trial: small instances of it, and what its variants answer to them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::specimen::{self, Specimen};
use crate::{
    AnyInstance, AnyProblem, AnySolver, Deadline, Ended, Incumbent, Search, Settings, VariantInfo,
};

/// Small instances of each generator.
const SPECIMENS: u64 = 4;

/// How long a variant may take for a small instance before it is left alone.
pub(super) const LIMIT: Duration = Duration::from_millis(150);

/// A stop is given after this time.
const STOP_AFTER: Duration = Duration::from_millis(30);

/// A problem with the instances that it is tried on.
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

    /// Lets `solver` answer; its counters.
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

    /// Lets `solver` answer; the certificate of a proven answer, if it writes one.
    pub(super) fn certify(&self, solver: &mut dyn AnySolver, deadline: Deadline) -> Option<String> {
        let incumbent = Incumbent::new(self.problem.direction());
        solver.certify(&mut Search {
            deadline,
            ..Search::new(&incumbent)
        })
    }

    /// As [`solve`](Subject::solve), stopped soon after.
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

    /// What every variant answers to every small instance in time.
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
