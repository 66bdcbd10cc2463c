//! `dominance`: the article's prunings 1–4 and a table of the best score per set of passed edges.
//!
//! The passed edges and the start determine the vertex, and the final score is a non-decreasing function of the score
//! so far (factors are never negative). Only the path with the higher score of two paths over the same edges needs to
//! be searched. The table has a fixed size for each board and overwrites entries, which loses no answer but repeats work.

use ikeru_core::{OURS, Score, Variant};

use crate::TrailProblem;
use crate::ladder::edge_set::EdgeSet;
use crate::ladder::kernel::{Memory, Rules};
use crate::ladder::prunings::Prunings;
use crate::ladder::solver::prepare;

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dominance",
    about: "Prunings 1–4 and a table: of two ways to pass the same edges only the better is searched.",
    source: OURS,
    exact: true,
    version: 3,
    settings: &[],
    prepare: prepare::<Dominance>,
};

/// The rules of this variant.
#[derive(Debug)]
pub struct Dominance;

impl Rules for Dominance {
    const PRUNINGS: Prunings = Prunings::ALL;
    type Memory<S: EdgeSet> = DominanceTable<S>;
}

/// The most slots of the table, 2²⁰, from 40 edges on: 24 MiB with `u64` sets, 32 MiB with `u128` sets. Two edges fewer halve
/// it.
// PERF: the first answer pays for the pages of the table: 25 MB took 3 ms, 60 times an answer of a 4x4 board.
const SLOT_BITS: u32 = 20;
/// The fewest slots of the table, 2⁸.
const LEAST_BITS: u32 = 8;
/// The most bytes of the table: boards beyond 16×16 have fewer slots.
const MOST_BYTES: usize = 96 << 20;

#[derive(Debug, Clone)]
struct Slot<S> {
    passed: S,
    score: Score,
    /// The number of the search that wrote it; 0 if it is empty.
    search: u64,
}

/// The best known scores of sets of passed edges.
#[derive(Debug)]
pub struct DominanceTable<S> {
    slots: Vec<Slot<S>>,
    /// The slot of a hash is `hash >> shift`.
    shift: u32,
    /// The number of this search. Slots with other numbers are ignored, so the table needs no clearing.
    search: u64,
    bytes: u64,
}

impl<S: EdgeSet> Memory<S> for DominanceTable<S> {
    fn new(edges: usize) -> Self {
        let slot = size_of::<Slot<S>>() + S::bytes(edges) - size_of::<S>();
        let most = (MOST_BYTES / slot).max(1).ilog2().min(SLOT_BITS);
        let bits = (edges as u32 / 2).max(LEAST_BITS).min(most);
        let void = Slot {
            passed: S::empty(0),
            score: 0,
            search: 0,
        };
        Self {
            slots: vec![void; 1 << bits],
            shift: 64 - bits,
            search: 0,
            bytes: (slot << bits) as u64,
        }
    }

    fn begin(&mut self) {
        self.search += 1;
    }

    #[inline]
    fn dominated(&mut self, passed: &S, score: Score) -> bool {
        let slot = &mut self.slots[(passed.fold() >> self.shift) as usize];
        if slot.search == self.search && slot.passed == *passed && slot.score >= score {
            return true;
        }
        *slot = Slot {
            passed: passed.clone(),
            score,
            search: self.search,
        };
        false
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_as_large_as_the_board_needs() {
        let bytes = |edges| <DominanceTable<u64> as Memory<u64>>::new(edges).bytes();
        assert_eq!(
            [4, 24, 40, 60].map(bytes),
            [8, 12, 20, 20].map(|bits| 24 << bits)
        );
        // At the most bytes there are fewer slots.
        let heap =
            <DominanceTable<crate::ladder::edge_set::WideSet> as Memory<_>>::new(480).bytes();
        assert!(heap <= MOST_BYTES as u64, "{heap}");
    }
}
