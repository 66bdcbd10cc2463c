//! `ikeru generate`: an instance from a seed, as a file.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use ikeru_reports::whole;

use crate::{input, output, registry};

/// The arguments of `generate`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ikeru generate reach.spanning-grid --seed 7 --set width=30 --set height=30 -o map.csv\n\n\
    `ikeru list generators --verbose` tells all generators with their parameters."
)]
pub struct Arguments {
    /// The generator, such as reach.spanning-grid
    generator: String,
    /// A seed means the same instance for ever
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// A parameter of the generator; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Where to write it instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Generates and writes.
///
/// # Errors
/// An unknown generator or parameter, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (problem, generator) = registry::generator(&arguments.generator)?;
    let parameters = input::parse_sets(&arguments.set)?;
    let instance = problem.generate(generator.name, &parameters, arguments.seed)?;
    let text = instance.text();
    match &arguments.output {
        Some(path) => whole::write(path, text)
            .with_context(|| format!("{}: cannot write to it", path.display()))?,
        None => output::print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}
