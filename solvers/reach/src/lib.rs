//! The problems of the articles Ikerukana and Ikemasuyo.
//!
//! [`Reach`]: which vertices of a map can be reached in exactly K steps without stepping straight
//! back, and on which can the walk end with the poverty god (bonbi, 貧乏神) on another player.
//! [`Routes`]: how many such walks there are.
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
//! | [`referee`] | checks answers by replay and by counting walks |
//! | [`generate`] | seeded generators of maps |
//! | [`routes`] | the second problem: how many routes there are |
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
pub mod variants;
pub mod witness;

pub use problem::Reach;
pub use routes::Routes;

/// The crate's problems without their types. Their code is compiled in this crate, with its optimization.
#[inline(never)]
pub fn problems() -> Vec<&'static dyn ikeru_core::AnyProblem> {
    vec![ikeru_core::erase::<Reach>(), ikeru_core::erase::<Routes>()]
}
