//! A run folder for a paper: LaTeX, data for pgfplots and BibTeX for its authors, claims with commands for its
//! reviewers. Every number comes from the report of the folder.
//!
//! | module | owns |
//! |---|---|
//! | `latex` | macros, tables, data for pgfplots |
//! | `works` | BibTeX of the works that the variants come from |
//! | `artifact` | claims, smoke test, CITATION.cff |

mod artifact;
mod latex;
mod works;

use std::path::Path;

pub use artifact::artifact;
pub use latex::export;
pub use works::CitedWork;

use crate::ReportError;

fn write(path: &Path, text: &str) -> Result<(), ReportError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| ReportError::io(folder, error))?;
    }
    std::fs::write(path, text).map_err(|error| ReportError::io(path, error))
}
