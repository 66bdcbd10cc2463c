//! Lines of cells as bits: scans along a line, 64 cells at a time.

use ikeru_core::{Refusal, Ticker};

use super::planes::{Plane, bits, transpose};
use crate::map::{Cell, Heading};

/// All lines of one direction of travel: rows, columns or diagonals.
///
/// A bit of `stops` is 1 if a jump along the line ends at the cell, either because the cell must be examined or
/// because it cannot be entered. A bit of `open` is 1 if the cell can be entered. Every line ends with cells that
/// cannot be entered.
///
/// Bit numbers rise in the direction of travel, so that all eight directions use the same instructions.
///
/// PERF: a cache line holds one word of each of eight adjacent lines, because most jumps end in their first word and
/// the following jumps begin nearby. The words of `open` are stored separately, because they are only needed for the
/// way to the goal.
#[derive(Debug, Default)]
pub struct BitLines {
    /// The first words of all lines, then the second words, and so on.
    stops: Vec<u64>,
    open: Vec<u64>,
    lines: i32,
    /// The last cell of a line, needed if bits rise against columns or rows.
    last: i32,
}

// The direction is a parameter of each call: if the compiler knows it, computing a place takes a few instructions.
impl BitLines {
    /// Lines in `direction` on a map whose cells of `open` can be entered; jumps do not end in those of `pass`.
    ///
    /// PERF: 64 × 64 cells at a time, like the planes. Cell by cell, the preparation of `jps` took 8 times as long for
    /// 512×512 cells and 5 times the instructions for 256×256 (bench `preparation`).
    ///
    /// # Errors
    /// [`Refusal::Timeout`] if the deadline passes first.
    pub fn new(
        direction: Heading,
        open: &Plane,
        pass: &Plane,
        ticker: &mut Ticker,
    ) -> Result<Self, Refusal> {
        let (width, height) = (open.width, open.height);
        let (length, lines) = match direction.offset() {
            (_, 0) => (width, height),
            (0, _) => (height, width),
            // Diagonals that leave the map at one side continue at the other. There is one line more than columns, so
            // that a closed cell separates both parts. The position along a diagonal is the row.
            _ => (height, width.max(height) + 1),
        };
        let mut along = |plane: &Plane| match direction.offset() {
            (dx, 0) => Ok(rows(plane, dx > 0)),
            _ => columns(plane, direction, lines, ticker),
        };
        let mut stops = along(pass)?;
        stops.iter_mut().for_each(|word| *word = !*word);
        Ok(Self {
            stops,
            open: along(open)?,
            lines: lines as i32,
            last: length as i32 - 1,
        })
    }

    #[inline(always)]
    fn place(&self, direction: Heading, cell: Cell) -> (usize, u32) {
        let (x, y) = (i32::from(cell.x), i32::from(cell.y));
        let (line, along, rises) = match direction.offset() {
            (dx, 0) => (y, x, dx > 0),
            (0, dy) => (x, y, dy > 0),
            (dx, dy) => {
                let line = if dx == dy { x - y } else { x + y - self.lines };
                (line + (self.lines & line >> 31), y, dy > 0)
            }
        };
        let bit = if rises { along } else { self.last - along } as u32;
        ((line + (bit / 64) as i32 * self.lines) as usize, bit % 64)
    }

    /// The number of steps from `cell` to the end of the jump: the next cell that must be examined or cannot be
    /// entered. The number of words scanned after the first is added to `words`.
    #[inline(always)]
    pub fn jump(&self, direction: Heading, cell: Cell, words: &mut u64) -> i32 {
        self.next(&self.stops, 0, direction, cell, words)
    }

    /// The number of cells ahead of `cell` that can be entered. The number of words scanned after the first is added
    /// to `words`.
    #[inline]
    pub fn run(&self, direction: Heading, cell: Cell, words: &mut u64) -> i32 {
        self.next(&self.open, u64::MAX, direction, cell, words) - 1
    }

    /// The number of steps from `cell` to the next bit of `lines` that differs from `usual`. There is one at the end
    /// of every line.
    #[inline(always)]
    fn next(
        &self,
        lines: &[u64],
        usual: u64,
        direction: Heading,
        cell: Cell,
        words: &mut u64,
    ) -> i32 {
        let (mut place, bit) = self.place(direction, cell);
        let mut found = (lines[place] ^ usual) & (u64::MAX << bit << 1);
        let mut before = 0;
        while found == 0 {
            place += self.lines as usize;
            *words += 1;
            before += 64;
            found = lines[place] ^ usual;
        }
        before + found.trailing_zeros() as i32 - bit as i32
    }

    /// The size in bytes.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&*self.stops) + size_of_val(&*self.open)) as u64
    }
}

/// The rows of a plane as lines, to the right or to the left: first words, second words, and so on.
fn rows(plane: &Plane, rises: bool) -> Vec<u64> {
    let word = |row: usize, word: usize| {
        let (row, from) = (plane.row(row), 64 * word as isize);
        if rises {
            bits(row, from)
        } else {
            bits(row, plane.width as isize - 64 - from).reverse_bits()
        }
    };
    // One bit more than the number of cells marks the end.
    let words = 0..plane.width / 64 + 1;
    words
        .flat_map(|at| (1..=plane.height).map(move |row| word(row, at)))
        .collect()
}

/// The columns or diagonals of a plane as lines, like [`rows`].
fn columns(
    plane: &Plane,
    direction: Heading,
    lines: usize,
    ticker: &mut Ticker,
) -> Result<Vec<u64>, Refusal> {
    let (dx, dy) = direction.offset();
    let mut words = vec![0; (plane.height / 64 + 1) * lines];
    let mut block = [0; 64];
    for (first, words) in (0..plane.height).step_by(64).zip(words.chunks_mut(lines)) {
        for (from, words) in (0..).step_by(64).zip(words.chunks_mut(64)) {
            ticker.check()?;
            block.fill(0);
            for (word, y) in block.iter_mut().zip(first..plane.height) {
                let y = if dy > 0 { y } else { plane.height - 1 - y };
                // The first column whose line is `from`.
                let start = from + isize::from(dx * dy) * y as isize;
                let row = plane.row(y + 1);
                *word = bits(row, start);
                // The lines that continue at the other side.
                if dx != 0 {
                    let lines = lines as isize;
                    *word |= bits(row, start - isize::from(dx * dy) * lines);
                }
            }
            transpose(&mut block);
            words.copy_from_slice(&block[..words.len()]);
        }
    }
    Ok(words)
}
