//! `ikeru run`: experiments, built in or from files, into a run folder.

mod opening;

use std::fmt;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use ikeru_bench_data::experiment::parse_duration;
use ikeru_bench_data::{Experiment, Mode, builtin};
use ikeru_reports::decisions::{self, Comparison};
use ikeru_reports::run_file::RanExperiment;

use self::opening::Opened;
use crate::execute::{Executor, PerStage};
use crate::interrupt::{self, Interrupted};
use crate::journal::Journal;
use crate::machine::{self, Watch};
use crate::plan::{Choice, Plan, Shard, Stage};
use crate::progress::Progress;
use crate::schedule::{Rounds, Schedule};
use crate::{decide, input, output, pictures, registry, suspects};

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

/// Runs one experiment, or several one after the other.
///
/// # Errors
/// The person's mistake, or that of a file or a disk.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let names = arguments.experiments.iter();
    let sources: Vec<Source> = names
        .map(|name| read_experiment(name))
        .collect::<Result<_>>()?;
    let first = sources.first().map(|source| source.experiment.name.clone());
    carry_out(&first.unwrap_or_default(), sources, &arguments.common)
}

/// An experiment and the folder that its globs are relative to.
pub struct Source {
    /// As the file says.
    pub experiment: Experiment,
    /// Where its files lie.
    pub folder: PathBuf,
}

/// A built-in experiment, or that of a file.
///
/// # Errors
/// An unknown name, with the nearest known one, or a file that is wrong.
pub fn read_experiment(name: &str) -> Result<Source> {
    let path = Path::new(name);
    if path.extension().is_some_and(|ending| ending == "toml") || path.is_file() {
        let (_, text) = input::read_text(path)?;
        let experiment = Experiment::read(name, &text)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        return Ok(Source { experiment, folder });
    }
    built_in(name)
}

/// A built-in experiment.
///
/// # Errors
/// An unknown name, with the nearest known one.
pub fn built_in(name: &str) -> Result<Source> {
    Ok(Source {
        experiment: builtin::experiment(name)?,
        folder: PathBuf::new(),
    })
}

impl Common {
    /// What `--variant` said, and no more a narrowing.
    pub fn take_variants(&mut self) -> Vec<String> {
        std::mem::take(&mut self.variant)
    }

    /// The experiment as it runs: at its scale, with every replacement made and every variant named.
    fn apply(&self, mut experiment: Experiment) -> Result<Experiment> {
        if self.full {
            experiment = experiment.at_full_scale();
        }
        experiment.full = None;
        let problem = registry::problem(&experiment.problem)?;
        let variants = problem.variants();
        let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
        experiment.name_variants(&names);
        let is_setting = |key: &str| {
            let of_variants = variants.iter().flat_map(|variant| variant.settings);
            problem
                .settings()
                .iter()
                .chain(of_variants)
                .any(|setting| setting.name == key)
        };
        for set in &self.sets {
            let (key, value) = set
                .split_once('=')
                .ok_or_else(|| anyhow!("--set {set}: expected key=value"))?;
            experiment.set(key.trim(), value.trim(), is_setting)?;
        }
        let run = &mut experiment.run;
        run.limit = self.limit.or(run.limit);
        run.repeats = self.repeats.or(run.repeats);
        run.hopeless_along = match &self.skip_hopeless {
            Some(Some(column)) => Some(column.clone()),
            Some(None) => run.hopeless_along.take().or(Some("size".to_owned())),
            None => run.hopeless_along.take(),
        };
        run.isolate = self.isolate.then_some(true).or(run.isolate);
        if self.memory.is_some() && run.isolate != Some(true) {
            bail!("--memory limits processes of their own: it needs --isolate");
        }
        run.memory_mib = self.memory.or(run.memory_mib);
        let mode = self.mode.map(|mode| match mode {
            ModeName::Isolated => Mode::Isolated,
            ModeName::Contended => Mode::Contended,
        });
        run.mode = mode.or(run.mode);
        Ok(experiment)
    }

    /// The seed that `--seed` names.
    fn choice(&self) -> Choice {
        Choice {
            variants: self.variant.clone(),
            instances: self.instance.clone(),
            seed: self.seed,
            shard: self.shard,
        }
    }
}

