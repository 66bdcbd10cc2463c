//! The problem `relation`: how well does a position match a pattern (thesis, chapter 3)?
//!
//! A file holds a drawing as in [`crate::templates::drawing`] and, after a line `state:`, stones of the same size:
//! letters for kinds, `.` for empty. The answer is the match by formula 3.7; `None` means −∞. The generators make the
//! thesis's example and its Tetris boards. There is one variant, which computes the formula as printed.

use ikeru_core::{
    Attempt, Check, Checked, Deadline, Direction, Generator, InputError, Problem, ProblemInfo,
    Rejection, Score, Search, Settings, Variant, Wrong, measures, read_json, refuse, settings,
    skip,
};
use serde_json::{Value as Json, json};

use crate::templates::drawing::{TemplateDrawing, read};
use crate::templates::matrix::{Match, StateMatrix, Stone, TemplateMatrix};
use crate::templates::weights::WeightRule;
use crate::templates::{BORDER, Border, Template, TemplateOptions};

/// The problem `relation`.
#[derive(Debug, Clone, Copy)]
pub struct Relation;

/// A pattern and a state of the board.
#[derive(Debug, Clone)]
pub struct PatternComparison {
    template: Template,
    /// The stones in the order of [`crate::templates::drawing::DrawingExtent::index`].
    stones: Vec<Stone>,
    text: String,
}

impl PatternComparison {
    fn read(text: &str) -> Result<Self, InputError> {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let Some(at) = lines.iter().position(|line| *line == "state:") else {
            refuse!("no line `state:`, expected one after the drawing");
        };
        let mut drawings = read(&lines[..at].join("\n"))?;
        if drawings.len() != 1 {
            let found = drawings.len();
            refuse!("{found} drawings, expected one");
        }
        let drawing = drawings.remove(0);
        let extent = drawing.extent;
        let rows = (at + 2..).zip(lines[at + 1..].iter().copied());
        let rows: Vec<(usize, &str)> = rows.filter(|(_, row)| !row.is_empty()).collect();
        if rows.len() != extent.height {
            let (found, expected) = (rows.len(), extent.height);
            let message = format!("{found} rows of stones, expected {expected}");
            return Err(InputError::at(at + 1, message));
        }
        Ok(Self {
            template: template(drawing, Border::default())?,
            stones: read_stones(&rows, extent.width)?,
            text: lines.join("\n") + "\n",
        })
    }

    /// The same comparison with the question that `settings` change.
    fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let Some(border) = settings.given(&BORDER)? else {
            return Ok(self.clone());
        };
        Ok(Self {
            template: template(self.template.drawing.clone(), border)?,
            ..self.clone()
        })
    }
}

/// The pattern of `drawing`, with equal weights for all labels.
fn template(drawing: TemplateDrawing, border: Border) -> Result<Template, InputError> {
    let options = TemplateOptions {
        border,
        weight_rule: WeightRule::Uniform,
        ..TemplateOptions::default()
    };
    let extent = drawing.extent;
    Template::new(drawing, extent, options)
}

/// The stones of numbered rows of `width` letters, from the bottom; kinds are numbered as they occur.
fn read_stones(rows: &[(usize, &str)], width: usize) -> Result<Vec<Stone>, InputError> {
    let mut kinds = Vec::new();
    let mut stones = Vec::new();
    for &(line, row) in rows.iter().rev() {
        let found = row.chars().count();
        if found != width {
            let message = format!("a row of {found} cells, expected {width}");
            return Err(InputError::at(line, message));
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
                    Stone::DrawingKind(number as u8)
                }
                _ => {
                    let message = format!("`{letter}` among stones, expected A to Z or `.`");
                    return Err(InputError::at(line, message));
                }
            });
        }
    }
    Ok(stones)
}

settings! {
    ROWS: usize = "rows", BAR_ROWS, 0..=BAR_ROWS, "lowest rows that are full but for the left column";
    BLOCKED: bool = "blocked", false, "a stone stands in the left column";
}

