//! All variants give the same sets as `brute` (or as `memo` if there are too many walks), and the referee accepts
//! them.

use std::sync::Arc;

use ikeru_core::{
    Deadline, Direction, Incumbent, Problem, Random, Refusal, Search, Settings, Value, testing,
};
use ikeru_reach::Reach;
use ikeru_reach::answer::{Answer, Approximation};
use ikeru_reach::graph::{Graph, Vertex};
use ikeru_reach::instance::{Instance, Map};

/// The answer of a variant; `None` if it skips the instance.
fn answer(instance: &Instance, name: &str) -> Option<Answer> {
    let variant = testing::variant::<Reach>(name).expect("a variant");
    let mut solver = match (variant.prepare)(instance, &Settings::new(), Deadline::never()) {
        Ok(solver) => solver,
        Err(Refusal::Skip(_)) => return None,
        Err(refusal) => panic!("{name}: {refusal}"),
    };
    let incumbent = Incumbent::new(Direction::Equal);
    let first = solver.solve(&mut Search::new(&incumbent));
    let second = solver.solve(&mut Search::new(&incumbent));
    assert_eq!(first, second, "{name} answers alike when asked again");
    let answer = first
        .answer()
        .expect("without a deadline there is an answer")
        .clone();
    Some(answer)
}

/// Compares every variant with `reference`, whose answer the referee checks.
fn all_agree(instance: &Instance, reference: &str) {
    let expected = answer(instance, reference).expect("the reference takes every instance here");
    let context = || format!("{:?}\n{}", instance.question, Reach::write(instance));
    let referee = Reach::referee(instance);
    if let Err(wrong) = referee(instance, &expected, Deadline::never()) {
        panic!("{reference}: {wrong}\n{}", context());
    }
    for variant in Reach::VARIANTS
        .iter()
        .filter(|variant| variant.name != "brute")
    {
        let Some(found) = answer(instance, variant.name) else {
            continue;
        };
        if variant.exact {
            assert_eq!(found, expected, "{} differs\n{}", variant.name, context());
        } else {
            let errors = errors(instance, &found, &expected);
            let checked = referee(instance, &found, Deadline::never());
            let checked = checked.unwrap_or_else(|wrong| panic!("{wrong}\n{}", context()));
            let mut measures = checked.measures.iter();
            let counted = measures.find(|(name, _)| *name == "errors");
            let counted = counted.map(|(_, errors)| *errors);
            let expected = Some(errors as f64);
            assert_eq!(counted, expected, "{}\n{}", variant.name, context());
        }
    }
}

/// The number of vertices for which the rule that gave `found` is wrong; errors on the other side are not permitted.
fn errors(instance: &Instance, found: &Answer, expected: &Answer) -> usize {
    assert!(found.with_god.is_none() || found.reachable == expected.reachable);
    let rows = 0..instance.start_count();
    let pairs = rows.flat_map(|row| instance.graph.all().map(move |vertex| (row, vertex)));
    let differing = pairs.filter(|&(row, vertex)| {
        let (claimed, true_one) = (
            found.god_free().contains(row, vertex),
            expected.god_free().contains(row, vertex),
        );
        let side = if claimed {
            Approximation::Outer
        } else {
            Approximation::Inner
        };
        assert!(
            claimed == true_one || side == found.god_free_is,
            "vertex {vertex}"
        );
        claimed != true_one
    });
    differing.count()
}

/// A random small map: a random graph, or a grid of up to 6×6 with edges missing.
fn random_map(random: &mut Random) -> Map {
    let (vertices, edges) = if random.chance(0.5) {
        random_edges(random)
    } else {
        random_grid(random)
    };
    let count = 1 + random.index(4);
    let spots = 1 + random.below(vertices as u64);
    let players: Vec<Vertex> = (0..count).map(|_| random.below(spots) as Vertex).collect();
    let holder = usize::try_from(random.between(-1, count as i64 - 1)).ok();
    Map {
        graph: Arc::new(Graph::from_edges(vertices, &edges)),
        players,
        holder,
    }
}

fn random_edges(random: &mut Random) -> (usize, Vec<(Vertex, Vertex)>) {
    let vertices = 1 + random.index(10);
    let most = [2, 3, 4, 9][random.index(4)];
    let mut degree = vec![0; vertices];
    let mut edges: Vec<(Vertex, Vertex)> = Vec::new();
    for _ in 0..random.index(3 * vertices) {
        let (a, b) = (random.index(vertices), random.index(vertices));
        let known = edges.iter().any(|&(c, d)| {
            (a, b) == (c as usize, d as usize) || (b, a) == (c as usize, d as usize)
        });
        if a != b && !known && degree[a] < most && degree[b] < most {
            degree[a] += 1;
            degree[b] += 1;
            edges.push((a as Vertex, b as Vertex));
        }
    }
    (vertices, edges)
}

