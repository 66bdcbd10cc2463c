//! Jumps: the map as bits along its rows, columns and diagonals, in all eight directions of travel, for uniform
//! ground and diagonal steps with both corners free.

use ikeru_core::{Deadline, Refusal, Ticker};

use super::bits::BitLines;
use super::search::packed;
use crate::instance::Instance;
use crate::map::{Cell, Heading, ROWS_PER_LOOK, TerrainMap};
use crate::variants::dense::board::DenseMap;
use crate::variants::dense::canonical::NOWHERE;
use crate::variants::finder::FinderCounts;

/// Lines of all eight directions.
///
/// Straight jumps end at jump points, which are cells with a forced neighbour: a free cell next to the line after a
/// blocked one, so that a path can turn there only from this cell on. Diagonal jumps end at cells from which a
/// straight jump, along one of the diagonal's two components, leads to a jump point.
///
/// PERF: jumps that lead nowhere are never computed: two thirds of the jumps in mazes, half on terrain and in rooms,
/// a third on noise. `jps` takes 0.80 to 0.85 of the time in mazes with corridors of four cells, on terrain, in rooms
/// and on arena2, 0.9 on noise, the same in corridors of one cell; its preparation takes 1.06.
pub struct JumpBoard {
    lines: [BitLines; 8],
    /// For each cell, tile by tile, the directions in which there is a jump, one bit each.
    leads: Vec<u8>,
    tiles: Tiles,
    /// For each tile, a bit for each jump point, and the number of jump points in earlier tiles.
    numbers: Vec<(u64, u32)>,
}

/// Numbers cells by tiles of 8 × 8, so that nearby cells share a cache line or a word of bits.
#[derive(Debug, Clone, Copy)]
pub struct Tiles {
    across: usize,
    down: usize,
}

impl Tiles {
    /// The tiles of a map.
    pub fn new(map: &TerrainMap) -> Self {
        Self {
            across: map.width().div_ceil(8),
            down: map.height().div_ceil(8),
        }
    }

    /// The number of tiles.
    pub fn count(self) -> usize {
        self.across * self.down
    }

    /// The number of a cell; its lowest six bits are the position within the tile.
    #[inline(always)]
    pub fn of(self, cell: Cell) -> usize {
        let (x, y) = (usize::from(cell.x), usize::from(cell.y));
        ((y / 8) * self.across + x / 8) * 64 + y % 8 * 8 + x % 8
    }

    /// The cells of a row of tiles in the order of their numbers; some may be outside the map.
    pub fn cells(self, row: usize) -> impl Iterator<Item = Cell> {
        (0..64 * self.across).map(move |at| {
            let (x, y) = (at / 64 * 8 + at % 8, row * 8 + at / 8 % 8);
            Cell::new(x as u16, y as u16)
        })
    }

    /// The number of rows of tiles.
    pub fn rows(self) -> usize {
        self.down
    }
}

impl JumpBoard {
    /// The bits of a board's map.
    ///
    /// # Errors
    /// [`Refusal::Timeout`] if the deadline passes first.
    pub fn new(instance: &Instance, board: &DenseMap, deadline: Deadline) -> Result<Self, Refusal> {
        let map = instance.map();
        let mut ticker = deadline.ticker(ROWS_PER_LOOK);
        let mut points = Vec::with_capacity(board.ground.len());
        for row in board.ground.chunks(board.stride) {
            ticker.check()?;
            points.extend(row.iter().map(|ground| forced(*ground as u8)));
        }
        // Jump-point flags: for each cell, the straight directions in which a jump from it leads to a jump point.
        let closed = vec![0; points.len()];
        let ends = |square: usize, direction| has(points[square], direction);
        let flags = spread(board, closed, [[0, 6], [2, 4]], &mut ticker, ends)?;
        // The diagonal directions in which a jump ends at a cell that must be examined are added.
        let ends = |square: usize, direction| stops(flags[square], direction);
        let leads = spread(board, flags.clone(), [[7, 1], [3, 5]], &mut ticker, ends)?;
        let mut in_time = true;
        let lines = Heading::ALL.map(|direction| {
            let mut lines = BitLines::closed(direction, map.width(), map.height());
            // A diagonal step into a cell needs the cell before and both corners.
            let enters = |around: u8| (3..6).all(|turn| has(around, direction.0 + turn));
            for cell in map.cells() {
                if cell.x == 0 {
                    in_time &= !ticker.passed();
                }
                if !in_time {
                    break;
                }
                if instance.factor(cell).is_none() {
                    continue;
                }
                let square = board.square(cell);
                if !direction.is_diagonal() {
                    lines.open(direction, cell, has(points[square], direction.0));
                } else if enters(board.ground[square] as u8) {
                    lines.open(direction, cell, stops(flags[square], direction.0));
                }
            }
            lines
        });
        if in_time {
            let tiles = Tiles::new(map);
            let mut tiled = vec![0; 64 * tiles.count()];
            let mut numbers = vec![(0, 0); tiles.count()];
            for cell in map.cells() {
                let (square, padded) = (tiles.of(cell), board.square(cell));
                tiled[square] = leads[padded];
                numbers[square / 64].0 |= u64::from(points[padded] != 0) << (square % 64);
            }
            let mut before = 0;
            for (bits, first) in &mut numbers {
                *first = before;
                before += bits.count_ones();
            }
            Ok(Self {
                lines,
                leads: tiled,
                tiles,
                numbers,
            })
        } else {
            Err(Refusal::Timeout)
        }
    }

