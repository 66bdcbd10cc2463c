//! Boards that are hard to prove.
//!
//! The board is tiled by islands of 2×2 vertices. The edges of an island add much, the edges between islands subtract
//! as much. So the best sets of edges are cycles apart, each worth about what it costs to come and go, and which of
//! them a trail should join is as hard to bound as to find. The `×` edges lie anywhere: where they lie far apart, or
//! near an end, fewer orders of them compete.
// PERF: the median board takes `lagrangian` 8 times as many T-joins as one of `trail.random` with 7×7 vertices (15 against
// 21 unseen boards), 60 times as many with 8×8, and more than 160 times with 9×9, with four `×` each.

use ikeru_core::{InputError, Random, Settings, refuse};

use super::{SEVEN, factors_of, question, size_of};
use crate::puzzle::{Edge, EdgeOperation, Puzzle, PuzzleBoard, edge_count};

/// Vertices along the side of an island.
const ISLAND: usize = 2;

/// The least and the greatest number, of a `+` within an island and of a `-` between two.
const NUMBERS: (i64, i64) = (7, 9);

/// See the module.
pub fn generate(settings: &Settings, random: &mut Random) -> Result<Puzzle, InputError> {
    let (width, height) = size_of(settings, None)?;
    let edges = edge_count(width, height).unwrap_or(0);
    let factors = factors_of(settings, SEVEN, random)?;
    if factors.len() > edges {
        refuse!(
            "{} `×` are more operations than the board has, {edges}",
            factors.len()
        );
    }
    let mut operations: Vec<EdgeOperation> = (0..edges)
        .map(|edge| EdgeOperation::Add(island_addend(width, edge, random)))
        .collect();
    let mut order: Vec<Edge> = (0..edges).collect();
    random.shuffle(&mut order);
    for (edge, factor) in order.into_iter().zip(factors) {
        operations[edge] = EdgeOperation::Multiply(factor);
    }
    question(settings, PuzzleBoard::new(width, height, operations)?)
}

/// A number of [`NUMBERS`], negative between two islands.
fn island_addend(width: usize, edge: Edge, random: &mut Random) -> i64 {
    let (row, place) = (edge / (2 * width - 1), edge % (2 * width - 1));
    // The upper or left end's place along the edge.
    let along = if place < width - 1 { place } else { row };
    let number = random.between(NUMBERS.0, NUMBERS.1);
    if along % ISLAND == ISLAND - 1 {
        -number
    } else {
        number
    }
}
