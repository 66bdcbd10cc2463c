//! The data of the benchmarks: experiments, published figures, facts about consoles.
//!
//! The data are TOML files in this crate's folder (`experiments/`, `published/`, `consoles/`), embedded in the
//! binary. This crate reads them and expands their matrices. It runs and draws nothing.
//!
//! | module | owns |
//! |---|---|
//! | [`experiment`] | the schema of an experiment, and its reader |
//! | [`matrix`] | ranges and lists of values, and their product |
//! | [`published`] | figures printed in the articles, and the place of our values |
//! | [`console`] | facts about consoles, with sources |
//! | [`builtin`] | the embedded files |
#![forbid(unsafe_code)]

pub mod builtin;
pub mod console;
pub mod experiment;
pub mod matrix;
pub mod published;

pub use console::{Console, Consoles};
pub use experiment::{Experiment, InstanceSpec, Mode, Overrides, Plot, Scale, VariantSpec};
pub use matrix::Matrix;
pub use published::{Figure, PublishedSource};

/// An error in a data file: its name, the line, and what was expected, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", line.map_or(String::new(), |line| format!(":{line}")))]
pub struct DataError {
    /// The file's name as given by the user.
    pub file: String,
    /// The line, from 1, if the error has one.
    pub line: Option<usize>,
    /// The value found and the value expected.
    pub message: String,
}

impl DataError {
    pub(crate) fn new(file: &str, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            message: message.into(),
        }
    }

    /// From a TOML error, whose span gives the line.
    pub(crate) fn from_toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let line = error
            .span()
            .map(|span| 1 + text[..span.start].matches('\n').count());
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        Self {
            file: file.to_owned(),
            line,
            message,
        }
    }
}
