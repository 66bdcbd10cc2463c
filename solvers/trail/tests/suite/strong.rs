//! `reverse`, `layers` and `layers-parallel` against depth-first search, against each other and on
//! real puzzles; what they refuse and what a deadline leaves.

use std::sync::Arc;
use std::time::Duration;

use ikeru_core::{Attempt, Deadline, Incumbent, Problem, Random, Refusal, Search, Settings};
use ikeru_trail::{Board, Operation, Puzzle, TrailProblem};

use crate::shared;

const STRONG: [&str; 3] = ["reverse", "layers", "layers-parallel"];

fn attempt(puzzle: &Puzzle, name: &str, threads: usize) -> Result<Option<i64>, Refusal> {
    let variant = TrailProblem::variants()
        .iter()
        .find(|variant| variant.name == name);
    let mut solver = (variant.expect("a registered variant").prepare)(
        puzzle,
        &Settings::new(),
        Deadline::never(),
    )?;
    let incumbent = Incumbent::new();
    let mut search = Search::new(&incumbent);
    search.threads = threads;
    let Attempt::Solved(answer) = solver.solve(&mut search) else {
        panic!("{name} gave up without a deadline");
    };
    let checked =
        TrailProblem::referee(puzzle, &answer, Deadline::never()).expect("a trail that replays");
    assert_eq!(checked.score, TrailProblem::score(&answer), "{name}");
    Ok(checked.score)
}

fn score(puzzle: &Puzzle, name: &str) -> Option<i64> {
    attempt(puzzle, name, 2).expect("an instance that it takes")
}

/// A board with `factors` random `×` edges out of `choices`, the rest between `low` and `high`.
fn random_puzzle(
    random: &mut Random,
    size: (usize, usize),
    factors: usize,
    choices: &[i64],
    additions: (i64, i64),
) -> Puzzle {
    let (width, height) = size;
    let edges = 2 * width * height - width - height;
    let mut operations: Vec<Operation> = (0..edges)
        .map(|_| Operation::Add(random.between(additions.0, additions.1)))
        .collect();
    for _ in 0..factors.min(edges) {
        operations[random.index(edges)] = Operation::Multiply(choices[random.index(choices.len())]);
    }
    let board = Arc::new(Board::new(width, height, operations).expect("a small board"));
    let vertices = width * height;
    let (start, goal) = (random.index(vertices), random.index(vertices));
    Puzzle::new(board, vec![start], goal).expect("vertices on the board")
}

/// Boards that depth-first search finishes at once, every kind of number.
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
    for round in 0..2500 {
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
            let expected = score(&puzzle, "layers");
            assert_eq!(score(&puzzle, "layers-parallel"), expected, "{puzzle:?}");
            assert_eq!(score(&puzzle, "reverse"), expected, "{puzzle:?}");
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
fn a_board_too_wide_for_the_scan_is_skipped_with_the_reason() {
    let mut random = Random::new("trail wide board", 1);
    let puzzle = random_puzzle(&mut random, (17, 18), 1, &[2], (1, 2));
    for name in STRONG {
        match attempt(&puzzle, name, 1) {
            Err(Refusal::Skip(why)) => assert!(why.contains("at most 16 columns"), "{why}"),
            other => panic!("{name} took it: {other:?}"),
        }
    }
}

#[test]
fn a_deadline_leaves_the_best_trail_and_a_bound_above_it() {
    let mut random = Random::new("trail deadline", 1);
    let puzzle = random_puzzle(&mut random, (12, 12), 6, &[2, 3], (-2, 6));
    for name in STRONG.into_iter().filter(|name| name.starts_with("layers")) {
        let variant = TrailProblem::variants()
            .iter()
            .find(|variant| variant.name == name);
        let prepared =
            (variant.expect("registered").prepare)(&puzzle, &Settings::new(), Deadline::never());
        let mut solver = prepared.expect("an instance that it takes");
        let incumbent = Incumbent::new();
        let mut search = Search::new(&incumbent);
        search.threads = 2;
        search.deadline = Deadline::after(Duration::from_millis(150));
        let Attempt::Timeout {
            best: Some(Some(best)),
            bound: Some(bound),
        } = solver.solve(&mut search)
        else {
            panic!("{name}: proven, or nothing found");
        };
        assert!(
            best.score <= bound && best.score == incumbent.get(),
            "{name}"
        );
    }
}

/// Optima of other people's puzzles.
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
