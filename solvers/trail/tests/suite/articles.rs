//! What the article and its puzzles say.

use ikeru_core::Problem;
use ikeru_trail::{TrailProblem, format};

use crate::{read, shared, solve};

/// The article's 3×3 board. Its text gives nine operations by two trails; the other three are chosen
/// so that its optimum, 36, is the optimum.
const EXAMPLE: &str = "3 3\n+1 +2\n+4 -1 +1\n+3 *2\n*3 -2 +5\n-4 +1\n1 0 8\n5 0 3 6 7 8 12\n";

#[test]
fn the_articles_example_has_its_two_scores() {
    let puzzle = read(EXAMPLE);
    let score = |vertices: &[usize]| puzzle.replay(vertices.to_vec()).expect("a trail").score;
    assert_eq!(score(&[0, 3, 6, 7, 8]), 12);
    assert_eq!(score(&[0, 1, 2, 5, 4, 3, 6, 7, 8]), 36);
    for variant in TrailProblem::variants() {
        assert_eq!(solve(&puzzle, variant.name).0, Some(36), "{}", variant.name);
    }
    assert_eq!(format::write(&puzzle), EXAMPLE);
}

#[test]
fn the_ladder_has_the_node_counts_of_its_prunings() {
    let Some(puzzle) = shared("11_56.txt") else {
        return;
    };
    for (variant, nodes) in [
        ("dfs", 437_876_544),
        ("dfs+corner", 233_312_309),
        ("dfs+deadend", 168_202_273),
        ("dfs+mutual", 168_202_273),
    ] {
        let (best, counters) = solve(&puzzle, variant);
        assert_eq!(
            (best, counters.get("nodes")),
            (Some(452), nodes),
            "{variant}"
        );
    }
    let count = |variant| solve(&puzzle, variant).1.get("nodes");
    assert!(count("dfs+colour") < 100_000_000);
    assert!(count("dfs+bound") < count("dfs+bound-at-start"));
    assert!(count("dominance") < count("dfs+bound") / 8);
}

#[test]
fn real_puzzles_have_their_optima() {
    for (name, optimum) in [
        ("sample1.txt", 36),
        ("sample2.txt", 198),
        ("11_56.txt", 452),
    ] {
        let Some(puzzle) = shared(name) else {
            continue;
        };
        for variant in ["dfs+bound", "parallel", "dominance"] {
            assert_eq!(
                solve(&puzzle, variant).0,
                Some(optimum),
                "{variant} on {name}"
            );
        }
    }
}
