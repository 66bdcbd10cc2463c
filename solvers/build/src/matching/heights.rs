//! The values of column heights: observation 2 of [`super`].

use ikeru_chain::Size;

use super::{Matcher, extent};
use crate::templates::Template;

/// Rows per pair of columns in [`Matcher::filled`]: heights 0 to 15 of both.
pub(super) const HEIGHT_PAIRS: usize = 16 * 16;

/// The table [`Matcher::filled`].
pub(super) fn filled_sums(templates: &[Template], size: Size) -> Vec<i32> {
    let extent = extent(size);
    let count = templates.len();
    let pairs = size.width() * (size.width() + 1) / 2;
    let mut sums = vec![0; pairs * HEIGHT_PAIRS * count];
    let mut first = 0;
    for c in 0..size.width() {
        for d in c..size.width() {
            let orders = if c == d { 1 } else { 2 };
            let at = |h: usize, k: usize, number: usize| (first + 16 * h + k) * count + number;
            for (number, template) in templates.iter().enumerate() {
                for h in 0..size.height() {
                    for k in 0..size.height() {
                        let here = template.pair(extent.index(c, h), extent.index(d, k)).abs();
                        sums[at(h + 1, k + 1, number)] =
                            orders * here + sums[at(h, k + 1, number)] + sums[at(h + 1, k, number)]
                                - sums[at(h, k, number)];
                    }
                }
            }
            first += HEIGHT_PAIRS;
        }
    }
    sums
}

/// The value of a height vector for one template, before the border takes its share.
#[derive(Debug, Clone, Copy)]
pub struct HeightValue {
    /// The match if nothing is violated, less the weighted column deficit.
    pub value: f64,
    /// Σ s·t if nothing is violated.
    pub agreeing: i32,
    /// The template.
    pub number: u8,
    /// Cells of the chain that are filled.
    pub filled: u8,
}

/// The values of height vectors, best template first; a direct-mapped cache that outlives moves.
pub struct HeightValues {
    keys: Vec<u64>,
    values: Vec<HeightValue>,
    count: usize,
    deficit_weight: f64,
}

/// Height vectors that the cache holds. PERF: a move at depth 3 meets at most 462 without a clear.
const LINES: usize = 1 << 12;

impl HeightValues {
    /// An empty cache for `matcher`. The match loses `deficit_weight` for each cell of the column
    /// deficit; 0 leaves it as it is.
    pub fn new(matcher: &Matcher, deficit_weight: f64) -> Self {
        let none = HeightValue {
            value: 0.0,
            agreeing: 0,
            number: 0,
            filled: 0,
        };
        Self {
            keys: vec![u64::MAX; LINES],
            values: vec![none; LINES * matcher.count],
            count: matcher.count,
            deficit_weight,
        }
    }

    /// The values of `heights`, best first.
    #[inline]
    pub fn get(&mut self, matcher: &Matcher, heights: &[u8; Size::MAX_WIDTH]) -> &[HeightValue] {
        // Four bits per column: no height is above 15.
        let key = heights
            .iter()
            .fold(0_u32, |key, &height| key << 4 | u32::from(height));
        let line = (key.wrapping_mul(0x9E37_79B1) >> (32 - LINES.trailing_zeros())) as usize;
        let slots = line * self.count..(line + 1) * self.count;
        if self.keys[line] != u64::from(key) {
            self.keys[line] = u64::from(key);
            fill(
                matcher,
                heights,
                self.deficit_weight,
                &mut self.values[slots.clone()],
            );
        }
        &self.values[slots]
    }

    /// Bytes that the cache takes.
    pub fn bytes(&self) -> usize {
        self.keys.len() * size_of::<u64>() + self.values.len() * size_of::<HeightValue>()
    }
}

#[cold]
fn fill(
    matcher: &Matcher,
    heights: &[u8; Size::MAX_WIDTH],
    deficit_weight: f64,
    values: &mut [HeightValue],
) {
    let columns = heights.iter().enumerate();
    let occupied = columns.fold(0_u128, |plane, (column, &height)| {
        plane | ((1 << height) - 1) << (16 * column)
    });
    let sums = matcher.filled_sums(heights);
    for (number, slot) in values.iter_mut().enumerate() {
        let mut value = matcher.value(number, i64::from(sums[number]));
        if deficit_weight > 0.0 {
            value -= deficit_weight * matcher.column_deficit(number, occupied);
        }
        *slot = HeightValue {
            value,
            agreeing: sums[number],
            number: number as u8,
            filled: matcher.filled(number, occupied) as u8,
        };
    }
    values.sort_unstable_by(|a, b| b.value.total_cmp(&a.value));
}
