//! `ikeru completions`: a script by which a shell completes the command line, including names; or the manual pages,
//! from the same description of the command line.
//!
//! The script contains the names, so a shell does not run the program to complete them. The engine of clap_complete
//! that asks the program at every key is unstable.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use ikeru_bench_data::builtin;

use crate::{CommandLine, output, registry};

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
        let mut command = with_names(CommandLine::command());
        clap_complete::generate(shell, &mut command, "ikeru", &mut script);
        output::print(&String::from_utf8(script)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The command line with the possible values of its arguments: experiments, problems, variants, generators, metrics.
fn with_names(command: Command) -> Command {
    let problems = registry::problems();
    let variants = problems.iter().flat_map(|problem| problem.variants());
    let generators = problems.iter().flat_map(|problem| problem.generators());
    let experiments: Vec<&str> = builtin::experiment_texts().map(|(name, _)| name).collect();
    let known: [(&str, Vec<&'static str>); 6] = [
        ("experiments", experiments.clone()),
        ("experiment", experiments),
        (
            "problem",
            problems.iter().map(|problem| problem.name()).collect(),
        ),
        ("variant", variants.map(|variant| variant.name).collect()),
        (
            "generator",
            generators.map(|generator| generator.name).collect(),
        ),
        ("metric", metrics().iter().map(String::as_str).collect()),
    ];
    let known = known.map(|(id, mut names)| {
        names.sort_unstable();
        names.dedup();
        (id, names)
    });
    // The arguments are changed in place, so that the order of positional arguments stays.
    command.mut_subcommands(|subcommand| {
        subcommand.mut_args(
            |argument| match known.iter().find(|(id, _)| argument.get_id() == id) {
                Some((_, names)) => {
                    argument.value_parser(PossibleValuesParser::new(names.iter().copied()))
                }
                None => argument,
            },
        )
    })
}

/// The metrics of every problem, made once.
fn metrics() -> &'static [String] {
    static METRICS: OnceLock<Vec<String>> = OnceLock::new();
    METRICS.get_or_init(|| {
        let problems = registry::problems().iter();
        let of_problems = problems.flat_map(|problem| {
            let counters = problem
                .counters()
                .iter()
                .map(|one| format!("counter:{}", one.name));
            counters.chain(
                problem
                    .measures()
                    .iter()
                    .map(|one| format!("measure:{}", one.name)),
            )
        });
        ["wall", "score"]
            .map(str::to_owned)
            .into_iter()
            .chain(of_problems)
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_scripts_of_every_shell() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut script = Vec::new();
            let mut command = with_names(CommandLine::command());
            clap_complete::generate(shell, &mut command, "ikeru", &mut script);
            let script = String::from_utf8(script).expect("text");
            // The scripts for fish complete only the values of flags.
            let positional = ["ikerukana-table", "reach.spanning-grid"];
            let positional = positional.iter().filter(|_| shell != Shell::Fish);
            for name in positional.chain(&["bitboard", "counter"]) {
                assert!(script.contains(name), "{shell}: {name}");
            }
        }
    }
}
