//! The problem `relation`: how well does a position match a pattern (thesis, chapter 3)?
//!
//! A file holds a drawing as in [`crate::templates::drawing`] and, after a line `state:`, stones of the
//! same size: letters for kinds, `.` for empty. The generator makes the thesis's own example.

use ikeru_core::{
    Attempt, Better, BoxedSolve, Checked, Deadline, Direction, Generator, InputError, Measure,
    Problem, Refusal, Rejection, Score, Search, Setting, Settings, Source, Variant, Wrong,
    read_json,
};
use serde_json::{Value as Json, json};

use crate::begin;
use crate::board::{Board, Cell, PuyoColour, Size};
use crate::matching::{Contacts, Matcher};
use crate::templates::drawing::read;
use crate::templates::matrix::{Match, StateMatrix, Stone, TemplateMatrix};
use crate::templates::weights::WeightRule;
use crate::templates::{Options, Template};

/// The problem `relation`.
#[derive(Debug, Clone, Copy)]
pub struct Relation;

/// A pattern and a position.
#[derive(Debug, Clone)]
pub struct Position {
    template: Template,
    /// In the order of [`crate::templates::drawing::Extent::index`].
    stones: Vec<Stone>,
    text: String,
}

/// The match: `None` stands for −∞.
pub type Found = Option<Match>;

/// The example of sections 3.2 to 3.4: cells 3 and 5 are empty (its text says 3 and 6, its matrix 3.3
/// and the result 0.44 say 3 and 5).
const EXAMPLE: &str = "# example pattern\nBAA\nAAB\nstate:\nT.C\nCC.\n";

/// A pair of cells has a template's number, whether it is hard, and a state.
const BYTES_PER_PAIR: u128 = 6;
const MOST_BYTES: u128 = 128 << 20;

static VARIANTS: [Variant<Relation>; 2] = [
    Variant {
        name: "matrices",
        about: "formula 3.7 as printed, all pairs of cells",
        source: Source::Article {
            name: "Thesis",
            section: "3.4",
        },
        exact: true,
        version: 1,
        settings: &[],
        prepare: |position, _, deadline| {
            begin(deadline)?;
            let cells = position.stones.len() as u128;
            let bytes = cells * cells * BYTES_PER_PAIR;
            if bytes > MOST_BYTES {
                return Err(Refusal::skip(format!(
                    "matrices of {cells} cells take {bytes} bytes, at most {MOST_BYTES} are allowed"
                )));
            }
            let matrix = TemplateMatrix::new(&position.template);
            Ok(Box::new(move |_: &mut Search| {
                Attempt::Solved(matrix.match_with(&StateMatrix::new(&position.stones)))
            }))
        },
    },
    Variant {
        name: "incremental",
        about: "violation by masks of templates, sums by column heights",
        source: Source::Ours,
        exact: true,
        version: 1,
        settings: &[],
        prepare: incremental,
    },
];

fn incremental<'a>(
    position: &'a Position,
    _: &Settings,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, Relation>, Refusal> {
    begin(deadline)?;
    let extent = position.template.labels.extent();
    let skip = |error: InputError| Refusal::skip(error.message);
    let size = Size::new(extent.width, extent.height).map_err(skip)?;
    let mut board = Board::empty(size);
    for (index, stone) in position.stones.iter().enumerate() {
        let cell = match stone {
            Stone::Empty => continue,
            Stone::Garbage => Cell::Garbage,
            Stone::Kind(kind) => PuyoColour::new(usize::from(*kind))
                .map(Cell::Puyo)
                .ok_or_else(|| Refusal::skip("more kinds of stones than colours"))?,
        };
        board.set(index % extent.width, index / extent.width, cell);
    }
    if !board.is_settled() {
        return Err(Refusal::skip(
            "stones float: their sum is no function of the heights",
        ));
    }
    let matcher = Matcher::new(std::slice::from_ref(&position.template), size).map_err(skip)?;
    let total = TemplateMatrix::new(&position.template).total();
    Ok(Box::new(move |_: &mut Search| {
        let agrees = matcher.agrees(0, &board);
        let agreeing = agrees.then(|| matcher.agreeing(0, &board, &Contacts::of(&board)));
        Attempt::Solved(agreeing.map(|agreeing| Match { agreeing, total }))
    }))
}

