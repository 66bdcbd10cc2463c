//! Best T-joins by frontier dynamic programming (also called broken-profile dynamic programming).
//!
//! # The recurrence
//! Rows are processed from the top. The frontier consists of the vertical edges below the current row. A state has
//! one bit per column: whether its vertical edge must be passed to give the vertex above it the right parity.
//! `values[s]` is the best cost so far. A horizontal edge pairs the states `s` and `s ^ 3 << column`: passing it
//! flips both parities. At the end of a row the state determines the vertical edges, so that one addition per state
//! adds all of their costs. A vertex of T flips a parity permanently: a mask of flips is kept instead of permuting
//! the values.
//!
//! The number of vertical edges between two rows has the parity of T above them, so the last column follows from the
//! others: there are 2^(columns − 1) states. One decision bit per state and horizontal edge records whether the edge
//! was passed; tracing these bits back gives the edges.
//!
//! # Numbers
//! A missing edge costs [`Number::ABSENT`]. The caller keeps sums of real costs within [`Number::LIMIT`]. States
//! without a T-join stay below `ABSENT / 2`, and sums are clamped at `ABSENT`, so that nothing overflows.
//!
//! | module | owns |
//! |---|---|
//! | [`number`] | the types of cost |
//! | [`scan`] | the choice of the kernel |
//! | [`tables`] | the memory and its sizes |
//! | `portable` | the recurrence |
//! | `avx2`, `avx512` | the recurrence for eight and sixteen states at a time (with `unsafe`, as [`scan`]) |
//! | `back` | tracing back the edges of the best edge set |

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod back;
pub mod number;
mod portable;
pub mod scan;
pub mod tables;

pub use number::Number;
pub use scan::EdgeCost;
pub use tables::ScanKernel;
use tables::{Tables, parity};

/// The widest board: 2^12 states. On wider ones [`matching`](super::matching) is faster.
pub const MAX_COLUMNS: usize = 13;

/// Finds best T-joins; keeps its memory between calls.
#[derive(Debug)]
pub struct Frontier<C> {
    tables: Tables<C>,
    /// The number of calls so far.
    pub calls: u64,
}

impl<C: EdgeCost> Frontier<C> {
    /// A solver for boards of `columns` (at most [`MAX_COLUMNS`]) × `rows`.
    pub fn new(columns: usize, rows: usize) -> Self {
        let tables = Tables::new(columns, rows);
        Self { tables, calls: 0 }
    }

    /// Bytes of the tables for such a board.
    pub fn bytes_for(columns: usize, rows: usize) -> u64 {
        Tables::<C>::bytes_for(columns, rows)
    }

    /// The same as [`new`](Self::new) with `kernel` as the fastest kernel allowed, for comparison.
    pub fn limited(columns: usize, rows: usize, kernel: ScanKernel) -> Self {
        let mut frontier = Self::new(columns, rows);
        frontier.tables.kernel = kernel;
        frontier
    }

    /// Writes the best edge set whose odd vertices are exactly `odd` (one mask per row) to `passed`, one bit per
    /// edge, and returns its cost; `None` if there is none. `costs` has an entry per edge.
    pub fn best(&mut self, costs: &[C], odd: &[u64], passed: &mut [u64]) -> Option<C> {
        self.calls += 1;
        passed.fill(0);
        let tables = &mut self.tables;
        tables.values.fill(C::ABSENT);
        tables.values[0] = C::default();
        let flips = odd.iter().fold(0, |flips, row| flips ^ *row as u32);
        if parity(flips) == 1 {
            return None;
        }
        C::scan(tables, costs, odd);
        let state = (flips & tables.low_columns()) as usize;
        let best = tables.values[state];
        if best.present() {
            tables.trace(odd, state, flips, passed);
        }
        best.present().then_some(best)
    }

    /// The number of calls that take at most a few milliseconds: the interval at which a search checks its deadline.
    pub fn calls_per_look(&self) -> u32 {
        let tables = &self.tables;
        let work = tables.values.len() * tables.rows * tables.columns * 2;
        (((1 << 22) / work) as u32).clamp(1, 64)
    }

