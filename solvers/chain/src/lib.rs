//! Puyo boards and the simulation of chains on them.
//!
//! The rules are those of the thesis "Construction of chains in Puyo-Puyo by templates" (JAIST 2014).
//! The crate uses three small types: a [`Board`] (bit planes, one cache line, `Copy`), a [`Piece`] of two puyos with
//! its [`Placement`], and the [`Chain`] that [`resolve`] returns.
//!
//! | module | owns |
//! |---|---|
//! | [`board`] | cells, colours, sizes; dropping puyos |
//! | [`placement`] | pieces, the 22 placements, legality and loss |
//! | [`sequence`] | the pieces of a seed |
//! | [`simulate`] | the kernels that simulate a chain: flood fill and bitboards |
//! | [`firing`] | a chain step by step, for referees and pictures, without code of the kernels |
//! | [`points`] | the points of a chain in the arcade game |
//! | [`mod@format`] | fields and pieces as text |
//! | [`record`] | games as text, replayed |
//! | [`picture`] | pictures of boards and chains |
//! | [`generate`] | seeded fields: random ones and long chains |
//! | [`fields`] | instances and answers of the problem `chain` |
//! | `variants` | its variants, one per kernel |
//! | `problem` | the problem `chain`: simulate the chain of a field |
#![deny(unsafe_code)]

pub mod board;
pub mod fields;
pub mod firing;
pub mod format;
pub mod generate;
pub mod picture;
pub mod placement;
pub mod points;
mod problem;
pub mod record;
pub mod sequence;
pub mod simulate;
mod variants;

pub use board::{Board, Cell, PuyoColour, Size};
pub use placement::{AboveTop, LossRule, Piece, Placement, Rotation};
pub use sequence::PieceSequence;
pub use simulate::{Chain, resolve};

/// The problem `chain`.
#[derive(Debug, Clone, Copy)]
pub struct Simulation;

/// The crate's problems without their types. Their code is compiled in this crate, with this crate's optimization
/// level.
#[inline(never)]
pub fn problems() -> Vec<&'static dyn ikeru_core::AnyProblem> {
    vec![ikeru_core::erase::<Simulation>()]
}
