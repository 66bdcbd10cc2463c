//! The ladder: each variant adds one idea to the one before.

use ikeru_core::{
    Attempt, BoxedSolve, Deadline, Prepare, Refusal, Search, Setting, Settings, Solve, Source,
    Variant,
};

use crate::begin;
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
    rung(
        "naive",
        "Every placement of every piece, simulated by flood fill.",
        &[],
        |position, _, deadline| {
            begin(deadline)?;
            Ok(alone::<false, false, false, false>(
                position,
                Simulator::FLOOD,
                0,
            ))
        },
    ),
    rung(
        "bitboard",
        "The same, simulated by the fastest bitboard.",
        &[],
        fast::<false, false, false, false>,
    ),
    rung(
        "dedupe",
        "Each double in 11 placements instead of 22, each board after a clear once per parent.",
        &[],
        fast::<true, false, false, false>,
    ),
    rung(
        "transposition",
        "Also: a table of boards already searched with as many pieces left.",
        &[TABLE_BITS],
        fast::<true, true, false, false>,
    ),
    rung(
        "trigger",
        "Also: of the last piece, only placements beside enough puyos of their colour.",
        &[TABLE_BITS],
        fast::<true, true, true, false>,
    ),
    rung(
        "bound",
        "Also: no board whose puyos, four to a step, cannot beat the best chain known.",
        &[TABLE_BITS],
        fast::<true, true, true, true>,
    ),
    rung(
        "parallel",
        "The same by several threads, with a shared or private best score.",
        &[TABLE_BITS],
        |position, settings, deadline| {
            begin(deadline)?;
            let table_bits = table_bits(settings)?;
            let simulator = Simulator::fastest();
            Ok(Box::new(Parallel::new(position, simulator, table_bits)))
        },
    ),
];

/// How a variant is made ready for a position.
/// A variant of the ladder; what they have in common stands here.
const fn rung(
    name: &'static str,
    about: &'static str,
    settings: &'static [Setting],
    prepare: Prepare<Deep>,
) -> Variant<Deep> {
    Variant {
        name,
        about,
        source: Source::Ours,
        exact: true,
        version: 1,
        settings,
        prepare,
    }
}

fn table_bits(settings: &Settings) -> Result<u32, Refusal> {
    Ok(settings.int(&TABLE_BITS, 0..=24)?.unwrap_or(0) as u32)
}

/// One thread with the fastest simulator.
fn fast<'a, const DEDUPE: bool, const TABLE: bool, const TRIGGER: bool, const BOUND: bool>(
    position: &'a Position,
    settings: &Settings,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, Deep>, Refusal> {
    begin(deadline)?;
    let table_bits = if TABLE { table_bits(settings)? } else { 0 };
    let simulator = Simulator::fastest();
    Ok(alone::<DEDUPE, TABLE, TRIGGER, BOUND>(
        position, simulator, table_bits,
    ))
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
