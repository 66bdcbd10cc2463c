//! Contains `unsafe`: the call of the AVX2 kernel. Best T-joins by frontier dynamic programming (also called
//! broken-profile dynamic programming).
//!
//! # The recurrence
//! Rows are processed from the top. The frontier is cut by the vertical edges below the current row. A state says
//! for each column whether its vertical edge must be passed to give the vertex above its parity; `values[s]` is the
//! best cost so far. A horizontal edge pairs the states `s` and `s ^ 3 << column`: passing it flips both parities.
//! At the end of a row the vertical edges are decided by the state, so that one addition per state adds all of
//! them. A vertex of T flips its parity for good: instead of permuting the values a mask of flips is carried along.
//!
//! The number of vertical edges between two rows has the parity of T above them, so the last column
//! follows from the others: 2^(columns − 1) states. One bit per state and horizontal edge remembers
//! whether the edge was passed; following these bits back gives the edges.
//!
//! # Numbers
//! A missing edge costs [`Cost::ABSENT`]. Sums of real costs stay within [`Cost::LIMIT`] (the caller
//! sees to it), states without a T-join stay below `ABSENT / 2`, and sums are cut at `ABSENT`, so
//! that nothing overflows.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "functions for AVX2 are called where it was detected"
    )
)]

#[cfg(target_arch = "x86_64")]
mod avx2;

use std::ops::{Add, Range, Sub};

use super::grid::Edge;

/// The widest board: 2^23 states.
pub const MAX_COLUMNS: usize = 24;

/// The widest board whose rows are all scanned at once: 2^15 states, half a MiB of bits on a board of 16 x 16.
pub const COLUMNS_AT_ONCE: usize = 16;

/// Bytes of decisions that are kept at once on wider boards: the rest is scanned again on the way back.
const DECISIONS_AT_ONCE: usize = 72 << 20;

/// A type of cost.
pub trait Cost:
    Copy + Ord + Add<Output = Self> + Sub<Output = Self> + Default + Send + Sync + 'static
{
    /// The cost of a missing edge.
    const ABSENT: Self;
    /// The sum of all |cost| must not exceed this.
    const LIMIT: i64;
    /// From a number within `LIMIT`.
    fn of(number: i64) -> Self;
    /// As a number.
    fn wide(self) -> i64;
    /// Whether this is a real cost, or a real sum of costs.
    #[inline]
    fn present(self) -> bool {
        self.wide() > Self::ABSENT.wide() / 2
    }
    /// Scans all rows, filling values and decisions.
    fn scan(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32]);
    /// Scans a row of a wider board after those before it: values and, from the place `kept` on, decisions.
    fn scan_row(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32], row: usize, kept: usize) {
        tables.scan_row_portable(costs, odd, row, kept);
    }
}

impl Cost for i32 {
    const ABSENT: Self = -(1 << 28);
    const LIMIT: i64 = 1 << 26;
    #[inline]
    fn of(number: i64) -> Self {
        number as Self
    }
    #[inline]
    fn wide(self) -> i64 {
        i64::from(self)
    }
    fn scan(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32]) {
        #[cfg(target_arch = "x86_64")]
        if tables.vector && std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { avx2::scan(tables, costs, odd) };
        }
        tables.scan_portable(costs, odd);
    }
    fn scan_row(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32], row: usize, kept: usize) {
        #[cfg(target_arch = "x86_64")]
        if tables.vector && std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { avx2::scan_row(tables, costs, odd, row, kept) };
        }
        tables.scan_row_portable(costs, odd, row, kept);
    }
}

impl Cost for i64 {
    const ABSENT: Self = -(1 << 59);
    const LIMIT: i64 = 1 << 57;
    #[inline]
    fn of(number: i64) -> Self {
        number
    }
    #[inline]
    fn wide(self) -> i64 {
        self
    }
    fn scan(tables: &mut Tables<Self>, costs: &[Self], odd: &[u32]) {
        tables.scan_portable(costs, odd);
    }
}

