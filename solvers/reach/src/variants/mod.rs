//! The solvers, naive first. A variant is one file and one line in [`ALL`].
//!
//! The file of a variant contains a *kernel*, which answers for one start, or a whole solver.

mod arrivals;
mod avx2;
mod barred;
mod batch;
mod bitboard;
mod brute;
mod god_rules;
mod memo;
mod memo_flat;
mod slots;
mod stations;

use ikeru_core::{Attempt, BoxedSolve, Deadline, Refusal, Search, Solve, Variant, skip};

use crate::Reach;
use crate::answer::{Answer, Approximation, VertexSets, insert};
use crate::graph::Vertex;
use crate::grid::GridShape;
use crate::instance::{Instance, Question, Starts};
use crate::witness::Witness;

/// Every variant, naive first.
pub static ALL: [Variant<Reach>; 11] = [
    brute::VARIANT,
    memo::VARIANT,
    memo_flat::VARIANT,
    arrivals::VARIANT,
    bitboard::VARIANT,
    slots::VARIANT,
    batch::VARIANT,
    god_rules::AVOID_HOLDER,
    god_rules::MET_ANYBODY,
    stations::VARIANT,
    barred::VARIANT,
];

/// The name of the variant that is fastest on `instance`.
pub fn best(instance: &Instance) -> &'static str {
    let many = instance.question.starts == Starts::All;
    if instance.question.uturns {
        stations::VARIANT.name
    } else if GridShape::of(&instance.graph).is_some() {
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

/// The number of vertices above which most of a planar map is out of reach of a walk of `steps` steps, so that
/// visiting the reached vertices is faster than a pass over the whole map in each step (measured on railways: equal
/// at 10⁴ vertices and 48 steps).
fn frontier(steps: usize) -> u64 {
    4 * (steps as u64).pow(2)
}

/// Answers for one start.
trait StartKernel: Send {
    /// Fills the sets with the vertices that can be reached from `start`. Gives up when the deadline passes.
    fn answer(&mut self, start: Vertex, sets: Sets, search: &mut Search) -> InTime;

    /// [`answer`](Self::answer) for two starts, whose sets are those of two rows.
    fn answer_two(
        &mut self,
        starts: [Vertex; 2],
        rows: [usize; 2],
        answer: &mut Answer,
        search: &mut Search,
    ) -> InTime {
        for (start, row) in starts.into_iter().zip(rows) {
            self.answer(start, Sets::of(answer, row), search)?;
        }
        Ok(())
    }

    /// The relation of its god-free sets to the true sets, and without the god of its only ones.
    fn god_free_is(&self) -> Approximation {
        Approximation::Exact
    }

    /// The bytes of the tables that the preparation keeps or each question fills.
    fn table_bytes(&self) -> u64 {
        0
    }
}

/// The rows of an answer for one start, initially empty.
struct Sets<'a> {
    /// The reached vertices.
    reachable: &'a mut [u64],
    /// The vertices where the walk can end with the god on another player; `None` if no player holds it.
    god_free: Option<&'a mut [u64]>,
}

impl<'a> Sets<'a> {
    fn of(answer: &'a mut Answer, row: usize) -> Self {
        Self {
            reachable: answer.reachable.row_mut(row),
            god_free: answer.with_god.as_mut().map(|sets| sets.row_mut(row)),
        }
    }

    /// Adds a vertex where a walk can end; `elsewhere` if it can end there with the god on another player.
    #[inline(always)]
    fn add(&mut self, vertex: Vertex, elsewhere: bool) {
        insert(self.reachable, vertex);
        if let Some(row) = self.god_free.as_deref_mut()
            && elsewhere
        {
            insert(row, vertex);
        }
    }
}

/// The deadline passed.
struct TimeIsUp;

/// The result of work that the deadline may end.
type InTime = Result<(), TimeIsUp>;

/// The most bytes of the sets of an answer.
const MOST_ANSWER_BYTES: u128 = 1 << 30;

/// The first checks in the preparation of a variant without U-turns.
///
/// # Errors
/// Skips questions with U-turns and those that [`begin_with_uturns`] skips.
fn begin(instance: &Instance, deadline: Deadline) -> Result<(), Refusal> {
    if instance.question.uturns {
        skip!("never steps straight back: questions with uturns=true are for brute and stations");
    }
    begin_with_uturns(instance, deadline)
}

