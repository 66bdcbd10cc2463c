//! Processes that search together for one answer.
//!
//! Every process makes the same subproblems in the same order; a team hands out their numbers, each once. The team also
//! carries rises of the shared [`Incumbent`](crate::Incumbent) from one process to the others: a variant does nothing for
//! it. They may arrive at any time, so that what every process must do alike may not depend on them. What one process found
//! is its own attempt; one that found nothing better than the scores it received has no answer but a bound
//! ([`Attempt::Timeout`](crate::Attempt::Timeout)). Whoever leads the team puts the attempts together.

use std::fmt::Debug;

/// The other processes of a search, as one of them sees them.
pub trait Team: Debug + Sync {
    /// How many processes search, this one included.
    fn size(&self) -> usize;
    /// The number of this process among them, from 0. Work that every process repeats is counted by process 0 alone.
    fn number(&self) -> usize;
    /// The number of the next subproblem that no process has taken, from 0. It may be beyond the last one: then nothing is
    /// left.
    fn next(&self) -> usize;
}
