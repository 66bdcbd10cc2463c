//! `ikeru hunt`: instances on which one variant beats another the most, and the other way round.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use ikeru_bench_data::experiment::parse_duration;
use ikeru_core::{Random, unknown};
use ikeru_reports::row;
use ikeru_reports::statistics::Estimate;
use ikeru_reports::table::{Cell, Table};
use ikeru_reports::units::{self, Quantity};

use crate::hunt::archive::{HuntFind, Winner};
use crate::hunt::candidate::SearchSpace;
use crate::hunt::corpus::{self, Candidates};
use crate::hunt::evolve::{Hunt, Hunted};
use crate::hunt::rivals::{RivalMetric, Rivals};
use crate::output::{self, Format};
use crate::{input, interrupt, machine, progress, registry};

/// The arguments of `hunt`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: ikeru hunt jps bucket --on path.random --set width=16..64 --set height=16..64 --budget 2m

Candidates are a generator's parameters and seeds, and instances with some words changed. The most one-sided
one of every size is kept, for both ways; at the end the best are measured anew and made smaller. The folder has them
in corpus/, hunt.toml runs them (`ikeru run DIR/hunt.toml`), candidates.csv has everything that was looked at.
Exit code 3: an answer was wrong, or two proven answers differ; its instance is in corpus/ too.
Exit code 75: it was interrupted; what was found until then is in the folder.")]
pub struct Arguments {
    /// A variant
    a: String,
    /// Another variant of the same problem
    b: String,
    /// Where instances come from
    #[arg(long, value_name = "GENERATOR")]
    on: String,
    /// What is compared: counter:NAME, or cpu for CPU time [default: the problem's first counter]
    #[arg(long, value_name = "M")]
    metric: Option<String>,
    /// Fixes a parameter of the generator or a setting of the question; LOW..HIGH lets a parameter vary in that range
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// How long the search may go on
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "1m")]
    budget: Duration,
    /// Time limit of one answer
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "2s")]
    limit: Duration,
    /// Finds of each way that are kept
    #[arg(long, value_name = "N", default_value_t = 3)]
    keep: usize,
    /// Another search
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The folder [default: results/hunt-TIME]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// No progress and no table
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    format: Format,
}

/// Hunts, writes the corpus and prints the finds.
///
/// # Errors
/// An unknown name, a value outside its range, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (problem, generator) = registry::generator(&arguments.on)?;
    let variant = |name: &str| Ok::<_, anyhow::Error>(problem.variant(name)?.name.to_owned());
    let names = [variant(&arguments.a)?, variant(&arguments.b)?];
    if names[0] == names[1] {
        bail!("{} and {} are the same variant", arguments.a, arguments.b);
    }
    let ground = SearchSpace::new(problem, generator, &input::parse_sets(&arguments.sets)?)?;
    let rivals = Rivals {
        problem,
        names,
        cost: arguments.cost(problem.counters().iter().map(|counter| counter.name))?,
        limit: arguments.limit,
    };
    let folder = arguments
        .out
        .clone()
        .unwrap_or_else(|| machine::new_folder(Path::new("results"), "hunt"));
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut candidates = Candidates::create(&folder.join("candidates.csv"), &rivals)?;
    interrupt::listen().context("signals cannot be listened to")?;
    let started = Instant::now();
    let bar = (
        arguments.budget.as_secs(),
        "hunting {wide_bar} {elapsed} of {len} s",
    );
    let hunted = progress::under_bar(bar, arguments.quiet, |bar| {
        let mut hunt = Hunt {
            ground: &ground,
            rivals: &rivals,
            budget: arguments.budget,
            keep: arguments.keep,
            seen: &mut |seen| {
                bar.set_position(started.elapsed().as_secs());
                candidates.keep(seen)
            },
        };
        hunt.run(&mut Random::new("hunt", arguments.seed))
    })?;
    let is_interrupted = interrupt::flag().load(Ordering::Relaxed);
    interrupt::over();
    corpus::write(&folder, &ground, &rivals, &hunted)?;
    if !arguments.quiet {
        output::print_table(table(&rivals, &hunted, &folder), arguments.format)?;
    }
    let Some((_, first)) = hunted.mistakes.first() else {
        return Ok(match is_interrupted {
            true => output::UNFINISHED.into(),
            false => ExitCode::SUCCESS,
        });
    };
    let count = units::plural(hunted.mistakes.len(), "instance");
    output::tell(&format!(
        "{count} with a wrong answer, as {}: {first}",
        folder.join("corpus").join("mistake-1.txt").display()
    ));
    Ok(output::WRONG_ANSWER.into())
}

impl Arguments {
    /// The metric of the comparison, checked against the problem's counters.
    fn cost(&self, counters: impl Iterator<Item = &'static str>) -> Result<RivalMetric> {
        let known: Vec<&str> = counters.collect();
        match self.metric.as_deref() {
            None => Ok(known.first().map_or(RivalMetric::Time, |name| {
                RivalMetric::Counter((*name).to_owned())
            })),
            Some("cpu") => Ok(RivalMetric::Time),
            Some(word) => match word.strip_prefix("counter:") {
                Some(name) if known.contains(&name) => Ok(RivalMetric::Counter(name.to_owned())),
                Some(name) => Err(unknown("counter", name, known).into()),
                None => bail!("--metric {word}: expected cpu or counter:NAME"),
            },
        }
    }
}

fn table(rivals: &Rivals, hunted: &Hunted, folder: &Path) -> Table {
    let [one, other] = &rivals.names;
    let heads =
        format!("instance | size | {one} | {other} | factor | parameters | seed | changed words");
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    for (way, finds) in &hunted.finds {
        let all = finds.iter().enumerate();
        rows.extend(all.map(|(at, find)| fields(rivals, *way, at + 1, find)));
        if finds.is_empty() {
            let (winner, loser) = match way {
                Winner::First => (one, other),
                Winner::Second => (other, one),
            };
            notes.push(format!(
                "No instance was found on which {winner} beats {loser}."
            ));
        }
    }
    notes.push(format!(
        "Compared by {}. {} met, {} were refused or not answered.",
        rivals.cost.word(),
        units::plural(hunted.met, "candidate"),
        hunted.unfit
    ));
    notes.push(format!(
        "To run them: ikeru run {}",
        folder.join("hunt.toml").display()
    ));
    Table {
        rows,
        notes,
        ..Table::new(
            format!("The most one-sided instances for {one} and {other}"),
            &heads,
        )
    }
}

fn fields(rivals: &Rivals, way: Winner, rank: usize, find: &HuntFind) -> Vec<Cell> {
    let quantity = match rivals.cost {
        RivalMetric::Time => Quantity::Time,
        RivalMetric::Counter(_) => Quantity::Count,
    };
    let cost = |side: usize| {
        let cell = Cell::from((Some(Estimate::plain(find.bout.costs[side])), quantity));
        match find.bout.stopped[side] {
            true => cell.with_detail("stopped"),
            false => cell,
        }
    };
    row![
        corpus::name(rivals, way, rank),
        find.size as usize,
        cost(0),
        cost(1),
        (
            Some(Estimate::plain(way.lead(&find.bout).exp())),
            Quantity::Ratio
        ),
        find.candidate.parameters.to_string(),
        find.candidate.seed as usize,
        find.candidate.edits.len(),
    ]
}
