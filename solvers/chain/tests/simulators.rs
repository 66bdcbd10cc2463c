//! Tests of every simulator on random fields of every size.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use ikeru_chain::fields::Outcomes;
use ikeru_chain::firing::Firing;
use ikeru_chain::simulate::FieldOutcome;
use ikeru_chain::simulate::{Chain, Simulator};
use ikeru_chain::{Board, Cell, PieceSequence, PuyoColour, Simulation, Size, generate, simulate};
use ikeru_core::testing::{answer, settings, trials};
use ikeru_core::{
    Deadline, Direction, Ended, Incumbent, Problem, Random, Refusal, Rejection, Search, Settings,
    erase,
};

fn simulators() -> Vec<(&'static str, Simulator)> {
    let mut simulators = vec![("bitboard", Simulator::BITBOARD)];
    match Simulator::avx2() {
        Some(simulator) => simulators.push(("avx2", simulator)),
        None => println!("no AVX2 here: that simulator is not compared"),
    }
    simulators
}

/// A random field with a random size, number of puyos, number of colours and share of garbage.
fn any_field(random: &mut Random) -> Board {
    let size = match random.index(4) {
        0 => Size::new(2 + random.index(7), 2 + random.index(14)).expect("within the limits"),
        _ => Size::THESIS,
    };
    let stones = size.cells() - random.index(size.cells() / 2);
    let garbage = [0.0, 0.0, 0.1, 0.4][random.index(4)];
    let colours = 2 + random.index(5);
    generate::random_field(random, size, stones, colours, garbage)
}

#[test]
fn all_simulators_agree_with_the_flood_fill() {
    let mut random = Random::new("test.simulators", 1);
    for _ in 0..trials(20_000) {
        let field = any_field(&mut random);
        let mut left = field;
        let chain = simulate::flood::resolve(&mut left);
        for (name, simulator) in simulators() {
            let mut rest = field;
            assert_eq!((simulator.resolve)(&mut rest), chain, "{name} on\n{field}");
            assert_eq!(rest, left, "{name} on\n{field}");
            assert_eq!(rest.heights(), left.heights(), "{name} on\n{field}");
        }
    }
}

/// Each function of a simulator once, on two plain fields and one with garbage: few steps, for Miri.
#[test]
fn every_function_agrees_with_the_flood_fill_on_three_fields() {
    let texts = [
        "B.....\nAA....\nAAB..C\n",
        "......\nAAAA..\n",
        "O.....\nAAAA..\n",
    ];
    let read = |text| ikeru_chain::format::read_field(text).expect("a field");
    let fields = texts.map(read);
    let stable = ["B.....\nAAB...\nABBC..\n", "AA....\nBBA...\n"].map(read);
    let piece = PieceSequence::new(1, 4).next().expect("a piece");
    let placement = piece.placements(&fields[0]).next().expect("a placement");
    let group = simulate::bitboard::groups_of_four(fields[1].planes()[2]);
    let results = |simulator: Simulator| {
        let begun = |rest| FieldOutcome {
            chain: Chain::default(),
            rest,
        };
        let mut outcomes = fields.map(begun);
        (simulator.outcomes)(&mut outcomes);
        let mut steps = [7; 3];
        (simulator.steps)(&fields, &mut steps);
        let (mut triggers, mut fired) = (Vec::new(), Vec::new());
        (simulator.triggers)(&stable, 4, &mut triggers);
        (simulator.fire_each)(&stable, &triggers, &mut fired);
        assert!(!fired.is_empty());
        let mut rest = fields[0];
        let resolved = ((simulator.resolve)(&mut rest), rest);
        let placed = (simulator.place)(&fields[0], piece, placement);
        (
            outcomes,
            resolved,
            placed,
            (simulator.fire)(&fields[1], group),
            (steps, triggers, fired),
            fields.map(|field| (simulator.contacts)(field.planes())),
        )
    };
    for (name, simulator) in simulators() {
        assert_eq!(results(simulator), results(Simulator::FLOOD), "{name}");
    }
}

