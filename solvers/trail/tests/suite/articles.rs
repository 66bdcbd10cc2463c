//! Tests against the results that the article and its puzzles give.

use ikeru_core::{Deadline, Problem, Random, Settings, Value};
use ikeru_trail::{Puzzle, TrailProblem, referee};

use super::boards::puzzle;
use crate::{run, shared, solve, solved};

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
    let best = puzzle
        .replay(vec![0, 1, 2, 5, 4, 3, 6, 7, 8])
        .expect("a trail");
    let measures = referee::check(&puzzle, Some(&best))
        .expect("right")
        .measures;
    // The sum of the `+` is 17, and the factors are ×2 and ×3.
    for expected in [
        ("known_score", 12.0),
        ("plus_sum", 17.0),
        ("start_bound", 108.0),
    ] {
        assert!(measures.contains(&expected), "{expected:?} of {measures:?}");
    }
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

/// The number of nodes of the search with prunings 1 and 2, and of those on the goal's colour, by plain recursion.
fn nodes_and_goal_tests(puzzle: &Puzzle, vertex: usize, passed: u32) -> (u64, u64) {
    let board = puzzle.board();
    let colour = |vertex: usize| (vertex % board.width() + vertex / board.width()) % 2;
    let free = |vertex: usize, passed: u32| {
        let edges = board.neighbours(vertex);
        edges.filter(move |(edge, _)| passed >> edge & 1 == 0)
    };
    let mut counts = (1, u64::from(colour(vertex) == colour(puzzle.goal())));
    if vertex == puzzle.goal() && free(vertex, passed).count() < 2 {
        return counts;
    }
    for (edge, next) in free(vertex, passed) {
        let passed = passed | 1 << edge;
        if next == puzzle.goal() || free(next, passed).count() > 0 {
            let below = nodes_and_goal_tests(puzzle, next, passed);
            counts = (counts.0 + below.0, counts.1 + below.1);
        }
    }
    counts
}

#[test]
fn two_functions_test_for_the_goal_on_its_colour_only() {
    let mut random = Random::new("trail goal tests", 1);
    for _ in 0..300 {
        let puzzle = puzzle(&mut random, 3);
        let edges = puzzle.passed_edges();
        let passed = edges.iter().fold(0, |set, edge| set | 1 << edge);
        let expected = nodes_and_goal_tests(&puzzle, puzzle.position(), passed);
        let counters = solve(&puzzle, "dfs+mutual").1;
        let counted = (counters.get("nodes"), counters.get("goal_tests"));
        assert_eq!(counted, expected, "{}", ikeru_trail::format::write(&puzzle));
    }
}

#[test]
fn pruning_1_as_printed_prunes_goals_in_corners_alone() {
    let mut random = Random::new("trail corner as printed", 1);
    let (mut pruned, mut kept) = (0, 0);
    for _ in 0..300 {
        let puzzle = puzzle(&mut random, 3);
        let nodes = |variant| solve(&puzzle, variant).1.get("nodes");
        let in_corner = puzzle.board().neighbours(puzzle.goal()).count() == 2;
        let printed = nodes("dfs+corner-as-printed");
        if in_corner && puzzle.start() != puzzle.goal() {
            assert_eq!(printed, nodes("dfs+corner"));
            pruned += u32::from(printed < nodes("dfs"));
        } else {
            assert_eq!(printed, nodes("dfs"));
            kept += u32::from(nodes("dfs+corner") < printed);
        }
    }
    assert!(pruned > 30 && kept > 30, "{pruned} {kept}");
}

#[test]
fn threads_made_for_nodes_find_the_same_and_are_counted() {
    let mut random = Random::new("trail threads for nodes", 1);
    let mut spawned = 0;
    for _ in 0..40 {
        let puzzle = puzzle(&mut random, 4);
        let best = solve(&puzzle, "dfs+bound").0;
        let found =
            run(&puzzle, "parallel-spawn", 3, Deadline::never()).expect("a puzzle it takes");
        assert_eq!(solved(&puzzle, &found.attempt).score, best);
        spawned += found.counters.get("threads_spawned");
        let alone =
            run(&puzzle, "parallel-spawn", 1, Deadline::never()).expect("a puzzle it takes");
        assert_eq!(alone.counters.get("threads_spawned"), 0);
    }
    assert!(spawned > 40, "{spawned}");
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

/// The nodes of the search for simple paths between opposite corners of a grid, from `vertex` on.
fn simple_path_nodes(extent: [usize; 2], vertex: usize, passed: &mut [bool]) -> u64 {
    let [width, height] = extent;
    if vertex == width * height - 1 {
        return 1;
    }
    passed[vertex] = true;
    let (x, y) = (vertex % width, vertex / width);
    let beside = [
        (x > 0).then(|| vertex - 1),
        (x + 1 < width).then_some(vertex + 1),
        (y > 0).then(|| vertex.wrapping_sub(width)),
        (y + 1 < height).then_some(vertex + width),
    ];
    let mut nodes = 1;
    for next in beside.into_iter().flatten() {
        if !passed[next] {
            nodes += simple_path_nodes(extent, next, passed);
        }
    }
    passed[vertex] = false;
    nodes
}

/// The article compares its boards with a film about the number of simple paths on a grid. On a board of 5×6 vertices the
/// search for trails has 437,876,544 nodes.
#[test]
fn trails_are_far_more_to_search_than_simple_paths() {
    let mut random = Random::new("trails", 1);
    let settings = Settings::from_iter([("width", Value::Int(4)), ("height", Value::Int(5))]);
    let generators = TrailProblem::GENERATORS;
    let boards = generators.iter().find(|one| one.name == "trail.random");
    let board = (boards.expect("boards").generate)(&settings, &mut random).expect("a board");
    let trails = solve(&board, "dfs-bitset").1.get("nodes");
    assert_eq!(trails, 254_755);
    assert_eq!(simple_path_nodes([4, 5], 0, &mut [false; 20]), 8_076);
    assert_eq!(simple_path_nodes([5, 6], 0, &mut [false; 30]), 974_289);
}
