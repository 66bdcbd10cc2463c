//! `ikeru ab`: two builds on the same cells in one session; exit code 1 on a decided regression.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ikeru_bench_data::Mode;
use ikeru_bench_data::experiment::{VariantEntry, parse_duration};
use ikeru_compare::comparison;
use ikeru_compare::layouts::FEWEST;
use ikeru_core::Random;
use ikeru_reports::comparisons;
use ikeru_reports::metric::Metric;
use ikeru_reports::table::Form;
use ikeru_reports::{visible, whole};

use super::compare::{self, parse_percent};
use super::scope::Asked;
use crate::ab::blocks::{BlockSchedule, Timing};
use crate::ab::build::{Build, WORKING_TREE};
use crate::ab::commands::{Questions, is_experiment};
use crate::ab::findings::BuildFindings;
use crate::ab::preview::{AnsweredBy, Preview, Previews};
use crate::ab::sides::{are_revisions_of_commands, with_commands, with_layouts, with_revisions};
use crate::ab::{Builds, HEAD, OtherCommands, compared, copies, take_others};
use crate::build;
use crate::campaign::{Campaign, ExperimentSource, OpenSession, SessionOptions};
use crate::interrupt::Interrupted;
use crate::output::{self, Format};
use crate::plan::Stage;
use crate::progress;

/// The arguments of `ab`.
#[derive(Debug, Args)]
#[command(
    override_usage = "ikeru ab [OPTIONS] <COMMAND> <COMMAND>\n       ikeru ab [OPTIONS] <BASE> [HEAD] <EXPERIMENT>\n       ikeru ab [OPTIONS] --base-command <C> --head-command <C> <EXPERIMENT>",
    after_help = "\
Examples:
  ikeru ab './old {file}' './new {file}' --files 'in/*'
  ikeru ab 'gzip -9' 'zstd -19' --stdin data.bin
  ikeru ab main ikerukana-table --variant bitboard
  ikeru ab v0.1 my-branch challeran-prunings --budget 5m --must-decide --summary pull-request.md
  ikeru ab ./ikeru-before ./ikeru-after mine.toml --metric cpu
  ikeru ab HEAD~1 . mine.toml --metric counter:nodes --fail-if-slower 3%
  ikeru ab --base-command './old {instance}' --head-command './new {instance}' mine.toml

BASE and HEAD are revisions, which are built once and kept under target/ab, or binaries; `.` is the working \
tree, the default of HEAD. Where all variants are commands, each revision's `prepare` builds its own programs. Commands \
replace the command of the experiment's variant, in any language.
Exit code 1: head is decided to be slower, lost an answer or has a worse one; with commands that score, head is decided to \
score worse, and with --fail-if-slower to be slower.
Exit code 75: with --must-decide, something of this was left undecided; or the session was interrupted."
)]
pub struct Arguments {
    /// Two commands in quotes; or two builds and an experiment (built in, or the path of a TOML file)
    #[arg(num_args = 1..=3, required = true, value_names = ["BASE", "HEAD", "EXPERIMENT"])]
    what: Vec<String>,
    /// The command of base, in place of a build: program and arguments, separated by blanks
    #[arg(long, value_name = "C", requires = "head_command")]
    base_command: Option<String>,
    /// The command of head
    #[arg(long, value_name = "C", requires = "base_command")]
    head_command: Option<String>,
    #[command(flatten)]
    asked: Asked,
    /// What is compared: `wall` time, `cpu` time on a machine that is shared, or counter:NAME, which needs two answers a side
    #[arg(long, value_name = "M", default_value = "wall", value_parser = parse_metric)]
    metric: Metric,
    /// Time limit of the timed samples [default: 2m; 20s where scores decide]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    budget: Option<Duration>,
    /// The slowdown of head that is tolerated [default: 1%; of commands that score: any]
    #[arg(long, value_name = "P%", value_parser = parse_percent)]
    fail_if_slower: Option<f64>,
    /// Link each side this many times, with its code in another order: the interval then speaks of the source, not of the
    /// addresses of this build. Commands have a program of each, with {layout} in its name
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(FEWEST as i64..=100))]
    layouts: Option<u32>,
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
    #[command(flatten)]
    questions: Questions,
}

/// The time of the timed samples without `--budget`, and where scores decide.
const LONGEST: Duration = Duration::from_secs(120);
const BRIEF: Duration = Duration::from_secs(20);

