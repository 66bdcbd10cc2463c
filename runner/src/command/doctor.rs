//! `ikeru doctor`: what this machine says about itself; for a problem of commands, what several samples at a time cost in
//! score.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use ikeru_bench_data::experiment::parse_duration;
use ikeru_reports::row;
use ikeru_reports::table::Table;

use crate::campaign::ExperimentSource;
use crate::execute::confinement::Confinement;
use crate::files::scratch;
use crate::load_effect;
use crate::machine::{self, LoadWatch};
use crate::output::{self, Format};
use crate::progress;
use crate::system::HERE;

/// The arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = "Example: ikeru doctor knapsack.toml --budget 2m\n\n\
    The same seeds are taken one at a time and several at a time: what does that cost in score?\n\
    Without a file it prints the facts of this machine, and the `ab` command that measures its noise.")]
pub struct Arguments {
    /// The file of an experiment of scores, for what several samples at a time cost
    experiment: Option<String>,
    /// Time limit of the samples
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "20s")]
    budget: Duration,
    /// A run folder for the samples
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

/// Prints the facts of the machine, or what several samples at a time cost.
///
/// # Errors
/// An experiment that is not compared by scores, or a folder that cannot be written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let table = match &arguments.experiment {
        Some(experiment) => load_effect(arguments, experiment)?,
        None => facts()?,
    };
    output::print_table(table, arguments.format)?;
    Ok(ExitCode::SUCCESS)
}

/// The facts of the machine as `run.toml` has them, and the reasons to doubt times taken on it.
fn facts() -> Result<Table> {
    let mut table = Table::new("This machine", "fact | value");
    let mut facts = machine::machine();
    if HERE.has_groups {
        facts.insert("isolation".to_owned(), Confinement::possible().name());
    }
    for (name, value) in facts {
        table.rows.push(row![name.replace('_', " "), value]);
    }
    table.notes = [machine::standing_doubts(), HERE.costs()].concat();
    let program = std::env::current_exe().context("the path of this program")?;
    let program = output::quoted(&program.to_string_lossy());
    table.note(format!(
        "Its noise, by a build compared with itself: ikeru ab {program} {program} ikerukana-table --variant bitboard"
    ));
    Ok(table)
}

/// Measures what several samples at a time cost in score.
fn load_effect(arguments: &Arguments, experiment: &str) -> Result<Table> {
    let source = ExperimentSource::read(experiment)?;
    let scratch = scratch().context("a temporary folder")?;
    let folder = scratch.path().join("run");
    let folder = arguments.out.as_deref().unwrap_or(&folder);
    let most = std::thread::available_parallelism().map_or(1, NonZero::get);
    load_effect::check(&source)?;
    let watch = LoadWatch::begin();
    let time = arguments.budget;
    let template = "{wide_bar} {percent} % measured, {eta} left";
    let pairs = progress::under_bar((time.as_millis() as u64, template), false, |bar| {
        let seen = |over: Duration| bar.set_position(over.as_millis() as u64);
        load_effect::measure(source, (time, most), folder, &seen)
    })?;
    let title = "What several samples at a time cost in score";
    let mut table = Table::new(title, "solver | samples at once | score | verdict | pairs");
    for pair in &pairs {
        let (solver, jobs) = pair.label.rsplit_once('@').unwrap_or((&pair.label, ""));
        let count = pair.scores.differences().len();
        let jobs = jobs.split(' ').next().unwrap_or_default();
        let row = row![solver, jobs, pair.difference(), pair.verdict(), count];
        table.rows.push(row);
    }
    let doubts = watch.end().doubts;
    table.note("Against the same seeds one at a time.");
    if !doubts.is_empty() {
        table.notes[0] += &format!(" Doubtful: {}.", doubts.join("; "));
    }
    Ok(table)
}
