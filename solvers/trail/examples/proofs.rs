//! Measures time and work to the proof over many boards of one kind.
//!
//! `cargo run --release -p ikeru-trail --example proofs -- VARIANT FIRST_SEED BOARDS [NAME=VALUE]...`, where the
//! settings are those of `trail.random`: `lagrangian 10000 100 preset=5x7`. The time of a board is the best of three
//! runs. Prints the median, the ninth decile and the three slowest boards with their seeds, and the totals.

use std::time::Instant;

use ikeru_core::testing::{generate, variant};
use ikeru_core::{Attempt, Deadline, Direction, Incumbent, Problem, Search, Settings};
use ikeru_trail::TrailProblem;

const RUNS: usize = 3;
const COUNTERS: [&str; 4] = [
    "nodes",
    "bound_iterations",
    "kernel_calls",
    "connectivity_cuts",
];

struct Proof {
    seed: u64,
    milliseconds: f64,
    score: Option<i64>,
    work: [u64; 4],
}

fn prove(name: &str, parameters: &str, seed: u64) -> Proof {
    let puzzle = generate::<TrailProblem>("trail.random", parameters, seed);
    let variant = variant::<TrailProblem>(name).expect("a variant of trail");
    let mut proof = Proof {
        seed,
        milliseconds: f64::MAX,
        score: None,
        work: [0; 4],
    };
    for _ in 0..RUNS {
        let mut solver = (variant.prepare)(&puzzle, &Settings::new(), Deadline::never())
            .expect("a board it takes");
        let incumbent = Incumbent::new(Direction::Maximize);
        let mut search = Search::new(&incumbent);
        let start = Instant::now();
        let attempt = solver.solve(&mut search);
        let passed = start.elapsed().as_secs_f64() * 1e3;
        let Attempt::Solved { answer, .. } = attempt else {
            panic!("seed {seed}: not proven");
        };
        proof.milliseconds = proof.milliseconds.min(passed);
        proof.score = TrailProblem::score(&answer);
        proof.work = COUNTERS.map(|name| search.counters.get(name));
    }
    proof
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [variant, first, boards, settings @ ..] = words.as_slice() else {
        panic!("expected VARIANT FIRST_SEED BOARDS [NAME=VALUE]...");
    };
    let number = |word: &String| word.parse::<u64>().expect("a number");
    let parameters = settings.join(" ");
    let seeds = number(first)..number(first) + number(boards);
    let mut proofs: Vec<Proof> = seeds
        .map(|seed| prove(variant, &parameters, seed))
        .collect();
    let scores: i64 = proofs.iter().filter_map(|proof| proof.score).sum();
    proofs.sort_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds));
    let at = |share: f64| &proofs[((proofs.len() - 1) as f64 * share) as usize];
    println!("{variant} {parameters}: {boards} boards, sum of optima {scores}");
    println!("{:>10} {:>10}  {COUNTERS:?}", "ms", "seed");
    for (label, proof) in [
        ("median", at(0.5)),
        ("9 in 10", at(0.9)),
        ("third", at(1.0 - 2.0 / proofs.len() as f64)),
        ("second", at(1.0 - 1.0 / proofs.len() as f64)),
        ("slowest", at(1.0)),
    ] {
        let Proof {
            milliseconds,
            seed,
            work,
            ..
        } = proof;
        println!("{milliseconds:10.3} {seed:10}  {work:?}  {label}");
    }
    let total: f64 = proofs.iter().map(|proof| proof.milliseconds).sum();
    let work: [u64; 4] = std::array::from_fn(|at| proofs.iter().map(|proof| proof.work[at]).sum());
    println!("{total:10.3} {:>10}  {work:?}  in all", "");
}
