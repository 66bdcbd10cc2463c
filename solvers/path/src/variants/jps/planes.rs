//! Bit planes of a map: one bit for each cell, 64 cells of a row in a word.

use ikeru_core::{Refusal, Ticker};

use crate::map::Heading;
use crate::variants::dense::board::DenseMap;

/// One bit for each cell of a map. A row of zeros lies above the map and another one below; bits beyond the right edge
/// are zeros.
#[derive(Debug, Clone, Default)]
pub struct Plane {
    /// Columns of the map.
    pub width: usize,
    /// Rows of the map.
    pub height: usize,
    /// Words per row.
    across: usize,
    words: Vec<u64>,
}

impl Plane {
    /// The cells of a board that can be entered and left.
    pub fn free(board: &DenseMap) -> Self {
        Self::of(board, |square| board.ground[square] != 0)
    }

    /// The cells of a board whose padded number satisfies `holds`.
    pub fn of(board: &DenseMap, holds: impl Fn(usize) -> bool) -> Self {
        let (width, height) = (board.stride - 2, board.squares / board.stride - 2);
        let mut plane = Self::empty(width, height);
        let rows = plane.words.chunks_exact_mut(plane.across);
        for (words, row) in rows.zip(0..).skip(1).take(height) {
            let first = row * board.stride + 1;
            for (word, from) in words.iter_mut().zip((0..width).step_by(64)) {
                for bit in 0..64.min(width - from) {
                    *word |= u64::from(holds(first + from + bit)) << bit;
                }
            }
        }
        plane
    }

    fn empty(width: usize, height: usize) -> Self {
        let across = width / 64 + 1;
        Self {
            width,
            height,
            across,
            words: vec![0; across * (height + 2)],
        }
    }

    /// The words of a row. The rows of the map begin at 1.
    #[inline]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.across..][..self.across]
    }

    /// 64 bits of the plane, one word of a row moved by `direction`: each bit is that of the neighbour.
    #[inline(always)]
    fn beside(&self, row: usize, word: usize, direction: u8) -> u64 {
        let (dx, dy) = Heading(direction).offset();
        let row = self.row(row.wrapping_add_signed(dy.into()));
        bits(row, 64 * word as isize + isize::from(dx))
    }

    /// The plane whose words are computed one by one, row by row, from the first or from the last. `word` gets the
    /// plane as far as it is known, the row and the index of the word.
    fn compute(
        &self,
        backward: bool,
        ticker: &mut Ticker,
        mut word: impl FnMut(&Self, usize, usize) -> u64,
    ) -> Result<Self, Refusal> {
        let mut plane = Self::empty(self.width, self.height);
        for row in 1..=self.height {
            ticker.check()?;
            let row = if backward { self.height + 1 - row } else { row };
            for at in 0..self.across {
                let at = if backward { self.across - 1 - at } else { at };
                plane.words[row * self.across + at] = word(&plane, row, at);
            }
        }
        Ok(plane)
    }
}

/// 64 bits of a row from bit `from` on; zeros outside of the row.
#[inline(always)]
pub fn bits(row: &[u64], from: isize) -> u64 {
    let word = |at: isize| row.get(at as usize).copied().unwrap_or(0);
    let (first, shift) = (from >> 6, from & 63);
    // Two shifts, because a shift by 64 is none.
    word(first) >> shift | word(first + 1) << 1 << (63 - shift)
}

/// The planes of one direction of travel.
pub struct Travel {
    /// The cells that a step in the direction enters legally; in straight directions, all free cells.
    pub open: Plane,
    /// The cells of `open` in which a jump does not end.
    pub pass: Plane,
    /// The cells from which there is a jump in the direction.
    pub leads: Plane,
}

/// The jump points of a straight direction among the cells of `free`, see [`forced`](super::jumps::forced).
pub fn jump_points(free: &Plane, direction: u8, ticker: &mut Ticker) -> Result<Plane, Refusal> {
    free.compute(false, ticker, |_, row, at| {
        let near = |turn: u8| free.beside(row, at, direction + turn);
        let corner = near(6) & !near(5) | near(2) & !near(3);
        free.row(row)[at] & near(4) & corner
    })
}

/// The planes of a straight direction with its jump points.
pub fn straight(
    free: &Plane,
    points: &Plane,
    direction: u8,
    ticker: &mut Ticker,
) -> Result<Travel, Refusal> {
    let ends = |row: usize, at: usize| free.row(row)[at] & points.beside(row, at, direction);
    let leads = match direction {
        0 | 4 => free.compute(direction == 4, ticker, |leads, row, at| {
            ends(row, at) | free.row(row)[at] & leads.beside(row, at, direction)
        })?,
        // Each jump leads on along a run of free cells: a carry in the sum of both planes runs through the same cells.
        _ => free.compute(direction == 2, ticker, |leads, row, at| {
            let turned = |word: u64| match direction {
                2 => word.reverse_bits(),
                _ => word,
            };
            let (run, ends) = (turned(free.row(row)[at]), turned(ends(row, at)));
            let carry = turned(leads.beside(row, at, direction)) & 1;
            let sum = run.wrapping_add(ends).wrapping_add(carry);
            turned(run & !sum | ends)
        })?,
    };
    let pass = free.compute(false, ticker, |_, row, at| {
        free.row(row)[at] & !points.row(row)[at]
    })?;
    Ok(Travel {
        open: free.clone(),
        pass,
        leads,
    })
}

/// The planes of a diagonal direction; `sides` are the cells from which there are jumps along its two components.
pub fn diagonal(
    free: &Plane,
    sides: [&Plane; 2],
    direction: u8,
    ticker: &mut Ticker,
) -> Result<Travel, Refusal> {
    // A step into a cell needs the cell before and both corners.
    let open = free.compute(false, ticker, |_, row, at| {
        let near = |turn: u8| free.beside(row, at, direction + turn);
        free.row(row)[at] & near(3) & near(4) & near(5)
    })?;
    let ends = |row: usize, at: usize| sides[0].row(row)[at] | sides[1].row(row)[at];
    let pass = open.compute(false, ticker, |_, row, at| {
        open.row(row)[at] & !ends(row, at)
    })?;
    // The cells into which a step is the beginning of a jump.
    let backward = Heading(direction).offset().1 > 0;
    let into = open.compute(backward, ticker, |into, row, at| {
        open.row(row)[at] & (ends(row, at) | into.beside(row, at, direction))
    })?;
    let leads = into.compute(false, ticker, |_, row, at| into.beside(row, at, direction))?;
    Ok(Travel { open, pass, leads })
}

/// Exchanges rows and columns of 64 × 64 bits.
pub fn transpose(words: &mut [u64; 64]) {
    let (mut half, mut mask) = (32, u64::MAX >> 32);
    while half > 0 {
        for at in (0..64).filter(|at| at & half == 0) {
            let moved = (words[at] >> half ^ words[at | half]) & mask;
            words[at] ^= moved << half;
            words[at | half] ^= moved;
        }
        half /= 2;
        mask ^= mask << half;
    }
}

/// Exchanges rows and columns of 8 × 8 bits.
#[inline]
pub fn transpose_bytes(mut word: u64) -> u64 {
    for (shift, mask) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let moved = (word >> shift ^ word) & mask;
        word ^= moved ^ moved << shift;
    }
    word
}
