//! The board: cells, colours and sizes. This module stores puyos and drops them. It does not simulate chains
//! ([`crate::simulate`]) and does not read text ([`crate::format`]).
//!
//! Cell (column, row) is bit `16·column + row` of a 128-bit plane, with row 0 at the bottom. Each column is a 16-bit
//! lane whose highest bit stays empty, so that one shift moves every cell to a neighbour.

use std::fmt;
use std::hash::{Hash, Hasher};

use ikeru_core::{InputError, input_error};

/// Bits of a plane per column.
pub const LANE: u32 = 16;

/// Width and height of a board in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Size {
    width: u8,
    height: u8,
}

impl Size {
    /// The thesis's board: 6 columns and 13 rows, without special rows.
    pub const THESIS: Self = Self {
        width: 6,
        height: 13,
    };
    /// The widest board.
    pub const MAX_WIDTH: usize = 8;
    /// The highest board.
    pub const MAX_HEIGHT: usize = 15;

    /// A board of `width` × `height` cells.
    ///
    /// # Errors
    /// When it is narrower or lower than 2, wider than 8 or higher than 15.
    pub fn new(width: usize, height: usize) -> Result<Self, InputError> {
        if (2..=Self::MAX_WIDTH).contains(&width) && (2..=Self::MAX_HEIGHT).contains(&height) {
            Ok(Self {
                width: width as u8,
                height: height as u8,
            })
        } else {
            Err(input_error!(
                "a board of {width}x{height} cells, expected a width of 2 to {} and a height of 2 to {}",
                Self::MAX_WIDTH,
                Self::MAX_HEIGHT
            ))
        }
    }

    /// The number of columns.
    #[inline]
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// The number of rows.
    #[inline]
    pub const fn height(self) -> usize {
        self.height as usize
    }

    /// The number of cells.
    #[inline]
    pub const fn cells(self) -> usize {
        self.width() * self.height()
    }

    /// Every cell as (column, row), columns from the left, each from the bottom.
    pub fn iter(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.width()).flat_map(move |column| (0..self.height()).map(move |row| (column, row)))
    }
}

/// `6x13`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// The colour of a puyo, one of [`PuyoColour::COUNT`]. A game uses the first four by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PuyoColour(u8);

impl PuyoColour {
    /// The number of colours that a board can have.
    pub const COUNT: usize = 6;
    /// The letters of the colours, in order: red, green, blue, yellow, purple, cyan.
    pub const LETTERS: [char; Self::COUNT] = ['R', 'G', 'B', 'Y', 'P', 'C'];

    /// The colour number `index`; `None` from [`PuyoColour::COUNT`] on.
    pub const fn new(index: usize) -> Option<Self> {
        if index < Self::COUNT {
            Some(Self(index as u8))
        } else {
            None
        }
    }

    /// All colours in order.
    #[inline]
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// Its number from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its letter in text.
    pub const fn letter(self) -> char {
        Self::LETTERS[self.0 as usize]
    }
}

/// The content of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cell {
    /// No puyo and no garbage.
    Empty,
    /// Garbage: it never connects, and it vanishes when an adjacent group vanishes.
    Garbage,
    /// A puyo.
    Puyo(PuyoColour),
}

impl Cell {
    /// Three bits: 0 empty, 1 garbage, 4–7 the first four colours, 2–3 the other two. The highest bit is set for the
    /// first four colours only, and one of the highest two bits is set for every colour.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Empty => 0,
            Self::Garbage => 1,
            Self::Puyo(colour) => colour_code(colour),
        }
    }

    const fn of_code(code: u8) -> Self {
        match code {
            0 => Self::Empty,
            1 => Self::Garbage,
            2 | 3 => Self::Puyo(PuyoColour(code + 2)),
            _ => Self::Puyo(PuyoColour(code - 4)),
        }
    }

    /// Its letter in text: `.`, `O`, or the colour's.
    pub const fn letter(self) -> char {
        match self {
            Self::Empty => '.',
            Self::Garbage => 'O',
            Self::Puyo(colour) => colour.letter(),
        }
    }
}

