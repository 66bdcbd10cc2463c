//! Templates: the sets of the thesis fire as drawn, its example has the printed match, and the incremental match
//! equals the match by matrices.

use std::ops::ControlFlow;
use std::sync::Arc;

use ikeru_chain::simulate::flood;
use ikeru_chain::{Board, Cell, Piece, PuyoColour, Size, resolve};
use ikeru_core::{Choice, Random};
use ikeru_policy::matching::{
    Constraints, Contacts, Extended, HeightValues, Matcher, TemplateTarget, extent, stones,
    stones_of,
};
use ikeru_policy::policy::repair::Repair;
use ikeru_policy::repertoire::Repertoire;
use ikeru_policy::templates::colouring::for_each_colouring;
use ikeru_policy::templates::criterion::{Completion, Criterion, Threshold};
use ikeru_policy::templates::drawing::{DrawingExtent, DrawingKind, read};
use ikeru_policy::templates::matrix::{StateMatrix, Stone, TemplateMatrix};
use ikeru_policy::templates::truth::{LabelRelation, MidChain};
use ikeru_policy::templates::weights::WeightRule;
use ikeru_policy::templates::{Border, Template, TemplateOptions, sets};

const SIZE: Size = Size::THESIS;
const COLUMNS: usize = 6;

fn templates(names: &str, options: TemplateOptions) -> Vec<Template> {
    let drawings = sets::drawings(names).expect("a known set");
    sets::templates(drawings, extent(SIZE), options).expect("templates that fire")
}

fn target(matcher: &Arc<Matcher>) -> TemplateTarget {
    TemplateTarget::new(Arc::clone(matcher), Completion::default())
}

fn colour(index: usize) -> PuyoColour {
    PuyoColour::new(index).expect("a colour")
}

#[test]
fn every_chain_fires_as_drawn_in_every_legal_colouring() {
    let chains = templates("stairs+sandwich", TemplateOptions::default());
    assert_eq!(chains.len(), 22);
    for template in &chains {
        let trigger = template.trigger().expect("a chain has a trigger");
        let mut colourings = 0;
        let _ = for_each_colouring(template, 4, &mut |colouring| {
            // The other colourings are colour permutations of those that begin with colour 0.
            if colouring[0] != 0 {
                return ControlFlow::Break(());
            }
            colourings += 1;
            let mut board = Board::empty(SIZE);
            for cell in template.capital_cells() {
                let label = template.labels.label(cell).expect("a capital");
                let puyo = Cell::Puyo(colour(colouring[label]));
                board.set(cell % SIZE.width(), cell / SIZE.width(), puyo);
            }
            let mut without = board;
            without.set(trigger % SIZE.width(), trigger / SIZE.width(), Cell::Empty);
            assert_eq!(
                flood::resolve(&mut without).steps,
                0,
                "{}",
                template.drawing.name
            );
            let chain = flood::resolve(&mut board);
            assert_eq!(
                (chain.steps, chain.cleared),
                (8, 32),
                "{}",
                template.drawing.name
            );
            assert_eq!(board.stones(), 0);
            ControlFlow::Continue(())
        });
        assert!(colourings > 0, "{}", template.drawing.name);
    }
}

