//! The problem `relation`: how well does a position match a pattern (thesis, chapter 3)?
//!
//! A file holds a drawing as in [`crate::templates::drawing`] and, after a line `state:`, stones of the
//! same size: letters for kinds, `.` for empty. The generator makes the thesis's own example. The answer is
//! the match; `None` stands for −∞.
//!
//! | module | owns |
//! |---|---|
//! | [`comparison`] | instances |
//! | [`variants`] | formula 3.7 as printed, and incrementally |
//! | `problem` | the problem: its tables, its referee |

pub mod comparison;
mod problem;
pub mod variants;

/// The problem `relation`.
#[derive(Debug, Clone, Copy)]
pub struct Relation;
