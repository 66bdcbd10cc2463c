//! The command line of ikeru.
//!
//! Exit codes: 0 fine, 1 a regression was found, 2 usage or input, 3 a wrong answer was found.
//!
//! | module | owns |
//! |---|---|
//! | [`command`] | the subcommands, one file each |
//! | [`plan`] | from experiments to cells |
//! | [`schedule`] | in which order samples are taken, and by whom |
//! | [`execute`] | how one sample is taken |
//! | [`journal`] | `records.csv`, appended and taken up again |
//! | [`progress`] | what a person sees meanwhile |
//! | [`machine`] | what the machine is, for `run.toml` |
//! | [`folder`] | run folders as a person names them |
//! | [`input`] | instances and settings as a person gives them |
//! | [`output`] | what goes to standard output, and exit codes |
//! | [`registry`] | every problem, one line each |
#![forbid(unsafe_code)]

mod command;
mod execute;
mod folder;
mod input;
mod journal;
mod machine;
mod output;
mod plan;
mod progress;
mod registry;
mod schedule;

use std::process::ExitCode;

use clap::Parser;

use crate::command::Command;

/// Which algorithm gets there, how fast, and would it have run on that console?
#[derive(Debug, Parser)]
#[command(
    name = "ikeru",
    version,
    after_help = "Exit codes: 0 fine, 1 a regression was found, 2 usage or input, 3 a wrong answer was found.",
    arg_required_else_help = true
)]
pub struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    match CommandLine::parse().command.run() {
        Ok(code) => code,
        // Whoever read the output has enough of it, as in `ikeru list variants | head`.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::print_error(&error);
            output::BAD_INPUT.into()
        }
    }
}
