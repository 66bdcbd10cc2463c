//! `ikeru list`: lists of what exists, one line each.

mod builds;
mod runs;

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use ikeru_bench_data::{Experiment, builtin};
use ikeru_consoles::Basis;
use ikeru_consoles::cost::CounterCost;
use ikeru_core::{AnyProblem, GeneratorInfo, Measure, SettingInfo};
use ikeru_reports::records::{COLUMNS, Family};
use ikeru_reports::row;
use ikeru_reports::table::{Form, Table};

use crate::output::{self, Format};
use crate::registry;

/// The arguments of `list`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ikeru list\n  ikeru list problems --verbose\n  ikeru list variants trail --verbose"
)]
pub struct Arguments {
    /// The kind of things; without it, the kinds
    what: Option<What>,
    /// Only those of this problem; of `runs` the folder [default: results], of `builds` the run folder
    #[arg(value_name = "PROBLEM|DIR")]
    problem: Option<String>,
    #[command(flatten)]
    format: Format,
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
    /// The run folders in a folder
    Runs,
    /// The programs of each variant in a run folder, the earlier ones first
    Builds,
}

/// A listed name with its details, which `--verbose` prints below it.
struct ListedName {
    name: String,
    about: String,
    details: Vec<(String, String)>,
}

impl ListedName {
    fn new(
        name: impl Into<String>,
        about: &str,
        details: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        Self {
            name: name.into(),
            about: sentence(about),
            details: details.into_iter().collect(),
        }
    }
}

/// `about` as a sentence: with a capital letter, unless it begins with a name, and a full stop.
fn sentence(about: &str) -> String {
    let about = about.trim();
    let is_ended = about.ends_with(['.', '?', '!']);
    let end = if is_ended { "" } else { "." };
    let first = about.split(' ').next().unwrap_or_default();
    if !first.chars().all(|c| c.is_ascii_lowercase()) {
        return format!("{about}{end}");
    }
    let (letter, rest) = about.split_at(first.len().min(1));
    format!("{}{rest}{end}", letter.to_uppercase())
}

