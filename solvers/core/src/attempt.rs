//! The outcomes of a call: of a solver, of the referee, of a preparation.

use thiserror::Error;

use crate::{InputError, Score};

/// The outcome of one call of a solver.
#[derive(Debug, Clone, PartialEq)]
pub enum Attempt<A> {
    /// The search is complete.
    Solved {
        /// The answer.
        answer: A,
        /// The claim that no answer can be better.
        proof: Proof,
    },
    /// The deadline passed first, or the memory that the variant allows itself was full.
    Timeout {
        /// The best answer so far.
        best: Option<A>,
        /// No answer can be better than this; `None` if no bound is known.
        bound: Option<Score>,
    },
}

/// The claim of optimality that comes with a solved answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The answer is an optimum, or the complete set.
    Proven,
    /// No claim: a better answer may exist.
    None,
}

impl<A> Attempt<A> {
    /// Solved: no answer is better.
    pub const fn proven(answer: A) -> Self {
        Self::Solved {
            answer,
            proof: Proof::Proven,
        }
    }

    /// Solved: a better answer may exist.
    pub const fn unproven(answer: A) -> Self {
        Self::Solved {
            answer,
            proof: Proof::None,
        }
    }

    /// A timeout without an answer and without a bound.
    pub const fn nothing() -> Self {
        Self::Timeout {
            best: None,
            bound: None,
        }
    }

    /// Returns whether the answer is claimed to be proven.
    pub fn is_proven(&self) -> bool {
        matches!(
            self,
            Self::Solved {
                proof: Proof::Proven,
                ..
            }
        )
    }

    /// The answer, proven or not.
    pub fn answer(&self) -> Option<&A> {
        match self {
            Self::Solved { answer, .. } => Some(answer),
            Self::Timeout { best, .. } => best.as_ref(),
        }
    }
}

/// The referee's result for a correct answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checked {
    /// The score that the referee computed.
    pub score: Option<Score>,
    /// Values measured on the answer, by the names of [`measures`](crate::ProblemInfo::measures).
    pub measures: Vec<(&'static str, f64)>,
}

impl Checked {
    /// A score and nothing else.
    pub fn score(score: Score) -> Self {
        Self {
            score: Some(score),
            measures: Vec::new(),
        }
    }
}

/// The referee's verdict on an answer.
pub type Refereed = Result<Checked, Rejection>;

/// A wrong answer: what was claimed and what is true.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Wrong(pub String);

/// Why the referee did not accept an answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Rejection {
    /// The answer is wrong.
    #[error(transparent)]
    Wrong(#[from] Wrong),
    /// It is no answer: the solver gave up, or was stopped while it wrote. No fault of the solver.
    #[error("{0}")]
    NoAnswer(String),
    /// The referee's deadline passed before the answer was decided.
    #[error("the referee's time limit passed before the answer was decided")]
    Timeout,
    /// A referee outside of this program failed: that is no fault of the answer.
    #[error("{0}")]
    Broken(String),
    /// This program could not ask a referee outside of it, for lack of files, processes or memory: no verdict is known.
    #[error("{0}")]
    Harness(String),
}

/// The reason for which a variant did not take an instance.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The variant cannot answer this instance; the sample becomes a `Skipped` row with this reason.
    #[error("{0}")]
    Skip(String),
    /// A setting of the method does not fit: an error of the user.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The deadline passed before the preparation was done; the sample becomes a timeout.
    #[error("the time limit passed during the preparation")]
    Timeout,
}

impl Refusal {
    /// The variant cannot answer this instance, because …
    pub fn skip(why: impl Into<String>) -> Self {
        Self::Skip(why.into())
    }
}
