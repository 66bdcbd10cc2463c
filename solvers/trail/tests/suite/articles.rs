//! What the article and its puzzles say.

use ikeru_core::{Problem, Random, Settings};
use ikeru_trail::TrailProblem;

use crate::{shared, solve};

#[test]
fn the_articles_example_has_its_two_scores() {
    let generators = TrailProblem::GENERATORS;
    let example = generators
        .iter()
        .find(|generator| generator.name == "trail.example");
    let example = example.expect("the example").generate;
    let puzzle = example(&Settings::new(), &mut Random::new("trail.example", 1)).expect("a puzzle");
    let score = |vertices: &[usize]| puzzle.replay(vertices.to_vec()).expect("a trail").score;
    assert_eq!(score(&[0, 3, 6, 7, 8]), 12);
    assert_eq!(score(&[0, 1, 2, 5, 4, 3, 6, 7, 8]), 36);
    for variant in TrailProblem::VARIANTS
        .iter()
        .filter(|variant| variant.exact)
    {
        assert_eq!(solve(&puzzle, variant.name).0, Some(36), "{}", variant.name);
    }
    assert_eq!(puzzle.best_known().map(|trail| trail.score), Some(12));
}

#[test]
fn the_ladder_has_the_node_counts_of_its_prunings() {
    let Some(puzzle) = shared("11_56.txt") else {
        return;
    };
    for (variant, nodes) in [
        ("dfs-bitset", 437_876_544),
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
