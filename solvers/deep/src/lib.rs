//! The problem `deep`: the exact best Puyo chain within the next few known pieces.
//!
//! The value of an instance is the most attack (or the most steps) of a single chain that one of the
//! next `depth` pieces sets off; other chains may happen before it. The witness is the list of
//! placements up to the placement that sets off the chain.
//!
//! | module | owns |
//! |---|---|
//! | [`position`] | instances and answers: a position, the objective, the best chain found |
//! | [`search`] | the depth-first search; each idea of the ladder is a switch |
//! | [`bound`] | an upper bound on every chain of the available puyos |
//! | [`table`] | the transposition table |
//! | [`trigger`] | the placements of the last piece that can set off a chain |
//! | [`solver`] | a prepared search, on one thread or several |
//! | [`variants`] | the ladder from enumeration to the parallel search |
//! | `problem` | the problem `deep`: tables and referee |
#![forbid(unsafe_code)]

pub mod bound;
pub mod position;
mod problem;
pub mod search;
pub mod solver;
pub mod table;
pub mod trigger;
pub mod variants;

/// The problem `deep`.
#[derive(Debug, Clone, Copy)]
pub struct Deep;

/// The crate's problems without their types. Their code is compiled in this crate, with this crate's optimization
/// level.
#[inline(never)]
pub fn problems() -> Vec<&'static dyn ikeru_core::AnyProblem> {
    vec![ikeru_core::erase::<Deep>()]
}
