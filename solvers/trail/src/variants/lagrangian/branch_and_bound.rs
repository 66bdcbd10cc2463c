//! Best-first branch and bound by one worker or by several workers with one queue.

use std::collections::BTreeMap;
use std::panic::resume_unwind;

use ikeru_core::sync::{Condvar, Mutex, MutexGuard, PoisonError, thread};
use ikeru_core::{Attempt, BoundPolicy, Direction, Incumbent, Score, Search, Ticker};

use super::evaluation::Context;
use super::model::Model;
use super::node::{Node, Priority};
use super::primal::BestTrail;
use super::relaxation::Status;
use super::workspace::Workspace;
use crate::puzzle::{Answer, Trail};
use crate::tjoin::frontier::EdgeCost;

/// Nodes branched between two dives of a worker: if all bounds are close, best-first search alone reaches
/// complete sequences late.
const BRANCHED_PER_DIVE: u32 = 16;

/// The most bytes of waiting nodes: with the tables of the dynamic program the search stays within 256 MiB.
pub const MEMORY: usize = 160 << 20;

/// The waiting nodes and the state of the search.
struct Queue<C> {
    /// The waiting nodes with their sizes in bytes.
    open: BTreeMap<Priority, (Node<C>, usize)>,
    serial: u64,
    /// The bytes of the nodes in `open`, and the most that they may take.
    bytes: usize,
    memory: usize,
    /// The number of workers that may still add nodes, and of all workers.
    busy: usize,
    workers: usize,
    interrupted: bool,
    /// The highest bound of the nodes that were given up when the deadline passed.
    given_up: Option<i64>,
}

impl<C: EdgeCost> Queue<C> {
    fn push(&mut self, node: Node<C>, bytes: usize) {
        self.serial += 1;
        self.bytes += bytes;
        self.open.insert(node.priority(self.serial), (node, bytes));
    }

    fn pop(&mut self) -> Option<Node<C>> {
        let (_, (node, bytes)) = self.open.pop_last()?;
        self.bytes -= bytes;
        Some(node)
    }

    /// The highest bound of the waiting nodes. `None` if they take more than half of the memory: then nodes are not
    /// suspended, because a suspended node takes more memory than an evaluated one.
    fn waiting(&self) -> Option<i64> {
        let highest = self.open.last_key_value();
        highest
            .filter(|_| self.bytes <= self.memory / 2)
            .map(|((bound, ..), _)| *bound)
    }

    fn full(&self) -> bool {
        self.bytes > self.memory
    }

    fn give_up(&mut self, bound: i64) {
        self.interrupted = true;
        self.given_up = self.given_up.max(Some(bound));
    }
}

/// The bound of the nodes that an interrupted search left open.
#[derive(Debug, Clone, Copy)]
pub struct Rest {
    /// An upper bound on the trails not searched; `None` if no bound is known.
    pub bound: Option<Score>,
    /// True if the memory was full.
    pub full: bool,
}

/// The queue of one worker or of several.
pub struct Shared<C> {
    queue: Mutex<Queue<C>>,
    changed: Condvar,
}

impl<C: EdgeCost> Shared<C> {
    /// An empty queue for this number of workers and bytes of nodes.
    pub fn new(workers: usize, memory: usize) -> Self {
        let queue = Queue {
            open: BTreeMap::new(),
            serial: 0,
            bytes: 0,
            memory,
            busy: workers,
            workers,
            interrupted: false,
            given_up: None,
        };
        Self {
            queue: Mutex::new(queue),
            changed: Condvar::new(),
        }
    }

