//! The variants of the problem `chain`: they differ by the [`Simulator`] alone.

use ikeru_core::{Attempt, BoxedSolve, Deadline, Prepare, Refusal, Search, Source, Variant};

use crate::board::Board;
use crate::fields::{Fields, Outcome};
use crate::simulate::{Chain, Simulator, Work, flood};
use crate::{Simulation, begin};

/// Every variant, naive first.
pub const ALL: &[Variant<Simulation>] = &[
    variant(
        "flood",
        "A flood fill from every cell of an array of cells.",
        2,
        |fields, _, deadline| solver(fields, Some(flood::resolve_counted), deadline),
    ),
    variant(
        "bitboard",
        "Planes of 128 bits: groups by counting neighbours, one expansion instead of a flood.",
        1,
        |fields, _, deadline| solver(fields, Some(uncounted(Simulator::BITBOARD)), deadline),
    ),
    variant(
        "bitboard-avx2",
        "Two colours in one 256-bit register, falling by parallel bit extract and deposit.",
        1,
        |fields, _, deadline| solver(fields, Simulator::avx2().map(uncounted), deadline),
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
        source: Source::Ours,
        exact: true,
        version,
        settings: &[],
        prepare,
    }
}

/// A simulator whose work is the same for every board of a chain: nothing is counted.
fn uncounted(simulator: Simulator) -> impl Fn(&mut Board, &mut Work) -> Chain + Send {
    move |board, _| (simulator.resolve)(board)
}

/// A solver by a function that lets a chain happen, if the processor has its instructions.
fn solver<'a>(
    instance: &'a Fields,
    resolve: Option<impl Fn(&mut Board, &mut Work) -> Chain + Send + 'a>,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, Simulation>, Refusal> {
    begin(deadline)?;
    let resolve =
        resolve.ok_or_else(|| Refusal::skip("this processor lacks AVX2, BMI2 or POPCNT"))?;
    Ok(Box::new(move |search: &mut Search| {
        let mut ticker = search.deadline.ticker(256);
        let mut outcomes = Vec::with_capacity(instance.fields.len());
        let (mut simulations, mut steps, mut work) = (0, 0, Work::default());
        'fields: for field in instance.fields.iter() {
            let mut outcome = None;
            for _ in 0..instance.repeat {
                if ticker.passed() {
                    break 'fields;
                }
                let mut rest = *field;
                let chain = resolve(&mut rest, &mut work);
                simulations += 1;
                steps += u64::from(chain.steps);
                outcome = Some(Outcome { chain, rest });
            }
            outcomes.extend(outcome);
        }
        search.counters.add("simulations", simulations);
        search.counters.add("steps", steps);
        if work != Work::default() {
            search.counters.add("cells", work.cells);
            search.counters.add("groups", work.groups);
            search.counters.add("puyos", work.puyos);
        }
        if outcomes.len() < instance.fields.len() {
            return Attempt::nothing();
        }
        Attempt::proven(outcomes)
    }))
}
