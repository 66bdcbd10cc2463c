//! `ikeru submit`: an experiment divided into shards, submitted to the cluster's scheduler.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use super::divide::{self, Division, Planned};
use crate::cluster::accounting::{self, Room};
use crate::cluster::folder::{About, Job};
use crate::cluster::forms::Form;
use crate::cluster::{Divided, forms, slurm, status};
use crate::output::{self, quoted};

/// What `submit` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A job merges the shards at the end, whatever came of them. `ikeru status DIR` tells how far they are. What stands behind
`--` goes to sbatch, for the shards and for the merge.

Example:
  ikeru submit slurm movingai --task-time 20m -o /shared/movingai -- --partition=long --time=1:00:00
  ikeru submit slurm --resume -o /shared/movingai -- --partition=long --time=1:00:00")]
pub struct Arguments {
    /// To which scheduler
    #[arg(value_name = "SCHEDULER")]
    scheduler: Scheduler,
    #[command(flatten)]
    planned: Planned,
    #[command(flatten)]
    division: Division,
    /// The new folder, on a file system that all nodes share
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Goes on with the campaign in --out: only shards that are not done and not in the queue
    #[arg(long)]
    resume: bool,
    /// Only says what would be submitted
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
/// An input error, Slurm's commands are missing, or what they say.
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
    let configuration = slurm::configuration()?;
    let limits = slurm::Limits::read(&configuration);
    let room = accounting::room(&configuration, &arguments.flags);
    let is_new = !(arguments.resume && Divided::is_at(&arguments.out));
    let divided = if is_new {
        let check = |about: &About, root: &Path| {
            limits.check(about.shards as usize)?;
            fitting(about.shards as usize, room.as_ref())?;
            forms::check(about, root, Form::Slurm)
        };
        let divided = divide::create(
            &arguments.planned,
            &arguments.division,
            &arguments.out,
            &check,
        )?;
        output::print(&divide::told(&divided))?;
        divided
    } else {
        let divided = Divided::read(&arguments.out)?;
        divide::check_same(&arguments.planned, &divided)?;
        forms::check(&divided.about, &divided.root, Form::Slurm)?;
        divided
    };
    let progress = status::progress(&divided, Some(&slurm::queue()?))?;
    let shards = status::missing(&progress);
    if shards.is_empty() {
        output::print("nothing is missing: every shard is done or in the queue\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    let (now, why) = fitting(shards.len(), room.as_ref())?;
    if let Some(room) = why {
        output::print(&format!(
            "{room}: {now} of {} shards and the merge now; for the rest: ikeru submit slurm --resume -o {}\n",
            shards.len(),
            divided.quoted_root()
        ))?;
    }
    let shards = &shards[..now];
    limits.check(now)?;
    let script = divided.write("shard.sh", &forms::slurm_shard(&divided))?;
    let merge = divided.write("merge-job.sh", &forms::slurm_merge(&divided))?;
    let mut jobs: Vec<String> = Vec::new();
    for array in slurm::arrays(shards, limits.array) {
        let mut line = vec![format!("--array={}", array.tasks)];
        line.extend(arguments.flags.iter().cloned());
        line.extend([
            script.to_string_lossy().into_owned(),
            array.first.to_string(),
        ]);
        if arguments.dry_run {
            told(&line)?;
            jobs.push(format!("JOB{}", jobs.len() + 1));
            continue;
        }
        let job = slurm::submit(&line).with_context(|| partly(&jobs, &divided))?;
        divided.note_job(Job {
            job,
            first: array.first,
        })?;
        jobs.push(job.to_string());
    }
    // Shards that are in the queue from before end before the merge too.
    let before = divided.jobs()?.into_iter().map(|job| job.job.to_string());
    let mut after: Vec<String> = before.filter(|job| !jobs.contains(job)).collect();
    after.extend(jobs.iter().cloned());
    let mut line = vec![format!("--dependency=afterany:{}", after.join(":"))];
    line.extend(arguments.flags.iter().cloned());
    line.push(merge.to_string_lossy().into_owned());
    if arguments.dry_run {
        told(&line)?;
        if is_new {
            std::fs::remove_file(divided.root.join("campaign.toml"))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let merge = slurm::submit(&line).with_context(|| partly(&jobs, &divided))?;
    output::print(&format!(
        "submitted: {} shards as {}, the merge as {merge}\nikeru status {}\n",
        shards.len(),
        jobs.join(" and "),
        divided.quoted_root()
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// How many of so many shards may be submitted with the merge; and the limit, if not all.
///
/// # Errors
/// There is room for none.
fn fitting(shards: usize, room: Option<&Room>) -> Result<(usize, Option<&Room>)> {
    let Some(room) = room.filter(|room| room.jobs() <= shards) else {
        return Ok((shards, None));
    };
    match room.jobs() {
        0 | 1 => bail!("{room}: no room for a shard and the merge"),
        jobs => Ok((jobs - 1, Some(room))),
    }
}

/// What an error in the middle leaves.
fn partly(jobs: &[String], divided: &Divided) -> String {
    let root = divided.quoted_root();
    match jobs {
        [] => format!("nothing is submitted; to go on: ikeru submit slurm --resume -o {root}"),
        _ => format!(
            "submitted are {}; for the rest: ikeru submit slurm --resume -o {root}",
            jobs.join(" and ")
        ),
    }
}

/// Prints a call of `sbatch`.
fn told(line: &[String]) -> Result<()> {
    let words: Vec<String> = line.iter().map(|word| quoted(word)).collect();
    output::print(&format!("sbatch --parsable {}\n", words.join(" ")))
}
