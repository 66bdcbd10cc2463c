//! Boards whose optimum is hard to prove.
//!
//! The board is tiled by islands of 2×2 vertices. The edges within an island add large numbers, and the edges between
//! islands subtract numbers of the same size. The best edge sets are therefore separate cycles, each of which adds
//! about as much as entering and leaving it costs. Choosing the cycles that a trail joins is as hard to bound as to
//! solve. The `×` edges are at random places. If they are far apart, or near an end, fewer orders of them compete.
// PERF: on the median board `lagrangian` computes 18 times the T-joins of a `trail.random` board with 7×7 vertices (15
// against 21 unseen boards), 110 times with 8×8, and 590 times with 9×9, each with four `×`.

use ikeru_core::{InputError, Random, Settings, refuse};

use super::{SEVEN, factors_of, question, size_of};
use crate::puzzle::{Edge, EdgeOperation, Puzzle, PuzzleBoard, edge_count};

/// The number of vertices along the side of an island.
const ISLAND: usize = 2;

/// The least and the greatest number of a `+` within an island and of a `-` between two islands.
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

/// A random number from the range [`NUMBERS`], negative between two islands.
fn island_addend(width: usize, edge: Edge, random: &mut Random) -> i64 {
    let (row, place) = (edge / (2 * width - 1), edge % (2 * width - 1));
    // The coordinate of the upper or left end in the direction of the edge.
    let along = if place < width - 1 { place } else { row };
    let number = random.between(NUMBERS.0, NUMBERS.1);
    if along % ISLAND == ISLAND - 1 {
        -number
    } else {
        number
    }
}
