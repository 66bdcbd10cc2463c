//! `layers`, `layers-parallel` and `reverse` against plain depth-first search, against each other and
//! on real puzzles.

use std::sync::Arc;

use ikeru_core::{Attempt, Incumbent, Problem, Random, Refusal, Search, Settings};
use ikeru_trail::{Board, Operation, Puzzle, TrailProblem};

const STRONG: [&str; 2] = ["layers", "layers-parallel"];

fn attempt(puzzle: &Puzzle, name: &str, threads: usize) -> Result<Option<i64>, Refusal> {
    let variant = TrailProblem::variants().iter().find(|variant| variant.name == name);
    let mut solver = (variant.expect("a registered variant").prepare)(puzzle, &Settings::new())?;
    let incumbent = Incumbent::new();
    let mut search = Search::new(&incumbent);
    search.threads = threads;
    let Attempt::Solved(answer) = solver.solve(&mut search) else {
        panic!("{name} gave up without a deadline");
    };
    let checked = TrailProblem::referee(puzzle, &answer).expect("a trail that replays");
    assert_eq!(checked.score, TrailProblem::score(&answer), "{name}");
    Ok(checked.score)
}

fn score(puzzle: &Puzzle, name: &str) -> Option<i64> {
    attempt(puzzle, name, 2).expect("an instance that it takes")
}

/// A board with `factors` random `×` edges out of `choices`, the rest between `low` and `high`.
fn random_puzzle(random: &mut Random, size: (usize, usize), factors: usize, choices: &[i64], additions: (i64, i64)) -> Puzzle {
    let (width, height) = size;
    let edges = 2 * width * height - width - height;
    let mut operations: Vec<Operation> =
        (0..edges).map(|_| Operation::Add(random.between(additions.0, additions.1))).collect();
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
    const SIZES: [(usize, usize); 9] =
        [(1, 2), (2, 1), (1, 6), (7, 1), (2, 2), (2, 5), (3, 3), (4, 3), (3, 4)];
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
            assert_eq!(score(&puzzle, name), expected, "{name}, round {round}: {puzzle:?}");
        }
    }
}
