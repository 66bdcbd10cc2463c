//! The way back: which edges the best edge set passes, by the decisions that the scan kept.

use std::hint::select_unpredictable;
use std::ops::Range;

use super::cost::Cost;
use super::tables::{Tables, parity};
use crate::tjoin::grid::Edge;

/// The way back through the rows: where it stands.
pub struct Back<C> {
    /// The state after the row.
    pub state: usize,
    /// The vertices of T down to the row, by column.
    pub flips: u32,
    /// The cost of the best edge set.
    pub best: C,
}

/// Columns from the first whose edges pair states within a word of decisions, on boards whose states need several words.
const WITHIN_WORD: usize = 5;

impl<C: Cost> Tables<C> {
    /// Scans `rows` and goes back through them: in halves where there are too many, the first half once without
    /// its decisions and once more when the way back comes to it. `None` if stopped or if there is no edge set.
    #[expect(clippy::too_many_arguments, reason = "the state of a recursion")]
    pub fn halve(
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
    // PERF: without branches, since whether an edge is passed cannot be predicted. What the next load waits for is the
    // state's word, which the first columns leave as it is.
    pub fn trace(
        &self,
        odd: &[u32],
        rows: Range<usize>,
        back: &mut Back<C>,
        passed: &mut Vec<Edge>,
    ) {
        let bytes = self.values.len() / 8;
        let held = self.columns - 1;
        let within = if bytes <= size_of::<u64>() {
            held
        } else {
            WITHIN_WORD
        };
        let (mut state, mut flips) = (back.state, back.flips);
        let mut count = passed.len();
        // One more than there are edges: what is written last may not count.
        passed.resize(count + rows.len() * (2 * held + 1) + 1, 0);
        let edges = passed.as_mut_slice();
        let mut write = |edge: usize, bit: usize| {
            edges[count] = edge as Edge;
            count += bit;
        };
        for row in rows.clone().rev() {
            let decisions = &self.decisions[(row - rows.start) * held * bytes..];
            let decided = |column: usize, word: usize, state: usize| {
                let word = decisions[column * bytes + word..].first_chunk();
                let word = word.map_or(0, |word| u64::from_le_bytes(*word));
                (word >> (state % 64) & 1) as usize
            };
            for column in (within..held).rev() {
                let bit = decided(column, state / 64 * size_of::<u64>(), state);
                write(row * held + column, bit);
                state ^= self.pairing(column) & bit.wrapping_neg();
            }
            let word = if within == held {
                0
            } else {
                state / 64 * size_of::<u64>()
            };
            for column in (0..within).rev() {
                let bit = decided(column, word, state);
                write(row * held + column, bit);
                state = select_unpredictable(bit == 1, state ^ self.pairing(column), state);
            }
            if row > 0 {
                flips ^= odd[row];
                let first = self.rows * held + (row - 1) * self.columns;
                let above = (state as u32 ^ flips) & self.low_columns();
                let closing = parity(above) ^ parity(flips);
                let vertical = (above | closing << held) as usize;
                for column in 0..self.columns {
                    write(first + column, vertical >> column & 1);
                }
            }
        }
        (back.state, back.flips) = (state, flips);
        passed.truncate(count);
    }
}
