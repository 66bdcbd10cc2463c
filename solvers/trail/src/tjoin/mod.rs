//! Maximum-weight T-joins on a grid, and the construction of trails from them.
//!
//! A trail from `a` to `b` that passes each edge at most once is a connected edge set whose odd vertices are exactly
//! `a` and `b` (none if `a = b`). A *T-join* is an edge set, connected or not, whose odd vertices are exactly a given
//! set T. The best T-join of a grid is an upper bound on the best trail. It is computed by frontier dynamic programming,
//! with 2^(columns − 1) states, or by matching, in polynomial time.
//!
//! | module | owns |
//! |---|---|
//! | [`grid`] | the board with its shorter side as columns and its edges in the order of the dynamic program |
//! | [`frontier`] | frontier dynamic programming: the best T-join under given edge costs (the module with `unsafe`) |
//! | [`matching`] | sparse blossom: the best T-join of wider boards |
//! | [`kernel`] | the choice between both |
//! | [`connectivity`] | blocks without bridges, components of an edge set, Euler trails |

pub mod connectivity;
pub mod frontier;
pub mod grid;
pub mod kernel;
pub mod matching;

use ikeru_core::{Refusal, skip};

use crate::puzzle::Puzzle;

/// The number of vertices of the largest board: the search for bridges recurses to this depth.
const MAX_VERTICES: usize = 4096;

/// Refuses boards whose shorter side is longer than `most_columns`, and boards too large for the search for bridges.
///
/// # Errors
/// The shorter side is too long, or there are too many vertices.
pub fn refuse_too_large(puzzle: &Puzzle, most_columns: usize) -> Result<(), Refusal> {
    let board = puzzle.board();
    let columns = board.width().min(board.height());
    if columns > most_columns {
        skip!("at most {most_columns} columns along the shorter side, the board has {columns}");
    }
    let vertices = board.vertex_count();
    if vertices > MAX_VERTICES {
        skip!("at most {MAX_VERTICES} vertices, the board has {vertices}");
    }
    Ok(())
}