fn parse_metric(word: &str) -> Result<Metric, String> {
    match word.split_once(':') {
        None if word == "wall" => Ok(Metric::Wall),
        None if word == "cpu" => Ok(Metric::Cpu),
        Some(("counter", name)) => Ok(Metric::Counter(name.to_owned())),
        _ => Err(format!(
            "expected wall, cpu or counter:NAME, found `{word}`"
        )),
    }
}

/// Makes the builds, previews and times the cells, and prints the findings.
///
/// # Errors
/// A side that is no build, an input error, a failed write, or builds of which neither can be asked.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    build::allow();
    let own = std::env::current_exe().context("this program")?;
    let own = own.to_string_lossy();
    let here = std::env::current_dir().context("the current folder")?;
    let AskedSides {
        builds: [base, head],
        experiment,
        commands,
        source,
    } = arguments.sides(&own)?;
    let campaign = arguments.campaign(source, commands.is_some())?;
    let mut stages = campaign.plan.stages.clone();
    let others = take_others(&mut stages);
    let stages = &stages;
    if stages.iter().all(|stage| stage.cells.is_empty()) {
        bail!("{experiment}: no cell is left to compare");
    }
    // Commands are linked by their own builds.
    let linked = arguments.layouts.filter(|_| commands.is_none());
    let of = |name| Build::of(name, &here, linked);
    let [base, head] = [of(base)?, of(head)?];
    arguments.tell_longest(stages);
    let builds = Builds::of(&base, &head);
    let (out, taken) = campaign.session(&builds, |session| {
        arguments.take(session, &builds, (stages, &others))
    })?;
    let (previews, timings, interrupted) = taken;
    let findings = BuildFindings {
        stages,
        builds: [&base, &head],
        previews: &previews,
        timings: &timings,
        clock: arguments.metric.clone(),
        margin: arguments.margin(),
        layouts: arguments.layouts,
        is_time_asked: arguments.fail_if_slower.is_some(),
        commands,
        is_output_unread: arguments.are_typed() && !arguments.questions.have_scores(),
    };
    arguments.print(&findings, &out)?;
    if let cells @ 1.. = findings.unjudged() {
        let cells = ikeru_reports::units::plural(cells, "cell");
        output::tell(&format!(
            "the referee failed on {cells}, and neither side gets a score there"
        ));
    }
    let regressions = findings.regressions();
    if !regressions.is_empty() {
        output::print_regressions(&regressions);
        return Ok(output::REGRESSION.into());
    }
    if interrupted {
        output::tell("interrupted: the table holds what was known by then");
        return Ok(output::UNFINISHED.into());
    }
    if let Some(why) = findings.nothing() {
        return Err(nothing(experiment, stages, why));
    }
    if !arguments.metric.is_time() {
        let labels: BTreeSet<&str> = compared(stages).map(|at| at.cell.label.as_str()).collect();
        let mut all = findings.table().comparisons;
        let gate = (arguments.fail_if_slower, arguments.format);
        let code = compare::sides_of(&out, &labels, &arguments.metric.word(), gate, &mut all);
        whole::write(&out.join(comparisons::FILE), comparison::csv(&all))
            .with_context(|| out.display().to_string())?;
        return code;
    }
    let undecided = findings.undecided() + findings.unjudged();
    if arguments.must_decide && undecided > 0 {
        let all = ikeru_reports::units::plural(undecided, "comparison");
        output::tell(&format!(
            "undecided: {all}; a longer --budget or a larger --fail-if-slower may decide them"
        ));
        return Ok(output::UNFINISHED.into());
    }
    Ok(ExitCode::SUCCESS)
}

/// The error of a session without an answer.
fn nothing(experiment: &str, stages: &[Stage], why: &str) -> anyhow::Error {
    let limit = stages.iter().map(|stage| stage.limit).max();
    let limit = ikeru_reports::units::about(limit.unwrap_or_default().as_nanos() as f64);
    anyhow!(
        "{experiment}: nothing was compared, no cell has an answer within {limit} (--limit): {why}"
    )
}

/// The sides that the command line names.
struct AskedSides<'a> {
    /// The programs or revisions of base and head.
    builds: [&'a str; 2],
    experiment: &'a str,
    /// The commands of base and head, if commands are compared.
    commands: Option<[String; 2]>,
    source: ExperimentSource,
}

