//! `ikeru doctor`: the noise of this machine, the differences that comparisons find, the repeats needed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use ikeru_core::settings;
use ikeru_reports::row;
use ikeru_reports::table::{Cell, Content, Form, Table, filled};
use ikeru_reports::units::Quantity;
use serde_json::{Value as Json, json};

use crate::doctor::{self, Diagnosis, Measurement};
use crate::input;
use crate::machine::{self, LoadWatch};
use crate::output::{self, Format};
use crate::progress;

/// The arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = "Example: ikeru doctor --repeats 30 --set seconds=60\n\n\
    Two copies of small kernels are timed side by side (A/A). Settings: seconds=20 (1 to 3600), seed=0.")]
pub struct Arguments {
    /// Samples per side of the comparisons [default: 5, 10, 20, 50 and 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=1000))]
    repeats: Option<u16>,
    /// seconds=N or seed=N; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// A run folder for the samples, with doctor.json
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// One JSON object instead of tables
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
    let repeats = arguments
        .repeats
        .map_or(vec![5, 10, 20, 50, 100], |repeats| {
            vec![usize::from(repeats)]
        });
    let watch = LoadWatch::begin();
    let scratch = tempfile::tempdir().context("a temporary folder")?;
    let folder = arguments.out.as_deref().unwrap_or(scratch.path());
    let measured = measure(Duration::from_secs(seconds), seed, folder)?;
    let mut about = machine::machine();
    let watched = watch.end();
    about.extend(watched.machine);
    if !watched.doubts.is_empty() {
        about.insert("doubtful".to_owned(), watched.doubts.join("; "));
    }
    let diagnoses: Vec<Diagnosis> = measured
        .kernels
        .iter()
        .map(|kernel| doctor::diagnose(kernel, &repeats))
        .collect();
    let json = json!({
        "machine": about,
        "seconds": seconds,
        "seed": seed,
        "canary": canary_json(&measured.canary),
        "kernels": diagnoses.iter().map(kernel_json).collect::<Vec<Json>>(),
    });
    if arguments.out.is_some() {
        let path = folder.join("doctor.json");
        std::fs::write(&path, format!("{json:#}\n"))
            .with_context(|| format!("{}: cannot be written", path.display()))?;
    }
    if arguments.json || arguments.format.form() == Form::Json {
        output::print(&format!("{json:#}\n"))?;
    } else {
        let noise = noise(&measured.canary, &diagnoses, seconds);
        let tables = [
            noise,
            smallest(&diagnoses),
            alarms(&diagnoses),
            needed(&diagnoses),
        ];
        let texts = tables.map(|table| arguments.format.of(&table));
        let verdict = match arguments.format.form() {
            Form::Text | Form::Markdown => filled(&verdict(&diagnoses), output::width()) + "\n\n",
            Form::Csv | Form::Json | Form::Html | Form::Latex => String::new(),
        };
        output::print(&(verdict + &texts.join("\n")))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(time: Duration, seed: u64, folder: &Path) -> Result<Measurement> {
    let bar = (
        time.as_millis() as u64,
        "{wide_bar} {percent} % measured, {eta} left",
    );
    progress::under_bar(bar, false, |bar| {
        let seen = |over: Duration| bar.set_position(over.as_millis() as u64);
        doctor::measure(time, seed, folder, &seen)
    })
}

fn canary_json(ratios: &[f64]) -> Json {
    let (suspect, low, high) = doctor::canary_of(ratios);
    json!({ "suspect_share": suspect, "ratio_5_percent": low, "ratio_95_percent": high })
}

fn kernel_json(kernel: &Diagnosis) -> Json {
    let smallest = kernel
        .smallest
        .iter()
        .map(|(repeats, effect)| json!({ "repeats": repeats, "smallest_effect": effect }));
    let repeats = kernel
        .repeats
        .iter()
        .map(|(effect, repeats)| json!({ "effect": effect, "repeats": repeats }));
    let alarms = kernel.alarms.iter().flat_map(|(repeats, alarms)| {
        alarms.iter().map(move |(comparison, share)| {
            json!({ "repeats": repeats, "comparison": comparison.name(), "share": share })
        })
    });
    json!({
        "kernel": kernel.kernel,
        "rounds": kernel.rounds,
        "median_ns": kernel.median,
        "scatter": kernel.scatter,
        "smallest_effects": smallest.collect::<Vec<Json>>(),
        "repeats_for": repeats.collect::<Vec<Json>>(),
        "false_alarms": { "level": doctor::LEVEL, "comparisons": doctor::COMPARISONS,
            "shares": alarms.collect::<Vec<Json>>() },
    })
}

fn percent(share: f64) -> String {
    Quantity::Share.word(share)
}

/// Scatter from which a machine is called noisy, and below which it is called quiet.
const NOISY: f64 = 0.1;
const QUIET: f64 = 0.02;

/// The repeats that the verdict speaks of, where they are among those asked about.
const USUAL: usize = 20;

/// One sentence: how noisy the machine is, and what comparisons see on it. The worst kernel decides.
fn verdict(kernels: &[Diagnosis]) -> String {
    let scatter = kernels
        .iter()
        .map(|kernel| kernel.scatter)
        .fold(0.0, f64::max);
    let word = match scatter {
        noisy if noisy >= NOISY => "noisy",
        quiet if quiet < QUIET => "quiet",
        _ => "neither quiet nor noisy",
    };
    let first = format!("This machine is {word} (±{})", percent(scatter));
    let asked = kernels.first().map_or(&[][..], |kernel| &kernel.smallest);
    let at = asked.iter().position(|(repeats, _)| *repeats == USUAL);
    let Some(at) = at.or(asked.len().checked_sub(1)) else {
        return first + ".";
    };
    let mut seen = kernels.iter().map(|kernel| kernel.smallest.get(at)?.1);
    let worst = seen.try_fold(0.0, |worst: f64, own| Some(worst.max(own?)));
    let repeats = asked[at].0;
    match worst {
        Some(worst) => format!(
            "{first}: with {repeats} repeats you see differences above {}.",
            percent(worst)
        ),
        None => {
            format!("{first}: {repeats} repeats are too few to see the differences tried here.")
        }
    }
}

fn noise(canary: &[f64], kernels: &[Diagnosis], seconds: u64) -> Table {
    let rounds = kernels
        .iter()
        .map(|kernel| kernel.rounds)
        .max()
        .unwrap_or(0);
    let (suspect, low, high) = doctor::canary_of(canary);
    let title =
        format!("Two copies of each kernel, side by side in {rounds} rounds of {seconds} s");
    let mut table = Table::new(title, "kernel | median | scatter, ±");
    table.notes.push(format!(
        "The canary's time was between {low:.2} and {high:.2} of its usual one in nine rounds of ten; it makes {} of them suspect.",
        percent(suspect)
    ));
    for kernel in kernels {
        let median = (kernel.median, Quantity::Time);
        table.rows.push(row![
            &kernel.kernel,
            median,
            (kernel.scatter, Quantity::Share)
        ]);
    }
    table
}

/// Without rows: a column for each number of repeats.
fn by_repeats(title: String, first: &str, kernels: &[Diagnosis]) -> Table {
    let mut table = Table::new(title, first);
    let repeats = kernels
        .first()
        .into_iter()
        .flat_map(|kernel| &kernel.smallest);
    table
        .heads
        .extend(repeats.map(|(repeats, _)| repeats.to_string()));
    table
}

fn smallest(kernels: &[Diagnosis]) -> Table {
    let title = format!(
        "The smallest difference that {} of comparisons find (Mann–Whitney at {}), by samples a side",
        percent(doctor::POWER.0),
        percent(doctor::LEVEL)
    );
    let mut table = by_repeats(title, "kernel", kernels);
    for kernel in kernels {
        let effects = kernel
            .smallest
            .iter()
            .map(|(_, effect)| (*effect, Quantity::Share));
        table.rows.push(line(&kernel.kernel, effects));
    }
    table
}

fn alarms(kernels: &[Diagnosis]) -> Table {
    let title = format!(
        "False alarms among {} comparisons of a kernel with itself, of {} allowed",
        doctor::COMPARISONS,
        percent(doctor::LEVEL)
    );
    let mut table = by_repeats(title, "kernel and comparison", kernels);
    for kernel in kernels {
        let first = kernel.alarms.first().map_or(&[][..], |(_, all)| all);
        for (at, (comparison, _)) in first.iter().enumerate() {
            let name = format!("{}, {}", kernel.kernel, comparison.name());
            let alarms = kernel
                .alarms
                .iter()
                .map(|(_, alarms)| (alarms[at].1, Quantity::Share));
            table.rows.push(line(&name, alarms));
        }
    }
    table
}

fn needed(kernels: &[Diagnosis]) -> Table {
    let mut table = Table::new("Repeats that find a difference of so much", "kernel");
    table.heads.extend(doctor::EFFECTS.map(percent));
    let most = || Cell::from(Content::Printed(">1,000".to_owned()));
    for kernel in kernels {
        let repeats = kernel.repeats.iter();
        let repeats = repeats.map(|(_, repeats)| repeats.map_or_else(most, Cell::from));
        table.rows.push(line(&kernel.kernel, repeats));
    }
    table
}

/// A row of numbers behind a name.
fn line<C: Into<Cell>>(name: &str, cells: impl Iterator<Item = C>) -> Vec<Cell> {
    std::iter::once(name.into())
        .chain(cells.map(Into::into))
        .collect()
}
