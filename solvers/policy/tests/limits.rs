//! Deadlines and memory: every variant of every problem stops soon after its deadline and keeps its counters, every
//! referee has a deadline, and an instance that is too large is refused in one line.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ikeru_core::testing::{asked, settings};
use ikeru_core::{
    AnyInstance, AnyProblem, Deadline, Direction, Ended, Incumbent, Refusal, Rejection, Search,
    Settings, erase,
};
use ikeru_policy::{Build, Versus};

/// An instance of every problem that takes most variants long.
fn long() -> Vec<(&'static dyn AnyProblem, Box<dyn AnyInstance>)> {
    let (build, versus) = (erase::<Build>(), erase::<Versus>());
    vec![
        (
            build,
            asked(
                build,
                "build.sequence",
                "width=8 height=15",
                "moves=1000 visible=8",
            ),
        ),
        (
            build,
            asked(
                build,
                "build.sequence",
                "",
                "moves=1000 visible=8 goal=template completion=all",
            ),
        ),
        (
            versus,
            asked(
                versus,
                "versus.sequence",
                "",
                "turns=1000 opponent=combined",
            ),
        ),
    ]
}

#[test]
fn a_deadline_that_has_passed_ends_every_preparation_and_every_search() {
    let stop = AtomicBool::new(true);
    let passed = Deadline::never().or_stop(&stop);
    for (problem, instance) in long() {
        for variant in problem.variants() {
            let none = Settings::new();
            // The variant skips the instance, for example because no template is drawn for a board of this width.
            let Ok(mut solver) = instance.prepare(variant.name, &none, Deadline::never()) else {
                continue;
            };
            let late = instance.prepare(variant.name, &none, passed);
            assert!(
                matches!(late, Err(Refusal::Timeout)),
                "{} {}",
                problem.name(),
                variant.name
            );
            let incumbent = Incumbent::new(Direction::Maximize);
            let mut search = Search::new(&incumbent);
            search.threads = 2;
            search.deadline = passed;
            solver.solve(&mut search);
            let ended = solver.ended();
            assert!(
                matches!(ended, Some(Ended::Timeout { .. })),
                "{} {}",
                problem.name(),
                variant.name
            );
            let work = search.counters.get("placements");
            assert!(work <= 200, "{} {}: {work}", problem.name(), variant.name);
        }
    }
}

#[test]
fn a_deadline_within_one_decision_is_kept() {
    let problem = erase::<Build>();
    let game = asked(problem, "build.sequence", "width=8 height=15", "visible=8");
    for (variant, method) in [
        // A single decision takes hours.
        ("beam", "width=100000 plies=40 continuations=1000"),
        ("potential", "depth=4"),
    ] {
        let solver = game.prepare(variant, &settings(method), Deadline::never());
        let mut solver = solver.expect("a policy");
        let incumbent = Incumbent::new(Direction::Maximize);
        let mut search = Search::new(&incumbent);
        search.deadline = Deadline::after(Duration::from_millis(200));
        let started = Instant::now();
        solver.solve(&mut search);
        assert!(started.elapsed() < Duration::from_secs(3), "{variant}");
        if matches!(solver.ended(), Some(Ended::Timeout { .. })) {
            assert!(search.counters.get("placements") > 0, "{variant}");
            // The moves so far are a valid answer.
            let checked = solver.referee(Deadline::never()).expect("an answer");
            assert!(checked.is_ok(), "{variant}: {checked:?}");
        }
    }
}

#[test]
fn every_referee_has_a_deadline() {
    let stop = AtomicBool::new(true);
    let passed = Deadline::never().or_stop(&stop);
    let (build, versus) = (erase::<Build>(), erase::<Versus>());
    for (instance, variant) in [
        (
            asked(build, "build.sequence", "", "moves=3 goal=template"),
            "template",
        ),
        (asked(versus, "versus.sequence", "", "turns=3"), "greedy"),
    ] {
        let mut solver = instance
            .prepare(variant, &Settings::new(), Deadline::never())
            .expect("a solver");
        let incumbent = Incumbent::new(Direction::Maximize);
        solver.solve(&mut Search::new(&incumbent));
        assert_eq!(
            solver.referee(passed),
            Some(Err(Rejection::Timeout)),
            "{variant}"
        );
        assert!(
            solver
                .referee(Deadline::never())
                .is_some_and(|checked| checked.is_ok())
        );
    }
}

#[test]
fn boards_that_no_template_fits_are_played_by_default() {
    let build = erase::<Build>();
    for parameters in ["width=8 height=15", "width=2 height=2", "width=6"] {
        let game = asked(build, "build.sequence", parameters, "moves=2");
        let solver = game.prepare(game.default_variant(), &Settings::new(), Deadline::never());
        assert!(solver.is_ok(), "{parameters}");
    }
}
