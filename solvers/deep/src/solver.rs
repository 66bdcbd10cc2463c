//! A prepared search. With several threads the boards after two placements are tasks, and each thread takes the next
//! task. The first thread begins alone; the others are started if tasks are left after `HEAD_START`. Under a shared
//! bound every thread prunes with the best score of all threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ikeru_chain::simulate::Simulator;
use ikeru_core::{Attempt, Score, Search, Solve, Threads};

use crate::Deep;
use crate::position::{Found, Position};
use crate::search::{BoardNode, Ideas, Pass, PassResult, SearchPlan};
use crate::table::TranspositionTable;

/// The time for which the first thread searches alone: starting others takes about 3 ms.
const HEAD_START: Duration = Duration::from_millis(10);

/// A plan of the search, and a table for each thread.
pub struct Solver<'a> {
    plan: SearchPlan<'a>,
    tables: Vec<Mutex<Option<TranspositionTable>>>,
    /// True if it uses all allowed threads, false if it uses one.
    parallel: bool,
    threads: Threads,
}

impl<'a> Solver<'a> {
    /// A solver of `position` that uses `ideas`, on one thread unless `parallel`.
    pub fn new(position: &'a Position, simulator: Simulator, ideas: Ideas, parallel: bool) -> Self {
        let mut solver = Self {
            plan: SearchPlan::new(position, simulator, ideas),
            tables: Vec::new(),
            parallel,
            threads: Threads::default(),
        };
        solver.grow(1);
        solver
    }

    /// Searches the whole tree or, if `divided`, only the first two placements; returns the results and the tasks,
    /// which are the boards after two placements.
    fn begin(&self, search: &Search, divided: bool) -> (PassResult, Vec<BoardNode>) {
        on_table(&self.tables[0], |table| {
            let root = self.plan.root();
            let mut pass = Pass::new(&self.plan, table, search, Found::default().value);
            let mut tasks = Vec::new();
            if divided {
                for child in pass.children(&root) {
                    tasks.extend(pass.children(&child));
                }
            } else {
                pass.visit(&root);
            }
            (pass.findings, tasks)
        })
    }

    /// The search of `tasks`, where `known` is the best score so far.
    fn share<'s, 'i>(
        &'s self,
        tasks: &'s [BoardNode],
        search: &'s Search<'i>,
        known: Score,
    ) -> Share<'s, 'i> {
        Share {
            plan: &self.plan,
            tables: &self.tables,
            tasks,
            search,
            known,
            next: AtomicUsize::new(0),
        }
    }

    /// Makes a table for each of `threads` threads.
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
        let divided = threads > 1 && self.plan.depth() > 2;
        let (first, tasks) = self.begin(search, divided);
        let mut known = Found::default().value;
        let mut all = vec![first];
        let mut left = tasks.as_slice();
        if divided {
            let share = self.share(left, search, known);
            let early = share.take(0, Some(Instant::now() + HEAD_START));
            left = left.get(share.next.into_inner()..).unwrap_or_default();
            known = known.max(early.found.value);
            all.push(early);
        }
        if !left.is_empty() {
            self.grow(threads);
            // A pool is an independent field, so that the tasks can borrow the rest.
            let mut pools = std::mem::take(&mut self.threads);
            let share = self.share(left, search, known);
            let take = |thread| share.take(thread, None);
            let taken = pools
                .broadcast(threads, take)
                .unwrap_or_else(|| vec![take(0)]);
            all.extend(taken);
            self.threads = pools;
        }
        let stopped = all.iter().any(|findings| findings.stopped);
        for findings in &all {
            findings.counts.add_to(&mut search.counters);
        }
        // The first of several equally good chains.
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
                bound: Some(self.plan.root().bound),
            },
        }
    }

    fn table_bytes(&self) -> u64 {
        let bytes = |table: &mut Option<TranspositionTable>| {
            table.as_ref().map_or(0, TranspositionTable::bytes)
        };
        self.tables.iter().map(|table| on_table(table, bytes)).sum()
    }
}

fn on_table<T>(
    table: &Mutex<Option<TranspositionTable>>,
    work: impl FnOnce(&mut Option<TranspositionTable>) -> T,
) -> T {
    work(&mut table.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The tasks of a divided search.
struct Share<'a, 's> {
    plan: &'a SearchPlan<'a>,
    tables: &'a [Mutex<Option<TranspositionTable>>],
    tasks: &'a [BoardNode],
    search: &'a Search<'s>,
    /// The best score of the head start.
    known: Score,
    next: AtomicUsize,
}

impl Share<'_, '_> {
    /// Takes tasks until none is left or the time `until` has come, with the table of thread `number`.
    fn take(&self, number: usize, until: Option<Instant>) -> PassResult {
        on_table(&self.tables[number], |table| {
            let mut pass = Pass::new(self.plan, table, self.search, self.known);
            while let Some(task) = self.tasks.get(self.next.fetch_add(1, Ordering::Relaxed)) {
                pass.visit(task);
                if until.is_some_and(|until| Instant::now() >= until) {
                    break;
                }
            }
            pass.findings
        })
    }
}
