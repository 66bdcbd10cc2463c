//! Instances: a pattern, and the stones that are compared with it.

use ikeru_core::{InputError, Settings};

use crate::templates::drawing::{Drawing, read};
use crate::templates::matrix::Stone;
use crate::templates::weights::WeightRule;
use crate::templates::{BORDER, Border, Options, Template};

/// A pattern and a state of the board.
#[derive(Debug, Clone)]
pub struct Comparison {
    pub(super) template: Template,
    /// In the order of [`crate::templates::drawing::Extent::index`].
    pub(super) stones: Vec<Stone>,
    pub(super) text: String,
}

impl Comparison {
    pub(super) fn read(text: &str) -> Result<Self, InputError> {
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
    pub(super) fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let Some(border) = settings.given(&BORDER)? else {
            return Ok(self.clone());
        };
        Ok(Self {
            template: template(self.template.drawing.clone(), border)?,
            ..self.clone()
        })
    }
}

/// The pattern of `drawing`, all labels of one weight.
fn template(drawing: Drawing, border: Border) -> Result<Template, InputError> {
    let options = Options {
        border,
        weight_rule: WeightRule::Uniform,
        ..Options::default()
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
                    Stone::Kind(number as u8)
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