#[test]
fn the_example_of_the_thesis_matches_by_four_ninths() {
    let extent = DrawingExtent {
        width: 3,
        height: 2,
    };
    let options = TemplateOptions {
        weight_rule: WeightRule::Uniform,
        ..TemplateOptions::default()
    };
    // Cells 1, 2 and 3 are the lower row: 1, 2, 5 and 6 are A; 3 and 4 are B.
    let drawing = read("# example pattern\nBAA\nAAB\n")
        .expect("a drawing")
        .remove(0);
    let template = Template::new(drawing, extent, options).expect("a pattern");
    let matrix = TemplateMatrix::new(&template);
    let printed = [
        [10, 10, -10, -10, 10, 10],
        [10, 10, -10, -10, 10, 10],
        [-10, -10, 10, 10, -10, -10],
        [-10, -10, 10, 10, -10, -10],
        [10, 10, -10, -10, 10, 10],
        [10, 10, -10, -10, 10, 10],
    ];
    for (i, row) in printed.iter().enumerate() {
        for (j, &value) in row.iter().enumerate() {
            assert_eq!(
                matrix.value(i, j),
                2 * value,
                "matrix 3.6, row {i}, column {j}"
            );
        }
    }
    // The text says that cells 3 and 6 are empty; matrix 3.3 has 3 and 5.
    let (circle, triangle) = (Stone::DrawingKind(0), Stone::DrawingKind(1));
    let state = StateMatrix::new(&[circle, circle, Stone::Empty, triangle, Stone::Empty, circle]);
    let printed = [
        [1, 1, 0, -1, 0, 1],
        [1, 1, 0, -1, 0, 1],
        [0, 0, 0, 0, 0, 0],
        [-1, -1, 0, 1, 0, -1],
        [0, 0, 0, 0, 0, 0],
        [1, 1, 0, -1, 0, 1],
    ];
    for (i, row) in printed.iter().enumerate() {
        for (j, &value) in row.iter().enumerate() {
            assert_eq!(state.value(i, j), value, "matrix 3.3, row {i}, column {j}");
        }
    }
    let found = matrix.match_with(&state).expect("no violation");
    assert_eq!(found.agreeing * 36, found.total * 16);
    assert!((found.value() - 0.44).abs() < 0.005);
}

#[test]
fn waiting_for_the_bar_is_a_template_on_a_board_of_tetris() {
    // Section 2.2: everything is filled except for the left column. All stones of Tetris are of one kind, so a border
    // cell that must differ from its neighbour must be empty.
    let extent = DrawingExtent {
        width: 10,
        height: 20,
    };
    let options = TemplateOptions {
        border: Border::Hard,
        ..TemplateOptions::default()
    };
    let drawing = read(&format!("# bar pattern\n{}", ".AAAAAAAAA\n".repeat(4))).expect("drawn");
    let template = Template::new(drawing.clone().remove(0), extent, options).expect("a pattern");
    let matrix = TemplateMatrix::new(&template);
    let mut stones = vec![Stone::Empty; extent.cells()];
    let mut before = 0.0;
    for row in 0..4 {
        for column in 1..10 {
            stones[extent.index(column, row)] = Stone::DrawingKind(0);
        }
        let found = matrix
            .match_with(&StateMatrix::new(&stones))
            .expect("no violation");
        assert!(
            found.value() > before,
            "every row brings the pattern nearer"
        );
        before = found.value();
    }
    stones[extent.index(0, 0)] = Stone::DrawingKind(0);
    assert_eq!(
        matrix.match_with(&StateMatrix::new(&stones)),
        None,
        "the shaft is blocked"
    );
}

/// A board after random placements, with occasional garbage.
fn random_board(random: &mut Random, moves: usize) -> Board {
    let mut board = Board::empty(SIZE);
    for _ in 0..moves {
        let piece = Piece {
            axis: colour(random.index(4)),
            child: colour(random.index(4)),
        };
        let placements: Vec<_> = piece.placements(&board).collect();
        if placements.is_empty() {
            break;
        }
        board.place(piece, placements[random.index(placements.len())]);
        let column = random.index(6);
        if random.chance(0.03) && board.heights()[column] < 13 {
            board.drop(column, Cell::Garbage);
        }
        resolve(&mut board);
    }
    board
}

