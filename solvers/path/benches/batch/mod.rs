//! Instances and solvers for the benches.

use ikeru_core::{
    Attempt, BoxedSolve, Deadline, Incumbent, Problem, Random, Search, Settings, Value,
};
use ikeru_path::GridPath;
use ikeru_path::instance::Instance;

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

/// A prepared solver; `None` where the variant skips the instance.
pub fn prepare<'a>(variant: &str, instance: &'a Instance) -> Option<BoxedSolve<'a, GridPath>> {
    let known = GridPath::variants()
        .iter()
        .find(|known| known.name == variant);
    (known.expect("a known variant").prepare)(instance, &Settings::new(), Deadline::never()).ok()
}

/// Answers all queries once on one thread.
pub fn run(solver: &mut BoxedSolve<'_, GridPath>) -> i64 {
    run_on(solver, 1)
}

/// Answers all queries once.
pub fn run_on(solver: &mut BoxedSolve<'_, GridPath>, threads: usize) -> i64 {
    let incumbent = Incumbent::new();
    let mut search = Search::new(&incumbent);
    search.threads = threads;
    match solver.solve(&mut search) {
        Attempt::Solved(answer) => answer.claimed,
        Attempt::Timeout { .. } => panic!("no deadline was set"),
    }
}
