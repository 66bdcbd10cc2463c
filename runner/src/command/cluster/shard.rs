//! `ikeru cluster shard`: one shard of a divided campaign, begun or resumed.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use ikeru_cluster::slurm;

use super::divide::{self, Planned};
use crate::campaign::{Campaign, CampaignOptions, SessionOptions, Unfinished};
use crate::command::scope;
use crate::plan::QuestionPart;
use crate::{cores, machine, output};

/// The arguments of `shard`.
#[derive(Debug, Args)]
#[command(after_help = "\
The same command resumes a shard that was interrupted (exit code 75). In a Slurm job it also requeues its task.

Example:
  ikeru cluster emit ikerukana-table --as commands --tasks 4 -o results/four
  ikeru cluster shard results/four 1")]
pub struct Arguments {
    /// The folder of a divided campaign
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The number of the shard, from 1
    #[arg(value_name = "N")]
    shard: u32,
}

/// Takes the samples of the shard that are missing.
///
/// # Errors
/// A folder without a campaign, a campaign that changed since it was divided, or an interruption.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let divided = divide::read(&arguments.folder)?;
    let questions = divided.questions(arguments.shard)?;
    let about = &divided.about;
    let planned = Planned::of(&divided)?;
    let place = machine::place();
    let is_in_slurm = std::env::var_os("SLURM_JOB_ID").is_some();
    // Slurm's commands name a task so.
    let task = match place.task.as_str() {
        "" => place.job.clone(),
        task => format!("{}_{task}", place.job),
    };
    let mut doubts = Vec::new();
    if about.isolated && is_in_slurm {
        match slurm::check_exclusive(&task).and_then(|()| cores::check_pinning()) {
            Err(error) if about.share_nodes => {
                doubts.push(format!("times on a shared node: {error:#}"));
            }
            checked => checked?,
        }
    }
    let sources = planned.sources()?;
    let session = SessionOptions {
        again: scope::again(&sources, &planned.words),
        out: Some(divided.shard_folder(arguments.shard)),
        resume: true,
        // A requeued task may run on another machine; its rows and the report record this.
        force: true,
        // The program of the task's last start may not have ended, or a file server may hold its lock.
        patience: Duration::from_secs(180),
        give_up_after: Some(about.give_up_after),
        doubts,
        quiet: true,
        ..SessionOptions::default()
    };
    let mut options = CampaignOptions {
        session,
        ..planned.options
    };
    options.choice.part = Some(QuestionPart::Listed(questions));
    let campaign = Campaign::new(&about.name, sources, options)?;
    divided.check(&campaign.plan.asked)?;
    match campaign.run() {
        Err(error) if error.is::<Unfinished>() && is_in_slurm => {
            match slurm::requeue(&task) {
                Ok(true) => output::tell(&format!("{task} is in the queue again")),
                Ok(false) => {}
                Err(why) => {
                    output::tell(&format!("{task} is not put into the queue again: {why:#}"));
                }
            }
            Err(error)
        }
        ended => ended.map(|_| ExitCode::SUCCESS),
    }
}
