//! The outputs of an experiment: plots, tables, analyses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use ikeru_core::Value;

use crate::matrix::Values;

/// The rule that pairs the rows of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// The question: the instance and all settings of the question.
    #[default]
    Question,
    /// The instance; settings that each series keeps constant may differ.
    Instance,
}

impl Pairing {
    fn is_question(&self) -> bool {
        *self == Self::Question
    }
}

/// One plot: one question, with the answer as its title.
///
/// A column is one of `records.csv`: `time_ns`, `score`, `size`, `setting_steps`, `method_width`, `param_vertices`,
/// `counter_nodes`, `measure_chains`, `variant`, `label`, `instance`, `seed`, …
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// The file's name without its ending.
    pub name: String,
    /// The kind of plot: `line`, `bar`, `cactus`, `strip`, `scatter`. `ikeru-reports` checks it.
    pub kind: String,
    /// The answer as a sentence, with blanks that are filled from the rows: `{faster:A/B where setting_god=false}`.
    pub title: String,
    /// True if the page shows it only on request, because it makes no claim.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
    /// One sentence on how to read it.
    #[serde(default)]
    pub reading: String,
    /// The column along x (of a `line`); the groups of a `bar`.
    pub x: Option<String>,
    /// The column along y.
    #[serde(default = "time_ns")]
    pub y: String,
    /// The rule that pairs the rows of two series in the title.
    #[serde(default, skip_serializing_if = "Pairing::is_question")]
    pub pair_by: Pairing,
    /// The statistic of each group that the marks show: `median` or `mean`.
    #[serde(default = "median", skip_serializing_if = "is_median")]
    pub statistic: String,
    /// One colour for each value of this column; by default `label`.
    pub series: Option<String>,
    /// A series by which the others are compared: y is its value divided by theirs, question by question. For `line` and
    /// `bar`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_to: Option<String>,
    /// The series that it shows, in this order; by default all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub show: Vec<String>,
    /// Only rows whose column has this value (or one of these).
    #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<String, Values>,
    /// One panel for each value of this column.
    pub panels: Option<String>,
    /// `linear` or `log`.
    #[serde(default)]
    pub x_scale: Scale,
    /// `linear` or `log`.
    #[serde(default)]
    pub y_scale: Scale,
    /// The title of the x axis, with its unit; by default made from the column.
    pub x_label: Option<String>,
    /// The title of the y axis, with its unit; by default made from the column.
    pub y_label: Option<String>,
    /// Dashed, labelled lines across the plot, in the unit of the y column (or x with `axis = "x"`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<GuideLine>,
}

pub(crate) fn time_ns() -> String {
    "time_ns".to_owned()
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal ratios.
    Log,
}

/// A dashed guide line across a plot.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GuideLine {
    /// Its position on the axis, in the column's unit.
    pub at: f64,
    /// Its label.
    pub label: String,
    /// `y` (a horizontal line, the default) or `x`.
    #[serde(default)]
    pub axis: GuideAxis,
}

/// The axis that a guide line crosses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GuideAxis {
    /// A vertical line.
    X,
    /// A horizontal line.
    #[default]
    Y,
}

/// A table: one statistic of one column, by rows and columns.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AskedTable {
    /// One line above it.
    pub title: String,
    /// The column whose values are the rows.
    pub rows: String,
    /// The column whose values are the columns.
    pub columns: Option<String>,
    /// The column that is summarized.
    #[serde(default = "time_ns")]
    pub value: String,
    /// `median`, `mean`, `minimum`, `maximum`, `sum`, `solved` (share), `over:30` (share above).
    #[serde(default = "median")]
    pub statistic: String,
    /// Only rows whose column has this value (or one of these).
    #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<String, Values>,
    /// A value of `rows` by which all others are divided; the ratios are shown next to the values.
    pub relative_to: Option<String>,
}

fn is_median(statistic: &String) -> bool {
    *statistic == median()
}

pub(crate) fn median() -> String {
    "median".to_owned()
}

/// A named analysis with its parameters.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// The kind of analysis.
    pub kind: String,
    /// One line above it.
    pub title: Option<String>,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, Value>,
    /// Only rows whose column has this value (or one of these).
    #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<String, Values>,
}
