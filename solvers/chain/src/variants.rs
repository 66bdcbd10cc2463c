//! The variants of the problem `chain`: they differ by the [`Simulator`] alone.

use ikeru_core::{Attempt, BoxedSolve, Deadline, OURS, Prepare, Refusal, Search, Variant};

use crate::board::Board;
use crate::fields::{FieldList, FieldOutcome, FieldQuestion, Outcomes};
use crate::simulate::{Chain, FloodWork, Simulator, flood};
use crate::{Simulation, simulate};

/// Every variant, naive first.
pub const ALL: &[Variant<Simulation>] = &[
    variant(
        "flood",
        "A flood fill from every cell of an array of cells.",
        2,
        |fields, _, deadline| solver(fields, FLOOD, deadline),
    ),
    variant(
        "bitboard",
        "Planes of 128 bits: groups by counting neighbours, one expansion instead of a flood.",
        1,
        |fields, _, deadline| solver(fields, BITBOARD, deadline),
    ),
    variant(
        "bitboard-avx2",
        "Two colours in one 256-bit register, falling by parallel bit extract and deposit.",
        1,
        |fields, _, deadline| {
            // The simulator of AVX2, which is the fastest one where it is there.
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

/// What a variant does with fields; its work is counted where it differs from board to board.
struct FieldKernel {
    resolve: fn(&mut Board, &mut FloodWork) -> Chain,
    steps: fn(&[Board], &mut [u32], &mut FloodWork),
}

const FLOOD: FieldKernel = FieldKernel {
    resolve: flood::resolve_counted,
    steps: |fields, steps, work| {
        for (field, steps) in fields.iter().zip(steps) {
            let mut rest = *field;
            *steps = flood::resolve_counted(&mut rest, work).steps;
        }
    },
};

const BITBOARD: FieldKernel = FieldKernel {
    resolve: |board, _| (Simulator::BITBOARD.resolve)(board),
    steps: |fields, steps, _| (Simulator::BITBOARD.steps)(fields, steps),
};

const FASTEST: FieldKernel = FieldKernel {
    resolve: |board, _| simulate::resolve(board),
    steps: |fields, steps, _| (Simulator::fastest().steps)(fields, steps),
};

/// A solver by `kernel`.
fn solver<'a>(
    instance: &'a FieldList,
    kernel: FieldKernel,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, Simulation>, Refusal> {
    deadline.check()?;
    Ok(match instance.asked {
        FieldQuestion::FieldOutcome => {
            Box::new(move |search: &mut Search| whole(instance, &kernel, search))
        }
        FieldQuestion::Steps => {
            Box::new(move |search: &mut Search| steps(instance, &kernel, search))
        }
    })
}

/// The chain of every field and what is left.
fn whole(instance: &FieldList, kernel: &FieldKernel, search: &mut Search) -> Attempt<Outcomes> {
    let mut ticker = search.deadline.ticker(256);
    let mut outcomes = Vec::with_capacity(instance.fields.len());
    let (mut simulations, mut steps, mut work) = (0, 0, FloodWork::default());
    'fields: for field in instance.fields.iter() {
        let mut outcome = None;
        for _ in 0..instance.repeat {
            if ticker.passed() {
                break 'fields;
            }
            let mut rest = *field;
            let chain = (kernel.resolve)(&mut rest, &mut work);
            simulations += 1;
            steps += u64::from(chain.steps);
            outcome = Some(FieldOutcome { chain, rest });
        }
        outcomes.extend(outcome);
    }
    count(search, simulations, steps, work);
    if outcomes.len() < instance.fields.len() {
        return Attempt::nothing();
    }
    Attempt::proven(Outcomes::Whole(outcomes))
}

/// Fields between two looks at the clock.
const FIELDS_PER_LOOK: usize = 256;

/// The number of steps of every field.
fn steps(instance: &FieldList, kernel: &FieldKernel, search: &mut Search) -> Attempt<Outcomes> {
    let mut counts = vec![0; instance.fields.len()];
    let (mut simulations, mut steps, mut work) = (0, 0, FloodWork::default());
    let mut is_late = false;
    'repeat: for _ in 0..instance.repeat {
        let counted = counts.chunks_mut(FIELDS_PER_LOOK);
        for (fields, counts) in instance.fields.chunks(FIELDS_PER_LOOK).zip(counted) {
            is_late = search.deadline.passed();
            if is_late {
                break 'repeat;
            }
            (kernel.steps)(fields, counts, &mut work);
            simulations += fields.len() as u64;
            steps += counts.iter().copied().map(u64::from).sum::<u64>();
        }
    }
    count(search, simulations, steps, work);
    if is_late {
        return Attempt::nothing();
    }
    Attempt::proven(Outcomes::Steps(counts))
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
