//! `ikeru cluster`: one experiment on several machines, under a scheduler.

mod divide;
mod emit;
mod merge;
mod shard;
mod status;
mod submit;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::system::HERE;

/// The arguments of `cluster`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    step: ClusterStep,
}

/// The steps of a campaign on a cluster.
#[derive(Debug, Subcommand)]
enum ClusterStep {
    /// Divide an experiment into shards and write scripts: commands, GNU parallel or Slurm
    Emit(emit::Arguments),
    /// Divide an experiment into shards and submit them to Slurm as arrays
    Submit(submit::Arguments),
    /// Show how far the shards are
    Status(status::Arguments),
    /// Run or resume one shard: the command of each task
    Shard(shard::Arguments),
    /// Join shards, or run folders of one experiment, into one run folder
    Merge(merge::Arguments),
}

/// Runs the step.
///
/// # Errors
/// An input error, a scheduler that refuses, or a failed read or write.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    if !matches!(arguments.step, ClusterStep::Merge(_)) {
        HERE.check_groups("a cluster's shard")?;
    }
    match &arguments.step {
        ClusterStep::Emit(arguments) => emit::run(arguments),
        ClusterStep::Submit(arguments) => submit::run(arguments),
        ClusterStep::Status(arguments) => status::run(arguments),
        ClusterStep::Shard(arguments) => shard::run(arguments),
        ClusterStep::Merge(arguments) => merge::run(arguments),
    }
}
