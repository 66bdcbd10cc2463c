//! Errata and arithmetic of the sources, derived again from what the sources print, without any solver.

use std::collections::BTreeSet;

use ikeru_bench_data::Figure;
use ikeru_bench_data::builtin;
use ikeru_bench_data::published::FixedVerdict;

fn figures() -> impl Iterator<Item = &'static Figure> {
    let sources = builtin::published().expect("published figures read");
    sources.iter().flat_map(|source| &source.figures)
}

fn figure(id: &str) -> &'static Figure {
    let found = figures().find(|figure| figure.id == id);
    found.unwrap_or_else(|| panic!("no figure {id}"))
}

/// The values of a figure: as printed and as corrected.
fn values(id: &str) -> (f64, f64) {
    let figure = figure(id);
    let values = figure.value.zip(figure.corrected);
    values.unwrap_or_else(|| panic!("{id} has no two values"))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn every_erratum_quotes_its_source() {
    let errata = figures().filter(|figure| {
        figure.corrected.is_some() || figure.verdict == Some(FixedVerdict::Erratum)
    });
    let mut count = 0;
    for erratum in errata {
        let reason = &erratum.reason;
        assert!(
            reason.contains('「') || reason.contains('`'),
            "{}: {reason}",
            erratum.id
        );
        count += 1;
    }
    assert!(count >= 11, "{count}");
}

#[test]
fn arithmetic_of_the_sources_is_right() {
    let checked = figures().filter(|figure| figure.verdict == Some(FixedVerdict::Checked));
    let checked: BTreeSet<&str> = checked.map(|figure| figure.id.as_str()).collect();
    let computed = [
        "challeran/way-2-example",
        "ikerukana/noticed-625",
        "thesis/colourings",
        "thesis/example-match",
        "thesis/gap-04",
        "thesis/tetris-bar",
    ];
    // Computed by tests of the solvers: trails_are_far_more_to_search_than_simple_paths and
    // the_stairs_end_after_four_steps_….
    let by_solvers = ["challeran/simple-paths", "thesis/a-equals-c"];
    assert_eq!(checked, computed.into_iter().chain(by_solvers).collect());
    let value = |id: &str| figure(id).value.expect("a value");
    assert!(close(value("ikerukana/noticed-625"), 100.0 / 16.0));
    // Four colours for one group, three for each of the others, counted one by one along a row of five groups.
    let colourings = (0..4_u32.pow(5)).filter(|code| {
        let colour = |group: u32| code / 4_u32.pow(group) % 4;
        (1..5).all(|group| colour(group) != colour(group - 1))
    });
    assert!(close(value("thesis/colourings"), colourings.count() as f64));
    for set in ["stairs", "sandwich"] {
        let people = value(&format!("thesis/{set}-moves-human"));
        let gap = value(&format!("thesis/{set}-moves")) - people;
        let one_digit = (gap * 10.0).round() / 10.0;
        assert!(close(value("thesis/gap-04"), one_digit), "{set}: {gap}");
    }
    // With the sum of all + of the board, as in the source's bound at the start.
    let (best, score, plus) = (3000.0, 2800.0, value("challeran/7x7-board"));
    let factors = 2.0 * 2.0 * 3.0 * 3.0;
    assert!(close(value("challeran/7x7-bound"), (1.0 + plus) * factors));
    let bound_without_factors = score + plus;
    assert!(bound_without_factors < best, "way 2 goes back");
    assert!((score + plus) * factors >= best, "way 1 does not");
}

#[test]
fn the_impossible_trail_is_no_trail_and_the_corrected_one_is() {
    let steps = |route: &str| -> Vec<(char, char)> {
        let inner = route.split('→').filter(|name| name.chars().count() == 1);
        let names: Vec<char> = inner.flat_map(str::chars).collect();
        names.windows(2).map(|pair| (pair[0], pair[1])).collect()
    };
    let place = |name: char| {
        let index = name as i32 - 'A' as i32;
        (index % 3, index / 3)
    };
    let are_adjacent = |&(from, to): &(char, char)| {
        let ((x, y), (u, v)) = (place(from), place(to));
        (x - u).abs() + (y - v).abs() == 1
    };
    let edge = |(from, to): (char, char)| (from.min(to), from.max(to));
    let repeated = |steps: &[(char, char)]| {
        let mut seen = BTreeSet::new();
        let twice = steps.iter().filter(|step| !seen.insert(edge(**step)));
        twice.map(|step| edge(*step)).collect::<Vec<_>>()
    };
    let claim = &figure("challeran/impossible-trail").claim;
    let printed = claim.split_whitespace().next().expect("a route");
    let printed = steps(&printed.replace("start→", "").replace("→goal", ""));
    let apart: Vec<_> = printed.iter().filter(|step| !are_adjacent(step)).collect();
    assert_eq!(apart, [&('H', 'D')]);
    assert_eq!(repeated(&printed), [('D', 'G')]);
    let meant = steps("A→B→E→H→G→D→E→F→I");
    assert!(meant.iter().all(are_adjacent) && repeated(&meant).is_empty());
}

/// The match of formula 3.7: the stones of a state (`.` is empty), and the groups of the template (`.` is in none).
fn agreeing(stones: &str, groups: &str) -> (i32, i32) {
    let (stones, groups) = (stones.as_bytes(), groups.as_bytes());
    let (mut sum, mut total) = (0, 0);
    for i in 0..groups.len() {
        for j in 0..groups.len() {
            let t: i32 = match (groups[i], groups[j]) {
                (b'.', _) | (_, b'.') => 0,
                (a, b) if a == b => 10,
                _ => -10,
            };
            let s = match (stones[i], stones[j]) {
                (b'.', _) | (_, b'.') => 0,
                (a, b) if a == b => 1,
                _ => -1,
            };
            (sum, total) = (sum + s * t, total + t.abs());
        }
    }
    (sum, total)
}

#[test]
fn the_printed_matrix_has_cells_3_and_5_empty() {
    let claim = &figure("thesis/cells-3-and-6").claim;
    assert!(claim.contains("1, 2 and 6 hold") && claim.contains("3 and 6 are empty"));
    // Formula 3.3, row by row.
    let printed = [
        [1, 1, 0, -1, 0, 1],
        [1, 1, 0, -1, 0, 1],
        [0; 6],
        [-1, -1, 0, 1, 0, -1],
        [0; 6],
        [1, 1, 0, -1, 0, 1],
    ];
    let is_empty = |cell: &usize| (0..6).all(|other| printed[cell - 1][other] == 0);
    let empty: Vec<usize> = (1..=6).filter(is_empty).collect();
    assert_eq!(empty, [3, 5]);
    // Either reading has the match that the source prints.
    let value = figure("thesis/example-match").value.expect("0.44");
    for stones in ["oo.^.o", "oo.^o."] {
        assert_eq!(agreeing(stones, "aabbaa"), (160, 360), "{stones}");
    }
    assert!((value - 16.0 / 36.0).abs() < 0.005);
    // Four rows that are full but for the left column: all stones of Tetris are of one kind.
    let bar = ".aaaaaaaaa".repeat(4);
    let (sum, total) = agreeing(&bar.replace('a', "o"), &bar);
    let value = figure("thesis/tetris-bar").value.expect("a match");
    assert!(close(value, f64::from(sum) / f64::from(total)));
}

/// The vertices in which a walk of `steps` steps from `start` can end, on a ring of `count` vertices.
fn ends(start: usize, steps: usize, count: usize) -> BTreeSet<usize> {
    let mut ends = BTreeSet::from([start]);
    for _ in 0..steps {
        let around = ends
            .iter()
            .flat_map(|at| [(at + 1) % count, (at + count - 1) % count]);
        ends = around.collect();
    }
    ends
}

#[test]
fn a_walk_of_no_steps_ends_at_its_start() {
    let reason = &figure("ikerukana/zero-steps").reason;
    assert!(reason.contains("if (DICE_NUM == 0) { return {0}; }"));
    let listed = BTreeSet::from([0]);
    let right = (0..7).filter(|start| ends(*start, 0, 7) == listed);
    assert_eq!(right.collect::<Vec<_>>(), [0], "only from vertex 0");
}

#[test]
fn squares_within_48_steps_are_counted_one_by_one() {
    let (printed, corrected) = values("ikerukana/squares");
    let steps = 48_i32;
    let places = (-steps..=steps).flat_map(|x| (-steps..=steps).map(move |y| (x, y)));
    let count = places.filter(|(x, y)| x.abs() + y.abs() <= steps).count();
    assert!(close(corrected, count as f64));
    let side = 2 * steps + 1;
    assert!(close(printed, f64::from(side * side) / 2.0 + 1.0));
    assert_eq!(
        side * side / 2 + 1,
        count as i32,
        "whole numbers round down"
    );
}

#[test]
fn a_connected_map_of_900_vertices_has_more_than_674_edges() {
    let (printed, corrected) = values("ikerukana/edges");
    let vertices = 900;
    let (tree, quarter) = (vertices - 1, vertices / 4);
    assert!(printed < f64::from(tree));
    assert!(close(corrected, f64::from(tree + quarter)));
    assert!(close(f64::from(vertices) * 0.75, 675.0));
    assert!(close(printed, f64::from(tree - quarter)));
}

#[test]
fn the_worked_example_s_path_is_7_6_long() {
    let (printed, corrected) = values("astar/total");
    let reason = &figure("astar/total").reason;
    let mut words = reason.split_whitespace();
    let path = words.find(|word| word.matches('-').count() == 6);
    let cells: Vec<(i32, i32)> = path
        .expect("a path of seven cells")
        .split('-')
        .map(|cell| {
            let cell = cell.as_bytes();
            (i32::from(cell[0]), i32::from(cell[1]))
        })
        .collect();
    let lengths = cells.windows(2).map(|pair| {
        let (x, y) = (pair[0].0 - pair[1].0, pair[0].1 - pair[1].1);
        assert!(x.abs() <= 1 && y.abs() <= 1 && (x, y) != (0, 0));
        if x == 0 || y == 0 { 1.0 } else { 1.4 }
    });
    let length: f64 = lengths.sum();
    assert!(
        close(length, corrected) && !close(length, printed),
        "{length}"
    );
}
