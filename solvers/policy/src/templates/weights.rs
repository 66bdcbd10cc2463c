//! Stage 3, the weights (thesis, chapter 5, figure 5.4): puyos that are hard to place have larger weights.

use std::collections::BTreeMap;

use ikeru_core::{InputError, choices, input_error};

use super::labels::LabelTable;
use super::truth::TruthTable;

choices! {
    /// The rule for the weights of labels.
    #[derive(Hash, Default)]
    pub enum WeightRule {
        /// A capital has 100 for each label from which it must differ, and 100 for each of left wall, right wall and
        /// floor that its group touches. A border cell has 10 for each such label.
        #[default]
        Thesis = "thesis",
        /// The same, but a capital has 100 only for each capital and 10 for each border label from which it must
        /// differ: another reading of the same sentence.
        ByKind = "by-kind",
        /// Every label has 10, as in the thesis's example of section 3.3.
        Uniform = "uniform",
    }
}

choices! {
    /// The rule for the weight of a pair, given the weights of its two labels.
    #[derive(Hash, Default)]
    pub enum PairWeight {
        /// The mean of both weights.
        #[default]
        Mean = "mean",
        /// The smaller weight, which the thesis calls promising.
        Minimum = "minimum",
    }
}

impl PairWeight {
    /// **Twice** the weight of a pair of labels with the weights `a` and `b`, so that it is an integer.
    pub fn doubled(self, a: i32, b: i32) -> i32 {
        match self {
            Self::Mean => a + b,
            Self::Minimum => 2 * a.min(b),
        }
    }
}

/// The weight of every cell, that of its label.
pub fn weights(labels: &LabelTable, truth: &TruthTable, rule: WeightRule) -> Vec<i32> {
    let weight = |label: usize| match rule {
        WeightRule::Uniform => 10,
        WeightRule::Thesis if labels.is_capital(label) => {
            100 * (truth.differing(label) as i32 + walls(labels, label))
        }
        WeightRule::ByKind if labels.is_capital(label) => {
            let capitals = |other| labels.is_capital(other);
            let among = truth.differing_among(label, capitals) as i32;
            let border = truth.differing(label) as i32 - among;
            100 * (among + walls(labels, label)) + 10 * border
        }
        WeightRule::Thesis | WeightRule::ByKind => 10 * truth.differing(label) as i32,
    };
    let weights: Vec<i32> = (0..labels.len()).map(weight).collect();
    let cells = 0..labels.extent().cells();
    cells
        .map(|cell| labels.label(cell).map_or(0, |label| weights[label]))
        .collect()
}

/// The number of walls (left, right, floor) that the cells of `label` touch.
fn walls(labels: &LabelTable, label: usize) -> i32 {
    let extent = labels.extent();
    let touches = |wall: &dyn Fn(usize) -> bool| {
        (0..extent.cells()).any(|cell| labels.label(cell) == Some(label) && wall(cell))
    };
    i32::from(touches(&|cell| cell % extent.width == 0))
        + i32::from(touches(&|cell| cell % extent.width == extent.width - 1))
        + i32::from(touches(&|cell| cell < extent.width))
}

/// Named weights from a file: one `NAME NUMBER` a line, `#` begins a comment. The weight of a cell is the product of all
/// numbers whose names apply to it: its capital or `border`, and if given `row-1` (the floor) …, `column-1` (the left)
/// … and its own name, `a1` for the left cell on the floor.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedWeights(BTreeMap<String, f64>);

impl NamedWeights {
    /// The largest number of a name.
    const MOST: f64 = 10_000.0;
    /// The largest weight of a cell: sums over all pairs of cells are below 2³¹.
    const MOST_OF_CELL: f64 = 50_000.0;

