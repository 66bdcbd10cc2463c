//! `ikeru doctor`: how noisy this machine is, what comparisons find here, how often to repeat.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use ikeru_core::Setting;
use ikeru_reports::row;
use ikeru_reports::table::{Cell, Content, Table};
use ikeru_reports::units::{self, Quantity};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value as Json, json};

use crate::doctor::{self, Diagnosis, Measurement};
use crate::machine::{self, Watch};
use crate::{input, output};

/// What `doctor` takes.
#[derive(Debug, Args)]
#[command(after_help = "Example: ikeru doctor --repeats 30 --set seconds=60\n\n\
    Two copies of small kernels are timed side by side (A/A). Settings: seconds=20 (1 to 3600), seed=0.")]
pub struct Arguments {
    /// Samples a side of the comparisons asked about [default: 5, 10, 20, 50 and 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=1000))]
    repeats: Option<u16>,
    /// seconds=N or seed=N; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// A folder for doctor.json and the raw times, samples.csv
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

const SECONDS: Setting = Setting {
    name: "seconds",
    default: "20",
    about: "how long to measure, 1 to 3600",
};
const SEED: Setting = Setting {
    name: "seed",
    default: "0",
    about: "seed of the order of samples",
};

/// Measures and tells.
///
/// # Errors
/// A setting that does not fit, or a folder that cannot be written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let settings = input::parse_sets(&arguments.sets)?;
    settings.check("doctor", &[&[SECONDS, SEED]])?;
    let seconds = settings
        .int(&SECONDS, 1..=3600)?
        .unwrap_or(20)
        .unsigned_abs();
    let seed = settings
        .int(&SEED, 0..=i64::MAX)?
        .unwrap_or(0)
        .unsigned_abs();
    let repeats = arguments
        .repeats
        .map_or(vec![5, 10, 20, 50, 100], |repeats| {
            vec![usize::from(repeats)]
        });
    let watch = Watch::begin();
    let measured = measure(Duration::from_secs(seconds), seed)?;
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
    if let Some(folder) = &arguments.out {
        write(folder, &json, &measured)?;
    }
    if arguments.json {
        output::print(&format!("{json:#}\n"))?;
    } else {
        output::print(&text(&measured.canary, &diagnoses, seconds))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(time: Duration, seed: u64) -> Result<Measurement> {
    let bar = ProgressBar::new(time.as_millis() as u64);
    let style = ProgressStyle::with_template("{wide_bar} {percent} % measured, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let measured = doctor::measure(time, seed, &|over| {
        bar.set_position(over.as_millis() as u64);
    });
    bar.finish_and_clear();
    measured
}

fn write(folder: &Path, json: &Json, measured: &Measurement) -> Result<()> {
    let cannot = || format!("{}: cannot be written", folder.display());
    std::fs::create_dir_all(folder).with_context(cannot)?;
    std::fs::write(folder.join("doctor.json"), format!("{json:#}\n")).with_context(cannot)?;
    let mut samples = "kernel,round,a_ns,b_ns\n".to_owned();
    for kernel in &measured.kernels {
        for (round, (a, b)) in kernel.pairs.iter().enumerate() {
            writeln!(samples, "{},{round},{a:.2},{b:.2}", kernel.kernel)?;
        }
    }
    std::fs::write(folder.join("samples.csv"), samples).with_context(cannot)
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
        "dip_chance": kernel.dip_chance,
        "humps": kernel.humps.map(|humps| json!({
            "low_ns": humps.low,
            "high_ns": humps.high,
            "share_of_high": humps.share,
        })),
        "smallest_effects": smallest.collect::<Vec<Json>>(),
        "repeats_for": repeats.collect::<Vec<Json>>(),
        "false_alarms": { "level": doctor::LEVEL, "comparisons": doctor::COMPARISONS,
            "shares": alarms.collect::<Vec<Json>>() },
    })
}

