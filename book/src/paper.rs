//! Exports a run folder for a paper: LaTeX and data for pgfplots. Every number comes from the folder's report.
//!
//! | module | owns |
//! |---|---|
//! | `latex` | macros, tables, the article |
//! | `plots` | plots and their data for pgfplots |

mod latex;
mod plots;

use std::path::Path;

pub use latex::export;

use ikeru_records::whole;
use ikeru_records::{ReportError, Result};

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| ReportError::io(folder, error))?;
    }
    whole::write(path, text).map_err(|error| ReportError::io(path, error))
}
