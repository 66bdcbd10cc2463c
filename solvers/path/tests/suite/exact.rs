//! Exactness: paths that scaled costs tie or order wrongly, paths whose costs exceed 32 bits, large maps, deadlines.

use std::sync::atomic::AtomicBool;

use ikeru_core::{
    Attempt, Deadline, Direction, Incumbent, Problem, Referee, Refusal, Rejection, Search,
};
use ikeru_path::GridPath;
use ikeru_path::answer::Answer;
use ikeru_path::cost::Length;
use ikeru_path::instance::{Instance, MapInput};
use ikeru_path::map::{Cell, TerrainMap};
use ikeru_path::question::Question;

use crate::{checked, generate, settings, solve};

/// A map of walls that tests open cell by cell.
struct Canvas {
    width: usize,
    letters: Vec<u8>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            letters: vec![b'@'; width * height],
        }
    }

    fn set(&mut self, x: usize, y: usize, letter: u8) {
        self.letters[y * self.width + x] = letter;
    }

    fn asked(self, words: &str) -> Instance {
        let height = self.letters.len() / self.width;
        let input = MapInput {
            map: TerrainMap::new(self.width, height, self.letters).expect("a map"),
            map_name: "drawn".to_owned(),
            scenario: Vec::new(),
            other_map: None,
            question: Question::default(),
        };
        let instance = Instance::new(input).expect("an instance");
        instance.ask(&settings(words)).expect("a question")
    }
}

/// Two paths between the ends of a row: a zigzag of `steps` (even) diagonals below it, and a detour `rise` rows above
/// it, of `steps` + 2·`rise` − 4 straights and a diagonal at each of its two corners. `forest` gives the number of
/// first cells of the zigzag and of the detour's top row that are forest.
fn two_ways(steps: usize, rise: usize, forest: (usize, usize)) -> Instance {
    let mut canvas = Canvas::new(steps + 1, rise + 3);
    let row = rise + 1;
    let ground = |forest: bool| if forest { b'T' } else { b'.' };
    for x in 0..=steps {
        canvas.set(x, row + x % 2, ground((1..=forest.0).contains(&x)));
        canvas.set(x, 1, ground((3..3 + forest.1).contains(&x)));
    }
    for y in 2..row {
        canvas.set(0, y, b'.');
        canvas.set(steps, y, b'.');
    }
    canvas.asked(&format!(
        "start=0,{row} goal={steps},{row} corners=allow forest=1000"
    ))
}

/// Solves the instance with every variant except `slow`, checks the answers with the referee and returns their common
/// length.
fn length(instance: &Instance, slow: &[&str]) -> Length {
    let mut lengths = Vec::new();
    for variant in GridPath::VARIANTS {
        if slow.contains(&variant.name) {
            continue;
        }
        let Some(answer) = solve(variant.name, instance, "", 1) else {
            continue;
        };
        let checked = checked(instance, &answer, Deadline::never());
        checked.unwrap_or_else(|wrong| panic!("{}: {wrong}", variant.name));
        lengths.push(answer.path(0).expect("a path").length);
    }
    assert!(lengths.len() >= 4, "{} took it", lengths.len());
    assert!(lengths.windows(2).all(|pair| pair[0] == pair[1]));
    lengths[0]
}

/// With √2 ≈ p/q, q diagonal steps cost the same as p straight steps; in fact the straight steps are shorter.
#[test]
fn ways_that_tie_at_a_scale_are_told_apart() {
    for (straights, diagonals, steps, rise, forest) in [
        // 2·1393 and 2·985, on plain ground alone.
        (2_786, 1_970, 1_972, 409, (0, 0)),
        (8_119, 5_741, 748, 191, (5, 7)),
        (47_321, 33_461, 496, 937, (33, 45)),
    ] {
        assert_eq!(diagonals + 2, steps + 999 * forest.0);
        assert_eq!(straights, steps + 2 * rise - 4 + 999 * forest.1);
        let instance = two_ways(steps, rise, forest);
        let shortest = Length {
            straight: 100 * straights as u64,
            diagonal: 200,
        };
        assert_eq!(length(&instance, &[]), shortest, "{straights}/{diagonals}");
    }
}

/// A corridor through a whole map whose cost does not fit 32 bits, and one over expensive ground.
#[test]
fn ways_beyond_32_bits_are_found() {
    const SIDE: usize = 531;
    let mut canvas = Canvas::new(SIDE, SIDE);
    for y in (0..SIDE).step_by(2) {
        (0..SIDE).for_each(|x| canvas.set(x, y, b'.'));
        if y > 0 {
            canvas.set(if y.is_multiple_of(4) { 0 } else { SIDE - 1 }, y - 1, b'.');
        }
    }
    let last = SIDE - 1;
    let corridor = canvas.asked(&format!(
        "start=0,0 goal={},{last}",
        if last.is_multiple_of(4) { last } else { 0 }
    ));
    let steps = (SIDE * SIDE.div_ceil(2) + SIDE / 2 - 1) as u64;
    assert!(steps * 33_461 > u64::from(u32::MAX), "{steps} steps");
    let straight = 100 * steps;
    assert_eq!(
        length(&corridor, &["open-list", "hash"]),
        Length {
            straight,
            diagonal: 0
        }
    );
    let mut canvas = Canvas::new(1_000, 2);
    for x in 0..1_000 {
        canvas.set(x, 0, if x % 3 == 0 { b'.' } else { b'T' });
    }
    let dear = canvas.asked("start=0,0 goal=999,0 forest=1000 plain=0.01");
    let straight = 666 * 100_000 + 333;
    assert_eq!(
        length(&dear, &[]),
        Length {
            straight,
            diagonal: 0
        }
    );
}

