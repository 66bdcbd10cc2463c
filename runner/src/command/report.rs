//! `ikeru report`: writes tables, plots and page again from a run folder.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::run::TableWidth;

/// The arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "Example: ikeru report results/reproduce-20260101-120000")]
pub struct Arguments {
    /// A run folder
    folder: PathBuf,
    #[command(flatten)]
    wide: TableWidth,
}

/// Writes the report.
///
/// # Errors
/// A folder without a run, or a failed write.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    super::run::summary::report(&arguments.folder, arguments.wide)
}
