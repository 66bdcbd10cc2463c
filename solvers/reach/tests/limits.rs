//! Deadlines and memory: a deadline ends every variant within a step and keeps its counters; questions that need too
//! much memory are refused.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ikeru_core::testing::asked;
use ikeru_core::{
    Deadline, Direction, Ended, Incumbent, Refusal, Rejection, Search, Settings, erase,
};
use ikeru_reach::{Reach, Routes};

#[test]
fn a_deadline_that_has_passed_ends_every_preparation() {
    let stop = AtomicBool::new(true);
    let passed = Deadline::never().or_stop(&stop);
    for (problem, generator) in [
        (erase::<Reach>(), "reach.spanning-grid"),
        (erase::<Routes>(), "routes.spanning-grid"),
    ] {
        let instance = asked(problem, generator, "", "");
        for variant in problem.variants() {
            let late = instance.prepare(variant.name, &Settings::new(), passed);
            assert!(
                !matches!(late, Ok(_) | Err(Refusal::Input(_))),
                "{}",
                variant.name
            );
        }
    }
}

/// A million steps from every vertex around the border of a grid of `width` × `height`, where the state never repeats
/// after two steps.
fn ring(width: usize, height: usize) -> String {
    let row = |row: usize| (1..width - 1).map(move |column| (row * width + column).to_string());
    let inner: Vec<String> = (1..height - 1).flat_map(row).collect();
    format!(
        "steps=1000000 starts=all god=false blocked={}",
        inner.join(",")
    )
}

/// Questions of minutes of work for every variant, most of it in one start or in one step.
#[test]
fn a_deadline_is_kept_inside_a_start_and_inside_a_step() {
    let reach = erase::<Reach>();
    let mut ended = Vec::new();
    let (registers, bands) = (ring(16, 16), ring(200, 33));
    for (generator, parameters, question) in [
        // All planes in registers: starts of a million steps.
        ("reach.full-grid", "width=16 height=16", registers.as_str()),
        ("reach.full-grid", "width=200 height=33", bands.as_str()),
        (
            "reach.full-grid",
            "width=16 height=16",
            "steps=1000000 starts=all",
        ),
        (
            "reach.full-grid",
            "width=16 height=16",
            "steps=1000000 starts=all god=false",
        ),
        // A window of many words.
        ("reach.full-grid", "width=200 height=200", "steps=1000000"),
        (
            "reach.full-grid",
            "width=200 height=200",
            "steps=1000000 holder=0",
        ),
        ("reach.rail", "vertices=20000", "steps=1000000 uturns=true"),
        ("reach.rail", "vertices=20000", "steps=1000000 god=false"),
        (
            "reach.rail",
            "vertices=20000",
            "steps=1000000 starts=all god=false",
        ),
    ] {
        let instance = asked(reach, generator, parameters, question);
        for variant in reach.variants() {
            // On most maps the state repeats after two steps, and these two variants stop.
            let stops = ["arrivals", "bitboard"].contains(&variant.name);
            if stops != question.contains("blocked") {
                continue;
            }
            let Ok(mut solver) =
                instance.prepare(variant.name, &Settings::new(), Deadline::never())
            else {
                continue;
            };
            let incumbent = Incumbent::new(Direction::Equal);
            let mut search = Search::new(&incumbent);
            search.deadline = Deadline::after(Duration::from_millis(50));
            let started = Instant::now();
            solver.solve(&mut search);
            let name = format!("{} on {generator} {parameters}", variant.name);
            // Once `barred` has barred every direction, no station is left and no other step is taken.
            let sets = solver
                .answer_json()
                .map(|json| json["reachable"].to_string());
            let is_empty = |sets: String| !sets.contains(|c: char| c.is_ascii_digit());
            if variant.name == "barred" && sets.is_some_and(is_empty) {
                continue;
            }
            assert!(
                matches!(solver.ended(), Some(Ended::Timeout { .. })),
                "{name}"
            );
            assert!(started.elapsed() < Duration::from_secs(2), "{name}");
            // The work before the deadline is counted, except by `bitboard`, which does not count states and arcs.
            let work = search.counters.get("states") + search.counters.get("arcs");
            assert_eq!(work > 0, variant.name != "bitboard", "{name}");
            ended.push(variant.name);
        }
    }
    for variant in reach
        .variants()
        .iter()
        .filter(|variant| variant.name != "memo")
    {
        assert!(ended.contains(&variant.name), "{} took part", variant.name);
    }
    // The tables of `memo` grow with the steps.
    let instance = asked(
        reach,
        "reach.full-grid",
        "width=30 height=30",
        "steps=60000",
    );
    let solver = instance.prepare("memo", &Settings::new(), Deadline::never());
    let mut solver = solver.expect("tables below a gibibyte");
    let incumbent = Incumbent::new(Direction::Equal);
    let mut search = Search::new(&incumbent);
    search.deadline = Deadline::after(Duration::from_millis(50));
    solver.solve(&mut search);
    assert!(matches!(solver.ended(), Some(Ended::Timeout { .. })));
    assert!(search.counters.get("states") > 0);
}