fn random_grid(random: &mut Random) -> (usize, Vec<(Vertex, Vertex)>) {
    let (width, height) = (1 + random.index(6), 1 + random.index(6));
    let kept = [0.6, 0.8, 1.0][random.index(3)];
    let mut edges = Vec::new();
    for vertex in 0..width * height {
        if vertex % width + 1 < width && random.chance(kept) {
            edges.push((vertex as Vertex, vertex as Vertex + 1));
        }
        if vertex + width < width * height && random.chance(kept) {
            edges.push((vertex as Vertex, (vertex + width) as Vertex));
        }
    }
    random.shuffle(&mut edges);
    (width * height, edges)
}

/// A random question on `map` that a walk-by-walk search can still answer.
fn random_question(random: &mut Random, map: Map) -> Instance {
    let vertices = map.graph.vertices() as u64;
    let degree = map.graph.max_degree();
    let instance = Instance::new(map);
    let most = [14, 14, 14, 14, 8, 6, 5, 5, 5, 5][degree];
    let mut settings = Settings::new();
    settings.set("steps", Value::Int(random.between(0, most)));
    settings.set("god", Value::Bool(random.chance(0.8)));
    if random.chance(0.3) {
        let start = instance.start(0);
        let blocked: Vec<String> = (0..1 + random.index(3))
            .map(|_| random.below(vertices) as Vertex)
            .filter(|&vertex| vertex != start)
            .map(|vertex| vertex.to_string())
            .collect();
        settings.set("blocked", Value::Text(blocked.join(",")));
    }
    match random.index(4) {
        0 => settings.set("target", Value::Int(random.below(vertices) as i64)),
        1 => settings.set("starts", Value::Text("all".into())),
        _ => {}
    }
    instance.ask(&settings).expect("a possible question")
}

#[test]
fn random_small_maps() {
    let mut random = Random::new("reach tests", 1);
    for _ in 0..testing::trials(10_000) {
        let map = random_map(&mut random);
        all_agree(&random_question(&mut random, map), "brute");
    }
}

#[test]
fn turning_back() {
    let mut random = Random::new("reach tests, turning back", 1);
    for _ in 0..testing::trials(2_000) {
        let map = random_map(&mut random);
        let asked = random_question(&mut random, map);
        let steps = asked.question.steps.min(6).to_string();
        all_agree(
            &with(&asked, &[("uturns", "true"), ("steps", &steps)]),
            "brute",
        );
    }
}

/// The map is the path 0–1–2 before the cycle 2–3–4–5.
#[test]
fn cheap_rules_err_on_their_side() {
    let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 2)];
    let graph = Arc::new(Graph::from_edges(6, &edges));
    let map = |players: &[Vertex], holder| {
        Instance::new(Map {
            graph: Arc::clone(&graph),
            players: players.to_vec(),
            holder: Some(holder),
        })
    };
    let god_free = |instance: &Instance, rule: &str| {
        let found = answer(instance, rule).expect("the rule is for this question");
        let mut claim = found.clone();
        claim.god_free_is = Approximation::Exact;
        let refused = Reach::referee(instance)(instance, &claim, Deadline::never()).is_err();
        assert!(refused, "{rule} is wrong here, and may not be called exact");
        found.god_free().iter(0).collect::<Vec<Vertex>>()
    };
    // Player 0 takes the god at 1 and hands it on at 2: vertex 3 is god-free, but the rule does not go past 1.
    let taken = with(&map(&[0, 1, 2], 1), &[("steps", "3")]);
    assert!(god_free(&taken, "avoid-holder").is_empty());
    // Player 0 hands the god on at 2 and takes it back there after the cycle: the rule claims the vertices that
    // follow.
    let given = with(&map(&[1, 2], 0), &[("steps", "6")]);
    assert_eq!(god_free(&given, "met-anybody"), [1, 3, 5]);
}

/// Without the god a command may declare no approximation, and with it none that is proven.
#[test]
fn an_inexact_answer_from_outside_proves_nothing() {
    let graph = Arc::new(Graph::from_edges(3, &[(0, 1), (1, 2)]));
    let map = Instance::new(Map {
        graph,
        players: vec![0, 1],
        holder: Some(1),
    });
    for (god, is_proven, is_admitted) in [
        ("true", false, true),
        ("true", true, false),
        ("false", false, false),
        ("false", true, false),
    ] {
        let mut answer = Answer::empty(&with(&map, &[("god", god)]));
        answer.god_free_is = Approximation::Inner;
        let admitted = (Reach::EXTRAS.admit)(&mut answer, is_proven).is_ok();
        assert_eq!(admitted, is_admitted, "god={god}, proven: {is_proven}");
    }
}

