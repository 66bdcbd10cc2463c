//! Solvers outside of this program, which answer in JSON.
//!
//! [`AnyInstance::answered_by`](crate::AnyInstance::answered_by) makes a solver of one: the problem reads its answers,
//! its referee checks them, and it is timed and drawn as a variant is. How such a solver is started and asked is its
//! own business; this crate starts nothing.

use serde_json::Value as Json;
use thiserror::Error;

use crate::{Attempt, Search};

/// A solver outside of this program, for one instance with its question.
pub trait Outside: Send {
    /// Answers once: the answer is JSON as [`Problem::answer_json`](crate::Problem::answer_json) writes it. Counters and
    /// incumbent come fresh.
    ///
    /// # Errors
    /// It gave no answer, and did not run out of time.
    fn solve(&mut self, search: &mut Search) -> Result<Attempt<Json>, Failure>;
}

/// Why a solver outside of this program gave no answer that could be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    /// It ended, or said what cannot be understood.
    #[error("{0}")]
    Crashed(String),
    /// It wanted more memory than it may have.
    #[error("{0}")]
    OutOfMemory(String),
    /// Its answer is none of this problem.
    #[error("{0}")]
    Wrong(String),
    /// It says that it does not take this instance.
    #[error("{0}")]
    Skipped(String),
}
