//! The problem `routes`: the number of routes of exactly K steps without U-turns that leave a vertex.
//!
//! The game states "a trillion routes, about an hour of computing" for its question; this problem counts the routes
//! exactly. It reads the same maps as [`Reach`](crate::Reach).

mod count;
mod enumerate;
pub mod natural;
mod referee;

use ikeru_core::{
    Check, Checked, Direction, Generator, InputError, Problem, ProblemInfo, Score, Settings,
    Variant, measures, read_json, refuse, settings,
};
use serde_json::{Value as Json, json};

use crate::instance::{BLOCKED, Instance, START, STEPS};
use crate::{Routes, format, generate};
use natural::Natural;

const SOURCE: &str = "Ikerukana, \"a trillion routes, about an hour\" (1兆通り, 1時間)";

impl Problem for Routes {
    const INFO: ProblemInfo = ProblemInfo {
        name: "routes",
        about: "how many non-backtracking routes of exactly K steps there are",
        direction: Direction::Equal,
        settings: settings![STEPS START BLOCKED],
        counters: measures! {
            lower routes_walked: "routes walked to their end, one by one";
            lower additions: "additions of exact numbers of routes";
        },
        measures: measures! {
            neither log10_routes: "decimal logarithm of the number of routes; absent if there is none";
        },
        words: &[
            ("size", "vertices"),
            ("measure_log10_routes", "routes, decimal logarithm"),
        ],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = &[enumerate::VARIANT, count::VARIANT];
    const GENERATORS: &'static [Generator<Self>] = &generate::FOR_ROUTES;
    type Instance = Instance;
    type Answer = Natural;
    type Referee = Check<Self>;

    fn default_variant(_: &Instance) -> &'static str {
        "count"
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

    fn referee(_: &Instance) -> Check<Self> {
        |instance, answer, deadline| {
            referee::check(instance, answer, deadline)?;
            let log10 = answer.log10().map(|log10| ("log10_routes", log10));
            Ok(Checked {
                score: Self::score(answer),
                measures: log10.into_iter().collect(),
            })
        }
    }

    /// The number of routes, or the largest score if the number does not fit.
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

    fn read_answer(instance: &Instance, answer: &Json) -> Result<Natural, InputError> {
        #[derive(serde::Deserialize)]
        struct Claim {
            routes: Json,
        }
        let claim: Claim = read_json(answer)?;
        let digits = match claim.routes {
            Json::String(digits) => digits,
            Json::Number(number) if number.is_u64() => number.to_string(),
            other => refuse!("`routes` is {other}, expected a whole number or its decimal digits"),
        };
        // Reading and writing take time proportional to the square of the number of digits.
        let most = DIGITS_OF_WORD * words_needed(instance);
        if digits.len() > most {
            refuse!(
                "`routes` has {} digits, expected at most {most}: so many steps have no more routes",
                digits.len()
            );
        }
        digits.parse()
    }

    fn answer_text(instance: &Instance, answer: &Natural) -> String {
        let (start, steps) = (instance.start(0), instance.question.steps);
        format!("{answer} routes of exactly {steps} steps from {start}\n")
    }
}

/// The most decimal digits of a word of 64 bits.
const DIGITS_OF_WORD: usize = 20;

/// The number of 64-bit words that hold any number of routes of `instance`, which is at most Δ·(Δ−1)^(K−1).
fn words_needed(instance: &Instance) -> usize {
    let degree = instance.graph.max_degree().max(2) as f64;
    let steps = instance.question.steps as f64;
    // One bit for rounding and two for sums of several such numbers.
    let bits = degree.log2() + (degree - 1.0).log2() * (steps - 1.0).max(0.0) + degree.log2() + 3.0;
    (bits / 64.0).ceil() as usize
}

#[cfg(test)]
mod tests {
    use ikeru_core::testing::{answer, generate, settings};
    use ikeru_core::{Attempt, Deadline, Rejection};

    use super::*;

    fn routes(instance: &Instance, variant: &str) -> Natural {
        let answered = answer::<Routes>(instance, variant, &Settings::new());
        match answered.expect("takes every map").0 {
            Attempt::Solved { answer, .. } => answer,
            Attempt::Timeout { .. } => panic!("no deadline was set"),
        }
    }

    fn asked(instance: &Instance, steps: u64) -> Instance {
        let asked = instance.ask(&settings(&format!("steps={steps}")));
        asked.expect("a possible question")
    }

    fn checked(instance: &Instance, answer: &Natural) -> Result<Checked, Rejection> {
        Routes::referee(instance)(instance, answer, Deadline::never())
    }

    #[test]
    fn both_variants_and_the_referee_agree() {
        for seed in 0..40 {
            for (generator, size) in [
                ("routes.spanning-grid", "width=5 height=5"),
                ("routes.full-grid", "width=5 height=5"),
                ("routes.rail", "vertices=25"),
            ] {
                let instance = asked(&generate::<Routes>(generator, size, seed), seed % 12);
                let walked = routes(&instance, "enumerate");
                assert_eq!(routes(&instance, "count"), walked);
                let score = checked(&instance, &walked).map(|checked| checked.score);
                assert_eq!(score, Ok(Routes::score(&walked)));
            }
        }
    }

    #[test]
    fn a_complete_graph_has_a_known_number() {
        // K5: 4 exits for the first step, 3 for each further step.
        let map = Routes::read("5\n1,2,3,4\n0,2,3,4\n0,1,3,4\n0,1,2,4\n0,1,2,3\n1\n0\n-1\n")
            .expect("a legal map");
        for (steps, expected) in [(0, "1"), (1, "4"), (3, "36"), (41, "48630661836227715204")] {
            assert_eq!(routes(&asked(&map, steps), "count").to_string(), expected);
        }
        let many = asked(&map, 400);
        let found = routes(&many, "count");
        assert!(checked(&many, &found).is_ok());
        let log10 = found.log10().expect("there are routes");
        assert!((log10 - (4_f64.log10() + 399.0 * 3_f64.log10())).abs() < 1e-9);
        assert!(checked(&asked(&map, 399), &found).is_err());
    }
}
