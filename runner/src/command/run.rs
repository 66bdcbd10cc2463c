//! `ikeru run`: experiments, built in or from files, into a run folder.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use ikeru_bench_data::experiment::{Run, parse_duration};
use ikeru_bench_data::{Mode, Overrides};

use ikeru_reports::Report;

use crate::campaign::{Campaign, Options, Source, decide};
use crate::output;
use crate::plan::{Choice, Shard, Stage};

/// Most lines of one kind of failure; the page has more.
const MOST_LINES: usize = 10;

/// What `run` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: ikeru run ikerukana-table --variant memo --variant bitboard --repeats 20"
)]
pub struct Arguments {
    /// Built-in experiments (ikeru list experiments) or paths of TOML files
    #[arg(required = true, value_name = "EXPERIMENT")]
    experiments: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// What `run`, `reproduce` and `explain` share.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Only this variant, by name or label; may be given several times
    #[arg(long, value_name = "V")]
    variant: Vec<String>,
    /// Only instances whose name contains this; may be given several times
    #[arg(long, value_name = "I")]
    instance: Vec<String>,
    /// Only the I-th of N parts of the questions, for one of several machines; `merge` joins them
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Worker threads in contended mode [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// Time limit of one sample, like 60s
    #[arg(long, value_parser = parse_duration)]
    limit: Option<Duration>,
    /// Each cell in a process of its own, with hard limits of time and memory
    #[arg(long)]
    isolate: bool,
    /// Memory of such a process, like 256MiB; of its children each may have as much again, unless run.toml says
    /// `isolation = "cgroup"` and the system lets memory be limited there
    #[arg(long, value_name = "SIZE", value_parser = parse_mebibytes)]
    memory: Option<u64>,
    /// Skips what is larger than an instance of its family that was over its limit; along the experiment's column if
    /// none is said here, and along `size` if it has none
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, require_equals = true)]
    skip_hopeless: Option<Option<String>>,
    /// Samples per cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: Option<u32>,
    /// How samples share the machine
    #[arg(long)]
    mode: Option<ModeName>,
    /// Moves all generated instances to other seeds
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Replaces a parameter or a setting; a,b,c is a list
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// The articles' scale instead of the quick one
    #[arg(long)]
    full: bool,
    /// The run folder [default: results/NAME-TIME]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Goes on with the run in --out: only what is missing runs
    #[arg(long, requires = "out")]
    resume: bool,
    /// Goes on with a run of another machine, compiler or program; its report says so
    #[arg(long, requires = "resume")]
    force: bool,
    /// Takes samples again beside which the canary told that the machine changed
    #[arg(long)]
    rerun_suspect: bool,
    /// Goes on with comparisons against the baseline that are not decided yet; writes decisions.csv
    #[arg(long)]
    until_decided: bool,
    /// How long --until-decided may go on beyond the experiment's own repeats
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10m", requires = "until_decided")]
    budget: Duration,
    /// Only says what would run: cells, samples and the longest time they can take
    #[arg(long)]
    list: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModeName {
    Isolated,
    Contended,
}

/// `256MiB` or `2GiB` in MiB.
fn parse_mebibytes(text: &str) -> Result<u64, String> {
    let number = |unit| {
        text.strip_suffix(unit)
            .and_then(|n| n.trim().parse::<u64>().ok())
    };
    let mebibytes = number("MiB").or_else(|| number("GiB")?.checked_mul(1024));
    let mebibytes = mebibytes.filter(|n| (1..=1 << 30).contains(n));
    mebibytes.ok_or_else(|| "expected a size like 256MiB or 2GiB".to_owned())
}

/// Runs one experiment, or several in order.
///
/// # Errors
/// An input error, or a failed read or write.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let names = arguments.experiments.iter();
    let sources: Vec<Source> = names
        .map(|name| Source::read(name))
        .collect::<Result<_>>()?;
    let first = sources.first().map(|source| source.experiment.name.clone());
    carry_out(&first.unwrap_or_default(), sources, &arguments.common)
}

