//! `ikeru doctor`: the noise of this machine, the differences that comparisons find, the repeats needed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use ikeru_core::Setting;
use ikeru_reports::units;
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

const SECONDS: Setting<i64> = Setting::int("seconds", 20, 1..=3600, "how long to measure");
const SEED: Setting<i64> = Setting::int("seed", 0, 0..=i64::MAX, "seed of the order of samples");

/// Measures and prints the results.
///
/// # Errors
/// A setting that does not fit, or a folder that cannot be written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let settings = input::parse_sets(&arguments.sets)?;
    settings.check("doctor", &[&[SECONDS.info(), SEED.info()]])?;
    let seconds = settings.get(&SECONDS)?.unsigned_abs();
    let seed = settings.get(&SEED)?.unsigned_abs();
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
        output::print(&text(&measured.canary, &diagnoses, seconds)?)?;
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

fn text(canary: &[f64], kernels: &[Diagnosis], seconds: u64) -> Result<String> {
    let mut text = String::new();
    let rounds = kernels
        .iter()
        .map(|kernel| kernel.rounds)
        .max()
        .unwrap_or(0);
    writeln!(
        text,
        "Two copies of each kernel, side by side in {rounds} rounds of {seconds} s.\n"
    )?;
    writeln!(
        text,
        "{:16} {:>10} {:>9}  humps",
        "kernel", "median", "scatter"
    )?;
    for kernel in kernels {
        let humps = match &kernel.humps {
            None => format!("one (chance of such a dip: {})", percent(kernel.dip_chance)),
            Some(humps) => format!(
                "more than one: {} and, for {} of the samples, {}",
                units::duration(humps.low),
                percent(humps.share),
                units::duration(humps.high)
            ),
        };
        let (median, scatter) = (units::duration(kernel.median), percent(kernel.scatter));
        writeln!(
            text,
            "{:16} {median:>10} {:>9}  {humps}",
            kernel.kernel,
            format!("±{scatter}")
        )?;
    }
    let (suspect, low, high) = doctor::canary_of(canary);
    writeln!(
        text,
        "\nThe canary's time was between {low:.2} and {high:.2} of its usual one in nine rounds of ten; \
         it makes {} of them suspect.",
        percent(suspect)
    )?;
    let repeats: Vec<usize> = kernels.first().map_or(Vec::new(), |kernel| {
        kernel
            .smallest
            .iter()
            .map(|(repeats, _)| *repeats)
            .collect()
    });
    writeln!(
        text,
        "\nThe smallest difference that {} of comparisons find (Mann–Whitney at {}), by samples a side:",
        percent(doctor::POWER.0),
        percent(doctor::LEVEL)
    )?;
    let heads: String = repeats
        .iter()
        .map(|repeats| format!("{repeats:>9}"))
        .collect();
    writeln!(text, "{:16}{heads}", "kernel")?;
    for kernel in kernels {
        let found = kernel
            .smallest
            .iter()
            .map(|(_, effect)| effect.map_or("–".to_owned(), percent));
        let row: String = found.map(|effect| format!("{effect:>9}")).collect();
        writeln!(text, "{:16}{row}", kernel.kernel)?;
    }
    writeln!(
        text,
        "\nFalse alarms among {} comparisons of a kernel with itself, of {} allowed:",
        doctor::COMPARISONS,
        percent(doctor::LEVEL)
    )?;
    writeln!(text, "{:40}{heads}", "kernel and comparison")?;
    for kernel in kernels {
        for (at, (comparison, _)) in kernel
            .alarms
            .first()
            .map_or(&[][..], |(_, all)| all)
            .iter()
            .enumerate()
        {
            let shares = kernel
                .alarms
                .iter()
                .map(|(_, alarms)| percent(alarms[at].1));
            let row: String = shares.map(|share| format!("{share:>9}")).collect();
            writeln!(
                text,
                "{:40}{row}",
                format!("{}, {}", kernel.kernel, comparison.name())
            )?;
        }
    }
    writeln!(text, "\nRepeats that find a difference of so much:")?;
    let heads: String = doctor::EFFECTS
        .map(|effect| format!("{:>9}", percent(effect)))
        .concat();
    writeln!(text, "{:16}{heads}", "kernel")?;
    for kernel in kernels {
        let needed = kernel.repeats.iter().map(|(_, repeats)| {
            let repeats = repeats.map_or(">1000".to_owned(), |repeats| repeats.to_string());
            format!("{repeats:>9}")
        });
        writeln!(text, "{:16}{}", kernel.kernel, needed.collect::<String>())?;
    }
    Ok(text)
}

fn percent(share: f64) -> String {
    format!("{}\u{202f}%", units::number(100.0 * share))
}
