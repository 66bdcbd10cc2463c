//! Where a straight jump ends, as bits, 64 squares at a time.

use crate::instance::Instance;
use crate::map::Cell;

/// The stops along all rows, or all columns, in one way of travel: a bit is 1 where a jump ends, at
/// a jump point or at a blocked square.
///
/// A jump point is where a square beside the line is free and the one before it blocked: only from
/// here on can a way turn there. Every line is padded with a word of blocked squares on both ends.
#[derive(Debug)]
pub struct Stops<const FORWARD: bool> {
    stops: Vec<u64>,
    words_per_line: usize,
}

/// Lines of free squares, a bit each, with a blocked line above and below.
#[derive(Debug)]
pub struct Lines {
    free: Vec<u64>,
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
        let mut free = vec![0; words_per_line * (lines + 2)];
        for cell in instance.map().cells() {
            if instance.factor(cell).is_some() {
                let (line, at) = place(cell);
                let bit = usize::from(at) + PAD;
                free[(usize::from(line) + 1) * words_per_line + bit / 64] |= 1 << (bit % 64);
            }
        }
        Self {
            free,
            words_per_line,
        }
    }

    /// Where jumps end, travelling to higher numbers or to lower ones.
    #[must_use]
    pub fn stops<const FORWARD: bool>(&self) -> Stops<FORWARD> {
        let mut stops: Vec<u64> = self.free.iter().map(|word| !word).collect();
        let line = self.words_per_line;
        for word in line..stops.len().saturating_sub(line) {
            stops[word] |= self.opens::<FORWARD>(word - line) | self.opens::<FORWARD>(word + line);
        }
        Stops {
            stops,
            words_per_line: self.words_per_line,
        }
    }

    /// Free squares of a word whose predecessor on the way is blocked.
    fn opens<const FORWARD: bool>(&self, word: usize) -> u64 {
        let at = |word: usize| self.free.get(word).copied().unwrap_or(0);
        let predecessors = if FORWARD {
            at(word) << 1 | at(word.wrapping_sub(1)) >> 63
        } else {
            at(word) >> 1 | at(word + 1) << 63
        };
        at(word) & !predecessors
    }

    /// Whether square `at` of `line` is free.
    #[inline]
    #[must_use]
    pub fn is_free(&self, line: u16, at: usize) -> bool {
        let bit = at + PAD;
        let word = (usize::from(line) + 1) * self.words_per_line + bit / 64;
        self.free[word] >> (bit % 64) & 1 == 1
    }

    /// Bytes kept.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        8 * self.free.len() as u64
    }
}

impl<const FORWARD: bool> Stops<FORWARD> {
    /// Steps from `at` along `line`: n > 0, the next jump point is n steps away; n ≤ 0, the way
    /// ends after −n steps without one.
    #[inline]
    #[must_use]
    pub fn jump(&self, free: &Lines, line: u16, at: u16) -> i32 {
        let first = (usize::from(line) + 1) * self.words_per_line;
        let bit = usize::from(at) + PAD;
        let mut word = first + bit / 64;
        // PERF: mostly one word decides. Windows of three lines combined on the way took 26.5 µs
        // per query on arena2, this 19.3 (bench `peers`, a busy machine).
        let (steps, stop) = if FORWARD {
            // Bits above this square's.
            let mut stops = self.stops[word] & (u64::MAX << (bit % 64) << 1);
            while stops == 0 {
                word += 1;
                stops = self.stops[word];
            }
            let stop = (word - first) * 64 + stops.trailing_zeros() as usize;
            (stop - bit, stop)
        } else {
            // Bits below.
            let mut stops = self.stops[word] & ((1 << (bit % 64)) - 1);
            while stops == 0 {
                word -= 1;
                stops = self.stops[word];
            }
            let stop = (word - first) * 64 + 63 - stops.leading_zeros() as usize;
            (bit - stop, stop)
        };
        let steps = steps as i32;
        // The pads are blocked: a stop below the first square is one.
        if stop >= PAD && free.is_free(line, stop - PAD) {
            steps
        } else {
            1 - steps
        }
    }

    /// Bytes kept.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        8 * self.stops.len() as u64
    }
}
