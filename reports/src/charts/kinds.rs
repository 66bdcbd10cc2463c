//! The kinds of chart. Each is a file with its [`PlotKind`] and a line in [`KINDS`].

mod bar;
mod cactus;
mod line;
mod prelude;
mod scatter;
mod strip;

use super::kind::PlotKind;
use crate::error::{ReportError, Result};
pub use line::LINES;

const KINDS: [&PlotKind; 5] = [
    &line::KIND,
    &bar::KIND,
    &cactus::KIND,
    &strip::KIND,
    &scatter::KIND,
];

/// The kind with the name `word`.
///
/// # Errors
/// An unknown word, with the nearest known one.
pub(super) fn named(word: &str) -> Result<&'static PlotKind> {
    let known = KINDS.into_iter().find(|kind| kind.word == word);
    known.ok_or_else(|| ReportError::unknown("kind", word, KINDS.iter().map(|kind| kind.word)))
}

/// Refuses an unknown kind.
///
/// # Errors
/// An unknown word, with the nearest known one.
pub fn check(word: &str) -> Result<()> {
    named(word).map(|_| ())
}
