//! The problems of the articles Ikerukana and Ikemasuyo.
//!
//! [`Reach`]: the vertices of a map that a non-backtracking walk of exactly K steps can reach, and those where it can
//! end with the poverty god (bonbi, 貧乏神) on another player. [`Routes`]: the number of such walks.
//!
//! | module | owns |
//! |---|---|
//! | [`graph`] | undirected graphs as flat arrays |
//! | [`colouring`] | the two classes of bipartite maps |
//! | [`grid`] | grids recognised from the graph alone |
//! | [`instance`] | maps, questions and their settings |
//! | [`mod@format`] | map files |
//! | [`answer`] | sets of vertices, routes |
//! | [`witness`] | routes reconstructed on demand |
//! | `picture` | drawings of small maps |
//! | [`referee`] | checks answers by replaying routes and counting walks |
//! | `tree_width` | an upper bound on the tree width of a map |
//! | [`generate`] | seeded generators of maps |
//! | [`routes`] | the second problem: the number of routes |
//! | [`variants`] | the solvers, naive first |
#![deny(unsafe_code)]

pub mod answer;
pub mod colouring;
pub mod format;
pub mod generate;
pub mod graph;
pub mod grid;
pub mod instance;
mod picture;
mod problem;
mod recurrence;
pub mod referee;
pub mod routes;
mod tree_width;
pub mod variants;
pub mod witness;

/// The problem `reach`: the vertices that can be reached in exactly K steps.
pub struct Reach;

/// The problem `routes`.
pub struct Routes;

/// The type-erased problems of the crate. Their code is compiled in this crate, with its optimization level.
#[inline(never)]
pub fn problems() -> Vec<&'static dyn ikeru_core::AnyProblem> {
    vec![ikeru_core::erase::<Reach>(), ikeru_core::erase::<Routes>()]
}
