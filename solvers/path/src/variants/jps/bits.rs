//! Lines of cells as bits: how far one gets along a line, 64 cells at a time.

use crate::map::{Cell, Heading};

/// All lines of one direction of travel: rows, columns or diagonals.
///
/// Along a line a bit of `stops` is 1 where a jump ends, at a cell worth looking at or at one that
/// cannot be entered, and a bit of `open` where a cell can be entered. Every line ends with cells
/// that cannot be entered.
///
/// Bits rise in the direction of travel, so that all eight directions run through the same instructions.
///
/// PERF: a cache line holds a word of each of eight lines side by side, since most jumps end in their first word and those
/// that follow begin near by. Words of `open` lie apart: they are only asked for on the way to the goal.
#[derive(Debug)]
pub struct BitLines {
    /// The first words of all lines, then the second ones.
    stops: Vec<u64>,
    open: Vec<u64>,
    lines: i32,
    /// The last cell of a line, where bits rise against columns or rows.
    last: i32,
}

// A direction is handed over with each call: where it is known to the compiler, a place takes a few instructions.
impl BitLines {
    /// Lines in `direction` on a map of `width` × `height` cells, none of which can be entered.
    pub fn closed(direction: Heading, width: usize, height: usize) -> Self {
        let (length, lines) = match direction.offset() {
            (_, 0) => (width, height),
            (0, _) => (height, width),
            // Diagonals that leave the map at one side go on at the other. There is one line more than columns, so that
            // a closed cell lies between. Along a diagonal the row counts.
            _ => (height, width.max(height) + 1),
        };
        // One bit more than cells, for the end.
        let words = (length / 64 + 1) * lines;
        Self {
            stops: vec![u64::MAX; words],
            open: vec![0; words],
            lines: lines as i32,
            last: length as i32 - 1,
        }
    }

    /// `cell` can be entered, and jumps end there if it `stops` them.
    pub fn open(&mut self, direction: Heading, cell: Cell, stops: bool) {
        let (word, bit) = self.place(direction, cell);
        self.open[word] |= 1 << bit;
        if !stops {
            self.stops[word] &= !(1 << bit);
        }
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

    /// How many steps ahead of `cell` the next cell worth looking at is, if there is one before the path ends. The words
    /// scanned after the first are added to `words`.
    #[inline(always)]
    pub fn jump(&self, direction: Heading, cell: Cell, words: &mut u64) -> i32 {
        self.next(&self.stops, 0, direction, cell, words)
    }

    /// How many cells ahead of `cell` can be entered. The words scanned after the first are added to `words`.
    #[inline]
    pub fn run(&self, direction: Heading, cell: Cell, words: &mut u64) -> i32 {
        self.next(&self.open, u64::MAX, direction, cell, words) - 1
    }

    /// How many steps ahead of `cell` the next bit in `lines` is that differs from those of `usual`. The end of the line has one.
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

    /// Bytes kept.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&*self.stops) + size_of_val(&*self.open)) as u64
    }
}
