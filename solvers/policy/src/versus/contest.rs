//! Instances and answers: a match to play, and its moves.

use ikeru_chain::record::{GameRecord, Pieces};
use ikeru_chain::{AboveTop, Chain, Piece, PieceSequence, Placement};
use ikeru_core::{InputError, Random, Score, Settings, choices, input_error, refuse, settings};

use super::duel::{Duel, MatchResult};
use crate::repertoire::Repertoire;
use crate::templates::{TemplateOptions, sets};

/// Pieces that both players see, the one to place included.
pub(super) const VISIBLE: usize = 3;

/// A match to play. The seed of its sequence also draws the columns into which garbage falls.
#[derive(Debug, Clone)]
pub struct Contest {
    pub(super) record: GameRecord,
    turns: usize,
    pub(super) opponent: Contender,
    shared: SharedPieces,
}

/// The placements of both players, turn by turn, and the score for the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchMoves {
    pub(super) placements: Vec<[Placement; 2]>,
    pub(super) score: Score,
    /// True if they were read: the moves of the opponent may be others than its own.
    pub(super) is_read: bool,
}

choices! {
    /// The policies that can play a match.
    pub enum Contender {
        /// Any legal placement.
        Random = "random",
        /// The largest attack at once.
        Greedy = "greedy",
        /// Potential maximization.
        Potential = "potential",
        /// Templates, then potential maximization.
        Combined = "combined",
    }
}

choices! {
    /// How long both players get the same pieces.
    #[derive(Default)]
    pub(super) enum SharedPieces {
        /// In the whole match.
        #[default]
        Always = "always",
        /// Until one of the players first clears. The pieces that were announced by then are still the same.
        UntilClear = "until-clear",
    }
}

settings! {
    pub(super) ABOVE_TOP: Option<AboveTop> = "above_top", "a puyo that would land above the top row: illegal (the placement is) or vanish (it does: a player then loses when every cell is full); default: as the instance says";
    pub(super) SHARED_PIECES: SharedPieces = "shared_pieces", "always", "how long both players get the same pieces: always, or until-clear (until one of them first clears)";
    pub(super) OPPONENT: Contender = "opponent", "potential", "the second player";
    pub(super) TURNS: Option<usize> = "turns", 1..=1000, "turns after which the match is a draw; 300 or all pieces that are listed, if not given";
}

impl Contest {
    /// The default match on the sequence of `record`.
    pub fn new(record: GameRecord) -> Self {
        Self {
            record,
            turns: 300,
            opponent: Contender::Potential,
            shared: SharedPieces::default(),
        }
    }

    /// The match with the question as changed by `settings`.
    pub(super) fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let mut asked = self.clone();
        settings.change(&OPPONENT, &mut asked.opponent)?;
        if asked.opponent == Contender::Combined {
            asked.repertoire().map_err(|error| {
                input_error!("setting `opponent` is `combined`: {}", error.message)
            })?;
        }
        if let Some(turns) = settings.get(&TURNS)? {
            asked.turns = turns;
            asked.record.check_listed(TURNS.name(), asked.turns)?;
        }
        settings.change(&ABOVE_TOP, &mut asked.record.above_top)?;
        settings.change(&SHARED_PIECES, &mut asked.shared)?;
        if asked.shared != SharedPieces::Always && matches!(asked.record.pieces, Pieces::Listed(_))
        {
            refuse!(
                "setting `{}` is `until-clear`, expected `always`: the pieces of this match are listed",
                SHARED_PIECES.name()
            );
        }
        Ok(asked)
    }

    /// The templates that the players build.
    ///
    /// # Errors
    /// If they do not fit the board.
    pub(super) fn repertoire(&self) -> Result<Repertoire, InputError> {
        let (size, colours) = (self.record.start.size(), self.record.colours());
        Repertoire::named(
            sets::DEFAULT,
            &[],
            size,
            TemplateOptions::default(),
            colours,
        )
    }

    /// The pieces of all turns, and those visible after the last one.
    pub(super) fn pieces(&self) -> Vec<Piece> {
        self.record.pieces.first(self.turns + VISIBLE)
    }

    /// The most turns that can be played.
    pub(super) fn turns(&self) -> usize {
        self.turns.min(self.pieces().len())
    }

    /// The match before its first turn.
    pub(super) fn duel(&self) -> Duel {
        let seed = match self.record.pieces {
            Pieces::Seed { seed, .. } => seed,
            Pieces::Listed(_) => 0,
        };
        let rules = (self.record.loss, self.record.above_top);
        Duel::new(self.record.start, rules, seed)
    }

    /// The pieces of both sides before the first turn.
    pub(super) fn supply(&self) -> MatchPieces<'_> {
        let pieces = self.pieces();
        MatchPieces {
            contest: self,
            sides: [pieces.clone(), pieces],
            parted: self.shared == SharedPieces::Always,
        }
    }
}

