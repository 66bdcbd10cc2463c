//! The cheapest path on a grid with terrain: A* from the article's open list to bit-parallel jump
//! point search.
//!
//! | module | owns |
//! |---|---|
//! | [`map`], [`question`], [`instance`], [`cost`] | the question: map letters, rules, queries, exact lengths |
//! | [`format`](mod@format) | `.map` and `.scen` |
//! | [`answer`], [`referee`] | paths, and their check, which uses no code of the variants |
//! | [`variants`] | the table of variants, by idea |
//! | [`generate`] | seeded maps and queries |
//! | [`picture`] | pictures of the procedure step by step, and of a map with its paths |
#![deny(unsafe_code)]

pub mod answer;
pub mod cost;
pub mod format;
pub mod generate;
pub mod instance;
mod lines;
pub mod map;
pub mod picture;
mod problem;
pub mod question;
pub mod referee;
pub mod variants;

pub use format::read_scenario;

/// The cheapest path on a grid with terrain.
pub struct GridPath;

/// The type-erased problems of the crate. Their code is compiled in this crate, with its optimization level.
#[inline(never)]
pub fn problems() -> Vec<&'static dyn ikeru_core::AnyProblem> {
    vec![ikeru_core::erase::<GridPath>()]
}
