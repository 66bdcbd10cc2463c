//! Solvers outside of this program, which answer in JSON.
//!
//! [`AnyInstance::answered_by`](crate::AnyInstance::answered_by) wraps one as a solver: the problem reads its answers,
//! the referee checks them, and the answers are timed and drawn like those of a variant. This crate does not start the
//! other process and does not define its protocol.

use serde_json::Value as Json;
use thiserror::Error;

use crate::{Attempt, Score, Search};

/// A solver outside of this program, for one instance with its question.
pub trait Outside: Send {
    /// Answers once; the answer is JSON as [`Problem::answer_json`](crate::Problem::answer_json) writes it. The
    /// counters and the incumbent of `search` are empty.
    ///
    /// # Errors
    /// The solver gave no answer although it did not run out of time.
    fn solve(&mut self, search: &mut Search) -> Result<Attempt<Json>, Failure>;
    /// The end of what its processes wrote on standard error, if the last attempt failed.
    fn last_words(&self) -> Option<String> {
        None
    }
    /// The score that no answer can be better than, as the last attempt stated it.
    fn bound(&self) -> Option<Score> {
        None
    }
    /// What its processes used, if they have ended.
    fn used(&self) -> ProcessUse {
        ProcessUse::default()
    }
}

/// What the processes of the last attempt used, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessUse {
    /// CPU time.
    pub cpu: Option<std::time::Duration>,
    /// The largest resident memory of one of them, in bytes.
    pub peak_bytes: Option<u64>,
}

/// Why a solver outside of this program gave no answer that could be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    /// It ended, or its output could not be parsed.
    #[error("{0}")]
    Crashed(String),
    /// It needed more memory than its limit.
    #[error("{0}")]
    OutOfMemory(String),
    /// Its answer could not be read as an answer to this problem.
    #[error("{0}")]
    Wrong(String),
    /// It reported that it has no answer.
    #[error("{0}")]
    NoAnswer(String),
    /// It reported that it does not take this instance.
    #[error("{0}")]
    Skipped(String),
    /// This program could not ask it, for lack of files, processes or memory: nothing is known of the solver.
    #[error("{0}")]
    Harness(String),
}
