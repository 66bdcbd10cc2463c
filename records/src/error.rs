//! The errors of a run folder; each is printed on one line that names the file.

use std::path::{Path, PathBuf};

use ikeru_bench_data::DataError;

/// A result whose error is usually that of a run folder.
pub type Result<T, E = ReportError> = std::result::Result<T, E>;

/// Why a report cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file cannot be read or written.
    #[error("{}: cannot be read or written", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The folder holds no run.
    #[error("{}: expected a run folder, but it has no run.toml", _0.display())]
    NoRun(PathBuf),
    /// A row of `records.csv` or `bests.csv` is invalid.
    #[error("{}:{line}: {message}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The value that was found, and what was expected.
        message: String,
    },
    /// An experiment, a `run.toml` or a data file is wrong.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The request cannot be answered: the text names what is wrong with it.
    #[error("{0}")]
    Question(String),
}

/// Returns a [`ReportError::Question`] with a formatted message.
#[macro_export]
macro_rules! refuse {
    ($($argument:tt)+) => { return Err($crate::ReportError::Question(format!($($argument)+))) };
}

impl ReportError {
    /// An error of the operating system at `path`.
    pub fn io(path: &Path, source: impl Into<std::io::Error>) -> Self {
        Self::Io {
            path: path.to_owned(),
            source: source.into(),
        }
    }

    /// An error in a row of the file at `path`; `line` counts from 1.
    pub fn row(path: impl Into<PathBuf>, line: u64, message: impl Into<String>) -> Self {
        let (path, message) = (path.into(), message.into());
        Self::Row {
            path,
            line,
            message,
        }
    }

    /// The error for a `name` that is not among the `known` names; `what` is the kind of the name.
    pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Question(ikeru_core::unknown(what, name, known).message)
    }
}
