//! Instances and answers: a match to play, and its moves.

use ikeru_chain::record::{GameRecord, Pieces};
use ikeru_chain::{Piece, Placement};
use ikeru_core::{InputError, Score, Settings, choices, input_error, settings};

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

settings! {
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
        Duel::new(self.record.start, self.record.loss, seed)
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
