//! `ikeru completions`: a script that lets a shell complete the command line.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::{CommandLine, output};

/// What to write completions for.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ikeru completions bash > ~/.local/share/bash-completion/completions/ikeru"
)]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

/// Prints the script.
///
/// # Errors
/// When it cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut CommandLine::command(),
        "ikeru",
        &mut script,
    );
    output::print(&String::from_utf8(script)?)?;
    Ok(ExitCode::SUCCESS)
}
