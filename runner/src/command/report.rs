//! `ikeru report`: writes tables, plots and page again from a run folder.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use ikeru_reports::charts::Width;
use ikeru_reports::report::ReportAsked;

use super::run::TableWidth;
use super::run::summary::{self, Output};
use crate::folder;

/// The arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "Example: ikeru report results/reproduce-20260101-120000")]
pub struct Arguments {
    /// A run folder
    folder: PathBuf,
    /// Show only rows whose column has this value, on the pages and in the plots too; may be given several times
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    only: Vec<String>,
    /// Draw the files of the plots for a talk: larger text
    #[arg(long)]
    talk: bool,
    /// Draw the files of the plots for a column of a paper: narrow, without title
    #[arg(long, conflicts_with = "talk")]
    paper: bool,
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
    folder::check(&arguments.folder)?;
    let form = if arguments.json {
        Output::Json
    } else {
        Output::Answers
    };
    let only = match arguments.only.as_slice() {
        [] => None,
        only => Some((
            folder::read(&arguments.folder, only)?.selection,
            only.join(", "),
        )),
    };
    let size = match (arguments.talk, arguments.paper) {
        (true, _) => Width::Talk,
        (_, true) => Width::Narrow,
        _ => Width::Wide,
    };
    summary::print(
        &ikeru_book::report(&arguments.folder, ReportAsked { only, size })?,
        form,
        arguments.wide,
    )
}
