//! Measures time and work of every variant of `deep` over random positions, interleaved in one process.
//!
//! `cargo run --release -p ikeru-deep --example ladder [STONES] [PIECES] [POSITIONS]`

use std::time::Instant;

use ikeru_core::testing::settings;
use ikeru_core::{BoundPolicy, Deadline, Incumbent, Search, Settings, erase};
use ikeru_deep::Deep;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<i64>());
    let mut argument = |default| arguments.next().and_then(Result::ok).unwrap_or(default);
    let (stones, pieces, positions) = (argument(30), argument(4), argument(8));
    let parameters = settings(&format!("stones={stones} pieces={pieces}"));
    let problem = erase::<Deep>();
    let runs: Vec<(&str, BoundPolicy, usize)> = problem
        .variants()
        .iter()
        .filter(|variant| variant.name != "parallel")
        .map(|variant| (variant.name, BoundPolicy::Shared, 1))
        .chain([
            ("parallel", BoundPolicy::Private, 2),
            ("parallel", BoundPolicy::Shared, 2),
        ])
        .collect();
    let mut totals = vec![(0.0, [0; 6]); runs.len()];
    let names = [
        "nodes",
        "simulations",
        "duplicates",
        "table_hits",
        "silent",
        "bound_cuts",
    ];
    let mut values = Vec::new();
    for seed in 0..positions {
        let made = problem.generate("deep.random", &parameters, 10_000 + seed.unsigned_abs());
        let instance = made.expect("a position");
        for ((variant, policy, threads), (seconds, work)) in runs.iter().zip(&mut totals) {
            let mut solver = instance
                .prepare(variant, &Settings::new(), Deadline::never())
                .expect("ready");
            let incumbent = Incumbent::new(problem.direction());
            let mut search = Search::new(&incumbent);
            (search.bound_policy, search.threads) = (*policy, *threads);
            let start = Instant::now();
            solver.solve(&mut search);
            *seconds += start.elapsed().as_secs_f64();
            for (total, name) in work.iter_mut().zip(names) {
                *total += search.counters.get(name);
            }
            values.push(solver.claimed());
        }
    }
    assert!(
        values
            .chunks(runs.len())
            .all(|row| row.iter().all(|value| *value == row[0]))
    );
    println!("{positions} positions of {stones} stones and {pieces} pieces; all values agree");
    println!("{:22} {:>10} {:>8}  {names:?}", "variant", "ms", "ratio");
    for ((variant, policy, threads), (seconds, work)) in runs.iter().zip(&totals) {
        let label = format!("{variant} {} x{threads}", policy.name());
        let ratio = totals[0].0 / seconds;
        println!(
            "{label:22} {:10.2} {ratio:8.1}  {work:?}",
            seconds * 1e3 / positions as f64
        );
    }
}
