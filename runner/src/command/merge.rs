//! `ikeru merge`: shards of one experiment as one run folder.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ikeru_reports::merge::{MergeTerms, merge};
use ikeru_reports::run_file::RunFile;

use crate::bests::ScoredExperiment;
use crate::campaign::ExperimentSource;
use crate::{folder, output};

/// The arguments of `merge`.
#[derive(Debug, Args)]
#[command(after_help = "\
Missing samples are listed on standard error; the exit code is then 75.

Example:
  ikeru run movingai --shard 1/2 -o results/shards/1
  ikeru run movingai --shard 2/2 -o results/shards/2
  ikeru merge results/shards/* -o results/movingai
  ikeru report results/movingai")]
pub struct Arguments {
    /// Run folders of one experiment and program, with the same --set, --seed and scale, that share no sample
    #[arg(required = true, num_args = 1.., value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The new run folder; it must not exist
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Merges shards of different machines or builds of this program, and says so
    #[arg(long)]
    force: bool,
}

/// Merges.
///
/// # Errors
/// Folders that are not shards of one run, a sample in two of them, an output that exists.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (folders, out) = (&arguments.folders, &arguments.out);
    let terms = MergeTerms {
        command: output::command_line(),
        force: arguments.force,
    };
    let spinner = folder::waiting("merging".to_owned());
    let samples = merge(folders, out, &terms)?;
    let run = RunFile::read(out)?;
    update_ledgers(&run, out)?;
    spinner.finish_and_clear();
    let next = output::quoted(&out.to_string_lossy());
    output::print(&format!(
        "{}: {samples} samples\nnext: ikeru report {next}\n",
        out.display()
    ))?;
    (run.missing.iter()).for_each(|line| output::tell(&format!("unfinished: {line}")));
    Ok(match run.missing.as_slice() {
        [] => ExitCode::SUCCESS,
        _ => output::UNFINISHED.into(),
    })
}

/// Adds the better scores of a merged run to the ledgers of its experiments, if their folders are on this machine.
fn update_ledgers(run: &RunFile, out: &Path) -> Result<()> {
    for ran in &run.experiments {
        let Some(folder) = run.folders.get(&ran.name).filter(|it| it.is_dir()) else {
            continue;
        };
        let source = ExperimentSource {
            experiment: ran.read()?,
            folder: folder.clone(),
            file: None,
        };
        if let Some(scored) = ScoredExperiment::of(&source) {
            scored.update(out)?;
        }
    }
    Ok(())
}
