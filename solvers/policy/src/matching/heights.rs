//! The values of column heights: observation 2 of [`super`].

use std::ops::Range;
use std::sync::Arc;

use ikeru_chain::Size;

use super::filled::{HeightValue, occupied};
use super::target::TemplateTarget;

/// The values of height vectors: a direct-mapped cache that is kept between moves.
pub struct HeightValues {
    lines: Vec<HeightLine>,
    values: Vec<HeightValue>,
    target: TemplateTarget,
    deficit_weight: f64,
}

/// A cached height vector.
#[derive(Debug, Clone, Copy)]
struct HeightLine {
    key: u32,
    is_sorted: bool,
    /// An upper bound on the value of boards with this height vector or a lower one: the value of the best template,
    /// or infinity if a template may be complete.
    bound: f64,
}

/// The number of height vectors in the cache. PERF: a move at depth 3 meets at most 462 without a clear, and the next
/// move meets almost none of them again; the values are therefore sorted only for callers that need the order.
const LINES: usize = 1 << 12;
/// The key of an empty line. A full board of 8×15 cells has the same key, so it is never found in the cache.
const NO_KEY: u32 = u32::MAX;

impl HeightValues {
    /// An empty cache for the templates of `target`. The match loses `deficit_weight` for each cell of the column
    /// deficit; 0 disables the deficit.
    pub fn new(target: TemplateTarget, deficit_weight: f64) -> Self {
        let none = HeightValue {
            value: 0.0,
            agreeing: 0,
            number: 0,
        };
        let line = HeightLine {
            key: NO_KEY,
            is_sorted: false,
            bound: f64::NEG_INFINITY,
        };
        Self {
            lines: vec![line; LINES],
            values: vec![none; LINES * target.matcher.count()],
            target,
            deficit_weight,
        }
    }

    /// An upper bound on the value of every board whose columns are at most as high as `heights`; it holds after a
    /// chain too. It is infinite if a template may be complete on one of these boards.
    #[inline]
    pub fn bound(&mut self, heights: &[u8; Size::MAX_WIDTH]) -> f64 {
        let line = self.line(heights);
        self.lines[line].bound
    }

    /// The values of `heights`, best first if `sorted`. Sorting takes longer than most scans of the values.
    #[inline]
    pub fn of(&mut self, heights: &[u8; Size::MAX_WIDTH], sorted: bool) -> &[HeightValue] {
        if sorted {
            return self.get(heights);
        }
        let line = self.line(heights);
        &self.values[self.places(line)]
    }

    /// The values of `heights`, best first.
    #[inline]
    pub fn get(&mut self, heights: &[u8; Size::MAX_WIDTH]) -> &[HeightValue] {
        let line = self.line(heights);
        let places = self.places(line);
        let values = &mut self.values[places];
        if !self.lines[line].is_sorted {
            self.lines[line].is_sorted = true;
            values.sort_unstable_by(|a, b| b.value.total_cmp(&a.value));
        }
        values
    }

    /// The indices of the values of `line`.
    #[inline]
    fn places(&self, line: usize) -> Range<usize> {
        let count = self.target.matcher.count();
        line * count..(line + 1) * count
    }

    /// The cache line of `heights`, filled if it was not.
    #[inline]
    fn line(&mut self, heights: &[u8; Size::MAX_WIDTH]) -> usize {
        // No height is above 15, so the key has four bits per column: those of the last four columns are moved
        // between those of the first four.
        let word = u64::from_le_bytes(*heights);
        let key = (word | word >> 28) as u32;
        let line = (key.wrapping_mul(0x9E37_79B1) >> (32 - LINES.trailing_zeros())) as usize;
        if self.lines[line].key != key || key == NO_KEY {
            self.lines[line] = HeightLine {
                key,
                is_sorted: false,
                bound: self.fill(heights, line),
            };
        }
        line
    }

    /// Computes the values of `heights` and returns their bound.
    #[cold]
    fn fill(&mut self, heights: &[u8; Size::MAX_WIDTH], line: usize) -> f64 {
        let places = self.places(line);
        let matcher = &self.target.matcher;
        let leaves = &self.target.leaves;
        let sums = matcher.filled_sums(heights);
        let of_leaves = match Arc::ptr_eq(matcher, leaves) {
            true => sums,
            false => leaves.filled_sums(heights),
        };
        let occupied = occupied(heights);
        let values = &mut self.values[places];
        let mut best = f64::NEG_INFINITY;
        for (number, (slot, agreeing)) in values.iter_mut().zip(sums).enumerate() {
            let mut value = leaves.value(number, i64::from(of_leaves[number]));
            if self.deficit_weight > 0.0 {
                value -= self.deficit_weight * matcher.column_deficit(number, occupied);
            }
            best = best.max(value);
            *slot = HeightValue {
                value,
                agreeing,
                number: number as u8,
            };
        }
        let stones: u32 = heights.iter().map(|&height| u32::from(height)).sum();
        let criterion = self.target.criterion();
        let meets = |value: &HeightValue| matcher.meets_with(value, (occupied, 0), criterion);
        let may_be_complete = stones >= self.target.fewest() && values.iter().any(meets);
        if may_be_complete { f64::INFINITY } else { best }
    }

    /// The size of the cache in bytes.
    pub fn bytes(&self) -> usize {
        self.lines.len() * size_of::<HeightLine>() + self.values.len() * size_of::<HeightValue>()
    }
}