    #[inline]
    fn run(&self, direction: usize, from: Cell, words: &mut u64) -> i32 {
        self.lines[direction].run(Heading(direction as u8), from, words)
    }

    /// The number of free cells from `goal` along its row and its column, for each straight direction. Adds to
    /// `words` like [`BitLines::jump`](super::bits::BitLines::jump).
    pub fn runs(&self, goal: Cell, words: &mut u64) -> [i32; 8] {
        let mut runs = [0; 8];
        for direction in [0, 2, 4, 6] {
            runs[direction] = self.run(direction, goal, words);
        }
        runs
    }

    /// Returns whether the path from `from` to `goal`, diagonal first and then straight, is free. No path is shorter.
    /// Adds to `words` like [`BitLines::jump`](super::bits::BitLines::jump).
    ///
    /// PERF: the straight part is computed from the goal once for all expansions ([`runs`](Self::runs)), so that most
    /// cells need no scan of a line.
    #[inline(always)]
    pub fn sees(&self, from: Cell, goal: Cell, runs: Option<&[i32; 8]>, words: &mut u64) -> bool {
        let x = i32::from(goal.x) - i32::from(from.x);
        let y = i32::from(goal.y) - i32::from(from.y);
        let (across, down) = (x.abs(), y.abs());
        let back = if across > down {
            if x > 0 { 6 } else { 2 }
        } else if y > 0 {
            0
        } else {
            4
        };
        let run = match runs {
            Some(runs) => runs[back],
            None => self.run(back, goal, words),
        };
        let diagonal = across.min(down);
        run >= across.max(down) - diagonal
            && (diagonal == 0 || self.run(direction_of(x, y), from, words) >= diagonal)
    }

    /// The directions in which there is a jump from `cell`, one bit each.
    #[inline(always)]
    fn leads(&self, cell: Cell) -> u8 {
        self.leads[self.tiles.of(cell)]
    }

    /// Adds to `list` every [packed] jump from `from` to a jump point that begins with one of `steps`. Counts the
    /// jumps examined, and words like [`BitLines::jump`](super::bits::BitLines::jump).
    #[inline(always)]
    pub fn jumps(&self, from: Cell, steps: u8, counts: &mut FinderCounts, list: &mut Vec<u32>) {
        let mut steps = steps & self.leads(from);
        while steps != 0 {
            // PERF: every direction has separate code, in which computing the place of a bit takes a few
            // instructions.
            match steps.trailing_zeros() {
                0 => self.straight(Heading(0), from, counts, list),
                1 => self.diagonal(Heading(1), from, counts, list),
                2 => self.straight(Heading(2), from, counts, list),
                3 => self.diagonal(Heading(3), from, counts, list),
                4 => self.straight(Heading(4), from, counts, list),
                5 => self.diagonal(Heading(5), from, counts, list),
                6 => self.straight(Heading(6), from, counts, list),
                _ => self.diagonal(Heading(7), from, counts, list),
            }
            steps &= steps - 1;
        }
    }

    /// The cell at which the jump from `from` ends.
    #[inline(always)]
    fn jump(&self, direction: Heading, from: Cell, counts: &mut FinderCounts) -> Cell {
        counts.generated += 1;
        let line = &self.lines[usize::from(direction.0)];
        ahead(
            from,
            direction,
            line.jump(direction, from, &mut counts.words),
        )
    }

    #[inline(always)]
    fn straight(
        &self,
        direction: Heading,
        from: Cell,
        counts: &mut FinderCounts,
        list: &mut Vec<u32>,
    ) {
        let cell = self.jump(direction, from, counts);
        list.push(packed(self.number(cell), direction));
    }

