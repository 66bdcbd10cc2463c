//! Figures that the articles printed, each with its place, and where ours is found beside it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::DataError;
use crate::matrix::Values;

/// The published figures of one source: one file of `published/`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSource {
    /// The source's short name.
    pub source: String,
    /// Author or title, and year, for the page.
    pub reference: String,
    /// Its figures.
    pub figures: Vec<Figure>,
}

/// One published figure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// `source/what`, unique.
    pub id: String,
    /// The place in the source: section, table, figure.
    pub place: String,
    /// What it says, in our words.
    pub claim: String,
    /// The number, where it is one.
    pub value: Option<f64>,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
    /// Which of our rows stand beside it; without it the claim is answered in `reason` alone.
    pub ours: Option<Ours>,
    /// Reproduced if our interval meets the value within this relative distance; 0.1 if not said.
    pub tolerance: Option<f64>,
    /// What our measurement cannot change.
    pub verdict: Option<FixedVerdict>,
    /// Why it differs, is not comparable, or is an erratum. Shown whenever the verdict is not "reproduced".
    #[serde(default)]
    pub reason: String,
}

/// Where our figure is found: one statistic over rows, perhaps divided by another.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ours {
    /// The experiment that measures it.
    pub experiment: String,
    /// Only rows whose column has this value (or one of these).
    #[serde(default, rename = "where")]
    pub only: BTreeMap<String, Values>,
    /// The column.
    #[serde(default = "wall_ns")]
    pub column: String,
    /// `median`, `mean`, `minimum`, `maximum`, `sum`, `solved` (share), `over:30` (share above).
    #[serde(default = "median")]
    pub statistic: String,
    /// What the statistic is divided by to get the published unit (1e6 for ms).
    pub divide_by: Option<f64>,
    /// The same statistic over these rows divides it: a ratio.
    pub relative_to: Option<BTreeMap<String, Values>>,
}

fn wall_ns() -> String {
    "wall_ns".to_owned()
}

fn median() -> String {
    "median".to_owned()
}

/// A verdict that no measurement changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FixedVerdict {
    /// The article contradicts itself; `reason` shows it.
    Erratum,
    /// Another machine, another input, or nothing that can be rerun; `reason` says which.
    NotComparable,
}

impl PublishedSource {
    /// Reads one file; `file` is its name in errors.
    ///
    /// # Errors
    /// Names the file, the line and what was expected.
    pub fn read(file: &str, text: &str) -> Result<Self, DataError> {
        toml::from_str(text).map_err(|error| DataError::from_toml(file, text, &error))
    }
}
