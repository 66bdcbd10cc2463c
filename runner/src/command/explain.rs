//! `ikeru explain`: the saving of each switch between two variants, measured by running every combination.
//!
//! It makes an experiment from the named one: the same instances and questions, one variant under every combination
//! of the switches, and an analysis that splits the saving. The experiment can be listed, resumed, merged and
//! reported like any other.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::{Analysis, Run, VariantEntry, VariantTable};
use ikeru_bench_data::matrix::Values;
use ikeru_core::{AnyProblem, Lattice, LatticeMember, Value, unknown};
use ikeru_reports::analyses;
use ikeru_reports::table::{Form, Table};

use super::run::summary::{self, Output};
use super::run::{self, Common, TableWidth};
use crate::campaign::ExperimentSource;
use crate::output::{self, Format};
use crate::registry;

/// The arguments of `explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: ikeru explain challeran-prunings --variant dfs+bound --against dfs-bitset

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

/// Runs the combinations, then prints what each switch saves; with `--json` as `tables` of the run's object.
///
/// # Errors
/// Variants that are not combinations of one lattice, and the errors of `run`.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let source = ExperimentSource::read(&arguments.experiment)?;
    let mut common = arguments.common.clone();
    let [variant] = common
        .take_variants()
        .try_into()
        .map_err(|_| anyhow!("expected one --variant: the one whose saving is explained"))?;
    let problem = registry::problem(source.experiment.problem.name())?;
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
    let source = explained(source, &ends, &metric);
    let experiment = source.experiment.clone();
    let Some(folder) = run::measure(&experiment.name, vec![source], &common, BTreeMap::new())?
    else {
        return Ok(ExitCode::SUCCESS);
    };
    let report = ikeru_book::report(&folder)?;
    let tables = experiment
        .analyses
        .iter()
        .map(|analysis| Ok(analyses::analyze(&report.run.rows, &experiment, analysis)?.table));
    let tables: Vec<Table> = tables.collect::<Result<_>>()?;
    let form = common.output();
    let is_text = matches!(arguments.format.form(), Form::Text);
    match form {
        Output::Nothing => {}
        Output::Json => {
            let mut object = summary::json(&report);
            object["tables"] = tables.iter().map(Table::json).collect();
            output::print(&format!("{object}\n"))?;
        }
        Output::Answers => {
            for table in tables {
                output::print_table(table, arguments.format)?;
            }
            if is_text {
                let verbose = arguments.format.verbose;
                return summary::print(&report, form, TableWidth { verbose });
            }
        }
    }
    Ok(summary::warn(&report, form))
}

/// Both variants as members of one lattice.
struct Ends {
    lattice: &'static Lattice,
    from: &'static LatticeMember,
    to: &'static LatticeMember,
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
        Err(unknown("combination of switches", stranger, known).into())
    }
}

/// The experiment that runs every combination on the instances of `source`.
fn explained(source: ExperimentSource, ends: &Ends, metric: &str) -> ExperimentSource {
    let (from, to) = (ends.from, ends.to);
    let said = [
        ("variant", to.variant.to_owned()),
        ("against", from.variant.to_owned()),
        ("metric", metric.to_owned()),
        ("from", in_words(from)),
        ("to", in_words(to)),
    ];
    let said = said.map(|(key, value)| (key.to_owned(), Value::Text(value)));
    let ExperimentSource {
        experiment,
        folder,
        file,
    } = source;
    let mut experiment = Experiment {
        name: format!("{}-explained", experiment.name),
        title: format!(
            "What each idea from {} to {} saves",
            from.variant, to.variant
        ),
        about: format!(
            "Every combination of what tells the two apart, on the instances of {}.",
            experiment.name
        ),
        variants: vec![combinations(ends)],
        baseline: None,
        plots: Vec::new(),
        tables: Vec::new(),
        analyses: vec![Analysis {
            kind: "explain".to_owned(),
            title: None,
            set: said.into(),
            only: BTreeMap::new(),
        }],
        pictures: 0,
        answers: Vec::new(),
        ..experiment
    };
    if let Some(full) = &mut experiment.full {
        full.variants = None;
    }
    if metric != "wall" {
        once(&mut experiment);
    }
    ExperimentSource {
        experiment,
        folder,
        file,
    }
}

/// One variant entry whose settings expand to every combination.
fn combinations(ends: &Ends) -> VariantEntry {
    let typed = |text: &&str| Value::parse(text);
    let switches = ends.from.switches.iter().zip(ends.to.switches);
    let set = switches.map(|((name, off), (_, on))| {
        let mut values = vec![typed(off), typed(on)];
        values.dedup();
        ((*name).to_owned(), Values::List(values))
    });
    VariantEntry::Table(VariantTable {
        name: ends.lattice.variant.to_owned(),
        set: set.collect(),
        ..VariantTable::default()
    })
}

fn in_words(member: &LatticeMember) -> String {
    let words = member
        .switches
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    words.collect::<Vec<_>>().join(" ")
}

/// Counters are the same in every answer: one answer is enough, and it needs no warm-up.
fn once(experiment: &mut Experiment) {
    if let Some(full) = &mut experiment.full {
        full.run = Run {
            repeats: None,
            sample: None,
            warm_up: None,
            hopeless_along: None,
            expected_seconds: None,
            ..full.run.clone()
        };
    }
    experiment.run = Run {
        repeats: Some(1),
        sample: Some(Duration::ZERO),
        warm_up: Some(Duration::ZERO),
        hopeless_along: None,
        expected_seconds: None,
        ..experiment.run.clone()
    };
}
