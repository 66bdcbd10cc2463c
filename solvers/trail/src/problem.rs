//! The implementation of [`Problem`] for `trail`.

use ikeru_core::{
    Check, Direction, Extras, Generator, InputError, Picture, Problem, ProblemInfo, Score, Setting,
    Settings, Variant, measures, read_json, settings,
};
use serde_json::{Value as Json, json};

use crate::puzzle::{Answer, Puzzle, Trail, Vertex};
use crate::{TrailProblem, format, generate, picture, referee, variants};

settings! {
    START: Option<i64> = "start", 0..=i64::MAX, "vertex where the trail begins; replaces the route so far (default: as in the puzzle)";
    GOAL: Option<i64> = "goal", 0..=i64::MAX, "vertex where the trail ends (default: as in the puzzle)";
}

impl Problem for TrailProblem {
    const INFO: ProblemInfo = ProblemInfo {
        name: "trail",
        about: "the best-scoring trail through a grid of operations (Paper Challeran)",
        direction: Direction::Maximize,
        settings: settings![START GOAL],
        counters: variants::COUNTERS,
        measures: measures! {
            neither trail_edges: "edges that the trail passes";
            neither trail_factors: "`×` edges that the trail passes";
            neither long_operations: "operations of the board with more than one digit, beyond the article's rule";
            neither known_score: "score of another trail that the instance holds as the best known";
            neither plus_sum: "sum of the `+` of the board";
            neither start_bound: "(1 + that sum) times all `×` of the board: the article's bound before the first move";
        },
        words: &[
            ("size", "edges of the board"),
            ("param_factor_count", "edges with ×"),
        ],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = &variants::ALL;
    const GENERATORS: &'static [Generator<Self>] = generate::ALL;
    const EXTRAS: Extras<Self> = Extras {
        known: Some(|puzzle| puzzle.best_known().cloned().map(Some)),
        ..Extras::NONE
    };
    type Instance = Puzzle;
    type Answer = Answer;
    type Referee = Check<Self>;

    fn default_variant(puzzle: &Puzzle) -> &'static str {
        variants::default_for(puzzle)
    }

    fn read(text: &str) -> Result<Puzzle, InputError> {
        format::read(text)
    }

    fn write(puzzle: &Puzzle) -> String {
        format::write(puzzle)
    }

    fn ask(puzzle: &Puzzle, settings: &Settings) -> Result<Puzzle, InputError> {
        let last = puzzle.board().vertex_count() as i64 - 1;
        let vertex = |setting: Setting<_>| {
            let number: Option<i64> = settings.get(&setting.within(0..=last))?;
            Ok::<_, InputError>(number.map(|number| number as Vertex))
        };
        let (start, goal) = (vertex(START)?, vertex(GOAL)?);
        if start.is_none() && goal.is_none() {
            return Ok(puzzle.clone());
        }
        let route = start.map_or_else(|| puzzle.route().to_vec(), |start| vec![start]);
        Puzzle::new(puzzle.shared_board(), route, goal.unwrap_or(puzzle.goal()))
    }

    fn size(puzzle: &Puzzle) -> u64 {
        puzzle.board().operations().len() as u64
    }

    fn referee(_: &Puzzle) -> Check<Self> {
        |puzzle, answer, _| Ok(referee::check(puzzle, answer.as_ref())?)
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
            /// Not an option, which may be missing.
            trail: Json,
            score: Option<Score>,
        }
        let Claim { trail, score } = read_json(answer)?;
        if trail.is_null() {
            return Ok(None);
        }
        let vertices: Vec<Vertex> = read_json(&trail)?;
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