/// Rows of the pattern of figure 2.2 (a): the length of the bar.
const BAR_ROWS: usize = 4;
/// Rows of a board of Tetris, which is ten cells wide.
const TETRIS_ROWS: usize = 20;

/// A Tetris board that waits for the bar (section 2.2.1, figure 2.2 (a)): the pattern fills four rows except for the
/// left column, the state its lowest `rows`. All stones of Tetris are of one kind.
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

const MATRICES: Variant<Relation> = Variant {
    name: "matrices",
    about: "formula 3.7 as printed, all pairs of cells",
    source: "Thesis, 3.4",
    exact: true,
    version: 1,
    settings: &[],
    prepare: |comparison, _, deadline| {
        deadline.check()?;
        let cells = comparison.stones.len() as u128;
        let bytes = cells * cells * BYTES_PER_PAIR;
        if bytes > MOST_BYTES {
            skip!("matrices of {cells} cells take {bytes} bytes, at most {MOST_BYTES} are allowed");
        }
        let matrix = TemplateMatrix::new(&comparison.template);
        Ok(Box::new(move |_: &mut Search| {
            Attempt::proven(matrix.match_with(&StateMatrix::new(&comparison.stones)))
        }))
    },
};

/// The bytes of a pair of cells: its template value (4), its hard flag (1) and its state value (1).
const BYTES_PER_PAIR: u128 = 6;
const MOST_BYTES: u128 = 128 << 20;

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
        words: &[],
        batch: None,
    };
    const VARIANTS: &'static [Variant<Self>] = &[MATRICES];
    const GENERATORS: &'static [Generator<Self>] = &[
        Generator {
            name: "relation.example",
            about: "the example of the thesis, 2x3 cells",
            parameters: &[],
            generate: |_, _| PatternComparison::read(EXAMPLE),
        },
        Generator {
            name: "relation.bar",
            about: "a board of Tetris that waits for the bar, 10x20 cells",
            parameters: settings![ROWS BLOCKED],
            generate: |parameters, _| {
                let (rows, blocked) = (parameters.get(&ROWS)?, parameters.get(&BLOCKED)?);
                PatternComparison::read(&waiting_for_the_bar(rows, blocked))
            },
        },
    ];
    type Instance = PatternComparison;
    type Answer = Option<Match>;
    type Referee = Check<Self>;

    fn default_variant(_: &PatternComparison) -> &'static str {
        "matrices"
    }
    fn read(text: &str) -> Result<PatternComparison, InputError> {
        PatternComparison::read(text)
    }
    fn write(instance: &PatternComparison) -> String {
        instance.text.clone()
    }
    fn ask(
        instance: &PatternComparison,
        settings: &Settings,
    ) -> Result<PatternComparison, InputError> {
        instance.ask(settings)
    }
    fn size(instance: &PatternComparison) -> u64 {
        instance.stones.len() as u64
    }

    fn referee(_: &PatternComparison) -> Check<Self> {
        check
    }
    fn score(_: &Option<Match>) -> Option<Score> {
        None
    }
    fn answer_json(_: &PatternComparison, answer: &Option<Match>) -> Json {
        json!({
            "match": answer.map(Match::value),
            "agreeing": answer.map(|found| found.agreeing),
            "total": answer.map(|found| found.total),
        })
    }
    fn read_answer(_: &PatternComparison, answer: &Json) -> Result<Option<Match>, InputError> {
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
    fn answer_text(_: &PatternComparison, answer: &Option<Match>) -> String {
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

/// Recomputes both sums pair by pair from the template's labels.
fn check(
    instance: &PatternComparison,
    answer: &Option<Match>,
    deadline: Deadline,
) -> Result<Checked, Rejection> {
    let kind = |cell: usize| match instance.stones[cell] {
        Stone::DrawingKind(kind) => Some(kind),
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
