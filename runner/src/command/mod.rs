//! The subcommands. Each has a `pub struct Arguments` and a `pub fn run`, and two lines here.

mod completions;
mod generate;
mod list;
mod report;
mod reproduce;
mod run;
mod solve;

use std::process::ExitCode;

use clap::Subcommand;

/// What the person wants.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The articles' experiments, quick scale by default; ends by naming the page
    Reproduce(reproduce::Arguments),
    /// One experiment, built in or from a file
    Run(run::Arguments),
    /// One instance, one variant: answer, referee's verdict, time and counters
    Solve(solve::Arguments),
    /// Makes an instance from a seed
    Generate(generate::Arguments),
    /// What there is: problems, variants, generators or experiments
    List(list::Arguments),
    /// Tables, plots and page again from a run folder
    Report(report::Arguments),
    /// Completions for a shell
    Completions(completions::Arguments),
    /// Takes the samples of one cell for `run --isolate`
    #[command(hide = true)]
    Worker,
}

impl Command {
    /// Does it.
    ///
    /// # Errors
    /// The person's mistake, or that of a file or a disk.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Reproduce(arguments) => reproduce::run(arguments),
            Self::Run(arguments) => run::run(arguments),
            Self::Solve(arguments) => solve::run(arguments),
            Self::Generate(arguments) => generate::run(arguments),
            Self::List(arguments) => list::run(arguments),
            Self::Report(arguments) => report::run(arguments),
            Self::Completions(arguments) => completions::run(arguments),
            Self::Worker => crate::execute::worker::run(),
        }
    }
}
