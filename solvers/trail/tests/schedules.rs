//! Parallel searches of tiny puzzles under many schedules of their threads; empty without `--cfg shuttle`.
#![cfg(shuttle)]

use std::sync::Arc;

use ikeru_core::sync::atomic::{AtomicBool, Ordering};
use ikeru_core::sync::{check, thread};
use ikeru_core::testing::variant;
use ikeru_core::{Attempt, BoundPolicy, Deadline, Direction, Incumbent, Score, Search, Settings};
use ikeru_trail::{Answer, EdgeOperation, Puzzle, PuzzleBoard, TrailProblem};

/// The score of the best trail of [`puzzle`].
const OPTIMUM: Score = 69;

const PARALLEL: [&str; 3] = ["parallel", "parallel-spawn", "lagrangian-parallel"];

/// A board of 3 × 3 vertices with two factors.
fn puzzle() -> Puzzle {
    let numbers = [3, 1, -2, 4, 2, 5, 1, 6, -1, 2, 3, 4];
    let mut operations: Vec<EdgeOperation> = numbers.map(EdgeOperation::Add).into();
    operations[4] = EdgeOperation::Multiply(2);
    operations[8] = EdgeOperation::Multiply(3);
    let board = Arc::new(PuzzleBoard::new(3, 3, operations).expect("a board"));
    Puzzle::new(board, vec![0], 8).expect("a question")
}

/// The attempt of the variant `name` on two threads.
fn solve(
    name: &str,
    bound_policy: BoundPolicy,
    deadline: Deadline,
) -> (Attempt<Answer>, Option<Score>) {
    let puzzle = puzzle();
    let prepare = variant::<TrailProblem>(name).expect("a variant").prepare;
    let mut solver = prepare(&puzzle, &Settings::new(), Deadline::never()).expect("a solver");
    let incumbent = Incumbent::new(Direction::Maximize);
    let mut search = Search::new(&incumbent);
    (search.threads, search.bound_policy) = (2, bound_policy);
    search.deadline = deadline;
    (solver.solve(&mut search), incumbent.best())
}

/// The score of the best trail of an attempt, and whether the attempt proves it.
fn score(attempt: &Attempt<Answer>) -> (Option<Score>, bool) {
    match attempt {
        Attempt::Solved { answer, .. } => (answer.as_ref().map(|trail| trail.score), true),
        Attempt::Timeout { best, .. } => {
            let trail = best.as_ref().and_then(Option::as_ref);
            (trail.map(|trail| trail.score), false)
        }
    }
}

#[test]
fn schedules_of_two_threads() {
    check(500, || {
        for name in PARALLEL {
            for policy in [BoundPolicy::Shared, BoundPolicy::Private] {
                let (attempt, best) = solve(name, policy, Deadline::never());
                assert_eq!(score(&attempt), (Some(OPTIMUM), true), "{name}");
                assert_eq!(best, Some(OPTIMUM), "{name}");
            }
        }
    });
}

#[test]
fn schedules_of_a_stop() {
    check(500, || {
        for name in PARALLEL {
            let stop = &AtomicBool::new(false);
            thread::scope(|scope| {
                scope.spawn(|| stop.store(true, Ordering::Relaxed));
                let deadline = Deadline::at_once(stop);
                let (attempt, best) = solve(name, BoundPolicy::Shared, deadline);
                let (score, proven) = score(&attempt);
                assert_eq!(score, best, "{name}");
                assert!(!proven || score == Some(OPTIMUM), "{name}");
                if let Attempt::Timeout {
                    bound: Some(bound), ..
                } = attempt
                {
                    assert!(bound >= OPTIMUM, "{name}");
                }
            });
        }
    });
}
