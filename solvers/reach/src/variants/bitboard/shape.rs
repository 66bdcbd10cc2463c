//! How a grid is cut into the [`bands`](super::bands).

use std::ops::Range;

use super::lanes::Stored;
use super::{Square, StepWindow};
use crate::grid::GridShape;

/// How a grid is cut into bands.
#[derive(Debug, Clone, Copy)]
pub struct BandShape {
    /// Bits of a half row in one band.
    pub bits: usize,
    /// Bands in a row of bands, an empty one at either end included.
    pub stride: usize,
}

/// Bands, by row and column of bands.
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
        Self {
            bits,
            stride: grid.width.div_ceil(2 * bits) + 2,
        }
    }

    /// The bands of a window.
    #[inline(always)]
    pub fn span(self, window: &StepWindow) -> Span {
        let rows = 512 / self.bits;
        Span {
            rows: window.rows.start / rows..window.rows.end.div_ceil(rows),
            // Words are bands of 64 bits; narrower grids have one word and one band.
            columns: window.words.clone(),
        }
    }

    #[inline(always)]
    pub fn at(self, row: usize, column: usize) -> usize {
        (row + 1) * self.stride + column + 1
    }

    /// The band of a bit of a half row, the parity of its row, and the bit in its vector.
    pub fn place(self, row: usize, bit: usize) -> (usize, usize, usize) {
        let lanes = 256 / self.bits;
        let in_vector = row / 2 % lanes * self.bits + bit % self.bits;
        let at = self.at(row / (2 * lanes), bit / self.bits);
        (at, row % 2, in_vector)
    }

    /// The band of a square, the parity of its row, and a vector with that square alone.
    pub fn here(self, square: Square) -> (usize, usize, Stored) {
        let (at, parity, bit) = self.place(square.row, square.bit);
        let mut here = Stored::default();
        here.0[bit / 64] = 1 << (bit % 64);
        (at, parity, here)
    }
}