static GENERATORS: [Generator<Relation>; 1] = [Generator {
    name: "relation.example",
    about: "the example of the thesis, 2x3 cells",
    parameters: &[],
    generate: |_, _| Relation::read(EXAMPLE),
}];

impl Problem for Relation {
    const NAME: &'static str = "relation";
    const ABOUT: &'static str = "Relation matrices: how well a position matches a pattern";
    const DIRECTION: Direction = Direction::Equal;
    type Instance = Position;
    type Answer = Found;

    fn variants() -> &'static [Variant<Self>] {
        &VARIANTS
    }
    fn default_variant(_: &Position) -> &'static str {
        "matrices"
    }
    fn generators() -> &'static [Generator<Self>] {
        &GENERATORS
    }
    fn settings() -> &'static [Setting] {
        &[]
    }
    fn counters() -> &'static [Measure] {
        &[]
    }
    fn measures() -> &'static [Measure] {
        &[Measure {
            name: "match",
            about: "formula 3.7, from 0 to 1; none where a relation is violated",
            better: Better::Neither,
        }]
    }

    fn read(text: &str) -> Result<Position, InputError> {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let Some(at) = lines.iter().position(|line| *line == "state:") else {
            return Err(InputError::new(
                "no line `state:`, expected one after the drawing",
            ));
        };
        let mut drawings = read(&lines[..at].join("\n"))?;
        if drawings.len() != 1 {
            let found = drawings.len();
            return Err(InputError::new(format!("{found} drawings, expected one")));
        }
        let drawing = drawings.remove(0);
        let extent = drawing.extent;
        let rows: Vec<(usize, &str)> = (at + 2..).zip(lines[at + 1..].iter().copied()).collect();
        let rows: Vec<(usize, &str)> = rows
            .into_iter()
            .filter(|(_, row)| !row.is_empty())
            .collect();
        if rows.len() != extent.height {
            let (found, expected) = (rows.len(), extent.height);
            return Err(InputError::at(
                at + 1,
                format!("{found} rows of stones, expected {expected}"),
            ));
        }
        let mut kinds = Vec::new();
        let mut stones = Vec::new();
        for &(line, row) in rows.iter().rev() {
            if row.chars().count() != extent.width {
                let (found, expected) = (row.chars().count(), extent.width);
                return Err(InputError::at(
                    line,
                    format!("a row of {found} cells, expected {expected}"),
                ));
            }
            for letter in row.chars() {
                stones.push(match letter {
                    '.' => Stone::Empty,
                    'A'..='Z' => {
                        let known = kinds.iter().position(|kind| *kind == letter);
                        let number = known.unwrap_or(kinds.len());
                        if known.is_none() {
                            kinds.push(letter);
                        }
                        Stone::Kind(number as u8)
                    }
                    _ => {
                        let message = format!("`{letter}` among stones, expected A to Z or `.`");
                        return Err(InputError::at(line, message));
                    }
                });
            }
        }
        let options = Options {
            weight_rule: WeightRule::Uniform,
            ..Options::default()
        };
        Ok(Position {
            template: Template::new(drawing, extent, options)?,
            stones,
            text: lines.join("\n") + "\n",
        })
    }
    fn write(instance: &Position) -> String {
        instance.text.clone()
    }
    fn ask(instance: &Position, _: &Settings) -> Result<Position, InputError> {
        Ok(instance.clone())
    }
    fn size(instance: &Position) -> u64 {
        instance.stones.len() as u64
    }

    /// Pairs of cells counted one by one from the template's labels.
    fn referee(
        instance: &Position,
        answer: &Found,
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
    fn score(_: &Found) -> Option<Score> {
        None
    }
    fn answer_json(_: &Position, answer: &Found) -> Json {
        json!({
            "match": answer.map(Match::value),
            "agreeing": answer.map(|found| found.agreeing),
            "total": answer.map(|found| found.total),
        })
    }
    fn read_answer(_: &Position, answer: &Json) -> Result<Found, InputError> {
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
    fn answer_text(_: &Position, answer: &Found) -> String {
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