/// Plans, runs and reports the experiments into one run folder.
///
/// # Errors
/// The person's mistake, or that of a file or a disk.
pub fn carry_out(name: &str, sources: Vec<Source>, common: &Common) -> Result<ExitCode> {
    match measure(name, sources, common)? {
        Some(folder) => report(&folder),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Plans and runs the experiments into one run folder, and says which; none with `--list`.
///
/// # Errors
/// As [`carry_out`].
pub fn measure(name: &str, sources: Vec<Source>, common: &Common) -> Result<Option<PathBuf>> {
    let mut experiments = Vec::new();
    let mut ran = Vec::new();
    for source in sources {
        let experiment = common.apply(source.experiment)?;
        ran.push(RanExperiment {
            name: experiment.name.clone(),
            text: experiment.text().context("run.toml")?,
        });
        experiments.push((experiment, source.folder));
    }
    let find = |name: &str| Ok(registry::problem(name)?);
    let plan = Plan::new(&experiments, &common.choice(), &find, &|problem, path| {
        input::read_instance(problem, path)
    })?;
    if common.list {
        list(&plan)?;
        return Ok(None);
    }
    let folder = match &common.out {
        Some(folder) => folder.clone(),
        None => PathBuf::from("results").join(format!("{name}-{}", machine::time_stamp())),
    };
    let isolated = plan.stages.iter().any(|stage| stage.mode == Mode::Isolated);
    if common.until_decided && !isolated {
        bail!("--until-decided compares times, which needs --mode isolated");
    }
    interrupt::listen().context("signals cannot be listened to")?;
    let mut opened = opening::open(&folder, &plan, common, ran)?;
    let about = std::fs::read(folder.join("run.toml"))?;
    let taken = take_samples(&plan, &experiments, &mut opened, (&folder, common));
    interrupt::over();
    let decided = match taken {
        Err(error) if error.is::<Interrupted>() => {
            return Err(Unfinished::of(&folder, common).into());
        }
        taken => {
            taken.map_err(|error| opening::rescue(error, &mut opened.journal, &folder, &about))?
        }
    };
    if let Some(comparisons) = decided {
        decisions::write(&folder.join(decisions::FILE), &comparisons)?;
        output::print(&decide::table(&comparisons))?;
    }
    if experiments
        .iter()
        .any(|(experiment, _)| experiment.pictures > 0)
    {
        let answered = pictures::answered(&folder.join("records.csv"))?;
        for ((experiment, _), stage) in experiments.iter().zip(&plan.stages) {
            pictures::draw(&folder, stage, experiment.pictures, &answered)?;
        }
    }
    Ok(Some(folder))
}

/// Takes every sample that is missing, and notes in `run.toml` what the machine did meanwhile.
fn take_samples(
    plan: &Plan,
    experiments: &[(Experiment, PathBuf)],
    opened: &mut Opened,
    (folder, common): (&Path, &Common),
) -> Result<Option<Vec<Comparison>>> {
    let is_timed = plan.stages.iter().any(|stage| stage.mode == Mode::Isolated);
    let watch = is_timed.then(Watch::begin);
    let cores = || std::thread::available_parallelism().ok();
    let progress = Progress::new(plan.samples(), opened.finished.len() as u64);
    let schedule = Schedule {
        executor: &PerStage::default(),
        finished: &opened.finished,
        jobs: common.jobs.or_else(cores).map_or(1, NonZero::get),
        session: opened.session.number,
        seed: opened.session.order_seed,
        rounds: Rounds::default(),
        stop: interrupt::flag(),
        progress: &progress,
    };
    let journal = &mut opened.journal;
    let taken = schedule
        .run(plan, journal)
        .and_then(|()| go_on(&schedule, plan, experiments, journal, folder, common));
    progress.finish();
    let is_orderly = taken
        .as_ref()
        .err()
        .is_none_or(anyhow::Error::is::<Interrupted>);
    if let Some(watch) = watch.filter(|_| is_orderly && !journal.is_removed()) {
        opening::note(folder, opened.session.number, &watch)?;
    }
    taken
}

/// A run that was interrupted, and how to go on with it.
#[derive(Debug)]
pub struct Unfinished {
    folder: PathBuf,
    command: String,
}

impl Unfinished {
    fn of(folder: &Path, common: &Common) -> Self {
        let mut command = output::command_line();
        if common.out.is_none() {
            command += &format!(" --out {}", output::quoted(&folder.to_string_lossy()));
        }
        if !common.resume {
            command += " --resume";
        }
        Self {
            folder: folder.to_owned(),
            command,
        }
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "interrupted: every finished sample is in {}; to go on: {}",
            self.folder.display(),
            self.command
        )
    }
}

impl std::error::Error for Unfinished {}

/// What is run beyond the plan: suspect samples again, and repeats for comparisons that are open.
fn go_on<E: Executor>(
    schedule: &Schedule<E>,
    plan: &Plan,
    experiments: &[(Experiment, PathBuf)],
    journal: &mut Journal,
    folder: &Path,
    common: &Common,
) -> Result<Option<Vec<Comparison>>> {
    let records = folder.join("records.csv");
    if common.rerun_suspect {
        suspects::rerun(schedule, plan, journal, &records)?;
    }
    if !common.until_decided {
        return Ok(None);
    }
    let experiments: Vec<Experiment> = experiments.iter().map(|(e, _)| e.clone()).collect();
    let what = (plan, &experiments[..]);
    decide::until_decided(schedule, what, journal, &records, common.budget).map(Some)
}

/// Writes the report of a run folder, says what went wrong, the worst first, and where the page is.
///
/// # Errors
/// A folder without a run, or a disk that refuses.
pub fn report(folder: &Path) -> Result<ExitCode> {
    let report = ikeru_reports::report(folder)?;
    eprint!("{}", report.failures.in_lines(MOST_LINES));
    if let Some(repeated) = &report.repeated {
        eprintln!("warning: {repeated}");
    }
    let page = report.page.display();
    let rows = format!(
        "{} rows, {} wrong",
        report.closing.rows, report.closing.wrong
    );
    // Of one experiment the last line is its result, of several where they all stand.
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

fn list(plan: &Plan) -> Result<()> {
    let mut text = format!(
        "{:24} {:>7} {:>8}  {}\n",
        "experiment", "cells", "samples", "at most"
    );
    for stage in &plan.stages {
        let most = stage.at_most();
        text += &format!(
            "{:24} {:>7} {:>8}  {}\n",
            stage.experiment,
            stage.cells.len(),
            stage.samples(),
            in_words(most)
        );
    }
    let all = plan.stages.iter().map(Stage::at_most);
    let most = all.fold(Duration::ZERO, Duration::saturating_add);
    text += &format!(
        "{:24} {:>7} {:>8}  {}\n",
        "together",
        "",
        plan.samples(),
        in_words(most)
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
