//! Fields to simulate, as text, what is asked of them, and their outcomes.

use std::sync::Arc;

use ikeru_core::{Choice, InputError, Setting, Settings};

use crate::board::Board;
use crate::format::{numbered, read_field_lines, write_field};
use crate::simulate::Chain;

/// Fields to simulate.
#[derive(Debug, Clone)]
pub struct Fields {
    pub(crate) fields: Arc<[Board]>,
    pub(crate) repeat: u64,
    pub(crate) asked: Asked,
}

/// What is asked of every field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Asked {
    /// Its chain and the field that is left.
    #[default]
    Outcome,
    /// The number of steps of its chain alone.
    Steps,
}

impl Choice for Asked {
    const WORDS: &'static [(&'static str, Self)] =
        &[("outcome", Self::Outcome), ("steps", Self::Steps)];
}

/// An answer: of each field what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcomes {
    /// Chains and the fields that are left.
    Whole(Vec<Outcome>),
    /// Numbers of steps.
    Steps(Vec<u32>),
}

/// The outcome of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The chain that happened.
    pub chain: Chain,
    /// The field that is left.
    pub rest: Board,
}

/// The line between two fields of a file.
const SEPARATOR: &str = "---";

pub(crate) const REPEAT: Setting<i64> = Setting::int(
    "repeat",
    1,
    1..=1_000_000,
    "how often every field is simulated; for timing single fields",
);

pub(crate) const ASKED: Setting<Asked> = Setting::choice(
    "asked",
    "outcome",
    "what is asked of every field: outcome (its chain and what is left) or steps (the number of steps alone)",
);

impl Fields {
    /// Each of `fields` once.
    pub(crate) fn of(fields: Vec<Board>) -> Self {
        Self {
            fields: fields.into(),
            repeat: 1,
            asked: Asked::default(),
        }
    }

    pub(crate) fn read(text: &str) -> Result<Self, InputError> {
        let lines: Vec<(usize, &str)> = numbered(text).collect();
        let mut fields = Vec::new();
        let mut begin = 1;
        for part in lines.split(|(_, line)| line.trim() == SEPARATOR) {
            let field = read_field_lines(part).map_err(|error| match part {
                [] => InputError::at(begin, error.message),
                _ => error,
            });
            fields.push(field?);
            begin += part.len() + 1;
        }
        Ok(Self::of(fields))
    }

    pub(crate) fn write(&self) -> String {
        let fields: Vec<String> = self.fields.iter().map(write_field).collect();
        fields.join(&format!("{SEPARATOR}\n"))
    }

    pub(crate) fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let repeat = settings.given(&REPEAT)?;
        Ok(Self {
            fields: Arc::clone(&self.fields),
            repeat: repeat.map_or(self.repeat, |repeat| repeat as u64),
            asked: settings.given(&ASKED)?.unwrap_or(self.asked),
        })
    }
}
