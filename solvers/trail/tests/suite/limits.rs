//! Tests of timeouts, bounds, threads and bound policies.

use std::sync::atomic::AtomicBool;

use ikeru_core::Attempt;
use ikeru_core::testing::{generate, variant};
use ikeru_core::{
    BoundPolicy, Deadline, Direction, Incumbent, Problem, Random, Refusal, Search, Settings,
};
use ikeru_trail::{EdgeOperation, Puzzle, TrailProblem};

use crate::{checked, run, solve, solved};

fn generated(width: i64, height: i64, seed: u64) -> Puzzle {
    generate::<TrailProblem>(
        "trail.random",
        &format!("width={width} height={height}"),
        seed,
    )
}

#[test]
fn a_search_cut_short_says_its_best_and_a_bound() {
    let puzzle = generated(7, 7, 1);
    for variant in TrailProblem::VARIANTS
        .iter()
        .filter(|variant| variant.name.starts_with("dfs"))
    {
        let deadline = Deadline::after(std::time::Duration::from_millis(30));
        let run = run(&puzzle, variant.name, 1, deadline).expect("a puzzle it takes");
        let Attempt::Timeout {
            best: Some(best),
            bound: Some(bound),
        } = run.attempt
        else {
            panic!(
                "{} did not run into its deadline with a best and a bound",
                variant.name
            );
        };
        let checked = checked(&puzzle, &best);
        assert_eq!(checked.score, run.incumbent, "{}", variant.name);
        // The article's bound before the first move, (1 + 148) × 36 on its 7×7 board, holds.
        let sum: i64 = puzzle
            .board()
            .operations()
            .iter()
            .map(|op| op.affine().1.max(0))
            .sum();
        assert!(
            checked.score <= Some(bound) && bound <= (1 + sum) * 36,
            "{}",
            variant.name
        );
    }
}

#[test]
fn a_bound_of_an_interrupted_search_holds() {
    // The search is interrupted at once, so that the root itself is open.
    let stop = AtomicBool::new(true);
    for seed in 0..40 {
        let puzzle = generated(3, 3, seed);
        let (best, _) = solve(&puzzle, "dfs");
        for variant in TrailProblem::VARIANTS {
            let deadline = Deadline::never().or_stop(&stop);
            let run = run(&puzzle, variant.name, 1, deadline).expect("a puzzle");
            if let Attempt::Timeout { bound, .. } = run.attempt {
                assert!(bound >= best, "{}: {bound:?} for {best:?}", variant.name);
            }
        }
    }
}

#[test]
fn threads_and_policies_change_no_answer() {
    for seed in 0..6 {
        let puzzle = generated(4, 5, seed);
        let (best, alone) = solve(&puzzle, "dfs+bound");
        let variant = variant::<TrailProblem>("parallel").expect("the parallel variant");
        let mut solver = (variant.prepare)(&puzzle, &Settings::new(), Deadline::never())
            .expect("a puzzle it takes");
        for (threads, policy) in [
            (1, BoundPolicy::Shared),
            (2, BoundPolicy::Private),
            (3, BoundPolicy::Shared),
            (3, BoundPolicy::Private),
        ] {
            let incumbent = Incumbent::new(Direction::Maximize);
            let mut search = Search::new(&incumbent);
            search.threads = threads;
            search.bound_policy = policy;
            let checked = solved(&puzzle, &solver.solve(&mut search));
            assert_eq!(checked.score, best, "{threads} threads, {policy:?}");
            assert!(search.counters.get("nodes") > 0 && alone.get("nodes") > 0);
        }
    }
}

#[test]
fn a_solver_may_be_asked_again() {
    let puzzle = generated(4, 4, 9);
    for variant in TrailProblem::VARIANTS {
        let mut solver = (variant.prepare)(&puzzle, &Settings::new(), Deadline::never())
            .expect("a puzzle it takes");
        let mut ask = || {
            let incumbent = Incumbent::new(Direction::Maximize);
            let mut search = Search::new(&incumbent);
            let attempt = solver.solve(&mut search);
            (attempt, search.counters.get("nodes"))
        };
        assert_eq!(ask(), ask(), "{}", variant.name);
    }
}

