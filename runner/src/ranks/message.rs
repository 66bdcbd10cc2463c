//! The messages between ranks: one JSON text each.

use ikeru_core::Score;
use ikeru_reports::records::Sample;
use serde::{Deserialize, Serialize};

/// A message.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum RankMessage {
    /// From rank 0: take a sample of this cell, as the `number`-th of `size` ranks.
    Take {
        experiment: String,
        cell: String,
        number: usize,
        size: usize,
    },
    /// From rank 0: all ranks of the search are prepared, it begins.
    Go,
    /// From rank 0: the number of the next subproblem.
    Next(usize),
    /// From rank 0: another rank of the search has an answer with this score.
    Bound(Score),
    /// From rank 0, and back: measures the time of messages.
    Echo,
    /// From rank 0: no sample is left.
    End,
    /// The rank has prepared.
    Ready,
    /// The rank requests a subproblem.
    Want,
    /// The rank's search has an answer with this score, better than those before.
    Rise(Score),
    /// The rank's search is over.
    Solved,
    /// The rank's sample.
    Taken(Box<Sample>),
    /// A setting does not fit: an input error.
    Mistake(String),
}
