//! The jump points of a map, numbered tile by tile.

use ikeru_core::{Deadline, Refusal};

use super::jumps::JumpBoard;
use crate::map::Cell;
use crate::variants::dense::board::DenseMap;
use crate::variants::dense::nodes::{NodeSlot, unknown};

/// The state of a jump point in a search.
///
/// PERF: one cache line holds all that an expansion needs. random512-10-0 takes 446 µs per query; with three arrays
/// it took 594 µs (bench `peers`, a busy machine).
#[derive(Debug, Clone, Copy)]
pub struct JumpPoint {
    /// See [`Nodes`](crate::variants::dense::nodes::Nodes).
    pub node: u64,
    /// Its cell.
    pub cell: Cell,
    /// The jump point before this one, or [`START`].
    pub before: u32,
}

/// The number of the start, which need not be a jump point.
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

/// All cells that are a jump point in any direction, and the map as bits.
///
/// PERF: most maps have few jump points, so that their states stay in the cache: maze 1024 takes 1452 µs per query
/// (bench `peers`).
pub struct JumpPoints {
    /// The map as bits.
    pub board: JumpBoard,
    cells: Vec<Cell>,
    grounds: Vec<u16>,
}

impl JumpPoints {
    /// The jump points of a board's map.
    ///
    /// # Errors
    /// [`Refusal::Timeout`] if the deadline passes first.
    pub fn new(board: &DenseMap, deadline: Deadline) -> Result<Self, Refusal> {
        let jumps = JumpBoard::new(board, deadline)?;
        let cells: Vec<Cell> = jumps.points().collect();
        let ground = |cell: &Cell| board.ground[board.square(*cell)];
        Ok(Self {
            board: jumps,
            grounds: cells.iter().map(ground).collect(),
            cells,
        })
    }

    /// The cells of the jump points in the order of their numbers.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The ground of a jump point, see [`DenseMap::ground`].
    #[inline]
    pub fn ground(&self, number: u32) -> u16 {
        self.grounds[number as usize]
    }

    /// The state of each jump point before a search.
    pub fn unknown(&self) -> Vec<JumpPoint> {
        let point = |(cell, ground): (&Cell, &u16)| JumpPoint {
            node: unknown(*ground),
            cell: *cell,
            before: START,
        };
        self.cells.iter().zip(&self.grounds).map(point).collect()
    }

    /// The size in bytes.
    pub fn bytes(&self) -> u64 {
        let cells = size_of_val(&*self.cells) + size_of_val(&*self.grounds);
        cells as u64 + self.board.bytes()
    }
}
