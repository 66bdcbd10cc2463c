//! The machinery that the depth-first variants share: each of them is a set of [`Rules`] over one kernel.
//!
//! | module | owns |
//! |---|---|
//! | [`edge_set`] | passed edges as a bit set of the right width |
//! | [`graph`] | the board as moves of one edge and of two |
//! | [`kernel`] | the search: goal test, prunings, counters, deadline |

pub mod edge_set;
pub mod graph;
pub mod kernel;

use ikeru_core::{Attempt, BoxedSolve, Deadline, Refusal, Search, Settings, Solve};

use crate::TrailProblem;
use crate::puzzle::{Answer, Puzzle, Trail};
use edge_set::{EdgeSet, WIDEST, Wide};
use graph::Graph;
use kernel::{Kernel, Rules, Tally};

/// Builds the solver of the edge-set width that a puzzle needs.
pub trait Build {
    /// The solver over edge sets `S`.
    fn build<'a, S: EdgeSet>(self, puzzle: &'a Puzzle) -> BoxedSolve<'a, TrailProblem>;
}

/// Chooses the narrowest edge set that holds the board's edges.
///
/// # Errors
/// Skips boards with more edges than the widest set holds.
pub fn by_width<'a>(
    puzzle: &'a Puzzle,
    build: impl Build,
) -> Result<BoxedSolve<'a, TrailProblem>, Refusal> {
    let edges = puzzle.board().operations().len();
    if edges <= u64::CAPACITY {
        Ok(build.build::<u64>(puzzle))
    } else if edges <= u128::CAPACITY {
        Ok(build.build::<u128>(puzzle))
    } else if edges <= Wide::CAPACITY {
        Ok(build.build::<Wide>(puzzle))
    } else {
        Err(Refusal::skip(format!(
            "depth-first search takes boards of up to {WIDEST} edges, this one has {edges}"
        )))
    }
}

/// The depth-first search under the rules that `R` gives for any edge set: a variant's `prepare`.
///
/// # Errors
/// Skips boards that are too large for an edge set.
pub fn prepare<'a, R: RuleSet>(
    puzzle: &'a Puzzle,
    _settings: &Settings,
    _: Deadline,
) -> Result<BoxedSolve<'a, TrailProblem>, Refusal> {
    struct Sequential<R>(std::marker::PhantomData<R>);
    impl<R: RuleSet> Build for Sequential<R> {
        fn build<'a, S: EdgeSet>(self, puzzle: &'a Puzzle) -> BoxedSolve<'a, TrailProblem> {
            Box::new(DepthFirst::<S, R::Of<S>> {
                puzzle,
                graph: Graph::new(puzzle),
                rules: R::Of::<S>::default(),
            })
        }
    }
    by_width(puzzle, Sequential::<R>(std::marker::PhantomData))
}

/// A name for the same rules over every edge set.
pub trait RuleSet: 'static {
    /// The rules over `S`.
    type Of<S: EdgeSet>: Rules<S>;
}

/// One thread, one search from the root.
struct DepthFirst<'a, S, R> {
    puzzle: &'a Puzzle,
    graph: Graph<S>,
    rules: R,
}

impl<S: EdgeSet, R: Rules<S>> Solve<TrailProblem> for DepthFirst<'_, S, R> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        self.rules.begin();
        let mut kernel = Kernel::new(
            &self.graph,
            &mut self.rules,
            search.incumbent,
            search.incumbent,
            search.deadline,
        );
        kernel.run(&self.graph.root(), self.puzzle.route());
        let tally = kernel.finish();
        attempt(search, tally)
    }

    fn table_bytes(&self) -> u64 {
        self.graph.bytes() + self.rules.bytes()
    }
}

/// Adds up the counters and turns what a search found into how it came back.
pub fn attempt(search: &mut Search, tally: Tally) -> Attempt<Answer> {
    for (name, amount) in tally.counters() {
        if amount > 0 {
            search.counters.add(name, amount);
        }
    }
    let best: Option<Trail> = tally.best;
    match tally.open_bound {
        None => Attempt::Solved(best),
        Some(open) => {
            let reached = best.as_ref().map_or(open, |trail| trail.score);
            Attempt::Timeout {
                bound: Some(open.max(reached)),
                best: best.map(Some),
            }
        }
    }
}
