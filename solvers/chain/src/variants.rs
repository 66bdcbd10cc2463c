//! The variants of the problem `chain`: they differ by the [`Simulator`] alone.

use ikeru_core::{Attempt, BoxedSolve, Refusal, Search, Source, Variant};

use crate::fields::{Fields, Outcome};
use crate::simulate::Simulator;
use crate::{Simulation, begin};

/// Every variant, naive first.
pub const ALL: &[Variant<Simulation>] = &[
    Variant {
        name: "flood",
        about: "A flood fill from every cell of an array of cells.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[],
        prepare: |instance, _, deadline| {
            begin(deadline)?;
            Ok(solver(instance, Simulator::FLOOD))
        },
    },
    Variant {
        name: "bitboard",
        about: "Planes of 128 bits: groups by counting neighbours, one expansion instead of a flood.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[],
        prepare: |instance, _, deadline| {
            begin(deadline)?;
            Ok(solver(instance, Simulator::BITBOARD))
        },
    },
    Variant {
        name: "bitboard-avx2",
        about: "Two colours in one 256-bit register, falling by parallel bit extract and deposit.",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[],
        prepare: |instance, _, deadline| {
            begin(deadline)?;
            let avx2 = Simulator::avx2()
                .ok_or_else(|| Refusal::skip("this processor lacks AVX2, BMI2 or POPCNT"))?;
            Ok(solver(instance, avx2))
        },
    },
];

fn solver(instance: &Fields, simulator: Simulator) -> BoxedSolve<'_, Simulation> {
    Box::new(move |search: &mut Search| {
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
            return Attempt::Timeout {
                best: None,
                bound: None,
            };
        }
        Attempt::Solved(outcomes)
    })
}
