//! `bucket`: A* on dense arrays with a ring of buckets instead of a heap, so that entries are never compared with
//! each other.

use std::sync::Arc;

use ikeru_core::{BoxedSolve, Deadline, Settings, Variant, settings};

use super::astar::{AStar, OpenEntry, OpenQueue};
use super::board::{CostScale, DenseMap};
use crate::GridPath;
use crate::instance::Instance;
use crate::variants::batch::solver;
use crate::variants::finder::{Prepared, SCALED_H};

/// `bucket`.
pub const BUCKET: Variant<GridPath> = Variant {
    name: "bucket",
    about: "A* on dense arrays with a ring of buckets, last in first out, so that no entry is ever compared with another",
    source: "Dial 1969, Algorithm 360: shortest-path forest with topological ordering",
    exact: true,
    version: 4,
    settings: settings![SCALED_H],
    prepare,
};

fn prepare<'a>(instance: &'a Instance, settings: &Settings, deadline: Deadline) -> Prepared<'a> {
    let board = DenseMap::new(instance, settings.get(&SCALED_H)?, deadline)?;
    Ok(on_board(instance, Arc::new(board)))
}

/// The solver on a given board.
pub fn on_board(instance: &Instance, board: Arc<DenseMap>) -> BoxedSolve<'_, GridPath> {
    solver(instance, move || {
        // One step raises f by its cost and by its increase of the estimate.
        let scale = board.scale;
        let rise = u64::from(board.heaviest) * u64::from(scale.diagonal);
        let queue = BucketQueue::new(scale, rise + u64::from(scale.h_diagonal));
        AStar::new(&board, queue)
    })
}

/// A ring of buckets of estimates that covers the range of one step; each bucket is last in, first out.
///
/// On uniform ground a step does not change f or raises it by at least 2·straight − diagonal. A bucket is not wider
/// than that, so the order within a bucket hardly matters; on mixed ground and with jumps it matters, and cells are
/// reopened.
pub struct BucketQueue {
    buckets: Vec<Vec<OpenEntry>>,
    /// The last entry of the current bucket, which is taken next. PERF: gains 4 % over eight maps; entries as linked
    /// lists with heads of four bytes take 20 % longer, and prefetching the node of the next entry gains nothing
    /// (bench `peers`).
    last: Option<OpenEntry>,
    /// A bit for each bucket that may hold entries. PERF: a path of 2,300 cells spans 6,400 buckets with fifty jump
    /// points in them; testing each bucket cost more than the jumps.
    filled: Vec<u64>,
    /// The width of a bucket is two to the power of this.
    shift: u32,
    base: u32,
    current: usize,
    /// The least estimate above the current bucket.
    due: u32,
}

impl BucketQueue {
    /// A ring for steps that raise f by at most `largest_rise`.
    pub fn new(scale: CostScale, largest_rise: u64) -> Self {
        Self::with_width(scale, largest_rise, 0)
    }

    /// The same with buckets that are at least two to the power of `width` wide.
    pub fn with_width(scale: CostScale, largest_rise: u64, width: u32) -> Self {
        let least_rise = (2 * scale.h_straight)
            .checked_sub(scale.h_diagonal)
            .filter(|rise| *rise > 0)
            .unwrap_or(scale.straight);
        let shift = least_rise.ilog2().max(width);
        let buckets = ((largest_rise >> shift) as usize + 2).next_power_of_two();
        Self {
            buckets: vec![Vec::new(); buckets],
            last: None,
            filled: vec![0; buckets.div_ceil(64)],
            shift,
            base: 0,
            current: 0,
            due: 0,
        }
    }

    #[inline]
    fn slot(&self, bucket: usize) -> usize {
        bucket & (self.buckets.len() - 1)
    }

    /// Makes `bucket` the current one and returns its least estimate.
    #[inline]
    fn open(&mut self, bucket: usize) -> u64 {
        self.current = bucket;
        let floor = u64::from(self.base) + ((bucket as u64) << self.shift);
        self.due = u32::try_from(floor + (1 << self.shift)).unwrap_or(u32::MAX);
        floor
    }

    /// The distance from the current bucket, which is empty, to the next bucket that may hold entries.
    fn ahead(&self) -> Option<usize> {
        let slot = self.slot(self.current);
        let words = self.filled.len();
        let rest = self.filled[slot / 64] >> (slot % 64);
        if rest != 0 {
            return Some(rest.trailing_zeros() as usize);
        }
        let word = (1..=words)
            .map(|next| (slot / 64 + next) % words)
            .find(|word| self.filled[*word] != 0)?;
        let next = word * 64 + self.filled[word].trailing_zeros() as usize;
        Some(self.slot(next.wrapping_sub(slot)))
    }
}

impl OpenQueue for BucketQueue {
    fn clear(&mut self, f: u32) {
        for (word, filled) in self.filled.iter_mut().enumerate() {
            while *filled != 0 {
                self.buckets[word * 64 + filled.trailing_zeros() as usize].clear();
                *filled &= *filled - 1;
            }
        }
        self.last = None;
        self.base = f;
        self.open(0);
    }

    #[inline]
    fn push(&mut self, f: u32, _h: u32, entry: OpenEntry) {
        // With an inconsistent heuristic f can decrease; such an entry is due at once.
        let (bucket, entry) = if self.is_next(f) {
            match self.last.replace(entry) {
                None => return,
                Some(before) => (self.current, before),
            }
        } else {
            (((f - self.base) >> self.shift) as usize, entry)
        };
        let slot = self.slot(bucket);
        let bucket = &mut self.buckets[slot];
        if bucket.is_empty() {
            self.filled[slot / 64] |= 1 << (slot % 64);
        }
        bucket.push(entry);
    }

    #[inline]
    fn is_next(&self, f: u32) -> bool {
        f < self.due
    }

    #[inline(always)]
    fn pop(&mut self, best: u32) -> Option<OpenEntry> {
        if let Some(entry) = self.last.take() {
            return Some(entry);
        }
        loop {
            let slot = self.slot(self.current);
            if let Some(entry) = self.buckets[slot].pop() {
                return Some(entry);
            }
            self.filled[slot / 64] &= !(1 << (slot % 64));
            let ahead = self.ahead()?;
            if self.open(self.current + ahead) >= u64::from(best) {
                return None;
            }
        }
    }
}
