//! Maximum-weight T-joins on a grid, and what is needed to make trails of them.
//!
//! A trail from `a` to `b` that passes each edge at most once is a connected edge set whose odd
//! vertices are exactly `a` and `b` (none if `a = b`). Without "connected" it is a *T-join*: an edge set whose
//! odd vertices are exactly a given set T. The best T-join of a grid is found by dynamic programming over its
//! frontiers and is an upper bound of the best trail.
//!
//! | module | owns |
//! |---|---|
//! | [`grid`] | the board turned so that its columns are few, its edges in the order of the dynamic program |
//! | [`frontier`] | frontier dynamic programming: the best T-join under given edge costs (the module with `unsafe`) |
//! | [`connectivity`] | edges that a trail can pass at all, components of an edge set, Euler trails |

pub mod connectivity;
pub mod frontier;
pub mod grid;

use ikeru_core::{Refusal, skip};

use crate::puzzle::Puzzle;

/// Vertices of the largest board: the search for bridges goes as deep.
const MAX_VERTICES: usize = 4096;

/// Refuses boards with more than `most_columns` columns even when turned, or too large for the search for bridges.
///
/// # Errors
/// Too many columns even when turned, or too many vertices.
pub fn refuse_too_large(puzzle: &Puzzle, most_columns: usize) -> Result<(), Refusal> {
    let board = puzzle.board();
    let columns = board.width().min(board.height());
    if columns > most_columns {
        skip!(
            "the frontier has 2^(columns - 1) states: at most {most_columns} columns, the board has {columns}"
        );
    }
    let vertices = board.vertex_count();
    if vertices > MAX_VERTICES {
        skip!("at most {MAX_VERTICES} vertices, the board has {vertices}");
    }
    Ok(())
}