#[test]
fn placing_and_resolving_at_once_is_placing_then_resolving() {
    let mut random = Random::new("test.place", 1);
    for seed in 0..200 {
        let mut board = Board::empty(Size::THESIS);
        for piece in PieceSequence::new(seed, 2 + random.index(5)).take(40) {
            let places: Vec<_> = piece.placements(&board).collect();
            for &placement in &places {
                let expected = (Simulator::FLOOD.place)(&board, piece, placement);
                for (name, simulator) in simulators() {
                    let (after, chain) = (simulator.place)(&board, piece, placement);
                    assert_eq!(
                        (after, chain),
                        expected,
                        "{name}, {piece} at {placement} on\n{board}"
                    );
                    assert_eq!(after.heights(), expected.0.heights());
                }
            }
            let Some(&placement) = places.get(random.index(places.len().max(1))) else {
                break;
            };
            board = simulate::place(&board, piece, placement).0;
            if random.chance(0.1) && board.heights()[2] < 13 {
                board.drop(2, Cell::Garbage);
            }
        }
    }
}

#[test]
fn firing_a_group_is_dropping_what_it_lacks() {
    let mut random = Random::new("test.fire", 1);
    let mut compared = 0;
    for seed in 0..500 {
        let field = generate::stable_field(&mut random, Size::THESIS, 20 + seed as usize % 40, 4);
        let mut board = field.expect("a stable field");
        for column in [0, 3] {
            if seed % 3 == 0 && board.heights()[column] < 10 {
                board.drop(column, Cell::Garbage);
            }
        }
        let columns = (0..Size::THESIS.width()).flat_map(|column| {
            let colours = PuyoColour::all().take(4);
            colours.map(move |colour| (column, colour))
        });
        for (column, colour) in columns {
            let Some((own, dropped)) = completed(&board, column, colour) else {
                continue;
            };
            let group = simulate::bitboard::groups_of_four(dropped.plane(colour)) & !own;
            let (rest, fired) = (Simulator::FLOOD.fire)(&board, group);
            // The comparison is skipped if there is garbage, which may be adjacent to a dropped puyo, or if more
            // puyos were dropped than were missing.
            let missing = 4_u32.saturating_sub(group.count_ones()).max(1);
            let mut left = dropped;
            let chain = simulate::flood::resolve(&mut left);
            if board.garbage() == 0 && own.count_ones() == missing {
                assert_eq!(fired, chain, "{colour:?} on column {column} of\n{board}");
                assert_eq!(rest, left, "{colour:?} on column {column} of\n{board}");
                compared += 1;
            }
            for (name, simulator) in simulators() {
                let (after, chain) = (simulator.fire)(&board, group);
                assert_eq!((after, chain), (rest, fired), "{name} on\n{board}");
                assert_eq!(after.heights(), rest.heights(), "{name} on\n{board}");
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn steps_of_many_fields_are_those_of_each() {
    let mut random = Random::new("test.steps", 1);
    for number in 0..trials(200) {
        // In every third list all fields are plain, so that they are simulated together; odd numbers leave one alone.
        let mut field = || match number % 3 {
            0 => any_field(&mut random),
            _ => {
                generate::random_field(&mut random, Size::THESIS, 10 + number as usize % 69, 4, 0.0)
            }
        };
        let fields: Vec<Board> = (0..1 + number as usize % 150).map(|_| field()).collect();
        let expected: Vec<u32> = fields
            .iter()
            .map(|field| simulate::flood::resolve(&mut { *field }).steps)
            .collect();
        for (name, simulator) in simulators() {
            let mut steps = vec![99; fields.len()];
            (simulator.steps)(&fields, &mut steps);
            assert_eq!(steps, expected, "{name}");
        }
    }
}

/// Stable boards of several sizes, with up to six colours or, if `plain`, four.
fn stable_boards(random: &mut Random, plain: bool) -> Vec<Board> {
    let boards = (0..100).filter_map(|number| {
        let size = match number % 3 {
            0 => Size::new(8, 15).expect("the largest board"),
            1 => Size::new(3, 5).expect("a small board"),
            _ => Size::THESIS,
        };
        let stones = size.cells() - random.index(size.cells() / 2);
        generate::stable_field(random, size, stones, if plain { 4 } else { 6 }).ok()
    });
    boards.collect()
}

/// The triggers and the contacts of a board, cell by cell.
fn triggers_and_contacts(board: &Board, colours: usize) -> (HashSet<(u128, u32)>, u32) {
    let (size, beside) = (board.size(), simulate::bitboard::beside);
    let (mut found, mut contacts) = (HashSet::new(), 0);
    for colour in PuyoColour::all().take(colours) {
        let plane = board.plane(colour);
        for (column, &height) in board.heights()[..size.width()].iter().enumerate() {
            let height = usize::from(height);
            let mut group = beside(Board::bit(column, height)) & plane;
            for _ in 0..size.cells() {
                group |= beside(group) & plane;
            }
            let missing = match group.count_ones() {
                0 | 1 => continue,
                2 => 2,
                _ => 1,
            };
            if height + missing <= size.height() {
                found.insert((group, missing as u32));
            }
        }
        let cells = size
            .iter()
            .map(|(column, row)| Board::bit(column, row) & plane);
        contacts += cells
            .map(|cell| (beside(cell) & plane).count_ones())
            .sum::<u32>();
    }
    (found, contacts / 2)
}

#[test]
fn every_trigger_is_found_once_and_fired() {
    let mut random = Random::new("test.triggers", 1);
    for colours in [6, 4, 3, 1] {
        let boards = stable_boards(&mut random, colours < 6);
        assert!(boards.len() > 50);
        let (mut expected, mut chains) = (Vec::new(), Vec::new());
        (Simulator::FLOOD.triggers)(&boards, colours, &mut expected);
        (Simulator::FLOOD.fire_each)(&boards, &expected, &mut chains);
        for (at, board) in (0..).zip(&boards) {
            let own = expected.iter().filter(|trigger| trigger.board == at);
            let found: Vec<_> = own
                .map(|trigger| (trigger.group, trigger.missing))
                .collect();
            let once: HashSet<_> = found.iter().copied().collect();
            assert_eq!(once.len(), found.len(), "\n{board}");
            assert_eq!(once, triggers_and_contacts(board, colours).0, "\n{board}");
            let contacts = triggers_and_contacts(board, PuyoColour::COUNT).1;
            for (name, simulator) in simulators() {
                assert_eq!(
                    (simulator.contacts)(board.planes()),
                    contacts,
                    "{name} on\n{board}"
                );
            }
        }
        for (name, simulator) in simulators() {
            let (mut triggers, mut fired) = (Vec::new(), chains.clone());
            (simulator.triggers)(&boards, colours, &mut triggers);
            assert_eq!(triggers, expected, "{name}");
            (simulator.fire_each)(&boards, &triggers, &mut fired);
            assert_eq!(fired, chains, "{name}");
        }
    }
}

/// The cells of the dropped puyos and the board after puyos of `colour` were dropped on `column` until a group
/// vanishes; `None` if the column is full before or if not all dropped puyos are in the group.
fn completed(board: &Board, column: usize, colour: PuyoColour) -> Option<(u128, Board)> {
    let (mut own, mut dropped) = (0, *board);
    loop {
        let row = usize::from(dropped.heights()[column]);
        if row == board.size().height() {
            return None;
        }
        own |= 1 << (16 * column + row);
        dropped.drop(column, Cell::Puyo(colour));
        let vanishing = simulate::bitboard::groups_of_four(dropped.plane(colour));
        if vanishing != 0 {
            return (vanishing & own == own).then_some((own, dropped));
        }
    }
}

#[test]
fn the_referee_agrees_with_the_flood_fill() {
    let mut random = Random::new("test.referee", 1);
    for _ in 0..2_000 {
        let field = any_field(&mut random);
        let firing = Firing::of(&field);
        let mut rest = field;
        assert_eq!(
            simulate::flood::resolve(&mut rest),
            firing.chain(),
            "{field}"
        );
        assert_eq!(rest, firing.rest, "{field}");
    }
}

#[test]
fn names_of_colours_and_sides_do_not_matter() {
    let mut random = Random::new("test.symmetry", 1);
    let mut colours: Vec<PuyoColour> = PuyoColour::all().collect();
    for _ in 0..2_000 {
        let field = any_field(&mut random);
        random.shuffle(&mut colours);
        let names = colours.clone().try_into().expect("all colours");
        let (mut rest, mut other) = (field, field.recoloured(&names).mirrored());
        assert_eq!(simulate::resolve(&mut rest), simulate::resolve(&mut other));
        assert_eq!(rest.recoloured(&names).mirrored(), other);
    }
}

#[test]
fn seeds_mean_the_same_fields_for_ever() {
    let text = |generator, parameters: &str, seed| {
        let problem = erase::<Simulation>();
        let instance = problem.generate(generator, &settings(parameters), seed);
        instance.expect("a field").text()
    };
    let small = "width=4 height=5 colours=3";
    assert_eq!(
        text("chain.random-field", small, 1),
        "board: 4x5\nBRBB\nBGRB\nGGRG\nRRBR\nBBBR\n"
    );
    let pair = "fields=2 width=3 height=2 stones=3";
    assert_eq!(
        text("chain.random-field", pair, 2),
        "board: 3x2\n..R\nR.B\n---\nboard: 3x2\n...\nGYR\n"
    );
    assert_eq!(
        text("chain.long-chain", "steps=12", 1),
        "......\n......\n.YB...\n.GG...\n.GY.GY\n.YR.YY\n.RY.GB\n.YR.GG\n.YR.BR\nGBRBRR\nYRYBRG\nBBGGGY\nBRRBBB\n"
    );
}

#[test]
fn a_long_chain_fires_as_often_as_asked() {
    for (steps, seed) in [(1, 1), (7, 2), (19, 3)] {
        let problem = erase::<Simulation>();
        let instance = problem
            .generate(
                "chain.long-chain",
                &settings(&format!("steps={steps}")),
                seed,
            )
            .expect("a field");
        let incumbent = Incumbent::new(Direction::Equal);
        for variant in problem.variants() {
            let Ok(mut solver) =
                instance.prepare(variant.name, &Settings::new(), Deadline::never())
            else {
                continue;
            };
            solver.solve(&mut Search::new(&incumbent));
            let checked = solver
                .referee(Deadline::never())
                .expect("an answer")
                .expect("right");
            assert_eq!(checked.score, Some(steps));
            let json = solver.answer_json().expect("an answer");
            assert_eq!(json["chains"], steps);
            assert_eq!(json["cleared"], 4 * steps);
            assert_eq!(json["attack"], 3 * steps * (steps - 1));
            assert_eq!(solver.pictures().len() as i64, steps + 2);
        }
    }
}

#[test]
fn a_timeout_says_what_was_simulated() {
    let problem = erase::<Simulation>();
    let made = problem.generate("chain.random-field", &Settings::new(), 1);
    let asked = made.expect("a field").ask(&settings("repeat=1000000"));
    let asked = asked.expect("a question");
    let incumbent = Incumbent::new(Direction::Equal);
    let mut search = Search::new(&incumbent);
    search.deadline = Deadline::after(std::time::Duration::from_millis(20));
    let solver = asked.prepare("flood", &Settings::new(), Deadline::never());
    let mut solver = solver.expect("a solver");
    solver.solve(&mut search);
    assert!(matches!(solver.ended(), Some(Ended::Timeout { .. })));
    let simulations = search.counters.get("simulations");
    assert!(0 < simulations && simulations < 1_000_000, "{simulations}");
}

#[test]
fn a_passed_deadline_ends_preparation_search_and_referee() {
    let stop = AtomicBool::new(true);
    let passed = Deadline::never().or_stop(&stop);
    let problem = erase::<Simulation>();
    let made = problem.generate("chain.random-field", &settings("fields=100"), 1);
    let fields = made.expect("fields");
    for variant in problem.variants() {
        let Ok(mut solver) = fields.prepare(variant.name, &Settings::new(), Deadline::never())
        else {
            continue;
        };
        let late = fields.prepare(variant.name, &Settings::new(), passed);
        assert!(matches!(late, Err(Refusal::Timeout)), "{}", variant.name);
        let incumbent = Incumbent::new(Direction::Equal);
        solver.solve(&mut Search::new(&incumbent));
        assert_eq!(solver.referee(passed), Some(Err(Rejection::Timeout)));
        let mut search = Search::new(&incumbent);
        search.deadline = passed;
        solver.solve(&mut search);
        assert!(matches!(solver.ended(), Some(Ended::Timeout { .. })));
        let simulations = search.counters.get("simulations");
        assert!(simulations <= 200, "{}: {simulations}", variant.name);
    }
}

#[test]
fn a_wrong_outcome_is_refused() {
    let fields = Simulation::read("RRRR..").expect("a field");
    let attempt = answer::<Simulation>(&fields, "flood", &Settings::new());
    let (attempt, _) = attempt.expect("ready");
    let answer = attempt.answer().expect("an answer");
    let check =
        |answer: &Outcomes| Simulation::referee(&fields)(&fields, answer, Deadline::never());
    assert!(check(answer).is_ok());
    let Outcomes::Whole(outcomes) = answer else {
        panic!("{answer:?}, asked for whole outcomes");
    };
    let mut more = outcomes.clone();
    more[0].chain.attack += 1;
    assert!(check(&Outcomes::Whole(more)).is_err());
    let mut left = outcomes.clone();
    left[0].rest.drop(0, Cell::Garbage);
    assert!(check(&Outcomes::Whole(left)).is_err());
    assert!(check(&Outcomes::Whole(Vec::new())).is_err());
    for (steps, is_right) in [(vec![1], true), (vec![2], false), (vec![1, 0], false)] {
        assert_eq!(check(&Outcomes::Steps(steps)).is_ok(), is_right);
    }
}

/// Boards in random order: plain boards, which are simulated many at once, and others between them.
#[test]
fn many_boards_at_once_end_as_each_alone() {
    let mut random = Random::new("test.steps", 1);
    for count in (0..70).chain([1000]) {
        let fields: Vec<Board> = (0..count).map(|_| any_field(&mut random)).collect();
        let plain =
            (0..count).map(|_| generate::random_field(&mut random, Size::THESIS, 78, 4, 0.0));
        let plain: Vec<Board> = plain.collect();
        for fields in [fields, plain] {
            let begun = |rest: &Board| FieldOutcome {
                chain: Chain::default(),
                rest: *rest,
            };
            let begun: Vec<FieldOutcome> = fields.iter().map(begun).collect();
            let mut expected = begun.clone();
            for outcome in &mut expected {
                outcome.chain = simulate::flood::resolve(&mut outcome.rest);
            }
            for (name, simulator) in simulators()
                .into_iter()
                .chain([("flood", Simulator::FLOOD)])
            {
                let mut outcomes = begun.clone();
                (simulator.outcomes)(&mut outcomes);
                assert_eq!(outcomes, expected, "{name}, {count} fields");
                for (outcome, expected) in outcomes.iter().zip(&expected) {
                    assert_eq!(outcome.rest.heights(), expected.rest.heights(), "{name}");
                }
            }
        }
    }
}

#[test]
fn steps_can_be_asked_alone() {
    let problem = erase::<Simulation>();
    let made = problem.generate("chain.random-field", &settings("fields=300"), 1);
    let fields = made.expect("fields").ask(&settings("asked=steps repeat=3"));
    let fields = fields.expect("a question");
    let incumbent = Incumbent::new(Direction::Equal);
    for variant in problem.variants() {
        let Ok(mut solver) = fields.prepare(variant.name, &Settings::new(), Deadline::never())
        else {
            continue;
        };
        let mut search = Search::new(&incumbent);
        solver.solve(&mut search);
        let checked = solver
            .referee(Deadline::never())
            .expect("an answer")
            .expect("right");
        assert_eq!(search.counters.get("simulations"), 900);
        let steps = search.counters.get("steps");
        assert_eq!(
            checked.score.map(|score| 3 * score),
            i64::try_from(steps).ok()
        );
        let json = solver.answer_json().expect("an answer");
        assert_eq!(json["fields"].as_array().map(Vec::len), Some(300));
    }
}

#[test]
fn several_fields_stand_in_one_file() {
    let text = "RRRR..\n---\n......\n";
    let fields = Simulation::read(text).expect("two fields");
    assert_eq!(Simulation::size(&fields), 2);
    let again = Simulation::read(&Simulation::write(&fields)).expect("what was written");
    assert_eq!(Simulation::write(&again), Simulation::write(&fields));
    for text in ["RRRR..\n---\n\n", "RRRR..\n---\n"] {
        let error = Simulation::read(text).expect_err("an empty field");
        assert_eq!(error.line, Some(3));
    }
}

#[test]
fn the_flood_fill_counts_cells_groups_and_puyos() {
    // A group of four vanishes and the puyo above it falls: three groups of one puyo each are left.
    let field = ikeru_chain::format::read_field("B.....\nAA....\nAAB..C\n");
    let mut board = field.expect("a field");
    let mut work = simulate::FloodWork::default();
    let chain = simulate::flood::resolve_counted(&mut board, &mut work);
    assert_eq!(chain.steps, 1);
    let cells = board.size().cells() as u64;
    assert_eq!(
        (work.cells, work.groups, work.puyos),
        (2 * cells, 4 + 3, 7 + 3)
    );
}
