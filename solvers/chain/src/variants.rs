//! The variants of the problem `chain`, which differ only in the [`Simulator`].

use ikeru_core::{Attempt, Deadline, OURS, Prepare, Prepared, Refusal, Search, Variant};

use crate::board::Board;
use crate::fields::{FieldList, FieldQuestion, Outcomes};
use crate::simulate::FieldOutcome;
use crate::simulate::{Chain, FloodWork, Simulator, flood};
use crate::{Simulation, simulate};

/// Every variant, naive first.
pub static ALL: [Variant<Simulation>; 3] = [
    variant(
        "flood",
        "A flood fill from every cell of an array of cells.",
        3,
        |fields, _, deadline| solver(fields, FLOOD, deadline),
    ),
    variant(
        "bitboard",
        "Planes of 128 bits: groups by counting neighbours, one expansion instead of a flood.",
        2,
        |fields, _, deadline| solver(fields, BITBOARD, deadline),
    ),
    variant(
        "bitboard-avx2",
        "All colours of two boards in one 256-bit register, falling by parallel bit extract and deposit.",
        4,
        |fields, _, deadline| {
            // `FASTEST` is the AVX2 simulator if the processor supports it.
            Simulator::avx2()
                .ok_or_else(|| Refusal::skip("this processor lacks AVX2, BMI2 or POPCNT"))?;
            solver(fields, FASTEST, deadline)
        },
    ),
];

const fn variant(
    name: &'static str,
    about: &'static str,
    version: u32,
    prepare: Prepare<Simulation>,
) -> Variant<Simulation> {
    Variant {
        name,
        about,
        source: OURS,
        exact: true,
        version,
        settings: &[],
        prepare,
    }
}

/// Simulates the chains of fields; counts the work if it depends on the board.
#[derive(Clone, Copy)]
struct FieldKernel {
    outcomes: fn(&mut [FieldOutcome], &mut FloodWork),
    steps: fn(&[Board], &mut [u32], &mut FloodWork),
}

const FLOOD: FieldKernel = FieldKernel {
    outcomes: |outcomes, work| {
        simulate::resolve_each(outcomes, |board| flood::resolve_counted(board, work));
    },
    steps: |boards, steps, work| {
        simulate::steps_one_by_one(boards, steps, |board| flood::resolve_counted(board, work));
    },
};

const BITBOARD: FieldKernel = FieldKernel {
    outcomes: |outcomes, _| (Simulator::BITBOARD.outcomes)(outcomes),
    steps: |boards, steps, _| (Simulator::BITBOARD.steps)(boards, steps),
};

const FASTEST: FieldKernel = FieldKernel {
    outcomes: |outcomes, _| (Simulator::fastest().outcomes)(outcomes),
    steps: |boards, steps, _| (Simulator::fastest().steps)(boards, steps),
};

/// A solver that uses `kernel`.
fn solver<'a>(
    instance: &'a FieldList,
    kernel: FieldKernel,
    deadline: Deadline,
) -> Prepared<'a, Simulation> {
    deadline.check()?;
    Ok(Box::new(move |search: &mut Search| {
        solve(instance, kernel, search)
    }))
}

/// Fields between two checks of the deadline.
const FIELDS_PER_LOOK: usize = 256;

/// Simulates every field `repeat` times and returns the answer to the question.
fn solve(instance: &FieldList, kernel: FieldKernel, search: &mut Search) -> Attempt<Outcomes> {
    let begun = |rest: &Board| FieldOutcome {
        chain: Chain::default(),
        rest: *rest,
    };
    let mut outcomes: Vec<FieldOutcome> = Vec::new();
    let mut steps_of: Vec<u32> = Vec::new();
    match instance.asked {
        FieldQuestion::Steps => steps_of.reserve_exact(instance.fields.len()),
        FieldQuestion::FieldOutcome => outcomes.reserve_exact(instance.fields.len()),
    }
    let (mut simulations, mut steps, mut work) = (0, 0, FloodWork::default());
    let mut complete = true;
    'fields: for (look, fields) in instance.fields.chunks(FIELDS_PER_LOOK).enumerate() {
        let first = look * FIELDS_PER_LOOK;
        for _ in 0..instance.repeat {
            if search.deadline.passed() {
                complete = false;
                break 'fields;
            }
            steps += match instance.asked {
                FieldQuestion::Steps => {
                    steps_of.resize(first + fields.len(), 0);
                    (kernel.steps)(fields, &mut steps_of[first..], &mut work);
                    steps_of[first..]
                        .iter()
                        .map(|steps| u64::from(*steps))
                        .sum::<u64>()
                }
                FieldQuestion::FieldOutcome => {
                    outcomes.truncate(first);
                    outcomes.extend(fields.iter().map(begun));
                    (kernel.outcomes)(&mut outcomes[first..], &mut work);
                    let chains = outcomes[first..].iter().map(|outcome| outcome.chain);
                    chains.map(|chain| u64::from(chain.steps)).sum()
                }
            };
            simulations += fields.len() as u64;
        }
    }
    count(search, simulations, steps, work);
    if !complete {
        return Attempt::nothing();
    }
    Attempt::proven(match instance.asked {
        FieldQuestion::Steps => Outcomes::Steps(steps_of),
        FieldQuestion::FieldOutcome => Outcomes::Whole(outcomes),
    })
}

fn count(search: &mut Search, simulations: u64, steps: u64, work: FloodWork) {
    search.counters.add("simulations", simulations);
    search.counters.add("steps", steps);
    if work != FloodWork::default() {
        search.counters.add("cells", work.cells);
        search.counters.add("groups", work.groups);
        search.counters.add("puyos", work.puyos);
    }
}
