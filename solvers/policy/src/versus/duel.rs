//! The rules of a match: simultaneous turns on the same sequence, garbage, cancelling.
//!
//! An attack first cancels the garbage that waits for its player, and then the attack of the other player in the same
//! turn. The rest waits for the other player and falls after their next placement, at most 30 puyos a turn: whole
//! rows first, then columns drawn from the match's seed. A player loses by the loss rule of the record; if both lose
//! at once, the match is a draw. Where puyos vanish above the top row, there is a placement until every cell is full.

use ikeru_chain::{AboveTop, Board, Cell, Chain, LossRule, Piece, Placement};
use ikeru_core::Random;

/// The most garbage that falls on a board in one turn.
const FALL_LIMIT: u32 = 30;

/// One player's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuelSide {
    /// The board.
    pub board: Board,
    /// The garbage that waits to fall.
    pub pending: u32,
    /// The garbage sent to the other side so far, including the cancelled part.
    pub attack: u32,
}

/// The state of a match between two turns.
#[derive(Debug, Clone)]
pub struct Duel {
    /// Both sides.
    pub sides: [DuelSide; 2],
    /// Turns played.
    pub turn: usize,
    loss: LossRule,
    above_top: AboveTop,
    random: Random,
}

/// The result of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchResult {
    /// The side with this number won.
    Won(usize),
    /// Both sides lost at once, or all turns were played.
    Draw,
}

impl Duel {
    /// A match in which both boards are `start`, with the rules for losing and for puyos above the top row; `seed`
    /// draws the columns of garbage.
    pub fn new(start: Board, (loss, above_top): (LossRule, AboveTop), seed: u64) -> Self {
        let side = DuelSide {
            board: start,
            pending: 0,
            attack: 0,
        };
        Self {
            sides: [side; 2],
            turn: 0,
            loss,
            above_top,
            random: Random::new("versus.garbage", seed),
        }
    }

    /// The rule for puyos above the top row.
    pub fn above_top(&self) -> AboveTop {
        self.above_top
    }

    /// The result of the match if `pieces` come next; `None` if it goes on.
    pub fn verdict(&self, pieces: [Piece; 2]) -> Option<MatchResult> {
        let lost = |side: usize| {
            let board = &self.sides[side].board;
            self.loss.is_lost(board, pieces[side], self.above_top)
        };
        match [lost(0), lost(1)] {
            [true, true] => Some(MatchResult::Draw),
            [true, false] => Some(MatchResult::Won(1)),
            [false, true] => Some(MatchResult::Won(0)),
            [false, false] => None,
        }
    }

    /// Both sides place their piece; `resolve` lets their chains happen. Both placements must be legal.
    pub fn play(
        &mut self,
        pieces: [Piece; 2],
        placements: [Placement; 2],
        mut resolve: impl FnMut(&mut Board) -> Chain,
    ) -> [Chain; 2] {
        let mut chains = [Chain::default(); 2];
        for (number, side) in self.sides.iter_mut().enumerate() {
            side.board.place_in_part(pieces[number], placements[number]);
            chains[number] = resolve(&mut side.board);
        }
        // Garbage that waited before this turn is cancelled, and its rest falls; garbage sent now falls next turn.
        let mut sent = [0; 2];
        for (number, side) in self.sides.iter_mut().enumerate() {
            side.attack += chains[number].attack;
            let cancelled = side.pending.min(chains[number].attack);
            side.pending -= cancelled;
            sent[number] = chains[number].attack - cancelled;
        }
        for side in &mut self.sides {
            let falling = side.pending.min(FALL_LIMIT);
            side.pending -= falling;
            drop_garbage(&mut side.board, falling, &mut self.random);
        }
        let both = sent[0].min(sent[1]);
        self.sides[0].pending += sent[1] - both;
        self.sides[1].pending += sent[0] - both;
        self.turn += 1;
        chains
    }
}

/// Drops `count` garbage puyos; a puyo that does not fit is lost.
fn drop_garbage(board: &mut Board, count: u32, random: &mut Random) {
    let (width, height) = (board.size().width(), board.size().height());
    let mut columns: Vec<usize> = (0..width).collect();
    random.shuffle(&mut columns);
    for &column in columns.iter().cycle().take(count as usize) {
        if usize::from(board.heights()[column]) < height {
            board.drop(column, Cell::Garbage);
        }
    }
}

#[cfg(test)]
mod tests {
    use ikeru_chain::{PuyoColour, Rotation, Size, resolve};

    use super::*;

    #[test]
    fn attacks_cancel_and_the_rest_falls_a_turn_later() {
        let red = PuyoColour::new(0).expect("a colour");
        let green = PuyoColour::new(1).expect("a colour");
        let rules = (LossRule::NoPlacement, AboveTop::Illegal);
        let mut duel = Duel::new(Board::empty(Size::THESIS), rules, 1);
        let piece = Piece {
            axis: red,
            child: green,
        };
        let at = |column| Placement {
            column,
            rotation: Rotation::Up,
        };
        duel.sides[0].pending = 40;
        duel.play([piece; 2], [at(0), at(0)], resolve);
        assert_eq!(duel.sides[0].pending, 10, "thirty of forty fell");
        assert_eq!(duel.sides[0].board.garbage().count_ones(), 30);
        assert_eq!(duel.sides[1].board.garbage(), 0);
        // Five reds in a row give an attack of 1, against the three waiting.
        for column in 1..4 {
            duel.sides[1].board.drop(column, Cell::Puyo(red));
        }
        duel.sides[1].pending = 3;
        let chains = duel.play(
            [piece; 2],
            [
                at(0),
                Placement {
                    column: 4,
                    rotation: Rotation::Up,
                },
            ],
            resolve,
        );
        assert_eq!(chains[1].attack, 1);
        assert_eq!(duel.sides[1].pending, 0, "one cancelled, two fell");
        assert_eq!(duel.sides[1].board.garbage().count_ones(), 2);
    }

    #[test]
    fn what_is_left_of_an_attack_waits_for_the_other_side() {
        let red = PuyoColour::new(0).expect("a colour");
        let rules = (LossRule::NoPlacement, AboveTop::Illegal);
        let mut duel = Duel::new(Board::empty(Size::THESIS), rules, 1);
        let piece = Piece {
            axis: red,
            child: red,
        };
        let above = Placement {
            column: 0,
            rotation: Rotation::Up,
        };
        duel.sides[0].pending = 3;
        for (attacks, pending) in [([7, 2], [0, 2]), ([0, 5], [3, 0])] {
            let mut attacks = attacks.into_iter();
            duel.play([piece; 2], [above; 2], |_| Chain {
                attack: attacks.next().expect("two sides"),
                ..Chain::default()
            });
            assert_eq!(duel.sides.map(|side| side.pending), pending);
        }
        assert_eq!(duel.sides.map(|side| side.attack), [7, 7]);
        assert_eq!(duel.sides.map(|side| side.board.garbage()), [0, 0]);
    }
}
