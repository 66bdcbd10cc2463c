//! Maximum-weight T-joins on a grid, and what is needed to make trails of them.
//!
//! A trail from `a` to `b` that passes each edge at most once is a connected edge set whose odd
//! vertices are exactly `a` and `b` (none if `a = b`). Drop "connected" and a *T-join* is left: an
//! edge set whose odd vertices are exactly a given set T. The best T-join of a grid is found by a
//! scan over the rows (see [`kernel`]) and is an upper bound of the best trail.
//!
//! | module | owns |
//! |---|---|
//! | [`grid`] | the board turned so that its columns are few, its edges in the order of the scan |
//! | [`kernel`] | the scan: best T-join of one layer of edge costs (the module with `unsafe`) |
//! | [`connected`] | edges that a trail can pass at all, pieces of an edge set, Euler trails |

pub mod connected;
pub mod grid;
pub mod kernel;
