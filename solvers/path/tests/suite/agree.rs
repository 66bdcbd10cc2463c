//! All variants give the same costs on random instances, and the referee accepts their paths.

use ikeru_core::{Deadline, Direction, Incumbent, Problem, Random, Search, Settings, testing};
use ikeru_path::GridPath;
use ikeru_path::instance::Instance;
use serde_json::json;

use crate::{ABSENT, checked, generate, settings, solve};

const CORNERS: [&str; 3] = ["allow", "one-side", "both-sides"];

/// A random grid of a few cells with four random queries, as text.
fn small(random: &mut Random, letters: &str) -> Instance {
    let (width, height) = (
        random.between(1, 14) as usize,
        random.between(1, 14) as usize,
    );
    let density = random.unit() * 0.5;
    // Terrain varies from single cells to patches.
    let patchy = random.unit();
    let mut map: Vec<Vec<u8>> = vec![vec![b'@'; width]; height];
    let mut terrain = b'.';
    for row in &mut map {
        for letter in row {
            if !random.chance(patchy) {
                terrain = letters.as_bytes()[random.index(letters.len())];
            }
            if !random.chance(density) {
                *letter = terrain;
            }
        }
    }
    let mut rows = String::new();
    for _ in 0..4 {
        let mut end = || {
            let (x, y) = (random.index(width), random.index(height));
            map[y][x] = b'.';
            format!("{x} {y}")
        };
        rows += &format!("0 small {width} {height} {} {} -1\n", end(), end());
    }
    let map: Vec<String> = map
        .into_iter()
        .map(|row| String::from_utf8(row).expect("letters"))
        .collect();
    let text = format!(
        "type octile\nheight {height}\nwidth {width}\nmap\n{}\nversion 1\n{rows}",
        map.join("\n")
    );
    GridPath::read(&text).expect("a small instance")
}

/// Tests that the referee accepts the answer of every variant; returns the number of variants that did not skip.
fn check(instance: &Instance, method: &str) -> usize {
    let mut scores = Vec::new();
    for variant in GridPath::VARIANTS {
        let method = if variant.settings.is_empty() {
            ""
        } else {
            method
        };
        let Some(answer) = solve(variant.name, instance, method, 1) else {
            continue;
        };
        let checked = checked(instance, &answer, Deadline::never()).unwrap_or_else(|wrong| {
            panic!(
                "{} {:?}: {wrong}\n{}",
                variant.name,
                instance.question.words(),
                GridPath::write(instance)
            )
        });
        scores.push(checked.score);
    }
    assert!(
        scores.windows(2).all(|pair| pair[0] == pair[1]),
        "{scores:?}"
    );
    scores.len()
}

#[test]
fn on_uniform_ground_by_every_rule() {
    let mut random = Random::new("uniform grids", 1);
    let mut most = 0;
    for number in 0..testing::trials(3000) as usize {
        let instance = small(&mut random, ".");
        let corners = CORNERS[number % 3];
        let costs = ["tenths", "octile"][number / 3 % 2];
        let connectivity = if number % 17 == 0 { 4 } else { 8 };
        let words = format!("corners={corners} costs={costs} connectivity={connectivity}");
        let asked = instance.ask(&settings(&words)).expect("a question");
        most = most.max(check(&asked, ""));
    }
    let present = GridPath::VARIANTS.len() - ABSENT.len();
    assert_eq!(most, present, "every variant took part");
}

#[test]
fn on_mixed_ground_by_every_rule() {
    let mut random = Random::new("mixed grids", 1);
    let factors = [
        "forest=5",
        "forest=1.37 swamp=2.5",
        "road=0.5 forest=no",
        "road=0 forest=3",
        "plain=2 road=1 swamp=0.25",
        "plain=0 road=0 swamp=0 forest=0",
    ];
    for number in 0..testing::trials(4000) as usize {
        let instance = small(&mut random, "...TTS=");
        let corners = CORNERS[number % 3];
        let costs = ["tenths", "octile"][number / 3 % 2];
        let unit = ["infantry", "horse", "tank"][number / 6 % 3];
        let factor = factors[number / 18 % factors.len()];
        let words = format!("corners={corners} costs={costs} unit={unit} {factor}");
        let asked = instance.ask(&settings(&words)).expect("a question");
        check(&asked, "");
    }
}

