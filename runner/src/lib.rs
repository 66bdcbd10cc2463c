//! The command line of ikeru, as a library: a benchmarking harness whose answers a referee checks.
//!
//! A user's problem is a type that implements [`ikeru_core::Problem`]. The program with it has all subcommands, and
//! the built-in problems too, unless `default-features = false`:
//!
//! ```no_run
//! # use ikeru_reach::Reach as Mine;
//! fn main() -> std::process::ExitCode {
//!     ikeru::main_with(vec![ikeru_core::erase::<Mine>()])
//! }
//! ```
//!
//! `examples/own-problem` is a complete crate of this kind, and `docs/your-crate.md` explains it. Experiments,
//! published figures and consoles come from a folder with `--data DIR`. [`main_with`] is the interface. The modules
//! are public for tests, benches and programs that carry out campaigns themselves; they may change with every
//! version.
//!
//! Exit codes: 0 success, 1 a regression was found, 2 usage or input, 3 a wrong answer was found, 4 nothing was
//! solved, 75 a run was interrupted.
//!
//! | module | owns |
//! |---|---|
//! | [`command`] | the subcommands, one file each |
//! | [`ab`] | two builds compared in one session |
//! | [`bests`] | best-known scores, read before a run and updated after it |
//! | [`load_effect`] | what samples at once cost each other in score |
//! | [`side_by_side`] | two searches of one instance, recorded after a run |
//! | [`until`] | further samples until what is open is decided |
//!
//! The engine is the crate [`ikeru_session`]; its modules are re-exported.

#![forbid(unsafe_code)]

pub mod ab;
pub mod bests;
pub mod command;
pub mod load_effect;
pub mod side_by_side;
pub mod until;

pub use ikeru_session::{
    build, campaign, canary, cores, execute, files, folder, input, interrupt, machine, output,
    plan, pool, progress, registry, system,
};

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};
use ikeru_bench_data::builtin;
use ikeru_core::AnyProblem;

use crate::campaign::Unfinished;
use crate::command::Command;
use crate::interrupt::Interrupted;

/// Which algorithm gets there, how fast, and would it have run on that console?
#[derive(Debug, Parser)]
#[command(
    name = "ikeru",
    version,
    after_help = "Exit codes: 0 fine, 1 a regression was found, 2 usage or input, 3 a wrong answer was found, 4 nothing was solved, 75 a run was interrupted and can be resumed.",
    arg_required_else_help = true
)]
pub struct CommandLine {
    #[command(subcommand)]
    command: Command,
    /// A folder with experiments/, published/ and consoles/ beside the built-in ones
    #[arg(long, value_name = "DIR", global = true)]
    data: Option<PathBuf>,
}

impl CommandLine {
    fn run(&self) -> anyhow::Result<ExitCode> {
        if let Some(folder) = &self.data {
            builtin::add(folder)?;
            ikeru_consoles::Consoles::added()?;
        }
        if !matches!(self.command, Command::Worker) {
            pool::start();
        }
        self.command.run()
    }
}

/// The whole program: carries out the command line, with the built-in problems and `more`.
pub fn main_with(more: Vec<&'static dyn AnyProblem>) -> ExitCode {
    registry::add(more);
    ikeru_book::open();
    let matches = command::grouped(CommandLine::command()).get_matches();
    let line = CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match line.run() {
        Ok(code) => code,
        // The reader of the output closed it, as in `ikeru list variants | head`.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => told(&error).into(),
    }
}

/// Reports an error in one line on standard error, and returns its exit code.
fn told(error: &anyhow::Error) -> u8 {
    let is_unfinished = error.is::<Unfinished>() || error.is::<Interrupted>();
    if is_unfinished {
        output::tell(&format!("{error:#}"));
        output::UNFINISHED
    } else {
        output::print_error(error);
        output::BAD_INPUT
    }
}
