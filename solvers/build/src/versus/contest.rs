//! Instances and answers: a match to play, and its moves.

use std::sync::Arc;

use ikeru_chain::record::{GameRecord, Pieces};
use ikeru_chain::{Piece, Placement};
use ikeru_core::{InputError, Score, Setting, Settings};

use super::duel::{Duel, Verdict};
use super::variants;
use crate::repertoire::Repertoire;
use crate::templates::{Options, sets};

/// Pieces that both players see, the one to place included.
pub(super) const VISIBLE: usize = 3;

/// A match to play. The seed of its sequence also draws the columns that garbage falls in.
#[derive(Debug, Clone)]
pub struct Contest {
    pub(super) record: GameRecord,
    turns: usize,
    pub(super) opponent: String,
}

/// The placements of both players, turn by turn, and the score for the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moves {
    pub(super) placements: Vec<[Placement; 2]>,
    pub(super) score: Score,
}

pub(super) const OPPONENT: Setting = Setting {
    name: "opponent",
    default: "potential",
    about: "the second player: random, greedy, potential or combined",
};
pub(super) const TURNS: Setting = Setting {
    name: "turns",
    default: "",
    about: "turns after which the match is a draw, from 1 to 1000; 300 or all pieces that are listed, if not given",
};

impl Contest {
    /// The default match on the sequence of `record`.
    #[must_use]
    pub fn new(record: GameRecord) -> Self {
        Self {
            record,
            turns: 300,
            opponent: OPPONENT.default.to_owned(),
        }
    }

    /// The match with the question that `settings` change.
    pub(super) fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let mut asked = self.clone();
        if settings.get(OPPONENT.name).is_some() {
            let names: Vec<&str> = variants::ALL.iter().map(|variant| variant.name).collect();
            let name = settings.choice(&OPPONENT, &names)?;
            asked.opponent = name.unwrap_or(OPPONENT.default).to_owned();
        }
        if settings.get(TURNS.name).is_some() {
            let turns = settings.int(&TURNS, 1..=1000)?;
            asked.turns = turns.map_or(asked.turns, |turns| turns as usize);
            let listed = asked.record.pieces.first(asked.turns).len();
            if listed < asked.turns {
                return Err(InputError::new(format!(
                    "setting `turns` is {}, expected at most {listed}: no more pieces are listed",
                    asked.turns
                )));
            }
        }
        Ok(asked)
    }

    /// The templates that players build.
    ///
    /// # Errors
    /// When they do not fit the board.
    pub(super) fn repertoire(&self) -> Result<Arc<Repertoire>, InputError> {
        let (size, colours) = (self.record.start.size(), self.record.colours());
        Repertoire::named(sets::DEFAULT, &[], size, Options::default(), colours)
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
pub(super) fn score(verdict: Verdict) -> Score {
    match verdict {
        Verdict::Won(0) => 1,
        Verdict::Won(_) => -1,
        Verdict::Draw => 0,
    }
}
