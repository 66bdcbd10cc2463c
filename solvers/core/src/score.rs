//! Scores: the value of an answer, and which way it is better.

use serde::{Deserialize, Serialize};

/// A score as exact integers; which way is better is the problem's [`Direction`].
pub type Score = i64;

/// Which way a score is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Higher is better.
    Maximize,
    /// Lower is better.
    Minimize,
    /// All exact answers have the same score.
    Equal,
}

impl Direction {
    /// Every direction.
    pub const ALL: [Self; 3] = [Self::Maximize, Self::Minimize, Self::Equal];

    /// Returns whether `score` is better than `than`; always false for [`Equal`](Self::Equal).
    pub const fn is_better(self, score: Score, than: Score) -> bool {
        match self {
            Self::Maximize => score > than,
            Self::Minimize => score < than,
            Self::Equal => false,
        }
    }

    /// Its word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Maximize => "maximize",
            Self::Minimize => "minimize",
            Self::Equal => "equal",
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
