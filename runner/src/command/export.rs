//! `ikeru export`: a run folder as LaTeX, data for pgfplots and BibTeX.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ikeru_bench_data::builtin;
use ikeru_reports::Rows;
use ikeru_reports::paper::{self, Work};

use crate::{output, registry};

/// What `export` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: ikeru export results/reproduce-20260101-120000 --latex\n\n\
    Writes DIR/paper: macros.tex (a macro per published figure, with its interval), figures.tex and tables/ \
    (booktabs, longtable), data/ (a CSV per series, for pgfplots), variants.bib; example.tex takes all of them in."
)]
pub struct Arguments {
    /// A run folder
    folder: PathBuf,
    /// As LaTeX; there is no other form yet
    #[arg(long, required = true)]
    latex: bool,
}

/// Writes the files.
///
/// # Errors
/// A folder without a run, or a failed write.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let rows = Rows::read(&arguments.folder.join("records.csv"))?;
    let sources = builtin::published()?;
    let mut works = Vec::new();
    for own in rows.group_by(&["problem", "variant"], &rows.all()) {
        let [problem, variant] = ["problem", "variant"].map(|column| rows.text(column, own[0]));
        // A variant of another program's problem has no source here.
        let Ok(known) = registry::problem(problem) else {
            continue;
        };
        if let Ok(info) = known.variant(variant) {
            let name = format!("{problem} {variant}");
            works.push(Work::new(name, &info.source.to_string(), &sources));
        }
    }
    let folder = paper::export(&arguments.folder, &works)?;
    output::print(&format!("{}\n", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
