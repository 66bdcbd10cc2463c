//! Planes of cells: 16 bits per column.

use ikeru_chain::{Board, Cell, Size};

use crate::templates::drawing::DrawingExtent;
use crate::templates::matrix::Stone;

/// Bits of a plane: 16 per column.
pub(super) const BITS: usize = 128;
/// The bit of a cell in every plane.
pub(super) type CellBit = usize;
/// Per cell, a mask of templates.
pub(super) type MaskByCell = [u32; BITS];

/// The set bits of a plane.
#[inline]
pub(crate) fn bits(mut plane: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (plane != 0).then(|| {
            let bit = plane.trailing_zeros() as usize;
            plane &= plane - 1;
            bit
        })
    })
}

/// The size of a board as a [`DrawingExtent`].
pub fn extent(size: Size) -> DrawingExtent {
    DrawingExtent {
        width: size.width(),
        height: size.height(),
    }
}

/// The bit of a cell that is numbered along the rows.
pub(super) fn bit_of(size: Size, cell: usize) -> CellBit {
    16 * (cell % size.width()) + cell / size.width()
}

/// The stones of `board` in the cell order of relation matrices.
pub fn stones(board: &Board) -> Vec<Stone> {
    let size = board.size();
    let rows = 0..size.height();
    rows.flat_map(|row| (0..size.width()).map(move |column| (column, row)))
        .map(|(column, row)| match board.cell(column, row) {
            Cell::Empty => Stone::Empty,
            Cell::Garbage => Stone::Garbage,
            Cell::Puyo(colour) => Stone::DrawingKind(colour.index() as u8),
        })
        .collect()
}