    /// Removes a worker whose thread was not started.
    fn leave(&self) {
        let mut queue = self.lock();
        queue.busy -= 1;
        queue.workers -= 1;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queue<C>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds `nodes` to the queue.
    pub fn push(&self, nodes: Vec<Node<C>>) {
        let sizes: Vec<usize> = nodes.iter().map(Node::bytes).collect();
        let mut queue = self.lock();
        for (node, bytes) in nodes.into_iter().zip(sizes) {
            queue.push(node, bytes);
        }
        // PERF: `notify_all` is a system call even if no worker waits.
        if queue.busy < queue.workers {
            self.changed.notify_all();
        }
    }

    /// Ends the search. Returns the [`Rest`] if it was interrupted.
    fn end(self, model: &Model) -> Option<Rest> {
        let queue = self.queue.into_inner();
        let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
        queue.interrupted.then(|| {
            let full = queue.full();
            let open = queue.pop().map(|node| node.bound);
            let bound = queue.given_up.max(open).map(|bound| model.score(bound));
            Rest { bound, full }
        })
    }
}

/// Answers with `workers` (at least one), one thread for each; gives up if more than `memory` bytes of nodes wait.
pub fn solve<C: EdgeCost>(
    model: &Model,
    workers: &mut [Workspace<C>],
    search: &mut Search,
    memory: usize,
) -> Attempt<Answer> {
    let private = search.bound_policy == BoundPolicy::Private;
    let own: Vec<Incumbent> = workers
        .iter()
        .map(|_| Incumbent::new(Direction::Maximize))
        .collect();
    let best = |own| BestTrail::new(own, search.incumbent);
    let bests: Vec<BestTrail> = own.iter().map(best).collect();
    let shared = Shared::new(workers.len(), memory);
    let worker = |number: usize| TreeWorker {
        model,
        best: &bests[if private { number } else { 0 }],
        shared: &shared,
    };
    let every = workers[0].scratch.joins.calls_per_look();
    let ticker = || search.deadline.ticker(every);
    let root = vec![Node::root(model)];
    worker(0).dive(root, &mut workers[0], &mut ticker());
    let explore = |number: usize, workspace: &mut Workspace<C>| {
        worker(number).explore(workspace, &mut ticker());
    };
    on_threads(workers, explore, || shared.leave());
    count_work(search, workers);
    let trails = bests.into_iter().filter_map(BestTrail::into_trail);
    let best = trails.max_by_key(|trail| trail.score);
    attempt(search, best, shared.end(model))
}

/// Runs `work` with every workspace, one thread for each, and returns the results. Calls `absent` for each thread that
/// cannot be started.
pub fn on_threads<C: Send, T: Send>(
    workers: &mut [Workspace<C>],
    work: impl Fn(usize, &mut Workspace<C>) -> T + Sync,
    absent: impl Fn(),
) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let mut workspaces = workers.iter_mut().enumerate();
        let first = workspaces.next();
        let spawn = |(number, workspace)| {
            let run = move || work(number, workspace);
            let started = thread::Builder::new().spawn_scoped(scope, run);
            started.inspect_err(|_| absent()).ok()
        };
        let others: Vec<_> = workspaces.filter_map(spawn).collect();
        let first = first.map(|(number, workspace)| work(number, workspace));
        let others = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        first.into_iter().chain(others).collect()
    })
}

/// The attempt of a search that found `best` and left `rest` open.
pub fn attempt(search: &mut Search, best: Option<Trail>, rest: Option<Rest>) -> Attempt<Answer> {
    let Some(rest) = rest else {
        return Attempt::proven(best);
    };
    search.counters.add("memory_full", u64::from(rest.full));
    let reached = best.as_ref().map(|trail| trail.score);
    Attempt::Timeout {
        best: best.map(Some),
        bound: rest.bound.max(reached),
    }
}

/// One of the workers of a queue.
pub struct TreeWorker<'a, C: EdgeCost> {
    /// See [`Model`].
    pub model: &'a Model<'a>,
    /// The incumbent.
    pub best: &'a BestTrail<'a>,
    /// The queue.
    pub shared: &'a Shared<C>,
}

impl<C: EdgeCost> TreeWorker<'_, C> {
    /// The next node that is not fathomed; `None` if there is none and no worker may add one, or if the search is
    /// interrupted.
    fn next(&self, workspace: &mut Workspace<C>) -> Option<Node<C>> {
        let Shared { changed, .. } = self.shared;
        let mut queue = self.shared.lock();
        queue.busy -= 1;
        loop {
            queue.interrupted |= queue.full();
            if queue.interrupted || (queue.open.is_empty() && queue.busy == 0) {
                changed.notify_all();
                return None;
            }
            match queue.pop() {
                Some(node) if self.best.fathoms(self.model.score(node.bound)) => {
                    workspace.scratch.tally.fathomed += 1;
                }
                Some(node) => {
                    queue.busy += 1;
                    return Some(node);
                }
                None => queue = changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Evaluates `node`; returns it if it is suspended or to be branched.
    fn evaluate(
        &self,
        mut node: Node<C>,
        workspace: &mut Workspace<C>,
        ticker: &mut Ticker,
        dive: bool,
    ) -> Option<Node<C>> {
        let context = Context {
            model: self.model,
            best: self.best,
            dive,
            waiting: &|| self.shared.lock().waiting(),
        };
        match context.evaluate(&mut node, workspace, ticker) {
            Status::Open => return Some(node),
            Status::Interrupted => self.shared.lock().give_up(node.bound),
            Status::FathomedByBound | Status::Infeasible => {}
        }
        None
    }

    /// Descends from `level`, always to the node with the highest bound, to find an incumbent.
    pub fn dive(&self, mut level: Vec<Node<C>>, workspace: &mut Workspace<C>, ticker: &mut Ticker) {
        loop {
            let evaluated = level.into_iter();
            let evaluated = evaluated.map(|node| self.evaluate(node, workspace, ticker, true));
            let mut open: Vec<Node<C>> = evaluated.flatten().collect();
            let Some(highest) = (0..open.len()).max_by_key(|index| open[*index].bound) else {
                return;
            };
            if open[highest].decisions.complete() {
                return self.shared.push(open);
            }
            let node = open.swap_remove(highest);
            level = node.children(node.branch.as_ref());
            self.shared.push(open);
        }
    }

    /// Takes nodes until none is left.
    pub fn explore(&self, workspace: &mut Workspace<C>, ticker: &mut Ticker) {
        let mut branched = 0;
        while self.step(&mut branched, workspace, ticker) {}
    }

    /// Takes a node and evaluates or branches it; returns false if none is left. `branched` counts the branched nodes.
    pub fn step(
        &self,
        branched: &mut u32,
        workspace: &mut Workspace<C>,
        ticker: &mut Ticker,
    ) -> bool {
        let Some(node) = self.next(workspace) else {
            return false;
        };
        if !node.evaluated {
            let open = self.evaluate(node, workspace, ticker, false);
            open.into_iter()
                .for_each(|node| self.shared.push(vec![node]));
            return true;
        }
        *branched += 1;
        let children = node.children(node.branch.as_ref());
        if branched.is_multiple_of(BRANCHED_PER_DIVE) {
            self.dive(children, workspace, ticker);
        } else {
            self.shared.push(children);
        }
        true
    }
}

/// The other workers would wait forever for the nodes of a worker that panics, so it ends their search.
impl<C: EdgeCost> Drop for TreeWorker<'_, C> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.shared.lock().interrupted = true;
            self.shared.changed.notify_all();
        }
    }
}

