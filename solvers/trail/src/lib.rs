//! trail: Paper Challeran (計算迷路チャレラン), the best-scoring trail through a grid of operations.
//!
//! The score starts at 1. Passing an edge applies its operation (`+a`, `-a`, `×c`). A trail passes no edge
//! twice; it may pass a vertex several times. The question asks for the trail from the start to the goal with the
//! highest score.
//!
//! | module | owns |
//! |---|---|
//! | [`puzzle`] | the board, the question, a trail |
//! | [`mod@format`] | the puzzle text |
//! | [`generate`] | seeded boards |
//! | [`referee`] | the check of an answer, which shares nothing with the variants |
//! | [`picture`] | the puzzle drawn with a trail |
//! | [`variants`] | the table of variants; one file for each variant outside the ladder |
//! | [`ladder`] | the article's prunings on one depth-first kernel |
//! | [`tjoin`] | maximum-weight T-joins by frontier dynamic programming and by matching |
//! | [`stack`] | threads whose stack is deep enough for one recursive call per edge |
#![deny(unsafe_code)]

pub mod format;
pub mod generate;
pub mod ladder;
pub mod picture;
mod problem;
pub mod puzzle;
pub mod referee;
pub mod stack;
pub mod tjoin;
pub mod variants;

pub use puzzle::{Answer, EdgeOperation, Puzzle, PuzzleBoard, Trail};

/// The problem, for the runner's registry.
#[derive(Debug, Clone, Copy)]
pub struct TrailProblem;

/// The crate's problems without their types. Their code is compiled in this crate, with this crate's optimization
/// level.
#[inline(never)]
pub fn problems() -> Vec<&'static dyn ikeru_core::AnyProblem> {
    vec![ikeru_core::erase::<TrailProblem>()]
}