/// The memory of the dynamic program.
#[derive(Debug)]
pub struct Tables<C> {
    columns: usize,
    rows: usize,
    /// Best cost of every state; at least eight, the superfluous ones stay absent.
    values: Vec<C>,
    /// A bit per horizontal edge and state: the edge was passed.
    decisions: Vec<u8>,
    /// Vertical costs by the state's bits from the fourth on.
    high: Vec<C>,
    vector: bool,
    /// Rows whose decisions are kept at once.
    rows_at_once: usize,
    /// The values before some row, one list for each halving of the rows.
    before: Vec<Vec<C>>,
}

/// Finds best T-joins; keeps its memory between calls.
#[derive(Debug)]
pub struct Frontier<C> {
    tables: Tables<C>,
    /// Calls so far.
    pub calls: u64,
}

impl<C: Cost> Frontier<C> {
    /// For boards of `columns` (at most [`MAX_COLUMNS`]) × `rows`.
    pub fn new(columns: usize, rows: usize) -> Self {
        Self::with_rows_at_once(columns, rows, rows_at_once(columns, rows))
    }

    /// The same with the decisions of so many rows (at least 1) kept at once.
    fn with_rows_at_once(columns: usize, rows: usize, rows_at_once: usize) -> Self {
        let states = states(columns);
        Self {
            tables: Tables {
                columns,
                rows,
                values: vec![C::ABSENT; states],
                decisions: vec![0; rows_at_once * (columns - 1) * states / 8],
                high: vec![C::default(); states / 8],
                vector: true,
                rows_at_once,
                before: vec![vec![C::ABSENT; states]; halvings(rows, rows_at_once)],
            },
            calls: 0,
        }
    }

    /// Bytes of the memory for such a board.
    pub fn bytes_for(columns: usize, rows: usize) -> u64 {
        let (states, at_once) = (states(columns), rows_at_once(columns, rows));
        let values = states * (1 + halvings(rows, at_once)) + states / 8;
        (values * size_of::<C>() + at_once * (columns - 1) * states / 8) as u64
    }

    /// The same without vector instructions, for comparison.
    pub fn portable(columns: usize, rows: usize) -> Self {
        let mut frontier = Self::new(columns, rows);
        frontier.tables.vector = false;
        frontier
    }

    /// The best edge set whose odd vertices are exactly `odd` (one mask per row), into `passed`, and
    /// its cost; `None` if there is none. `costs` has an entry per edge.
    pub fn best(&mut self, costs: &[C], odd: &[u32], passed: &mut Vec<Edge>) -> Option<C> {
        self.best_until(costs, odd, passed, &mut || false)
    }

