//! The problem `relation` as a [`Problem`].

use ikeru_core::{
    Check, Checked, Deadline, Direction, Generator, InputError, Problem, ProblemInfo, Rejection,
    Score, Settings, Variant, Wrong, measures, read_json, settings,
};
use serde_json::{Value as Json, json};

use super::comparison::Comparison;
use super::{Relation, variants};
use crate::templates::BORDER;
use crate::templates::matrix::{Match, Stone};

settings! {
    ROWS: usize = "rows", BAR_ROWS, 0..=BAR_ROWS, "lowest rows that are full but for the left column";
    BLOCKED: bool = "blocked", false, "a stone stands in the left column";
}

/// Rows of the pattern of figure 2.2 (a): as long as the bar that is waited for.
const BAR_ROWS: usize = 4;
/// Rows of a board of Tetris, which is ten cells wide.
const TETRIS_ROWS: usize = 20;

/// Waiting for the bar (section 2.2.1, figure 2.2 (a)): everything is filled but the left column. Stones of Tetris have one kind.
fn waiting_for_the_bar(rows: usize, blocked: bool) -> String {
    let row = |left: bool, right: bool| {
        let letter = |filled| if filled { "A" } else { "." };
        format!("{}{}\n", letter(left), letter(right).repeat(9))
    };
    let rows_of = |height: usize, left: bool| -> String {
        let rows_from_top = (0..TETRIS_ROWS).rev();
        rows_from_top
            .map(|number| row(left && number == 0, number < height))
            .collect()
    };
    let (pattern, state) = (rows_of(BAR_ROWS, false), rows_of(rows, blocked));
    format!("# bar pattern\n{pattern}state:\n{state}")
}

/// The example of sections 3.2 to 3.4: cells 3 and 5 are empty (its text says 3 and 6, its matrix 3.3
/// and the result 0.44 say 3 and 5).
const EXAMPLE: &str = "# example pattern\nBAA\nAAB\nstate:\nT.C\nCC.\n";

impl Problem for Relation {
    const INFO: ProblemInfo = ProblemInfo {
        name: "relation",
        about: "Relation matrices: how well a position matches a pattern",
        direction: Direction::Equal,
        settings: settings![BORDER],
        counters: &[],
        measures: measures! {
            neither match: "formula 3.7, from 0 to 1; none where a relation is violated";
        },
    };
    const VARIANTS: &'static [Variant<Self>] = variants::ALL;
    const GENERATORS: &'static [Generator<Self>] = &[
        Generator {
            name: "relation.example",
            about: "the example of the thesis, 2x3 cells",
            parameters: &[],
            generate: |_, _| Comparison::read(EXAMPLE),
        },
        Generator {
            name: "relation.bar",
            about: "a board of Tetris that waits for the bar, 10x20 cells",
            parameters: settings![ROWS BLOCKED],
            generate: |parameters, _| {
                let (rows, blocked) = (parameters.get(&ROWS)?, parameters.get(&BLOCKED)?);
                Comparison::read(&waiting_for_the_bar(rows, blocked))
            },
        },
    ];
    type Instance = Comparison;
    type Answer = Option<Match>;
    type Referee = Check<Self>;

    fn default_variant(_: &Comparison) -> &'static str {
        "matrices"
    }
    fn read(text: &str) -> Result<Comparison, InputError> {
        Comparison::read(text)
    }
    fn write(instance: &Comparison) -> String {
        instance.text.clone()
    }
    fn ask(instance: &Comparison, settings: &Settings) -> Result<Comparison, InputError> {
        instance.ask(settings)
    }
    fn size(instance: &Comparison) -> u64 {
        instance.stones.len() as u64
    }

    fn referee(_: &Comparison) -> Check<Self> {
        check
    }
    fn score(_: &Option<Match>) -> Option<Score> {
        None
    }
    fn answer_json(_: &Comparison, answer: &Option<Match>) -> Json {
        json!({
            "match": answer.map(Match::value),
            "agreeing": answer.map(|found| found.agreeing),
            "total": answer.map(|found| found.total),
        })
    }
    fn read_answer(_: &Comparison, answer: &Json) -> Result<Option<Match>, InputError> {
        #[derive(serde::Deserialize)]
        struct Claim {
            agreeing: Option<i64>,
            total: Option<i64>,
        }
        let Claim { agreeing, total } = read_json(answer)?;
        match (agreeing, total) {
            (Some(agreeing), Some(total)) => Ok(Some(Match { agreeing, total })),
            (None, None) => Ok(None),
            _ => Err(InputError::new(
                "expected both `agreeing` and `total`, or neither",
            )),
        }
    }
    fn answer_text(_: &Comparison, answer: &Option<Match>) -> String {
        match answer {
            Some(found) => format!(
                "match {}/{} = {:.2}\n",
                found.agreeing,
                found.total,
                found.value()
            ),
            None => "no match: a relation is violated\n".to_owned(),
        }
    }
}

/// Counts the pairs of cells one by one from the template's labels.
fn check(
    instance: &Comparison,
    answer: &Option<Match>,
    deadline: Deadline,
) -> Result<Checked, Rejection> {
    let kind = |cell: usize| match instance.stones[cell] {
        Stone::Kind(kind) => Some(kind),
        Stone::Empty | Stone::Garbage => None,
    };
    let cells = instance.stones.len();
    let mut truth = Some((0_i64, 0_i64));
    let mut ticker = deadline.ticker(4096);
    for (i, j) in (0..cells).flat_map(|i| (0..cells).map(move |j| (i, j))) {
        if ticker.passed() {
            return Err(Rejection::Timeout);
        }
        let t = i64::from(instance.template.pair(i, j));
        let s = kind(i)
            .zip(kind(j))
            .map_or(0, |(a, b)| if a == b { 1 } else { -1 });
        if t * s < 0 && instance.template.is_hard(i, j) {
            truth = None;
        }
        truth = truth.map(|(sum, total)| (sum + t * s, total + t.abs()));
    }
    if answer.map(|found| (found.agreeing, found.total)) != truth {
        return Err(Wrong(format!("claimed {answer:?}, the pairs give {truth:?}")).into());
    }
    Ok(Checked {
        score: None,
        measures: answer
            .iter()
            .map(|found| ("match", found.value()))
            .collect(),
    })
}
