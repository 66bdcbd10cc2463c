//! A prepared search. With several threads the boards after two placements are tasks, and each thread
//! takes the next one; under a shared bound every thread prunes with the best score of all.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ikeru_chain::simulate::Simulator;
use ikeru_core::{Attempt, Search, Solve, Threads};
use rayon::ThreadPool;

use crate::Deep;
use crate::position::{Found, Position};
use crate::search::{Findings, Ideas, Node, Pass, Plan};
use crate::table::Table;

/// A plan of the search, and a table for each thread.
pub struct Solver<'a> {
    plan: Plan<'a>,
    tables: Vec<Mutex<Option<Table>>>,
    /// Whether it uses as many threads as it may.
    parallel: bool,
    threads: Threads,
}

impl<'a> Solver<'a> {
    /// A solver of `position` by `ideas`, on one thread unless `parallel`.
    pub fn new(position: &'a Position, simulator: Simulator, ideas: Ideas, parallel: bool) -> Self {
        let mut solver = Self {
            plan: Plan::new(position, simulator, ideas),
            tables: Vec::new(),
            parallel,
            threads: Threads::default(),
        };
        solver.grow(1);
        solver
    }

    /// Has a table for each of `threads` threads.
    fn grow(&mut self, threads: usize) {
        while self.tables.len() < threads {
            self.tables.push(Mutex::new(self.plan.table()));
        }
    }
}

impl Solve<Deep> for Solver<'_> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Found> {
        let threads = if self.parallel {
            search.threads.max(1)
        } else {
            1
        };
        self.grow(threads);
        let shared = threads > 1 && self.plan.depth() > 2;
        let pool = if shared {
            self.threads.pool(threads)
        } else {
            None
        };
        let root = self.plan.root();
        let mut all = Vec::new();
        let mut tasks = Vec::new();
        on_table(&self.tables[0], |table| {
            let mut pass = Pass::new(&self.plan, table, search);
            if pool.is_some() {
                for child in pass.children(&root) {
                    tasks.extend(pass.children(&child));
                }
            } else {
                pass.visit(&root);
            }
            all.push(pass.findings);
        });
        if let Some(pool) = pool {
            all.extend(share(pool, &self.plan, &self.tables, &tasks, search));
        }
        let stopped = all.iter().any(|findings| findings.stopped);
        for findings in &all {
            findings.counts.add_to(&mut search.counters);
        }
        // The first of the best.
        let better = |best: Found, other: Found| {
            if other.value > best.value {
                other
            } else {
                best
            }
        };
        let best = all
            .into_iter()
            .map(|findings| findings.found)
            .reduce(better);
        match best {
            Some(best) if !stopped => Attempt::proven(best),
            best => Attempt::Timeout {
                best,
                bound: Some(root.bound),
            },
        }
    }

    fn table_bytes(&self) -> u64 {
        let bytes = |table: &mut Option<Table>| table.as_ref().map_or(0, Table::bytes);
        self.tables.iter().map(|table| on_table(table, bytes)).sum()
    }
}

fn on_table<T>(table: &Mutex<Option<Table>>, work: impl FnOnce(&mut Option<Table>) -> T) -> T {
    work(&mut table.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Every thread of the pool takes tasks until none is left.
fn share(
    pool: &ThreadPool,
    plan: &Plan,
    tables: &[Mutex<Option<Table>>],
    tasks: &[Node],
    search: &Search,
) -> Vec<Findings> {
    let next = AtomicUsize::new(0);
    pool.broadcast(|thread| {
        on_table(&tables[thread.index()], |table| {
            let mut pass = Pass::new(plan, table, search);
            while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                pass.visit(task);
            }
            pass.findings
        })
    })
}
