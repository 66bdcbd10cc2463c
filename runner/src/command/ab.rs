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
use ikeru_reports::whole;

use super::compare::parse_percent;
use crate::ab::blocks::{BlockSchedule, Clock, Timing};
use crate::ab::build::{Build, WORKING_TREE};
use crate::ab::findings::BuildFindings;
use crate::ab::preview::{AnsweredBy, Preview, Previews};
use crate::ab::{Builds, compared, copies};
use crate::campaign::{Campaign, CampaignOptions, ExperimentSource, OpenSession, SessionOptions};
use crate::interrupt::Interrupted;
use crate::output::{self, Format};
use crate::plan::{Selection, Stage};
use crate::progress;

/// The arguments of `ab`.
#[derive(Debug, Args)]
#[command(
    override_usage = "ikeru ab [OPTIONS] <BASE> [HEAD] <EXPERIMENT>",
    after_help = "\
Examples:
  ikeru ab main ikerukana-table --variant bitboard
  ikeru ab v0.1 my-branch challeran-prunings --budget 5m --must-decide --summary pull-request.md
  ikeru ab ./ikeru-before ./ikeru-after mine.toml --metric cpu

BASE and HEAD are revisions, which are built once and kept under target/ab, or binaries; `.` is the working
tree, the default of HEAD. Exit code 1: head is decided to be slower, lost an answer or has a worse one.
Exit code 75: with --must-decide, times were left undecided; or the session was interrupted."
)]
pub struct Arguments {
    /// Two builds and an experiment (built in, or the path of a TOML file)
    #[arg(num_args = 2..=3, required = true, value_names = ["BASE", "HEAD", "EXPERIMENT"])]
    what: Vec<String>,
    /// Only this variant, by name or label; may be repeated
    #[arg(long, value_name = "V")]
    variant: Vec<String>,
    /// Only instances whose name contains this; may be repeated
    #[arg(long, value_name = "I")]
    instance: Vec<String>,
    /// Replace a parameter or a setting; a,b,c is a list, 'KEY="a,b"' one value with a comma
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Shift all generated instances to other seeds, and the order of samples
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Time limit of one answer, like 60s
    #[arg(long, value_parser = parse_duration)]
    limit: Option<Duration>,
    /// The clock: wall time, or CPU time on a machine that is shared
    #[arg(long, value_name = "M", default_value = "wall")]
    metric: Clock,
    /// Time limit of the timed samples
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "2m")]
    budget: Duration,
    /// The slowdown of head that is tolerated
    #[arg(long, value_name = "P%", value_parser = parse_percent, default_value = "1%")]
    fail_if_slower: f64,
    /// End with 75 if the budget did not decide every cell
    #[arg(long)]
    must_decide: bool,
    /// The run folder, with ab.md and ab.csv [default: results/ab-NAME-TIME]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Append the result as Markdown, for a pull request or a job's summary
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Write head's times as JSON for a history of benchmarks: name, unit, value, range
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// No progress and no table; regressions are still printed
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    format: Format,
}

