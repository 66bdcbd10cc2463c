//! The gain of preparation, and the cases in which it is refused.

use ikeru_core::{Deadline, Direction, Incumbent, Refusal, Search, Settings, testing};
use ikeru_path::GridPath;
use ikeru_path::instance::Instance;

use crate::{generate, settings};

/// A counter of a variant over all queries of an instance, and the size of its tables in bytes.
fn counted(counter: &str, name: &str, instance: &Instance) -> (u64, u64) {
    let variant = testing::variant::<GridPath>(name).expect("a variant");
    let prepared = (variant.prepare)(instance, &Settings::new(), Deadline::never());
    let mut solver = prepared.unwrap_or_else(|refusal| panic!("{refusal}"));
    let incumbent = Incumbent::new(Direction::Minimize);
    let mut search = Search::new(&incumbent);
    solver.solve(&mut search);
    (search.counters.get(counter), solver.table_bytes())
}

fn expansions(name: &str, instance: &Instance) -> (u64, u64) {
    counted("expansions", name, instance)
}

/// Corridors of one cell have no diagonals, so that every jump leads to a jump point or nowhere.
#[test]
fn jumps_that_lead_nowhere_are_not_looked_for() {
    let maze = "width=120 height=120 corridor=1 queries=50";
    let instance = generate("path.maze", maze, 1);
    let (found, _) = counted("generated", "jps", &instance);
    let (kept, _) = counted("generated", "jps-tables", &instance);
    assert!(kept > 1_000);
    assert_eq!(found, kept);
}

/// On noise many paths are shortest, and the bounds keep all of them.
#[test]
fn bounds_leave_few_expansions() {
    for (factor, generator, parameters) in [
        (3, "path.terrain", "width=160 height=160 queries=100"),
        (
            2,
            "path.random",
            "width=96 height=96 density=0.25 queries=100",
        ),
    ] {
        let instance = generate(generator, parameters, 1);
        let (all, small) = expansions("jps-tables", &instance);
        let (bounded, large) = expansions("jps-bounds", &instance);
        assert!(factor * bounded <= all, "{generator}: {bounded} of {all}");
        assert!(small < large, "{generator}: {small} {large} bytes");
    }
}

/// A maze has only one path, and only its turns are expanded.
#[test]
fn bounds_lead_straight_through_a_maze() {
    let maze = "width=160 height=160 corridor=4 queries=100";
    let instance = generate("path.maze", maze, 1);
    let answer = crate::solve("jps-bounds", &instance, "", 1).expect("an answer");
    let waypoints = answer.paths().flatten().map(|path| path.waypoints.len());
    let (bounded, _) = expansions("jps-bounds", &instance);
    let waypoints = waypoints.sum::<usize>() as u64;
    assert!(bounded <= waypoints, "{bounded} of {waypoints}");
}

#[test]
fn jump_points_over_mixed_ground_are_refused() {
    let free = generate("path.roads", "width=20 height=20 queries=4", 1);
    let free = free.ask(&settings("road=0")).expect("a question");
    for name in ["jps", "jps-tables", "jps-bounds"] {
        let why = refusal(name, &free);
        let part = "jump points need ground of one factor";
        assert!(why.contains(part), "{name}: {why}");
    }
}

/// The preparation's message of refusal.
fn refusal(name: &str, instance: &Instance) -> String {
    let variant = testing::variant::<GridPath>(name).expect("a variant");
    match (variant.prepare)(instance, &Settings::new(), Deadline::never()) {
        Err(Refusal::Skip(why)) => why,
        _ => panic!("{name} was prepared"),
    }
}

#[test]
fn jumps_over_ground_of_one_factor_leave_few_expansions() {
    for (factor, generator, parameters) in [
        (3, "path.terrain", "feature=128"),
        (2, "path.terrain", "feature=32"),
        (1, "path.roads", ""),
    ] {
        let size = "width=160 height=160 queries=30";
        let map = generate(generator, &format!("{size} {parameters}"), 1);
        for question in ["unit=horse", "forest=2 mountain=4 sea=8 swamp=3 road=0.5"] {
            let instance = map.ask(&settings(question)).expect("a question");
            let (all, _) = expansions("bucket", &instance);
            let (jumped, bytes) = expansions("jps-weighted", &instance);
            assert!(factor * jumped <= all, "{generator}: {jumped} of {all}");
            assert!(bytes > 0);
        }
    }
}

#[test]
fn jumps_over_costs_near_the_limit_are_answered_exactly() {
    let map = generate(
        "path.terrain",
        "width=150 height=150 queries=6 feature=64",
        1,
    );
    for question in ["forest=1000 sea=1000", "plain=0.01 forest=900 sea=1000"] {
        let instance = map.ask(&settings(question)).expect("a question");
        let cost = |name| crate::solve(name, &instance, "", 1).expect("an answer");
        assert_eq!(cost("jps-weighted").claimed, cost("hash").claimed);
    }
}

#[test]
fn ground_without_regions_is_refused() {
    let size = "width=160 height=160 queries=4 feature=2";
    let noise = generate("path.terrain", size, 1);
    let words = "forest=2 mountain=4 sea=8";
    let noise = noise.ask(&settings(words)).expect("a question");
    let why = refusal("jps-weighted", &noise);
    assert!(why.contains("mixed in more than 512 ways"), "{why}");
    let free = generate("path.roads", "width=20 height=20 queries=4", 1);
    let free = free.ask(&settings("road=0")).expect("a question");
    let why = refusal("jps-weighted", &free);
    assert!(why.contains("factors above 0"), "{why}");
}

/// Maps with long walls, with short walls, and questions that jump point search refuses.
#[test]
fn auto_does_what_the_variant_does_that_it_takes() {
    for (generator, parameters, question, taken) in [
        ("path.open", "", "", "jps"),
        ("path.maze", "corridor=1", "", "jps"),
        ("path.rooms", "room=4", "", "jps"),
        ("path.rooms", "room=16", "", "jps"),
        ("path.terrain", "", "", "jps"),
        ("path.random", "density=0.4", "", "jps"),
        ("path.random", "density=0.001", "", "jps"),
        ("path.random", "density=0.02", "", "bucket"),
        ("path.random", "density=0.1", "", "bucket"),
        ("path.random", "density=0.25", "", "bucket"),
        ("path.rooms", "room=3", "", "bucket"),
        ("path.rooms", "room=16", "corners=allow", "bucket"),
        ("path.roads", "", "road=50", "bucket"),
        ("path.terrain", "", "unit=horse", "jps-weighted"),
        ("path.terrain", "feature=2", "unit=horse", "bucket"),
    ] {
        let size = "width=200 height=200 queries=4";
        let map = generate(generator, &format!("{size} {parameters}"), 1);
        let instance = map.ask(&settings(question)).expect("a question");
        let work = |name| ["expansions", "queued"].map(|counter| counted(counter, name, &instance));
        assert_eq!(
            work("auto"),
            work(taken),
            "{generator} {parameters} {question}"
        );
    }
}