impl Common {
    /// Takes the variants of `--variant`; they no longer narrow the plan.
    pub fn take_variants(&mut self) -> Vec<String> {
        std::mem::take(&mut self.variant)
    }

    fn options(&self) -> Options {
        let mode = self.mode.map(|mode| match mode {
            ModeName::Isolated => Mode::Isolated,
            ModeName::Contended => Mode::Contended,
        });
        Options {
            overrides: Overrides {
                full: self.full,
                sets: self.sets.clone(),
                run: Run {
                    limit: self.limit,
                    repeats: self.repeats,
                    isolate: self.isolate.then_some(true),
                    memory_mib: self.memory,
                    mode,
                    ..Run::default()
                },
                skip_hopeless: self.skip_hopeless.clone(),
            },
            choice: Choice {
                variants: self.variant.clone(),
                instances: self.instance.clone(),
                seed: self.seed,
                shard: self.shard,
            },
            jobs: self.jobs,
            out: self.out.clone(),
            resume: self.resume,
            force: self.force,
            rerun_suspect: self.rerun_suspect,
            until_decided: self.until_decided.then_some(self.budget),
        }
    }
}

/// Plans, runs and reports the experiments into one run folder.
///
/// # Errors
/// An input error, or a failed read or write.
pub fn carry_out(name: &str, sources: Vec<Source>, common: &Common) -> Result<ExitCode> {
    match measure(name, sources, common)? {
        Some(folder) => report(&folder),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Plans and runs the experiments into one run folder, and returns it; `None` with `--list`.
///
/// # Errors
/// The errors of [`carry_out`].
pub fn measure(name: &str, sources: Vec<Source>, common: &Common) -> Result<Option<PathBuf>> {
    let campaign = Campaign::new(name, sources, common.options())?;
    if common.list {
        list(&campaign)?;
        return Ok(None);
    }
    let measured = campaign.run()?;
    if let Some(comparisons) = &measured.decided {
        output::print(&decide::table(comparisons))?;
    }
    Ok(Some(measured.folder))
}

/// Writes the report of a run folder, prints the failures, the worst first, and the place of the page.
///
/// # Errors
/// A folder without a run, or a failed write.
pub fn report(folder: &Path) -> Result<ExitCode> {
    tell(&ikeru_reports::report(folder)?)
}

/// Says what went wrong in a run, the worst first, and where its page is.
///
/// # Errors
/// When standard output is closed.
pub fn tell(report: &Report) -> Result<ExitCode> {
    eprint!("{}", report.failures.in_lines(MOST_LINES));
    if let Some(repeated) = &report.repeated {
        eprintln!("warning: {repeated}");
    }
    let page = report.page.display();
    let rows = format!(
        "{} rows, {} wrong",
        report.closing.rows, report.closing.wrong
    );
    // For one experiment the last line is its result; for several it is the page.
    output::print(&match report.experiments {
        1 => format!(
            "{page}
{rows}
"
        ),
        _ => format!(
            "{rows}
{page}
"
        ),
    })?;
    Ok(if report.failures.has_wrong_answers() {
        output::WRONG_ANSWER.into()
    } else {
        ExitCode::SUCCESS
    })
}

fn list(campaign: &Campaign) -> Result<()> {
    let plan = &campaign.plan;
    let mut text = format!(
        "{:24} {:>7} {:>8}  {}\n",
        "experiment", "cells", "samples", "at most"
    );
    for stage in &plan.stages {
        text += &format!(
            "{:24} {:>7} {:>8}  {}\n",
            stage.experiment,
            stage.cells.len(),
            stage.samples(),
            in_words(Stage::at_most(stage))
        );
    }
    text += &format!(
        "{:24} {:>7} {:>8}  {}\n",
        "together",
        "",
        plan.samples(),
        in_words(campaign.at_most())
    );
    output::print(&text)
}

fn in_words(time: Duration) -> String {
    match time.as_secs() {
        0..120 => format!("{:.1} s", time.as_secs_f64()),
        120..7200 => format!("{} min", time.as_secs() / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}
