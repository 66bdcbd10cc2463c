//! `parallel-spawn`: the parallel form that the article gave up because creating threads is expensive.
//!
//! There is no pool and no split in advance. While fewer threads run than allowed, a node starts a new thread for its
//! next child; else it searches the child itself. The search creates thousands of threads. From `DEPTH` moves below the
//! root on, nodes are searched by the [kernel](crate::ladder::kernel) without new threads.

use std::panic::resume_unwind;

use ikeru_core::sync::atomic::{AtomicUsize, Ordering};
use ikeru_core::sync::thread::{self, Builder, Scope, ScopedJoinHandle};
use ikeru_core::{Attempt, BoxedSolve, Search, Solve, Variant};

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
    name: "parallel-spawn",
    about: "Prunings 1–4 on all threads: a new thread for the child of any node while fewer run than may.",
    source: "Challeran, その他高速化のためのアイディア (other ideas for speed: parallel, the first attempt)",
    exact: true,
    version: 2,
    settings: &[],
    prepare: prepare::<Spawning>,
};

/// The number of moves of two edges below the root within which children may get threads.
const DEPTH: u32 = 8;

struct Spawning;

impl BuildSolver for Spawning {
    fn build<S: EdgeSet>(puzzle: &Puzzle) -> BoxedSolve<'_, TrailProblem> {
        Box::new(ParallelSpawn::<S> {
            puzzle,
            graph: MoveGraph::new(puzzle),
        })
    }
}

struct ParallelSpawn<'a, S: EdgeSet> {
    puzzle: &'a Puzzle,
    graph: MoveGraph<S>,
}

impl<S: EdgeSet> Solve<TrailProblem> for ParallelSpawn<'_, S> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        let edges = self.puzzle.board().operations().len();
        let root = SearchRoot {
            node: self.graph.root(),
            vertices: self.puzzle.route().to_vec(),
        };
        let run = SpawningRun {
            graph: &self.graph,
            search,
            stack: stack_bytes(edges),
            running: AtomicUsize::new(1),
            spawned: AtomicUsize::new(0),
        };
        let Some(tally) = with_stack(edges, || run.from(root)) else {
            return without_stack(search);
        };
        let spawned = run.spawned.into_inner() as u64;
        search.counters.add("threads_spawned", spawned);
        attempt(search, tally)
    }

    fn table_bytes(&self) -> u64 {
        self.graph.bytes()
    }
}

/// The state of a search that all of its threads share.
struct SpawningRun<'r, 's, S: EdgeSet> {
    graph: &'r MoveGraph<S>,
    search: &'r Search<'s>,
    stack: Option<usize>,
    /// The number of threads that run now.
    running: AtomicUsize,
    /// The number of threads created so far; `usize` because some consoles have no 64-bit atomics.
    spawned: AtomicUsize,
}

impl<S: EdgeSet> SpawningRun<'_, '_, S> {
    fn from(&self, root: SearchRoot<S>) -> SearchTally {
        self.with_kernel(|kernel| kernel.split(root, 1), 0)
    }

    /// Searches the subproblems that `begin` returns, `depth` moves below the root.
    fn with_kernel<C>(
        &self,
        begin: impl FnOnce(&mut Kernel<S, AllPrunings>) -> C,
        depth: u32,
    ) -> SearchTally
    where
        C: IntoIterator<Item = SearchRoot<S>>,
    {
        let mut memory = ();
        let (seen, deadline) = (self.search.incumbent, self.search.deadline);
        let mut kernel = Kernel::new(self.graph, &mut memory, seen, seen, deadline);
        let children = begin(&mut kernel);
        let mut tally = kernel.finish();
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for child in children {
                match self.spawn(scope, &child, depth) {
                    Some(thread) => threads.push(thread),
                    None => tally = std::mem::take(&mut tally).merge(self.search(&child, depth)),
                }
            }
            for thread in threads {
                let found = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
                tally = std::mem::take(&mut tally).merge(found);
            }
        });
        tally
    }

    /// Searches everything below `node`.
    fn search(&self, node: &SearchRoot<S>, depth: u32) -> SearchTally {
        if depth < DEPTH {
            return self.with_kernel(|kernel| kernel.children(node), depth + 1);
        }
        let mut memory = ();
        let (seen, deadline) = (self.search.incumbent, self.search.deadline);
        let mut kernel =
            Kernel::<S, AllPrunings>::new(self.graph, &mut memory, seen, seen, deadline);
        kernel.run_subproblem(node);
        kernel.finish()
    }

    /// A new thread for `node`; `None` if the allowed number of threads runs, or if the thread cannot be started.
    fn spawn<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        node: &SearchRoot<S>,
        depth: u32,
    ) -> Option<ScopedJoinHandle<'scope, SearchTally>> {
        let most = self.search.threads;
        let one_more = |running| (running < most).then_some(running + 1);
        let order = Ordering::Relaxed;
        self.running.fetch_update(order, order, one_more).ok()?;
        let builder = Builder::new();
        let builder = match self.stack {
            Some(bytes) => builder.stack_size(bytes),
            None => builder,
        };
        let node = node.clone();
        let thread = builder.spawn_scoped(scope, move || {
            let tally = self.search(&node, depth);
            self.running.fetch_sub(1, order);
            tally
        });
        match thread {
            Ok(thread) => {
                self.spawned.fetch_add(1, order);
                Some(thread)
            }
            Err(_) => {
                self.running.fetch_sub(1, order);
                None
            }
        }
    }
}
