//! `ikeru cluster status`: the progress of the shards of a divided campaign.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ikeru_cluster::status::{ShardProgress, ShardState, left, missing, progress};
use ikeru_cluster::{Divided, slurm};
use ikeru_reports::row;
use ikeru_reports::table::Table;
use ikeru_reports::units;
use serde_json::json;

use crate::output;

/// The arguments of `status`.
#[derive(Debug, Args)]
#[command(after_help = "\
The journals of the shards are the truth; Slurm's queue is a hint. `open`: neither done nor known to be queued.

Example: ikeru cluster status results/four")]
pub struct Arguments {
    /// The folder of a divided campaign
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// One JSON object in place of the table: every shard with its state and samples
    #[arg(long)]
    json: bool,
}

/// Prints the progress of the shards.
///
/// # Errors
/// A folder without a campaign, or a file in it that is wrong.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let divided = Divided::read(&arguments.folder)?;
    let is_submitted = !divided.jobs()?.is_empty();
    let queue = slurm::queue();
    if let (Err(error), true) = (&queue, is_submitted) {
        output::warn(&format!("{error:#}; the journals alone are read"));
    }
    let shards = progress(&divided, queue.ok().as_deref(), |_| true)?;
    output::print(&match arguments.json {
        true => json(&shards),
        false => text(&divided, &shards, is_submitted),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn json(shards: &[ShardProgress]) -> String {
    let one = |one: &ShardProgress| {
        json!({
            "shard": one.shard,
            "state": one.state.name(),
            "done": one.done,
            "samples": one.samples,
            "expected_seconds": one.expected.as_secs_f64(),
        })
    };
    let object = json!({
        "shards": shards.iter().map(one).collect::<Vec<_>>(),
        "seconds_left": left(shards).map(|left| left.as_secs_f64()),
    });
    format!("{object}\n")
}

/// A line for each state, all together, and what to do.
fn text(divided: &Divided, shards: &[ShardProgress], is_submitted: bool) -> String {
    let mut table = Table::new("", "state | shards | samples | of | numbers");
    let line = |word: &str, own: &[&ShardProgress], numbers: String| {
        let done: u64 = own.iter().map(|one| one.done).sum();
        let samples: u64 = own.iter().map(|one| one.samples).sum();
        row![word, own.len(), done as usize, samples as usize, numbers]
    };
    for state in ShardState::ALL {
        let own: Vec<&ShardProgress> = shards.iter().filter(|one| one.state == state).collect();
        if !own.is_empty() {
            table.rows.push(line(state.name(), &own, numbers(&own)));
        }
    }
    let all: Vec<&ShardProgress> = shards.iter().collect();
    table.rows.push(line("together", &all, String::new()));
    let mut text = table.lines();
    if let Some(left) = left(shards) {
        text += &format!("about {} left\n", units::about(left.as_nanos() as f64));
    }
    let root = divided.quoted_root();
    let is_over = |one: &ShardProgress| matches!(one.state, ShardState::Done | ShardState::GivenUp);
    if shards.iter().all(is_over) {
        text += &match divided.merged().exists() {
            true => format!("{}\n", divided.merged().join("index.html").display()),
            false => format!("to merge: ikeru cluster merge {root}\n"),
        };
    } else if is_submitted && !missing(shards).is_empty() {
        text += &format!("to resume: ikeru cluster submit slurm --resume -o {root}\n");
    }
    text
}

/// The numbers of the first shards.
fn numbers(own: &[&ShardProgress]) -> String {
    const MOST: usize = 12;
    let first = own.iter().take(MOST);
    let words: Vec<String> = first.map(|one| one.shard.to_string()).collect();
    words.join(" ") + if own.len() > MOST { " …" } else { "" }
}
