//! `jps`: jump point search online, 64 cells at a time.

use std::sync::Arc;

use ikeru_core::{Deadline, Settings, Variant};

use super::jump_points::JumpPoints;
use super::search::{Jumps, Reached, jumper};
use crate::GridPath;
use crate::instance::Instance;
use crate::map::Cell;
use crate::variants::dense::board::DenseMap;
use crate::variants::finder::{FinderCounts, Prepared};

/// `jps`.
pub const JPS: Variant<GridPath> = Variant {
    name: "jps",
    about: "jump point search online: rows, columns and diagonals as bits, 64 cells at a time, diagonal turning points never queued",
    source: "Harabor and Grastien 2014, Improving jump point search",
    exact: true,
    version: 7,
    settings: &[],
    prepare,
};

fn prepare<'a>(instance: &'a Instance, _: &Settings, deadline: Deadline) -> Prepared<'a> {
    let board = Arc::new(DenseMap::new(instance, true, deadline)?);
    on_board(instance, board, deadline)
}

/// The solver on a given board.
///
/// # Errors
/// As [`jumper`].
pub fn on_board<'a>(
    instance: &'a Instance,
    board: Arc<DenseMap>,
    deadline: Deadline,
) -> Prepared<'a> {
    jumper(instance, board, deadline, |_, board| {
        Ok(Online(board.clone()))
    })
}

/// See [`replay`](super::search::replay).
pub fn replay(instance: &Instance, watch: impl FnMut(Cell, Cell)) -> Option<Vec<Cell>> {
    super::search::replay(instance, |_, board| Ok(Online(board.clone())), watch)
}

/// Jumps are computed when they are needed.
struct Online(Arc<DenseMap>);

impl Jumps for Online {
    #[inline(always)]
    fn ahead<'a>(
        &'a self,
        points: &JumpPoints,
        from: Reached,
        _: Cell,
        counts: &mut FinderCounts,
        list: &'a mut Vec<u32>,
    ) -> &'a [u32] {
        let steps = self.0.canonical(from.ground, from.arrival);
        points.board.jumps(from.cell, steps, counts, list);
        list
    }

    fn bytes(&self) -> u64 {
        0
    }
}
