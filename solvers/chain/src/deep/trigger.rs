//! Where a piece can set anything off: at the last ply all other placements need no simulation.

use crate::board::{Board, LANE};
use crate::placement::{Piece, Placement};
use crate::simulate::bitboard::{beside, two_beside};

/// The cells where a piece's puyos may complete a group of four.
#[derive(Debug, Clone, Copy)]
pub enum Triggers {
    /// One puyo of each colour is enough.
    Colours {
        /// Where the axis is.
        axis: u128,
        /// Where the child is.
        child: u128,
    },
    /// Two puyos of one colour are there.
    Double {
        /// Where one puyo may be enough because the other is beside it.
        one: u128,
        /// Where both must be.
        both: u128,
    },
}

impl Triggers {
    /// Those of `piece` on a board where nothing vanishes by itself.
    #[inline]
    #[must_use]
    pub fn of(board: &Board, piece: Piece) -> Self {
        let plane = board.plane(piece.axis);
        if piece.is_double() {
            let linked = plane & beside(plane);
            Self::Double {
                one: beside(linked) | two_beside(plane),
                both: beside(plane),
            }
        } else {
            Self::Colours {
                axis: completing(plane),
                child: completing(board.plane(piece.child)),
            }
        }
    }

    /// Whether something may vanish after `placement`; if not, nothing does.
    #[inline]
    #[must_use]
    pub fn may_fire(self, board: &Board, piece: Piece, placement: Placement) -> bool {
        let bits = placement
            .landing(board, piece)
            .map(|(column, row, _)| Board::bit(column, row));
        let [axis_bit, child_bit] = bits;
        match self {
            Self::Colours { axis, child } => (axis & axis_bit) | (child & child_bit) != 0,
            Self::Double { one, both } => {
                let pair = axis_bit | child_bit;
                one & pair != 0 || both & pair == pair
            }
        }
    }
}

/// Cells where one more puyo makes a group of four: beside three that are linked, beside two that
/// are linked and another one, or beside three single ones.
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
    use super::*;
    use crate::board::Size;
    use crate::generate::stable_field;
    use crate::sequence::Sequence;
    use crate::simulate;
    use ikeru_core::Random;

    #[test]
    fn exactly_the_triggering_placements_of_two_colours_fire() {
        let mut random = Random::new("test.trigger", 1);
        let (mut fired, mut silent) = (0, 0);
        for seed in 0..300 {
            let stones = random.index(60);
            let board = stable_field(&mut random, Size::THESIS, stones, 4).expect("a field");
            for piece in Sequence::new(seed, 4).take(8) {
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
