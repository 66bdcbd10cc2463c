//! `ikeru cluster submit`: an experiment divided into shards, submitted to Slurm.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use ikeru_cluster::folder::{About, SubmittedArray};
use ikeru_cluster::forms;
use ikeru_cluster::{Divided, slurm, status};
use ikeru_core::shell_quoted as quoted;

use super::divide::{self, Divisible, Division};
use crate::output;

/// The arguments of `cluster submit`.
#[derive(Debug, Args)]
#[command(after_help = "\
A last job merges the shards, however they ended. `ikeru cluster status DIR` shows how far they are. Flags after `--` \
go to sbatch, for the shards and for the merge. Where the scheduler limits the jobs of a user, --most submits a part.

Example:
  ikeru cluster submit slurm movingai --task-time 20m -o /shared/movingai -- --partition=long --time=1:00:00
  ikeru cluster submit slurm --resume -o /shared/movingai -- --partition=long --time=1:00:00")]
pub struct Arguments {
    /// The scheduler
    #[arg(value_name = "SCHEDULER")]
    scheduler: Scheduler,
    #[command(flatten)]
    divisible: Divisible,
    #[command(flatten)]
    division: Division,
    /// The new folder, on a file system that all nodes share
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Resume the campaign in --out: submit the shards that are neither done nor queued
    #[arg(long)]
    resume: bool,
    /// Submit at most N shards now
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    most: Option<u32>,
    /// Print what would be submitted
    #[arg(long)]
    dry_run: bool,
    /// Flags of sbatch
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

/// A scheduler that takes jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scheduler {
    /// Slurm's arrays
    Slurm,
}

/// Divides and submits, or submits what is missing.
///
/// # Errors
/// An input error, missing commands of Slurm, or their error.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Scheduler::Slurm = arguments.scheduler;
    let refused = |flag: &&String| {
        flag.starts_with("--array") || flag.starts_with("-a") || flag.starts_with("--dependency")
    };
    if let Some(flag) = arguments.flags.iter().find(refused) {
        bail!(
            "{flag}: the shards are the array, and the merge waits for them; --tasks or --task-time divides"
        );
    }
    let limits = slurm::Limits::read(&slurm::configuration()?);
    let is_new = !(arguments.resume && Divided::is_at(&arguments.out));
    let divided = match is_new {
        true => arguments.divide(limits)?,
        false => divide::read(&arguments.out)?,
    };
    if !is_new {
        divide::check_same(&arguments.divisible, &divided)?;
        forms::check_slurm(&divided.about, &divided.root)?;
    }
    let progress = status::progress(&divided, Some(&slurm::queue()?), |_| true)?;
    let mut shards = status::missing(&progress);
    if shards.is_empty() {
        output::print("nothing is missing: every shard is done or in the queue\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    let all = shards.len();
    shards.truncate(arguments.most.map_or(all, |most| most as usize));
    limits.check(shards.len())?;
    let jobs = arguments.submit_arrays(&divided, &shards, limits)?;
    let Some(merge) = arguments.submit_merge(&divided, &jobs)? else {
        if is_new {
            std::fs::remove_file(divided.root.join("campaign.toml"))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let root = divided.quoted_root();
    let rest = match all - shards.len() {
        0 => String::new(),
        rest => format!("{rest} shards are left: ikeru cluster submit slurm --resume -o {root}\n"),
    };
    let (count, jobs) = (shards.len(), jobs.join(" and "));
    output::print(&format!(
        "submitted: {count} shards as {jobs}, the merge as {merge}\n{rest}ikeru cluster status {root}\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn divide(&self, limits: slurm::Limits) -> Result<Divided> {
        let check = |about: &About, root: &Path| {
            limits.check(about.shards as usize)?;
            forms::check_slurm(about, root)
        };
        let divided = divide::create(&self.divisible, &self.division, &self.out, &check)?;
        output::print(&divide::summary(&divided))?;
        Ok(divided)
    }

    /// Submits the shards, and returns the numbers of their jobs.
    fn submit_arrays(
        &self,
        divided: &Divided,
        shards: &[u32],
        limits: slurm::Limits,
    ) -> Result<Vec<String>> {
        let script = divided.write("shard.sh", &forms::slurm_shard(divided))?;
        let mut jobs: Vec<String> = Vec::new();
        for array in slurm::arrays(shards, limits.array) {
            let mut line = vec![format!("--array={}", array.tasks)];
            line.extend(self.flags.iter().cloned());
            line.push(script.to_string_lossy().into_owned());
            line.push(array.first.to_string());
            if self.dry_run {
                print_call(&line)?;
                jobs.push(format!("JOB{}", jobs.len() + 1));
                continue;
            }
            let job = slurm::submit(&line).with_context(|| submitted_so_far(&jobs, divided))?;
            let first = array.first;
            divided.note_job(SubmittedArray { job, first })?;
            jobs.push(job.to_string());
        }
        Ok(jobs)
    }

    /// Submits the merge after all jobs of the campaign; `None` in a dry run.
    fn submit_merge(&self, divided: &Divided, jobs: &[String]) -> Result<Option<u64>> {
        let merge = divided.write("merge-job.sh", &forms::slurm_merge(divided))?;
        // The merge waits for shards of earlier submissions too.
        let before = divided.jobs()?.into_iter().map(|job| job.job.to_string());
        let mut after: Vec<String> = before.filter(|job| !jobs.contains(job)).collect();
        after.extend(jobs.iter().cloned());
        let mut line = vec![format!("--dependency=afterany:{}", after.join(":"))];
        line.extend(self.flags.iter().cloned());
        line.push(merge.to_string_lossy().into_owned());
        if self.dry_run {
            print_call(&line)?;
            return Ok(None);
        }
        let job = slurm::submit(&line).with_context(|| submitted_so_far(jobs, divided))?;
        Ok(Some(job))
    }
}

/// The text about the jobs that were submitted before an error.
fn submitted_so_far(jobs: &[String], divided: &Divided) -> String {
    let root = divided.quoted_root();
    match jobs {
        [] => format!(
            "nothing is submitted; to resume: ikeru cluster submit slurm --resume -o {root}, with --most N if a limit refused it"
        ),
        _ => format!(
            "submitted are {}; for the rest: ikeru cluster submit slurm --resume -o {root}",
            jobs.join(" and ")
        ),
    }
}

/// Prints a call of `sbatch`.
fn print_call(line: &[String]) -> Result<()> {
    let words: Vec<String> = line.iter().map(|word| quoted(word)).collect();
    output::print(&format!("sbatch --parsable {}\n", words.join(" ")))
}
