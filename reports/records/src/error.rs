//! What can be wrong with a run folder, in one line that names the file.

use std::path::{Path, PathBuf};

use ikeru_bench_data::DataError;

/// Why a report cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file cannot be read or written.
    #[error("{}: cannot be read or written", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The folder holds no run.
    #[error("{}: expected a run folder, but it has no run.toml", _0.display())]
    NoRun(PathBuf),
    /// A row of `records.csv` is not as its header promises.
    #[error("{}:{line}: {message}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What was found and what was expected.
        message: String,
    },
    /// An experiment or a data file is wrong.
    #[error(transparent)]
    Data(#[from] DataError),
    /// What was asked of the rows makes no sense.
    #[error("{0}")]
    Question(String),
}

impl ReportError {
    /// An error of the system at `path`.
    pub fn io(path: &Path, source: impl Into<std::io::Error>) -> Self {
        Self::Io {
            path: path.to_owned(),
            source: source.into(),
        }
    }

    /// The error for a `name` that is none of the `known` ones: `what` says of what kind it should be.
    pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Question(ikeru_core::unknown(what, name, known).message)
    }
}
