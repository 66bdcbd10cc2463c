//! An upper bound on every chain of the available puyos.
//!
//! Each step of a chain takes at least four puyos of one colour, and no puyos are created: with
//! `k` puyos of a colour on the board and among the pieces to come, that colour gives at most
//! ⌊k/4⌋ steps. The sum over the colours is at most ⌊(stones + 2·left)/4⌋.

use ikeru_chain::{Board, Piece, PuyoColour};
use ikeru_core::Score;

use crate::position::Objective;

/// The number of puyos of each colour in the pieces from a ply on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Supply([u32; PuyoColour::COUNT]);

impl Supply {
    /// The puyos still to come, for every ply from 0 to the number of `pieces`.
    pub fn of(pieces: &[Piece]) -> Vec<Self> {
        let mut supplies = vec![Self::default()];
        for piece in pieces.iter().rev() {
            let mut supply = supplies[supplies.len() - 1];
            supply.0[piece.axis.index()] += 1;
            supply.0[piece.child.index()] += 1;
            supplies.push(supply);
        }
        supplies.reverse();
        supplies
    }
}

/// An upper bound on the value of a chain that uses only the puyos of `board` and of `supply`.
pub fn bound(board: &Board, supply: &Supply, objective: Objective) -> Score {
    let (mut steps, mut puyos) = (0, 0);
    for (colour, supplied) in PuyoColour::all().zip(supply.0) {
        let count = board.plane(colour).count_ones() + supplied;
        steps += count / 4;
        // Fewer than four of a colour never vanish.
        puyos += if count < 4 { 0 } else { count };
    }
    match objective {
        Objective::Chains => Score::from(steps),
        Objective::Attack => most_attack(
            Score::from(steps),
            Score::from(puyos + board.garbage().count_ones()),
        ),
    }
}

/// The most attack of a chain of at most `steps` steps that clears at most `puyos`.
///
/// With n steps the attack is largest if each step except the last takes four puyos: 3n(n − 1) + n·(puyos − 4n). This
/// grows with n as long as 2n + 4 ≤ puyos, and n never exceeds a quarter of the puyos.
fn most_attack(steps: Score, puyos: Score) -> Score {
    (0..=steps).map(|n| n * (puyos - 3 - n)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use ikeru_chain::format::read_field;

    use super::*;

    #[test]
    fn the_bound_counts_each_colour_alone() {
        let board = read_field("RRR...\nGGGOBB").expect("a field");
        let none = Supply::default();
        assert_eq!(bound(&board, &none, Objective::Chains), 0);
        assert_eq!(bound(&board, &none, Objective::Attack), 0);
        let [red, green] = [0, 1].map(|index| PuyoColour::new(index).expect("a colour"));
        let piece = Piece {
            axis: red,
            child: green,
        };
        let supplies = Supply::of(&[piece]);
        assert_eq!(supplies.len(), 2);
        assert_eq!(bound(&board, &supplies[0], Objective::Chains), 2);
        // The first step takes four, the second takes four and the garbage: 6 + 2·1.
        assert_eq!(bound(&board, &supplies[0], Objective::Attack), 8);
        assert_eq!(bound(&board, &supplies[1], Objective::Chains), 0);
    }
}
