//! What variants are compared on and with: experiments, published figures, console facts.
//!
//! The data lie beside this crate as TOML (`experiments/`, `published/`, `consoles.toml`) and are
//! embedded in the binary; this crate reads them and expands their matrices. It runs nothing and
//! draws nothing.
//!
//! | module | owns |
//! |---|---|
//! | [`experiment`] | the schema of an experiment, and reading it |
//! | [`matrix`] | ranges and lists of values, and their product |
//! | [`published`] | figures printed in the articles, and where ours is found beside them |
//! | [`console`] | what consoles can do, with sources |
//! | [`builtin`] | the embedded files |
#![forbid(unsafe_code)]

pub mod builtin;
pub mod console;
pub mod experiment;
pub mod matrix;
pub mod published;

pub use console::{Console, Consoles};
pub use experiment::{BoundPolicyName, Experiment, InstanceSpec, Mode, Plot, Scale, VariantSpec};
pub use matrix::Matrix;
pub use published::{Figure, PublishedSource};

/// What is wrong with a data file: its name, the line, and what was expected, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", line.map_or(String::new(), |line| format!(":{line}")))]
pub struct DataError {
    /// The file's name as the person knows it.
    pub file: String,
    /// The line, from 1, where one is to blame.
    pub line: Option<usize>,
    /// What was found and what was expected.
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

    /// From a TOML error, whose span tells the line.
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