#[test]
fn referees_have_deadlines() {
    let stop = AtomicBool::new(true);
    let passed = Deadline::never().or_stop(&stop);
    for (problem, generator) in [
        (erase::<Reach>(), "reach.spanning-grid"),
        (erase::<Routes>(), "routes.spanning-grid"),
    ] {
        let instance = asked(problem, generator, "", "");
        let variant = instance.default_variant();
        let solver = instance.prepare(variant, &Settings::new(), Deadline::never());
        let mut solver = solver.expect("a solver");
        let incumbent = Incumbent::new(Direction::Equal);
        solver.solve(&mut Search::new(&incumbent));
        assert_eq!(solver.referee(passed), Some(Err(Rejection::Timeout)));
        assert!(
            solver
                .referee(Deadline::never())
                .is_some_and(|checked| checked.is_ok())
        );
    }
}

#[test]
fn answers_and_tables_beyond_the_memory_are_refused_with_their_size() {
    let (reach, routes) = (erase::<Reach>(), erase::<Routes>());
    let all = asked(
        reach,
        "reach.rail",
        "vertices=1000000",
        "starts=all god=false",
    );
    for variant in reach.variants() {
        let refused = all.prepare(variant.name, &Settings::new(), Deadline::never());
        let Err(Refusal::Skip(why)) = refused else {
            panic!(
                "{} takes a million sets of a million vertices",
                variant.name
            );
        };
        assert!(
            why.contains("bytes, at most") || why.contains("degree"),
            "{why}"
        );
    }
    let long = asked(routes, "routes.full-grid", "width=100", "steps=1000000");
    let refused = long.prepare("count", &Settings::new(), Deadline::never());
    let Err(Refusal::Skip(why)) = refused else {
        panic!("numbers of a million bits for 39,600 arcs were taken");
    };
    assert!(why.contains("bytes, at most"), "{why}");
}

/// A step with large numbers is interrupted too, and its additions are counted.
#[test]
fn counting_routes_keeps_its_deadline_within_a_step() {
    let routes = erase::<Routes>();
    let long = asked(routes, "routes.full-grid", "width=100", "steps=60000");
    let solver = long.prepare("count", &Settings::new(), Deadline::never());
    let mut solver = solver.expect("below a gibibyte");
    let incumbent = Incumbent::new(Direction::Equal);
    let mut search = Search::new(&incumbent);
    search.deadline = Deadline::after(Duration::from_millis(100));
    let started = Instant::now();
    solver.solve(&mut search);
    assert!(matches!(solver.ended(), Some(Ended::Timeout { .. })));
    assert!(started.elapsed() < Duration::from_secs(3));
    assert!(search.counters.get("additions") > 0);
}
