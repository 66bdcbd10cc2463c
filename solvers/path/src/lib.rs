//! The cheapest way on a grid with terrain: A* from the article's open list to bit-parallel jump
//! point search.
//!
//! | module | owns |
//! |---|---|
//! | [`map`], [`question`], [`instance`], [`cost`] | what is asked: letters, rules, queries, exact lengths |
//! | [`format`](mod@format) | `.map` and `.scen` |
//! | [`answer`], [`referee`], [`truth`] | ways, and the check that shares nothing with the variants |
//! | [`exact`] | a search with exact lengths, for ways beyond the numbers of the others |
//! | [`steps`] | legal steps straight from the map, for the plain variants |
//! | [`board`], [`nodes`], [`astar`], [`ring`] | the dense arrays of the fast ones |
//! | [`bits`], [`bitboard`], [`jump_points`], [`jump`] | jump point search |
//! | [`batch`] | many queries, one finder for each thread |
//! | [`variants`] | the table of variants, one file each |
//! | [`generate`] | seeded maps and queries |
//! | [`picture`] | the procedure step by step, a map with its way |
#![forbid(unsafe_code)]

pub mod answer;
pub mod astar;
pub mod batch;
pub mod bitboard;
pub mod bits;
pub mod board;
pub mod cost;
pub mod exact;
pub mod format;
pub mod generate;
pub mod instance;
pub mod jump;
pub mod jump_points;
pub mod map;
pub mod nodes;
pub mod picture;
mod problem;
pub mod question;
pub mod referee;
pub mod ring;
pub mod steps;
pub mod truth;
pub mod variants;

pub use format::read_scenario;
pub use problem::GridPath;
