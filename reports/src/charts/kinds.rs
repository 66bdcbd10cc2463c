//! The kinds of chart. Each is a file with its [`PlotKind`] and a line in [`KINDS`].

mod bar;
mod cactus;
mod difference;
mod line;
mod pareto;
mod prelude;
mod scatter;
mod sorted;
mod strip;

use super::kind::PlotKind;
use crate::error::ReportError;
pub use bar::BARS;
pub(super) use cactus::SHARES;

const KINDS: [&PlotKind; 8] = [
    &line::KIND,
    &bar::KIND,
    &scatter::KIND,
    &sorted::KIND,
    &cactus::KIND,
    &strip::KIND,
    &pareto::KIND,
    &difference::KIND,
];

/// The kind of that word.
///
/// # Errors
/// An unknown word, with the nearest known one.
pub(super) fn named(word: &str) -> Result<&'static PlotKind, ReportError> {
    let known = KINDS.into_iter().find(|kind| kind.word == word);
    known.ok_or_else(|| ReportError::unknown("kind", word, KINDS.iter().map(|kind| kind.word)))
}

/// Refuses an unknown kind.
///
/// # Errors
/// An unknown word, with the nearest known one.
pub fn check(word: &str) -> Result<(), ReportError> {
    named(word).map(|_| ())
}
