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
        second.extend(own.take(count - announced.min(count)));
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
