//! `ikeru artifact`: what reviewers of a run folder ask for.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ikeru_reports::paper;

use crate::campaign::carried;
use crate::output;

/// What `artifact` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: ikeru artifact results/reproduce-20260101-120000\n\n\
    Writes into DIR: claims.md and claims.csv (figure, command, expected minutes, verdict), smoke-test.sh, \
    ro-crate-metadata.json, CITATION.cff. An experiment from a file is copied into DIR/experiments with its instances and programs."
)]
pub struct Arguments {
    /// A run folder
    folder: PathBuf,
}

/// Writes the files and names them.
///
/// # Errors
/// A folder without a run, or a failed write.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let carried = carried::carry(&arguments.folder)?;
    for path in paper::artifact(&arguments.folder, &carried)? {
        output::print(&format!("{}\n", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
