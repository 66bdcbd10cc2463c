//! What answers one query: the interface between a variant's search and [`batch`](super::batch).

use ikeru_core::{BoxedSolve, Deadline, Refusal, Ticker, settings};

use crate::GridPath;
use crate::answer::{Answer, ReplaySettings};
use crate::cost::Guarantee;
use crate::instance::Query;

/// Cells between two looks at the clock.
const TICKS: u32 = 1024;

/// What preparing a variant gives.
pub type Prepared<'a> = Result<BoxedSolve<'a, GridPath>, Refusal>;

settings! {
    /// Whether the heuristic of A* is scaled.
    pub SCALED_H: bool = "scaled-h", true, "count the heuristic at the factor of the cheapest ground, so that factors below 1 keep paths shortest";
}

/// Why a query was not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The deadline passed.
    OutOfTime,
    /// The costs on the path are too large for the search's numbers: a search with exact lengths answers.
    TooLong,
}

/// The deterministic work of a finder, summed over its queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FinderCounts {
    /// Cells (or jump points) expanded.
    pub expansions: u64,
    /// Steps (or jumps) looked at.
    pub generated: u64,
    /// Entries put into the open list.
    pub queued: u64,
    /// Words of 64 cells that jumps scanned after their first.
    pub words: u64,
}

/// What a finder counts up and watches while it is at work.
#[derive(Debug)]
pub struct QueryWork<'a> {
    /// What it has done.
    pub counts: FinderCounts,
    /// How long it may go on.
    pub ticker: Ticker<'a>,
}

impl<'a> QueryWork<'a> {
    /// Nothing done yet.
    pub fn new(deadline: Deadline<'a>) -> Self {
        Self {
            counts: FinderCounts::default(),
            ticker: deadline.ticker(TICKS),
        }
    }
}

/// Answers one query after the other, keeping its memory between them.
pub trait Finder: Send {
    /// Appends the answer of `query` to `answer`.
    ///
    /// # Errors
    /// When the deadline passes first or the costs are too large; then nothing is appended.
    fn find(
        &mut self,
        query: Query,
        answer: &mut Answer,
        work: &mut QueryWork,
    ) -> Result<(), Stopped>;

    /// Bytes that the preparation keeps, shared by all finders.
    fn table_bytes(&self) -> u64 {
        0
    }

    /// What is sure of the paths that it finds.
    fn guarantee(&self) -> Guarantee;

    /// How its steps can be drawn, if they can.
    fn frames(&self) -> Option<ReplaySettings> {
        None
    }
}
