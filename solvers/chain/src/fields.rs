//! The fields to simulate, their text, the question about them, and their outcomes.

use std::sync::Arc;

use ikeru_core::{InputError, Settings, choices, settings};

use crate::board::Board;
use crate::format::{Alphabet, numbered, read_field_lines, write_field};
use crate::simulate::FieldOutcome;

/// Fields to simulate.
#[derive(Debug, Clone)]
pub struct FieldList {
    pub(crate) fields: Arc<[Board]>,
    /// The letters of each field, which its answer uses too.
    pub(crate) letters: Arc<[Alphabet]>,
    pub(crate) repeat: u64,
    pub(crate) asked: FieldQuestion,
}

choices! {
    /// The question about every field.
    #[derive(Default)]
    pub enum FieldQuestion {
        /// Its chain and the field that is left.
        #[default]
        FieldOutcome = "outcome",
        /// Only the number of steps of its chain.
        Steps = "steps",
    }
}

/// The answer for each field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcomes {
    /// Chains and the fields that are left.
    Whole(Vec<FieldOutcome>),
    /// Numbers of steps.
    Steps(Vec<u32>),
}

/// The line between two fields of a file.
const SEPARATOR: &str = "---";

settings! {
    pub(crate) REPEAT: u64 = "repeat", 1, 1..=1_000_000, "how often every field is simulated; for timing single fields";
    pub(crate) ASKED: FieldQuestion = "asked", "outcome", "what is asked of every field: outcome (its chain and what is left) or steps (the number of steps alone)";
}

impl FieldList {
    /// A list of `fields`, each of which is simulated once.
    pub(crate) fn of(fields: Vec<Board>) -> Self {
        Self {
            letters: vec![Alphabet::default(); fields.len()].into(),
            fields: fields.into(),
            repeat: 1,
            asked: FieldQuestion::default(),
        }
    }

    pub(crate) fn read(text: &str) -> Result<Self, InputError> {
        let lines: Vec<(usize, &str)> = numbered(text).collect();
        let (mut fields, mut letters) = (Vec::new(), Vec::new());
        let mut begin = 1;
        for part in lines.split(|(_, line)| line.trim() == SEPARATOR) {
            let field = read_field_lines(part).map_err(|error| match part {
                [] => InputError::at(begin, error.message),
                _ => error,
            });
            let (field, own) = field?;
            fields.push(field);
            letters.push(own);
            begin += part.len() + 1;
        }
        Ok(Self {
            letters: letters.into(),
            ..Self::of(fields)
        })
    }

    pub(crate) fn write(&self) -> String {
        let fields = self.fields.iter().zip(self.letters.iter());
        let written = fields.map(|(field, letters)| letters.written(&write_field(field)));
        let fields: Vec<String> = written.collect();
        fields.join(&format!("{SEPARATOR}\n"))
    }

    pub(crate) fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let mut asked = self.clone();
        settings.change(&REPEAT, &mut asked.repeat)?;
        settings.change(&ASKED, &mut asked.asked)?;
        Ok(asked)
    }
}
