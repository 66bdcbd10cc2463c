//! Puyo chains, after the thesis "Construction of chains in Puyo-Puyo by templates" (JAIST 2014).
//!
//! Everything rests on three small types: a [`Board`] (bit planes, one cache line, `Copy`), a
//! [`Piece`] of two puyos with its [`Placement`], and the [`Chain`] that [`resolve`] lets happen.
//!
//! | module | owns |
//! |---|---|
//! | [`board`] | cells, colours, sizes; dropping puyos |
//! | [`placement`] | pieces, the 22 placements, legality and loss |
//! | [`sequence`] | the pieces of a seed |
//! | [`simulate`] | the kernels that let a chain happen: flood fill and bitboards |
//! | [`format`] | fields and pieces as text |
//! | [`record`] | games as text, replayed |
//! | [`referee`] | chains told step by step, apart from every kernel |
//! | [`drawing`] | pictures of boards and chains |
//! | [`generate`] | seeded fields: random ones and long chains |
//! | [`simulation`] | the problem `chain`: let the chain of a field happen |
//! | [`deep`] | the problem `deep`: the exact best chain within known pieces |
//! | [`templates`] | drawn chains as relation matrices, in four printable stages |
//! | [`matching`] | the same match incrementally, for search |
//! | [`repertoire`] | a set of templates ready for every use |
//! | [`policy`] | who decides where pieces go |
//! | [`game`] | games of one player |
//! | [`mod@build`] | the problem `build`: policies at a sequence |
//! | [`relation`] | the problem `relation`: a position against a pattern |
//! | [`versus`] | the problem `versus`: two policies, one match |
#![deny(unsafe_code)]

pub mod board;
pub mod build;
pub mod deep;
pub mod drawing;
pub mod format;
pub mod game;
pub mod generate;
pub mod matching;
pub mod placement;
pub mod policy;
pub mod record;
pub mod referee;
pub mod relation;
pub mod repertoire;
pub mod sequence;
pub mod simulate;
pub mod simulation;
pub mod templates;
pub mod versus;

pub use board::{Board, Cell, PuyoColour, Size};
pub use build::Build;
pub use deep::Deep;
pub use placement::{LossRule, Piece, Placement, Rotation};
pub use relation::Relation;
pub use sequence::Sequence;
pub use simulate::{Chain, resolve};
pub use simulation::Simulation;
pub use versus::Versus;

/// What every preparation begins with.
///
/// # Errors
/// When the deadline has passed.
fn begin(deadline: ikeru_core::Deadline) -> Result<(), ikeru_core::Refusal> {
    if deadline.passed() {
        Err(ikeru_core::Refusal::Timeout)
    } else {
        Ok(())
    }
}