    /// The same; `None` too if `stop` says so. It is asked before each row of a board that is not scanned at once.
    pub fn best_until(
        &mut self,
        costs: &[C],
        odd: &[u32],
        passed: &mut Vec<Edge>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<C> {
        self.calls += 1;
        passed.clear();
        let tables = &mut self.tables;
        let flips = odd.iter().fold(0, |flips, row| flips ^ row);
        if parity(flips) == 1 {
            return None;
        }
        tables.values.fill(C::ABSENT);
        tables.values[0] = C::default();
        let mut back = Back {
            state: (flips & tables.low_columns()) as usize,
            flips,
            best: C::ABSENT,
        };
        if tables.columns <= COLUMNS_AT_ONCE && tables.rows_at_once == tables.rows {
            C::scan(tables, costs, odd);
            back.best = tables.values[back.state];
            if back.best.present() {
                tables.trace(odd, 0..tables.rows, &mut back, passed);
            }
        } else {
            tables.halve(costs, odd, 0..tables.rows, 0, &mut back, passed, stop)?;
        }
        back.best.present().then_some(back.best)
    }

    /// Calls that take a few milliseconds at most: so often a search looks at its deadline.
    pub fn calls_per_look(&self) -> u32 {
        let tables = &self.tables;
        let work = tables.values.len() * tables.rows * tables.columns * 2;
        (((1 << 22) / work) as u32).clamp(1, 64)
    }

    /// Bytes of its memory.
    pub fn bytes(&self) -> u64 {
        let tables = &self.tables;
        Self::bytes_for(tables.columns, tables.rows)
    }
}

/// The way back through the rows: where it stands.
struct Back<C> {
    /// The state after the row.
    state: usize,
    /// The vertices of T down to the row, by column.
    flips: u32,
    /// The cost of the best edge set.
    best: C,
}

/// States of the frontier; at least eight.
fn states(columns: usize) -> usize {
    1 << (columns - 1).max(3)
}

/// Rows whose decisions are kept at once.
fn rows_at_once(columns: usize, rows: usize) -> usize {
    if columns <= COLUMNS_AT_ONCE {
        return rows;
    }
    let row = (columns - 1) * states(columns) / 8;
    (DECISIONS_AT_ONCE / row).clamp(1, rows)
}

/// How often `rows` are halved until so many are left.
fn halvings(rows: usize, rows_at_once: usize) -> usize {
    let mut left = rows;
    let mut halvings = 0;
    while left > rows_at_once {
        left = left.div_ceil(2);
        halvings += 1;
    }
    halvings
}

/// Whether the number of set bits is odd. Bits fold faster than they are counted: not every processor
/// has an instruction for that.
#[inline]
fn parity(bits: u32) -> u32 {
    let bits = bits ^ bits >> 16;
    let bits = bits ^ bits >> 8;
    let bits = bits ^ bits >> 4;
    PARITIES >> (bits & 15) & 1
}

/// [`parity`] of the numbers below 16.
const PARITIES: u32 = 0b0110_1001_1001_0110;

/// Extends the sums of the first `filled` states by one bit, for which `cost` is due: when it is set,
/// or when it is clear if `flipped`.
#[inline(always)]
fn double<C: Cost>(sums: &mut [C], filled: usize, cost: C, flipped: bool) {
    let (clear, set) = if flipped {
        (cost, C::default())
    } else {
        (C::default(), cost)
    };
    let (lower, upper) = sums.split_at_mut(filled);
    for (low, high) in lower.iter_mut().zip(upper) {
        *high = (*low + set).max(C::ABSENT);
        *low = (*low + clear).max(C::ABSENT);
    }
}

/// Sums of the vertical costs of the columns from the fourth on, for each value of the state's bits from
/// there. `held` are the vertical costs of all columns that the state holds.
#[inline(always)]
fn sum_high<C: Cost>(high: &mut [C], held: &[C], flips: u32) {
    high[0] = C::default();
    for (column, &cost) in held.iter().enumerate().skip(3) {
        double(high, 1 << (column - 3), cost, flips >> column & 1 == 1);
    }
}

impl<C: Cost> Tables<C> {
    /// The columns that the state holds: all but the last.
    fn low_columns(&self) -> u32 {
        (1 << (self.columns - 1)) - 1
    }

    /// The states that a horizontal edge pairs differ by this.
    #[inline]
    fn pairing(&self, column: usize) -> usize {
        (3 << column) & self.low_columns() as usize
    }

    /// Splits the vertical costs below `row` into `high` and, by the parity of those bits, sums for the
    /// state's first three bits. `flips` are the vertices of T so far by column.
    #[inline(always)]
    fn vertical_costs(&mut self, costs: &[C], row: usize, flips: u32) -> [[C; 8]; 2] {
        let first = self.rows * (self.columns - 1) + row * self.columns;
        let vertical = &costs[first..first + self.columns];
        let (held, last) = vertical.split_at(self.columns - 1);
        let mut even = [C::default(); 8];
        for (column, &cost) in held.iter().enumerate().take(3) {
            double(&mut even, 1 << column, cost, flips >> column & 1 == 1);
        }
        let odd = even.map(|sum| (sum + last[0]).max(C::ABSENT));
        // Flips in the held columns cancel: parity(s ^ flips) ^ parity(all flips).
        let (even, odd) = match flips >> held.len() & 1 {
            0 => (even, odd),
            _ => (odd, even),
        };
        let by_parity = |one: [C; 8], two: [C; 8]| {
            std::array::from_fn(|state| match PARITIES >> state & 1 {
                0 => one[state],
                _ => two[state],
            })
        };
        sum_high(&mut self.high, held, flips);
        [by_parity(even, odd), by_parity(odd, even)]
    }

    fn scan_portable(&mut self, costs: &[C], odd: &[u32]) {
        for row in 0..self.rows {
            self.scan_row_portable(costs, odd, row, row);
        }
    }