impl Arguments {
    /// Returns whether the sides are two commands without a file of an experiment.
    fn are_typed(&self) -> bool {
        matches!(self.what.as_slice(), [_, head] if !is_experiment(head))
    }

    /// The sides; `own` is this program, which asks commands.
    ///
    /// # Errors
    /// Too few or too many words, or an experiment that is wrong.
    fn sides<'a>(&'a self, own: &'a str) -> Result<AskedSides<'a>> {
        let flags = self.base_command.clone().zip(self.head_command.clone());
        let (builds, experiment) = match (self.what.as_slice(), &flags) {
            ([base, head, experiment], None) => ([base.as_str(), head], experiment),
            ([base, head], None) if self.are_typed() => {
                let mut source = self.questions.source([base, head])?;
                if let [VariantEntry::Table(base), VariantEntry::Table(head)] =
                    &mut source.experiment.variants[..]
                {
                    // Both are called the commands: a line on `base` would speak of head.
                    base.label = Some("commands".to_owned());
                    head.label = Some(format!("commands{HEAD}"));
                }
                return Ok(AskedSides {
                    builds: [own; 2],
                    experiment: base,
                    commands: Some([base.clone(), head.clone()]),
                    source,
                });
            }
            ([base, experiment], None) => ([base.as_str(), WORKING_TREE], experiment),
            ([experiment], Some(_)) => ([own; 2], experiment),
            (_, Some(_)) => bail!("--base-command and --head-command need EXPERIMENT alone"),
            (_, None) => bail!("expected two commands, or BASE, HEAD and EXPERIMENT"),
        };
        let mut source = ExperimentSource::read(experiment)?;
        if flags.is_none() && are_revisions_of_commands(builds, &source) {
            with_revisions(&mut source, &self.asked.variant, builds, self.layouts)?;
            return Ok(AskedSides {
                builds: [own; 2],
                experiment,
                commands: Some(builds.map(str::to_owned)),
                source,
            });
        }
        if let Some((base, head)) = &flags {
            let (chosen, commands) = (&self.asked.variant, [&**base, head]);
            let copied = with_commands(&mut source.experiment, chosen, commands);
            copied.with_context(|| experiment.clone())?;
        }
        Ok(AskedSides {
            builds,
            experiment,
            commands: flags.map(|(base, head)| [base, head]),
            source,
        })
    }

    /// The slowdown above which head is called slower.
    fn margin(&self) -> f64 {
        self.fail_if_slower.unwrap_or(0.01)
    }

    /// Says how long the session takes at most, before it begins.
    fn tell_longest(&self, stages: &[Stage]) {
        let cells = compared(stages).count();
        let cells = ikeru_reports::units::plural(cells, "cell");
        let then = match self.metric.is_time() {
            false => {
                let limit = stages.iter().map(|stage| stage.limit).max();
                let limit = limit.unwrap_or_default().as_nanos() as f64;
                let limit = ikeru_reports::units::about(limit);
                let repeats = stages.first().map_or(0, |stage| stage.repeats);
                format!("{repeats} answers of each side, at most {limit} each")
            }
            true => {
                let budget = self.budget.unwrap_or(LONGEST).as_nanos() as f64;
                let budget = ikeru_reports::units::about(budget);
                format!("an answer of each side, then at most {budget} of times")
            }
        };
        if !self.quiet {
            output::tell(&format!("{cells}: {then}"));
        }
    }

    /// The experiment's plan, every sample by itself.
    fn campaign(&self, mut source: ExperimentSource, commands: bool) -> Result<Campaign> {
        if self.layouts.is_some() && !self.metric.is_time() {
            bail!("--layouts: a counter is that of every layout; expected --metric wall or cpu");
        }
        if let Some(layouts) = self.layouts.filter(|_| commands) {
            with_layouts(&mut source, layouts)?;
        }
        let name = source.experiment.name.clone();
        let mut options = self.asked.options();
        options.overrides.run.mode = Some(Mode::Isolated);
        if commands {
            options.choice.variants.clear();
        }
        options.session = SessionOptions::quiet(self.out.clone());
        let mut campaign = Campaign::new(&format!("ab-{name}"), vec![source], options)?;
        if self.layouts.is_some() {
            campaign.plan.add_layouts();
        }
        if !self.metric.is_time() {
            // Counters that two repeats have alike in several cells are exact; in a single cell four are not alike by chance.
            let cells = campaign.plan.stages.iter().flat_map(|stage| &stage.cells);
            let labels: Vec<&str> = cells.map(|cell| cell.label.as_str()).collect();
            let of_first = labels.iter().filter(|label| **label == labels[0]).count();
            let repeats = if of_first > 1 { 2 } else { 4 };
            for stage in &mut campaign.plan.stages {
                stage.repeats = repeats;
            }
        }
        Ok(campaign)
    }