/// A shared map, if it is available.
fn shared_map(name: &str) -> Option<Instance> {
    let path = testing::shared_file(&format!("reach/{name}"))?;
    let text = std::fs::read_to_string(path).expect("a readable map");
    Some(Reach::read(&text).expect("a legal map"))
}

fn with(instance: &Instance, values: &[(&str, &str)]) -> Instance {
    let settings = values
        .iter()
        .map(|&(name, value)| (name, Value::parse(value)))
        .collect();
    instance.ask(&settings).expect("a possible question")
}

#[test]
fn shared_maps_for_every_number_of_steps() {
    for name in [
        "sample-24.csv",
        "sample-24-two-players.csv",
        "generated-30x30.csv",
    ] {
        let Some(map) = shared_map(name) else {
            continue;
        };
        for steps in 0..=48 {
            for god in ["true", "false"] {
                all_agree(
                    &with(&map, &[("steps", &steps.to_string()), ("god", god)]),
                    "memo",
                );
            }
        }
    }
}

/// Widths at which the planes change, and steps before and after two states alternate.
#[test]
fn wide_grids_and_many_steps() {
    for (seed, width) in (0..).zip([6, 63, 64, 65, 66, 127, 128, 129, 130]) {
        let generator = ["reach.spanning-grid", "reach.full-grid"][seed as usize % 2];
        let map = testing::generate::<Reach>(generator, &format!("width={width} height=3"), seed);
        for (steps, god) in [
            ("45", "true"),
            ("64", "false"),
            ("400", "true"),
            ("401", "false"),
        ] {
            all_agree(&with(&map, &[("steps", steps), ("god", god)]), "memo");
            let odd = ["67", "68"][seed as usize % 2];
            all_agree(&with(&map, &[("steps", odd), ("god", god)]), "memo");
        }
    }
}

/// A walk that goes around a cycle of odd or of even length never fills it, and one that meets a dead end is gone.
#[test]
fn many_steps_without_a_repetition() {
    for length in [3, 4, 7, 12] {
        let ring = (0..length).map(|vertex| (vertex, (vertex + 1) % length));
        let path = (0..length - 1).map(|vertex| (vertex, vertex + 1));
        for edges in [ring.collect::<Vec<_>>(), path.collect()] {
            let map = Instance::new(Map {
                graph: Arc::new(Graph::from_edges(length as usize, &edges)),
                players: vec![0, 2],
                holder: Some(0),
            });
            for steps in ["63", "64", "95", "96", "97", "130", "131"] {
                all_agree(&with(&map, &[("steps", steps)]), "memo");
            }
        }
    }
}

#[test]
fn ten_steps_on_the_map_of_the_ikemasuyo_article() {
    let mut generators = Reach::GENERATORS.iter();
    let example = generators.find(|generator| generator.name == "reach.example");
    let mut drawing = Settings::new();
    drawing.set("drawing", Value::Text("map".to_owned()));
    let map = (example.expect("the example").generate)(&drawing, &mut Random::new("map", 1));
    let map = map.expect("the whole map");
    if let Some(file) = shared_map("sample-24.csv") {
        assert_eq!(Reach::write(&map), Reach::write(&file));
    }
    let answer = answer(&with(&map, &[("steps", "10")]), "brute").expect("brute takes it");
    let missing: Vec<Vertex> = (0..24)
        .filter(|&v| !answer.reachable.contains(0, v))
        .collect();
    assert_eq!(missing, [0, 16, 17]);
}

/// The counters of `name` on a grid of `width` × `height` squares with all edges.
fn counted(name: &str, width: usize, height: usize, asked: &[(&str, &str)]) -> Search<'static> {
    let mut edges = Vec::new();
    for vertex in 0..width * height {
        if vertex % width + 1 < width {
            edges.push((vertex as Vertex, vertex as Vertex + 1));
        }
        if vertex + width < width * height {
            edges.push((vertex as Vertex, (vertex + width) as Vertex));
        }
    }
    let instance = Instance::new(Map {
        graph: Arc::new(Graph::from_edges(width * height, &edges)),
        players: vec![0, 1],
        holder: Some(0),
    });
    let instance = with(&instance, asked);
    let variant = testing::variant::<Reach>(name).expect("a variant");
    let mut solver =
        (variant.prepare)(&instance, &Settings::new(), Deadline::never()).expect("a grid is taken");
    let incumbent: &'static Incumbent = Box::leak(Box::new(Incumbent::new(Direction::Equal)));
    let mut search = Search::new(incumbent);
    solver.solve(&mut search);
    search
}

