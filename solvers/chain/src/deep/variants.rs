//! The ladder: each variant adds one idea to the one before.

use ikeru_core::{Attempt, BoxedSolve, Refusal, Search, Setting, Settings, Solve, Source, Variant};

use crate::deep::parallel::Parallel;
use crate::deep::search::{Searcher, Surroundings};
use crate::deep::{Deep, Found, Position};
use crate::simulate::Simulator;

const TABLE_BITS: Setting = Setting {
    name: "table_bits",
    default: "16",
    about: "the table holds 2^table_bits boards of 64 bytes (each thread its own), from 0 to 24",
};

/// Every variant, naive first.
pub const VARIANTS: &[Variant<Deep>] = &[
    Variant {
        name: "naive",
        about: "Every placement of every piece, simulated by flood fill.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[],
        prepare: |position, _| {
            Ok(alone::<false, false, false, false>(
                position,
                Simulator::FLOOD,
                0,
            ))
        },
    },
    Variant {
        name: "bitboard",
        about: "The same, simulated by the fastest bitboard.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[],
        prepare: |position, _| {
            Ok(alone::<false, false, false, false>(
                position,
                Simulator::fastest(),
                0,
            ))
        },
    },
    Variant {
        name: "dedupe",
        about: "Each double in 11 placements instead of 22, each board after a clear once per parent.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[],
        prepare: |position, _| {
            Ok(alone::<true, false, false, false>(
                position,
                Simulator::fastest(),
                0,
            ))
        },
    },
    Variant {
        name: "transposition",
        about: "Also: a table of boards already searched with as many pieces left.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[TABLE_BITS],
        prepare: |position, settings| {
            Ok(alone::<true, true, false, false>(
                position,
                Simulator::fastest(),
                table_bits(settings)?,
            ))
        },
    },
    Variant {
        name: "trigger",
        about: "Also: of the last piece, only placements beside enough puyos of their colour.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[TABLE_BITS],
        prepare: |position, settings| {
            let table_bits = table_bits(settings)?;
            Ok(alone::<true, true, true, false>(
                position,
                Simulator::fastest(),
                table_bits,
            ))
        },
    },
    Variant {
        name: "bound",
        about: "Also: no board whose puyos, four to a step, cannot beat the best chain known.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[TABLE_BITS],
        prepare: |position, settings| {
            Ok(alone::<true, true, true, true>(
                position,
                Simulator::fastest(),
                table_bits(settings)?,
            ))
        },
    },
    Variant {
        name: "parallel",
        about: "The same by several threads, with a shared or private best score.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[TABLE_BITS],
        prepare: |position, settings| {
            Ok(Box::new(Parallel::new(
                position,
                Simulator::fastest(),
                table_bits(settings)?,
            )))
        },
    },
];

fn table_bits(settings: &Settings) -> Result<u32, Refusal> {
    Ok(settings.int(&TABLE_BITS, 0..=24)?.unwrap_or(0) as u32)
}

fn alone<const DEDUPE: bool, const TABLE: bool, const TRIGGER: bool, const BOUND: bool>(
    position: &Position,
    simulator: Simulator,
    table_bits: u32,
) -> BoxedSolve<'_, Deep> {
    Box::new(Alone(Searcher::<DEDUPE, TABLE, TRIGGER, BOUND>::new(
        position, simulator, table_bits,
    )))
}

/// One searcher on the calling thread.
struct Alone<'a, const DEDUPE: bool, const TABLE: bool, const TRIGGER: bool, const BOUND: bool>(
    Searcher<'a, DEDUPE, TABLE, TRIGGER, BOUND>,
);

impl<const DEDUPE: bool, const TABLE: bool, const TRIGGER: bool, const BOUND: bool> Solve<Deep>
    for Alone<'_, DEDUPE, TABLE, TRIGGER, BOUND>
{
    fn solve(&mut self, search: &mut Search) -> Attempt<Found> {
        let root = self.0.root();
        let mut pass = self.0.pass(Surroundings::of(search));
        pass.visit(&root);
        pass.work.add_to(&mut search.counters);
        if pass.stopped {
            Attempt::Timeout {
                best: Some(pass.found),
                bound: Some(root.bound),
            }
        } else {
            Attempt::Solved(pass.found)
        }
    }

    fn table_bytes(&self) -> u64 {
        self.0.table_bytes()
    }
}
