//! The jump points of a map, numbered tile by tile.

use ikeru_core::{Deadline, Refusal};

use super::jumps::JumpBoard;
use crate::map::Cell;
use crate::variants::dense::board::DenseMap;
use crate::variants::dense::nodes::{NodeSlot, unknown};
use crate::variants::finder::FinderCounts;

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
    board: JumpBoard,
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

    /// See [`JumpBoard::runs`].
    pub fn runs(&self, goal: Cell, words: &mut u64) -> [i32; 8] {
        self.board.runs(goal, words)
    }

    /// See [`JumpBoard::sees`].
    #[inline(always)]
    pub fn sees(&self, from: Cell, goal: Cell, runs: Option<&[i32; 8]>, words: &mut u64) -> bool {
        self.board.sees(from, goal, runs, words)
    }

    /// See [`JumpBoard::jumps`].
    #[inline(always)]
    pub fn jumps(&self, from: Cell, steps: u8, counts: &mut FinderCounts, list: &mut Vec<u32>) {
        self.board.jumps(from, steps, counts, list);
    }

    /// The size in bytes.
    pub fn bytes(&self) -> u64 {
        let cells = size_of_val(&*self.cells) + size_of_val(&*self.grounds);
        cells as u64 + self.board.bytes()
    }
}
