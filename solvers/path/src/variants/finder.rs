//! The interface between the search of a variant, which answers one query, and [`batch`](super::batch).

use ikeru_core::{Deadline, Ticker, settings};

use crate::GridPath;
use crate::answer::{Answer, ReplaySettings};
use crate::cost::Guarantee;
use crate::instance::Query;

/// The number of cells between two readings of the clock.
const TICKS: u32 = 1024;

/// The result of preparing a variant.
pub type Prepared<'a> = ikeru_core::Prepared<'a, GridPath>;

settings! {
    /// The setting for a scaled heuristic of A*.
    pub SCALED_H: bool = "scaled-h", true, "count the heuristic at the factor of the cheapest ground, so that factors below 1 keep paths shortest";
}

/// The reason why a query was not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The deadline passed.
    OutOfTime,
    /// The costs are too large for the integers of the search; the search with exact lengths answers instead.
    TooLong,
}

/// The deterministic work of a finder, summed over its queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FinderCounts {
    /// Cells (or jump points) expanded.
    pub expansions: u64,
    /// Steps (or jumps) examined.
    pub generated: u64,
    /// Entries put into the open list.
    pub queued: u64,
    /// Words of 64 cells that jumps scanned after their first.
    pub words: u64,
}

/// The counters and the deadline of a finder while it works.
#[derive(Debug)]
pub struct QueryWork<'a> {
    /// The counters of its work.
    pub counts: FinderCounts,
    /// The deadline.
    pub ticker: Ticker<'a>,
}

impl<'a> QueryWork<'a> {
    /// No work yet, with `deadline`.
    pub fn new(deadline: Deadline<'a>) -> Self {
        Self {
            counts: FinderCounts::default(),
            ticker: deadline.ticker(TICKS),
        }
    }
}

/// The result of a search: why it answered no query, if it did not.
pub type Searched<T = ()> = Result<T, Stopped>;

/// Answers queries one after another and keeps its memory between them.
pub trait Finder: Send {
    /// Appends the answer of `query` to `answer`.
    ///
    /// # Errors
    /// If the deadline passes first or the costs are too large; then nothing is appended.
    fn find(&mut self, query: Query, answer: &mut Answer, work: &mut QueryWork) -> Searched;

    /// The bytes that the preparation keeps, shared by all finders.
    fn table_bytes(&self) -> u64 {
        0
    }

    /// Returns whether it counts the words that its jumps scan.
    fn jumps(&self) -> bool {
        false
    }

    /// The guarantee for the paths that it finds.
    fn guarantee(&self) -> Guarantee;

    /// The settings for drawing its steps; `None` if they cannot be drawn.
    fn frames(&self) -> Option<ReplaySettings> {
        None
    }
}
