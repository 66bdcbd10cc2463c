//! `ikeru report`: writes tables, plots and page again from a run folder.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::run::TableWidth;
use super::run::summary::{self, Output};

/// The arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "Example: ikeru report results/reproduce-20260101-120000")]
pub struct Arguments {
    /// A run folder
    folder: PathBuf,
    /// Print one JSON object, as `run --json` does
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    wide: TableWidth,
}

/// Writes the report.
///
/// # Errors
/// A folder without a run, or a failed write.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let form = if arguments.json {
        Output::Json
    } else {
        Output::Answers
    };
    summary::print(
        &ikeru_book::report(&arguments.folder)?,
        form,
        arguments.wide,
    )
}
