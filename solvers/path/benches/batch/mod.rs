//! Instances and solvers for the benches.

use ikeru_core::testing::{generate, variant};
use ikeru_core::{Attempt, BoxedSolve, Deadline, Direction, Incumbent, Search, Settings};
use ikeru_path::GridPath;
use ikeru_path::instance::Instance;

/// One instance of each kind of map with the given side and number of queries.
pub fn kinds(side: usize, queries: usize) -> Vec<(String, Instance)> {
    let kinds = [
        ("path.open", ""),
        ("path.random", "density=0.25"),
        ("path.maze", "corridor=4"),
        ("path.rooms", "room=16"),
        ("path.terrain", ""),
    ];
    let size = format!("width={side} height={side} queries={queries}");
    let make = |(name, parameters): (&str, &str)| {
        let made = generate::<GridPath>(name, &format!("{size} {parameters}"), 1);
        (name.to_owned(), made)
    };
    kinds.into_iter().map(make).collect()
}

/// A prepared solver; `None` if the variant skips the instance.
pub fn prepare<'a>(name: &str, instance: &'a Instance) -> Option<BoxedSolve<'a, GridPath>> {
    let variant = variant::<GridPath>(name).expect("a known variant");
    (variant.prepare)(instance, &Settings::new(), Deadline::never()).ok()
}

/// Answers all queries once on one thread.
pub fn run(solver: &mut BoxedSolve<'_, GridPath>) -> i64 {
    run_on(solver, 1)
}

/// Answers all queries once.
pub fn run_on(solver: &mut BoxedSolve<'_, GridPath>, threads: usize) -> i64 {
    let incumbent = Incumbent::new(Direction::Minimize);
    let mut search = Search::new(&incumbent);
    search.threads = threads;
    match solver.solve(&mut search) {
        Attempt::Solved { answer, .. } => answer.claimed,
        Attempt::Timeout { .. } => panic!("no deadline was set"),
    }
}
