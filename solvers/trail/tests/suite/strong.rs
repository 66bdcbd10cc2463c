//! Tests of `lagrangian` and `lagrangian-parallel` against depth-first search, against each other and on
//! real puzzles; their refusals, and their attempts at a deadline.

use std::sync::Arc;
use std::time::Duration;

use ikeru_core::testing::trials;
use ikeru_core::{Attempt, Deadline, Random, Refusal};
use ikeru_trail::{EdgeOperation, Puzzle, PuzzleBoard};

use crate::{run, shared, solved};

const STRONG: [&str; 2] = ["lagrangian", "lagrangian-parallel"];

fn score(puzzle: &Puzzle, name: &str) -> Option<i64> {
    let run = run(puzzle, name, 2, Deadline::never()).expect("an instance that it takes");
    solved(puzzle, &run.attempt).score
}

/// A board with `factors` random `×` edges out of `choices`; the other edges add a number in the range `additions`.
fn random_puzzle(
    random: &mut Random,
    size: (usize, usize),
    factors: usize,
    choices: &[i64],
    additions: (i64, i64),
) -> Puzzle {
    let (width, height) = size;
    let edges = 2 * width * height - width - height;
    let mut operations: Vec<EdgeOperation> = (0..edges)
        .map(|_| EdgeOperation::Add(random.between(additions.0, additions.1)))
        .collect();
    for _ in 0..factors.min(edges) {
        operations[random.index(edges)] =
            EdgeOperation::Multiply(choices[random.index(choices.len())]);
    }
    let board = Arc::new(PuzzleBoard::new(width, height, operations).expect("a small board"));
    let vertices = width * height;
    let (start, goal) = (random.index(vertices), random.index(vertices));
    Puzzle::new(board, vec![start], goal).expect("vertices on the board")
}

/// A board with every kind of number that depth-first search finishes at once.
fn small_puzzle(random: &mut Random) -> Puzzle {
    const SIZES: [(usize, usize); 9] = [
        (1, 2),
        (2, 1),
        (1, 6),
        (7, 1),
        (2, 2),
        (2, 5),
        (3, 3),
        (4, 3),
        (3, 4),
    ];
    const CHOICES: [&[i64]; 4] = [&[2, 3], &[0, 2, 3], &[0, 1, 2], &[99, 5, 1]];
    const ADDITIONS: [(i64, i64); 4] = [(-2, 9), (-9, 2), (-9, 9), (-9, -1)];
    let size = SIZES[random.index(SIZES.len())];
    let factors = random.index(5);
    let choices = CHOICES[random.index(CHOICES.len())];
    let additions = ADDITIONS[random.index(ADDITIONS.len())];
    random_puzzle(random, size, factors, choices, additions)
}

#[test]
fn small_boards_as_depth_first_search() {
    let mut random = Random::new("trail small boards", 1);
    for round in 0..trials(2500) {
        let puzzle = small_puzzle(&mut random);
        let expected = score(&puzzle, "dfs+corner");
        for name in STRONG {
            assert_eq!(
                score(&puzzle, name),
                expected,
                "{name}, round {round}: {puzzle:?}"
            );
        }
    }
}

#[test]
fn the_strong_variants_agree_on_larger_boards() {
    let mut random = Random::new("trail larger boards", 1);
    for (size, factors) in [
        ((5, 6), 1),
        ((6, 5), 2),
        ((6, 6), 1),
        ((7, 7), 0),
        ((5, 5), 3),
    ] {
        for _ in 0..3 {
            let puzzle = random_puzzle(&mut random, size, factors, &[2, 3], (-2, 6));
            let expected = score(&puzzle, "lagrangian");
            assert_eq!(
                score(&puzzle, "lagrangian-parallel"),
                expected,
                "{puzzle:?}"
            );
            // On larger boards the table of `dominance` grows for minutes.
            if size.0 * size.1 <= 25 {
                assert_eq!(score(&puzzle, "dominance"), expected, "{puzzle:?}");
            }
        }
    }
}

#[test]
fn huge_factors_stay_exact() {
    let mut random = Random::new("trail huge factors", 1);
    for _ in 0..60 {
        let puzzle = random_puzzle(&mut random, (3, 4), 4, &[99, 999], (-9, 999));
        let expected = score(&puzzle, "dfs+corner");
        for name in STRONG {
            assert_eq!(score(&puzzle, name), expected, "{name}: {puzzle:?}");
        }
    }
}

#[test]
fn a_board_too_wide_is_skipped_with_the_reason() {
    let mut random = Random::new("trail wide board", 1);
    let columns = 63;
    for name in STRONG {
        let size = (columns + 1, columns + 2);
        let puzzle = random_puzzle(&mut random, size, 1, &[2], (1, 2));
        match run(&puzzle, name, 1, Deadline::never()) {
            Err(Refusal::Skip(why)) => {
                assert!(why.contains(&format!("at most {columns} columns")), "{why}");
            }
            _ => panic!("{name} took it, or refused it otherwise"),
        }
    }
}

#[test]
fn boards_of_more_than_sixteen_columns_are_proven_or_bounded() {
    let mut random = Random::new("trail wide boards", 1);
    let puzzle = random_puzzle(&mut random, (17, 17), 0, &[2], (1, 2));
    let proven = run(&puzzle, "lagrangian", 1, Deadline::never()).expect("17 columns");
    assert!(solved(&puzzle, &proven.attempt).score.is_some());
    let puzzle = random_puzzle(&mut random, (20, 20), 5, &[2, 3], (-3, 9));
    let deadline = Deadline::after(Duration::from_millis(400));
    let run = run(&puzzle, "lagrangian", 1, deadline).expect("20 columns");
    let Attempt::Timeout { best, bound } = run.attempt else {
        panic!("20 columns in 0.4 s");
    };
    let best = best.flatten().map(|trail| trail.score);
    assert!(bound.is_some() && best <= bound, "{best:?} {bound:?}");
}

#[test]
fn a_deadline_leaves_the_best_trail_and_a_bound_above_it() {
    let mut random = Random::new("trail deadline", 1);
    let puzzle = random_puzzle(&mut random, (13, 13), 9, &[2, 3], (-2, 6));
    for name in STRONG {
        let deadline = Deadline::after(Duration::from_millis(150));
        let run = run(&puzzle, name, 2, deadline).expect("an instance that it takes");
        let Attempt::Timeout {
            best: Some(Some(best)),
            bound: Some(bound),
        } = run.attempt
        else {
            panic!("{name}: proven, or nothing found");
        };
        assert!(
            best.score <= bound && Some(best.score) == run.incumbent,
            "{name}"
        );
    }
}

/// The optima of the shared puzzles, which other people made.
#[test]
fn shared_puzzles() {
    for (file, optimum) in [
        ("sample1.txt", 36),
        ("sample2.txt", 198),
        ("11_56.txt", 452),
        ("12_66.txt", 15535),
    ] {
        let Some(puzzle) = shared(file) else {
            continue;
        };
        for name in STRONG {
            assert_eq!(score(&puzzle, name), Some(optimum), "{name} on {file}");
        }
    }
}