    fn scan_row_portable(&mut self, costs: &[C], odd: &[u32], row: usize, kept: usize) {
        let bytes = self.values.len() / 8;
        let flips = odd[..=row].iter().fold(0, |flips, row| flips ^ row);
        for column in 0..self.columns - 1 {
            let cost = costs[row * (self.columns - 1) + column];
            let pairing = self.pairing(column);
            let place = kept * (self.columns - 1) + column;
            let decisions = &mut self.decisions[place * bytes..][..bytes];
            decisions.fill(0);
            if !cost.present() {
                continue;
            }
            let lowest = pairing & pairing.wrapping_neg();
            for one in (0..self.values.len()).filter(|state| state & lowest == 0) {
                let two = one ^ pairing;
                let (a, b) = (self.values[one], self.values[two]);
                decisions[one / 8] |= u8::from(b + cost > a) << (one % 8);
                decisions[two / 8] |= u8::from(a + cost > b) << (two % 8);
                self.values[one] = a.max(b + cost);
                self.values[two] = b.max(a + cost);
            }
        }
        if row + 1 < self.rows {
            self.pass_down(costs, row, flips);
        }
    }

    /// Adds the costs of the vertical edges below `row`.
    fn pass_down(&mut self, costs: &[C], row: usize, flips: u32) {
        let low = self.vertical_costs(costs, row, flips);
        for (block, values) in self.values.chunks_exact_mut(8).enumerate() {
            let low = &low[parity(block as u32) as usize];
            for (value, low) in values.iter_mut().zip(low) {
                *value = (*value + self.high[block] + *low).max(C::ABSENT);
            }
        }
    }

    /// Scans `rows` and goes back through them: in halves where there are too many, the first half once without
    /// its decisions and once more when the way back comes to it. `None` if stopped or if there is no edge set.
    #[expect(clippy::too_many_arguments, reason = "the state of a recursion")]
    fn halve(
        &mut self,
        costs: &[C],
        odd: &[u32],
        rows: Range<usize>,
        depth: usize,
        back: &mut Back<C>,
        passed: &mut Vec<Edge>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let whole = rows.len() <= self.rows_at_once;
        let middle = if whole {
            rows.end
        } else {
            rows.start + rows.len().div_ceil(2)
        };
        if !whole {
            self.before[depth].copy_from_slice(&self.values);
        }
        for row in rows.start..middle {
            if stop() {
                return None;
            }
            let kept = (row - rows.start) % self.rows_at_once;
            C::scan_row(self, costs, odd, row, kept);
        }
        if whole {
            if rows.end == self.rows {
                back.best = self.values[back.state];
                if !back.best.present() {
                    return None;
                }
            }
            self.trace(odd, rows, back, passed);
            return Some(());
        }
        self.halve(costs, odd, middle..rows.end, depth + 1, back, passed, stop)?;
        self.values.copy_from_slice(&self.before[depth]);
        self.halve(
            costs,
            odd,
            rows.start..middle,
            depth + 1,
            back,
            passed,
            stop,
        )
    }

