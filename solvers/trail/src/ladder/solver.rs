//! A variant over the kernel: the edge set that the board needs, the stack, and the attempt that a search returns.

use ikeru_core::{Attempt, BoxedSolve, Deadline, Prepared, Refusal, Search, Settings, Solve};

use super::edge_set::{EdgeSet, FixedSet, Large, WideSet};
use super::graph::MoveGraph;
use super::kernel::{Kernel, Memory, Rules, SearchTally};
use crate::TrailProblem;
use crate::puzzle::{Answer, Puzzle, Trail};
use crate::stack::{with_stack, without_stack};

/// Builds a solver for any width of edge sets.
pub trait BuildSolver {
    /// The solver over edge sets `S`.
    fn build<S: EdgeSet>(puzzle: &Puzzle) -> BoxedSolve<'_, TrailProblem>;
}

/// The most bytes for the sets of passed edges of one trail, one set for each of its edges.
const SETS: usize = 256 << 20;

/// A variant's `prepare`: the solver over the narrowest edge set that holds the board's edges.
///
/// # Errors
/// Skips boards whose sets of passed edges would take more than 256 MiB; or the deadline has passed.
pub fn prepare<'a, B: BuildSolver>(
    puzzle: &'a Puzzle,
    _: &Settings,
    deadline: Deadline,
) -> Prepared<'a, TrailProblem> {
    deadline.check()?;
    let edges = puzzle.board().operations().len();
    let sets = Large::bytes(edges).saturating_mul(edges);
    if edges <= u64::CAPACITY {
        Ok(B::build::<u64>(puzzle))
    } else if edges <= u128::CAPACITY {
        Ok(B::build::<u128>(puzzle))
    } else if edges <= WideSet::CAPACITY {
        Ok(B::build::<WideSet>(puzzle))
    } else if sets <= SETS {
        Ok(B::build::<Large>(puzzle))
    } else {
        Err(Refusal::skip(format!(
            "depth-first search keeps a set of passed edges for each edge of a trail: {} MiB for the {edges} edges of this board, at most {}",
            sets >> 20,
            SETS >> 20
        )))
    }
}

/// A variant that is defined by its rules: one thread, one search from the root.
impl<R: Rules> BuildSolver for R {
    fn build<S: EdgeSet>(puzzle: &Puzzle) -> BoxedSolve<'_, TrailProblem> {
        Box::new(DepthFirst::<S, R> {
            puzzle,
            graph: MoveGraph::new(puzzle),
            memory: R::Memory::new(puzzle.board().operations().len()),
        })
    }
}

struct DepthFirst<'a, S: EdgeSet, R: Rules> {
    puzzle: &'a Puzzle,
    graph: MoveGraph<S>,
    memory: R::Memory<S>,
}

impl<S: EdgeSet, R: Rules> Solve<TrailProblem> for DepthFirst<'_, S, R> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        self.memory.begin();
        let Self {
            puzzle,
            graph,
            memory,
        } = self;
        let (incumbent, deadline) = (search.incumbent, search.deadline);
        let run = || {
            let mut kernel = Kernel::<S, R>::new(graph, memory, incumbent, incumbent, deadline);
            kernel.run(&graph.root(), puzzle.route());
            kernel.finish()
        };
        match with_stack(puzzle.board().operations().len(), run) {
            Some(tally) => attempt(search, tally),
            None => without_stack(search),
        }
    }

    fn table_bytes(&self) -> u64 {
        self.graph.bytes() + self.memory.bytes()
    }
}

/// Adds the counters to `search` and returns the attempt for the result of a search.
pub fn attempt(search: &mut Search, tally: SearchTally) -> Attempt<Answer> {
    for (name, amount) in tally.counters() {
        search.counters.add(name, amount);
    }
    let best: Option<Trail> = tally.best;
    match tally.open_bound {
        None => Attempt::proven(best),
        Some(open) => {
            let reached = best.as_ref().map_or(open, |trail| trail.score);
            Attempt::Timeout {
                bound: Some(open.max(reached)),
                best: best.map(Some),
            }
        }
    }
}
