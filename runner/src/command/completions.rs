//! `ikeru completions`: a script by which a shell completes subcommands and flags.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::{CommandLine, output};

/// The arguments of `completions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: ikeru completions bash > ~/.local/share/bash-completion/completions/ikeru"
)]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

/// Prints the script.
///
/// # Errors
/// When standard output is closed.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (mut script, mut command) = (Vec::new(), CommandLine::command());
    clap_complete::generate(arguments.shell, &mut command, "ikeru", &mut script);
    output::print(&String::from_utf8(script)?)?;
    Ok(ExitCode::SUCCESS)
}