    /// Bytes of its tables.
    pub fn bytes(&self) -> u64 {
        let tables = &self.tables;
        Self::bytes_for(tables.columns, tables.rows)
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::Random;
    use ikeru_core::testing::trials;

    use super::*;
    use crate::tjoin::grid::edges_of;

    /// An empty edge set that is large enough for the boards here.
    const NONE: [u64; 16] = [0; 16];

    fn costs_of(columns: usize, rows: usize) -> i64 {
        (rows * (columns - 1) + (rows - 1) * columns) as i64
    }

    fn random_costs(random: &mut Random, columns: usize, rows: usize) -> (Vec<i32>, Vec<u64>) {
        let edges = costs_of(columns, rows);
        let mut cost = || {
            if random.chance(0.15) {
                i32::ABSENT
            } else {
                random.between(-9, 9) as i32
            }
        };
        let costs = (0..edges).map(|_| cost()).collect();
        let mut odd = vec![0; rows];
        for _ in 0..2 * random.below(3) {
            odd[random.index(rows)] ^= 1 << random.index(columns);
        }
        (costs, odd)
    }

    /// The odd vertices of an edge set.
    fn odd_vertices(
        columns: usize,
        rows: usize,
        edges: impl IntoIterator<Item = usize>,
    ) -> Vec<u64> {
        let mut parities = vec![0_u64; rows];
        let horizontal = rows * (columns - 1);
        for edge in edges {
            if edge < horizontal {
                parities[edge / (columns - 1)] ^= 3 << (edge % (columns - 1));
            } else {
                let (row, column) = ((edge - horizontal) / columns, (edge - horizontal) % columns);
                parities[row] ^= 1 << column;
                parities[row + 1] ^= 1 << column;
            }
        }
        parities
    }

    /// The cost of the best T-join, by trying all edge sets.
    fn by_trial(columns: usize, rows: usize, costs: &[i32], odd: &[u64]) -> Option<i32> {
        let mut best = None;
        for set in 0_u32..1 << costs.len() {
            let edges = || (0..costs.len()).filter(|edge| set >> edge & 1 == 1);
            let sum: i64 = edges().map(|edge| i64::from(costs[edge])).sum();
            if odd_vertices(columns, rows, edges()) == odd && sum > i64::from(i32::ABSENT / 2) {
                best = best.max(Some(sum as i32));
            }
        }
        best
    }

    #[test]
    fn frontier_dynamic_programming_finds_what_trying_all_edge_sets_finds() {
        let mut random = Random::new("kernel by trial", 1);
        for (columns, rows) in [(1, 2), (1, 5), (2, 2), (2, 4), (3, 3)] {
            for _ in 0..40 {
                let (costs, odd) = random_costs(&mut random, columns, rows);
                let mut passed = NONE;
                let best = Frontier::new(columns, rows).best(&costs, &odd, &mut passed);
                let expected = by_trial(columns, rows, &costs, &odd);
                assert_eq!(best, expected, "{columns} x {rows} {costs:?} {odd:?}");
                if let Some(best) = best {
                    let sum: i32 = edges_of(&passed).map(|edge| costs[usize::from(edge)]).sum();
                    assert_eq!(best, sum);
                }
            }
        }
    }

    #[test]
    fn every_path_gives_the_same_edges() {
        let mut random = Random::new("kernel paths", 1);
        let widest = if cfg!(miri) { 6 } else { MAX_COLUMNS };
        for columns in 1..=widest {
            let rows = if columns < 10 { columns + 1 } else { 4 };
            let mut vector = Frontier::new(columns, rows);
            let mut avx2 = Frontier::limited(columns, rows, ScanKernel::Avx2);
            let mut portable = Frontier::limited(columns, rows, ScanKernel::Portable);
            let mut wide = Frontier::<i64>::new(columns, rows);
            let (mut a, mut b, mut c) = (NONE, NONE, NONE);
            let (mut d, most) = (NONE, i32::LIMIT / costs_of(columns, rows) / 9);
            for round in 0..trials(if columns < 10 { 300 } else { 40 }) {
                let (mut costs, odd) = random_costs(&mut random, columns, rows);
                if round % 2 == 1 {
                    let present = costs.iter_mut().filter(|cost| cost.present());
                    present.for_each(|cost| *cost *= most as i32);
                }
                let widened: Vec<i64> = costs
                    .iter()
                    .map(|cost| {
                        if cost.present() {
                            cost.wide()
                        } else {
                            i64::ABSENT
                        }
                    })
                    .collect();
                let best = vector.best(&costs, &odd, &mut a);
                assert_eq!(best, portable.best(&costs, &odd, &mut b));
                assert_eq!(best, avx2.best(&costs, &odd, &mut d));
                let far = wide.best(&widened, &odd, &mut c);
                assert_eq!(best.map(i64::from), far);
                assert!(a == b && a == c && a == d, "{columns} columns");
                if let Some(best) = best {
                    let passed = || edges_of(&a).map(usize::from);
                    assert_eq!(odd_vertices(columns, rows, passed()), odd);
                    assert_eq!(best, passed().map(|edge| costs[edge]).sum::<i32>());
                }
            }
        }
    }
}
