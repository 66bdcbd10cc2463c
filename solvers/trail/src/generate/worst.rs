//! Boards that are hard to prove.
//!
//! Two things make them so. The `×` edges lie as far apart as they can, so that the trail's segments
//! between them compete for the whole board. And the good additions lie in islands with `-` edges
//! between, so that the best sets of edges fall into several pieces that no single trail joins.

use ikeru_core::{InputError, Random, Settings};

use super::{SEVEN, factors_of, question, size_of};
use crate::puzzle::{Board, Edge, Operation, Puzzle, edge_count};

/// Vertices along the side of an island, its `-` rim left out.
const ISLAND: usize = 2;

/// See the module.
pub fn generate(settings: &Settings, random: &mut Random) -> Result<Puzzle, InputError> {
    let (width, height) = size_of(settings, None)?;
    let edges = edge_count(width, height).unwrap_or(0);
    let factors = factors_of(settings, SEVEN, random)?;
    if factors.len() > edges {
        return Err(InputError::new(format!(
            "{} `×` are more operations than the board has, {edges}",
            factors.len()
        )));
    }
    let mut operations: Vec<Operation> = (0..edges)
        .map(|edge| Operation::Add(island_addend(width, edge, random)))
        .collect();
    for (edge, factor) in far_apart(width, edges, factors.len(), random)
        .into_iter()
        .zip(factors)
    {
        operations[edge] = Operation::Multiply(factor);
    }
    question(settings, Board::new(width, height, operations)?)
}

/// +5 to +9 within an island, -2 to +1 between two.
fn island_addend(width: usize, edge: Edge, random: &mut Random) -> i64 {
    let (row, place) = (edge / (2 * width - 1), edge % (2 * width - 1));
    let across = |index: usize| index % (ISLAND + 1) == ISLAND;
    let x = if place < width - 1 {
        place
    } else {
        place - (width - 1)
    };
    let between = across(x) || across(row);
    if between {
        random.between(-2, 1)
    } else {
        random.between(5, 9)
    }
}

/// `count` edges, each as far from those before as any (ties by chance).
fn far_apart(width: usize, edges: usize, count: usize, random: &mut Random) -> Vec<Edge> {
    let mut order: Vec<Edge> = (0..edges).collect();
    random.shuffle(&mut order);
    let mut chosen: Vec<Edge> = order.first().copied().into_iter().take(count).collect();
    while chosen.len() < count {
        let nearest = |edge: &Edge| {
            chosen
                .iter()
                .map(|other| distance(width, *edge, *other))
                .min()
        };
        let free = order.iter().filter(|edge| !chosen.contains(edge));
        let Some(farthest) = free.max_by_key(|edge| nearest(edge)) else {
            break;
        };
        chosen.push(*farthest);
    }
    chosen
}

/// The distance of two edges in steps between their middles, doubled to stay whole.
fn distance(width: usize, one: Edge, two: Edge) -> usize {
    let middle = |edge: Edge| {
        let (row, place) = (edge / (2 * width - 1), edge % (2 * width - 1));
        if place < width - 1 {
            (2 * place + 1, 2 * row)
        } else {
            (2 * (place - (width - 1)), 2 * row + 1)
        }
    };
    let (a, b) = (middle(one), middle(two));
    a.0.abs_diff(b.0) + a.1.abs_diff(b.1)
}
