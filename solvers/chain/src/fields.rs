//! Fields to simulate, as text, and their outcomes.

use std::sync::Arc;

use ikeru_core::{InputError, Setting, Settings};

use crate::board::Board;
use crate::format::{numbered, read_field_lines, write_field};
use crate::simulate::Chain;

/// Fields to simulate.
#[derive(Debug, Clone)]
pub struct Fields {
    pub(crate) fields: Arc<[Board]>,
    pub(crate) repeat: u64,
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

impl Fields {
    /// Each of `fields` once.
    pub(crate) fn of(fields: Vec<Board>) -> Self {
        Self {
            fields: fields.into(),
            repeat: 1,
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
        })
    }
}
