//! The division of a grid into [`bands`](super::bands).

use std::ops::Range;

use super::lanes::Stored;
use super::{Square, StepWindow};
use crate::grid::GridShape;

/// The division of a grid into bands.
#[derive(Debug, Clone, Copy)]
pub struct BandShape {
    /// The number of bits of a half row in one band.
    pub bits: usize,
    /// The number of bands in a row of bands; an empty band follows each row if there are several.
    pub stride: usize,
}

/// A rectangle of bands, as ranges of rows and columns of bands.
#[derive(Debug, Clone)]
pub struct Span {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

impl BandShape {
    pub fn of(grid: GridShape) -> Self {
        let bits = match grid.width {
            0..=32 => 16,
            33..=64 => 32,
            _ => 64,
        };
        let columns = grid.width.div_ceil(2 * bits);
        Self {
            bits,
            stride: columns + usize::from(columns > 1),
        }
    }

    /// Returns whether there are several bands side by side.
    #[inline(always)]
    pub fn is_wide(self) -> bool {
        self.bits == 64 && self.stride > 1
    }

    /// The bands of a span, in pieces that lie together.
    #[inline(always)]
    pub fn pieces(self, span: &Span) -> impl Iterator<Item = Range<usize>> + use<> {
        let (mut rows, mut length) = (span.rows.clone(), span.columns.len());
        if self.stride == 1 {
            (length, rows.end) = (rows.len(), rows.start + 1);
        }
        let column = span.columns.start;
        rows.map(move |row| self.at(row, column)..self.at(row, column) + length)
    }

    /// The bands of a window.
    #[inline(always)]
    pub fn span(self, window: &StepWindow) -> Span {
        let rows = 512 / self.bits;
        Span {
            rows: window.rows.start / rows..window.rows.end.div_ceil(rows),
            // A word corresponds to a band with half rows of 64 bits; narrower grids have one word and one band.
            columns: window.words.clone(),
        }
    }

    #[inline(always)]
    pub fn at(self, row: usize, column: usize) -> usize {
        (row + 1) * self.stride + column
    }

    /// The band of a bit of a half row, the parity of its row and the bit in its vector.
    pub fn place(self, row: usize, bit: usize) -> (usize, usize, usize) {
        let lanes = 256 / self.bits;
        let in_vector = row / 2 % lanes * self.bits + bit % self.bits;
        let at = self.at(row / (2 * lanes), bit / self.bits);
        (at, row % 2, in_vector)
    }

    /// The band of a square, the parity of its row and a vector with only that square.
    pub fn here(self, square: Square) -> (usize, usize, Stored) {
        let (at, parity, bit) = self.place(square.row, square.bit);
        let mut here = Stored::default();
        here.0[bit / 64] = 1 << (bit % 64);
        (at, parity, here)
    }
}