fn text(canary: &[f64], kernels: &[Diagnosis], seconds: u64) -> String {
    let rounds = kernels.iter().map(|kernel| kernel.rounds).max();
    let (suspect, low, high) = doctor::canary_of(canary);
    let percent = |share| Quantity::Share.word(share);
    let said = [
        format!(
            "Two copies of each kernel, side by side in {} rounds of {seconds} s.\n",
            rounds.unwrap_or(0)
        ),
        format!(
            "The canary's time was between {low:.2} and {high:.2} of its usual one in nine rounds of ten; \
             it makes {} of them suspect.\n\n\
             The smallest difference that {} of comparisons find (Mann–Whitney at {}), by samples a side:",
            percent(suspect),
            percent(doctor::POWER.0),
            percent(doctor::LEVEL)
        ),
        format!(
            "False alarms among {} comparisons of a kernel with itself, of {} allowed:",
            doctor::COMPARISONS,
            percent(doctor::LEVEL)
        ),
        "Repeats that find a difference of so much:".to_owned(),
    ];
    let tables = [
        noise(kernels),
        smallest(kernels),
        alarms(kernels),
        repeats(kernels),
    ];
    let parts = said.iter().zip(tables);
    let parts: Vec<String> = parts
        .map(|(said, table)| format!("{said}\n{}", table.lines()))
        .collect();
    parts.join("\n")
}

fn noise(kernels: &[Diagnosis]) -> Table {
    let row = |kernel: &Diagnosis| {
        let share = |share| Quantity::Share.word(share);
        let humps = match &kernel.humps {
            None => format!("one (chance of such a dip: {})", share(kernel.dip_chance)),
            Some(humps) => format!(
                "more than one: {} and, for {} of the samples, {}",
                units::duration(humps.low),
                share(humps.share),
                units::duration(humps.high)
            ),
        };
        let (median, scatter) = (
            (kernel.median, Quantity::Time),
            (kernel.scatter, Quantity::Share),
        );
        row![&kernel.kernel, median, scatter, humps]
    };
    Table {
        rows: kernels.iter().map(row).collect(),
        ..Table::new("", "kernel | median | scatter, ± | humps")
    }
}

/// Without rows: a column for each number of repeats.
fn by_repeats(first: &str, kernels: &[Diagnosis]) -> Table {
    let mut table = Table::new("", first);
    let repeats = kernels
        .first()
        .into_iter()
        .flat_map(|kernel| &kernel.smallest);
    table
        .heads
        .extend(repeats.map(|(repeats, _)| repeats.to_string()));
    table
}

/// A row of shares.
fn shares<S>(name: impl Into<Cell>, shares: impl Iterator<Item = S>) -> Vec<Cell>
where
    (S, Quantity): Into<Cell>,
{
    let shares = shares.map(|share| (share, Quantity::Share).into());
    std::iter::once(name.into()).chain(shares).collect()
}

fn smallest(kernels: &[Diagnosis]) -> Table {
    let effects = |kernel: &Diagnosis| {
        shares(
            &kernel.kernel,
            kernel.smallest.iter().map(|(_, effect)| *effect),
        )
    };
    Table {
        rows: kernels.iter().map(effects).collect(),
        ..by_repeats("kernel", kernels)
    }
}

fn alarms(kernels: &[Diagnosis]) -> Table {
    let mut table = by_repeats("kernel and comparison", kernels);
    for kernel in kernels {
        let first = kernel.alarms.first().map_or(&[][..], |(_, all)| all);
        for (at, (comparison, _)) in first.iter().enumerate() {
            let name = format!("{}, {}", kernel.kernel, comparison.name());
            let alarms = kernel.alarms.iter().map(|(_, alarms)| alarms[at].1);
            table.rows.push(shares(name, alarms));
        }
    }
    table
}

fn repeats(kernels: &[Diagnosis]) -> Table {
    let most = || Cell::from(Content::Printed(">1,000".to_owned()));
    let row = |kernel: &Diagnosis| {
        let needed = kernel.repeats.iter();
        let needed = needed.map(|(_, repeats)| repeats.map_or_else(most, Cell::from));
        std::iter::once((&kernel.kernel).into())
            .chain(needed)
            .collect()
    };
    let mut table = Table::new("", "kernel");
    let effects = doctor::EFFECTS.map(|effect| Quantity::Share.word(effect));
    table.heads.extend(effects);
    table.rows = kernels.iter().map(row).collect();
    table
}
