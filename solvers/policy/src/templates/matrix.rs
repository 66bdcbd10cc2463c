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
