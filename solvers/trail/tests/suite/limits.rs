//! Timeouts, bounds, threads and bound policies.

use std::sync::atomic::AtomicBool;

use ikeru_core::{
    Attempt, BoundPolicy, Deadline, Incumbent, Problem, Random, Search, Settings, Value,
};
use ikeru_trail::{Puzzle, TrailProblem};

use crate::solve;

fn generated(width: i64, height: i64, seed: u64) -> Puzzle {
    let generator = &TrailProblem::generators()[0];
    let size = [("width", Value::Int(width)), ("height", Value::Int(height))];
    let mut random = Random::new(generator.name, seed);
    (generator.generate)(&Settings::from_iter(size), &mut random).expect("a board")
}

#[test]
fn a_search_cut_short_says_its_best_and_a_bound() {
    let puzzle = generated(7, 7, 1);
    for variant in TrailProblem::variants()
        .iter()
        .filter(|variant| variant.name.starts_with("dfs"))
    {
        let incumbent = Incumbent::new();
        let mut search = Search::new(&incumbent);
        search.deadline = Deadline::after(std::time::Duration::from_millis(30));
        let mut solver = (variant.prepare)(&puzzle, &Settings::new(), Deadline::never())
            .expect("a puzzle it takes");
        let Attempt::Timeout {
            best: Some(best),
            bound: Some(bound),
        } = solver.solve(&mut search)
        else {
            panic!(
                "{} did not run into its deadline with a best and a bound",
                variant.name
            );
        };
        let checked = TrailProblem::referee(&puzzle, &best, Deadline::never()).expect("a trail");
        assert_eq!(checked.score, Some(incumbent.get()), "{}", variant.name);
        // (1 + 148) × 36, the article's bound of its 7×7, holds before the first move.
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
    // Interrupted at once, the root itself is open.
    let stop = AtomicBool::new(true);
    for seed in 0..40 {
        let puzzle = generated(3, 3, seed);
        let (best, _) = solve(&puzzle, "dfs");
        for variant in TrailProblem::variants() {
            let incumbent = Incumbent::new();
            let mut search = Search::new(&incumbent);
            search.deadline = Deadline::never().or_stop(&stop);
            let mut solver =
                (variant.prepare)(&puzzle, &Settings::new(), Deadline::never()).expect("a puzzle");
            if let Attempt::Timeout { bound, .. } = solver.solve(&mut search) {
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
        let variants = TrailProblem::variants();
        let variant = variants.iter().find(|variant| variant.name == "parallel");
        let variant = variant.expect("the parallel variant");
        let mut solver = (variant.prepare)(&puzzle, &Settings::new(), Deadline::never())
            .expect("a puzzle it takes");
        for (threads, policy) in [
            (1, BoundPolicy::Shared),
            (2, BoundPolicy::Private),
            (3, BoundPolicy::Shared),
            (3, BoundPolicy::Private),
        ] {
            let incumbent = Incumbent::new();
            let mut search = Search::new(&incumbent);
            search.threads = threads;
            search.bound_policy = policy;
            let Attempt::Solved(answer) = solver.solve(&mut search) else {
                panic!("gave up without a deadline");
            };
            let checked =
                TrailProblem::referee(&puzzle, &answer, Deadline::never()).expect("a right answer");
            assert_eq!(checked.score, best, "{threads} threads, {policy:?}");
            assert!(search.counters.get("nodes") > 0 && alone.get("nodes") > 0);
        }
    }
}

#[test]
fn a_solver_may_be_asked_again() {
    let puzzle = generated(4, 4, 9);
    for variant in TrailProblem::variants() {
        let mut solver = (variant.prepare)(&puzzle, &Settings::new(), Deadline::never())
            .expect("a puzzle it takes");
        let mut ask = || {
            let incumbent = Incumbent::new();
            let mut search = Search::new(&incumbent);
            let attempt = solver.solve(&mut search);
            (attempt, search.counters.get("nodes"))
        };
        assert_eq!(ask(), ask(), "{}", variant.name);
    }
}