/// The pieces that both sides get. They part by [`SharedPieces`]: the first side continues the sequence of the match's
/// seed, the second side another one, and the guarantee of the sequence holds across the parting.
pub(super) struct MatchPieces<'a> {
    contest: &'a Contest,
    sides: [Vec<Piece>; 2],
    /// True if the pieces will not part any more.
    parted: bool,
}

impl MatchPieces<'_> {
    /// The pieces to place in `turn`; `None` if there are no more.
    pub(super) fn of(&self, turn: usize) -> Option<[Piece; 2]> {
        let [first, second] = &self.sides;
        Some([*first.get(turn)?, *second.get(turn)?])
    }

    /// The pieces that each side sees in `turn`.
    pub(super) fn visible(&self, turn: usize) -> [&[Piece]; 2] {
        let shown = |pieces: &[Piece]| turn..pieces.len().min(turn + VISIBLE);
        [0, 1].map(|side| &self.sides[side][shown(&self.sides[side])])
    }

    /// Parts the pieces if `chains`, those of `turn`, are the first of the match.
    pub(super) fn after(&mut self, turn: usize, chains: [Chain; 2]) {
        if self.parted || chains.iter().all(|chain| chain.steps == 0) {
            return;
        }
        self.parted = true;
        let Pieces::Seed {
            seed,
            colours,
            guarantee,
        } = self.contest.record.pieces
        else {
            return;
        };
        let second = &mut self.sides[1];
        let (count, announced) = (second.len(), turn + VISIBLE);
        let mut common = PieceSequence::new(seed, colours).with_guarantee(guarantee);
        second.clear();
        second.extend(common.by_ref().take(announced));
        let own = common.parted(Random::new("versus.second", seed));
        second.extend(own.take(count));
        second.truncate(count);
    }
}

/// The score for the first player.
pub(super) fn score(verdict: MatchResult) -> Score {
    match verdict {
        MatchResult::Won(0) => 1,
        MatchResult::Won(_) => -1,
        MatchResult::Draw => 0,
    }
}

#[cfg(test)]
mod tests {
    use ikeru_chain::{Board, LossRule, Rotation};
    use ikeru_core::testing::settings;

    use super::*;

    fn contest(text: &str, words: &str) -> Contest {
        let record = GameRecord::read_beginning(text).expect("a match");
        let asked = Contest::new(record).ask(&settings(words));
        asked.expect("a question")
    }

    fn refused(text: &str, words: &str) -> String {
        let record = GameRecord::read_beginning(text).expect("a match");
        let refusal = Contest::new(record).ask(&settings(words)).err();
        refusal
            .unwrap_or_else(|| panic!("{words} is asked"))
            .message
    }

    const SEEDED: &str = "colours: 4\nseed: 5\n";
    const LISTED: &str = "pieces: RG BY RR GG\n";

    #[test]
    fn each_setting_changes_its_part_of_the_match() {
        let usual = contest(SEEDED, "");
        assert_eq!((usual.turns(), usual.pieces().len()), (300, 303));
        assert_eq!(usual.opponent, Contender::Potential);
        assert_eq!(usual.shared, SharedPieces::Always);
        assert_eq!(usual.record.above_top, AboveTop::Illegal);
        let asked = contest(
            SEEDED,
            "turns=7 opponent=random shared_pieces=until-clear above_top=vanish",
        );
        assert_eq!((asked.turns(), asked.pieces().len()), (7, 10));
        assert_eq!(asked.opponent, Contender::Random);
        assert_eq!(asked.shared, SharedPieces::UntilClear);
        assert_eq!(asked.record.above_top, AboveTop::Vanish);
        assert_eq!(asked.duel().above_top(), AboveTop::Vanish);
        // A match has as many turns as pieces are listed.
        assert_eq!(contest(LISTED, "").turns(), 4);
        assert_eq!(contest(LISTED, "turns=4").turns(), 4);
        assert_eq!(contest(LISTED, "turns=3").turns(), 3);
    }

