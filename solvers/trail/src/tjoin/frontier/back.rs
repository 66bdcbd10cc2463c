//! Traces back the edges of the best edge set through the decisions that the scan kept.

use std::hint::select_unpredictable;

use super::scan::EdgeCost;
use super::tables::{Tables, parity};

/// The number of columns, from the first, whose edges pair states within one word of decisions, on boards whose states
/// need several words.
const WITHIN_WORD: usize = 5;

impl<C: EdgeCost> Tables<C> {
    /// Traces back through all rows from the state after the last one, where the parities of T are `flips` by column.
    pub fn trace(&self, odd: &[u64], state: usize, flips: u32, passed: &mut [u64]) {
        let back = (state, flips);
        match self.columns {
            2 => self.trace_rows(1, back_through_word::<1, 1>, odd, back, passed),
            3 => self.trace_rows(2, back_through_word::<2, 1>, odd, back, passed),
            4 => self.trace_rows(3, back_through_word::<3, 1>, odd, back, passed),
            5 => self.trace_rows(4, back_through_word::<4, 2>, odd, back, passed),
            6 => self.trace_rows(5, back_through_word::<5, 4>, odd, back, passed),
            7 => self.trace_rows(6, back_through_word::<6, 8>, odd, back, passed),
            8 => self.trace_rows(7, back_through_words::<7>, odd, back, passed),
            9 => self.trace_rows(8, back_through_words::<8>, odd, back, passed),
            10 => self.trace_rows(9, back_through_words::<9>, odd, back, passed),
            columns => {
                let held = columns - 1;
                let through = |decisions: &[u8], state: &mut usize| {
                    back_through_many_words(held, decisions, state)
                };
                self.trace_rows(held, through, odd, back, passed);
            }
        }
    }

    /// The same: `through` traces back through one row with its decisions, changes the state to that before the row,
    /// and returns the edges passed there, one bit per column. The state holds `held` columns.
    #[inline(always)]
    fn trace_rows(
        &self,
        held: usize,
        through: impl Fn(&[u8], &mut usize) -> u64,
        odd: &[u64],
        (mut state, mut flips): (usize, u32),
        passed: &mut [u64],
    ) {
        let bytes = self.values.len() / 8;
        let mut pass = |first: usize, bits: u64| {
            passed[first / 64] |= bits << (first % 64);
            if let Some(next) = passed.get_mut(first / 64 + 1) {
                *next |= bits >> 1 >> (63 - first % 64);
            }
        };
        for row in (0..self.rows).rev() {
            let decisions = &self.decisions[row * held * bytes..];
            pass(row * held, through(decisions, &mut state));
            if row > 0 {
                flips ^= odd[row] as u32;
                let above = (state as u32 ^ flips) & ((1 << held) - 1);
                let closing = parity(above) ^ parity(flips);
                let vertical = u64::from(above | closing << held);
                pass(self.rows * held + (row - 1) * (held + 1), vertical);
            }
        }
    }
}

/// Traces back through a row on a board whose states hold `HELD` columns and have `BYTES` bytes of decisions per
/// column.
// PERF: unrolled. Scan and trace back take 0.7 of the time at 5 columns, 0.8 at 6 and 7 (bench `kernel`).
#[inline(always)]
fn back_through_word<const HELD: usize, const BYTES: usize>(
    decisions: &[u8],
    state: &mut usize,
) -> u64 {
    let (words, _) = decisions.as_chunks::<BYTES>();
    let mut passed = 0;
    for (column, word) in words[..HELD].iter().enumerate().rev() {
        let mut bits = [0; size_of::<u64>()];
        bits[..BYTES].copy_from_slice(word);
        let bit = u64::from_le_bytes(bits) >> (*state % 64) & 1;
        passed |= bit << column;
        let pairing = (3 << column) & ((1 << HELD) - 1);
        *state ^= pairing & (bit as usize).wrapping_neg();
    }
    passed
}

/// [`back_through_many_words`], unrolled.
// PERF: scan and trace back take 0.9 of the time at 8 columns, 0.96 at 10 (bench `kernel`).
#[inline(always)]
fn back_through_words<const HELD: usize>(decisions: &[u8], state: &mut usize) -> u64 {
    back_through_many_words(HELD, decisions, state)
}

/// Traces back through a row on a board whose states hold `held` columns and need several words of decisions per
/// column.
// PERF: each load depends on the state's word, which the first columns do not change.
#[inline(always)]
fn back_through_many_words(held: usize, decisions: &[u8], state: &mut usize) -> u64 {
    let bytes = (1 << held) / 8;
    let word_of = |state: usize| state / 64 * size_of::<u64>();
    let decided = |column: usize, word: usize, state: usize| {
        let word = decisions[column * bytes + word..].first_chunk();
        let word = word.map_or(0, |word| u64::from_le_bytes(*word));
        word >> (state % 64) & 1
    };
    let pairing = |column: usize| (3 << column) & ((1 << held) - 1);
    let mut passed = 0;
    for column in (WITHIN_WORD..held).rev() {
        let bit = decided(column, word_of(*state), *state);
        passed |= bit << column;
        *state ^= pairing(column) & (bit as usize).wrapping_neg();
    }
    let word = word_of(*state);
    for column in (0..WITHIN_WORD).rev() {
        let bit = decided(column, word, *state);
        passed |= bit << column;
        *state = select_unpredictable(bit == 1, *state ^ pairing(column), *state);
    }
    passed
}
