//! Potential maximization one piece beyond the known ones (thesis 4.2).
//!
//! The thesis stops at the third piece. The fourth is one of ten kinds, so that searching it costs up to 10 · 22
//! times as much, and the thesis does not say whether the best, the mean or the worst kind should count. Here each of
//! them can be chosen.

use ikeru_chain::{Board, Piece, PuyoColour};

use super::landing::ContactTable;
use super::potential::{Potential, Unseen, VISIBLE};
use super::{PolicyWork, View};

impl Unseen {
    /// The value of the attacks of all kinds of pieces, given with their weights; [`VISIBLE`] is one point of attack.
    fn value(self, attacks: impl Iterator<Item = (u32, u32)>) -> u32 {
        match self {
            Self::None => 0,
            Self::Best => VISIBLE * attacks.map(|(_, attack)| attack).max().unwrap_or(0),
            Self::Worst => VISIBLE * attacks.map(|(_, attack)| attack).min().unwrap_or(0),
            Self::Mean => {
                let (weights, sum) = attacks.fold((0, 0), |(weights, sum), (weight, attack)| {
                    (weights + weight, sum + weight * attack)
                });
                VISIBLE * sum / weights.max(1)
            }
        }
    }
}

/// Every kind of piece of the first `colours` colours, with its weight: 1 for a double, else 2.
fn kinds(colours: usize) -> impl Iterator<Item = (u32, Piece)> {
    let pairs = PuyoColour::all().take(colours).flat_map(move |axis| {
        PuyoColour::all()
            .take(axis.index() + 1)
            .map(move |child| (axis, child))
    });
    pairs.map(|(axis, child)| (if axis == child { 1 } else { 2 }, Piece { axis, child }))
}

impl Potential {
    /// The largest value of the unknown piece after `pieces`, over all boards to which `pieces` lead; [`VISIBLE`] is
    /// one point of attack.
    pub(super) fn expected_attack(
        &self,
        board: &Board,
        pieces: &[Piece],
        view: &View,
        work: &mut PolicyWork,
    ) -> u32 {
        if work.is_late() {
            return 0;
        }
        let [piece, rest @ ..] = pieces else {
            let attacks = kinds(view.colours).map(|(weight, piece)| {
                (
                    weight,
                    self.best_attack(board, &[piece], view.above_top, work),
                )
            });
            return self.rules.unseen.value(attacks);
        };
        let mut best = 0;
        let table = ContactTable::new(board, *piece);
        for landing in self.landings.of(*piece) {
            let Some(cells) = landing.cells(board) else {
                continue;
            };
            work.placements += 1;
            let vanishes = table.vanishes(cells);
            let (below, chain) = work.place(board, *piece, landing.placement, vanishes);
            if chain.steps <= self.rules.through {
                best = best.max(self.expected_attack(&below, rest, view, work));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use ikeru_chain::format::read_field;
    use ikeru_chain::{AboveTop, Size};

    use super::*;
    use crate::policy::potential::PotentialRules;

    #[test]
    fn ten_kinds_of_pieces_weigh_sixteen() {
        let (weights, pieces): (Vec<u32>, Vec<Piece>) = kinds(4).unzip();
        assert_eq!(weights.iter().sum::<u32>(), 16);
        let doubles = pieces.iter().filter(|piece| piece.is_double()).count();
        assert_eq!((pieces.len(), doubles), (10, 4));
    }

    #[test]
    fn the_best_kind_is_above_the_mean_and_the_worst_below() {
        // Red starts a chain of two steps. Any other colour starts at most one step of four puyos, which is no
        // attack.
        let board = read_field("...B..\n..GB..\n.BBRRR\n").expect("a field");
        let view = View {
            board: &board,
            pieces: &[],
            turn: 0,
            colours: 4,
            above_top: AboveTop::Illegal,
        };
        let value = |unseen| {
            let rules = PotentialRules {
                unseen,
                ..PotentialRules::THESIS
            };
            let potential = Potential::new(Size::THESIS, rules);
            potential.expected_attack(&board, &[], &view, &mut PolicyWork::default())
        };
        // RR has a fifth puyo in the first step, RB one in the second, RG and RY none.
        assert_eq!(value(Unseen::Best), 8 * VISIBLE);
        assert_eq!(value(Unseen::Mean), (7 + 2 * 8 + 4 * 6) * VISIBLE / 16);
        assert_eq!(value(Unseen::Worst), 0);
        assert_eq!(value(Unseen::None), 0);
    }
}
