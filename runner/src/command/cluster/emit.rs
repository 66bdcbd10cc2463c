//! `ikeru cluster emit`: an experiment divided into shards, written for a launcher.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ikeru_cluster::forms::{self, Launcher};
use ikeru_core::shell_quoted as quoted;

use super::divide::{self, Divisible, Division};
use crate::output;

/// The arguments of `emit`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each form runs `ikeru cluster shard DIR N` for every shard and `ikeru cluster merge DIR` at the end.
`ikeru cluster status DIR` shows how far they are.

Example: four shards by GNU parallel, two at a time
  ikeru cluster emit ikerukana-table --mode contended --jobs 1 --as parallel --tasks 4 -o results/four
  JOBS=2 sh results/four/parallel.sh")]
pub struct Arguments {
    #[command(flatten)]
    divisible: Divisible,
    /// Target launcher; `cluster submit` is for Slurm
    #[arg(long = "as", value_name = "FORM")]
    form: Launcher,
    #[command(flatten)]
    division: Division,
    /// The new folder
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Divides and writes.
///
/// # Errors
/// An input error, a path that no script can hold, or a folder that holds a campaign.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (divisible, division) = (&arguments.divisible, &arguments.division);
    let divided = divide::create(divisible, division, &arguments.out, &forms::check)?;
    let files = forms::files(&divided, arguments.form);
    let paths = files.iter().map(|(name, text)| divided.write(name, text));
    let paths: Vec<PathBuf> = paths.collect::<Result<_>>()?;
    let first = paths.first().map(|path| quoted(&path.to_string_lossy()));
    output::print(&(divide::summary(&divided) + &format!("sh {}\n", first.unwrap_or_default())))?;
    Ok(ExitCode::SUCCESS)
}
