//! Which templates a stone would violate: observation 1 of [`super`].

use ikeru_chain::{Board, PuyoColour};

use super::{BITS, MaskByCell, Matcher, bits};

/// For every colour and cell, the templates that a stone of that colour there would violate; and
/// the templates not violated yet.
#[derive(Clone)]
pub struct Constraints {
    /// Templates without violation.
    pub alive: u32,
    forbidden: [MaskByCell; PuyoColour::COUNT],
}

impl Constraints {
    /// Those of an empty board.
    pub fn none(matcher: &Matcher) -> Self {
        Self {
            alive: matcher.all(),
            forbidden: [[0; BITS]; PuyoColour::COUNT],
        }
    }

    /// Those of `board`, stone by stone; only the first `colours` colours matter.
    pub fn of(matcher: &Matcher, board: &Board, colours: usize) -> Self {
        let mut constraints = Self::none(matcher);
        for colour in PuyoColour::all() {
            for bit in bits(board.plane(colour)) {
                constraints.place(matcher, colour, bit, colours);
            }
        }
        for bit in bits(board.garbage()) {
            constraints.alive &= !matcher.hard[bit];
        }
        constraints
    }

    /// A stone of `colour` comes to cell `bit`. PERF: rows of 16 masks per column, whole vectors.
    #[inline]
    pub fn place(&mut self, matcher: &Matcher, colour: PuyoColour, bit: usize, colours: usize) {
        self.alive &= !self.forbidden[colour.index()][bit];
        let lanes = 16 * matcher.size.width();
        for (number, row) in self.forbidden[..colours].iter_mut().enumerate() {
            let table = if number == colour.index() {
                &matcher.differ
            } else {
                &matcher.equal
            };
            for (mask, more) in row[..lanes].iter_mut().zip(&table[bit][..lanes]) {
                *mask |= more;
            }
        }
    }

    /// The templates not violated after two stones at once, without placing them.
    #[inline]
    pub fn alive_after(
        &self,
        matcher: &Matcher,
        (first, first_bit): (PuyoColour, usize),
        (second, second_bit): (PuyoColour, usize),
    ) -> u32 {
        let together = if first == second {
            &matcher.differ
        } else {
            &matcher.equal
        };
        self.alive
            & !(self.forbidden[first.index()][first_bit]
                | self.forbidden[second.index()][second_bit]
                | together[first_bit][second_bit])
    }
}