#[test]
fn the_incremental_match_equals_the_matrices() {
    let mut random = Random::new("test.matching", 1);
    let mut agreeing = 0;
    for &(_, border) in Border::WORDS {
        let options = TemplateOptions {
            border,
            ..TemplateOptions::default()
        };
        let templates = templates("stairs+domino", options);
        let matcher = Arc::new(Matcher::new(&templates, SIZE).expect("a set"));
        let matrices: Vec<TemplateMatrix> = templates.iter().map(TemplateMatrix::new).collect();
        let mut values = HeightValues::new(target(&matcher), 0.0);
        for round in 0..60 {
            let board = random_board(&mut random, round % 7);
            let constraints = Constraints::of(&matcher, &board, 4);
            let state = StateMatrix::new(&stones(&board));
            let known = values.get(board.heights()).to_vec();
            for (number, matrix) in matrices.iter().enumerate() {
                let naive = matrix.match_with(&state);
                assert_eq!(
                    constraints.alive >> number & 1 == 1,
                    naive.is_some(),
                    "{board}"
                );
                assert_eq!(matcher.agrees(number, &board), naive.is_some(), "{board}");
                let Some(naive) = naive else { continue };
                agreeing += 1;
                let contacts = Contacts::of(&board);
                // The matcher sums over filled cells and the matrix over all pairs, with the same result.
                assert_eq!(
                    matcher.agreeing(number, &board, &contacts),
                    naive.agreeing,
                    "{board}"
                );
                let entry = known
                    .iter()
                    .find(|value| usize::from(value.number) == number);
                let penalty = matcher.soft_penalty(number, &board, &contacts);
                let value = entry.expect("every template").value - matcher.value(number, penalty);
                assert!((value - naive.value()).abs() < 1e-12);
            }
        }
    }
    assert!(agreeing > 200, "{agreeing} matches compared");
}

/// Garbage does not agree with any stone, not even with itself. With a hard border it rules a template out in every
/// cell that has a relation, including border cells.
#[test]
fn garbage_on_a_hard_border_rules_a_template_out() {
    let (mut ruled_out, mut on_the_border) = (0, 0);
    for &(_, border) in Border::WORDS {
        let options = TemplateOptions {
            border,
            ..TemplateOptions::default()
        };
        let templates = templates("stairs+sandwich", options);
        let matcher = Matcher::new(&templates, SIZE).expect("a set");
        for (number, template) in templates.iter().enumerate() {
            let matrix = TemplateMatrix::new(template);
            let mut colours = Vec::new();
            let _ = for_each_colouring(template, 4, &mut |colouring| {
                colours = colouring.to_vec();
                ControlFlow::Break(())
            });
            let capital = |cell: usize| {
                let label = template.labels.label(cell)?;
                template
                    .labels
                    .is_capital(label)
                    .then(|| colour(colours[label]))
            };
            for column in 0..COLUMNS {
                // The cells of the chain in the column, then garbage on top of them.
                let mut board = Board::empty(SIZE);
                let mut row = 0;
                while let Some(colour) = capital(row * COLUMNS + column) {
                    board.drop(column, Cell::Puyo(colour));
                    row += 1;
                }
                board.drop(column, Cell::Garbage);
                let naive = matrix.match_with(&StateMatrix::new(&stones(&board)));
                let constraints = Constraints::of(&matcher, &board, 4);
                assert_eq!(
                    constraints.alive >> number & 1 == 1,
                    naive.is_some(),
                    "{board}"
                );
                assert_eq!(matcher.agrees(number, &board), naive.is_some(), "{board}");
                ruled_out += u32::from(naive.is_none());
                let cell = row * COLUMNS + column;
                on_the_border += u32::from(template.labels.label(cell).is_some());
            }
        }
    }
    assert!(
        ruled_out > 50 && on_the_border > 100,
        "{ruled_out} {on_the_border}"
    );
}

/// The chain of `template` in one colouring, without the topmost cell of a column for each entry of `left_out`.
fn built(template: &Template, left_out: &[usize]) -> Board {
    let mut colours = Vec::new();
    let _ = for_each_colouring(template, 4, &mut |colouring| {
        colours = colouring.to_vec();
        ControlFlow::Break(())
    });
    let mut board = Board::empty(SIZE);
    let mut cells: Vec<usize> = template.capital_cells().collect();
    for &column in left_out {
        if let Some(at) = cells.iter().rposition(|cell| cell % COLUMNS == column) {
            cells.remove(at);
        }
    }
    for cell in cells {
        let label = template.labels.label(cell).expect("a capital");
        board.drop(cell % COLUMNS, Cell::Puyo(colour(colours[label])));
    }
    board
}

