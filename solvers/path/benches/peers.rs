//! The time of each variant and its speed relative to `pathfinding`: all variants of a map are interleaved in one
//! process, the least time of several rounds counts, and the ratios are geometric means over the maps.
//!
//! `cargo bench -p ikeru-path --features peers --bench peers [-- ROUNDS [MAP]]`; MAP selects the maps whose names
//! contain it.

mod batch;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ikeru_core::testing::{settings, shared_file};
use ikeru_path::instance::{Instance, MapInput};
use ikeru_path::read_scenario;

const VARIANTS: [&str; 7] = [
    "pathfinding",
    "hash",
    "dijkstra",
    "heap",
    "bucket",
    "jps",
    "jps-tables",
];

/// The number of queries of each map: a peer takes tens of milliseconds for one query.
const QUERIES: usize = 24;

/// The least time for which a batch is repeated.
const SHORTEST: Duration = Duration::from_millis(20);

fn main() {
    let rounds = std::env::args()
        .find_map(|word| word.parse().ok())
        .unwrap_or(3);
    let wanted = std::env::args()
        .skip(1)
        .find(|word| !word.starts_with('-') && word.parse::<usize>().is_err());
    let mut maps = published(QUERIES);
    for (side, kinds) in [
        (512, batch::kinds(512, QUERIES)),
        (1024, batch::kinds(1024, 12)),
    ] {
        maps.extend(
            kinds
                .into_iter()
                .map(|(kind, instance)| (format!("{kind} {side}"), instance)),
        );
    }
    maps.retain(|(name, _)| wanted.as_ref().is_none_or(|part| name.contains(part)));
    table("octile, both sides free", "", &maps, rounds);
    table(
        "1.0/1.4, corners cut",
        "costs=tenths corners=allow",
        &maps,
        rounds,
    );
    maps.retain(|(name, _)| name.starts_with("path.terrain"));
    table("forest ×5", "unit=horse forest=5", &maps, rounds);
}

fn table(title: &str, question: &str, maps: &[(String, Instance)], rounds: usize) {
    let settings = settings(question);
    println!("\n{title}: µs per query, least of {rounds} rounds");
    print!("{:24}", "map");
    VARIANTS.iter().for_each(|variant| print!("{variant:>12}"));
    println!();
    let mut ratios: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, instance) in maps {
        let asked = instance.ask(&settings).expect("a question");
        let times = measure(&asked, rounds);
        print!("{name:24}");
        for variant in VARIANTS {
            match times.get(variant) {
                Some(time) => print!("{time:12.1}"),
                None => print!("{:>12}", "-"),
            }
        }
        println!();
        for (variant, time) in &times {
            ratios
                .entry(variant)
                .or_default()
                .push(times["pathfinding"] / time);
        }
    }
    print!("{:24}", "× pathfinding (mean)");
    for variant in VARIANTS {
        match ratios.get(variant) {
            Some(ratios) => print!("{:12.2}", geometric_mean(ratios)),
            None => print!("{:>12}", "-"),
        }
    }
    println!();
}

/// The least time of each variant in µs per query.
fn measure(instance: &Instance, rounds: usize) -> BTreeMap<&'static str, f64> {
    let mut times = BTreeMap::new();
    let mut solvers: Vec<_> = VARIANTS
        .into_iter()
        .filter_map(|variant| Some((variant, batch::prepare(variant, instance)?)))
        .collect();
    for _ in 0..=rounds {
        for (variant, solver) in &mut solvers {
            // Short batches are repeated, because the variant before has evicted their data from the caches.
            let first = Instant::now();
            while first.elapsed() < SHORTEST || !times.contains_key(variant) {
                let start = Instant::now();
                std::hint::black_box(batch::run(solver));
                let time = start.elapsed().as_secs_f64() * 1e6 / instance.queries.len() as f64;
                let least = times.entry(*variant).or_insert(f64::INFINITY);
                *least = time.min(*least);
            }
        }
    }
    times
}

fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// Published maps with an even sample of about `rows` queries each; empty if they are not available.
fn published(rows: usize) -> Vec<(String, Instance)> {
    let mut found = Vec::new();
    let Some(folder) = shared_file("path") else {
        return found;
    };
    for map in ["arena2", "maze512-32-0", "random512-10-0"] {
        let read = |name: String| std::fs::read_to_string(folder.join(name));
        let files = (read(format!("{map}.map")), read(format!("{map}.map.scen")));
        let (Ok(text), Ok(scenario)) = files else {
            continue;
        };
        let whole = read_scenario(&text, &scenario).expect("a published scenario");
        let every = whole.queries.len().div_ceil(rows);
        let sample = MapInput {
            scenario: whole.queries.iter().copied().step_by(every).collect(),
            ..whole.input.as_ref().clone()
        };
        found.push((
            map.to_owned(),
            Instance::new(sample).expect("some of its rows"),
        ));
    }
    found
}