/// Makes the builds, previews and times the cells, and prints the findings.
///
/// # Errors
/// A side that is no build, an input error, a failed write, or builds of which neither can be asked.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (base, head, experiment) = match arguments.what.as_slice() {
        [base, head, experiment] => (base.as_str(), head.as_str(), experiment),
        [base, experiment] => (base.as_str(), WORKING_TREE, experiment),
        _ => bail!("expected BASE, HEAD and EXPERIMENT"),
    };
    let here = std::env::current_dir().context("the current folder")?;
    let campaign = arguments.campaign(ExperimentSource::read(experiment)?)?;
    let stages = &campaign.plan.stages;
    if stages.iter().all(|stage| stage.cells.is_empty()) {
        bail!("{experiment}: no cell is left to compare");
    }
    let [base, head] = [Build::of(base, &here)?, Build::of(head, &here)?];
    let builds = Builds::new(&base, &head);
    let (out, taken) =
        campaign.session(&builds, |session| arguments.take(session, &builds, stages))?;
    let (previews, timings, interrupted) = taken;
    let findings = BuildFindings {
        stages,
        builds: [&base, &head],
        previews: &previews,
        timings: &timings,
        clock: arguments.metric,
        margin: arguments.fail_if_slower,
    };
    arguments.print(&findings, &out)?;
    let regressions = findings.regressions();
    if !regressions.is_empty() {
        output::print_regressions(&regressions);
        return Ok(output::REGRESSION.into());
    }
    if interrupted {
        output::tell("interrupted: the table holds what was known by then");
        return Ok(output::UNFINISHED.into());
    }
    if arguments.must_decide && findings.undecided() > 0 {
        let cells = ikeru_reports::units::plural(findings.undecided(), "cell");
        output::tell(&format!(
            "undecided: {cells}; a longer --budget or a larger --fail-if-slower may decide them"
        ));
        return Ok(output::UNFINISHED.into());
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    /// The experiment's plan, every sample by itself.
    fn campaign(&self, source: ExperimentSource) -> Result<Campaign> {
        let name = source.experiment.name.clone();
        let options = CampaignOptions {
            overrides: Overrides {
                sets: self.sets.clone(),
                run: Run {
                    limit: self.limit,
                    mode: Some(Mode::Isolated),
                    ..Run::default()
                },
                ..Overrides::default()
            },
            choice: Selection {
                variants: self.variant.clone(),
                instances: self.instance.clone(),
                seed: self.seed,
                ..Selection::default()
            },
            session: SessionOptions {
                out: self.out.clone(),
                // This command draws the bars; those of the session are hidden.
                quiet: true,
                ..SessionOptions::default()
            },
            ..CampaignOptions::default()
        };
        Campaign::new(&format!("ab-{name}"), vec![source], options)
    }

    /// Takes previews, then blocks until everything is decided or the budget is used up. Also returns whether it was
    /// interrupted.
    fn take(
        &self,
        session: &mut OpenSession<Builds>,
        builds: &Builds,
        stages: &[Stage],
    ) -> Result<(Vec<Preview>, Vec<Timing>, bool)> {
        let timed = copies(stages);
        let brief = |stage: &Stage| Stage {
            sample: Duration::ZERO,
            warm_up: Duration::ZERO,
            ..stage.clone()
        };
        let brief: Vec<Stage> = timed.iter().map(brief).collect();
        let count = stages.iter().map(|stage| stage.cells.len() as u64).sum();
        let bar = (count, "answers and counters {wide_bar} {pos}/{len} cells");
        let (previews, interrupted) = progress::under_bar(bar, self.quiet, |bar| {
            let seen = || bar.inc(1);
            let mut schedule = Previews::new(builds, stages, &brief, &seen);
            let interrupted = is_interrupted(session.take(&brief, &mut schedule))?;
            anyhow::Ok((schedule.finish()?, interrupted))
        })?;
        let both = compared(stages).zip(&previews);
        let both = both.filter(|(_, preview)| preview.answered == AnsweredBy::Both);
        let timings = Timing::among(&both.map(|(at, _)| at.place).collect::<Vec<_>>());
        if interrupted {
            return Ok((previews, timings, true));
        }
        let bar = (
            self.budget.as_secs(),
            "times {wide_bar} {elapsed} of at most {len} s",
        );
        let began = Instant::now();
        progress::under_bar(bar, self.quiet, |bar| {
            let seen = || bar.set_position(began.elapsed().as_secs());
            let terms = (self.metric, self.fail_if_slower);
            let random = Random::new("ab", self.seed);
            let mut blocks = BlockSchedule::new(timings, terms, began + self.budget, random, &seen);
            let interrupted = is_interrupted(session.take(&timed, &mut blocks))?;
            Ok((previews, blocks.timings, interrupted))
        })
    }

    fn print(&self, findings: &BuildFindings, out: &Path) -> Result<()> {
        let mut table = findings.table();
        let markdown = table.to(Form::Markdown);
        let write = |path: &Path, text: &str| {
            whole::write(path, text).with_context(|| path.display().to_string())
        };
        write(&out.join("ab.md"), &markdown)?;
        write(&out.join("ab.csv"), &table.to(Form::Csv))?;
        if let Some(path) = &self.summary {
            // The summary of a job may already contain the text of other steps.
            let opened = OpenOptions::new().append(true).create(true).open(path);
            opened
                .and_then(|mut file| file.write_all(format!("{markdown}\n").as_bytes()))
                .with_context(|| path.display().to_string())?;
        }
        if let Some(path) = &self.history {
            write(
                path,
                &(serde_json::to_string_pretty(&findings.history())? + "\n"),
            )?;
        }
        if self.quiet {
            return Ok(());
        }
        table.notes.push(format!(
            "Raw samples: {}",
            out.join("records.csv").display()
        ));
        output::print_table(table, self.format)
    }
}

/// Returns whether samples ended with an interruption.
///
/// # Errors
/// Any other error.
fn is_interrupted(taken: Result<()>) -> Result<bool> {
    match taken {
        Err(error) if error.is::<Interrupted>() => Ok(true),
        taken => taken.map(|()| false),
    }
}
