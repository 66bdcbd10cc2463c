//! Lines of cells as bits: how far one gets along a line, 64 cells at a time.

use crate::map::{Cell, Heading};

/// All lines of one direction of travel: rows, columns or diagonals.
///
/// Along a line a bit of `stops` is 1 where a jump ends, at a cell worth looking at or at one that
/// cannot be entered, and a bit of `open` where a cell can be entered. Every line ends with cells
/// that cannot be entered.
///
/// Bits rise in the direction of travel, so that all eight directions run through the same instructions.
#[derive(Debug)]
pub struct BitLines {
    words: Vec<Word>,
    /// The word with which a line begins; counted from the end where it is negative.
    first: LinearForm,
    /// Which bit of its line a cell has.
    bit: LinearForm,
}

/// Side by side, so that a jump touches one cache line.
#[derive(Debug, Clone, Copy)]
struct Word {
    stops: u64,
    open: u64,
}

/// A number that is linear in column and row.
#[derive(Debug, Clone, Copy)]
struct LinearForm {
    x: i32,
    y: i32,
    zero: i32,
}

impl LinearForm {
    #[inline]
    fn of(self, cell: Cell) -> i32 {
        self.x * i32::from(cell.x) + self.y * i32::from(cell.y) + self.zero
    }
}

impl BitLines {
    /// Lines in `direction` on a map of `width` × `height` cells, none of which can be entered.
    pub fn closed(direction: Heading, width: usize, height: usize) -> Self {
        let (dx, dy) = direction.offset();
        let (dx, dy) = (i32::from(dx), i32::from(dy));
        let (last_x, last_y) = (width as i32 - 1, height as i32 - 1);
        let form = |x: i32, y: i32| LinearForm {
            x,
            y,
            // Never below 0 on the map.
            zero: if x < 0 { last_x } else { 0 } + if y < 0 { last_y } else { 0 },
        };
        // Along a diagonal the row counts.
        let (bit, length) = if dy == 0 {
            (form(dx, 0), width)
        } else {
            (form(0, dy), height)
        };
        // Diagonals that leave the map at one side go on at the other. There is one line more than columns, so that
        // a closed cell lies between.
        let around = width.max(height) as i32 + 1;
        let (line, lines) = match (dx, dy) {
            (0, _) => (form(1, 0), width),
            (_, 0) => (form(0, 1), height),
            _ => (
                LinearForm {
                    x: 1,
                    y: -dx * dy,
                    zero: if dx == dy { 0 } else { -around },
                },
                around as usize,
            ),
        };
        // One bit more than cells, for the end.
        let words_per_line = length as i32 / 64 + 1;
        let closed = Word {
            stops: u64::MAX,
            open: 0,
        };
        Self {
            words: vec![closed; words_per_line as usize * lines],
            first: LinearForm {
                x: line.x * words_per_line,
                y: line.y * words_per_line,
                zero: line.zero * words_per_line,
            },
            bit,
        }
    }

    /// `cell` can be entered, and jumps end there if it `stops` them.
    pub fn open(&mut self, cell: Cell, stops: bool) {
        let (word, bit) = self.place(cell);
        let word = &mut self.words[word];
        word.open |= 1 << bit;
        if !stops {
            word.stops &= !(1 << bit);
        }
    }

    #[inline]
    fn place(&self, cell: Cell) -> (usize, u32) {
        let bit = self.bit.of(cell) as u32;
        let first = self.first.of(cell);
        let wrapped = first + (self.words.len() as i32 & first >> 31);
        (wrapped as usize + (bit / 64) as usize, bit % 64)
    }

    /// How many steps ahead of `cell` the next cell worth looking at is, if there is one before the path ends. The words
    /// scanned after the first are added to `words`.
    #[inline]
    pub fn jump(&self, cell: Cell, words: &mut u64) -> i32 {
        self.next(cell, words, |word| word.stops)
    }

    /// How many cells ahead of `cell` can be entered. The words scanned after the first are added to `words`.
    #[inline]
    pub fn run(&self, cell: Cell, words: &mut u64) -> i32 {
        self.next(cell, words, |word| !word.open) - 1
    }

    /// How many steps ahead of `cell` the next 1 among `bits` is. The end of the line has a 1.
    #[inline]
    fn next(&self, cell: Cell, words: &mut u64, bits: impl Fn(&Word) -> u64) -> i32 {
        let (mut place, bit) = self.place(cell);
        let mut found = bits(&self.words[place]) & (u64::MAX << bit << 1);
        let mut before = 0;
        while found == 0 {
            place += 1;
            *words += 1;
            before += 64;
            found = bits(&self.words[place]);
        }
        before + found.trailing_zeros() as i32 - bit as i32
    }

    /// Bytes kept.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.words) as u64
    }
}
