//! `parallel`: the article's parallel form of `dfs+bound`. A breadth-first split gives a hundred subproblems per
//! thread; the threads of a pool take them in order. Under the shared policy all threads prune with one best score,
//! under the private policy each with a separate one.

use std::collections::VecDeque;

use ikeru_core::sync::atomic::{AtomicUsize, Ordering};
use ikeru_core::{
    Attempt, BoundPolicy, BoxedSolve, Direction, Incumbent, Score, Search, Solve, Threads, Variant,
};

use crate::TrailProblem;
use crate::ladder::AllPrunings;
use crate::ladder::edge_set::EdgeSet;
use crate::ladder::graph::MoveGraph;
use crate::ladder::kernel::{Kernel, SearchRoot, SearchTally};
use crate::ladder::solver::{BuildSolver, attempt, prepare};
use crate::puzzle::{Answer, Puzzle};
use crate::stack::{stack_bytes, with_stack, without_stack};

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "parallel",
    about: "Prunings 1–4 on all threads: a breadth-first split into 100 subproblems per thread.",
    source: "Challeran, その他高速化のためのアイディア (other ideas for speed: parallel)",
    exact: true,
    version: 2,
    settings: &[],
    prepare: prepare::<InParallel>,
};

/// Subproblems per thread, as in the article.
const SUBPROBLEMS_PER_THREAD: usize = 100;

struct InParallel;

impl BuildSolver for InParallel {
    fn build<S: EdgeSet>(puzzle: &Puzzle) -> BoxedSolve<'_, TrailProblem> {
        Box::new(Parallel::<S> {
            puzzle,
            graph: MoveGraph::new(puzzle),
            threads: Threads::with_stack(stack_bytes(puzzle.board().operations().len())),
        })
    }
}

struct Parallel<'a, S: EdgeSet> {
    puzzle: &'a Puzzle,
    graph: MoveGraph<S>,
    threads: Threads,
}

impl<S: EdgeSet> Solve<TrailProblem> for Parallel<'_, S> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        let root = SearchRoot {
            node: self.graph.root(),
            vertices: self.puzzle.route().to_vec(),
        };
        let mut memory = ();
        let own = Incumbent::new(Direction::Maximize);
        let (watched, deadline) = (search.incumbent, search.deadline);
        let mut splitter =
            Kernel::<S, AllPrunings>::new(&self.graph, &mut memory, &own, watched, deadline);
        let subproblems = splitter.split(root, search.threads * SUBPROBLEMS_PER_THREAD);
        let split = splitter.finish();
        let shared = &*search;
        // Every worker may start with the best score of the split.
        let known = split.best.as_ref().map_or(Score::MIN, |trail| trail.score);
        let next = AtomicUsize::new(0);
        let take = || next.fetch_add(1, Ordering::Relaxed);
        let work = || worker(&self.graph, &subproblems, &take, shared, known);
        let edges = self.puzzle.board().operations().len();
        let threads = search.threads;
        let many = (threads > 1).then(|| self.threads.broadcast(threads, |_| work()));
        let found = match many.flatten() {
            Some(found) => found,
            None => match with_stack(edges, work) {
                Some(tally) => vec![tally],
                None => return without_stack(search),
            },
        };
        let tally = found.into_iter().fold(split, SearchTally::merge);
        attempt(search, tally)
    }

    fn table_bytes(&self) -> u64 {
        self.graph.bytes()
    }
}

/// Takes subproblems until none is left. Under the private policy each subproblem begins with the best score of the
/// split, as in the first version of the article's program, which made a new solver for each subproblem.
fn worker<S: EdgeSet>(
    graph: &MoveGraph<S>,
    subproblems: &VecDeque<SearchRoot<S>>,
    take: &dyn Fn() -> usize,
    search: &Search,
    known: Score,
) -> SearchTally {
    let own = Incumbent::new(Direction::Maximize);
    let private = search.bound_policy == BoundPolicy::Private;
    let incumbent = if private { &own } else { search.incumbent };
    let mut memory = ();
    let (watched, deadline) = (search.incumbent, search.deadline);
    let mut kernel =
        Kernel::<S, AllPrunings>::new(graph, &mut memory, incumbent, watched, deadline);
    while let Some(subproblem) = subproblems.get(take()) {
        if private {
            own.reset();
            own.improve(known);
        }
        kernel.run_subproblem(subproblem);
    }
    kernel.finish()
}
