//! The kernel for a board: frontier dynamic programming if the board has few columns, else matching.

use super::frontier::{EdgeCost, Frontier, MAX_COLUMNS};
use super::matching::Matching;

/// The fewest columns at which matching is faster.
// PERF: a T-join of a board of as many rows, random costs, frontier with AVX-512 and matching in one run (loaded Zen 4):
// 12 columns 65 and 84 µs, 13 columns 149 and 106, 14 columns 217 and 88, 16 columns 1,286 and 131 (bench `kernel`, which
// then had the frontier up to 16 columns). A busy machine delays the vectors more, so that 13 columns are left to the
// frontier.
const MATCHING_FROM: usize = MAX_COLUMNS + 1;

/// Finds best T-joins; keeps its memory between calls.
#[derive(Debug)]
pub struct JoinKernel<C> {
    method: Method<C>,
    columns: usize,
    rows: usize,
    /// The number of calls so far.
    pub calls: u64,
}

#[derive(Debug)]
enum Method<C> {
    Frontier(Frontier<C>),
    Matching(Box<Matching>),
}

impl<C: EdgeCost> JoinKernel<C> {
    /// The kernel for boards of `columns` × `rows`.
    pub fn new(columns: usize, rows: usize) -> Self {
        Self {
            method: if columns < MATCHING_FROM {
                Method::Frontier(Frontier::new(columns, rows))
            } else {
                Method::Matching(Box::new(Matching::new(columns, rows)))
            },
            columns,
            rows,
            calls: 0,
        }
    }

    /// Writes the best edge set whose odd vertices are exactly `odd` (one mask per row) to `passed`, one bit per
    /// edge, and returns its cost; `None` if there is none. `costs` has an entry per edge.
    pub fn best(&mut self, costs: &[C], odd: &[u64], passed: &mut [u64]) -> Option<C> {
        self.calls += 1;
        match &mut self.method {
            Method::Frontier(frontier) => frontier.best(costs, odd, passed),
            Method::Matching(matching) => matching.best(costs, odd, passed),
        }
    }

    /// The number of calls that take at most a few milliseconds: the interval at which a search checks its deadline.
    pub fn calls_per_look(&self) -> u32 {
        match &self.method {
            Method::Frontier(frontier) => frontier.calls_per_look(),
            Method::Matching(_) => ((1 << 12) / (self.columns * self.rows)).clamp(1, 64) as u32,
        }
    }

    /// Bytes of its tables.
    pub fn bytes(&self) -> u64 {
        match &self.method {
            Method::Frontier(frontier) => frontier.bytes(),
            Method::Matching(matching) => matching.bytes(),
        }
    }
}
