//! Tests that all exact variants give the same score.

use std::collections::HashMap;
use std::sync::Arc;

use ikeru_core::{Problem, Random, Score};
use ikeru_trail::{EdgeOperation, Puzzle, PuzzleBoard, TrailProblem};

use super::boards::puzzle;
use crate::solve;

/// The best score, from a table over sets of passed edges, smallest sets first, without recursion or pruning.
fn best_by_table(puzzle: &Puzzle) -> Option<Score> {
    let board = puzzle.board();
    let passed = puzzle
        .passed_edges()
        .iter()
        .fold(0_u32, |set, edge| set | 1 << edge);
    let mut layer = HashMap::from([((passed, puzzle.position()), puzzle.position_score())]);
    let mut best = None;
    while !layer.is_empty() {
        let mut next = HashMap::new();
        for ((passed, vertex), score) in layer {
            if vertex == puzzle.goal() {
                best = best.max(Some(score));
            }
            for (edge, to) in board.neighbours(vertex) {
                if passed >> edge & 1 == 0 {
                    let score = board.operations()[edge].apply(score);
                    let known = next.entry((passed | 1 << edge, to)).or_insert(score);
                    *known = score.max(*known);
                }
            }
        }
        layer = next;
    }
    best
}

fn exact() -> impl Iterator<Item = &'static str> {
    let variants = TrailProblem::VARIANTS.iter();
    variants
        .filter(|variant| variant.exact)
        .map(|variant| variant.name)
}

#[test]
fn plain_search_and_a_table_over_edge_sets_agree() {
    let mut random = Random::new("trail agreement with a table", 1);
    for _ in 0..1_000 {
        let puzzle = puzzle(&mut random, 3);
        let text = ikeru_trail::format::write(&puzzle);
        assert_eq!(solve(&puzzle, "dfs").0, best_by_table(&puzzle), "{text}");
    }
}

#[test]
fn the_kernel_without_prunings_makes_the_nodes_of_the_printed_search() {
    let mut random = Random::new("trail plain nodes", 1);
    for _ in 0..300 {
        let puzzle = puzzle(&mut random, 4);
        let text = ikeru_trail::format::write(&puzzle);
        let (plain, bitset) = (solve(&puzzle, "dfs"), solve(&puzzle, "dfs-bitset"));
        let nodes = [&plain, &bitset].map(|(best, counters)| (*best, counters.get("nodes")));
        assert_eq!(nodes[0], nodes[1], "{text}");
        assert!(nodes[0].1 > 0, "{text}");
    }
}

#[test]
fn every_exact_variant_agrees_with_plain_search() {
    let mut random = Random::new("trail agreement", 1);
    let (mut negative, mut none, mut closed) = (0, 0, 0);
    for number in 0..2_400 {
        // Only one in twelve has up to 4×4 vertices, because a search without prunings is slow on those.
        let puzzle = puzzle(&mut random, if number % 12 == 0 { 4 } else { 3 });
        let text = ikeru_trail::format::write(&puzzle);
        let (best, _) = solve(&puzzle, "dfs-bitset");
        negative += u32::from(best.is_some_and(|score| score < 0));
        none += u32::from(best.is_none());
        closed += u32::from(puzzle.start() == puzzle.goal());
        for variant in exact() {
            assert_eq!(solve(&puzzle, variant).0, best, "{variant} on\n{text}");
        }
    }
    assert!(
        negative > 50 && none > 5 && closed > 300,
        "{negative} {none} {closed}"
    );
}

#[test]
fn boards_beyond_a_machine_word_are_solved_too() {
    let mut random = Random::new("trail wide boards", 1);
    // Two columns: 70 edges need a `u128`, 148 edges need more.
    for height in [24, 50] {
        for _ in 0..20 {
            let edges = 3 * height - 2;
            let mut operations: Vec<EdgeOperation> = (0..edges)
                .map(|_| EdgeOperation::Add(random.between(-3, 9)))
                .collect();
            operations[edges - 1 - random.index(9)] = EdgeOperation::Multiply(random.between(0, 3));
            let board = Arc::new(PuzzleBoard::new(2, height, operations).expect("a board"));
            // The route so far leads down the left column except for the last rows, so that few edges are left to
            // search.
            let route = (0..height - 4).map(|row| 2 * row).collect();
            let goal = 2 * height - 1 - random.index(6);
            let puzzle = Puzzle::new(board, route, goal).expect("a question");
            let (best, _) = solve(&puzzle, "dfs-bitset");
            for variant in exact() {
                assert_eq!(solve(&puzzle, variant).0, best, "{variant}, {height} rows");
            }
        }
    }
}
