//! Parallel searches of tiny puzzles under many schedules of their threads; empty without `--cfg shuttle`.
#![cfg(shuttle)]

use std::sync::Arc;

use ikeru_core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use ikeru_core::sync::{check, thread};
use ikeru_core::testing::{TeamMember, variant};
use ikeru_core::{
    Attempt, BoundPolicy, Deadline, Direction, Incumbent, Score, Search, Settings, Team,
};
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
    team: Option<&dyn Team>,
    deadline: Deadline,
) -> (Attempt<Answer>, Option<Score>) {
    let puzzle = puzzle();
    let prepare = variant::<TrailProblem>(name).expect("a variant").prepare;
    let mut solver = prepare(&puzzle, &Settings::new(), Deadline::never()).expect("a solver");
    let incumbent = Incumbent::new(Direction::Maximize);
    let mut search = Search::new(&incumbent);
    (search.threads, search.bound_policy) = (2, bound_policy);
    (search.team, search.deadline) = (team, deadline);
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
                let (attempt, best) = solve(name, policy, None, Deadline::never());
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
                let (attempt, best) = solve(name, BoundPolicy::Shared, None, deadline);
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

#[test]
fn schedules_of_a_team() {
    check(100, || {
        for name in ["parallel", "lagrangian-parallel"] {
            let taken = &AtomicUsize::new(0);
            let attempts = thread::scope(|scope| {
                let member = |number| {
                    scope.spawn(move || {
                        let team = TeamMember {
                            size: 2,
                            number,
                            taken,
                            until: usize::MAX,
                        };
                        solve(name, BoundPolicy::Shared, Some(&team), Deadline::never()).0
                    })
                };
                [0, 1]
                    .map(member)
                    .map(|thread| thread.join().expect("no panic"))
            });
            let best = attempts.iter().filter_map(|attempt| score(attempt).0).max();
            assert_eq!(best, Some(OPTIMUM), "{name}");
        }
    });
}
