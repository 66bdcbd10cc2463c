//! `jps`: jump point search online, 64 squares at a time.

use ikeru_core::{BoxedSolve, Refusal, Settings, Source, Variant};

use crate::GridPath;
use crate::bits::{Lines, Stops};
use crate::instance::Instance;
use crate::jump::{Jumps, jumper};
use crate::map::{Cell, Direction};

/// `jps`.
pub const JPS: Variant<GridPath> = Variant {
    name: "jps",
    about: "jump point search online: rows and columns as bits, 64 squares at a time, diagonal turning points never queued",
    source: Source::Paper("Harabor and Grastien 2014, Improving jump point search"),
    exact: true,
    version: 1,
    settings: &[],
    prepare,
};

fn prepare<'a>(instance: &'a Instance, _: &Settings) -> Result<BoxedSolve<'a, GridPath>, Refusal> {
    jumper(instance, BitBoard::new)
}

/// The map as bits, along its rows and along its columns.
pub(super) struct BitBoard {
    rows: Lines,
    columns: Lines,
    north: Stops<false>,
    east: Stops<true>,
    south: Stops<true>,
    west: Stops<false>,
    width: usize,
    /// Legal diagonal steps by square.
    diagonals: Vec<u8>,
}

impl BitBoard {
    pub(super) fn new(instance: &Instance) -> Self {
        let map = instance.map();
        let free = |cell: Cell| instance.factor(cell).is_some();
        let diagonals = map.cells().map(|cell| {
            let moves = instance.question.moves;
            let legal =
                |d: &Direction| d.is_diagonal() && moves.legal(*d, |side| free(cell.step(side)));
            let all = Direction::ALL.into_iter().filter(legal);
            all.fold(0, |mask, direction| mask | 1 << direction.0)
        });
        let (rows, columns) = (Lines::rows(instance), Lines::columns(instance));
        Self {
            north: columns.stops(),
            east: rows.stops(),
            south: columns.stops(),
            west: rows.stops(),
            rows,
            columns,
            width: map.width(),
            diagonals: diagonals.collect(),
        }
    }
}

impl Jumps for BitBoard {
    #[inline]
    fn straight(&self, cell: Cell, direction: Direction) -> i32 {
        match direction.0 {
            0 => self.north.jump(&self.columns, cell.x, cell.y),
            2 => self.east.jump(&self.rows, cell.y, cell.x),
            4 => self.south.jump(&self.columns, cell.x, cell.y),
            _ => self.west.jump(&self.rows, cell.y, cell.x),
        }
    }

    #[inline]
    fn diagonal(&self, cell: Cell, direction: Direction) -> i32 {
        let square = usize::from(cell.y) * self.width + usize::from(cell.x);
        i32::from(self.diagonals[square] >> direction.0 & 1)
    }

    fn bytes(&self) -> u64 {
        let lines = self.rows.bytes() + self.columns.bytes();
        let across = self.east.bytes() + self.west.bytes();
        lines + across + self.north.bytes() + self.south.bytes() + self.diagonals.len() as u64
    }
}
