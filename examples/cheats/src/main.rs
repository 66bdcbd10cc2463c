//! `ikeru` with one more problem, whose variants cheat.

mod variants;

use std::process::ExitCode;

use ikeru_core::{
    Check, Checked, Deadline, Direction, Generator, InputError, Problem, ProblemInfo, Random,
    Rejection, Score, Settings, Variant, Wrong, measures, read_json, refuse, settings,
};
use serde_json::{Value as Json, json};

/// The longest rising subsequence. An answer is the places of its numbers, from 0.
pub struct Rising;

settings! {
    LENGTH: usize = "length", 600, 1..=100_000, "numbers";
}

impl Problem for Rising {
    const INFO: ProblemInfo = ProblemInfo {
        name: "rising",
        about: "the longest subsequence in which every number is larger than the one before",
        direction: Direction::Maximize,
        settings: &[],
        counters: measures! {
            lower pairs: "pairs of numbers compared";
        },
        measures: &[],
        words: &[("size", "numbers")],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = &variants::ALL;
    const GENERATORS: &'static [Generator<Self>] = &[Generator {
        name: "rising.random",
        about: "Numbers below a million.",
        parameters: settings![LENGTH],
        generate: random,
    }];
    type Instance = Vec<u32>;
    type Answer = Vec<usize>;
    type Referee = Check<Self>;

    fn default_variant(_: &Vec<u32>) -> &'static str {
        "honest"
    }

    fn read(text: &str) -> Result<Vec<u32>, InputError> {
        let mut numbers = Vec::new();
        for (at, line) in text.lines().enumerate() {
            match line.trim().parse() {
                Ok(number) => numbers.push(number),
                Err(_) => refuse!(at + 1, "`{line}`: expected a number"),
            }
        }
        Ok(numbers)
    }

    fn write(numbers: &Vec<u32>) -> String {
        numbers.iter().map(|number| format!("{number}\n")).collect()
    }

    fn ask(numbers: &Vec<u32>, _: &Settings) -> Result<Vec<u32>, InputError> {
        Ok(numbers.clone())
    }

    fn size(numbers: &Vec<u32>) -> u64 {
        numbers.len() as u64
    }

    fn referee(_: &Vec<u32>) -> Check<Self> {
        check
    }

    fn score(places: &Vec<usize>) -> Option<Score> {
        Some(places.len() as i64)
    }

    fn answer_json(_: &Vec<u32>, places: &Vec<usize>) -> Json {
        json!({ "places": places })
    }

    fn read_answer(_: &Vec<u32>, answer: &Json) -> Result<Vec<usize>, InputError> {
        read_json(answer.get("places").unwrap_or(&Json::Null))
    }

    fn answer_text(_: &Vec<u32>, places: &Vec<usize>) -> String {
        format!("{} numbers at {places:?}", places.len())
    }
}

fn random(settings: &Settings, random: &mut Random) -> Result<Vec<u32>, InputError> {
    let length = settings.get(&LENGTH)?;
    Ok((0..length).map(|_| (random.unit() * 1e6) as u32).collect())
}

#[expect(clippy::ptr_arg, reason = "a referee takes the problem's own instance and answer")]
fn check(numbers: &Vec<u32>, places: &Vec<usize>, _: Deadline) -> Result<Checked, Rejection> {
    let is_rising = |pair: &[usize]| pair[0] < pair[1] && numbers[pair[0]] < numbers[pair[1]];
    if places.iter().any(|place| *place >= numbers.len()) || !places.windows(2).all(is_rising) {
        return Err(Wrong("the numbers at these places do not rise".to_owned()).into());
    }
    Ok(Checked::score(places.len() as i64))
}

fn main() -> ExitCode {
    ikeru::main_with(vec![ikeru_core::erase::<Rising>()])
}
