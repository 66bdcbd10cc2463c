//! The sums of filled cells: observation 2 of [`super`].

use ikeru_chain::Size;

use super::planes::extent;
use crate::templates::Template;

/// The number of sums that are added at once.
pub(super) const VECTOR: usize = 8;

/// The length of a row of sums for `count` templates: whole vectors.
pub(super) fn padded(count: usize) -> usize {
    count.next_multiple_of(VECTOR)
}

/// Rows per pair of columns in `Matcher::filled`: heights 0 to 15 of both.
pub(super) const HEIGHT_PAIRS: usize = 16 * 16;

/// The table `Matcher::filled`.
pub(super) fn filled_sums(templates: &[Template], size: Size) -> Vec<i32> {
    let extent = extent(size);
    let count = templates.len();
    let pairs = size.width() * (size.width() + 1) / 2;
    let row = padded(count);
    let mut sums = vec![0; pairs * HEIGHT_PAIRS * row];
    let mut first = 0;
    for c in 0..size.width() {
        for d in c..size.width() {
            let orders = if c == d { 1 } else { 2 };
            let at = |h: usize, k: usize, number: usize| (first + 16 * h + k) * row + number;
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

/// The value of a height vector for one template, without the penalty of the border.
#[derive(Debug, Clone, Copy)]
pub struct HeightValue {
    /// The match by the weights of leaves if nothing is violated, minus the weighted column deficit.
    pub value: f64,
    /// Twice Σ s·t by the weights of the question if nothing is violated.
    pub agreeing: i32,
    /// The template.
    pub number: u8,
}

/// The plane of the cells below `heights`.
pub(crate) fn occupied(heights: &[u8; Size::MAX_WIDTH]) -> u128 {
    let columns = heights.iter().enumerate();
    columns.fold(0_u128, |plane, (column, &height)| {
        plane | ((1 << height) - 1) << (16 * column)
    })
}