/// Tests completion by the referee's matrices and by the matcher of the policies, which must agree.
fn completed(repertoire: &Repertoire, board: &Board, criterion: Criterion) -> bool {
    let found = repertoire.completed(board, criterion);
    let by_masks = repertoire.matcher.completed(board, criterion) != 0;
    assert_eq!(found, by_masks, "{criterion:?}\n{board}");
    found
}

/// The border is empty here, so that its part of the match is missing.
#[test]
fn whole_stairs_match_above_0_9_and_with_a_cell_missing_below() {
    let named = |name| Repertoire::named(name, &[], SIZE, TemplateOptions::default(), 4);
    let repertoire = named("stairs").expect("a built-in set");
    let switch = Criterion::Above(Threshold::new(9000));
    let whole = Criterion::AtLeast(Threshold::new(9500));
    for template in &repertoire.templates {
        let board = built(template, &[]);
        assert!(completed(&repertoire, &board, switch), "{board}");
        assert!(!completed(&repertoire, &board, whole), "{board}");
        let board = built(template, &[0]);
        assert!(completed(&repertoire, &board, Criterion::Missing(1)));
        assert!(!completed(&repertoire, &board, switch), "{board}");
    }
}

#[test]
fn referee_and_policies_agree_just_below_and_just_above_a_match() {
    let named = |name| Repertoire::named(name, &[], SIZE, TemplateOptions::default(), 4);
    let repertoire = named("stairs").expect("a built-in set");
    let mut random = Random::new("test.threshold", 1);
    let (mut compared, mut above_0_9) = (0, 0);
    for round in 0..600 {
        let board = if round % 2 == 0 {
            random_board(&mut random, round % 11)
        } else {
            let template = &repertoire.templates[random.index(repertoire.templates.len())];
            let lacking: Vec<usize> = (0..random.index(4)).map(|_| random.index(6)).collect();
            built(template, &lacking)
        };
        let state = StateMatrix::new(&stones(&board));
        let matrices = repertoire.templates.iter().map(TemplateMatrix::new);
        let found = matrices.filter_map(|matrix| matrix.match_with(&state));
        // The match in ten-thousandths, rounded down, and true if it is exact.
        let parts = |agreeing: i64, total: i64| {
            let parts = (10_000 * agreeing).div_euclid(total);
            (parts, 10_000 * agreeing == parts * total)
        };
        let best = found
            .map(|found| parts(found.agreeing, found.total))
            .max_by_key(|&(parts, exact)| (parts, !exact));
        let Some((parts, exact)) = best.filter(|&(parts, _)| (0..10_000).contains(&parts)) else {
            continue;
        };
        let (below, above) = (Threshold::new(parts), Threshold::new(parts + 1));
        assert!(completed(&repertoire, &board, Criterion::AtLeast(below)));
        assert_eq!(
            completed(&repertoire, &board, Criterion::Above(below)),
            !exact
        );
        assert!(!completed(&repertoire, &board, Criterion::AtLeast(above)));
        assert!(!completed(&repertoire, &board, Criterion::Above(above)));
        compared += 1;
        above_0_9 += u32::from(parts >= 9000);
    }
    assert!(compared > 250 && above_0_9 > 50, "{compared} {above_0_9}");
}

