//! Scores: the value of an answer, and which way it is better.

use serde::{Deserialize, Serialize};

/// A score as exact integers; which way is better is the problem's [`Direction`].
pub type Score = i64;

crate::names! {
    /// Which way a score is better.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Direction {
        /// Higher is better.
        Maximize = "maximize",
        /// Lower is better.
        Minimize = "minimize",
        /// All exact answers have the same score.
        Equal = "equal",
    }
}

impl Direction {
    /// Returns whether `score` is better than `than`; always false for [`Equal`](Self::Equal).
    pub const fn is_better(self, score: Score, than: Score) -> bool {
        match self {
            Self::Maximize => score > than,
            Self::Minimize => score < than,
            Self::Equal => false,
        }
    }
}

/// Which way a number is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// A lower one: times, work, moves.
    Lower,
    /// A higher one: chains, attack, games won.
    Higher,
    /// None: it describes an answer and does not judge it.
    Neither,
}

impl From<Direction> for Better {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Maximize => Self::Higher,
            Direction::Minimize => Self::Lower,
            Direction::Equal => Self::Neither,
        }
    }
}
