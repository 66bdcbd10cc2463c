//! What preparation buys, and where it is refused.

use ikeru_core::{Deadline, Direction, Incumbent, Problem, Refusal, Search, Settings, testing};
use ikeru_path::GridPath;
use ikeru_path::instance::Instance;

use crate::{generate, settings};

/// A counter and the bytes of tables of a variant on all queries of an instance.
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

/// In corridors of one cell there are no diagonals, so that every jump leads to a jump point or nowhere.
#[test]
fn jumps_that_lead_nowhere_are_not_looked_for() {
    let maze = "width=120 height=120 corridor=1 queries=50";
    let instance = generate("path.maze", maze, 1);
    let (found, _) = counted("generated", "jps", &instance);
    let (kept, _) = counted("generated", "jps-tables", &instance);
    assert!(kept > 1_000);
    assert_eq!(found, kept);
}

/// On noise many shortest paths are equal, and all of them stay.
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

/// A maze has one path, and the turns of that path are all that is left to expand.
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
fn a_first_move_is_looked_up_for_each_step() {
    let instance = generate("path.maze", "width=40 height=40 corridor=2 queries=50", 1);
    let answer = crate::solve("first-move", &instance, "", 1).expect("an answer");
    let steps = answer
        .paths()
        .flatten()
        .map(|path| path.cells().count() - 1);
    let (looked_up, _) = expansions("first-move", &instance);
    assert_eq!(looked_up, steps.sum::<usize>() as u64);
}

#[test]
fn tables_beyond_their_limits_are_refused() {
    let large = generate("path.open", "width=224 height=224 queries=1", 1);
    let free = generate("path.roads", "width=20 height=20 queries=4", 1);
    let free = free.ask(&settings("road=0")).expect("a question");
    let rows = format!("{}\n", ".".repeat(8192)).repeat(1024);
    let wide = GridPath::read(&format!(
        "type octile\nheight 1024\nwidth 8192\nmap\n{rows}"
    ));
    let ends = settings("start=0,0 goal=1,1");
    let wide = wide.and_then(|map| map.ask(&ends)).expect("a map");
    for (name, instance, part) in [
        (
            "first-move",
            &large,
            "up to 50000 open cells, this one has 50176",
        ),
        ("first-move", &wide, "up to 4194304 cells"),
        ("first-move", &free, "ground of the factor 0"),
        ("jps-bounds", &free, "jump points need ground of one factor"),
    ] {
        let variant = testing::variant::<GridPath>(name).expect("a variant");
        let refused = (variant.prepare)(instance, &Settings::new(), Deadline::never());
        let Err(Refusal::Skip(why)) = refused else {
            panic!("{name} was prepared");
        };
        assert!(why.contains(part), "{name}: {why}");
    }
}
