//! The subcommands. Each has a `pub struct Arguments` and a `pub fn run`, and three lines here.

mod ab;
mod artifact;
mod compare;
mod completions;
mod console;
mod divide;
mod doctor;
mod emit;
mod explain;
mod export;
mod generate;
mod hunt;
mod list;
mod merge;
mod rank;
mod report;
mod reproduce;
mod run;
mod scope;
mod shard;
mod solve;
mod status;
mod submit;
mod verify;

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
    /// Checks a certificate of optimality that `solve` wrote
    Verify(verify::Arguments),
    /// Makes an instance from a seed
    Generate(generate::Arguments),
    /// What there is: problems, variants, generators, experiments or columns
    List(list::Arguments),
    /// Tables, plots and page again from a run folder
    Report(report::Arguments),
    /// A run folder as LaTeX, data for pgfplots and BibTeX
    Export(export::Arguments),
    /// A run folder for reviewers: claims with commands, a smoke test, metadata
    Artifact(artifact::Arguments),
    /// How noisy this machine is, what comparisons find on it, how often to repeat
    Doctor(doctor::Arguments),
    /// Two runs or two variants of one: what became faster or slower; exit code 1 on a regression
    Compare(compare::Arguments),
    /// Two builds on the same cells in one session: counters first, then times until decided
    Ab(ab::Arguments),
    /// One line per variant over all instances of a run
    Rank(rank::Arguments),
    /// An experiment divided into shards, for a scheduler: commands, GNU parallel, Slurm, HTCondor, Kubernetes
    Emit(emit::Arguments),
    /// The same, submitted to Slurm as arrays
    Submit(submit::Arguments),
    /// How far the shards of such a campaign are
    Status(status::Arguments),
    /// One shard of such a campaign: what its tasks run
    Shard(shard::Arguments),
    /// Shards of one experiment as one run folder
    Merge(merge::Arguments),
    /// What each idea between two variants saves, by running every combination
    Explain(explain::Arguments),
    /// Instances on which one variant beats another the most, and the other way round
    Hunt(hunt::Arguments),
    /// What the answers of a run would take on consoles
    Console(console::Arguments),
    /// Completions for a shell
    Completions(completions::Arguments),
    /// Takes the samples of one cell for `run --isolate`
    #[command(hide = true)]
    Worker,
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// An input error, or a failed read or write.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Reproduce(arguments) => reproduce::run(arguments),
            Self::Run(arguments) => run::run(arguments),
            Self::Solve(arguments) => solve::run(arguments),
            Self::Verify(arguments) => verify::run(arguments),
            Self::Generate(arguments) => generate::run(arguments),
            Self::List(arguments) => list::run(arguments),
            Self::Report(arguments) => report::run(arguments),
            Self::Export(arguments) => export::run(arguments),
            Self::Artifact(arguments) => artifact::run(arguments),
            Self::Doctor(arguments) => doctor::run(arguments),
            Self::Compare(arguments) => compare::run(arguments),
            Self::Ab(arguments) => ab::run(arguments),
            Self::Rank(arguments) => rank::run(arguments),
            Self::Emit(arguments) => emit::run(arguments),
            Self::Submit(arguments) => submit::run(arguments),
            Self::Status(arguments) => status::run(arguments),
            Self::Shard(arguments) => shard::run(arguments),
            Self::Merge(arguments) => merge::run(arguments),
            Self::Explain(arguments) => explain::run(arguments),
            Self::Hunt(arguments) => hunt::run(arguments),
            Self::Console(arguments) => console::run(arguments),
            Self::Completions(arguments) => completions::run(arguments),
            Self::Worker => crate::execute::worker::run(),
        }
    }
}