    #[test]
    fn a_match_that_cannot_be_played_is_refused() {
        let why = "setting `turns` is 5, expected at most 4: no more pieces are listed";
        assert_eq!(refused(LISTED, "turns=5"), why);
        assert_eq!(
            refused(LISTED, "shared_pieces=until-clear"),
            "setting `shared_pieces` is `until-clear`, expected `always`: the pieces of this match are listed"
        );
        assert_eq!(contest(LISTED, "shared_pieces=always").turns(), 4);
        let wide = "board: 7x13\nseed: 1\n";
        let why = refused(wide, "opponent=combined");
        assert!(
            why.starts_with("setting `opponent` is `combined`: "),
            "{why}"
        );
        assert!(contest(wide, "").repertoire().is_err());
        let fits = contest(SEEDED, "opponent=combined").repertoire();
        assert_eq!(fits.expect("templates").templates.len(), 10);
    }

    #[test]
    fn both_sides_get_and_see_the_pieces_of_the_record() {
        let asked = contest(LISTED, "turns=3");
        let (supply, pieces) = (asked.supply(), asked.pieces());
        assert_eq!(pieces.len(), 4);
        for (turn, piece) in pieces.iter().enumerate() {
            assert_eq!(supply.of(turn), Some([*piece; 2]));
            let shown = &pieces[turn..(turn + 3).min(4)];
            assert_eq!(supply.visible(turn), [shown; 2]);
        }
        assert_eq!(supply.of(4), None);
    }

    #[test]
    fn the_pieces_part_three_turns_after_the_first_clear() {
        let none = [Chain::default(); 2];
        let clears = |side: usize| {
            let mut chains = none;
            chains[side] = Chain::of_fours(1);
            chains
        };
        for (turns, guarantee) in [(9, 0), (9, 2), (2, 0)] {
            let text = format!("{SEEDED}guarantee: {guarantee}\n");
            let asked = contest(&text, &format!("turns={turns} shared_pieces=until-clear"));
            let common = asked.pieces();
            for (turn, side) in [(0, 0), (2, 1), (4, 0)] {
                let mut supply = asked.supply();
                (0..turn).for_each(|before| supply.after(before, none));
                assert_eq!(supply.sides, [common.clone(), common.clone()]);
                supply.after(turn, clears(side));
                let mut sequence = PieceSequence::new(5, 4).with_guarantee(guarantee);
                let mut second: Vec<Piece> = sequence.by_ref().take(turn + 3).collect();
                second.extend(sequence.parted(Random::new("versus.second", 5)).take(20));
                second.truncate(common.len());
                assert_eq!(supply.sides, [common.clone(), second.clone()]);
                assert_eq!(second == common, turn + 3 >= common.len());
                // A later clear changes nothing.
                supply.after(turn + 1, clears(1 - side));
                assert_eq!(supply.sides, [common.clone(), second]);
            }
        }
        let always = contest(SEEDED, "turns=9");
        let mut supply = always.supply();
        supply.after(0, clears(0));
        assert_eq!(supply.sides, [always.pieces(), always.pieces()]);
    }

    #[test]
    fn the_seed_of_the_pieces_draws_the_columns_of_garbage() {
        let garbage = |mut duel: Duel| {
            let piece = duel_piece();
            let place = Placement {
                column: 0,
                rotation: Rotation::Up,
            };
            let fallen = [0; 4].map(|_| {
                for side in &mut duel.sides {
                    side.board = Board::empty(side.board.size());
                    side.pending = 3;
                }
                duel.play([piece; 2], [place; 2], |_| Chain::default());
                duel.sides.map(|side| side.board.garbage())
            });
            (duel.above_top(), fallen)
        };
        for (text, seed) in [(SEEDED, 5), (LISTED, 0)] {
            let asked = contest(text, "");
            let start = asked.record.start;
            let rules = (LossRule::NoPlacement, AboveTop::Illegal);
            assert_eq!(
                garbage(asked.duel()),
                garbage(Duel::new(start, rules, seed))
            );
            let other = Duel::new(start, rules, seed + 1);
            assert_ne!(garbage(asked.duel()), garbage(other));
        }
        let started = contest("R.....\nseed: 1\n", "").duel();
        assert_eq!(started.sides.map(|side| side.board.stones()), [1, 1]);
    }

    fn duel_piece() -> Piece {
        let colours = [0, 1].map(|index| ikeru_chain::PuyoColour::new(index).expect("a colour"));
        Piece {
            axis: colours[0],
            child: colours[1],
        }
    }

    #[test]
    fn the_score_is_that_of_the_first_side() {
        let verdicts = [MatchResult::Won(0), MatchResult::Won(1), MatchResult::Draw];
        assert_eq!(verdicts.map(score), [1, -1, 0]);
    }
}
