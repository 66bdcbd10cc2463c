//! `bucket`: A* on dense arrays with a ring of buckets instead of a heap.

use std::sync::Arc;

use ikeru_core::{BoxedSolve, Refusal, Settings, Source, Variant};

use super::{SCALED_H, scaled_h};
use crate::GridPath;
use crate::astar::{AStar, Entry, Queue};
use crate::batch::solver;
use crate::board::Board;
use crate::instance::Instance;

/// `bucket`.
pub const BUCKET: Variant<GridPath> = Variant {
    name: "bucket",
    about: "A* on dense arrays with a ring of buckets, last in first out, so that no entry is ever compared with another",
    source: Source::Paper(
        "Dial 1969, Algorithm 360: shortest-path forest with topological ordering",
    ),
    exact: true,
    version: 1,
    settings: &[SCALED_H],
    prepare,
};

fn prepare<'a>(
    instance: &'a Instance,
    settings: &Settings,
) -> Result<BoxedSolve<'a, GridPath>, Refusal> {
    let board = Arc::new(Board::new(instance, scaled_h(settings)?)?);
    Ok(solver(instance, move || {
        let ring = Ring::new(&board);
        AStar::new(board.clone(), ring)
    }))
}

/// Buckets of estimates, as many as one step can span, used in a circle.
///
/// On uniform ground a step leaves f as it is or raises it by at least 2·straight − diagonal. A
/// bucket is no wider than that, so within one bucket order hardly matters; where it does (mixed
/// ground), squares are reopened.
struct Ring {
    buckets: Vec<Vec<(Entry, u32)>>,
    /// The width of a bucket is a power of two.
    shift: u32,
    base: u32,
    current: usize,
    live: usize,
}

impl Ring {
    fn new(board: &Board) -> Self {
        let scale = board.scale;
        let least_rise = (2 * scale.h_straight)
            .checked_sub(scale.h_diagonal)
            .filter(|rise| *rise > 0)
            .unwrap_or(scale.straight);
        let shift = least_rise.ilog2();
        let largest_rise =
            u64::from(board.heaviest) * u64::from(scale.diagonal) + u64::from(scale.h_diagonal);
        let buckets = (largest_rise >> shift) as usize + 2;
        Self {
            buckets: vec![Vec::new(); buckets.next_power_of_two()],
            shift,
            base: 0,
            current: 0,
            live: 0,
        }
    }

    fn slot(&self, bucket: usize) -> usize {
        bucket & (self.buckets.len() - 1)
    }
}

impl Queue for Ring {
    fn clear(&mut self, f: u32) {
        if self.live > 0 {
            self.buckets.iter_mut().for_each(Vec::clear);
        }
        self.base = f;
        self.current = 0;
        self.live = 0;
    }

    #[inline]
    fn push(&mut self, f: u32, _h: u32, entry: Entry) {
        // An estimate that is not consistent can fall; such an entry is due at once.
        let bucket = ((f.saturating_sub(self.base) >> self.shift) as usize).max(self.current);
        let slot = self.slot(bucket);
        self.buckets[slot].push((entry, f));
        self.live += 1;
    }

    #[inline]
    fn pop(&mut self, best: u32) -> Option<Entry> {
        while self.live > 0 {
            let slot = self.slot(self.current);
            match self.buckets[slot].pop() {
                Some((entry, f)) => {
                    self.live -= 1;
                    if f < best {
                        return Some(entry);
                    }
                }
                None => {
                    self.current += 1;
                    let floor = u64::from(self.base) + ((self.current as u64) << self.shift);
                    if floor >= u64::from(best) {
                        return None;
                    }
                }
            }
        }
        None
    }
}
