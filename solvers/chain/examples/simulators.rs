//! Compares the results of all simulators on a million random fields, and times the simulators interleaved in one
//! process.
//!
//! `cargo run --release -p ikeru-chain --example simulators [FIELDS]`

use std::hint::black_box;
use std::time::Instant;

use ikeru_chain::simulate::FieldOutcome;
use ikeru_chain::simulate::{Chain, Simulator};
use ikeru_chain::{Board, Size, generate};
use ikeru_core::{InputError, Random};

fn main() -> Result<(), InputError> {
    let count = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |word| word.parse());
    let count: u64 = count.map_err(|_| InputError::new("expected a number of fields"))?;
    let mut simulators = vec![
        ("flood", Simulator::FLOOD),
        ("bitboard", Simulator::BITBOARD),
    ];
    simulators.extend(Simulator::avx2().map(|avx2| ("bitboard-avx2", avx2)));

    let mut random = Random::new("example.simulators", 1);
    for (what, stones) in [
        ("random full fields", 78),
        ("random half-filled fields", 39),
    ] {
        let fields: Vec<Board> = (0..1000)
            .map(|_| random_field(&mut random, stones))
            .collect();
        time(what, &simulators, &fields);
    }
    for seed in 0..3 {
        let mut random = Random::new("example.long-chain", seed);
        let field = generate::long_chain(&mut random, Size::THESIS, 19, 4)?;
        time("a field of 19 chains", &simulators, &[field; 1000]);
    }
    compare(&simulators, count);
    Ok(())
}

fn random_field(random: &mut Random, stones: usize) -> Board {
    generate::random_field(random, Size::THESIS, stones, 4, 0.0)
}

/// Prints the medians over 41 rounds of the time and of its ratio to the first simulator, for fields simulated one
/// after another and all at once.
fn time(what: &str, simulators: &[(&str, Simulator)], fields: &[Board]) {
    let mut rounds = vec![[Vec::new(), Vec::new()]; simulators.len()];
    let begun = |rest: &Board| FieldOutcome {
        chain: Chain::default(),
        rest: *rest,
    };
    let begun: Vec<FieldOutcome> = fields.iter().map(begun).collect();
    for _ in 0..41 {
        for ((_, simulator), [whole, alone]) in simulators.iter().zip(&mut rounds) {
            let start = Instant::now();
            for field in fields {
                let mut board = *black_box(field);
                black_box((simulator.resolve)(&mut board));
            }
            whole.push(start.elapsed().as_secs_f64() / fields.len() as f64);
            let mut outcomes = begun.clone();
            let start = Instant::now();
            (simulator.outcomes)(black_box(&mut outcomes));
            alone.push(start.elapsed().as_secs_f64() / fields.len() as f64);
        }
    }
    println!("{what}:");
    for ((name, _), times) in simulators.iter().zip(&rounds) {
        for (asked, times) in ["", ", at once"].iter().zip(times) {
            let against = rounds[0][0].iter().zip(times);
            let ratios = against.map(|(flood, time)| flood / time).collect();
            let nanos = 1e9 * median(times.clone());
            println!(
                "  {:20} {nanos:9.1} ns, {:6.1} × the flood fill",
                format!("{name}{asked}"),
                median(ratios)
            );
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn compare(simulators: &[(&str, Simulator)], count: u64) {
    let mut random = Random::new("example.comparison", 1);
    let (mut mismatches, mut fired) = (0_u64, 0_u64);
    for number in 0..count {
        let stones = Size::THESIS.cells() - random.index(Size::THESIS.cells());
        let garbage = if number % 4 == 0 { 0.1 } else { 0.0 };
        let colours = 2 + random.index(5);
        let field = generate::random_field(&mut random, Size::THESIS, stones, colours, garbage);
        let outcomes = simulators.iter().map(|(_, simulator)| {
            let mut rest = field;
            let chain = (simulator.resolve)(&mut rest);
            (chain, rest, *rest.heights())
        });
        let outcomes: Vec<_> = outcomes.collect();
        fired += u64::from(outcomes[0].0.steps > 0);
        mismatches += u64::from(outcomes.iter().any(|outcome| *outcome != outcomes[0]));
    }
    println!("{count} random fields, {fired} with a chain: {mismatches} mismatches");
    assert_eq!(mismatches, 0, "the simulators differ");
}
