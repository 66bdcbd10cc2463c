//! `ikeru merge`: shards of one experiment as one run folder.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::{folder, output};

/// What `merge` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: one experiment on two machines, half of its instances each
  ikeru run movingai --instance room --out results/shard-1
  ikeru run movingai --instance maze --out results/shard-2
  ikeru merge results/shard-1 results/shard-2 -o results/movingai
  ikeru report results/movingai")]
pub struct Arguments {
    /// Run folders of one experiment, with the same --set, --seed and scale
    #[arg(required = true, num_args = 1.., value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The new run folder; it must not exist
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Merges shards of different machines, and says so
    #[arg(long)]
    force: bool,
}

/// Merges.
///
/// # Errors
/// Folders that are not shards of one experiment, two different samples with one identity, an output that exists.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let command = output::command_line();
    let spinner = folder::waiting("merging".to_owned());
    let merged = ikeru_reports::merge::merge(
        &arguments.folders,
        &arguments.out,
        &command,
        arguments.force,
    )?;
    spinner.finish_and_clear();
    output::print(&format!(
        "{}: {} samples ({} stood twice)\n",
        arguments.out.display(),
        merged.samples,
        merged.repeated
    ))?;
    Ok(ExitCode::SUCCESS)
}
