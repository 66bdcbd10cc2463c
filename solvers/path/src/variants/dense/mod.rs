//! A* on dense arrays: `dijkstra`, `heap` and `bucket`, and the parts that jump point search shares with them.
//!
//! | module | owns |
//! |---|---|
//! | [`canonical`] | canonical neighbours |
//! | [`board`] | the padded map with scaled costs |
//! | [`nodes`] | cost so far, direction of arrival and ground of each cell in 8 bytes |
//! | [`astar`] | the search, with any open list |
//! | [`first_moves`] | the first moves of the shortest paths from one cell to all others |
//! | [`heap`] | `heap` and `dijkstra`: a 4-ary heap |
//! | [`bucket`] | `bucket`: a ring of buckets |

pub mod astar;
pub mod board;
pub mod bucket;
pub mod canonical;
pub mod first_moves;
pub mod heap;
pub mod nodes;
