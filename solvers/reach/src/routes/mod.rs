//! The problem `routes`: how many routes of exactly K steps without U-turns leave a vertex.
//!
//! The game says of its own question that there are "a trillion routes, about an hour of computing";
//! this counts them exactly. It reads the same maps as [`Reach`](crate::Reach).

mod count;
mod enumerate;
pub mod natural;
mod referee;

use ikeru_core::{
    Better, Checked, Deadline, Direction, Generator, InputError, Measure, Problem, Rejection,
    Score, Setting, Settings, Source, Variant, read_json,
};
use serde_json::{Value as Json, json};

use crate::instance::{BLOCKED, Instance, START, STEPS};
use crate::{format, generate};
use natural::Natural;

/// Exact numbers of routes.
pub struct Routes;

const SOURCE: Source = Source::Article {
    name: "Ikerukana",
    section: "\"a trillion routes, about an hour\" (1兆通り, 1時間)",
};

static VARIANTS: [Variant<Routes>; 2] = [enumerate::VARIANT, count::VARIANT];
static SETTINGS: [Setting; 3] = [STEPS, START, BLOCKED];

impl Problem for Routes {
    const NAME: &'static str = "routes";
    const ABOUT: &'static str = "how many routes of exactly K steps without U-turns there are";
    const DIRECTION: Direction = Direction::Equal;
    type Instance = Instance;
    type Answer = Natural;

    fn variants() -> &'static [Variant<Self>] {
        &VARIANTS
    }

    fn default_variant(_: &Instance) -> &'static str {
        "count"
    }

    fn generators() -> &'static [Generator<Self>] {
        &generate::FOR_ROUTES
    }

    fn settings() -> &'static [Setting] {
        &SETTINGS
    }

    fn counters() -> &'static [Measure] {
        &[
            Measure {
                name: "routes_walked",
                about: "routes walked to their end, one by one",
                better: Better::Lower,
            },
            Measure {
                name: "additions",
                about: "additions of exact numbers of routes",
                better: Better::Lower,
            },
        ]
    }

    fn measures() -> &'static [Measure] {
        &[Measure {
            name: "log10_routes",
            about: "decimal logarithm of the number of routes; absent if there is none",
            better: Better::Neither,
        }]
    }

    fn read(text: &str) -> Result<Instance, InputError> {
        format::read(text).map(Instance::new)
    }

    fn write(instance: &Instance) -> String {
        format::write(&instance.map)
    }

    fn ask(instance: &Instance, settings: &Settings) -> Result<Instance, InputError> {
        instance.ask(settings)
    }

    fn size(instance: &Instance) -> u64 {
        instance.map.graph.vertices() as u64
    }

    fn referee(
        instance: &Instance,
        answer: &Natural,
        deadline: Deadline,
    ) -> Result<Checked, Rejection> {
        referee::check(instance, answer, deadline)?;
        let log10 = answer.log10();
        Ok(Checked {
            score: Self::score(answer),
            measures: log10
                .map(|log10| ("log10_routes", log10))
                .into_iter()
                .collect(),
        })
    }

    /// The number of routes, or the largest score if it is larger than any.
    fn score(answer: &Natural) -> Option<Score> {
        Some(
            answer
                .to_u64()
                .and_then(|routes| Score::try_from(routes).ok())
                .unwrap_or(Score::MAX),
        )
    }

    fn answer_json(instance: &Instance, answer: &Natural) -> Json {
        json!({
            "start": instance.start(0),
            "steps": instance.question.steps,
            "routes": answer.to_string(),
        })
    }

    fn read_answer(_: &Instance, answer: &Json) -> Result<Natural, InputError> {
        #[derive(serde::Deserialize)]
        struct Claim {
            routes: String,
        }
        let claim: Claim = read_json(answer)?;
        claim.routes.parse()
    }

    fn answer_text(instance: &Instance, answer: &Natural) -> String {
        let (start, steps) = (instance.start(0), instance.question.steps);
        format!("{answer} routes of exactly {steps} steps from {start}\n")
    }
}

/// Words of 64 bits that hold every number of routes of `instance`: at most Δ·(Δ−1)^(K−1).
fn words_needed(instance: &Instance) -> usize {
    let degree = instance.graph.max_degree().max(2) as f64;
    let steps = instance.question.steps as f64;
    // One bit for rounding, two for sums of several such numbers.
    let bits = degree.log2() + (degree - 1.0).log2() * (steps - 1.0).max(0.0) + degree.log2() + 3.0;
    (bits / 64.0).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_core::{Attempt, Incumbent, Random, Search, Value};

    fn routes(instance: &Instance, variant: &Variant<Routes>) -> Natural {
        let mut solver = (variant.prepare)(instance, &Settings::new(), Deadline::never())
            .expect("takes every map");
        let incumbent = Incumbent::new();
        match solver.solve(&mut Search::new(&incumbent)) {
            Attempt::Solved(answer) => answer,
            Attempt::Timeout { .. } => panic!("no deadline was set"),
        }
    }

    fn asked(instance: &Instance, steps: i64) -> Instance {
        let settings = Settings::from_iter([("steps", Value::Int(steps))]);
        instance.ask(&settings).expect("a possible question")
    }

    #[test]
    fn both_variants_and_the_referee_agree() {
        for seed in 0..40 {
            for generator in &generate::ALL {
                let small = |name| (name, Value::Int(5));
                let names = generator.parameters.iter().map(|setting| setting.name);
                let sized = names.filter(|name| ["width", "height"].contains(name));
                let settings: Settings = sized
                    .map(small)
                    .chain([("vertices", Value::Int(25))])
                    .collect();
                let settings = settings.only(generator.parameters);
                let mut random = Random::new(generator.name, seed);
                let map = (generator.generate)(&settings, &mut random).expect("legal parameters");
                let instance = asked(&map, seed as i64 % 12);
                let walked = routes(&instance, &VARIANTS[0]);
                assert_eq!(routes(&instance, &VARIANTS[1]), walked);
                assert_eq!(
                    Routes::referee(&instance, &walked, Deadline::never())
                        .map(|checked| checked.score),
                    Ok(Routes::score(&walked))
                );
            }
        }
    }

    #[test]
    fn a_complete_graph_has_a_known_number() {
        // K5: 4 ways to begin, 3 ways on.
        let map = Routes::read("5\n1,2,3,4\n0,2,3,4\n0,1,3,4\n0,1,2,4\n0,1,2,3\n1\n0\n-1\n")
            .expect("a legal map");
        for (steps, expected) in [(0, "1"), (1, "4"), (3, "36"), (41, "48630661836227715204")] {
            assert_eq!(
                routes(&asked(&map, steps), &VARIANTS[1]).to_string(),
                expected
            );
        }
        let many = asked(&map, 400);
        let found = routes(&many, &VARIANTS[1]);
        assert!(Routes::referee(&many, &found, Deadline::never()).is_ok());
        let log10 = found.log10().expect("there are routes");
        assert!((log10 - (4_f64.log10() + 399.0 * 3_f64.log10())).abs() < 1e-9);
        assert!(Routes::referee(&asked(&map, 399), &found, Deadline::never()).is_err());
    }
}
