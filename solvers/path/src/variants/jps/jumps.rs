//! Jumps: the map as bits along its rows, columns and diagonals, in all eight directions of travel. Uniform ground,
//! diagonal steps with both corners free.

use ikeru_core::{Deadline, Refusal, Ticker};

use super::bits::Lines;
use crate::instance::Instance;
use crate::map::{Cell, Direction, ROWS_PER_LOOK};
use crate::variants::dense::board::Board;
use crate::variants::dense::canonical::NOWHERE;

/// Lines of all eight directions.
///
/// Straight jumps end at jump points, cells with a forced neighbour: a free cell beside the line where the one before
/// that is blocked, so that only from here on a path can turn there. Diagonal jumps end at cells
/// from which a straight jump, along one of the diagonal's two components, leads to a jump point.
pub struct JumpBoard {
    lines: [Lines; 8],
}

impl JumpBoard {
    /// The bits of a board's map.
    ///
    /// # Errors
    /// [`Refusal::Timeout`] if the deadline passes first.
    pub fn new(instance: &Instance, board: &Board, deadline: Deadline) -> Result<Self, Refusal> {
        let map = instance.map();
        let mut ticker = deadline.ticker(ROWS_PER_LOOK);
        let mut points = Vec::with_capacity(board.ground.len());
        for row in board.ground.chunks(board.stride) {
            if ticker.passed() {
                return Err(Refusal::Timeout);
            }
            points.extend(row.iter().map(|ground| forced(*ground as u8)));
        }
        let flags = jump_point_flags(board, &points, &mut ticker)?;
        let mut in_time = true;
        let lines = Direction::ALL.map(|direction| {
            let mut lines = Lines::closed(direction, map.width(), map.height());
            // Behind a diagonal step lie the cell before and the two corners.
            let enters = |around: u8| (3..6).all(|turn| has(around, direction.0 + turn));
            let stops = |flags: u8| has(flags, direction.0 + 7) || has(flags, direction.0 + 1);
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
                    lines.open(cell, stops(flags[square]));
                }
            }
            lines
        });
        if in_time {
            Ok(Self { lines })
        } else {
            Err(Refusal::Timeout)
        }
    }

    #[inline]
    fn along(&self, direction: Direction) -> &Lines {
        &self.lines[usize::from(direction.0 & 7)]
    }

    /// Whether the path from `from` to `goal`, diagonal first and then straight, is free. No path
    /// is shorter. Adds to `words` as
    /// [`Lines::jump`](super::bits::Lines::jump) does.
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

    /// Shows `visit` every jump point, with the direction of arrival, that one jump from `from` leads
    /// to by one of `steps`; how many jumps were looked at. Adds to `words` as
    /// [`Lines::jump`](super::bits::Lines::jump) does.
    #[inline]
    pub fn jumps(
        &self,
        from: Cell,
        mut steps: u8,
        words: &mut u64,
        mut visit: impl FnMut(Cell, Direction),
    ) -> u64 {
        let mut examined = 0;
        let mut straight = |cell: Cell, direction: Direction, words: &mut u64| {
            let jump = self.along(direction).jump(cell, words);
            if jump > 0 {
                visit(ahead(cell, direction, jump), direction);
            }
        };
        while steps != 0 {
            let direction = Direction(steps.trailing_zeros() as u8);
            steps &= steps - 1;
            examined += 1;
            if !direction.is_diagonal() {
                straight(from, direction, words);
                continue;
            }
            let mut here = from;
            loop {
                let jump = self.along(direction).jump(here, words);
                if jump <= 0 {
                    break;
                }
                here = ahead(here, direction, jump);
                straight(here, direction.turned(7), words);
                straight(here, direction.turned(1), words);
                examined += 3;
            }
        }
        examined
    }

    /// Bytes kept.
    pub fn bytes(&self) -> u64 {
        self.lines.iter().map(Lines::bytes).sum()
    }
}

/// Whether `directions` has `direction`, counted on after the eighth.
fn has(directions: u8, direction: u8) -> bool {
    directions >> (direction & 7) & 1 == 1
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

/// Jump-point flags: for each cell the straight directions in which a jump from it leads to a jump point.
fn jump_point_flags(board: &Board, points: &[u8], ticker: &mut Ticker) -> Result<Vec<u8>, Refusal> {
    let offsets = board.offsets();
    let mut flags = vec![0_u8; points.len()];
    let mut look = |square: usize, direction: usize| {
        if has(board.ground[square] as u8, direction as u8) {
            let ahead = square.wrapping_add_signed(offsets[direction]);
            flags[square] |= (points[ahead] | flags[ahead]) & 1 << direction;
        }
    };
    // The cell ahead must be done first.
    let rows = points.len() / board.stride;
    let squares = |row: usize| row * board.stride..(row + 1) * board.stride;
    for row in 0..rows {
        if ticker.passed() {
            return Err(Refusal::Timeout);
        }
        for square in squares(row) {
            look(square, 0);
            look(square, 6);
        }
    }
    for row in (0..rows).rev() {
        if ticker.passed() {
            return Err(Refusal::Timeout);
        }
        for square in squares(row).rev() {
            look(square, 2);
            look(square, 4);
        }
    }
    Ok(flags)
}

/// The direction of a step toward `x` columns to the right and `y` rows down.
#[inline]
fn direction_of(x: i32, y: i32) -> Direction {
    const DIRECTIONS: [[usize; 3]; 3] = [[7, 0, 1], [6, NOWHERE, 2], [5, 4, 3]];
    Direction(DIRECTIONS[(y.signum() + 1) as usize][(x.signum() + 1) as usize] as u8)
}

/// The cell `steps` ahead.
#[inline]
fn ahead(cell: Cell, direction: Direction, steps: i32) -> Cell {
    let (dx, dy) = direction.offset();
    Cell::new(
        (i32::from(cell.x) + steps * i32::from(dx)) as u16,
        (i32::from(cell.y) + steps * i32::from(dy)) as u16,
    )
}
