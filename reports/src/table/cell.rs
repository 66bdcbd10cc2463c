//! One cell of a table: its content, and its text.

use std::fmt::{Display, Formatter};

use ikeru_compare::comparison::Comparison;
use serde::Serialize;

use crate::statistics::{Bound, Estimate, Interval};
use crate::units::{Quantity, count};

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The content.
    pub content: Content,
    /// A small addition: a reason, a place, an interval in words.
    pub detail: String,
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Unknown: a dash.
    Empty,
    /// A name or a few words.
    Text(String),
    /// Sentences, which may wrap.
    Prose(String),
    /// A word with a colour.
    Badge(String, Tone),
    /// A number as its source prints it.
    Printed(String),
    /// A number, with its interval where it has one.
    Number(Estimate, Quantity),
    /// An interval alone.
    Interval(Interval, Quantity),
    /// A count, and the count of all.
    Part(usize, usize),
    /// A comparison in words, and its fields for programs.
    Compared(String, Box<Comparison>),
}

/// The meaning of a badge's colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// As expected.
    Good,
    /// Against expectation.
    Bad,
    /// To be read with care.
    Warn,
    /// Neutral.
    #[default]
    Still,
}

/// The sign before a value: none, `≥`, `≤` or `≈`.
pub fn sign(bound: Bound) -> &'static str {
    match bound {
        Bound::Exact => "",
        Bound::AtLeast => "≥",
        Bound::AtMost => "≤",
        Bound::Either => "≈",
    }
}

impl Cell {
    /// A cell of unknown content.
    pub const EMPTY: Self = Self {
        content: Content::Empty,
        detail: String::new(),
    };

    /// Sentences.
    pub fn prose(text: impl Into<String>) -> Self {
        Content::Prose(text.into()).into()
    }

    /// A word as a badge.
    pub fn badge(text: impl Into<String>, tone: Tone) -> Self {
        Content::Badge(text.into(), tone).into()
    }

    /// The cell with a small addition.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Returns whether it holds a number.
    pub fn is_number(&self) -> bool {
        match self.content {
            Content::Number(..)
            | Content::Interval(..)
            | Content::Printed(_)
            | Content::Part(..) => true,
            Content::Empty
            | Content::Text(_)
            | Content::Prose(_)
            | Content::Badge(..)
            | Content::Compared(..) => false,
        }
    }

    /// Its comparison.
    pub(super) fn comparison(&self) -> Option<&Comparison> {
        match &self.content {
            Content::Compared(_, row) => Some(row),
            _ => None,
        }
    }

    /// Its interval: that of a number if its ends differ, or an interval alone.
    pub(super) fn interval(&self) -> Option<Interval> {
        match self.content {
            Content::Number(estimate, _) => estimate.interval.filter(|ends| ends.low < ends.high),
            Content::Interval(interval, _) => Some(interval),
            _ => None,
        }
    }

    /// The small addition: the interval of a number, else the detail; may be empty.
    pub(super) fn beside(&self) -> String {
        match (&self.content, self.interval()) {
            (Content::Number(_, quantity), Some(ends)) => quantity.range(ends.low, ends.high),
            _ => self.detail.clone(),
        }
    }

    /// The cell in one line, without an interval.
    pub(super) fn without_interval(&self) -> String {
        match self.interval() {
            Some(_) if matches!(self.content, Content::Number(..)) => self.to_string(),
            _ => self.line(),
        }
    }

    /// The cell with its small addition, in one line.
    pub fn line(&self) -> String {
        match self.beside() {
            beside if beside.is_empty() => self.to_string(),
            beside => format!("{self} ({beside})"),
        }
    }
}

/// The text of the cell without its small addition.
impl Display for Cell {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match &self.content {
            Content::Empty => f.write_str("–"),
            Content::Text(text)
            | Content::Prose(text)
            | Content::Badge(text, _)
            | Content::Printed(text)
            | Content::Compared(text, _) => f.write_str(text),
            Content::Number(estimate, quantity) => {
                write!(
                    f,
                    "{}{}",
                    sign(estimate.bound),
                    quantity.word(estimate.value)
                )
            }
            Content::Interval(ends, quantity) => f.write_str(&quantity.range(ends.low, ends.high)),
            Content::Part(part, whole) => write!(f, "{} of {}", count(*part), count(*whole)),
        }
    }
}

impl From<Content> for Cell {
    fn from(content: Content) -> Self {
        Self {
            content,
            detail: String::new(),
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Content::Text(text).into()
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        (count as f64, Quantity::Count).into()
    }
}

/// A value for a cell: a number, an estimate with its interval, an interval alone, or none.
pub trait KnownWord {
    /// The content of its cell.
    fn content(self, quantity: Quantity) -> Content;
}

impl KnownWord for f64 {
    fn content(self, quantity: Quantity) -> Content {
        Estimate::plain(self).content(quantity)
    }
}

impl KnownWord for Estimate {
    fn content(self, quantity: Quantity) -> Content {
        Content::Number(self, quantity)
    }
}

impl KnownWord for Interval {
    fn content(self, quantity: Quantity) -> Content {
        Content::Interval(self, quantity)
    }
}

impl<T: KnownWord> KnownWord for Option<T> {
    fn content(self, quantity: Quantity) -> Content {
        self.map_or(Content::Empty, |known| known.content(quantity))
    }
}

impl<T: KnownWord> From<(T, Quantity)> for Cell {
    fn from((known, quantity): (T, Quantity)) -> Self {
        known.content(quantity).into()
    }
}
