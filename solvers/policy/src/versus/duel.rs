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

    const RULES: (LossRule, AboveTop) = (LossRule::NoPlacement, AboveTop::Illegal);

    fn colour(index: usize) -> PuyoColour {
        PuyoColour::new(index).expect("a colour")
    }

    /// A red puyo with a green one above it.
    fn red_and_green() -> Piece {
        Piece {
            axis: colour(0),
            child: colour(1),
        }
    }

    fn up(column: u8) -> Placement {
        Placement {
            column,
            rotation: Rotation::Up,
        }
    }

    fn duel(seed: u64) -> Duel {
        Duel::new(Board::empty(Size::THESIS), RULES, seed)
    }

    #[test]
    fn attacks_cancel_and_the_rest_falls_a_turn_later() {
        let (mut duel, piece) = (duel(1), red_and_green());
        duel.sides[0].pending = 40;
        duel.play([piece; 2], [up(0); 2], resolve);
        assert_eq!(duel.sides[0].pending, 10, "thirty of forty fell");
        assert_eq!(duel.sides[0].board.garbage().count_ones(), 30);
        assert_eq!(duel.sides[1].board.garbage(), 0);
        // Five reds in a row give an attack of 1, against the three waiting.
        for column in 1..4 {
            duel.sides[1].board.drop(column, Cell::Puyo(colour(0)));
        }
        duel.sides[1].pending = 3;
        let chains = duel.play([piece; 2], [up(0), up(4)], resolve);
        assert_eq!(chains[1].attack, 1);
        assert_eq!(duel.sides[1].pending, 0, "one cancelled, two fell");
        assert_eq!(duel.sides[1].board.garbage().count_ones(), 2);
    }

    #[test]
    fn what_is_left_of_an_attack_waits_for_the_other_side() {
        let mut duel = duel(1);
        let piece = Piece {
            axis: colour(0),
            child: colour(0),
        };
        duel.sides[0].pending = 3;
        for (attacks, pending) in [([7, 2], [0, 2]), ([0, 5], [3, 0])] {
            let mut attacks = attacks.into_iter();
            duel.play([piece; 2], [up(0); 2], |_| Chain {
                attack: attacks.next().expect("two sides"),
                ..Chain::default()
            });
            assert_eq!(duel.sides.map(|side| side.pending), pending);
        }
        assert_eq!(duel.sides.map(|side| side.attack), [7, 7]);
        assert_eq!(duel.sides.map(|side| side.board.garbage()), [0, 0]);
    }

    #[test]
    fn garbage_falls_in_whole_rows_and_then_into_drawn_columns() {
        for seed in 0..20 {
            for count in 0..=30 {
                let mut board = Board::empty(Size::THESIS);
                board.drop(0, Cell::Puyo(colour(0)));
                board.drop(0, Cell::Puyo(colour(1)));
                let mut random = Random::new("test.garbage", seed);
                let mut columns: Vec<usize> = (0..6).collect();
                random.clone().shuffle(&mut columns);
                drop_garbage(&mut board, count, &mut random);
                assert_eq!(board.garbage().count_ones(), count);
                for (place, &column) in columns.iter().enumerate() {
                    let extra = u32::from((place as u32) < count % 6);
                    let below = if column == 0 { 2 } else { 0 };
                    let height = u32::from(board.heights()[column]);
                    assert_eq!(height, below + count / 6 + extra, "{seed} {count}");
                }
                let bottom = [0, 1].map(|row| board.cell(0, row));
                assert_eq!(bottom, [0, 1].map(|index| Cell::Puyo(colour(index))));
            }
        }
    }

    #[test]
    fn garbage_for_a_full_column_is_lost() {
        let mut board = Board::empty(Size::THESIS);
        for _ in 0..13 {
            board.drop(1, Cell::Puyo(colour(0)));
        }
        for _ in 0..11 {
            board.drop(2, Cell::Puyo(colour(0)));
        }
        drop_garbage(&mut board, 18, &mut Random::new("test.garbage", 1));
        assert_eq!(board.heights()[..6], [3, 13, 13, 3, 3, 3]);
        assert_eq!(board.garbage().count_ones(), 3 * 4 + 2);
        drop_garbage(&mut board, 60, &mut Random::new("test.garbage", 1));
        assert_eq!(board.heights()[..6], [13; 6]);
    }

    #[test]
    fn each_side_and_each_turn_draws_other_columns() {
        let piece = red_and_green();
        let mut fallen = std::collections::BTreeSet::new();
        for seed in 0..8 {
            let mut duel = duel(seed);
            for turn in 1..=3 {
                for side in &mut duel.sides {
                    side.board = Board::empty(Size::THESIS);
                    side.pending = 3;
                }
                duel.play([piece; 2], [up(0); 2], |_| Chain::default());
                assert_eq!(duel.turn, turn);
                fallen.extend(duel.sides.map(|side| side.board.garbage()));
            }
        }
        assert!(fallen.len() > 10, "{} of 20 choices", fallen.len());
    }

    #[test]
    fn at_most_thirty_fall_in_a_turn() {
        let piece = red_and_green();
        for (pending, left) in [(29, 0), (30, 0), (31, 1), (61, 31)] {
            let mut duel = duel(1);
            duel.sides[1].pending = pending;
            duel.play([piece; 2], [up(0); 2], |_| Chain::default());
            assert_eq!(duel.sides.map(|side| side.pending), [0, left]);
            let fallen = duel.sides.map(|side| side.board.garbage().count_ones());
            assert_eq!(fallen, [0, pending - left]);
        }
    }

    #[test]
    fn an_attack_is_counted_with_the_part_that_cancels() {
        let piece = red_and_green();
        // Garbage that waits, attacks; garbage that waits after the turn, and that fell in it.
        for (waits, attacks, pending, fell) in [
            ([0, 0], [4, 0], [0, 4], [0, 0]),
            ([0, 0], [4, 9], [5, 0], [0, 0]),
            ([0, 0], [4, 4], [0, 0], [0, 0]),
            ([5, 0], [4, 0], [0, 0], [1, 0]),
            ([5, 0], [5, 0], [0, 0], [0, 0]),
            ([5, 0], [6, 0], [0, 1], [0, 0]),
            ([5, 7], [2, 9], [2, 0], [3, 0]),
            ([5, 7], [0, 0], [0, 0], [5, 7]),
            ([36, 0], [2, 3], [7, 0], [30, 0]),
        ] {
            let mut duel = duel(1);
            for (side, waits) in duel.sides.iter_mut().zip(waits) {
                side.pending = waits;
                side.attack = 100;
            }
            let mut coming = attacks.into_iter();
            let chains = duel.play([piece; 2], [up(0); 2], |_| Chain {
                attack: coming.next().expect("two sides"),
                ..Chain::default()
            });
            let found = duel.sides.map(|side| side.pending);
            assert_eq!(found, pending, "{waits:?} {attacks:?}");
            let garbage = duel.sides.map(|side| side.board.garbage().count_ones());
            assert_eq!(garbage, fell, "{waits:?} {attacks:?}");
            assert_eq!(chains.map(|chain| chain.attack), attacks);
            assert_eq!(
                duel.sides.map(|side| side.attack),
                attacks.map(|attack| 100 + attack)
            );
        }
    }

    #[test]
    fn each_side_places_its_own_piece() {
        let rules = (LossRule::NoPlacement, AboveTop::Vanish);
        let mut start = Board::empty(Size::THESIS);
        for _ in 0..12 {
            start.drop(1, Cell::Garbage);
        }
        let mut duel = Duel::new(start, rules, 1);
        assert_eq!(duel.above_top(), AboveTop::Vanish);
        let pieces = [(0, 1), (2, 3)].map(|(axis, child)| Piece {
            axis: colour(axis),
            child: colour(child),
        });
        duel.play(pieces, [up(0), up(1)], resolve);
        let [first, second] = duel.sides.map(|side| side.board);
        assert_eq!(first.cell(0, 0), Cell::Puyo(colour(0)));
        assert_eq!(first.cell(0, 1), Cell::Puyo(colour(1)));
        // The child would land above the top row: it vanishes.
        assert_eq!(second.cell(1, 12), Cell::Puyo(colour(2)));
        assert_eq!([first, second].map(|board| board.stones()), [14, 13]);
    }

    #[test]
    fn the_verdict_follows_from_the_boards_and_the_rules() {
        // Column 3 reaches the entrance; no piece fits; a puyo of a piece fits; the board is empty.
        let of_heights = |heights: [usize; 6]| {
            let mut board = Board::empty(Size::THESIS);
            for (column, height) in heights.into_iter().enumerate() {
                (0..height).for_each(|_| board.drop(column, Cell::Garbage));
            }
            board
        };
        let entrance = of_heights([0, 0, 12, 0, 0, 0]);
        let full = of_heights([13; 6]);
        let cell_left = of_heights([13, 13, 13, 13, 13, 12]);
        let empty = of_heights([0; 6]);
        let verdicts = |boards: [Board; 2]| {
            [
                RULES,
                (LossRule::NoPlacement, AboveTop::Vanish),
                (LossRule::Entrance, AboveTop::Illegal),
            ]
            .map(|rules| {
                let mut duel = Duel::new(empty, rules, 1);
                duel.sides[0].board = boards[0];
                duel.sides[1].board = boards[1];
                duel.verdict([red_and_green(); 2])
            })
        };
        let (first, second) = (Some(MatchResult::Won(0)), Some(MatchResult::Won(1)));
        let draw = Some(MatchResult::Draw);
        assert_eq!(verdicts([empty, empty]), [None; 3]);
        assert_eq!(verdicts([full, empty]), [second; 3]);
        assert_eq!(verdicts([empty, full]), [first; 3]);
        assert_eq!(verdicts([full, full]), [draw; 3]);
        assert_eq!(verdicts([empty, cell_left]), [first, None, first]);
        assert_eq!(verdicts([entrance, empty]), [None, None, second]);
        assert_eq!(verdicts([entrance, cell_left]), [first, None, draw]);
    }
}
