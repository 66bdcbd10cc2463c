//! The subcommands. Each has a `pub struct Arguments` and a `pub fn run`, three lines here and a place in `GROUPS`.

mod ab;
mod bests;
mod compare;
mod console;
mod doctor;
mod generate;
mod list;
mod merge;
mod new;
mod report;
mod reproduce;
mod run;
mod scope;
mod shards;
mod solve;
mod typed;

use std::process::ExitCode;

use clap::Subcommand;

/// A subcommand with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the articles' experiments, at quick scale by default, and write the page
    Reproduce(reproduce::Arguments),
    /// Run one experiment, built in or from a file
    Run(run::Arguments),
    /// Answer one instance with one variant, or check a certificate
    Solve(solve::Arguments),
    /// Generate an instance from a seed
    Generate(generate::Arguments),
    /// Compare two runs or two variants, or rank all variants of a run; exit code 1 on a regression
    Compare(compare::Arguments),
    /// Compare two builds on the same cells: counters first, then times until decided
    Ab(ab::Arguments),
    /// Write tables, plots and page of a run folder again
    Report(report::Arguments),
    /// Predict the times of a run's answers on consoles
    Console(console::Arguments),
    /// List problems, variants, generators, experiments or columns
    List(list::Arguments),
    /// Write a small working benchmark of your own commands
    New(new::Arguments),
    /// Show, check and join the best-known scores of an experiment
    Bests(bests::Arguments),
    /// Print the facts of this machine, or measure what several samples at a time cost in score
    Doctor(doctor::Arguments),
    /// Join shards of one experiment into one run folder
    Merge(merge::Arguments),
    /// Show how many samples each shard has
    Shards(shards::Arguments),
    /// Take the samples of one cell for `run --isolate`
    #[command(hide = true)]
    Worker,
}

/// The groups of the help, by purpose.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Measure", &["reproduce", "run", "solve"]),
    ("Compare", &["compare", "ab", "bests"]),
    ("Look", &["report", "console", "list"]),
    (
        "Your own instances and machine",
        &["new", "generate", "doctor"],
    ),
    ("Several machines", &["shards", "merge"]),
];

/// The command line with its subcommands in groups.
pub fn grouped(command: clap::Command) -> clap::Command {
    let lines = |names: &[&str]| -> String {
        let found = names
            .iter()
            .filter_map(|name| command.find_subcommand(name));
        let line = |one: &clap::Command| {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            format!("  {:<11}{about}\n", one.get_name())
        };
        found.map(line).collect()
    };
    let groups = GROUPS.map(|(title, names)| format!("{title}:\n{}", lines(names)));
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\nOptions:\n{{options}}{{after-help}}",
        groups.join("\n")
    );
    command.help_template(template)
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
            Self::Generate(arguments) => generate::run(arguments),
            Self::Compare(arguments) => compare::run(arguments),
            Self::Ab(arguments) => ab::run(arguments),
            Self::Report(arguments) => report::run(arguments),
            Self::Console(arguments) => console::run(arguments),
            Self::List(arguments) => list::run(arguments),
            Self::New(arguments) => new::run(arguments),
            Self::Bests(arguments) => bests::run(arguments),
            Self::Doctor(arguments) => doctor::run(arguments),
            Self::Merge(arguments) => merge::run(arguments),
            Self::Shards(arguments) => shards::run(arguments),
            Self::Worker => crate::execute::worker::run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visible_subcommand_is_in_one_group() {
        let command = Command::augment_subcommands(clap::Command::new("ikeru"));
        let visible = command.get_subcommands().filter(|one| !one.is_hide_set());
        let mut visible: Vec<&str> = visible.map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        visible.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(visible, grouped);
        assert!(visible.len() <= 15, "{visible:?}");
    }
}