/// The estimate of the start alone reaches the limit of 32 bits.
#[test]
fn a_start_whose_estimate_is_beyond_32_bits_has_its_path() {
    let mut canvas = Canvas::new(6, 2);
    canvas.letters.copy_from_slice(b"....=S@@@@T@");
    let factors = "plain=40 swamp=40 road=237.2 forest=156.01 corners=allow";
    let near = canvas.asked(&format!("start=0,0 goal=5,0 {factors}"));
    let shortest = |straight, diagonal| Length { straight, diagonal };
    assert_eq!(length(&near, &[]), shortest(39_720, 0));
    let mut canvas = Canvas::new(200, 200);
    canvas.letters.fill(b'.');
    canvas.set(100, 100, b'S');
    let far = canvas.asked("start=0,0 goal=199,199 plain=1.01 swamp=3");
    // Around the swamp: two straight steps in place of a diagonal one.
    assert_eq!(length(&far, &[]), shortest(202, 198 * 101));
}

#[test]
fn large_open_maps_are_answered() {
    let mut canvas = Canvas::new(2_048, 2_048);
    canvas.letters.fill(b'.');
    // Two walls, so that more than one jump is needed.
    for x in 0..2_000 {
        canvas.set(x, 700, b'@');
        canvas.set(2_047 - x, 1_400, b'@');
    }
    let instance = canvas.asked("start=3,5 goal=2040,2000");
    assert_eq!(GridPath::default_variant(&instance), "auto");
    let found = length(&instance, &["open-list", "hash", "dijkstra"]);
    assert!(found.straight > 100 * 2_000 && found.diagonal > 100 * 1_000);
}

/// After the deadline, preparation, search and the referee's Dijkstra stop at once.
#[test]
fn a_deadline_that_has_passed_ends_everything_at_once() {
    let stop = AtomicBool::new(true);
    let passed = Deadline::never().or_stop(&stop);
    let instance = generate(
        "path.random",
        "width=120 height=120 density=0.3 queries=200",
        1,
    );
    for variant in GridPath::VARIANTS {
        let late = (variant.prepare)(&instance, &settings(""), passed);
        let mut solver = match (variant.prepare)(&instance, &settings(""), Deadline::never()) {
            Ok(solver) => solver,
            Err(Refusal::Skip(_)) => continue,
            Err(error) => panic!("{}: {error}", variant.name),
        };
        assert!(matches!(late, Err(Refusal::Timeout)), "{}", variant.name);
        for threads in [1, 2] {
            let incumbent = Incumbent::new(Direction::Minimize);
            let mut search = Search::new(&incumbent);
            search.threads = threads;
            search.deadline = passed;
            let Attempt::Timeout { .. } = solver.solve(&mut search) else {
                panic!("{} answered", variant.name);
            };
            let expansions = search.counters.get("expansions");
            assert!(
                expansions <= threads as u64,
                "{}: {expansions}",
                variant.name
            );
        }
    }
    let answer = solve("jps", &instance, "", 1).expect("an answer");
    let late = checked(&instance, &answer, passed);
    assert_eq!(late, Err(Rejection::Timeout));
    assert!(checked(&instance, &answer, Deadline::never()).is_ok());
}

/// The queries of a batch that Dijkstra's algorithm checks depend on the whole instance.
#[test]
fn the_queries_that_dijkstra_checks_differ_between_instances() {
    let found = |seed: u64| -> Vec<bool> {
        let batch = "width=512 height=512 density=0.2 queries=40";
        let instance = generate("path.random", batch, seed);
        let answer = solve("jps", &instance, "", 1).expect("an answer");
        // Without published lengths, a path that is too long is detected only if Dijkstra's algorithm checks it.
        let mut input = (*instance.input).clone();
        for row in &mut input.scenario {
            row.published = None;
        }
        let blind = Instance::new(input).expect("an instance");
        // One referee checks all answers: its stored shortest lengths must not accept a longer path.
        let referee = GridPath::referee(&blind);
        let check = |answer: &Answer| referee.check(&blind, answer, Deadline::never());
        let checked = check(&answer).expect("shortest paths");
        let mut measures = checked.measures.iter();
        let count = measures.find(|(name, _)| *name == "dijkstra_checked");
        assert_eq!(count.map(|(_, count)| *count), Some(14.0));
        let with_detour = |index: usize| {
            let mut longer = Answer::new();
            for (at, path) in answer.paths().enumerate() {
                let path = path.expect("a path");
                if at == index {
                    let length = Length {
                        straight: path.length.straight + 200,
                        ..path.length
                    };
                    longer.push_path(detour(&blind, path.waypoints), length);
                } else {
                    longer.push_path(path.waypoints.iter().copied(), path.length);
                }
            }
            longer.claim(blind.question.costs);
            check(&longer).is_err()
        };
        (0..40).map(with_detour).collect()
    };
    let (one, two) = (found(1), found(2));
    for found in [&one, &two] {
        assert_eq!(found.iter().filter(|found| **found).count(), 14);
    }
    assert_ne!(one, two, "the same queries on two maps");
}

/// The path with a detour of one step from its start and back.
fn detour(instance: &Instance, corners: &[Cell]) -> Vec<Cell> {
    let start = corners[0];
    let sides = [(1, 0), (-1, 0), (0, 1), (0, -1)].map(|(dx, dy)| Cell {
        x: start.x.wrapping_add_signed(dx),
        y: start.y.wrapping_add_signed(dy),
    });
    let open = |cell: &Cell| instance.map().contains(*cell) && instance.factor(*cell).is_some();
    let side = sides
        .into_iter()
        .find(open)
        .expect("a start with a neighbour");
    [start, side]
        .into_iter()
        .chain(corners.iter().copied())
        .collect()
}
