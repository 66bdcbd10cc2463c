//! The same search by several threads: the boards after two placements are tasks, each thread takes
//! the next one. Under a shared bound every thread prunes with the best score of all.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ikeru_core::{Attempt, Search, Solve};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::deep::search::{Node, Searcher, Surroundings, Work};
use crate::deep::{Deep, Found, Position};
use crate::simulate::Simulator;

/// A searcher per thread, each with a table of its own.
pub struct Parallel<'a> {
    position: &'a Position,
    simulator: Simulator,
    table_bits: u32,
    searchers: Vec<Mutex<FullSearcher<'a>>>,
    pool: Option<ThreadPool>,
}

type FullSearcher<'a> = Searcher<'a, true, true, true, true>;

/// What a thread brings back.
struct Harvest {
    found: Found,
    work: Work,
    stopped: bool,
}

impl<'a> Parallel<'a> {
    /// Searchers of `position` with tables of `2^table_bits` boards.
    #[must_use]
    pub fn new(position: &'a Position, simulator: Simulator, table_bits: u32) -> Self {
        let mut parallel = Self {
            position,
            simulator,
            table_bits,
            searchers: Vec::new(),
            pool: None,
        };
        parallel.grow(1);
        parallel
    }

    fn grow(&mut self, threads: usize) {
        while self.searchers.len() < threads {
            let searcher = Searcher::new(self.position, self.simulator, self.table_bits);
            self.searchers.push(Mutex::new(searcher));
        }
    }

    /// A pool of exactly `threads` threads; `None` if the system has none to give.
    fn pool(&mut self, threads: usize) -> Option<&ThreadPool> {
        let fits = |pool: &ThreadPool| pool.current_num_threads() == threads;
        if !self.pool.as_ref().is_some_and(fits) {
            self.pool = ThreadPoolBuilder::new().num_threads(threads).build().ok();
        }
        self.pool.as_ref()
    }
}

impl Solve<Deep> for Parallel<'_> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Found> {
        let threads = search.threads.max(1);
        self.grow(threads);
        self.pool(threads);
        let Some(first) = self.searchers.first() else {
            return Attempt::Timeout {
                best: None,
                bound: None,
            };
        };
        let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
        let root = first.root();
        let mut pass = first.pass(Surroundings::of(search));
        let mut harvests = Vec::new();
        match &self.pool {
            Some(pool) if threads > 1 && self.position.depth > 2 => {
                let mut tasks = Vec::new();
                for child in pass.children(&root) {
                    tasks.extend(pass.children(&child));
                }
                harvests.push(Harvest {
                    found: pass.found,
                    work: pass.work,
                    stopped: pass.stopped,
                });
                drop(first);
                harvests.extend(share(pool, &self.searchers, &tasks, search));
            }
            _ => {
                pass.visit(&root);
                harvests.push(Harvest {
                    found: pass.found,
                    work: pass.work,
                    stopped: pass.stopped,
                });
            }
        }
        let stopped = harvests.iter().any(|harvest| harvest.stopped);
        for harvest in &harvests {
            harvest.work.add_to(&mut search.counters);
        }
        // The first of the best.
        let best = harvests
            .into_iter()
            .map(|harvest| harvest.found)
            .reduce(|best, other| {
                if other.value > best.value {
                    other
                } else {
                    best
                }
            });
        match best {
            Some(best) if !stopped => Attempt::Solved(best),
            best => Attempt::Timeout {
                best,
                bound: Some(root.bound),
            },
        }
    }

    fn table_bytes(&self) -> u64 {
        let bytes = |searcher: &Mutex<FullSearcher>| {
            searcher
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .table_bytes()
        };
        self.searchers.iter().map(bytes).sum()
    }
}

/// Every thread of the pool takes tasks until none is left.
fn share(
    pool: &ThreadPool,
    searchers: &[Mutex<FullSearcher>],
    tasks: &[Node],
    search: &Search,
) -> Vec<Harvest> {
    let next = AtomicUsize::new(0);
    let surroundings = || Surroundings::of(search);
    pool.broadcast(|thread| {
        let mut searcher = searchers[thread.index()]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut pass = searcher.pass(surroundings());
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            pass.visit(task);
        }
        Harvest {
            found: pass.found,
            work: pass.work,
            stopped: pass.stopped,
        }
    })
}