#[test]
fn the_columns_furthest_behind_take_from_the_match() {
    let templates = templates("stairs+sandwich", TemplateOptions::default());
    let matcher = Arc::new(Matcher::new(&templates, SIZE).expect("a set"));
    let mut plain = HeightValues::new(target(&matcher), 0.0);
    let mut lagging = HeightValues::new(target(&matcher), 0.25);
    let mut random = Random::new("test.lag", 1);
    for round in 0..60 {
        let board = random_board(&mut random, round % 9);
        let plain = plain.get(board.heights()).to_vec();
        for value in lagging.get(board.heights()) {
            let template = &templates[usize::from(value.number)];
            let mut lacks = [0_u8; COLUMNS];
            for cell in template.capital_cells() {
                let (column, row) = (cell % COLUMNS, cell / COLUMNS);
                lacks[column] += u8::from(row >= usize::from(board.heights()[column]));
            }
            let fourth = |lack: u8| f64::from(lack) * f64::from(lack).powi(3);
            let behind = lacks.into_iter().map(fourth).sum::<f64>().sqrt().sqrt();
            let without = plain.iter().find(|known| known.number == value.number);
            let without = without.expect("every template").value;
            assert!((without - 0.25 * behind - value.value).abs() < 1e-12);
        }
    }
}

#[test]
fn two_stones_at_once_are_two_stones_one_by_one() {
    let matcher = Matcher::new(
        &templates("stairs+sandwich", TemplateOptions::default()),
        SIZE,
    )
    .expect("a set");
    let mut random = Random::new("test.two-stones", 1);
    for round in 0..200 {
        let board = random_board(&mut random, round % 9);
        let constraints = Constraints::of(&matcher, &board, 4);
        // The same constraints, from those of an empty board and all stones.
        let (empty, stones) = (Constraints::none(&matcher), stones_of(&board));
        let extended = Extended::of(&matcher, &empty, (&board, &stones), matcher.all());
        let piece = Piece {
            axis: colour(random.index(4)),
            child: colour(random.index(4)),
        };
        for placement in piece.placements(&board) {
            let mut after = board;
            after.place(piece, placement);
            let new = after.occupied() & !board.occupied();
            let (low, high) = (
                new.trailing_zeros() as usize,
                127 - new.leading_zeros() as usize,
            );
            let of = |bit: usize| match after.cell(bit / 16, bit % 16) {
                Cell::Puyo(colour) => (colour, bit),
                _ => unreachable!("a puyo was placed there"),
            };
            let expected = Constraints::of(&matcher, &after, 4).alive;
            for before in [Extended::none(&constraints), extended] {
                let together = before.alive_after(&matcher, of(low), of(high));
                assert_eq!(together, expected);
            }
            // The same test with a third stone.
            let own = [of(low), of(high)];
            let beyond = Extended::new(&constraints, &own, expected);
            let third = (
                colour(random.index(4)),
                16 * 5 + usize::from(after.heights()[5]),
            );
            let fourth = (third.0, third.1 + 1);
            if usize::from(after.heights()[5]) + 2 <= SIZE.height() {
                after.drop(5, Cell::Puyo(third.0));
                after.drop(5, Cell::Puyo(fourth.0));
                let more = beyond.alive_after(&matcher, third, fourth);
                assert_eq!(more, Constraints::of(&matcher, &after, 4).alive);
            }
        }
    }
}

#[test]
fn permuted_colours_match_alike() {
    let matcher =
        Matcher::new(&templates("sandwich", TemplateOptions::default()), SIZE).expect("a set");
    let mut random = Random::new("test.permuted", 1);
    for round in 0..100 {
        let board = random_board(&mut random, round % 8);
        let mut order: Vec<usize> = (0..4).collect();
        random.shuffle(&mut order);
        let mut colours = [colour(4); PuyoColour::COUNT];
        for (from, &to) in order.iter().enumerate() {
            colours[from] = colour(to);
        }
        let permuted = board.recoloured(&colours);
        for number in 0..matcher.count() {
            assert_eq!(
                matcher.match_with(number, &board),
                matcher.match_with(number, &permuted)
            );
        }
    }
}

#[test]
fn a_mirrored_template_matches_the_mirrored_board() {
    let mut drawings = sets::drawings("stairs").expect("a set");
    let straight = sets::templates(drawings.clone(), extent(SIZE), TemplateOptions::default());
    for drawing in &mut drawings {
        for row in drawing.cells.chunks_mut(SIZE.width()) {
            row.reverse();
        }
    }
    let mirrored = sets::templates(drawings, extent(SIZE), TemplateOptions::default());
    let straight = Matcher::new(&straight.expect("stairs"), SIZE).expect("a set");
    let mirrored = Matcher::new(&mirrored.expect("mirrored stairs"), SIZE).expect("a set");
    let mut random = Random::new("test.mirrored", 1);
    for round in 0..100 {
        let board = random_board(&mut random, round % 8);
        for number in 0..straight.count() {
            let reflected = mirrored.match_with(number, &board.mirrored());
            assert_eq!(straight.match_with(number, &board), reflected);
        }
    }
}

