//! `ikeru cluster merge`: shards of one experiment as one run folder.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use ikeru_cluster::status::{self, ShardProgress};
use ikeru_cluster::{Divided, slurm};
use ikeru_reports::decisions;
use ikeru_reports::merge::{MergeTerms, Merged};
use ikeru_reports::run_file::RunFile;

use super::divide;
use crate::bests::ScoredExperiment;
use crate::campaign::ExperimentSource;
use crate::campaign::lock::Lock;
use crate::command::run;
use crate::{folder, output};

/// The arguments of `merge`.
#[derive(Debug, Args)]
#[command(after_help = "\
The folder of a divided campaign is merged into its folder `merged`, with its page. Missing samples are listed on \
standard error and on the page; the exit code is then 75.

Example: one experiment on two machines, half of its instances each
  ikeru run movingai --instance room --out results/shard-1
  ikeru run movingai --instance maze --out results/shard-2
  ikeru cluster merge results/shard-1 results/shard-2 -o results/movingai
  ikeru report results/movingai")]
pub struct Arguments {
    /// Run folders of one experiment, with the same --set, --seed and scale; or one folder of a divided campaign
    #[arg(required = true, num_args = 1.., value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The new run folder; it must not exist [default for a divided campaign: its folder `merged`]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Merges shards of different machines, and says so
    #[arg(long)]
    force: bool,
}

/// Merges.
///
/// # Errors
/// Folders that are not shards of one experiment, two different samples with one identity, an output that exists.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let [folder] = arguments.folders.as_slice()
        && Divided::is_at(folder)
    {
        return divided(&divide::read(folder)?, arguments.out.as_deref());
    }
    let Some(out) = &arguments.out else {
        bail!("merge: missing `-o DIR` for the new run folder");
    };
    let terms = MergeTerms {
        command: output::command_line(),
        force: arguments.force,
        missing: others_of_campaign(&arguments.folders)?,
    };
    let merged = merged(&arguments.folders, out, &terms)?;
    summarize(out, merged)?;
    let missing = RunFile::read(out)?.missing;
    (missing.iter()).for_each(|line| output::tell(&format!("unfinished: {line}")));
    Ok(match missing.as_slice() {
        [] => ExitCode::SUCCESS,
        _ => output::UNFINISHED.into(),
    })
}

/// A line for each shard of a divided campaign that is not among `folders`, or lacks samples, if these are folders of its
/// shards.
fn others_of_campaign(folders: &[PathBuf]) -> Result<Vec<String>> {
    let whole = |folder: &PathBuf| folder.canonicalize().ok();
    let folders: Vec<PathBuf> = folders.iter().filter_map(whole).collect();
    let root = folders.first().and_then(|first| first.parent()?.parent());
    let Some(root) = root.filter(|root| Divided::is_at(root)) else {
        return Ok(Vec::new());
    };
    let divided = Divided::read(root)?;
    let place = |shard: u32| whole(&divided.shard_folder(shard));
    let is_merged = |shard: u32| place(shard).is_some_and(|place| folders.contains(&place));
    let merged = status::progress(&divided, None, is_merged)?;
    if merged.len() != folders.len() {
        return Ok(Vec::new());
    }
    let of = divided.shards().count();
    let others = divided.shards().filter(|(shard, _)| !is_merged(*shard));
    let others = others.map(|(shard, _)| format!("shard {shard} of {of} was not merged"));
    Ok(merged.iter().filter_map(lacking).chain(others).collect())
}

/// What a shard lacks, in words; `None` if it has all samples.
fn lacking(one: &ShardProgress) -> Option<String> {
    let (shard, state, of) = (one.shard, one.state.name(), one.samples);
    (one.done < of).then(|| format!("shard {shard} is {state}: {} of {of} samples", one.done))
}

/// Moves files that only the earlier merge has into the new one: users put other files there.
fn keep_others(old: &Path, new: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(old)? {
        let entry = entry?;
        let to = new.join(entry.file_name());
        if !to.exists() {
            std::fs::rename(entry.path(), to)?;
        } else if entry.file_type()?.is_dir() && to.is_dir() {
            keep_others(&entry.path(), &to)?;
        }
    }
    Ok(())
}

fn merged(folders: &[PathBuf], out: &Path, terms: &MergeTerms) -> Result<Merged> {
    let spinner = folder::waiting("merging".to_owned());
    let merged = ikeru_reports::merge::merge(folders, out, terms)?;
    update_ledgers(out)?;
    // Samples were taken until they were decided: no other interval of the merged run holds.
    if folders
        .iter()
        .any(|shard| shard.join(decisions::FILE).exists())
    {
        let (_, experiments, rows) = ikeru_reports::report::read(out)?;
        let comparisons = decisions::comparisons(&rows, &experiments);
        decisions::write(&out.join(decisions::FILE), &comparisons)?;
    }
    spinner.finish_and_clear();
    Ok(merged)
}

/// Adds the better scores of a merged run to the ledgers of its experiments, if their folders are on this machine.
fn update_ledgers(out: &Path) -> Result<()> {
    let run = RunFile::read(out)?;
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

fn summarize(out: &Path, merged: Merged) -> Result<()> {
    let (place, samples) = (out.display(), merged.samples);
    let repeated = match merged.repeated {
        0 => String::new(),
        twice => format!(" ({twice} stood twice)"),
    };
    let next = ikeru_core::shell_quoted(&out.to_string_lossy());
    output::print(&format!(
        "{place}: {samples} samples{repeated}\nnext: ikeru report {next}\n"
    ))
}

/// Merges the existing samples of a divided campaign, and writes its page. An earlier merge of the campaign is
/// replaced.
fn divided(divided: &Divided, out: Option<&Path>) -> Result<ExitCode> {
    let shards = status::progress(divided, slurm::queue().ok().as_deref(), |_| true)?;
    let begun = shards.iter().filter(|one| one.done > 0);
    let folders: Vec<PathBuf> = begun.map(|one| divided.shard_folder(one.shard)).collect();
    if folders.is_empty() {
        bail!("{}: no shard has a sample yet", divided.root.display());
    }
    let missing: Vec<String> = shards.iter().filter_map(lacking).collect();
    for line in &missing {
        output::warn(line);
    }
    let terms = MergeTerms {
        command: output::command_line(),
        // Shards ran where the scheduler put them; the report names the machines.
        force: true,
        missing,
    };
    let place = divided.merged();
    let out = out.unwrap_or(&place);
    // The merge of an earlier submission may be at work.
    let _lock = Lock::take(&divided.root, Duration::from_secs(600))?;
    let old = divided.root.join(".merged-before");
    let is_replaced = out == place && place.exists();
    if is_replaced {
        // Removes the folder that a killed merge left.
        let _ = std::fs::remove_dir_all(&old);
        std::fs::rename(&place, &old).with_context(|| place.display().to_string())?;
    }
    let result = merged(&folders, out, &terms);
    if is_replaced && result.is_err() {
        // The earlier merge is restored if the new one failed.
        let _ = std::fs::rename(&old, &place);
    }
    summarize(out, result?)?;
    let code = run::summary::report(out, run::TableWidth::default())?;
    if is_replaced {
        keep_others(&old, &place).with_context(|| old.display().to_string())?;
        let _ = std::fs::remove_dir_all(&old);
    }
    Ok(code)
}
