//! `ikeru explain`: what each switch between two variants saves, by running every combination.
//!
//! An experiment is made of the named one: the same instances and questions, one variant under every
//! combination of the switches, and an analysis that splits the saving. So it can be listed, resumed,
//! merged and reported like any other.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ikeru_bench_data::Experiment;
use ikeru_core::{AnyProblem, Lattice, Member, Value, nearest};
use ikeru_reports::{Rows, analyses};
use toml::{Table, Value as Toml};

use super::run::{self, Common, Source};
use crate::output::{self, Format};
use crate::registry;

/// What `explain` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: ikeru explain challeran-prunings --variant dfs+bound --against dfs

Every combination of the switches that tell the two variants apart runs on every instance; Shapley
values split the saving among them. Counters need one answer each, `--metric wall` needs repeats.")]
pub struct Arguments {
    /// A built-in experiment (ikeru list experiments) or the path of a TOML file
    experiment: String,
    #[command(flatten)]
    common: Common,
    /// The variant that --variant is explained against: it has fewer ideas
    #[arg(long, value_name = "V")]
    against: String,
    /// What is saved: counter:NAME or wall [default: the problem's first counter]
    #[arg(long, value_name = "M")]
    metric: Option<String>,
    #[command(flatten)]
    format: Format,
}

/// Runs the combinations, then says what each switch saves.
///
/// # Errors
/// Variants that are no combinations of one lattice, and what `run` refuses.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let source = run::read_experiment(&arguments.experiment)?;
    let mut common = arguments.common.clone();
    let [variant] = common
        .take_variants()
        .try_into()
        .map_err(|_| anyhow!("expected one --variant: the one whose saving is explained"))?;
    let problem = registry::problem(&source.experiment.problem)?;
    let ends = Ends::of(problem, &variant, &arguments.against)?;
    let metric = match &arguments.metric {
        Some(metric) => metric.clone(),
        None => problem
            .counters()
            .first()
            .map_or("wall".to_owned(), |counter| {
                format!("counter:{}", counter.name)
            }),
    };
    let source = explained(&source, &ends, &metric)?;
    let experiment = source.experiment.clone();
    let Some(folder) = run::measure(&experiment.name, vec![source], &common)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let rows = Rows::read(&folder.join("records.csv"))?;
    for analysis in &experiment.analyses {
        let finding = analyses::analyze(&rows, &experiment, analysis)?;
        output::print_table(finding.table, arguments.format)?;
    }
    run::report(&folder)
}

/// Both variants as combinations of one.
struct Ends {
    lattice: &'static Lattice,
    from: &'static Member,
    to: &'static Member,
}

impl Ends {
    fn of(problem: &dyn AnyProblem, variant: &str, against: &str) -> Result<Self> {
        let lattices = problem.lattices();
        if lattices.is_empty() {
            bail!(
                "{} has no variants whose ideas can be switched one by one",
                problem.name()
            );
        }
        for lattice in lattices {
            if let (Some(to), Some(from)) = (lattice.member(variant), lattice.member(against)) {
                if variant == against {
                    bail!("--variant and --against are both {variant}");
                }
                return Ok(Self { lattice, from, to });
            }
        }
        let known: Vec<&str> = lattices
            .iter()
            .flat_map(|lattice| lattice.members.iter().map(|member| member.variant))
            .collect();
        let stranger = [variant, against]
            .into_iter()
            .find(|name| !known.contains(name));
        let stranger = stranger.unwrap_or(variant);
        let hint = nearest(stranger, known.iter().copied())
            .map_or(String::new(), |near| format!(", did you mean `{near}`?"));
        bail!(
            "`{stranger}` is no combination of switches{hint} (there are: {})",
            known.join(", ")
        );
    }
}

/// The experiment that runs every combination on the instances of `source`.
fn explained(source: &Source, ends: &Ends, metric: &str) -> Result<Source> {
    let mut table = Table::try_from(&source.experiment).context("the experiment")?;
    let name = format!("{}-explained", source.experiment.name);
    let (from, to) = (ends.from, ends.to);
    for key in ["plots", "tables", "answers", "baseline", "pictures"] {
        table.remove(key);
    }
    let title = format!(
        "What each idea from {} to {} saves",
        from.variant, to.variant
    );
    let about = format!(
        "Every combination of what tells the two apart, on the instances of {}.",
        source.experiment.name
    );
    for (key, value) in [("name", &name), ("title", &title), ("about", &about)] {
        table.insert(key.to_owned(), Toml::String(value.clone()));
    }
    table.insert("variants".to_owned(), combinations(ends));
    let said = [
        ("variant", to.variant.to_owned()),
        ("against", from.variant.to_owned()),
        ("metric", metric.to_owned()),
        ("from", in_words(from)),
        ("to", in_words(to)),
    ];
    let set = said.map(|(key, value)| (key.to_owned(), Toml::String(value)));
    let analysis = Table::from_iter([
        ("kind".to_owned(), Toml::String("explain".to_owned())),
        ("set".to_owned(), Toml::Table(Table::from_iter(set))),
    ]);
    table.insert(
        "analyses".to_owned(),
        Toml::Array(vec![Toml::Table(analysis)]),
    );
    if metric != "wall" {
        once(&mut table);
    }
    if let Some(Toml::Table(full)) = table.get_mut("full") {
        full.remove("variants");
    }
    let text = toml::to_string(&table).context("the experiment's text")?;
    Ok(Source {
        experiment: Experiment::read(&name, &text)?,
        folder: Path::new(&source.folder).to_owned(),
    })
}

/// One variant entry whose settings multiply to every combination.
fn combinations(ends: &Ends) -> Toml {
    let typed = |text: &str| match Value::parse(text) {
        Value::Int(value) => Toml::Integer(value),
        Value::Float(value) => Toml::Float(value),
        Value::Bool(value) => Toml::Boolean(value),
        Value::Text(value) => Toml::String(value),
    };
    let switches = ends.from.switches.iter().zip(ends.to.switches);
    let set = switches.map(|((name, off), (_, on))| {
        let values = if off == on {
            vec![typed(on)]
        } else {
            vec![typed(off), typed(on)]
        };
        ((*name).to_owned(), Toml::Array(values))
    });
    let entry = Table::from_iter([
        (
            "name".to_owned(),
            Toml::String(ends.lattice.variant.to_owned()),
        ),
        ("set".to_owned(), Toml::Table(set.collect())),
    ]);
    Toml::Array(vec![Toml::Table(entry)])
}

fn in_words(member: &Member) -> String {
    let words = member
        .switches
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    words.collect::<Vec<_>>().join(" ")
}

/// Counters are the same in every answer: one is enough, and it needs no warm-up.
fn once(table: &mut Table) {
    let timing = ["repeats", "sample", "warm_up", "hopeless_along"];
    if let Some(Toml::Table(full)) = table.get_mut("full")
        && let Some(Toml::Table(run)) = full.get_mut("run")
    {
        timing.iter().for_each(|key| drop(run.remove(*key)));
    }
    let run = table
        .entry("run")
        .or_insert_with(|| Toml::Table(Table::new()));
    if let Toml::Table(run) = run {
        run.remove("hopeless_along");
        run.insert("repeats".to_owned(), Toml::Integer(1));
        for key in ["sample", "warm_up"] {
            run.insert(key.to_owned(), Toml::String("0ms".to_owned()));
        }
    }
}
