//! Stage 4, relation matrices (thesis, chapter 3), and the match by formula 3.7 as printed.
//!
//! This is the naive version: it reads all n × n numbers for a board of n cells. Boards may have any size, so it also
//! matches patterns of other games. [`crate::matching`] computes the same numbers for search.

use super::Template;
use super::drawing::DrawingExtent;

/// The content of a cell, for relations. Garbage does not agree with any stone, not even with itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stone {
    /// Nothing.
    Empty,
    /// A stone of a kind; kinds are only compared for equality.
    DrawingKind(u8),
    /// Garbage.
    Garbage,
}

/// The state matrix S (formulas 3.1 and 3.2): +1 for the same kind, −1 for different kinds, 0 if either cell is
/// empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateMatrix {
    cells: usize,
    values: Vec<i8>,
}

impl StateMatrix {
    /// The matrix of `stones`, one per cell in the order of [`DrawingExtent::index`].
    pub fn new(stones: &[Stone]) -> Self {
        let relation = |a: Stone, b: Stone| match (a, b) {
            (Stone::Empty, _) | (_, Stone::Empty) => 0,
            (Stone::DrawingKind(a), Stone::DrawingKind(b)) if a == b => 1,
            _ => -1,
        };
        let values = stones
            .iter()
            .flat_map(|&a| stones.iter().map(move |&b| relation(a, b)))
            .collect();
        Self {
            cells: stones.len(),
            values,
        }
    }

    /// s for cells `i` and `j`.
    pub fn value(&self, i: usize, j: usize) -> i8 {
        self.values[i * self.cells + j]
    }
}

/// The template matrix T (formulas 3.4 and 3.5): positive if two cells should be of the same kind, negative if they
/// should differ, 0 if they are free. Values are **twice** the weights, so that they are integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateMatrix {
    extent: DrawingExtent,
    values: Vec<i32>,
    /// True if a violation of the pair rules the template out; otherwise it only lowers the match.
    hard: Vec<bool>,
}

/// A match by formula 3.7 as an exact fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// Twice Σ s·t over all pairs, the diagonal included.
    pub agreeing: i64,
    /// Twice Σ |t|.
    pub total: i64,
}

impl Match {
    /// The fraction.
    #[expect(
        clippy::cast_precision_loss,
        reason = "sums of weights stay far below 2^53"
    )]
    pub fn value(self) -> f64 {
        self.agreeing as f64 / self.total as f64
    }
}

impl TemplateMatrix {
    /// The matrix of a template.
    pub fn new(template: &Template) -> Self {
        let extent = template.labels.extent();
        let pairs = (0..extent.cells()).flat_map(|i| (0..extent.cells()).map(move |j| (i, j)));
        let (values, hard) = pairs
            .map(|(i, j)| (template.pair(i, j), template.is_hard(i, j)))
            .unzip();
        Self {
            extent,
            values,
            hard,
        }
    }

    /// The same matrix, whose violations lower the match and rule nothing out.
    pub fn softened(mut self) -> Self {
        self.hard.fill(false);
        self
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.extent.cells()
    }

    /// Twice t for cells `i` and `j`.
    pub fn value(&self, i: usize, j: usize) -> i32 {
        self.values[i * self.extent.cells() + j]
    }

    /// Twice Σ |t|.
    pub fn total(&self) -> i64 {
        self.values.iter().map(|t| i64::from(t.abs())).sum()
    }

    /// The size of the matrix in bytes.
    pub fn bytes(&self) -> usize {
        self.values.len() * (size_of::<i32>() + size_of::<bool>())
    }

    /// The match by formula 3.7; `None` means −∞.
    pub fn match_with(&self, state: &StateMatrix) -> Option<Match> {
        let mut agreeing = 0;
        let mut total = 0;
        for ((&t, &hard), &s) in self.values.iter().zip(&self.hard).zip(&state.values) {
            let product = i64::from(t) * i64::from(s);
            if hard && product < 0 {
                return None;
            }
            agreeing += product;
            total += i64::from(t.abs());
        }
        Some(Match { agreeing, total })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::TemplateOptions;
    use crate::templates::drawing::read;
    use crate::templates::weights::WeightRule;

    #[test]
    fn garbage_and_other_kinds_agree_with_nothing() {
        let (red, green) = (Stone::DrawingKind(0), Stone::DrawingKind(1));
        let state = StateMatrix::new(&[red, red, green, Stone::Garbage, Stone::Empty]);
        let expected = [
            [1, 1, -1, -1, 0],
            [1, 1, -1, -1, 0],
            [-1, -1, 1, -1, 0],
            [-1, -1, -1, -1, 0],
            [0, 0, 0, 0, 0],
        ];
        for (i, row) in expected.iter().enumerate() {
            for (j, &value) in row.iter().enumerate() {
                assert_eq!(state.value(i, j), value, "row {i}, column {j}");
            }
        }
    }

    #[test]
    fn the_match_with_a_soft_border_is_the_one_computed_by_hand() {
        // Two cells of A; the cell beside them and the two above are border cells, and the one in the corner is free.
        let extent = DrawingExtent {
            width: 3,
            height: 2,
        };
        let options = TemplateOptions {
            weight_rule: WeightRule::Uniform,
            ..TemplateOptions::default()
        };
        let drawing = read("# two pattern\nAA.\n").expect("drawn").remove(0);
        let template = Template::new(drawing, extent, options).expect("a pattern");
        let matrix = TemplateMatrix::new(&template);
        assert_eq!((matrix.cells(), matrix.bytes()), (6, 36 * 5));
        // Each border cell must differ from A, which has two cells, and is as itself.
        assert_eq!(matrix.total(), 20 * (4 + 3 * (1 + 2 * 2)));
        let (red, green, none) = (Stone::DrawingKind(0), Stone::DrawingKind(1), Stone::Empty);
        for (stones, agreeing) in [
            ([none; 6], Some(0)),
            ([red, none, none, none, none, none], Some(1)),
            ([red, red, none, none, none, none], Some(4)),
            // The two cells differ, or garbage is in one of them.
            ([red, green, none, none, none, none], None),
            ([Stone::Garbage, none, none, none, none, none], None),
            // A border cell of another colour, of the same colour, and with garbage.
            ([red, red, green, none, none, none], Some(4 + 5)),
            ([red, red, red, none, none, none], Some(4 + 1 - 4)),
            (
                [red, red, Stone::Garbage, none, none, none],
                Some(4 + 4 - 1),
            ),
            // The corner is free.
            ([red, red, none, none, none, red], Some(4)),
            ([red, red, green, green, green, red], Some(4 + 15)),
        ] {
            let found = matrix.match_with(&StateMatrix::new(&stones));
            let total = matrix.total();
            let expected = agreeing.map(|sum: i64| Match {
                agreeing: 20 * sum,
                total,
            });
            assert_eq!(found, expected, "{stones:?}");
        }
        let quarter = Match {
            agreeing: 1,
            total: 4,
        };
        assert_eq!(quarter.value().to_string(), "0.25");
    }
}
