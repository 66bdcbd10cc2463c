//! Building Puyo chains, after the thesis "Construction of chains in Puyo-Puyo by templates" (JAIST 2014).
//!
//! | module | owns |
//! |---|---|
//! | [`templates`] | drawn chains as relation matrices, in four printable stages |
//! | [`matching`] | the same match incrementally, for search |
//! | [`repertoire`] | sets of templates ready for games and referees |
//! | [`policy`] | the policies that decide where pieces go |
//! | [`game`] | games of one player |
//! | [`building`] | the problem `build`: policies place a sequence of pieces |
//! | [`versus`] | the problem `versus`: two policies, one match |
#![forbid(unsafe_code)]

pub mod building;
pub mod game;
pub mod matching;
pub mod policy;
pub mod repertoire;
pub mod templates;
pub mod versus;

pub use building::Build;
pub use versus::Versus;

/// The type-erased problems of the crate. Their code is compiled in this crate, with its optimization level.
#[inline(never)]
pub fn problems() -> Vec<&'static dyn ikeru_core::AnyProblem> {
    vec![ikeru_core::erase::<Build>(), ikeru_core::erase::<Versus>()]
}