#[test]
fn templates_that_do_not_fire_are_refused_with_what_happens() {
    let refusal = |text: &str| {
        let drawing = read(text).expect("readable").remove(0);
        Template::new(drawing, extent(SIZE), TemplateOptions::default())
            .expect_err("refused")
            .in_file("t")
    };
    assert_eq!(
        refusal("# short\nAAA...\n"),
        "t:1: template `short` has 3 cells of A, expected at least 4 to vanish"
    );
    assert_eq!(
        refusal("# high\n.A....\nA.AAA.\n"),
        "t:1: template `high` floats: A in column 2, row 2 from below has nothing under it"
    );
    assert_eq!(
        refusal("# apart\nAA.AA.\n"),
        "t:1: template `apart` does not fire as drawn: in step 1 nothing vanishes, expected A alone"
    );
    assert_eq!(
        refusal("# both\nBBBB..\nAAAA..\n"),
        "t:1: template `both` does not fire as drawn: in step 1 A and B vanish, expected A alone"
    );
    assert_eq!(
        refusal("# narrow\nAAAA\n"),
        "t:1: template `narrow` is 4 wide and 1 high, expected exactly 6 wide and at most 13 high"
    );
    let unknown = sets::drawings("stair").expect_err("unknown").message;
    assert!(unknown.contains("did you mean `stairs`?"), "{unknown}");
}

#[test]
fn every_stage_of_a_template_of_the_thesis() {
    let template = &templates("stairs", TemplateOptions::default())[3];
    assert_eq!(template.drawing.name, "stairs-4");
    let labels = &template.labels;
    let row = |row: usize| (0..COLUMNS).map(move |column| labels.label(row * COLUMNS + column));
    let names = |at| row(at).map(|label| label.map_or("0", |label| labels.name(label)));
    assert_eq!(names(7).collect::<String>(), "a00000");
    assert_eq!(names(6).collect::<String>(), "Dbcd00");
    assert_eq!(names(5).collect::<String>(), "CBBAe0");
    assert_eq!((0..13).flat_map(row).flatten().count(), 39);

    let relations =
        |template: &Template| [0, 1, 2, 3, 4].map(|other| template.truth.relation(2, other));
    let (differ, free) = (LabelRelation::Differ, LabelRelation::Free);
    let printed = [free, differ, LabelRelation::Same, differ, differ];
    assert_eq!(relations(template), printed);
    let mid_chain = MidChain::None;
    let uncorrected = TemplateOptions {
        mid_chain,
        ..TemplateOptions::default()
    };
    let found = relations(&templates("stairs", uncorrected)[3]);
    assert_eq!(found[..4], printed[..4]);
    assert_eq!(found[4], free, "C must differ from E: found by simulation");

    assert_eq!(template.weights[..6], [500, 600, 600, 500, 400, 500]);
    assert_eq!(template.drawing.kind, DrawingKind::Chain);
}

#[test]
fn repair_digs_towards_a_template() {
    let matcher =
        Matcher::new(&templates("stairs", TemplateOptions::default()), SIZE).expect("a set");
    let mut random = Random::new("test.repair", 1);
    let board = random_board(&mut random, 12);
    let pieces = [Piece {
        axis: colour(0),
        child: colour(1),
    }];
    let repair = Repair::new(Arc::new(matcher));
    let placement = repair.choose(
        &board,
        &pieces,
        &mut ikeru_policy::policy::PolicyWork::default(),
    );
    assert!(placement.is_some_and(|placement| placement.is_legal(&board)));
}