    #[inline(always)]
    fn diagonal(
        &self,
        direction: Heading,
        from: Cell,
        counts: &mut FinderCounts,
        list: &mut Vec<u32>,
    ) {
        let (left, right) = (direction.turned(7), direction.turned(1));
        let mut here = from;
        loop {
            here = self.jump(direction, here, counts);
            let leads = self.leads(here);
            if has(leads, left.0) {
                self.straight(left, here, counts, list);
            }
            if has(leads, right.0) {
                self.straight(right, here, counts, list);
            }
            if !has(leads, direction.0) {
                break;
            }
        }
    }

    /// The number of the jump point at `cell`.
    #[inline(always)]
    fn number(&self, cell: Cell) -> u32 {
        let square = self.tiles.of(cell);
        let (bits, before) = self.numbers[square / 64];
        before + (bits & ((1 << (square % 64)) - 1)).count_ones()
    }

    /// The size in bytes.
    pub fn bytes(&self) -> u64 {
        self.lines.iter().map(BitLines::bytes).sum::<u64>()
            + (size_of_val(&*self.leads) + size_of_val(&*self.numbers)) as u64
    }
}

/// Returns whether `directions` contains `direction`, taken modulo 8.
fn has(directions: u8, direction: u8) -> bool {
    directions >> (direction & 7) & 1 == 1
}

/// Returns whether a jump in this diagonal direction ends at a cell with these jump-point flags.
fn stops(flags: u8, direction: u8) -> bool {
    has(flags, direction + 7) || has(flags, direction + 1)
}

/// The straight directions of arrival in which a cell with these neighbours has a forced neighbour and so is a jump
/// point.
#[inline]
pub fn forced(around: u8) -> u8 {
    FORCED[usize::from(around)]
}

/// [`forced`] for each set of neighbours.
static FORCED: [u8; 256] = {
    let mut table = [0; 256];
    let mut around = 0;
    while around < 256 {
        let mut direction = 0;
        while direction < 8 {
            let turned = (around as u8).rotate_right(direction);
            // Behind it, and to a side: free, where the cell before it is not.
            let left = turned & 0b0110_0000 == 0b0100_0000;
            let right = turned & 0b0000_1100 == 0b0000_0100;
            if turned & 0b0001_0000 != 0 && (left || right) {
                table[around] |= 1 << direction;
            }
            direction += 2;
        }
        around += 1;
    }
    table
};

/// Adds to `leads` the bit of a direction for each square from which a legal step in it leads to a square that ends a
/// jump or has the same bit. The first two directions lead to smaller numbers, the others to larger ones.
fn spread(
    board: &DenseMap,
    mut leads: Vec<u8>,
    [smaller, larger]: [[u8; 2]; 2],
    ticker: &mut Ticker,
    ends: impl Fn(usize, u8) -> bool,
) -> Result<Vec<u8>, Refusal> {
    let offsets = board.offsets();
    let mut look = |square: usize, direction: u8| {
        let legal = board.canonical(board.ground[square], NOWHERE);
        if has(legal, direction) {
            let ahead = square.wrapping_add_signed(offsets[usize::from(direction)]);
            let leads_on = ends(ahead, direction) || has(leads[ahead], direction);
            leads[square] |= u8::from(leads_on) << direction;
        }
    };
    // The square ahead must be computed first.
    let rows = board.squares / board.stride;
    let squares = |row: usize| row * board.stride..(row + 1) * board.stride;
    for row in 0..rows {
        ticker.check()?;
        for square in squares(row) {
            smaller
                .iter()
                .for_each(|direction| look(square, *direction));
        }
    }
    for row in (0..rows).rev() {
        ticker.check()?;
        for square in squares(row).rev() {
            larger.iter().for_each(|direction| look(square, *direction));
        }
    }
    Ok(leads)
}

/// The direction towards a cell `x` columns to the right and `y` rows down.
#[inline]
fn direction_of(x: i32, y: i32) -> usize {
    const DIRECTIONS: [[usize; 3]; 3] = [[7, 0, 1], [6, NOWHERE, 2], [5, 4, 3]];
    DIRECTIONS[(y.signum() + 1) as usize][(x.signum() + 1) as usize]
}

/// The cell `steps` ahead.
#[inline(always)]
fn ahead(cell: Cell, direction: Heading, steps: i32) -> Cell {
    let (dx, dy) = direction.offset();
    Cell::new(
        (i32::from(cell.x) + steps * i32::from(dx)) as u16,
        (i32::from(cell.y) + steps * i32::from(dy)) as u16,
    )
}