    /// The way back through `rows`, whose decisions are kept.
    // PERF: without branches, since whether an edge is passed cannot be predicted.
    fn trace(&self, odd: &[u32], rows: Range<usize>, back: &mut Back<C>, passed: &mut Vec<Edge>) {
        let bytes = self.values.len() / 8;
        let held = self.columns - 1;
        let Back { state, flips, .. } = back;
        let mut count = passed.len();
        // One more than there are edges: what is written last may not count.
        passed.resize(count + rows.len() * (2 * held + 1) + 1, 0);
        let mut write = |edge: usize, bit: usize| {
            passed[count] = edge as Edge;
            count += bit;
        };
        for row in rows.clone().rev() {
            for column in (0..held).rev() {
                let place = (row - rows.start) * held + column;
                let bits = usize::from(self.decisions[place * bytes + *state / 8]);
                let bit = bits >> (*state % 8) & 1;
                write(row * held + column, bit);
                *state ^= self.pairing(column) & bit.wrapping_neg();
            }
            if row > 0 {
                *flips ^= odd[row];
                let first = self.rows * held + (row - 1) * self.columns;
                let above = (*state as u32 ^ *flips) & self.low_columns();
                let closing = parity(above) ^ parity(*flips);
                let vertical = (above | closing << held) as usize;
                for column in 0..self.columns {
                    write(first + column, vertical >> column & 1);
                }
            }
        }
        passed.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::Random;

    use super::*;

    fn random_costs(random: &mut Random, columns: usize, rows: usize) -> (Vec<i32>, Vec<u32>) {
        let edges = rows * (columns - 1) + (rows - 1) * columns;
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

    /// The best T-join by trying all edge sets.
    fn by_trial(columns: usize, rows: usize, costs: &[i32], odd: &[u32]) -> Option<i32> {
        let mut best = None;
        for set in 0_u32..1 << costs.len() {
            let (mut parities, mut sum) = (vec![0_u32; rows], 0);
            for edge in (0..costs.len()).filter(|edge| set >> edge & 1 == 1) {
                let horizontal = rows * (columns - 1);
                if edge < horizontal {
                    parities[edge / (columns - 1)] ^= 3 << (edge % (columns - 1));
                } else {
                    let (row, column) =
                        ((edge - horizontal) / columns, (edge - horizontal) % columns);
                    parities[row] ^= 1 << column;
                    parities[row + 1] ^= 1 << column;
                }
                sum += i64::from(costs[edge]);
            }
            if parities == odd && sum > i64::from(i32::ABSENT / 2) {
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
                let mut passed = Vec::new();
                let best = Frontier::new(columns, rows).best(&costs, &odd, &mut passed);
                let expected = by_trial(columns, rows, &costs, &odd);
                assert_eq!(best, expected, "{columns} x {rows} {costs:?} {odd:?}");
                if let Some(best) = best {
                    let sum: i32 = passed.iter().map(|edge| costs[usize::from(*edge)]).sum();
                    assert_eq!(best, sum);
                }
            }
        }
    }

    #[test]
    fn rows_in_halves_give_the_same_edges() {
        let mut random = Random::new("kernel halves", 1);
        for (columns, rows) in [(1, 9), (2, 5), (5, 8), (6, 7), (8, 11), (9, 4)] {
            for at_once in [1, 2, 3] {
                let mut whole = Frontier::new(columns, rows);
                let mut halves = Frontier::with_rows_at_once(columns, rows, at_once);
                let mut portable = Frontier::with_rows_at_once(columns, rows, at_once);
                portable.tables.vector = false;
                let (mut a, mut b, mut c) = (Vec::new(), Vec::new(), Vec::new());
                for _ in 0..20 {
                    let (costs, odd) = random_costs(&mut random, columns, rows);
                    let best = whole.best(&costs, &odd, &mut a);
                    assert_eq!(best, halves.best(&costs, &odd, &mut b));
                    assert_eq!(best, portable.best(&costs, &odd, &mut c));
                    let same = best.is_none() || (a == b && a == c);
                    assert!(same, "{columns} x {rows}, {at_once} at once");
                }
            }
        }
    }

    #[test]
    fn a_wide_board_keeps_within_its_memory_and_can_be_stopped() {
        let most = |columns| Frontier::<i32>::bytes_for(columns, columns);
        assert!(most(COLUMNS_AT_ONCE) < 2 << 20 && most(MAX_COLUMNS) < 216 << 20);
        let mut frontier = Frontier::new(17, 17);
        let (costs, odd) = (vec![1; 2 * 17 * 16], vec![0; 17]);
        let mut passed = Vec::new();
        let mut looks = 0;
        let mut stop = || {
            looks += 1;
            looks > 5
        };
        assert_eq!(
            frontier.best_until(&costs, &odd, &mut passed, &mut stop),
            None
        );
        // Each side of the rim has 15 odd vertices: 7 pairs of neighbours, and one that is paired around a corner.
        let best = frontier.best(&costs, &odd, &mut passed);
        assert_eq!(best.map(|best| best as usize), Some(passed.len()));
        assert_eq!(passed.len(), 2 * 17 * 16 - 32);
    }

    #[test]
    fn every_path_gives_the_same_edges() {
        let mut random = Random::new("kernel paths", 1);
        for columns in 1..=9 {
            let rows = columns + 1;
            let mut vector = Frontier::new(columns, rows);
            let mut portable = Frontier::portable(columns, rows);
            let mut wide = Frontier::<i64>::new(columns, rows);
            let (mut a, mut b, mut c) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..30 {
                let (costs, odd) = random_costs(&mut random, columns, rows);
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
                let far = wide.best(&widened, &odd, &mut c);
                assert_eq!(best.map(i64::from), far);
                assert!(a == b && a == c, "{columns} columns");
            }
        }
    }
}
