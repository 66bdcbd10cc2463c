//! `bucket`: A* on dense arrays with a ring of buckets instead of a heap.

use std::sync::Arc;

use ikeru_core::{BoxedSolve, Deadline, Refusal, Settings, Source, Variant};

use super::{SCALED_H, scaled_h};
use crate::GridPath;
use crate::astar::AStar;
use crate::batch::solver;
use crate::board::Board;
use crate::instance::Instance;
use crate::ring::Ring;

/// `bucket`.
pub const BUCKET: Variant<GridPath> = Variant {
    name: "bucket",
    about: "A* on dense arrays with a ring of buckets, last in first out, so that no entry is ever compared with another",
    source: Source::Paper(
        "Dial 1969, Algorithm 360: shortest-path forest with topological ordering",
    ),
    exact: true,
    version: 2,
    settings: &[SCALED_H],
    prepare,
};

fn prepare<'a>(
    instance: &'a Instance,
    settings: &Settings,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, GridPath>, Refusal> {
    let board = Arc::new(Board::new(instance, scaled_h(settings)?, deadline)?);
    Ok(solver(instance, move || {
        // One step raises f by what it costs and by what it adds to the estimate.
        let scale = board.scale;
        let rise = u64::from(board.heaviest) * u64::from(scale.diagonal);
        let ring = Ring::new(scale, rise + u64::from(scale.h_diagonal));
        AStar::new(board.clone(), ring)
    }))
}
