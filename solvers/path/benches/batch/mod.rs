//! Instances and solvers for the benches.
#![allow(dead_code, reason = "each bench uses its part")]

use std::path::PathBuf;

use ikeru_core::{Attempt, BoxedSolve, Incumbent, Problem, Random, Search, Settings, Value};
use ikeru_path::instance::{Input, Instance};
use ikeru_path::{GridPath, read_scenario};

/// One instance of each kind of map, its side and number of queries given.
pub fn kinds(side: i64, queries: i64) -> Vec<(String, Instance)> {
    let kinds: [(&str, &[(&str, f64)]); 5] = [
        ("path.open", &[]),
        ("path.random", &[("density", 0.25)]),
        ("path.maze", &[("corridor", 4.0)]),
        ("path.rooms", &[("room", 16.0)]),
        ("path.terrain", &[]),
    ];
    let make = |(name, parameters): (&str, &[(&str, f64)])| {
        let known = GridPath::generators()
            .iter()
            .find(|known| known.name == name);
        let mut settings = Settings::new();
        for (key, value) in [("width", side), ("height", side), ("queries", queries)] {
            settings.set(key, Value::Int(value));
        }
        for (key, value) in parameters {
            settings.set(*key, Value::parse(&value.to_string()));
        }
        let made = known.map(|known| (known.generate)(&settings, &mut Random::new(name, 1)));
        (
            name.to_owned(),
            made.expect("a known generator").expect("an instance"),
        )
    };
    kinds.into_iter().map(make).collect()
}

/// Other people's maps with an even sample of about `rows` queries each; none where they are not
/// at hand.
pub fn published(rows: usize) -> Vec<(String, Instance)> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("IKERU_SHARED_DATA").map_or_else(beside, PathBuf::from);
    let mut found = Vec::new();
    for map in ["arena2", "maze512-32-0", "random512-10-0"] {
        let read = |name: String| std::fs::read_to_string(data.join("path").join(name));
        let files = (read(format!("{map}.map")), read(format!("{map}.map.scen")));
        let (Ok(text), Ok(scenario)) = files else {
            continue;
        };
        let whole = read_scenario(&text, &scenario).expect("a published scenario");
        let every = whole.queries.len().div_ceil(rows);
        let sample = Input {
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

/// A prepared solver; `None` where the variant skips the instance.
pub fn prepare<'a>(variant: &str, instance: &'a Instance) -> Option<BoxedSolve<'a, GridPath>> {
    let known = GridPath::variants()
        .iter()
        .find(|known| known.name == variant);
    (known.expect("a known variant").prepare)(instance, &Settings::new()).ok()
}

/// Answers all queries once.
pub fn run(solver: &mut BoxedSolve<'_, GridPath>) -> i64 {
    let incumbent = Incumbent::new();
    match solver.solve(&mut Search::new(&incumbent)) {
        Attempt::Solved(answer) => answer.claimed,
        Attempt::Timeout { .. } => panic!("no deadline was set"),
    }
}
