//! How a sample ended: the words of the column `outcome`.

use serde::{Deserialize, Serialize};

/// How a sample ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum Outcome {
    /// Answered, and the referee agrees.
    #[default]
    Solved,
    /// The time limit passed first.
    Timeout,
    /// It wanted more memory than it may have.
    OutOfMemory,
    /// The variant panicked, or its process ended by itself.
    Crashed,
    /// The referee disagrees.
    Wrong,
    /// Answered, but the referee's own time limit passed before it could decide.
    Unchecked,
    /// Not run: `detail` says why.
    Skipped,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 7] = [
        Self::Solved,
        Self::Timeout,
        Self::OutOfMemory,
        Self::Crashed,
        Self::Wrong,
        Self::Unchecked,
        Self::Skipped,
    ];

    /// What the column says.
    pub(super) const DOC: &'static str = "how the sample ended: solved, timeout, out-of-memory, crashed, wrong, unchecked (the referee's time limit passed) or skipped";

    /// Whether it is a mistake of the program, not of the time that it was given.
    pub fn is_serious(self) -> bool {
        match self {
            Self::Solved | Self::Timeout | Self::Skipped => false,
            Self::OutOfMemory | Self::Crashed | Self::Wrong | Self::Unchecked => true,
        }
    }

    /// The word in `records.csv`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Timeout => "timeout",
            Self::OutOfMemory => "out-of-memory",
            Self::Crashed => "crashed",
            Self::Wrong => "wrong",
            Self::Unchecked => "unchecked",
            Self::Skipped => "skipped",
        }
    }

    /// The word for samples that failed so, after their number.
    pub fn failure(self) -> &'static str {
        match self {
            Self::OutOfMemory => "out of memory",
            Self::Skipped => "refused",
            other => other.name(),
        }
    }

    /// The outcome of that word; `None` for any other word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == word)
    }
}
