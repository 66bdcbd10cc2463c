//! `ikeru ab`: two builds on the same cells in one session; exit code 1 on a decided regression.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use ikeru_bench_data::experiment::{Run, parse_duration};
use ikeru_bench_data::{Mode, Overrides};
use ikeru_core::Random;
use ikeru_reports::table::Form;

use super::compare::parse_percent;
use crate::ab::Arena;
use crate::ab::build::{Build, WORKING_TREE};
use crate::ab::session::{Clock, Duel, Look, Standing, Turn, decide};
use crate::ab::told::{Found, Samples};
use crate::campaign::{Campaign, Options, Source};
use crate::interrupt::{self, Interrupted};
use crate::output::{self, Format};
use crate::plan::Choice;
use crate::{machine, progress};

/// What `ab` takes.
#[derive(Debug, Args)]
#[command(
    override_usage = "ikeru ab [OPTIONS] <BASE> [HEAD] <EXPERIMENT>",
    after_help = "\
Examples:
  ikeru ab main ikerukana-table --variant bitboard
  ikeru ab v0.1 my-branch challeran-prunings --budget 5m --must-decide --summary pull-request.md
  ikeru ab ./ikeru-before ./ikeru-after mine.toml --metric cpu

BASE and HEAD are revisions, which are built once and kept under target/ab, or binaries; `.` is the working tree
as it stands, and what HEAD is if it is not said. Exit code 1: head is decided to be slower, lost an answer or has a
worse one. Exit code 75: with --must-decide, times were left undecided; or the session was interrupted."
)]
pub struct Arguments {
    /// Two builds and an experiment (built in, or the path of a TOML file)
    #[arg(num_args = 2..=3, required = true, value_names = ["BASE", "HEAD", "EXPERIMENT"])]
    what: Vec<String>,
    /// Only this variant, by name or label; may be given several times
    #[arg(long, value_name = "V")]
    variant: Vec<String>,
    /// Only instances whose name contains this; may be given several times
    #[arg(long, value_name = "I")]
    instance: Vec<String>,
    /// Replaces a parameter or a setting; a,b,c is a list
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Moves all generated instances to other seeds, and the order of samples
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Time limit of one sample, like 60s
    #[arg(long, value_parser = parse_duration)]
    limit: Option<Duration>,
    /// What is compared: the time that passes, or CPU time on a machine that others use too
    #[arg(long, value_name = "M", default_value = "wall")]
    metric: Clock,
    /// How long times may be taken
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "2m")]
    budget: Duration,
    /// How much slower head may be
    #[arg(long, value_name = "P%", value_parser = parse_percent, default_value = "1%")]
    fail_if_slower: f64,
    /// Ends with 75 if the budget did not decide every cell
    #[arg(long)]
    must_decide: bool,
    /// The folder for samples.csv and ab.md [default: results/ab-TIME]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Appends the result as Markdown, for a pull request or a job's summary
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Writes head's times as JSON for a history of benchmarks: name, unit, value, range
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// No progress and no table; regressions are told
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    format: Format,
}

