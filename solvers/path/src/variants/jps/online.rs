//! `jps`: jump point search online, 64 cells at a time.

use std::sync::Arc;

use ikeru_core::{Deadline, Settings, Variant};

use super::jump_points::JumpPoints;
use super::search::{Jumps, Reached, jumper};
use crate::GridPath;
use crate::instance::Instance;
use crate::map::{Cell, Heading};
use crate::variants::dense::board::DenseMap;
use crate::variants::finder::Prepared;

/// `jps`.
pub const JPS: Variant<GridPath> = Variant {
    name: "jps",
    about: "jump point search online: rows, columns and diagonals as bits, 64 cells at a time, diagonal turning points never queued",
    source: "Harabor and Grastien 2014, Improving jump point search",
    exact: true,
    version: 5,
    settings: &[],
    prepare,
};

fn prepare<'a>(instance: &'a Instance, _: &Settings, deadline: Deadline) -> Prepared<'a> {
    jumper(instance, deadline, |_, board| Ok(Online(board.clone())))
}

/// See [`replay`](super::search::replay).
pub fn replay(instance: &Instance, watch: impl FnMut(Cell, Cell)) -> Option<Vec<Cell>> {
    super::search::replay(instance, |_, board| Ok(Online(board.clone())), watch)
}

/// Jumps are looked for when they are needed.
struct Online(Arc<DenseMap>);

impl Jumps for Online {
    #[inline]
    fn ahead(
        &self,
        points: &JumpPoints,
        from: Reached,
        _: Cell,
        words: &mut u64,
        visit: impl FnMut(u32, Heading),
    ) -> u64 {
        points.jumps(
            from.cell,
            self.0.canonical(from.ground, from.arrival),
            words,
            visit,
        )
    }

    fn bytes(&self) -> u64 {
        0
    }
}