const fn colour_code(colour: PuyoColour) -> u8 {
    if colour.0 < 4 {
        colour.0 + 4
    } else {
        colour.0 - 2
    }
}

/// A board. It is `Copy` and one cache line, so that a search can copy it cheaply.
///
/// Puyos usually rest on each other; [`Board::set`] may leave some floating until
/// they are dropped. Two boards are equal if they have the same size and the same cells.
#[derive(Clone, Copy)]
pub struct Board {
    /// Bit `b` of plane `i` is bit `i` of the cell's code.
    pub(crate) planes: [u128; 3],
    /// The number of puyos and garbage in each column.
    pub(crate) heights: [u8; Size::MAX_WIDTH],
    size: Size,
}

impl Board {
    /// A board without puyos.
    pub const fn empty(size: Size) -> Self {
        Self {
            planes: [0; 3],
            heights: [0; Size::MAX_WIDTH],
            size,
        }
    }

    /// Its size.
    #[inline]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The three planes: bit `b` of plane `i` is bit `i` of the code of the cell with bit `b`.
    #[inline]
    pub const fn planes(&self) -> &[u128; 3] {
        &self.planes
    }

    /// The bit of cell (`column`, `row`) in every plane.
    #[inline]
    pub const fn bit(column: usize, row: usize) -> u128 {
        1 << (LANE as usize * column + row)
    }

    /// The content of cell (`column`, `row`).
    #[inline]
    pub fn cell(&self, column: usize, row: usize) -> Cell {
        let bit = Self::bit(column, row);
        let code = (0..3).map(|i| u8::from(self.planes[i] & bit != 0) << i);
        Cell::of_code(code.sum())
    }

    /// Replaces the content of cell (`column`, `row`).
    ///
    /// # Panics
    /// When the cell is outside the board.
    pub fn set(&mut self, column: usize, row: usize, cell: Cell) {
        assert!(
            column < self.size.width() && row < self.size.height(),
            "cell ({column}, {row}) is outside a {} board",
            self.size
        );
        let bit = Self::bit(column, row);
        for plane in &mut self.planes {
            *plane &= !bit;
        }
        self.put(bit, cell);
        self.heights[column] = self.lane(column).count_ones() as u8;
    }

    /// The number of puyos and garbage in each column; 0 for columns beyond the width.
    #[inline]
    pub const fn heights(&self) -> &[u8; Size::MAX_WIDTH] {
        &self.heights
    }

    /// The plane of all cells that are not empty.
    #[inline]
    pub const fn occupied(&self) -> u128 {
        self.planes[0] | self.planes[1] | self.planes[2]
    }

    /// The plane of all garbage.
    #[inline]
    pub const fn garbage(&self) -> u128 {
        self.planes[0] & !(self.planes[1] | self.planes[2])
    }

    /// The plane of one colour.
    #[inline]
    pub const fn plane(&self, colour: PuyoColour) -> u128 {
        let code = colour_code(colour);
        let mut plane = !0;
        let mut i = 0;
        while i < 3 {
            plane &= if code >> i & 1 == 1 {
                self.planes[i]
            } else {
                !self.planes[i]
            };
            i += 1;
        }
        plane
    }

    /// The plane of the lowest cell of every column.
    #[inline]
    pub const fn floor(&self) -> u128 {
        const FLOOR: u128 = 0x0001_0001_0001_0001_0001_0001_0001_0001;
        FLOOR >> (LANE as usize * (Size::MAX_WIDTH - self.size.width()))
    }

    /// The plane of all cells of the board.
    #[inline]
    pub const fn inside(&self) -> u128 {
        // The subtraction borrows from no other lane, because a column has at most 15 rows.
        (self.floor() << self.size.height()) - self.floor()
    }

