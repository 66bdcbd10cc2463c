//! Processes that search together for one answer.
//!
//! Every process makes the same subproblems in the same order; a team assigns each subproblem number once. The team
//! also sends rises of the shared [`Incumbent`](crate::Incumbent) from one process to the others; the variant needs
//! no code for it. Rises may arrive at any time, so steps that every process must repeat identically may not depend
//! on them. Each process returns its own attempt. A process that found no score better than the received ones returns a
//! bound without an answer ([`Attempt::Timeout`](crate::Attempt::Timeout)) or a worse answer. The leader of the team
//! merges the attempts.

use std::fmt::Debug;

/// A team of processes, as seen by one member.
pub trait Team: Debug + Sync {
    /// The number of processes that search, including this one.
    fn size(&self) -> usize;
    /// The number of this process, from 0. Work that every process repeats is counted by process 0 alone.
    fn number(&self) -> usize;
    /// Takes the next subproblem that no process has taken and returns its number, from 0. A number beyond the last
    /// subproblem means that none is left.
    fn next(&self) -> usize;
}