#[test]
fn work_is_counted_as_by_hand() {
    let all = |search: Search| -> Vec<(&'static str, u64)> { search.counters.iter().collect() };
    let plain = [("god", "false"), ("steps", "2")];
    // From the corner of 3×2 squares there are two walks of one step, with 3 and 2 exits at their ends, of which one
    // each leads back.
    assert_eq!(
        all(counted("arrivals", 3, 2, &plain)),
        [("states", 3), ("arcs", 2 + 3 + 2), ("cells", 2 * 6)]
    );
    assert_eq!(
        all(counted("memo", 3, 2, &plain)),
        [
            ("states", 1 + 2 + 3),
            ("arcs", 2 + 3 + 2),
            ("pairs", 36),
            ("cells", 3 * 6 * 4)
        ]
    );
    // Registers take 32 words per step on every grid; with the god, for each player who can hold it. The other player
    // is on the square that the first step enters.
    assert_eq!(all(counted("bitboard", 3, 2, &plain)), [("words", 2 * 32)]);
    let god = [("god", "true"), ("steps", "2")];
    assert_eq!(
        all(counted("bitboard", 3, 2, &god)),
        [("words", (1 + 2) * 32)]
    );
    // With 34 columns there is a window of the rows within 1 and 2 steps, with one word of each of four planes for
    // each row.
    assert_eq!(
        all(counted("bitboard", 34, 4, &plain)),
        [("words", 4 * (2 + 3)), ("rows", 2 + 3)]
    );
}

#[test]
fn the_referee_refuses_what_is_claimed_missing_or_no_route() {
    let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 5)];
    let map = Instance::new(Map {
        graph: Arc::new(Graph::from_edges(6, &edges)),
        players: vec![0],
        holder: None,
    });
    let asked = with(&map, &[("steps", "3"), ("god", "false"), ("target", "4")]);
    let right = answer(&asked, "brute").expect("a small map");
    let check = |answer: &Answer| Reach::referee(&asked)(&asked, answer, Deadline::never());
    let replayed = ("routes_replayed", 7.0);
    assert!(check(&right).expect("right").measures.contains(&replayed));
    let refused = |change: &dyn Fn(&mut Answer), why: &str| {
        let mut forged = right.clone();
        change(&mut forged);
        let wrong = check(&forged).expect_err(why).to_string();
        assert!(wrong.contains(why), "{wrong}");
    };
    for (changed, why) in [(1 << 5, "no walk ends there"), (1 << 4, "but missing")] {
        refused(&|forged| forged.reachable.row_mut(0)[0] ^= changed, why);
    }
    refused(&|forged| forged.route = None, "which is reachable");
    for (route, why) in [
        (&[0, 1, 2, 4, 5][..], "number of steps"),
        (&[1, 0, 3, 4], "from the start"),
        (&[0, 1, 0, 4], "straight back"),
        (&[0, 1, 3, 4], "an edge that is not there"),
    ] {
        refused(&|forged| forged.route = Some(route.to_vec()), why);
    }
}

/// The article on arrival directions warns of this rule.
#[test]
fn barring_every_direction_of_arrival_gives_wrong_results() {
    let mut generators = Reach::GENERATORS.iter();
    let generator = generators.find(|one| one.name == "reach.example");
    let settings = Settings::from_iter([("drawing", Value::parse("map"))]);
    let mut random = Random::new("reach.example", 1);
    let map = (generator.expect("the example").generate)(&settings, &mut random).expect("a map");
    let misses = |steps: i64| {
        let asked =
            Settings::from_iter([("steps", Value::Int(steps)), ("god", Value::Bool(false))]);
        let asked = map.ask(&asked).expect("a question");
        let right = answer(&asked, "brute")
            .expect("an answer")
            .reachable
            .count();
        let found = answer(&asked, "barred").expect("an answer");
        let checked = Reach::referee(&asked)(&asked, &found, Deadline::never());
        let measures = checked.expect("an inner approximation").measures;
        let missed = right - found.reachable.count();
        assert!(
            measures.contains(&("errors", missed as f64)),
            "{steps} steps"
        );
        (missed, right)
    };
    let expected = [(0, 2), (0, 4), (2, 4), (4, 8), (17, 21)];
    assert_eq!([1, 2, 3, 4, 10].map(misses), expected);
}