/// A passed deadline ends every variant before its first node, on boards of every size.
#[test]
fn a_deadline_that_has_passed_ends_every_variant_at_once() {
    let stop = AtomicBool::new(true);
    let passed = Deadline::never().or_stop(&stop);
    for (width, height) in [(9, 9), (16, 16), (17, 17), (64, 64)] {
        let puzzle = generated(width, height, 1);
        for variant in TrailProblem::VARIANTS {
            let late = (variant.prepare)(&puzzle, &Settings::new(), passed);
            let Ok(run) = run(&puzzle, variant.name, 2, passed) else {
                assert!(width > 9, "{} takes small boards", variant.name);
                continue;
            };
            assert!(matches!(late, Err(Refusal::Timeout)), "{}", variant.name);
            let Attempt::Timeout { bound, .. } = run.attempt else {
                panic!("{} solved a board of {width} x {height}", variant.name);
            };
            let work = run.counters.get("nodes") + run.counters.get("kernel_calls");
            assert!(work <= 2, "{}: {work} looks", variant.name);
            assert!(bound.is_some(), "{}", variant.name);
        }
    }
}

/// Depth-first search takes a board of any size that a generator makes, and returns a best trail and a bound.
#[test]
fn boards_beyond_sixteen_columns_are_searched() {
    for (side, default) in [(17, "lagrangian"), (32, "lagrangian"), (64, "dominance")] {
        let puzzle = generated(side, side, 1);
        assert_eq!(TrailProblem::default_variant(&puzzle), default);
        for name in [
            "dfs",
            "dfs+deadend",
            "dfs+mutual",
            "dfs+bound",
            "parallel",
            "dominance",
        ] {
            let started = std::time::Instant::now();
            let deadline = Deadline::after(std::time::Duration::from_millis(200));
            let run = run(&puzzle, name, 2, deadline).expect("a board it takes");
            let Attempt::Timeout { best, bound } = run.attempt else {
                panic!("{name} solved {side} x {side}");
            };
            assert!(started.elapsed().as_secs() < 3, "{name} on {side} x {side}");
            assert!(
                bound >= best.as_ref().and_then(TrailProblem::score),
                "{name}"
            );
            assert!(run.counters.get("nodes") > 1_000, "{name}");
            if let Some(best) = best {
                checked(&puzzle, &best);
            }
        }
    }
}

/// The search is the same for every kind of edge set: here a corridor is so long that its edges need the heap, and only
/// its end is searched.
#[test]
fn sets_on_the_heap_change_no_answer() {
    let mut random = Random::new("trail sets on the heap", 1);
    let end = |random: &mut Random| -> Vec<EdgeOperation> {
        (0..7 * 3 + 4)
            .map(|_| EdgeOperation::Add(random.between(-3, 9)))
            .collect()
    };
    for _ in 0..10 {
        let end = end(&mut random);
        let puzzle = |rows: usize| {
            let edges = 3 * rows - 2;
            let mut operations = vec![EdgeOperation::Add(0); edges - end.len()];
            operations.extend(&end);
            let board = std::sync::Arc::new(ikeru_trail::PuzzleBoard::new(2, rows, operations)?);
            Puzzle::new(
                board,
                (0..rows - 7).map(|row| 2 * row).collect(),
                2 * rows - 1,
            )
        };
        let (narrow, large) = (puzzle(12).expect("a board"), puzzle(400).expect("a board"));
        for variant in ["dfs", "dfs+mutual", "dfs+bound", "parallel", "dominance"] {
            let best = solve(&narrow, variant).0;
            assert_eq!(solve(&large, variant).0, best, "{variant}");
        }
    }
}
