//! The subcommands. Each has a `pub struct Arguments` and a `pub fn run`, and two lines here.

mod completions;
mod generate;
mod list;
mod solve;

use std::process::ExitCode;

use clap::Subcommand;

/// What the person wants.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// One instance, one variant: answer, referee's verdict, time and counters
    Solve(solve::Arguments),
    /// Makes an instance from a seed
    Generate(generate::Arguments),
    /// What there is: problems, variants, generators or experiments
    List(list::Arguments),
    /// Completions for a shell
    Completions(completions::Arguments),
}

impl Command {
    /// Does it.
    ///
    /// # Errors
    /// The person's mistake, or that of a file or a disk.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Solve(arguments) => solve::run(arguments),
            Self::Generate(arguments) => generate::run(arguments),
            Self::List(arguments) => list::run(arguments),
            Self::Completions(arguments) => completions::run(arguments),
        }
    }
}
