//! `dominance`: the article's prunings 1–4 and a table of the best score per set of passed edges.
//!
//! The passed edges and the start determine the vertex, and what the rest of a trail makes of a score
//! rises with it (factors are never negative): of two ways to pass the same edges only the better
//! needs to be searched. The table has a fixed size and forgets by overwriting, so that it costs no
//! answer, only repeated work.

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
    version: 2,
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

/// Slots of the table at most, 2²⁰: 24 MiB of `u64` sets, 48 MiB of `u128` ones.
const SLOT_BITS: u32 = 20;
/// Bytes of the table at most: boards beyond 16×16 have fewer slots.
const MOST_BYTES: usize = 96 << 20;

#[derive(Debug, Clone)]
struct Slot<S> {
    passed: S,
    score: Score,
    /// The search that wrote it; 0 none.
    search: u64,
}

/// The best score known for sets of passed edges.
#[derive(Debug)]
pub struct DominanceTable<S> {
    slots: Vec<Slot<S>>,
    /// The slot of a hash is its highest bits.
    shift: u32,
    /// Slots of earlier searches are void without being cleared.
    search: u64,
    bytes: u64,
}

impl<S: EdgeSet> Memory<S> for DominanceTable<S> {
    fn new(edges: usize) -> Self {
        let slot = size_of::<Slot<S>>() + S::bytes(edges) - size_of::<S>();
        let bits = (MOST_BYTES / slot).max(1).ilog2().min(SLOT_BITS);
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
