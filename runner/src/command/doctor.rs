//! `ikeru doctor`: the noise of this machine, the differences that comparisons find, the repeats needed; for a problem of
//! commands, what several samples at a time cost in score.

mod tables;

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use ikeru_core::settings;
use ikeru_reports::row;
use ikeru_reports::table::{Form, Table, filled};

use crate::campaign::ExperimentSource;
use crate::doctor::{self, Diagnosis};
use crate::input;
use crate::load_effect;
use crate::machine::LoadWatch;
use crate::output::{self, Format};
use crate::progress;
use crate::system::HERE;

/// The arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = "Example: ikeru doctor --repeats 30 --set seconds=60\n\n\
    Two copies of small kernels are timed side by side (A/A). Settings: seconds=20 (1 to 3600), seed=0.\n\n\
    Example: ikeru doctor knapsack.toml --set seconds=120\n\n\
    The same seeds are taken one at a time and several at a time: what does that cost in score?")]
pub struct Arguments {
    /// The file of an experiment of scores, for what several samples at a time cost
    experiment: Option<String>,
    /// Samples per side of the comparisons [default: 5, 10, 20, 50 and 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=1000))]
    repeats: Option<u16>,
    /// seconds=N or seed=N; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// A run folder for the samples
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    format: Format,
}

settings! {
    SECONDS: i64 = "seconds", 20, 1..=3600, "how long to measure";
    SEED: i64 = "seed", 0, 0..=i64::MAX, "seed of the order of samples";
}

/// Measures and prints the results.
///
/// # Errors
/// A setting that does not fit, or a folder that cannot be written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let settings = input::parse_sets(&arguments.sets)?;
    settings.check("doctor", &[settings![SECONDS SEED]])?;
    let seconds = settings.get(&SECONDS)?.unsigned_abs();
    let seed = settings.get(&SEED)?.unsigned_abs();
    if let Some(experiment) = &arguments.experiment {
        return load_effect(arguments, experiment, Duration::from_secs(seconds));
    }
    let asked = arguments.repeats.map(|repeats| vec![repeats.into()]);
    let repeats = asked.unwrap_or(vec![5, 10, 20, 50, 100]);
    let watch = LoadWatch::begin();
    let scratch = tempfile::tempdir().context("a temporary folder")?;
    let folder = arguments.out.as_deref().unwrap_or(scratch.path());
    let time = Duration::from_secs(seconds);
    let measured = under_bar(time, |seen| doctor::measure(time, seed, folder, seen))?;
    let doubts = watch.end().doubts;
    let kernels = measured.kernels.iter();
    let diagnoses = kernels.map(|kernel| doctor::diagnose(kernel, &repeats));
    let diagnoses: Vec<Diagnosis> = diagnoses.collect();
    let format = arguments.format.or_json(arguments.json);
    if matches!(format.form(), Form::Text | Form::Markdown) {
        let told = [vec![tables::verdict(&diagnoses)], HERE.costs()].concat();
        let told = told.iter().map(|one| filled(one, output::width()) + "\n");
        output::print(&(told.collect::<String>() + "\n"))?;
    }
    let mut noise = tables::noise(&measured.canary, &diagnoses, seconds);
    noise.notes.extend(doubts);
    let tables = [
        noise,
        tables::smallest(&diagnoses),
        tables::alarms(&diagnoses),
        tables::needed(&diagnoses),
    ];
    let tables = tables.map(|table| ("doctor".to_owned(), table));
    output::print_tables(tables.into(), format)?;
    Ok(ExitCode::SUCCESS)
}

/// Measures and prints what several samples at a time cost in score.
fn load_effect(arguments: &Arguments, experiment: &str, time: Duration) -> Result<ExitCode> {
    let source = ExperimentSource::read(experiment)?;
    let scratch = tempfile::tempdir().context("a temporary folder")?;
    let folder = scratch.path().join("run");
    let folder = arguments.out.as_deref().unwrap_or(&folder);
    let most = std::thread::available_parallelism().map_or(1, NonZero::get);
    load_effect::check(&source)?;
    let watch = LoadWatch::begin();
    let pairs = under_bar(time, |seen| {
        load_effect::measure(source, (time, most), folder, seen)
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
    output::print_table(table, arguments.format.or_json(arguments.json))?;
    Ok(ExitCode::SUCCESS)
}

/// Measures under a progress bar of `time`.
fn under_bar<T>(time: Duration, measure: impl FnOnce(&dyn Fn(Duration)) -> Result<T>) -> Result<T> {
    let template = "{wide_bar} {percent} % measured, {eta} left";
    let bar = (time.as_millis() as u64, template);
    progress::under_bar(bar, false, |bar| {
        measure(&|over: Duration| bar.set_position(over.as_millis() as u64))
    })
}