    /// Takes previews, then blocks until everything is decided or the budget is used up. Also returns whether it was
    /// interrupted.
    fn take(
        &self,
        session: &mut OpenSession<Builds>,
        builds: &Builds,
        (stages, others): (&[Stage], &OtherCommands),
    ) -> Result<(Vec<Preview>, Vec<Timing>, bool)> {
        let timed = copies(stages, others, self.layouts);
        let layouts = self.layouts.unwrap_or(1) as usize;
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
            let mut schedule = Previews {
                builds,
                cells: compared(stages).collect(),
                copies: &brief,
                layouts,
                seen: &seen,
                previews: Vec::new(),
                base_fails: None,
                tried: None,
            };
            let interrupted = is_interrupted(session.take(&brief, &mut schedule))?;
            anyhow::Ok((schedule.finish()?, interrupted))
        })?;
        let both = compared(stages).zip(&previews);
        let both = both.filter(|(_, preview)| preview.answered == AnsweredBy::Both);
        let places: Vec<_> = both
            .map(|(at, _)| (at.place, at.cell.label.clone()))
            .collect();
        let with_scores = previews.iter().any(|preview| preview.scores.is_some());
        let timings = Timing::among(&places, self.margin(), with_scores, self.layouts);
        if interrupted {
            return Ok((previews, timings, true));
        }
        if !self.metric.is_time() {
            // The first repeats are the previews.
            for stage in brief {
                let second = Stage {
                    first_repeat: 1,
                    ..stage
                };
                if is_interrupted(session.take_stage(&second))? {
                    return Ok((previews, timings, true));
                }
            }
            return Ok((previews, Vec::new(), false));
        }
        let template = "times {wide_bar} {elapsed} of at most {len} s";
        let mut scores = previews.iter().map(|preview| preview.scores);
        let is_brief = self.fail_if_slower.is_none() && scores.all(|it| it.is_some());
        let usual = if is_brief { BRIEF } else { LONGEST };
        let budget = self.budget.unwrap_or(usual);
        let bar = (budget.as_secs(), template);
        let began = Instant::now();
        progress::under_bar(bar, self.quiet, |bar| {
            let seen = || bar.set_position(began.elapsed().as_secs());
            let mut blocks = BlockSchedule {
                timings,
                clock: self.metric.clone(),
                margin: self.margin(),
                layouts,
                end: began + budget,
                random: Random::new("ab", self.asked.seed),
                seen: &seen,
                last: None,
            };
            let interrupted = is_interrupted(session.take(&timed, &mut blocks))?;
            Ok((previews, blocks.timings, interrupted))
        })
    }

    fn print(&self, findings: &BuildFindings, out: &Path) -> Result<()> {
        let table = findings.table();
        let markdown = visible(&table.to(Form::Markdown)).into_owned();
        let write = |path: &Path, text: &str| {
            whole::write(path, text).with_context(|| path.display().to_string())
        };
        write(&out.join("ab.md"), &markdown)?;
        write(&out.join("ab.csv"), &table.to(Form::Csv))?;
        let all = comparison::csv(&table.comparisons);
        write(&out.join(comparisons::FILE), &all)?;
        if let Some(path) = &self.summary {
            // The summary of a job may already contain the text of other steps.
            let opened = OpenOptions::new().append(true).create(true).open(path);
            let written = opened.and_then(|mut file| writeln!(file, "{markdown}"));
            written.with_context(|| path.display().to_string())?;
        }
        if let Some(path) = &self.history {
            let history = serde_json::to_string_pretty(&findings.history())?;
            write(path, &(history + "\n"))?;
        }
        if self.quiet || !self.metric.is_time() {
            return Ok(());
        }
        let mut table = match self.format.form() {
            Form::Text => findings.brief_table(),
            _ => table,
        };
        let records = out.join("records.csv");
        table.note(format!("Raw samples: {}", records.display()));
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
