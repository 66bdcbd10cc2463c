//! Jumps: the map as bits along its rows, columns and diagonals, in all eight directions of travel, for uniform
//! ground and diagonal steps with both corners free.

use ikeru_core::{Deadline, Refusal};

use super::bits::BitLines;
use super::planes::{self, Plane};
use crate::map::{Cell, Heading, ROWS_PER_LOOK};
use crate::variants::dense::board::DenseMap;
use crate::variants::dense::canonical::NOWHERE;
use crate::variants::finder::FinderCounts;

/// A jump: the jump point ahead and the direction of arrival there, `number:30 | direction:2`.
#[inline]
pub fn packed(to: u32, arrival: Heading) -> u32 {
    to << 2 | u32::from(arrival.0 / 2)
}

/// The jump point ahead and the direction of arrival there.
#[inline]
pub fn unpacked(jump: u32) -> (u32, Heading) {
    (jump >> 2, Heading((jump & 3) as u8 * 2))
}

/// Lines of all eight directions.
///
/// Straight jumps end at jump points, which are cells with a forced neighbour: a free cell next to the line after a
/// blocked one, so that a path can turn there only from this cell on. Diagonal jumps end at cells from which a
/// straight jump, along one of the diagonal's two components, leads to a jump point.
///
/// PERF: jumps that lead nowhere are never computed: two thirds of the jumps in mazes, half on terrain and in rooms,
/// a third on noise. `jps` takes 0.80 to 0.85 of the time in mazes with corridors of four cells, on terrain, in rooms
/// and on arena2, 0.9 on noise, the same in corridors of one cell.
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
    fn new(map: &Plane) -> Self {
        Self {
            across: map.width.div_ceil(8),
            down: map.height.div_ceil(8),
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
}

impl JumpBoard {
    /// The bits of a board's map.
    ///
    /// # Errors
    /// [`Refusal::Timeout`] if the deadline passes first.
    pub fn new(board: &DenseMap, deadline: Deadline) -> Result<Self, Refusal> {
        let ticker = &mut deadline.ticker(ROWS_PER_LOOK);
        let free = Plane::free(board);
        let mut lines: [BitLines; 8] = Default::default();
        let mut leads: [Plane; 8] = Default::default();
        let mut points = Vec::new();
        // The diagonal directions need the jumps of the straight ones.
        for direction in [0, 2, 4, 6, 1, 3, 5, 7] {
            let at = usize::from(direction);
            let travel = if at % 2 == 0 {
                points.push(planes::jump_points(&free, direction, ticker)?);
                planes::straight(&free, &points[at / 2], direction, ticker)?
            } else {
                let sides = [&leads[at - 1], &leads[(at + 1) % 8]];
                planes::diagonal(&free, sides, direction, ticker)?
            };
            lines[at] = BitLines::new(Heading(direction), &travel.open, &travel.pass, ticker)?;
            leads[at] = travel.leads;
        }
        let tiles = Tiles::new(&free);
        let mut tiled = vec![0; 64 * tiles.count()];
        let mut numbers = vec![(0, 0); tiles.count()];
        for y in 0..free.height {
            ticker.check()?;
            let first = tiles.of(Cell::new(0, y as u16));
            let tiled = tiled[first..].chunks_mut(64).map(|tile| &mut tile[..8]);
            let numbers = &mut numbers[first / 64..];
            for ((tiled, (bits, _)), x) in tiled.zip(numbers).zip(0..tiles.across) {
                let eight = |plane: &Plane| plane.row(y + 1)[x / 8].to_le_bytes()[x % 8];
                let by_direction = u64::from_le_bytes(leads.each_ref().map(eight));
                tiled.copy_from_slice(&planes::transpose_bytes(by_direction).to_le_bytes());
                let points = points.iter().map(eight).fold(0, |all, some| all | some);
                *bits |= u64::from(points) << (y % 8 * 8);
            }
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
    }

    /// The cells of the jump points in the order of their numbers.
    pub fn points(&self) -> impl Iterator<Item = Cell> {
        let tiles = (0..).zip(&self.numbers);
        tiles.flat_map(|(tile, (bits, _))| {
            let (x, y) = (tile % self.tiles.across * 8, tile / self.tiles.across * 8);
            let left = std::iter::successors(Some(*bits), |bits| Some(bits & bits.wrapping_sub(1)));
            let places = left.take_while(|bits| *bits != 0);
            places.map(move |bits| {
                let at = bits.trailing_zeros() as usize;
                Cell::new((x + at % 8) as u16, (y + at / 8) as u16)
            })
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_core::testing::generate;

    use crate::GridPath;

    /// The jump from a cell, step by step: the jump point at its end, or for a diagonal jump whether one leads on.
    fn walked(board: &DenseMap, from: Cell, direction: u8) -> Option<Cell> {
        let ground = |cell: Cell| board.ground[board.square(cell)];
        let mut cell = from;
        loop {
            let legal = board.canonical(ground(cell), NOWHERE);
            if !has(legal, direction) {
                return None;
            }
            cell = cell.step(Heading(direction));
            let ends = if Heading(direction).is_diagonal() {
                [direction + 7, direction + 1]
                    .into_iter()
                    .any(|side| walked(board, cell, side % 8).is_some())
            } else {
                has(forced(ground(cell) as u8), direction)
            };
            if ends {
                return Some(cell);
            }
        }
    }

    /// The sizes are those at which the number of words changes.
    #[test]
    fn jumps_are_those_of_single_steps() {
        for height in [2, 63, 64, 65, 126] {
            let width = 128 - height;
            for density in ["0.05", "0.2", "0.45"] {
                let size = format!("width={width} height={height} density={density} queries=1");
                let instance = generate::<GridPath>("path.random", &size, width + height);
                let never = Deadline::never();
                let board = DenseMap::new(&instance, true, never).expect("a board");
                let jumps = JumpBoard::new(&board, never).expect("time");
                let open = |cell: &Cell| instance.factor(*cell).is_some();
                for cell in instance.map().cells().filter(open) {
                    for direction in Heading::ALL {
                        let leads = has(jumps.leads(cell), direction.0);
                        let jump = || jumps.jump(direction, cell, &mut FinderCounts::default());
                        let expected = walked(&board, cell, direction.0);
                        assert_eq!(leads.then(jump), expected, "{size}: {cell} {direction:?}");
                    }
                }
                let is_point = |cell: &Cell| forced(board.ground[board.square(*cell)] as u8) != 0;
                let mut points: Vec<Cell> = instance.map().cells().filter(is_point).collect();
                points.sort_by_key(|cell| jumps.tiles.of(*cell));
                assert!(jumps.points().eq(points));
            }
        }
    }
}
