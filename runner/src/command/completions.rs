//! `ikeru completions`: a script by which a shell completes subcommands and flags; or the manual pages, from the same
//! description of the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::{CommandLine, output};

/// The arguments of `completions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ikeru completions bash > ~/.local/share/bash-completion/completions/ikeru\n  \
        ikeru completions --man ~/.local/share/man/man1"
)]
pub struct Arguments {
    /// The shell
    #[arg(required_unless_present = "man")]
    shell: Option<Shell>,
    /// Write manual pages into this folder instead: ikeru.1, and one for each subcommand
    #[arg(long, value_name = "DIR", conflicts_with = "shell")]
    man: Option<PathBuf>,
}

/// Prints the script, or writes the manual pages.
///
/// # Errors
/// When they cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(folder) = &arguments.man {
        let unwritten = || format!("{}: cannot be written", folder.display());
        std::fs::create_dir_all(folder).with_context(unwritten)?;
        clap_mangen::generate_to(CommandLine::command(), folder).with_context(unwritten)?;
    }
    if let Some(shell) = arguments.shell {
        let mut script = Vec::new();
        let mut command = CommandLine::command();
        clap_complete::generate(shell, &mut command, "ikeru", &mut script);
        output::print(&String::from_utf8(script)?)?;
    }
    Ok(ExitCode::SUCCESS)
}
