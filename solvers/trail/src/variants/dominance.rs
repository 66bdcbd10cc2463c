//! `dominance`: the article's prunings 1–4 and a table of the best score per set of passed edges.
//!
//! The passed edges and the start determine the vertex, and what the rest of a trail makes of a score
//! rises with it (factors are never negative): of two ways to pass the same edges only the better
//! needs to be searched. The table has a fixed size and forgets by overwriting, so that it costs no
//! answer, only repeated work.

use ikeru_core::{Score, Source, Variant};

use crate::TrailProblem;
use crate::ladder::edge_set::EdgeSet;
use crate::ladder::kernel::{Bound, Rules};
use crate::ladder::{RuleSet, prepare};

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dominance",
    about: "Prunings 1–4 and a table: of two ways to pass the same edges only the better is searched.",
    source: Source::Ours,
    exact: true,
    version: 1,
    settings: &[],
    prepare: prepare::<Dominance>,
};

/// The rules of this variant.
#[derive(Debug, Default)]
pub struct Dominance;

impl RuleSet for Dominance {
    type Of<S: EdgeSet> = Table<S>;
}

/// Slots of the table, 2²⁰: 24 MiB of `u64` sets, 48 MiB of `u128` ones.
const SLOT_BITS: u32 = 20;

#[derive(Debug, Clone, Copy)]
struct Slot<S> {
    passed: S,
    score: Score,
    /// The search that wrote it; 0 none.
    search: u64,
}

/// The best score known for sets of passed edges.
#[derive(Debug)]
pub struct Table<S> {
    slots: Vec<Slot<S>>,
    /// Slots of earlier searches are void without being cleared.
    search: u64,
}

impl<S: EdgeSet> Default for Table<S> {
    fn default() -> Self {
        let void = Slot {
            passed: S::EMPTY,
            score: 0,
            search: 0,
        };
        Self {
            slots: vec![void; 1 << SLOT_BITS],
            search: 0,
        }
    }
}

impl<S: EdgeSet> Rules<S> for Table<S> {
    const CORNER: bool = true;
    const DEADEND: bool = true;
    const PAIRS: bool = true;
    const BOUND: Bound = Bound::Running;

    fn begin(&mut self) {
        self.search += 1;
    }

    #[inline]
    fn dominated(&mut self, passed: S, score: Score) -> bool {
        let slot = &mut self.slots[(passed.fold() >> (64 - SLOT_BITS)) as usize];
        if slot.search == self.search && slot.passed == passed && slot.score >= score {
            return true;
        }
        *slot = Slot {
            passed,
            score,
            search: self.search,
        };
        false
    }

    fn bytes(&self) -> u64 {
        size_of_val(self.slots.as_slice()) as u64
    }
}
