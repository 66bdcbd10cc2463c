//! `ikeru list`: lists of what exists, one line each.

use std::fmt::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use ikeru_bench_data::{Experiment, builtin};
use ikeru_core::{AnyProblem, SettingInfo};
use ikeru_reports::records::{COLUMNS, Family};

use crate::{output, registry};

/// What to list.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ikeru list problems\n  ikeru list variants trail --verbose")]
pub struct Arguments {
    /// The kind of things
    what: What,
    /// Only those of this problem
    problem: Option<String>,
    /// With settings and their defaults, sources, counters
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    /// What can be solved
    Problems,
    /// The solvers of each problem, naive first
    Variants,
    /// The makers of instances
    Generators,
    /// The built-in experiments
    Experiments,
    /// The columns of records.csv
    Columns,
}

/// A line of a list, and the lines below it under `--verbose`.
struct Entry {
    name: String,
    about: String,
    details: Vec<(String, String)>,
}

impl Entry {
    fn new(name: &str, about: &str) -> Self {
        Self {
            name: name.to_owned(),
            about: about.to_owned(),
            details: Vec::new(),
        }
    }

    fn with(mut self, details: impl IntoIterator<Item = (String, String)>) -> Self {
        self.details.extend(details);
        self
    }
}

/// Prints the list.
///
/// # Errors
/// An unknown problem.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let problems = match &arguments.problem {
        Some(name) => vec![registry::problem(name)?],
        None => registry::problems().to_vec(),
    };
    let entries: Vec<Entry> = match arguments.what {
        What::Problems => problems
            .iter()
            .map(|problem| of_problem(*problem))
            .collect(),
        What::Variants => problems
            .iter()
            .flat_map(|problem| variants(*problem))
            .collect(),
        What::Generators => problems
            .iter()
            .flat_map(|problem| generators(*problem))
            .collect(),
        What::Experiments => experiments(&problems)?,
        What::Columns => columns(),
    };
    output::print(&text(&entries, arguments.verbose))?;
    Ok(ExitCode::SUCCESS)
}

fn text(entries: &[Entry], verbose: bool) -> String {
    let lines = entries.iter().map(|entry| (&entry.name, &entry.about));
    if !verbose {
        return aligned(lines, "");
    }
    entries.iter().fold(String::new(), |mut text, entry| {
        text += &aligned([(&entry.name, &entry.about)], "");
        text += &aligned(
            entry.details.iter().map(|(name, about)| (name, about)),
            "    ",
        );
        text + "\n"
    })
}

/// Two columns, the first as wide as its longest word.
fn aligned<'a>(lines: impl IntoIterator<Item = (&'a String, &'a String)>, indent: &str) -> String {
    let lines: Vec<(&String, &String)> = lines.into_iter().collect();
    let width = lines
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for (name, about) in lines {
        let _ = writeln!(text, "{indent}{name:width$}  {about}");
    }
    text
}

fn of_problem(problem: &dyn AnyProblem) -> Entry {
    let counters = problem.counters().iter().map(|counter| {
        (
            format!("counter {}", counter.name),
            counter.about.to_owned(),
        )
    });
    let measures = problem.measures().iter().map(|measure| {
        (
            format!("measure {}", measure.name),
            measure.about.to_owned(),
        )
    });
    Entry::new(problem.name(), problem.info().about)
        .with(settings(problem.settings()))
        .with(counters)
        .with(measures)
}

fn variants(problem: &dyn AnyProblem) -> Vec<Entry> {
    let entry = |variant: ikeru_core::VariantInfo| {
        let exact = if variant.exact { "yes" } else { "no" };
        Entry::new(
            &format!("{} {}", problem.name(), variant.name),
            variant.about,
        )
        .with([
            ("source".to_owned(), variant.source.to_string()),
            ("exact".to_owned(), exact.to_owned()),
        ])
        .with(settings(variant.settings))
    };
    problem.variants().into_iter().map(entry).collect()
}

fn generators(problem: &dyn AnyProblem) -> Vec<Entry> {
    problem
        .generators()
        .iter()
        .map(|generator| {
            Entry::new(generator.name, generator.about).with(settings(generator.parameters))
        })
        .collect()
}

fn experiments(problems: &[&dyn AnyProblem]) -> anyhow::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for (name, text) in builtin::experiment_texts() {
        let experiment = Experiment::read(&format!("{name}.toml"), text)?;
        if !problems
            .iter()
            .any(|problem| problem.name() == experiment.problem)
        {
            continue;
        }
        let about = experiment.about.split_whitespace().collect::<Vec<_>>();
        entries.push(Entry::new(name, &experiment.title).with([
            ("problem".to_owned(), experiment.problem.clone()),
            ("about".to_owned(), about.join(" ")),
            ("--set".to_owned(), experiment.keys().join(", ")),
        ]));
    }
    Ok(entries)
}

/// The fixed columns, then the families of columns that a run adds, by prefix.
fn columns() -> Vec<Entry> {
    let fixed = COLUMNS.iter().map(|column| {
        let holds = ("type".to_owned(), column.holds.name().to_owned());
        Entry::new(column.name, column.doc).with([holds])
    });
    let added = Family::ALL.into_iter().map(|family| {
        let name = format!("{}NAME", family.prefix());
        Entry::new(&name, family.doc())
    });
    fixed.chain(added).collect()
}

fn settings(settings: &[SettingInfo]) -> impl Iterator<Item = (String, String)> {
    settings.iter().map(|setting| {
        let default = setting
            .default()
            .map_or(String::new(), |value| value.to_string());
        let key = format!("--set {}={default}", setting.name);
        (key, format!("{} ({})", setting.about, setting.expected()))
    })
}
