//! The variants of the problem `chain`: they differ by the [`Simulator`] alone.

use ikeru_core::{Attempt, BoxedSolve, Deadline, Prepare, Refusal, Search, Source, Variant};

use crate::fields::{Fields, Outcome};
use crate::simulate::Simulator;
use crate::{Simulation, begin};

/// Every variant, naive first.
pub const ALL: &[Variant<Simulation>] = &[
    variant(
        "flood",
        "A flood fill from every cell of an array of cells.",
        |fields, _, deadline| solver(fields, Some(Simulator::FLOOD), deadline),
    ),
    variant(
        "bitboard",
        "Planes of 128 bits: groups by counting neighbours, one expansion instead of a flood.",
        |fields, _, deadline| solver(fields, Some(Simulator::BITBOARD), deadline),
    ),
    variant(
        "bitboard-avx2",
        "Two colours in one 256-bit register, falling by parallel bit extract and deposit.",
        |fields, _, deadline| solver(fields, Simulator::avx2(), deadline),
    ),
];

const fn variant(
    name: &'static str,
    about: &'static str,
    prepare: Prepare<Simulation>,
) -> Variant<Simulation> {
    Variant {
        name,
        about,
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[],
        prepare,
    }
}

/// A solver by `simulator`, if the processor has its instructions.
fn solver<'a>(
    instance: &'a Fields,
    simulator: Option<Simulator>,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, Simulation>, Refusal> {
    begin(deadline)?;
    let simulator =
        simulator.ok_or_else(|| Refusal::skip("this processor lacks AVX2, BMI2 or POPCNT"))?;
    Ok(Box::new(move |search: &mut Search| {
        let mut ticker = search.deadline.ticker(256);
        let mut outcomes = Vec::with_capacity(instance.fields.len());
        let (mut simulations, mut steps) = (0, 0);
        'fields: for field in instance.fields.iter() {
            let mut outcome = None;
            for _ in 0..instance.repeat {
                if ticker.passed() {
                    break 'fields;
                }
                let mut rest = *field;
                let chain = (simulator.resolve)(&mut rest);
                simulations += 1;
                steps += u64::from(chain.steps);
                outcome = Some(Outcome { chain, rest });
            }
            outcomes.extend(outcome);
        }
        search.counters.add("simulations", simulations);
        search.counters.add("steps", steps);
        if outcomes.len() < instance.fields.len() {
            return Attempt::nothing();
        }
        Attempt::proven(outcomes)
    }))
}
