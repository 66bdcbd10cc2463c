//! The problem as the contract asks for it.

use ikeru_core::{
    Checked, Deadline, Direction, Generator, InputError, Lattice, Measure, Picture, Problem,
    Rejection, Score, Setting, Settings, Variant, read_json,
};
use serde_json::{Value as Json, json};

use crate::puzzle::{Answer, Puzzle, Trail, Vertex};
use crate::{format, generate, picture, referee, variants};

/// The problem, for the runner's registry.
#[derive(Debug, Clone, Copy)]
pub struct TrailProblem;

const START: Setting = Setting {
    name: "start",
    default: "",
    about: "vertex where the trail begins; replaces the route so far (default: as in the puzzle)",
};

const GOAL: Setting = Setting {
    name: "goal",
    default: "",
    about: "vertex where the trail ends (default: as in the puzzle)",
};

impl Problem for TrailProblem {
    const NAME: &'static str = "trail";
    const ABOUT: &'static str =
        "the best-scoring trail through a grid of operations (Paper Challeran)";
    const DIRECTION: Direction = Direction::Maximize;
    type Instance = Puzzle;
    type Answer = Answer;

    fn variants() -> &'static [Variant<Self>] {
        variants::VARIANTS
    }

    fn default_variant(puzzle: &Puzzle) -> &'static str {
        variants::default_for(puzzle)
    }

    fn generators() -> &'static [Generator<Self>] {
        generate::GENERATORS
    }

    fn settings() -> &'static [Setting] {
        &[START, GOAL]
    }

    fn counters() -> &'static [Measure] {
        variants::COUNTERS
    }

    fn lattices() -> &'static [Lattice] {
        variants::LATTICES
    }

    fn measures() -> &'static [Measure] {
        referee::MEASURES
    }

    fn read(text: &str) -> Result<Puzzle, InputError> {
        format::read(text)
    }

    fn write(puzzle: &Puzzle) -> String {
        format::write(puzzle)
    }

    fn ask(puzzle: &Puzzle, settings: &Settings) -> Result<Puzzle, InputError> {
        let last = puzzle.board().vertex_count() as i64 - 1;
        let vertex = |setting| {
            let value = settings.int(setting, 0..=last)?;
            Ok::<_, InputError>(value.map(|value| value as usize))
        };
        let (start, goal) = (vertex(&START)?, vertex(&GOAL)?);
        if start.is_none() && goal.is_none() {
            return Ok(puzzle.clone());
        }
        let route = start.map_or_else(|| puzzle.route().to_vec(), |start| vec![start]);
        Puzzle::new(puzzle.shared_board(), route, goal.unwrap_or(puzzle.goal()))
    }

    fn size(puzzle: &Puzzle) -> u64 {
        puzzle.board().operations().len() as u64
    }

    fn referee(
        puzzle: &Puzzle,
        answer: &Answer,
        _deadline: Deadline,
    ) -> Result<Checked, Rejection> {
        Ok(referee::check(puzzle, answer.as_ref())?)
    }

    fn score(answer: &Answer) -> Option<Score> {
        answer.as_ref().map(|trail| trail.score)
    }

    fn answer_json(puzzle: &Puzzle, answer: &Answer) -> Json {
        let trail = answer.as_ref().map(|trail| &trail.vertices);
        json!({
            "trail": trail,
            "score": Self::score(answer),
            "start": puzzle.start(),
            "goal": puzzle.goal(),
            "long_operations": referee::long_operations(puzzle),
        })
    }

    fn read_answer(_: &Puzzle, answer: &Json) -> Result<Answer, InputError> {
        #[derive(serde::Deserialize)]
        struct Claim {
            trail: Option<Vec<Vertex>>,
            score: Option<Score>,
        }
        let Claim { trail, score } = read_json(answer)?;
        let Some(vertices) = trail else {
            return Ok(None);
        };
        let score = score.ok_or_else(|| InputError::new("a trail without its `score`"))?;
        Ok(Some(Trail { vertices, score }))
    }

    fn answer_text(puzzle: &Puzzle, answer: &Answer) -> String {
        let mut text = match answer {
            None => format!(
                "no trail: the route so far cuts vertex {} off from the goal {}",
                puzzle.position(),
                puzzle.goal()
            ),
            Some(trail) => {
                let vertices: Vec<String> =
                    trail.vertices.iter().map(ToString::to_string).collect();
                format!("score {}\ntrail {}", trail.score, vertices.join(" "))
            }
        };
        let long = referee::long_operations(puzzle);
        if long > 0 {
            text.push_str(&format!(
                "\n{long} operations have more than one digit, beyond the article's rule"
            ));
        }
        text
    }

    fn pictures(puzzle: &Puzzle, answer: &Answer) -> Vec<Picture> {
        vec![picture::draw(puzzle, answer.as_ref())]
    }
}