/// Adds up the workers' counters.
pub fn count_work<C>(search: &mut Search, workers: &[Workspace<C>]) {
    for workspace in workers {
        let tally = workspace.scratch.tally;
        search.counters.add("nodes", tally.nodes);
        search.counters.add("cuts_bound", tally.fathomed);
        search.counters.add("cuts_infeasible", tally.infeasible);
        search.counters.add("bound_iterations", tally.iterations);
        search.counters.add("connectivity_cuts", tally.cuts);
        search.counters.add("incumbents", tally.incumbents);
        search
            .counters
            .add("kernel_calls", workspace.scratch.joins.calls);
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::{Direction, Incumbent, Random};
    use std::sync::Arc;

    use super::*;
    use crate::puzzle::{EdgeOperation, Puzzle, PuzzleBoard};

    #[test]
    fn a_full_memory_leaves_the_best_trail_and_a_bound() {
        let mut random = Random::new("trail full memory", 1);
        let mut add = || EdgeOperation::Add(random.between(-2, 6));
        let mut operations: Vec<EdgeOperation> = (0..60).map(|_| add()).collect();
        for edge in [5, 20, 41, 58] {
            operations[edge] = EdgeOperation::Multiply(3);
        }
        let board = Arc::new(PuzzleBoard::new(6, 6, operations).expect("a board"));
        let puzzle = Puzzle::new(board, vec![0], 35).expect("a question");
        let model = Model::new::<i32>(&puzzle).expect("small numbers");
        let solve = |threads: usize, memory| {
            let mut workers: Vec<Workspace<i32>> =
                (0..threads).map(|_| Workspace::new(&model)).collect();
            let incumbent = Incumbent::new(Direction::Maximize);
            let mut search = Search::new(&incumbent);
            let attempt = solve(&model, &mut workers, &mut search, memory);
            (attempt, search.counters.get("memory_full"))
        };
        let (
            Attempt::Solved {
                answer: Some(optimum),
                ..
            },
            0,
        ) = solve(1, MEMORY)
        else {
            panic!("not solved");
        };
        for (threads, memory) in [(1, 0), (1, 4_000), (2, 4_000)] {
            let (Attempt::Timeout { best, bound }, 1) = solve(threads, memory) else {
                panic!("solved within {memory} bytes");
            };
            let best = best.flatten().expect("a trail");
            assert!(best.score <= optimum.score && Some(optimum.score) <= bound);
        }
    }

    #[test]
    fn a_worker_that_panics_leaves_nobody_waiting() {
        let operations = vec![EdgeOperation::Add(1); 4];
        let board = Arc::new(PuzzleBoard::new(2, 2, operations).expect("a board"));
        let puzzle = Puzzle::new(board, vec![0], 3).expect("a question");
        let model = Model::new::<i32>(&puzzle).expect("small numbers");
        let shared = Shared::new(2, MEMORY);
        let incumbent = Incumbent::new(Direction::Maximize);
        let worker = |best| TreeWorker {
            model: &model,
            best,
            shared: &shared,
        };
        let best = &BestTrail::new(&incumbent, &incumbent);
        thread::scope(|scope| {
            let waits = scope.spawn(|| {
                let mut workspace = Workspace::<i32>::new(&model);
                worker(best).next(&mut workspace).is_none()
            });
            let panics = scope.spawn(|| {
                let _worker = worker(best);
                resume_unwind(Box::new("on purpose"));
            });
            assert!(panics.join().is_err());
            assert!(waits.join().expect("no panic of its own"), "sent home");
        });
        // The thread of one worker is not started: the other does not wait for it.
        let shared = Shared::<i32>::new(2, MEMORY);
        shared.leave();
        let other = TreeWorker {
            model: &model,
            best,
            shared: &shared,
        };
        assert!(other.next(&mut Workspace::<i32>::new(&model)).is_none());
    }
}
