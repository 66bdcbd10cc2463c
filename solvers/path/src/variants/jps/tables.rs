//! `jps-tables`: jump point search on the graph of all jump points.
//!
//! On dense noise jumps are short and loading them takes longer than finding them: there the variant is `jps` without
//! tables.
//!
//! PERF: 512×512 with a third of the cells blocked takes 0.63 of the time of the tables, with a quarter 0.80, with 15 %
//! the same, but 0.7 of the preparation; with 2 % it would take 1.5 of the time.

use std::sync::Arc;

use ikeru_core::{Deadline, Refusal, Settings, Variant, skip};

use super::jump_points::JumpPoints;
use super::jumps::forced;
use super::online;
use super::search::{Jumps, Reached, jumper};
use crate::GridPath;
use crate::instance::Instance;
use crate::map::Cell;
use crate::variants::auto::is_dense_noise;
use crate::variants::dense::board::DenseMap;
use crate::variants::finder::{FinderCounts, Prepared};

/// `jps-tables`.
pub const JPS_TABLES: Variant<GridPath> = Variant {
    name: "jps-tables",
    about: "jump point search with the jump points one jump away from each jump point found beforehand, four bytes each; none on dense noise",
    source: "Rabin and Sturtevant 2013, JPS+; Harabor and Grastien 2014, Improving jump point search",
    exact: true,
    version: 7,
    settings: &[],
    prepare,
};

/// The most jumps of a table: one gibibyte.
const MOST_JUMPS: usize = 1 << 28;

/// Refuses more jumps than a table may hold.
///
/// # Errors
/// If they take more than a gibibyte.
pub fn refuse_too_many(jumps: &[u32]) -> Result<(), Refusal> {
    if jumps.len() > MOST_JUMPS {
        skip!(
            "the jumps between this map's jump points need more than a gibibyte; jps needs no tables"
        );
    }
    Ok(())
}

fn prepare<'a>(instance: &'a Instance, _: &Settings, deadline: Deadline) -> Prepared<'a> {
    let board = Arc::new(DenseMap::new(instance, true, deadline)?);
    if is_dense_noise(&board) {
        return online::on_board(instance, board, deadline);
    }
    jumper(instance, board, deadline, |points, board| {
        JumpGraph::new(points, board, deadline)
    })
}

/// All jumps between jump points.
struct JumpGraph {
    /// For each jump point and straight direction of arrival, the index of its first jump; then the end.
    first: Vec<u32>,
    /// See [`packed`](super::jumps::packed).
    jumps: Vec<u32>,
}

impl JumpGraph {
    fn new(points: &JumpPoints, board: &DenseMap, deadline: Deadline) -> Result<Self, Refusal> {
        let (mut first, mut jumps) = (vec![0], Vec::new());
        let mut ticker = deadline.ticker(1024);
        for point in points.unknown() {
            ticker.check()?;
            let ground = board.ground[board.square(point.cell)];
            let arrivals = forced(ground as u8);
            for arrival in (0..8).step_by(2) {
                if arrivals >> arrival & 1 == 1 {
                    let steps = board.canonical(ground, arrival);
                    points
                        .board
                        .jumps(point.cell, steps, &mut FinderCounts::default(), &mut jumps);
                }
                first.push(jumps.len() as u32);
            }
            refuse_too_many(&jumps)?;
        }
        Ok(Self { first, jumps })
    }
}

impl Jumps for JumpGraph {
    #[inline(always)]
    fn ahead<'a>(
        &'a self,
        _: &JumpPoints,
        from: Reached,
        _: Cell,
        counts: &mut FinderCounts,
        _: &'a mut Vec<u32>,
    ) -> &'a [u32] {
        let state = 4 * from.place as usize + from.arrival / 2;
        let jumps = &self.jumps[self.first[state] as usize..self.first[state + 1] as usize];
        counts.generated += jumps.len() as u64;
        jumps
    }

    fn bytes(&self) -> u64 {
        (size_of_val(&*self.first) + size_of_val(&*self.jumps)) as u64
    }
}
