//! The solvers, naive first. A variant is one file and one line in [`ALL`].
//!
//! A variant's file holds a *kernel*, which answers for one start, or a solver of its own.

mod arrivals;
mod avx2;
mod batch;
mod bitboard;
mod brute;
mod memo;
mod memo_flat;
mod slots;

use ikeru_core::{Attempt, BoxedSolve, Refusal, Search, Solve, Source, Variant};

use crate::Reach;
use crate::answer::{Answer, insert};
use crate::graph::Vertex;
use crate::grid::Grid;
use crate::instance::{Instance, Question, Starts};
use crate::witness::Witness;

/// Every variant, naive first.
pub static ALL: [Variant<Reach>; 7] = [
    brute::VARIANT,
    memo::VARIANT,
    memo_flat::VARIANT,
    arrivals::VARIANT,
    bitboard::VARIANT,
    slots::VARIANT,
    batch::VARIANT,
];

const fn article(name: &'static str, section: &'static str) -> Source {
    Source::Article { name, section }
}

/// The name of the fastest variant that takes `instance`.
#[must_use]
pub fn best(instance: &Instance) -> &'static str {
    let many = instance.question.starts == Starts::All;
    if Grid::of(&instance.graph).is_some() {
        bitboard::VARIANT.name
    } else if many && instance.question.holder().is_none() {
        batch::VARIANT.name
    } else if instance.graph.vertices() as u64 > frontier(instance.question.steps) {
        memo_flat::VARIANT.name
    } else if instance.graph.max_degree() <= slots::MOST_DEGREE {
        slots::VARIANT.name
    } else {
        arrivals::VARIANT.name
    }
}

/// Maps with more vertices than this are mostly out of reach of a planar walk of `steps`, so that
/// visiting what is reached beats a pass over the whole map with each step (measured on railways:
/// equal at 10⁴ vertices and 48 steps).
fn frontier(steps: usize) -> u64 {
    4 * (steps as u64).pow(2)
}

/// Answers for one start.
trait Kernel: Send {
    /// Fills the rows with what can be reached from `start`; both come empty, and `god_free` is
    /// there if somebody holds the god. Gives up when the deadline passes.
    fn answer(
        &mut self,
        start: Vertex,
        reachable: &mut [u64],
        god_free: Option<&mut [u64]>,
        search: &mut Search,
    ) -> Result<(), TimeIsUp>;

    /// Bytes that the preparation keeps.
    fn table_bytes(&self) -> u64 {
        0
    }
}

/// The deadline passed.
struct TimeIsUp;

/// A kernel as a solver: one start after another, then the route if a target is asked for.
struct PerStart<'a, K> {
    instance: &'a Instance,
    kernel: K,
}

impl<'a, K: Kernel + 'a> PerStart<'a, K> {
    #[expect(clippy::new_ret_no_self, reason = "every use is a boxed solver")]
    fn new(instance: &'a Instance, kernel: K) -> BoxedSolve<'a, Reach> {
        Box::new(Self { instance, kernel })
    }
}

impl<K: Kernel> Solve<Reach> for PerStart<'_, K> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        let mut answer = Answer::empty(self.instance);
        for row in 0..self.instance.start_count() {
            let start = self.instance.start(row);
            if self.instance.question.blocked.binary_search(&start).is_ok() {
                continue;
            }
            let reachable = answer.reachable.row_mut(row);
            let god_free = answer.with_god.as_mut().map(|sets| sets.row_mut(row));
            if let Err(TimeIsUp) = self.kernel.answer(start, reachable, god_free, search) {
                return Attempt::Timeout {
                    best: None,
                    bound: None,
                };
            }
        }
        add_route(self.instance, &mut answer);
        Attempt::Solved(answer)
    }

    fn table_bytes(&self) -> u64 {
        self.kernel.table_bytes()
    }
}

/// Reconstructs the route if a target is asked for.
fn add_route(instance: &Instance, answer: &mut Answer) {
    if let Some(target) = instance.question.target
        && answer.reachable.contains(0, target)
    {
        let god_free = answer.god_free().contains(0, target);
        let witness = Witness::new(instance, 0, usize::MAX);
        answer.route = witness.and_then(|witness| witness.route(target, god_free));
    }
}

/// Refuses graphs whose degree is more than `most`.
fn refuse_degree_above(instance: &Instance, most: usize) -> Result<(), Refusal> {
    let degree = instance.graph.max_degree();
    if degree <= most {
        return Ok(());
    }
    Err(Refusal::skip(format!(
        "takes degrees up to {most}, this map has {degree}"
    )))
}

/// The answer to 0 steps: the start, god-free if somebody else holds the god.
fn stand_still(
    question: &Question,
    start: Vertex,
    reachable: &mut [u64],
    god_free: Option<&mut [u64]>,
) {
    insert(reachable, start);
    if let Some(row) = god_free
        && question.holder() != Some(0)
    {
        insert(row, start);
    }
}