/// Prints the list.
///
/// # Errors
/// An unknown problem.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Some(what) = arguments.what else {
        let kinds = What::value_variants().iter();
        let kinds = kinds.filter_map(What::to_possible_value);
        let kinds = kinds.map(|kind| {
            let about = kind.get_help().map(ToString::to_string).unwrap_or_default();
            ListedName::new(format!("ikeru list {}", kind.get_name()), &about, [])
        });
        output::print(&text(&kinds.collect::<Vec<_>>(), false))?;
        return Ok(ExitCode::SUCCESS);
    };
    let of_folder = match (what, &arguments.problem) {
        (What::Runs, folder) => {
            let folder = folder.as_deref().unwrap_or("results");
            Some(runs::table(Path::new(folder))?)
        }
        (What::Builds, Some(folder)) => Some(builds::table(Path::new(folder))?),
        (What::Builds, None) => anyhow::bail!("list builds: expected a run folder"),
        _ => None,
    };
    if let Some(table) = of_folder {
        output::print_table(table, arguments.format)?;
        return Ok(ExitCode::SUCCESS);
    }
    let problems = match &arguments.problem {
        Some(name) => vec![registry::problem(name)?],
        None => registry::problems().to_vec(),
    };
    let all = problems.iter().copied();
    let entries: Vec<ListedName> = match what {
        What::Problems => all.map(of_problem).collect(),
        What::Variants => {
            let costs = &Basis::built_in()?.costs;
            all.flat_map(|problem| variants(problem, costs)).collect()
        }
        What::Generators => all.flat_map(generators).collect(),
        What::Experiments => experiments(arguments.problem.as_deref())?,
        What::Columns | What::Runs | What::Builds => columns(),
    };
    match arguments.format.form() {
        Form::Text => output::print(&text(&entries, arguments.format.verbose))?,
        _ => output::print_table(table(&entries, arguments.format.verbose), arguments.format)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// One line each, without a head; under `--verbose` a block each.
fn text(entries: &[ListedName], verbose: bool) -> String {
    if !verbose {
        return table(entries, false).body(output::width());
    }
    let block = |entry: &ListedName| {
        let details = entry.details.iter();
        let details = details.map(|(name, about)| row![format!("    {name}"), about]);
        let table = Table {
            rows: details.collect(),
            ..Table::new("", "name | about")
        };
        let (name, about, body) = (&entry.name, &entry.about, table.body(output::width()));
        format!("{name}  {about}\n{body}\n")
    };
    entries.iter().map(block).collect()
}

/// One row each; under `--verbose` one for each detail too.
fn table(entries: &[ListedName], verbose: bool) -> Table {
    let mut table = Table::new("What there is", "name | about");
    for entry in entries {
        table.rows.push(row![&entry.name, &entry.about]);
        let details = entry.details.iter().filter(|_| verbose);
        let details = details.map(|(name, about)| row![format!("{}: {name}", entry.name), about]);
        table.rows.extend(details);
    }
    table
}

fn of_problem(problem: &dyn AnyProblem) -> ListedName {
    let named = |what| move |one: &Measure| (format!("{what} {}", one.name), one.about.to_owned());
    let counters = problem.counters().iter().map(named("counter"));
    let measures = problem.measures().iter().map(named("measure"));
    let headings = [("## Instances", "file"), ("## Answers", "answer")].into_iter();
    let format = headings.filter_map(|(heading, name)| {
        Some((name.to_owned(), documented(heading, problem.name())?))
    });
    let details = settings(problem.settings()).chain(counters).chain(measures);
    ListedName::new(problem.name(), problem.info().about, format.chain(details))
}

/// The cell of a problem in the table below a heading of `docs/files.md`.
fn documented(heading: &str, problem: &str) -> Option<String> {
    let page = include_str!("../../packed/files.txt");
    let part = page.split_once(&format!("{heading}\n"))?.1;
    let part = part.split("\n## ").next().unwrap_or(part);
    let mut rows = part.lines().filter(|line| line.starts_with("| `"));
    let (_, text) = rows.find_map(|row| {
        let cells = row.split_once(" | ");
        cells.filter(|(names, _)| names.contains(&format!("`{problem}`")))
    })?;
    Some(text.trim_end_matches(" |").replace('`', ""))
}

fn variants(problem: &dyn AnyProblem, costs: &[CounterCost]) -> Vec<ListedName> {
    let entry = |variant: ikeru_core::VariantInfo| {
        let word = |is: bool| if is { "yes" } else { "no" };
        let is_own =
            |cost: &CounterCost| [&cost.problem, &cost.variant] == [problem.name(), variant.name];
        let is_counted = costs.iter().any(is_own);
        let details = [
            ("source".to_owned(), variant.source.to_string()),
            ("exact".to_owned(), word(variant.exact).to_owned()),
            ("console".to_owned(), word(is_counted).to_owned()),
        ];
        let name = format!("{} {}", problem.name(), variant.name);
        let details = details.into_iter().chain(settings(variant.settings));
        ListedName::new(name, variant.about, details)
    };
    problem.variants().into_iter().map(entry).collect()
}

fn generators(problem: &dyn AnyProblem) -> Vec<ListedName> {
    let entry =
        |one: &GeneratorInfo| ListedName::new(one.name, one.about, settings(one.parameters));
    problem.generators().iter().map(entry).collect()
}

fn experiments(asked: Option<&str>) -> anyhow::Result<Vec<ListedName>> {
    let mut entries = Vec::new();
    for (name, text) in builtin::experiment_texts() {
        let experiment = Experiment::read(&format!("{name}.toml"), text)?;
        let problem = experiment.problem.name();
        if asked.is_some_and(|asked| asked != problem) || registry::problem(problem).is_err() {
            continue;
        }
        let source = experiment.source().unwrap_or("–");
        let about = experiment.about.split_whitespace().collect::<Vec<_>>();
        let details = [
            ("problem".to_owned(), problem.to_owned()),
            ("source".to_owned(), source.to_owned()),
            ("about".to_owned(), about.join(" ")),
            ("--set".to_owned(), experiment.keys().join(", ")),
        ];
        entries.push(ListedName::new(name, &experiment.title, details));
    }
    Ok(entries)
}

/// The fixed columns, then the families of columns that a run adds, by prefix.
fn columns() -> Vec<ListedName> {
    let fixed = COLUMNS.iter().map(|column| {
        let holds = ("type".to_owned(), column.holds.name().to_owned());
        ListedName::new(column.name, column.doc, [holds])
    });
    let added = Family::ALL.into_iter().map(|family| {
        let name = format!("{}NAME", family.name());
        ListedName::new(name, family.doc(), [])
    });
    fixed.chain(added).collect()
}

fn settings(settings: &[SettingInfo]) -> impl Iterator<Item = (String, String)> {
    settings.iter().map(|setting| {
        let default = setting.default();
        let default = default.map_or(String::new(), |value| value.to_string());
        let key = format!("--set {}={default}", setting.name);
        (key, format!("{} ({})", setting.about, setting.expected()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_thing_is_a_sentence() {
        for (about, expected) in [
            ("bit planes over a grid", "Bit planes over a grid."),
            ("Bit planes.", "Bit planes."),
            ("dfs+corner with a bound", "dfs+corner with a bound."),
            ("", "."),
        ] {
            assert_eq!(sentence(about), expected);
        }
    }
}
