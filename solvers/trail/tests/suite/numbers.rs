//! Tests with large numbers: on every accepted board, every variant that takes it gives the optimum.

use std::collections::HashMap;
use std::sync::Arc;

use ikeru_core::testing::answer;
use ikeru_core::{Problem, Random, Refusal, Settings};
use ikeru_trail::{EdgeOperation, Puzzle, PuzzleBoard, TrailProblem};

use super::switches::{COMBINATIONS, combination};
use crate::{read, solved};

/// The best score in 128-bit arithmetic, over all sets of passed edges, smallest first.
fn best(puzzle: &Puzzle) -> Option<i128> {
    let board = puzzle.board();
    let mut layer = HashMap::from([((0_u32, puzzle.position()), 1_i128)]);
    let mut best = None;
    while !layer.is_empty() {
        let mut next = HashMap::new();
        for ((passed, vertex), score) in layer {
            if vertex == puzzle.goal() {
                best = best.max(Some(score));
            }
            for (edge, to) in board.neighbours(vertex) {
                if passed >> edge & 1 == 0 {
                    let (factor, addend) = board.operations()[edge].affine();
                    let score = i128::from(factor) * score + i128::from(addend);
                    let known = next.entry((passed | 1 << edge, to)).or_insert(score);
                    *known = score.max(*known);
                }
            }
        }
        layer = next;
    }
    best
}

/// The score of a variant; `None` if it refuses the board.
fn score(puzzle: &Puzzle, name: &str, settings: &Settings) -> Option<Option<i64>> {
    match answer::<TrailProblem>(puzzle, name, settings) {
        Ok((attempt, _)) => Some(solved(puzzle, &attempt).score),
        Err(Refusal::Skip(_)) => None,
        Err(error) => panic!("{name}: {error}"),
    }
}

/// The number of variants and combinations that took the board; asserts that each of them gives `expected`.
fn check(puzzle: &Puzzle, expected: Option<i128>) -> usize {
    let plain = TrailProblem::VARIANTS
        .iter()
        .filter(|variant| variant.exact)
        .map(|variant| (variant.name, Settings::new()));
    let switches = (0..COMBINATIONS).map(|number| ("dfs+switches", combination(number)));
    let scores = plain.chain(switches).filter_map(|(name, settings)| {
        let found = score(puzzle, name, &settings)?.map(i128::from);
        let text = ikeru_trail::format::write(puzzle);
        assert_eq!(found, expected, "{name} {settings} on\n{text}");
        Some(())
    });
    scores.count()
}

#[test]
fn factors_that_the_score_holds_already_overflow_no_bound() {
    for (text, optimum) in [
        (
            "2 3\n+5\n*3037000 +2\n-3\n*3037000 +1\n+1\n1 0 5\n",
            9_223_369_000_001,
        ),
        (
            "3 3\n-3 +3\n+99999999 +99999999 *997\n*1009 +99999999\n-1 -3 +1000\n*997 -1\n",
            100_697_100_001_989,
        ),
    ] {
        let puzzle = read(text);
        assert_eq!(best(&puzzle), Some(optimum));
        // Depth-first search takes every number that a board may have; its variants and combinations are at least 47.
        assert!(check(&puzzle, Some(optimum)) >= 47);
    }
}

#[test]
fn boards_of_large_numbers_as_by_a_table_in_128_bits() {
    const SIZES: [(usize, usize); 5] = [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5)];
    let mut random = Random::new("trail large numbers", 1);
    let (mut boards, mut huge, mut taken) = (0, 0, 0);
    while boards < 400 {
        let (width, height) = SIZES[random.index(SIZES.len())];
        let edges = 2 * width * height - width - height;
        let most = [9, 1_000, 99_999_999][random.index(3)];
        let mut operations: Vec<EdgeOperation> = (0..edges)
            .map(|_| EdgeOperation::Add(random.between(-most, most)))
            .collect();
        for _ in 0..=random.below(4) {
            let factor = [0, 2, 997, 46_340, 3_037_000, 99_999_999][random.index(6)];
            operations[random.index(edges)] = EdgeOperation::Multiply(factor);
        }
        // A board beyond the limit is refused.
        let Ok(board) = PuzzleBoard::new(width, height, operations) else {
            continue;
        };
        let (start, goal) = (random.index(width * height), random.index(width * height));
        let puzzle = Puzzle::new(Arc::new(board), vec![start], goal).expect("a question");
        let expected = best(&puzzle);
        boards += 1;
        huge += u32::from(expected.is_some_and(|best| best > 1 << 40));
        taken += check(&puzzle, expected);
    }
    assert!(huge > 50 && taken > 47 * boards, "{huge} {taken}");
}