/// The first checks in every preparation.
///
/// # Errors
/// Skips questions whose answer would take more than a gibibyte; [`Refusal::Timeout`] if the deadline has passed.
fn begin_with_uturns(instance: &Instance, deadline: Deadline) -> Result<(), Refusal> {
    deadline.check()?;
    let vertices = instance.graph.vertices();
    let sets =
        instance.start_count() as u128 * (1 + u128::from(instance.question.holder().is_some()));
    let bytes = 8 * sets * VertexSets::row_words(vertices) as u128;
    if bytes > MOST_ANSWER_BYTES {
        skip!(
            "{sets} sets of {vertices} vertices take {bytes} bytes, at most {MOST_ANSWER_BYTES} are allowed"
        );
    }
    Ok(())
}

/// A solver made from a kernel: one start after another, then the route if a target was asked for.
struct PerStart<'a, K> {
    instance: &'a Instance,
    kernel: K,
}

impl<'a, K: StartKernel + 'a> PerStart<'a, K> {
    #[expect(clippy::new_ret_no_self, reason = "every use is a boxed solver")]
    fn new(instance: &'a Instance, kernel: K) -> BoxedSolve<'a, Reach> {
        Box::new(Self { instance, kernel })
    }
}

impl<K: StartKernel> Solve<Reach> for PerStart<'_, K> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        let mut answer = Answer::empty(self.instance);
        answer.god_free_is = self.kernel.god_free_is();
        // Slow kernels read the clock themselves; with a single start there is no reading here.
        let starts_per_look = || ((1 << 16) / (self.instance.question.steps + 1)).clamp(1, 1024);
        let mut ticker = None;
        let question = &self.instance.question;
        let rows = self.instance.start_count();
        let asked = |row: &usize| {
            *row < rows
                && question
                    .blocked
                    .binary_search(&self.instance.start(*row))
                    .is_err()
        };
        // The squares in a row of a grid alternate in colour, so two starts at distance 2 have the same colour and
        // can share steps.
        for row in (0..rows).filter(|row| row & 2 == 0) {
            if row > 0
                && ticker
                    .get_or_insert_with(|| search.deadline.ticker(starts_per_look() as u32))
                    .passed()
            {
                return Attempt::nothing();
            }
            let mut pair = [row, row + 2].into_iter().filter(asked);
            let done = match (pair.next(), pair.next()) {
                (Some(one), Some(two)) => {
                    let starts = [one, two].map(|row| self.instance.start(row));
                    self.kernel
                        .answer_two(starts, [one, two], &mut answer, search)
                }
                (Some(row), None) => {
                    let start = self.instance.start(row);
                    self.kernel
                        .answer(start, Sets::of(&mut answer, row), search)
                }
                _ => continue,
            };
            if let Err(TimeIsUp) = done {
                return Attempt::nothing();
            }
        }
        with_route(self.instance, answer, search)
    }

    fn table_bytes(&self) -> u64 {
        self.kernel.table_bytes()
    }
}

/// Adds the route if a target was asked for: a timeout if the deadline passes before it is reconstructed, or if that
/// needs more than a gibibyte of memory.
fn with_route(instance: &Instance, mut answer: Answer, search: &Search) -> Attempt<Answer> {
    if let Some(target) = instance.question.target
        && answer.reachable.contains(0, target)
    {
        let god_free = answer.god_free().contains(0, target);
        let Some(witness) = Witness::new(instance, 0, MOST_WITNESS_ENTRIES, search.deadline) else {
            return Attempt::nothing();
        };
        answer.route = witness.route(target, god_free);
    }
    match answer.god_free_is {
        Approximation::Exact => Attempt::proven(answer),
        Approximation::Inner | Approximation::Outer => Attempt::unproven(answer),
    }
}

/// The most entries of a witness, 8 bytes each.
const MOST_WITNESS_ENTRIES: usize = 1 << 27;

/// Refuses graphs of a degree above `most`.
fn refuse_degree_above(instance: &Instance, most: usize) -> Result<(), Refusal> {
    let degree = instance.graph.max_degree();
    if degree <= most {
        return Ok(());
    }
    Err(Refusal::skip(format!(
        "takes degrees up to {most}, this map has {degree}"
    )))
}

/// The answer to 0 steps: the start, god-free if another player holds the god.
fn stand_still(question: &Question, start: Vertex, mut sets: Sets) {
    sets.add(start, question.holder() != Some(0));
}
