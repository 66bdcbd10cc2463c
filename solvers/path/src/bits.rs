//! Rows of squares as bits, 64 at a time.

use crate::instance::Instance;
use crate::map::{Cell, Map};

/// Lines (rows, or columns) of squares: a bit is 1 where the square can be entered. Every line is
/// padded with blocked squares: a word before, a word after, a whole line above and below.
#[derive(Debug)]
pub struct Lines {
    words: Vec<u64>,
    words_per_line: usize,
}

/// Bits before the first square of a line.
const PAD: usize = 64;

impl Lines {
    /// The rows of an instance's map.
    #[must_use]
    pub fn rows(instance: &Instance) -> Self {
        let map = instance.map();
        Self::new(instance, map.height(), map.width(), |cell| (cell.y, cell.x))
    }

    /// The columns of an instance's map.
    #[must_use]
    pub fn columns(instance: &Instance) -> Self {
        let map = instance.map();
        Self::new(instance, map.width(), map.height(), |cell| (cell.x, cell.y))
    }

    fn new(
        instance: &Instance,
        lines: usize,
        length: usize,
        place: impl Fn(Cell) -> (u16, u16),
    ) -> Self {
        let words_per_line = length.div_ceil(64) + 2;
        let mut words = vec![0; words_per_line * (lines + 2)];
        let map: &Map = instance.map();
        for cell in map.cells() {
            if instance.factor(cell).is_some() {
                let (line, at) = place(cell);
                let bit = usize::from(at) + PAD;
                words[(usize::from(line) + 1) * words_per_line + bit / 64] |= 1 << (bit % 64);
            }
        }
        Self {
            words,
            words_per_line,
        }
    }

    /// Steps from `at` along `line`, forward (to higher numbers) or back: n > 0, the next jump
    /// point is n steps away; n ≤ 0, the way ends after −n steps without one.
    ///
    /// A jump point is where a square beside the line is free and the one before it blocked: only
    /// from here on can a way turn there.
    #[inline]
    #[must_use]
    pub fn jump<const FORWARD: bool>(&self, line: u16, at: u16) -> i32 {
        let above = usize::from(line) * self.words_per_line;
        let (middle, below) = (above + self.words_per_line, above + 2 * self.words_per_line);
        let mut bit = usize::from(at) + PAD;
        let mut done = 0;
        // PERF: 63 squares by three loads and ten operations (bench `queries`, `jps`).
        loop {
            let window = |line: usize| self.window::<FORWARD>(line, bit);
            let free = window(middle);
            let beside = opens::<FORWARD>(window(above)) | opens::<FORWARD>(window(below));
            // The first bit is the square itself: what is beside it was looked at before.
            let stops = if FORWARD {
                (beside | !free) & !1
            } else {
                (beside | !free) & (u64::MAX >> 1)
            };
            if stops == 0 {
                done += 63;
                bit = if FORWARD { bit + 63 } else { bit - 63 };
                continue;
            }
            let (steps, is_free) = if FORWARD {
                let steps = stops.trailing_zeros();
                (steps, free >> steps & 1 == 1)
            } else {
                let steps = stops.leading_zeros();
                (steps, free << steps >> 63 == 1)
            };
            let steps = done + steps as i32;
            return if is_free { steps } else { 1 - steps };
        }
    }

    /// 64 squares: forward `bit` is the lowest, back the highest.
    #[inline]
    fn window<const FORWARD: bool>(&self, line: usize, bit: usize) -> u64 {
        let first = if FORWARD { bit } else { bit - 63 };
        let (word, shift) = (line + first / 64, first % 64);
        // The shift by one and by the rest keeps each below 64.
        self.words[word] >> shift | self.words[word + 1] << 1 << (63 - shift)
    }

    /// Bytes kept.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        8 * self.words.len() as u64
    }
}

/// Free squares whose predecessor on the way is blocked.
#[inline]
fn opens<const FORWARD: bool>(beside: u64) -> u64 {
    if FORWARD {
        beside & !(beside << 1)
    } else {
        beside & !(beside >> 1)
    }
}
