//! The placements of a piece that can set off a chain. At the last ply, all others need no simulation.

use ikeru_chain::board::LANE;
use ikeru_chain::simulate::bitboard::{beside, two_beside};
use ikeru_chain::{Board, Piece, Placement};

/// The cells where a piece's puyos may complete a group of four.
#[derive(Debug, Clone, Copy)]
pub enum Triggers {
    /// The piece has two colours: one of its puyos alone completes a group.
    Colours {
        /// The cells where the axis completes a group.
        axis: Cells,
        /// The cells where the child completes a group.
        child: Cells,
    },
    /// The piece is a double.
    Double {
        /// The cells where one puyo may be enough, because the other puyo may be adjacent to it.
        one: Cells,
        /// The cells that may be enough if both puyos are in them.
        both: Cells,
    },
}

impl Triggers {
    /// The triggers of `piece` on a board without groups of four.
    #[inline]
    pub fn of(board: &Board, piece: Piece) -> Self {
        let plane = board.plane(piece.axis);
        if piece.is_double() {
            let linked = plane & beside(plane);
            Self::Double {
                one: Cells::of(beside(linked) | two_beside(plane)),
                both: Cells::of(beside(plane)),
            }
        } else {
            Self::Colours {
                axis: Cells::of(completing(plane)),
                child: Cells::of(completing(board.plane(piece.child))),
            }
        }
    }

    /// Returns whether `placement` may set off a chain; if false, it does not.
    #[inline]
    pub fn may_fire(self, board: &Board, piece: Piece, placement: Placement) -> bool {
        let [axis_cell, child_cell] = placement
            .landing(board, piece)
            .map(|(column, row, _)| (column, row));
        match self {
            Self::Colours { axis, child } => axis.has(axis_cell) | child.has(child_cell),
            Self::Double { one, both } => {
                (one.has(axis_cell) | one.has(child_cell))
                    | (both.has(axis_cell) & both.has(child_cell))
            }
        }
    }
}

/// A plane in two halves: a test of a single cell is much faster than with one 128-bit number.
#[derive(Debug, Clone, Copy)]
pub struct Cells([u64; 2]);

impl Cells {
    fn of(plane: u128) -> Self {
        Self([plane as u64, (plane >> 64) as u64])
    }

    #[inline]
    fn has(self, (column, row): (usize, usize)) -> bool {
        let bit = LANE as usize * column + row;
        self.0[bit / 64 % 2] >> (bit % 64) & 1 == 1
    }
}

/// The cells where one more puyo completes a group of four: adjacent to a linked group of three, to a linked pair and a
/// further puyo, or to three single puyos.
#[inline]
fn completing(plane: u128) -> u128 {
    let two = two_beside(plane);
    let middles = plane & two;
    let trios = middles | (plane & beside(middles));
    let linked = plane & beside(plane);
    let vertical = (plane << 1) & (plane >> 1);
    let horizontal = (plane << LANE) & (plane >> LANE);
    let three = (vertical & ((plane << LANE) | (plane >> LANE)))
        | (horizontal & ((plane << 1) | (plane >> 1)));
    beside(trios) | (two & beside(linked)) | three
}

#[cfg(test)]
mod tests {
    use ikeru_chain::generate::stable_field;
    use ikeru_chain::{PieceSequence, Size, simulate};
    use ikeru_core::Random;

    use super::*;

    #[test]
    fn exactly_the_triggering_placements_of_two_colours_fire() {
        let mut random = Random::new("test.trigger", 1);
        let (mut fired, mut silent) = (0, 0);
        for seed in 0..300 {
            let stones = random.index(60);
            let board = stable_field(&mut random, Size::THESIS, stones, 4).expect("a field");
            for piece in PieceSequence::new(seed, 4).take(8) {
                let triggers = Triggers::of(&board, piece);
                for placement in piece.placements(&board) {
                    let fires = simulate::place(&board, piece, placement).1.steps > 0;
                    let may_fire = triggers.may_fire(&board, piece, placement);
                    if piece.is_double() {
                        assert!(may_fire || !fires, "{piece} at {placement} on\n{board}");
                    } else {
                        assert_eq!(may_fire, fires, "{piece} at {placement} on\n{board}");
                    }
                    fired += u32::from(fires);
                    silent += u32::from(!may_fire);
                }
            }
        }
        assert!(
            fired > 1000 && silent > 3 * fired,
            "{fired} fired, {silent} silent"
        );
    }
}
