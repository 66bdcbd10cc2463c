//! Jumps: the map as bits along its rows, columns and diagonals, in all eight directions of travel. Uniform ground,
//! diagonal steps with both corners free.

use ikeru_core::{Deadline, Refusal, Ticker};

use super::bits::BitLines;
use crate::instance::Instance;
use crate::map::{Cell, Heading, ROWS_PER_LOOK};
use crate::variants::dense::board::DenseMap;
use crate::variants::dense::canonical::NOWHERE;

/// Lines of all eight directions.
///
/// Straight jumps end at jump points, cells with a forced neighbour: a free cell next to the line where the one before
/// that is blocked, so that only from here on a path can turn there. Diagonal jumps end at cells
/// from which a straight jump, along one of the diagonal's two components, leads to a jump point.
///
/// PERF: a jump that leads nowhere is never looked for: two of three in mazes, every second one on terrain and in rooms, a third on
/// noise. `jps` takes 0.80 to 0.85 of the time in mazes with corridors of four cells, on terrain, in rooms and on arena2, 0.9 on
/// noise, the same in corridors of one cell; its preparation takes 1.06.
pub struct JumpBoard {
    lines: [BitLines; 8],
    /// For each padded cell the directions in which there is a jump, a bit each.
    leads: Vec<u8>,
    /// Cells per padded row.
    stride: usize,
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
        // Jump-point flags: for each cell the straight directions in which a jump from it leads to a jump point.
        let closed = vec![0; points.len()];
        let ends = |square: usize, direction| has(points[square], direction);
        let flags = spread(board, closed, [[0, 6], [2, 4]], &mut ticker, ends)?;
        // And the diagonal directions in which a jump ends at a cell worth looking at.
        let ends = |square: usize, direction| stops(flags[square], direction);
        let leads = spread(board, flags.clone(), [[7, 1], [3, 5]], &mut ticker, ends)?;
        let mut in_time = true;
        let lines = Heading::ALL.map(|direction| {
            let mut lines = BitLines::closed(direction, map.width(), map.height());
            // Behind a diagonal step lie the cell before and the two corners.
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
                    lines.open(cell, has(points[square], direction.0));
                } else if enters(board.ground[square] as u8) {
                    lines.open(cell, stops(flags[square], direction.0));
                }
            }
            lines
        });
        if in_time {
            Ok(Self {
                lines,
                leads,
                stride: board.stride,
            })
        } else {
            Err(Refusal::Timeout)
        }
    }

    #[inline]
    fn along(&self, direction: Heading) -> &BitLines {
        &self.lines[usize::from(direction.0 & 7)]
    }

    /// Whether the path from `from` to `goal`, diagonal first and then straight, is free. No path
    /// is shorter. Adds to `words` as
    /// [`BitLines::jump`](super::bits::BitLines::jump) does.
    #[inline]
    pub fn sees(&self, from: Cell, goal: Cell, words: &mut u64) -> bool {
        let x = i32::from(goal.x) - i32::from(from.x);
        let y = i32::from(goal.y) - i32::from(from.y);
        let diagonal = x.abs().min(y.abs());
        let straight = x.abs().max(y.abs()) - diagonal;
        let turn = if diagonal > 0 {
            let direction = direction_of(x, y);
            if self.along(direction).run(from, words) < diagonal {
                return false;
            }
            ahead(from, direction, diagonal)
        } else {
            from
        };
        let left = (
            i32::from(goal.x) - i32::from(turn.x),
            i32::from(goal.y) - i32::from(turn.y),
        );
        straight == 0 || self.along(direction_of(left.0, left.1)).run(turn, words) >= straight
    }

    /// The directions in which there is a jump from `cell`, a bit each.
    #[inline]
    fn leads(&self, cell: Cell) -> u8 {
        self.leads[(usize::from(cell.y) + 1) * self.stride + usize::from(cell.x) + 1]
    }

    /// Shows `visit` every jump point, with the direction of arrival, that one jump from `from` leads
    /// to by one of `steps`; how many jumps there were. Adds to `words` as
    /// [`BitLines::jump`](super::bits::BitLines::jump) does.
    #[inline]
    pub fn jumps(
        &self,
        from: Cell,
        steps: u8,
        words: &mut u64,
        mut visit: impl FnMut(Cell, Heading),
    ) -> u64 {
        let mut jumps = 0;
        let mut jump = |cell: Cell, direction: Heading| {
            jumps += 1;
            ahead(cell, direction, self.along(direction).jump(cell, words))
        };
        let mut steps = steps & self.leads(from);
        while steps != 0 {
            let direction = Heading(steps.trailing_zeros() as u8);
            steps &= steps - 1;
            if !direction.is_diagonal() {
                visit(jump(from, direction), direction);
                continue;
            }
            let mut here = from;
            loop {
                here = jump(here, direction);
                let leads = self.leads(here);
                for side in [direction.turned(7), direction.turned(1)] {
                    if has(leads, side.0) {
                        visit(jump(here, side), side);
                    }
                }
                if !has(leads, direction.0) {
                    break;
                }
            }
        }
        jumps
    }

    /// Bytes kept.
    pub fn bytes(&self) -> u64 {
        self.lines.iter().map(BitLines::bytes).sum::<u64>() + size_of_val(&*self.leads) as u64
    }
}

/// Whether `directions` has `direction`, counted on after the eighth.
fn has(directions: u8, direction: u8) -> bool {
    directions >> (direction & 7) & 1 == 1
}

/// Whether a jump in this diagonal direction ends at a cell with these jump-point flags.
fn stops(flags: u8, direction: u8) -> bool {
    has(flags, direction + 7) || has(flags, direction + 1)
}

/// The straight directions of arrival in which a cell with these neighbours has a forced neighbour, and so is a jump
/// point.
pub fn forced(around: u8) -> u8 {
    let forced = |direction: &u8| {
        let opens =
            |side, before| has(around, direction + side) && !has(around, direction + before);
        has(around, direction + 4) && (opens(6, 5) || opens(2, 3))
    };
    [0, 2, 4, 6]
        .iter()
        .filter(|d| forced(d))
        .fold(0, |all, d| all | 1 << d)
}

/// Adds to `leads` the bit of a direction wherever a legal step in it leads to a square that ends a jump, or has that bit
/// itself. Of the directions the first two lead to smaller numbers, the others to larger ones.
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
    // The square ahead must be done first.
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

/// The direction of a step toward `x` columns to the right and `y` rows down.
#[inline]
fn direction_of(x: i32, y: i32) -> Heading {
    const DIRECTIONS: [[usize; 3]; 3] = [[7, 0, 1], [6, NOWHERE, 2], [5, 4, 3]];
    Heading(DIRECTIONS[(y.signum() + 1) as usize][(x.signum() + 1) as usize] as u8)
}

/// The cell `steps` ahead.
#[inline]
fn ahead(cell: Cell, direction: Heading, steps: i32) -> Cell {
    let (dx, dy) = direction.offset();
    Cell::new(
        (i32::from(cell.x) + steps * i32::from(dx)) as u16,
        (i32::from(cell.y) + steps * i32::from(dy)) as u16,
    )
}