/// Builds, looks, times and tells.
///
/// # Errors
/// A side that is no build, an input error, a failed write, or builds of which neither can be asked.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (base, head, experiment) = match arguments.what.as_slice() {
        [base, head, experiment] => (base.as_str(), head.as_str(), experiment),
        [base, experiment] => (base.as_str(), WORKING_TREE, experiment),
        _ => bail!("expected BASE, HEAD and EXPERIMENT"),
    };
    let plan = arguments.campaign(Source::read(experiment)?)?.plan;
    if plan.stages.iter().all(|stage| stage.cells.is_empty()) {
        bail!("{experiment}: no cell is left to compare");
    }
    let here = std::env::current_dir().context("the current folder")?;
    let [base, head] = [Build::of(base, &here)?, Build::of(head, &here)?];
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| Path::new("results").join(format!("ab-{}", machine::time_stamp())));
    std::fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    let mut samples = Samples::create(&out.join("samples.csv"))?;

    interrupt::listen().context("signals cannot be listened to")?;
    let mut arena = Arena::new(plan, &base, &head);
    let bar = (
        arena.count() as u64,
        "answers and counters {wide_bar} {pos}/{len} cells",
    );
    let looks = progress::under_bar(bar, arguments.quiet, |bar| arena.look(|| bar.inc(1)))?;
    let both = |(at, look): (usize, &Look)| (look.standing == Standing::Both).then_some(at);
    let timed: Vec<usize> = looks.iter().enumerate().filter_map(both).collect();
    let mut duels = Duel::among(&timed);
    let taken = arguments.times(&arena, &mut duels, &mut samples);
    interrupt::over();
    let interrupted = match taken {
        Err(error) if error.is::<Interrupted>() => true,
        taken => taken.map(|()| false)?,
    };
    let found = Found {
        arena: &arena,
        builds: [&base, &head],
        looks: &looks,
        duels: &duels,
        clock: arguments.metric,
        margin: arguments.fail_if_slower,
    };
    arguments.tell(&found, &out)?;
    let regressions = found.regressions();
    if !regressions.is_empty() {
        output::print_regressions(&regressions);
        return Ok(output::REGRESSION.into());
    }
    if interrupted {
        eprintln!("interrupted: the table holds what was known by then");
        return Ok(output::UNFINISHED.into());
    }
    if arguments.must_decide && found.undecided() > 0 {
        let cells = ikeru_reports::units::plural(found.undecided(), "cell");
        eprintln!(
            "undecided: {cells}; a longer --budget or a larger --fail-if-slower may decide them"
        );
        return Ok(output::UNFINISHED.into());
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    /// The experiment's plan, every sample by itself.
    fn campaign(&self, source: Source) -> Result<Campaign> {
        let name = source.experiment.name.clone();
        let options = Options {
            overrides: Overrides {
                sets: self.sets.clone(),
                run: Run {
                    limit: self.limit,
                    mode: Some(Mode::Isolated),
                    ..Run::default()
                },
                ..Overrides::default()
            },
            choice: Choice {
                variants: self.variant.clone(),
                instances: self.instance.clone(),
                seed: self.seed,
                ..Choice::default()
            },
            ..Options::default()
        };
        Campaign::new(&name, vec![source], options)
    }

    /// Takes blocks until all is decided or the budget is used up.
    fn times(&self, arena: &Arena, duels: &mut [Duel], samples: &mut Samples) -> Result<()> {
        let bar = (
            self.budget.as_secs(),
            "times {wide_bar} {elapsed} of at most {len} s",
        );
        let started = Instant::now();
        let mut random = Random::new("ab", self.seed);
        let terms = (self.metric, self.fail_if_slower);
        progress::under_bar(bar, self.quiet, |bar| {
            decide(
                duels,
                terms,
                started + self.budget,
                &mut random,
                &mut |turn: Turn| {
                    let sample = arena.sample(turn.cell, turn.side)?;
                    samples.keep(arena, turn, &sample)?;
                    bar.set_position(started.elapsed().as_secs());
                    Ok(sample)
                },
            )
        })
    }

    fn tell(&self, found: &Found, out: &Path) -> Result<()> {
        let mut table = found.table();
        let markdown = table.to(Form::Markdown);
        let write = |path: &Path, text: &str| {
            std::fs::write(path, text).with_context(|| path.display().to_string())
        };
        write(&out.join("ab.md"), &markdown)?;
        write(&out.join("ab.csv"), &table.to(Form::Csv))?;
        if let Some(path) = &self.summary {
            // A job's summary may hold other steps' words already.
            let opened = OpenOptions::new().append(true).create(true).open(path);
            opened
                .and_then(|mut file| file.write_all(format!("{markdown}\n").as_bytes()))
                .with_context(|| path.display().to_string())?;
        }
        if let Some(path) = &self.history {
            write(
                path,
                &(serde_json::to_string_pretty(&found.history())? + "\n"),
            )?;
        }
        if self.quiet {
            return Ok(());
        }
        table.notes.push(format!(
            "Raw samples: {}",
            out.join("samples.csv").display()
        ));
        output::print_table(table, self.format)
    }
}
