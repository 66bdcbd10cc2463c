//! `ikeru export`: a run folder as LaTeX.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ikeru_book::paper;

use super::run::summary;
use crate::output;

/// The arguments of `export`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: ikeru export results/reproduce-20260101-120000 --latex\n\n\
    --latex writes DIR/paper: macros.tex (a macro for each number), tables/ (booktabs, longtable), plots/ (tikz), \
    figures.tex (published figures); article.tex is a short article from them: pdflatex article, \
    twice, or lualatex article, as its first line says."
)]
pub struct Arguments {
    /// A run folder
    folder: PathBuf,
    /// Tables, figures and macros for LaTeX
    #[arg(long, required = true)]
    latex: bool,
}

/// Writes the files and names them.
///
/// # Errors
/// A folder without a run, or a failed write.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (article, report) = paper::export(&arguments.folder)?;
    let folder = article.parent().unwrap_or(&arguments.folder);
    output::print(&format!("{}\n", folder.display()))?;
    if !article.ends_with("article.tex") {
        let new = article.display();
        output::tell(&format!(
            "article.tex was edited and stays; the new one is {new}"
        ));
    }
    if std::fs::read_to_string(&article).is_ok_and(|text| text.starts_with("% lualatex")) {
        output::tell("it has letters that pdflatex leaves out: `lualatex article`, twice");
    }
    Ok(summary::warn(&report, summary::Output::Nothing))
}
