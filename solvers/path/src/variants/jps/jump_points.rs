//! The jump points of a map, numbered along its rows.

use ikeru_core::{Deadline, Refusal};

use super::jumps::{JumpBoard, forced};
use crate::instance::Instance;
use crate::map::{Cell, Heading, ROWS_PER_LOOK};
use crate::variants::dense::board::DenseMap;
use crate::variants::dense::nodes::{NodeSlot, unknown};

/// What is known of a jump point.
///
/// PERF: one cache line serves all that an expansion needs. In three arrays random512-10-0 took
/// 594 µs per query, so 446 (bench `peers`, a busy machine).
#[derive(Debug, Clone, Copy)]
pub struct JumpPoint {
    /// See [`Nodes`](crate::variants::dense::nodes::Nodes).
    pub node: u64,
    /// Where it is.
    pub cell: Cell,
    /// The jump point before this one, or [`START`].
    pub before: u32,
}

/// Stands for the start, which need not be a jump point.
pub const START: u32 = u32::MAX;

impl NodeSlot for JumpPoint {
    #[inline]
    fn node(&self) -> u64 {
        self.node
    }
    #[inline]
    fn set_node(&mut self, node: u64) {
        self.node = node;
    }
}

/// All cells that are a jump point in some direction, and the map as bits.
///
/// PERF: jump points are few on most maps, so that what a search knows of them stays in the cache: maze
/// 1024 takes 1452 µs per query (bench `peers`).
pub struct JumpPoints {
    board: JumpBoard,
    cells: Vec<Cell>,
    grounds: Vec<u16>,
    numbers: Numbers,
}

impl JumpPoints {
    /// The jump points of a board's map.
    ///
    /// # Errors
    /// [`Refusal::Timeout`] if the deadline passes first.
    pub fn new(instance: &Instance, board: &DenseMap, deadline: Deadline) -> Result<Self, Refusal> {
        let map = instance.map();
        let ground = |cell: Cell| board.ground[board.square(cell)];
        let mut ticker = deadline.ticker(ROWS_PER_LOOK);
        let mut cells = Vec::new();
        for y in 0..map.height() as u16 {
            ticker.check()?;
            let row = (0..map.width() as u16).map(|x| Cell::new(x, y));
            cells.extend(row.filter(|cell| forced(ground(*cell) as u8) != 0));
        }
        Ok(Self {
            board: JumpBoard::new(instance, board, deadline)?,
            grounds: cells.iter().map(|cell| ground(*cell)).collect(),
            numbers: Numbers::new(map.width(), map.height(), &cells),
            cells,
        })
    }

    /// Where the jump points are, in the order of their numbers.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The ground of a jump point, see [`DenseMap::ground`].
    #[inline]
    pub fn ground(&self, number: u32) -> u16 {
        self.grounds[number as usize]
    }

    /// What is known of each jump point before a search.
    pub fn unknown(&self) -> Vec<JumpPoint> {
        let point = |(cell, ground): (&Cell, &u16)| JumpPoint {
            node: unknown(*ground),
            cell: *cell,
            before: START,
        };
        self.cells.iter().zip(&self.grounds).map(point).collect()
    }

    /// Whether the path to `goal`, diagonal first and then straight, is free. No path is shorter. Adds to `words` as
    /// [`BitLines::jump`](super::bits::BitLines::jump) does.
    #[inline]
    pub fn sees(&self, from: Cell, goal: Cell, words: &mut u64) -> bool {
        self.board.sees(from, goal, words)
    }

    /// Shows `visit` the number of every jump point, with the direction of arrival, that one jump
    /// from `from` leads to by one of `steps`; how many jumps were looked at. Adds to `words` as
    /// [`BitLines::jump`](super::bits::BitLines::jump) does.
    #[inline]
    pub fn jumps(
        &self,
        from: Cell,
        steps: u8,
        words: &mut u64,
        mut visit: impl FnMut(u32, Heading),
    ) -> u64 {
        self.board.jumps(from, steps, words, |cell, direction| {
            visit(self.numbers.of(cell), direction);
        })
    }

    /// Bytes kept.
    pub fn bytes(&self) -> u64 {
        let cells = size_of_val(&*self.cells) + size_of_val(&*self.grounds);
        cells as u64 + self.board.bytes() + self.numbers.bytes()
    }
}

/// The number of each jump point: a bit for each cell, and how many stand before its word.
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
