//! `ikeru export`: a run folder as LaTeX, or prepared for reviewers.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgGroup, Args};
use ikeru_bench_data::builtin;
use ikeru_reports::Rows;
use ikeru_reports::paper::{self, CitedWork};

use crate::campaign::carried;
use crate::{output, registry};

/// The arguments of `export`.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("form").required(true).multiple(true).args(["latex", "artifact"])),
    after_help = "Example: ikeru export results/reproduce-20260101-120000 --latex\n\n\
    --latex writes DIR/paper: macros.tex (a macro per published figure, with its interval), figures.tex and tables/\n\
    (booktabs, longtable), data/ (a CSV per series, for pgfplots), variants.bib; article.tex is a short article from them.\n\
    --artifact writes claims.md and claims.csv (figure, command, expected minutes, verdict), smoke-test.sh and\n\
    CITATION.cff into DIR, and copies experiments from files into DIR/experiments with their instances and programs."
)]
pub struct Arguments {
    /// A run folder
    folder: PathBuf,
    /// Tables, figures and macros for LaTeX
    #[arg(long)]
    latex: bool,
    /// Claims with their commands and a smoke test, for reviewers
    #[arg(long)]
    artifact: bool,
}

/// Writes the files and names them.
///
/// # Errors
/// A folder without a run, or a failed write.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.latex {
        latex(&arguments.folder)?;
    }
    if arguments.artifact {
        let carried = carried::carry(&arguments.folder)?;
        for path in paper::artifact(&arguments.folder, &carried)? {
            output::print(&format!("{}\n", path.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn latex(folder: &Path) -> Result<()> {
    let rows = Rows::read(&folder.join("records.csv"))?;
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
            works.push(CitedWork::new(name, info.source, &sources));
        }
    }
    let written = paper::export(folder, &works)?;
    output::print(&format!("{}\n", written.display()))
}
