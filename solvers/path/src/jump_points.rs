//! The jump points of a map, numbered along its rows.

use ikeru_core::{Deadline, Refusal};

use crate::bitboard::{BitBoard, turns};
use crate::board::{Board, ROWS_PER_LOOK};
use crate::instance::Instance;
use crate::jump::{JumpPoint, START};
use crate::map::{Cell, Direction};
use crate::nodes::unknown;

/// All squares that are a jump point in some direction, and the map as bits.
///
/// PERF: jump points are few on most maps, so that what a search knows of them stays in the cache: maze
/// 1024 takes 1452 µs per query (bench `peers`).
pub struct JumpPoints {
    bits: BitBoard,
    cells: Vec<Cell>,
    grounds: Vec<u16>,
    numbers: Numbers,
}

impl JumpPoints {
    /// The jump points of a board's map.
    ///
    /// # Errors
    /// [`Refusal::Timeout`] if the deadline passes first.
    pub fn new(instance: &Instance, board: &Board, deadline: Deadline) -> Result<Self, Refusal> {
        let map = instance.map();
        let ground = |cell: Cell| board.ground[board.square(cell)];
        let mut ticker = deadline.ticker(ROWS_PER_LOOK);
        let mut cells = Vec::new();
        for y in 0..map.height() as u16 {
            if ticker.passed() {
                return Err(Refusal::Timeout);
            }
            let row = (0..map.width() as u16).map(|x| Cell::new(x, y));
            cells.extend(row.filter(|cell| turns(ground(*cell) as u8) != 0));
        }
        Ok(Self {
            bits: BitBoard::new(instance, board, deadline)?,
            grounds: cells.iter().map(|cell| ground(*cell)).collect(),
            numbers: Numbers::new(map.width(), map.height(), &cells),
            cells,
        })
    }

    /// What is known of each jump point before a search.
    #[must_use]
    pub fn unknown(&self) -> Vec<JumpPoint> {
        let point = |(cell, ground): (&Cell, &u16)| JumpPoint {
            node: unknown(*ground),
            cell: *cell,
            before: START,
        };
        self.cells.iter().zip(&self.grounds).map(point).collect()
    }

    /// Whether the way to `goal`, diagonal first and then straight, is free. No way is shorter.
    #[inline]
    #[must_use]
    pub fn sees(&self, from: Cell, goal: Cell) -> bool {
        self.bits.sees(from, goal)
    }

    /// Shows `visit` the number of every jump point, with the direction of arrival, that one jump
    /// from `from` leads to by one of `steps`; how many jumps were looked at.
    #[inline]
    pub fn jumps(&self, from: Cell, steps: u8, mut visit: impl FnMut(u32, Direction)) -> u64 {
        self.bits.jumps(from, steps, |cell, direction| {
            visit(self.numbers.of(cell), direction);
        })
    }

    /// Bytes kept.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let cells = size_of_val(&*self.cells) + size_of_val(&*self.grounds);
        cells as u64 + self.bits.bytes() + self.numbers.bytes()
    }
}

/// The number of each jump point: a bit for each square, and how many stand before its word.
struct Numbers {
    width: usize,
    words: Vec<(u64, u32)>,
}

impl Numbers {
    fn new(width: usize, height: usize, cells: &[Cell]) -> Self {
        let mut numbers = Self {
            width,
            words: vec![(0, 0); (width * height).div_ceil(64)],
        };
        for cell in cells {
            let square = numbers.square(*cell);
            numbers.words[square / 64].0 |= 1 << (square % 64);
        }
        let mut before = 0;
        for (bits, first) in &mut numbers.words {
            *first = before;
            before += bits.count_ones();
        }
        numbers
    }

    fn square(&self, cell: Cell) -> usize {
        usize::from(cell.y) * self.width + usize::from(cell.x)
    }

    fn of(&self, cell: Cell) -> u32 {
        let square = self.square(cell);
        let (bits, before) = self.words[square / 64];
        before + (bits & ((1 << (square % 64)) - 1)).count_ones()
    }

    fn bytes(&self) -> u64 {
        size_of_val(&*self.words) as u64
    }
}
