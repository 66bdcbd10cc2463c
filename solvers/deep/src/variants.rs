//! The ladder: each variant adds one idea to the previous variant. Its number selects its ideas.

use ikeru_chain::simulate::Simulator;
use ikeru_core::{Deadline, OURS, Prepared, SettingInfo, Settings, Variant, settings};

use crate::Deep;
use crate::position::Position;
use crate::search::Ideas;
use crate::solver::Solver;

settings! {
    TABLE_BITS: u32 = "table_bits", 16, 0..=24, "the table holds 2^table_bits boards of 64 bytes, each thread its own";
}

const WITH_TABLE: &[SettingInfo] = settings![TABLE_BITS];

/// Every variant, naive first.
pub static ALL: [Variant<Deep>; 7] = [
    rung::<NAIVE>(
        "naive",
        "Every placement of every piece, simulated by flood fill.",
    ),
    rung::<BITBOARD>("bitboard", "The same, simulated by the fastest bitboard."),
    rung::<DEDUPE>(
        "dedupe",
        "Each double in 11 placements instead of 22, each board after a clear once per parent.",
    ),
    rung::<TRANSPOSITION>(
        "transposition",
        "Also: a table of boards already searched with as many pieces left.",
    ),
    rung::<TRIGGER>(
        "trigger",
        "Also: of the last piece, only placements beside enough puyos of their colour.",
    ),
    rung::<BOUND>(
        "bound",
        "Also: no board whose puyos, four to a step, cannot beat the best chain known.",
    ),
    rung::<PARALLEL>(
        "parallel",
        "The same by several threads, started after 10 ms, with a shared or private best score.",
    ),
];

const NAIVE: u8 = 0;
const BITBOARD: u8 = 1;
const DEDUPE: u8 = 2;
const TRANSPOSITION: u8 = 3;
const TRIGGER: u8 = 4;
const BOUND: u8 = 5;
const PARALLEL: u8 = 6;

/// A variant with the ideas of all rungs up to `RUNG`.
const fn rung<const RUNG: u8>(name: &'static str, about: &'static str) -> Variant<Deep> {
    Variant {
        name,
        about,
        source: OURS,
        exact: true,
        version: if RUNG == PARALLEL { 2 } else { 1 },
        settings: if RUNG >= TRANSPOSITION {
            WITH_TABLE
        } else {
            &[]
        },
        prepare: prepare::<RUNG>,
    }
}

fn prepare<'a, const RUNG: u8>(
    position: &'a Position,
    settings: &Settings,
    deadline: Deadline,
) -> Prepared<'a, Deep> {
    deadline.check()?;
    let table_bits = settings.get(&TABLE_BITS)?;
    let ideas = Ideas {
        dedupe: RUNG >= DEDUPE,
        table_bits: (RUNG >= TRANSPOSITION).then_some(table_bits),
        trigger: RUNG >= TRIGGER,
        bound: RUNG >= BOUND,
    };
    let simulator = if RUNG == NAIVE {
        Simulator::FLOOD
    } else {
        Simulator::fastest()
    };
    let parallel = RUNG >= PARALLEL;
    Ok(Box::new(Solver::new(position, simulator, ideas, parallel)))
}