    /// The planes of all colours.
    #[inline]
    pub const fn colour_planes(&self) -> [u128; PuyoColour::COUNT] {
        let [code0, code1, code2] = self.planes;
        let (low, high, rare) = (code2 & !code1, code2 & code1, code1 & !code2);
        [
            low & !code0,
            low & code0,
            high & !code0,
            high & code0,
            rare & !code0,
            rare & code0,
        ]
    }

    /// The number of puyos on the board, including garbage.
    #[inline]
    pub const fn stones(&self) -> u32 {
        self.occupied().count_ones()
    }

    /// Drops `cell` onto `column`, which must not be full; does not simulate a chain.
    #[inline]
    pub fn drop(&mut self, column: usize, cell: Cell) {
        self.add(column, usize::from(self.heights[column]), cell);
    }

    /// Adds `cell` to an empty place.
    #[inline]
    pub(crate) fn add(&mut self, column: usize, row: usize, cell: Cell) {
        debug_assert!(row < self.size.height());
        self.put(Self::bit(column, row), cell);
        self.heights[column] += 1;
    }

    /// The mirrored board: column 0 becomes the last column.
    pub fn mirrored(&self) -> Self {
        let mut mirrored = Self::empty(self.size);
        for (column, row) in self.size.iter() {
            mirrored.set(self.size.width() - 1 - column, row, self.cell(column, row));
        }
        mirrored
    }

    /// The board with colour `i` replaced by `colours[i]`.
    pub fn recoloured(&self, colours: &[PuyoColour; PuyoColour::COUNT]) -> Self {
        let mut recoloured = *self;
        for (column, row) in self.size.iter() {
            if let Cell::Puyo(colour) = self.cell(column, row) {
                recoloured.set(column, row, Cell::Puyo(colours[colour.index()]));
            }
        }
        recoloured
    }

    #[inline]
    fn put(&mut self, bit: u128, cell: Cell) {
        let code = cell.code();
        for (i, plane) in self.planes.iter_mut().enumerate() {
            if code >> i & 1 == 1 {
                *plane |= bit;
            }
        }
    }

    fn lane(&self, column: usize) -> u16 {
        (self.occupied() >> (LANE as usize * column)) as u16
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.planes == other.planes && self.size == other.size
    }
}

impl Eq for Board {}

impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.planes.hash(state);
    }
}

/// Every row from the top, `.` for empty.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..self.size.height()).rev() {
            for column in 0..self.size.width() {
                write!(f, "{}", self.cell(column, row).letter())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board {}\n{self}", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_one_cache_line() {
        assert_eq!(size_of::<Board>(), 64);
    }

    #[test]
    fn every_cell_holds_what_was_put_there() {
        let size = Size::new(8, 15).expect("the largest board");
        let mut board = Board::empty(size);
        let colours = PuyoColour::all().map(Cell::Puyo);
        let cells: Vec<Cell> = [Cell::Empty, Cell::Garbage]
            .into_iter()
            .chain(colours)
            .collect();
        for (i, (column, row)) in size.iter().enumerate() {
            board.set(column, row, cells[i % cells.len()]);
        }
        for (i, (column, row)) in size.iter().enumerate() {
            let cell = cells[i % cells.len()];
            assert_eq!(board.cell(column, row), cell);
            if let Cell::Puyo(colour) = cell {
                assert_ne!(board.plane(colour) & Board::bit(column, row), 0);
            }
            let garbage = board.garbage() & Board::bit(column, row) != 0;
            assert_eq!(garbage, cell == Cell::Garbage);
        }
    }

    #[test]
    fn dropping_stacks() {
        let red = Cell::Puyo(PuyoColour(0));
        let mut dropped = Board::empty(Size::THESIS);
        dropped.drop(2, red);
        dropped.drop(2, Cell::Garbage);
        let mut stacked = Board::empty(Size::THESIS);
        stacked.set(2, 0, red);
        stacked.set(2, 1, Cell::Garbage);
        assert_eq!(dropped, stacked);
        assert_eq!(dropped.heights()[2], 2);
        assert_eq!(dropped.stones(), 2);
    }
}
