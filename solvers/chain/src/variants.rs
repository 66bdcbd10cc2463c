//! The variants of the problem `chain`, which differ only in the [`Simulator`].

use ikeru_core::{Attempt, Deadline, OURS, Prepare, Prepared, Refusal, Search, Variant};

use crate::board::Board;
use crate::fields::{FieldList, FieldQuestion, Outcomes};
use crate::simulate::FieldOutcome;
use crate::simulate::{Chain, FloodWork, Simulator, flood};
use crate::{Simulation, simulate};

/// Every variant, naive first.
pub const ALL: &[Variant<Simulation>] = &[
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
        3,
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
type FieldKernel = fn(&mut [FieldOutcome], &mut FloodWork);

const FLOOD: FieldKernel =
    |outcomes, work| simulate::resolve_each(outcomes, |board| flood::resolve_counted(board, work));

const BITBOARD: FieldKernel = |outcomes, _| (Simulator::BITBOARD.outcomes)(outcomes);

const FASTEST: FieldKernel = |outcomes, _| (Simulator::fastest().outcomes)(outcomes);

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
///
/// PERF: if only the steps are asked, the outcomes of one look are kept, so that they stay in the cache: for 100,000
/// full fields the median of nine interleaved runs takes 0.83 of the time (bench `simulate`, a busy machine).
fn solve(instance: &FieldList, kernel: FieldKernel, search: &mut Search) -> Attempt<Outcomes> {
    let begun = |rest: &Board| FieldOutcome {
        chain: Chain::default(),
        rest: *rest,
    };
    let count_of_fields = instance.fields.len();
    let (kept, asked) = match instance.asked {
        FieldQuestion::Steps => (count_of_fields.min(FIELDS_PER_LOOK), count_of_fields),
        FieldQuestion::FieldOutcome => (count_of_fields, 0),
    };
    let mut outcomes: Vec<FieldOutcome> = Vec::with_capacity(kept);
    let mut steps_of: Vec<u32> = Vec::with_capacity(asked);
    let (mut simulations, mut steps, mut work) = (0, 0, FloodWork::default());
    let mut complete = true;
    'fields: for fields in instance.fields.chunks(FIELDS_PER_LOOK) {
        let first = outcomes.len();
        for _ in 0..instance.repeat {
            outcomes.truncate(first);
            if search.deadline.passed() {
                complete = false;
                break 'fields;
            }
            outcomes.extend(fields.iter().map(begun));
            kernel(&mut outcomes[first..], &mut work);
            simulations += fields.len() as u64;
            let chains = outcomes[first..].iter().map(|outcome| outcome.chain);
            steps += chains.map(|chain| u64::from(chain.steps)).sum::<u64>();
        }
        if instance.asked == FieldQuestion::Steps {
            steps_of.extend(outcomes.drain(..).map(|outcome| outcome.chain.steps));
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