#[test]
fn on_every_kind_of_map() {
    for (generator, parameters) in [
        ("path.open", "width=90 height=70 queries=12"),
        ("path.random", "width=100 height=80 density=0.1 queries=12"),
        ("path.random", "width=80 height=100 density=0.38 queries=12"),
        ("path.maze", "width=140 height=80 corridor=1 queries=12"),
        ("path.maze", "width=80 height=140 corridor=5 queries=12"),
        ("path.rooms", "width=100 height=100 room=9 queries=12"),
        (
            "path.terrain",
            "width=100 height=100 traveller=horse queries=12",
        ),
        (
            "path.terrain",
            "width=100 height=100 traveller=ship queries=12",
        ),
        (
            "path.terrain",
            "width=150 height=150 traveller=horse queries=5",
        ),
        ("path.walled", "width=60 height=60 density=0.2"),
    ] {
        check(&generate(generator, parameters, 3), "");
    }
}

#[test]
fn a_heuristic_that_overestimates_claims_nothing() {
    let cheap = "width=80 height=80 traveller=infantry queries=20";
    let instance = generate("path.terrain", cheap, 2)
        .ask(&settings("forest=0.2"))
        .expect("a question");
    for variant in ["open-list", "hash", "heap", "bucket"] {
        let answer = solve(variant, &instance, "scaled-h=false", 1).expect("an answer");
        assert!(!answer.optimal, "{variant}");
        let checked = checked(&instance, &answer, Deadline::never()).expect("legal paths");
        let excess = checked
            .measures
            .iter()
            .find(|(name, _)| *name == "excess_percent");
        assert!(
            excess.expect("measured").1 > 0.0,
            "{variant} found shortest paths by luck"
        );
        let scaled = solve(variant, &instance, "scaled-h=true", 1).expect("an answer");
        assert!(
            scaled.optimal && scaled.claimed <= answer.claimed,
            "{variant}"
        );
    }
}

#[test]
fn threads_and_ties_change_no_cost() {
    let instance = generate("path.random", "width=60 height=60 queries=1000", 5);
    let alone = solve("jps", &instance, "", 1).expect("an answer");
    for (variant, method, threads) in [
        ("jps", "", 2),
        ("jps", "", 3),
        ("bucket", "", 2),
        ("heap", "tie=first-in", 1),
        ("heap", "tie=last-in", 1),
        ("heap", "tie=random", 1),
    ] {
        let answer = solve(variant, &instance, method, threads).expect("an answer");
        assert_eq!(
            answer.claimed, alone.claimed,
            "{variant} {method} {threads}"
        );
        assert_eq!(answer.len(), 1000);
        checked(&instance, &answer, Deadline::never()).expect("shortest paths");
        if variant == "jps" {
            assert_eq!(answer, alone);
        }
    }
}

#[test]
fn jumps_count_the_words_they_scan() {
    // On an open row of 200 cells the start sees the goal, so the words of the row are scanned.
    let row = ".".repeat(200);
    let text = format!("type octile\nheight 1\nwidth 200\nmap\n{row}\n");
    let map = GridPath::read(&text).expect("a map");
    let settings = settings("start=10,0 goal=150,0");
    let instance = map.ask(&settings).expect("a question");
    let variant = testing::variant::<GridPath>("jps").expect("a variant");
    let solver = (variant.prepare)(&instance, &Settings::new(), Deadline::never());
    let mut solver = solver.unwrap_or_else(|refusal| panic!("{refusal}"));
    let incumbent = Incumbent::new(Direction::Minimize);
    let mut search = Search::new(&incumbent);
    solver.solve(&mut search);
    // The scan runs from word 0 to the end of the row in word 3.
    assert_eq!(search.counters.get("words"), 3);
}

#[test]
fn a_detour_from_a_path_of_no_length_has_no_excess() {
    let map = "type octile\nheight 2\nwidth 2\nmap\n..\n..\n";
    let instance = GridPath::read(map).expect("a map");
    let instance = instance.ask(&settings("start=0,0 goal=0,0"));
    let instance = instance.expect("a question");
    let detour = json!({ "path": [[0, 0], [0, 1], [0, 0]] });
    let mut answer = GridPath::read_answer(&instance, &detour).expect("a path");
    answer.optimal = false;
    let checked = checked(&instance, &answer, Deadline::never()).expect("legal");
    let has_excess = checked
        .measures
        .iter()
        .any(|(name, _)| *name == "excess_percent");
    assert!(!has_excess && checked.measures.iter().all(|(_, value)| value.is_finite()));
}
