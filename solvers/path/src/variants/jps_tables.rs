//! `jps-tables`: jump point search with every jump looked up.

use ikeru_core::{BoxedSolve, Refusal, Settings, Source, Variant};

use super::jps::BitBoard;
use crate::GridPath;
use crate::instance::Instance;
use crate::jump::{Jumps, jumper};
use crate::map::{Cell, Direction};

/// `jps-tables`.
pub const JPS_TABLES: Variant<GridPath> = Variant {
    name: "jps-tables",
    about: "jump point search with all eight jumps of every square computed beforehand, sixteen bytes each",
    source: Source::Paper(
        "Rabin and Sturtevant 2013, JPS+; Harabor and Grastien 2014, Improving jump point search",
    ),
    exact: true,
    version: 1,
    settings: &[],
    prepare,
};

fn prepare<'a>(instance: &'a Instance, _: &Settings) -> Result<BoxedSolve<'a, GridPath>, Refusal> {
    jumper(instance, JumpTables::new)
}

/// How far one gets from every square in each direction.
struct JumpTables {
    width: usize,
    /// Sixteen bytes for each square, so that a cache line serves all its directions. Sides are at
    /// most 8192, so a distance fits.
    jumps: Vec<[i16; 8]>,
}

impl JumpTables {
    fn new(instance: &Instance) -> Self {
        let map = instance.map();
        let bits = BitBoard::new(instance);
        let mut tables = Self {
            width: map.width(),
            jumps: vec![[0; 8]; map.letters().len()],
        };
        let straight = Direction::ALL.into_iter().filter(|d| !d.is_diagonal());
        for direction in straight {
            for cell in map.cells().filter(|cell| instance.factor(*cell).is_some()) {
                let jump = bits.straight(cell, direction) as i16;
                tables.set(cell, direction, jump);
            }
        }
        for direction in Direction::ALL.into_iter().filter(|d| d.is_diagonal()) {
            // The square ahead must be done first.
            let ahead_is_above = direction.offset().1 < 0;
            for row in 0..map.height() as u16 {
                let y = if ahead_is_above {
                    row
                } else {
                    map.height() as u16 - 1 - row
                };
                for x in 0..map.width() as u16 {
                    let cell = Cell::new(x, y);
                    if bits.diagonal(cell, direction) > 0 {
                        let jump = tables.diagonal_from_ahead(cell, direction);
                        tables.set(cell, direction, jump);
                    }
                }
            }
        }
        tables
    }

    fn diagonal_from_ahead(&self, cell: Cell, direction: Direction) -> i16 {
        let ahead = cell.step(direction);
        let turns = [direction.turned(7), direction.turned(1)];
        if turns.into_iter().any(|turn| self.get(ahead, turn) > 0) {
            return 1;
        }
        match self.get(ahead, direction) {
            jump if jump > 0 => jump + 1,
            end => end - 1,
        }
    }

    fn set(&mut self, cell: Cell, direction: Direction, jump: i16) {
        let square = usize::from(cell.y) * self.width + usize::from(cell.x);
        self.jumps[square][usize::from(direction.0)] = jump;
    }

    #[inline]
    fn get(&self, cell: Cell, direction: Direction) -> i16 {
        let square = usize::from(cell.y) * self.width + usize::from(cell.x);
        self.jumps[square][usize::from(direction.0 & 7)]
    }
}

impl Jumps for JumpTables {
    #[inline]
    fn straight(&self, cell: Cell, direction: Direction) -> i32 {
        self.get(cell, direction).into()
    }

    #[inline]
    fn diagonal(&self, cell: Cell, direction: Direction) -> i32 {
        self.get(cell, direction).into()
    }

    fn bytes(&self) -> u64 {
        16 * self.jumps.len() as u64
    }
}