    /// Reads the text of the file called `file`.
    ///
    /// # Errors
    /// Names the file, the line and what was expected.
    pub fn read(text: &str, file: &str) -> Result<Self, InputError> {
        let mut weights = BTreeMap::new();
        for (line, text) in (1..).zip(text.lines()) {
            let words: Vec<&str> = text
                .split('#')
                .next()
                .unwrap_or("")
                .split_whitespace()
                .collect();
            let expected = match words[..] {
                [] => continue,
                [name, _] if !is_name(name) => {
                    "a capital, `border`, `row-1`, `column-1` or a cell like `a1`"
                }
                [name, _] if weights.contains_key(name) => "each name once",
                [name, number] => match number.parse() {
                    Ok(number) if number > 0.0 && number <= Self::MOST => {
                        weights.insert(name.to_owned(), number);
                        continue;
                    }
                    _ => "a number above 0 and at most 10000",
                },
                _ => "a name and its number",
            };
            let error = input_error!(line, "`{}`, expected {expected}", text.trim());
            return Err(InputError::new(error.in_file(file)));
        }
        Ok(Self(weights))
    }

    /// The weight of every cell.
    ///
    /// # Errors
    /// If there is no number for a label.
    pub fn of_cells(&self, labels: &LabelTable) -> Result<Vec<i32>, InputError> {
        let width = labels.extent().width;
        let weight = |cell: usize| {
            let Some(label) = labels.label(cell) else {
                return Ok(0);
            };
            let name = if labels.is_capital(label) {
                labels.name(label)
            } else {
                "border"
            };
            let own = self
                .0
                .get(name)
                .ok_or_else(|| input_error!("no weight for `{name}`"))?;
            let (column, row) = (cell % width, cell / width + 1);
            let letter = char::from(b'a' + column as u8);
            let factors = [
                format!("row-{row}"),
                format!("column-{}", column + 1),
                format!("{letter}{row}"),
            ];
            let factors = factors.iter().filter_map(|name| self.0.get(name));
            Ok(factors
                .fold(*own, |weight, factor| weight * factor)
                .round()
                .clamp(1.0, Self::MOST_OF_CELL) as i32)
        };
        (0..labels.extent().cells()).map(weight).collect()
    }
}

fn is_name(name: &str) -> bool {
    let number = |text: &str| text.parse::<u8>().is_ok_and(|number| number > 0);
    let letters: Vec<char> = name.chars().collect();
    match letters[..] {
        [letter] => letter.is_ascii_uppercase(),
        ['a'..='h', ..] if number(&name[1..]) => true,
        _ => {
            name == "border"
                || ["row-", "column-"]
                    .iter()
                    .any(|kind| name.strip_prefix(kind).is_some_and(number))
        }
    }
}

/// The text of the file `name`, or of weights that were learned for the templates `set`.
///
/// # Errors
/// If a file cannot be read, or no such weights were learned for the set.
pub fn text(name: &str, set: &str) -> Result<String, InputError> {
    if name.contains(['.', '/']) || !name.starts_with("learned") {
        let error = |error| input_error!("weights `{name}`: {error}");
        return std::fs::read_to_string(name).map_err(error);
    }
    let mut learned = LEARNED.iter();
    let learned = learned.find(|(known, of, _)| *known == name && *of == set);
    let error = || {
        input_error!(
            "no weights `{name}` for `{set}`, expected learned, or learned-0, -10 or -20, for stairs or sandwich"
        )
    };
    learned
        .map(|(.., text)| (*text).to_owned())
        .ok_or_else(error)
}

/// The sets of templates for which weights were learned.
pub const SETS: [&str; 2] = ["stairs", "sandwich"];

/// Names of weights that were learned on games (docs/puyo.md), the set of templates, and the text: the last ones, and those
/// after 0, 10 and 20 rounds.
const LEARNED: [(&str, &str, &str); 8] = [
    (
        "learned",
        "stairs",
        include_str!("../../weights/stairs.txt"),
    ),
    (
        "learned",
        "sandwich",
        include_str!("../../weights/sandwich.txt"),
    ),
    (
        "learned-0",
        "stairs",
        include_str!("../../weights/stairs-0.txt"),
    ),
    (
        "learned-0",
        "sandwich",
        include_str!("../../weights/sandwich-0.txt"),
    ),
    (
        "learned-10",
        "stairs",
        include_str!("../../weights/stairs-10.txt"),
    ),
    (
        "learned-10",
        "sandwich",
        include_str!("../../weights/sandwich-10.txt"),
    ),
    (
        "learned-20",
        "stairs",
        include_str!("../../weights/stairs-20.txt"),
    ),
    (
        "learned-20",
        "sandwich",
        include_str!("../../weights/sandwich-20.txt"),
    ),
];
