//! The templates that a stone would violate: observation 1 of [`super`].

use ikeru_chain::{Board, PuyoColour};

use super::matcher::Matcher;
use super::planes::{BITS, MaskByCell, bits};

/// For every colour and cell, the templates that a stone of that colour there would violate; and
/// the templates not violated yet.
#[derive(Clone)]
pub struct Constraints {
    /// Templates without violation.
    pub alive: u32,
    forbidden: [MaskByCell; PuyoColour::COUNT],
}

impl Constraints {
    /// The constraints of an empty board.
    pub fn none(matcher: &Matcher) -> Self {
        Self {
            alive: matcher.all(),
            forbidden: [[0; BITS]; PuyoColour::COUNT],
        }
    }

    /// The constraints of `board`, added stone by stone for the first `colours` colours.
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

    /// The templates of the mask `among` that `board` does not violate.
    pub fn alive_of(matcher: &Matcher, board: &Board, among: u32) -> u32 {
        alive(matcher, board, each_stone(board), among)
    }

    /// Adds a stone of `colour` in cell `bit`. PERF: each column has 16 masks, so that whole vectors are combined.
    #[inline]
    pub fn place(&mut self, matcher: &Matcher, colour: PuyoColour, bit: usize, colours: usize) {
        self.alive &= !self.forbidden[colour.index()][bit];
        let lanes = 16 * matcher.size().width();
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
}

/// A stone: its colour and the bit of its cell.
pub type Stone = (PuyoColour, usize);

/// The stones of `board` without garbage.
pub fn stones_of(board: &Board) -> Vec<Stone> {
    let mut stones = Vec::with_capacity(board.stones() as usize);
    stones.extend(each_stone(board));
    stones
}

fn each_stone(board: &Board) -> impl Iterator<Item = Stone> {
    let planes = PuyoColour::all().zip(board.colour_planes());
    planes.flat_map(|(colour, plane)| bits(plane).map(move |bit| (colour, bit)))
}

/// Constraints and the stones added after them. Building new constraints does not pay for a board whose placements
/// are examined only once.
#[derive(Clone, Copy)]
pub struct Extended<'a> {
    constraints: &'a Constraints,
    stones: &'a [Stone],
    /// Templates without violation.
    alive: u32,
}

impl<'a> Extended<'a> {
    /// `constraints` without further stones.
    pub fn none(constraints: &'a Constraints) -> Self {
        Self {
            constraints,
            stones: &[],
            alive: constraints.alive,
        }
    }

    /// `constraints` and further `stones`; the templates `alive` are not violated.
    pub fn new(constraints: &'a Constraints, stones: &'a [Stone], alive: u32) -> Self {
        Self {
            constraints,
            stones,
            alive,
        }
    }

    /// `stones`, all those of `board`, added to the constraints of an `empty` board, for the templates of the mask
    /// `among`.
    pub fn of(
        matcher: &Matcher,
        empty: &'a Constraints,
        (board, stones): (&Board, &'a [Stone]),
        among: u32,
    ) -> Self {
        let alive = alive(matcher, board, stones.iter().copied(), among);
        Self::new(empty, stones, alive)
    }

    /// Returns whether every template is violated.
    #[inline]
    pub fn is_violated(&self) -> bool {
        self.alive == 0
    }

    /// The templates that are not violated after adding two stones.
    #[inline]
    pub fn alive_after(&self, matcher: &Matcher, first: Stone, second: Stone) -> u32 {
        if self.alive == 0 {
            return 0;
        }
        let violated = self.violated_by(matcher, first) | self.violated_by(matcher, second);
        self.alive & !(violated | between(matcher, first, second))
    }

    #[inline]
    fn violated_by(&self, matcher: &Matcher, stone: Stone) -> u32 {
        let known = self.constraints.forbidden[stone.0.index()][stone.1];
        let stones = self.stones.iter();
        stones.fold(known, |mask, &other| mask | between(matcher, stone, other))
    }
}

/// The templates of the mask `among` that `board`, with the stones `stones`, does not violate. Most boards violate
/// all of them after a few stones.
fn alive(
    matcher: &Matcher,
    board: &Board,
    mut stones: impl Iterator<Item = Stone>,
    among: u32,
) -> u32 {
    let garbage = bits(board.garbage());
    let mut alive = garbage.fold(among, |alive, bit| alive & !matcher.hard[bit]);
    let mut before: Vec<Stone> = Vec::with_capacity(16);
    while alive != 0
        && let Some(stone) = stones.next()
    {
        let others = before.iter();
        alive &= !others.fold(0, |mask, &other| mask | between(matcher, stone, other));
        before.push(stone);
    }
    alive
}

/// The templates that two stones violate.
#[inline]
fn between(matcher: &Matcher, first: Stone, second: Stone) -> u32 {
    let table = if first.0 == second.0 {
        &matcher.differ
    } else {
        &matcher.equal
    };
    table[first.1][second.1]
}
