//! A campaign: experiments planned, measured and kept in one run folder. It does not depend on the command line.
//!
//! | module | owns |
//! |---|---|
//! | `opening` | the run folder and its `run.toml` |
//! | `source` | an experiment, built in or from a file |
//! | `options` | which samples a campaign takes, and how a session takes them |
//! | [`schedule`] | the next samples, and the end of sampling |
//! | [`stages`] | the stages one after the other, each in its mode |
//! | `rounds` | one sample at a time on a pinned core, in the order of a schedule |
//! | `contended` | all cores busy |
//! | [`running_scores`] | a line for each finished sample with a score |
//! | [`sampler`] | one sample: taken, recorded, kept |
//! | `hopeless` | cells that are skipped after a smaller one was over its limit |
//! | `kept` | prepared solvers between the samples of their cells |
//! | [`journal`] | `records.csv`, appended and resumed |
//! | `lock` | one writer of a run folder at a time |
//! | `pictures` | pictures of the first answers |

mod contended;
mod hopeless;
pub mod journal;
mod kept;
pub mod lock;
mod opening;
mod options;
mod pictures;
pub mod retry;
mod rounds;
pub mod running_scores;
pub mod sampler;
pub mod schedule;
mod source;
pub mod stages;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Run;
use ikeru_core::Direction;
use ikeru_reports::records::bests::Ledger;
use ikeru_reports::run_file::{RanExperiment, RunFile};
use ikeru_reports::statistics::Bound;
use ikeru_reports::summary::baseline_label;
use ikeru_reports::units::plural;

use self::hopeless::Hopeless;
use self::journal::Journal;
use self::opening::Opened;
pub use self::options::{CampaignOptions, SessionOptions};
use self::running_scores::RunningScores;
use self::sampler::Conditions;
use self::schedule::Schedule;
pub use self::source::ExperimentSource;
use crate::declared::Declared;
use crate::execute::{Executor, PerStage};
use crate::interrupt::{self, Interrupted};
use crate::machine::{self, LoadWatch, ObservedLoad};
use crate::plan::{Plan, Stage};
use crate::progress::Progress;
use crate::system::HERE;
use crate::{output, registry, slept};

/// A planned campaign.
pub struct Campaign {
    name: String,
    experiments: Vec<(Experiment, PathBuf)>,
    /// The folders of the experiments that came from a file, by the experiments' names.
    folders: BTreeMap<String, PathBuf>,
    options: CampaignOptions,
    /// Its cells.
    pub plan: Plan,
    /// The expected time of each stage.
    pub expected: Vec<Expectation>,
}

/// The expected run time of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expectation {
    /// The time that its experiment declares, in proportion to the repeats; the shortest time of its samples if it declares none.
    pub time: Duration,
    /// `AtMost` if the selection or the limit is smaller than that of the declared time; `AtLeast` without one.
    pub bound: Bound,
}

/// The doubt recorded for a session if another program changed its rows.
const CHANGED: &str =
    "another program changed records.csv during the run: its rows are not those that were measured";

impl Campaign {
    /// Plans the experiments of `sources`; `name` begins the name of a new run folder.
    ///
    /// # Errors
    /// An input error: an unknown name, a replacement that does not fit, a question that no instance takes.
    pub fn new(
        name: &str,
        sources: Vec<ExperimentSource>,
        options: CampaignOptions,
    ) -> Result<Self> {
        let mut experiments = Vec::new();
        let (mut declared, mut files) = (Vec::new(), Vec::new());
        let mut folders = BTreeMap::new();
        for source in sources {
            let (experiment, folder, file) = (source.experiment, source.folder, source.file);
            let problem = registry::problem(experiment.problem.name());
            if file.is_some() {
                let whole = std::path::absolute(folder.join("x"))?;
                let whole = whole.parent().unwrap_or(&folder).to_owned();
                folders.insert(experiment.name.clone(), whole);
            }
            files.extend(file.map(|file| (experiment.name.clone(), file)));
            let problem = problem.map_err(|error| placed(error.into(), &files))?;
            declared.push(match options.overrides.full {
                true => experiment.clone().at_full_scale().run,
                false => experiment.run.clone(),
            });
            experiments.push((options.overrides.apply(experiment, problem)?, folder));
        }
        let plan =
            Plan::new(&experiments, &options.choice).map_err(|error| placed(error, &files))?;
        let stages = plan.stages.iter().zip(&declared);
        let expected = stages.map(|(stage, usual)| expectation(stage, usual, &options));
        Ok(Self {
            name: name.to_owned(),
            expected: expected.collect(),
            experiments,
            folders,
            options,
            plan,
        })
    }

    /// The experiments as they run, in the order of the plan's stages.
    pub fn experiments(&self) -> impl Iterator<Item = &Experiment> {
        self.experiments.iter().map(|(experiment, _)| experiment)
    }

    /// Refuses an output folder that holds a run already, unless it is to be resumed.
    ///
    /// # Errors
    /// Names the folder.
    pub fn check_out(options: &SessionOptions) -> Result<()> {
        match &options.out {
            Some(out) if !options.resume => opening::check_free(out),
            _ => Ok(()),
        }
    }

    /// Takes every sample that is missing in the run folder, and then lets `more` take further ones into the open session.
    /// Returns the folder.
    ///
    /// # Errors
    /// A folder that holds another run, a failed write, an error of `more`, or [`Unfinished`].
    pub fn run(
        &self,
        more: impl FnOnce(&mut OpenSession<PerStage>) -> Result<()>,
    ) -> Result<PathBuf> {
        let (folder, ()) = self.session(&PerStage::default(), |session| {
            let has_more = self.options.session.looks > 0;
            let first: Vec<&Stage> = self.plan.first_pass(has_more).collect();
            stages::run(session.conditions, &first, session.journal)?;
            if let Some(retry) = &self.options.session.retry {
                let (conditions, plan) = (session.conditions, &self.plan);
                let taken = retry::take(conditions, plan, session.journal, &session.folder, retry)?;
                output::tell(&format!("{} again", plural(taken, "sample")));
            }
            more(session)?;
            for (experiment, stage) in self.experiments().zip(&self.plan.stages) {
                let answered = &session.journal.answered;
                pictures::draw(&session.folder, stage, experiment.pictures, answered)?;
            }
            Ok(())
        })?;
        Ok(folder)
    }

    /// Opens the run folder and lets `work` take samples by `executor` into it. Returns the folder and the result of
    /// `work`.
    ///
    /// # Errors
    /// A folder that holds another run, an error of `work`, or [`Unfinished`] if `work` was interrupted.
    pub fn session<E: Executor, T>(
        &self,
        executor: &E,
        work: impl FnOnce(&mut OpenSession<E>) -> Result<T>,
    ) -> Result<(PathBuf, T)> {
        if self.plan.stages.iter().any(|stage| stage.isolate) {
            HERE.check_groups("--isolate")?;
        }
        let options = &self.options.session;
        let new = || machine::new_folder(Path::new("results"), &self.name);
        let folder = options.out.clone().unwrap_or_else(new);
        interrupt::listen().context("signals cannot be listened to")?;
        slept::watch();
        let ran = RunFile {
            experiments: self.ran()?,
            folders: self.folders.clone(),
            ..RunFile::default()
        };
        let mut opened = opening::open(&folder, &self.plan, &self.options, ran)?;
        let about = std::fs::read(folder.join("run.toml"))?;
        let done = self.carry_out(executor, &mut opened, &folder, work);
        interrupt::over();
        match done {
            Ok(value) => Ok((folder, value)),
            Err(error) if error.is::<Interrupted>() => {
                Err(Unfinished::of(&folder, &self.options).into())
            }
            Err(error) => Err(opening::rescue(error, &mut opened.journal, &folder, &about)),
        }
    }

    /// Bars over the samples, `done` of which are finished, with the time left by the expected times.
    fn bars(&self, done: u64) -> Progress {
        let seconds = |expected: &Expectation| expected.time.as_secs_f64();
        let stages = self.plan.stages.iter().zip(&self.expected);
        let each = stages.map(|(stage, expected)| {
            let each = seconds(expected) / stage.samples().max(1) as f64;
            (stage.experiment.clone(), each)
        });
        let all = self.expected.iter().map(seconds).sum();
        let told = self.experiments.iter().filter_map(running).collect();
        Progress::new((self.plan.samples(), done), each.collect(), all, told)
    }

    /// Lets `work` take samples, and records the load of the machine meanwhile in `run.toml`.
    fn carry_out<E: Executor, T>(
        &self,
        executor: &E,
        opened: &mut Opened,
        folder: &Path,
        work: impl FnOnce(&mut OpenSession<E>) -> Result<T>,
    ) -> Result<T> {
        let watch = self.plan.is_timed().then(LoadWatch::begin);
        let cores = || std::thread::available_parallelism().ok();
        let done = opened.finished.len() as u64;
        let progress = match self.options.session.quiet {
            true => Progress::hidden(),
            false => self.bars(done),
        };
        let conditions = Conditions {
            executor,
            place: &machine::place(),
            finished: &opened.finished,
            jobs: self.options.jobs.or_else(cores).map_or(1, NonZero::get),
            session: opened.session.number,
            seed: opened.session.order_seed,
            rounds: AtomicU32::new(0),
            stop: interrupt::flag(),
            progress: &progress,
            watch: watch.as_ref(),
        };
        if done < self.plan.samples() {
            let mut stages = self.plan.stages.iter();
            stages.try_for_each(|stage| see_score_stream(executor, stage))?;
        }
        let done = work(&mut OpenSession {
            conditions: &conditions,
            campaign: self,
            journal: &mut opened.journal,
            folder: folder.to_owned(),
        });
        progress.finish();
        let error = done.as_ref().err();
        let is_orderly = error.is_none_or(anyhow::Error::is::<Interrupted>);
        if is_orderly && !opened.journal.is_removed() {
            let mut observed = watch.map_or(ObservedLoad::default(), |watch| watch.end());
            if opened.journal.is_changed()? {
                output::warn(CHANGED);
                observed.doubts.push(CHANGED.to_owned());
            }
            opening::note(folder, opened.session.number, &observed)?;
        }
        done
    }

    /// The experiments as stored in `run.toml`.
    fn ran(&self) -> Result<Vec<RanExperiment>> {
        let ran = self.experiments().map(|experiment| {
            Ok(RanExperiment {
                name: experiment.name.clone(),
                text: experiment.text().context("run.toml")?,
            })
        });
        ran.collect()
    }
}

/// An open run folder and the conditions under which samples are taken into it.
pub struct OpenSession<'a, E> {
    /// The conditions.
    pub conditions: &'a Conditions<'a, E>,
    /// The campaign with its plan.
    pub campaign: &'a Campaign,
    journal: &'a mut Journal,
    /// The run folder.
    pub folder: PathBuf,
}

impl<'a, E: Executor> OpenSession<'a, E> {
    /// The stage of an experiment whose generated instances are `times` as many: with further seeds. `None` if the
    /// campaign does not have it.
    ///
    /// # Errors
    /// An instance that cannot be made.
    pub fn drawn(&self, experiment: &str, times: u32) -> Result<Option<Stage>> {
        let mut known = self.campaign.experiments.iter();
        let Some((known, folder)) = known.find(|(known, _)| known.name == experiment) else {
            return Ok(None);
        };
        for stage in &self.campaign.plan.stages {
            let mut cells = stage.cells.iter();
            cells.try_for_each(|cell| stage.check_files(cell))?;
        }
        let mut drawn = known.clone();
        drawn.draw(0, times)?;
        let choice = &self.campaign.options.choice;
        let progress = self.conditions.progress;
        let plan = progress.aside(|| Plan::new(&[(drawn, folder.clone())], choice))?;
        Ok(plan.stages.into_iter().next())
    }

    /// Notes in `run.toml` that the instances of an experiment were multiplied, so that the command that measures one of
    /// its cells again finds it.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn note_draw(&self, experiment: &str, times: u32) -> Result<()> {
        opening::note_draw(&self.folder, experiment, times)
    }

    /// Takes the samples of a stage that are missing.
    ///
    /// # Errors
    /// A mistake in a setting, a journal that cannot be written, or an interruption.
    pub fn take_stage(&mut self, stage: &Stage) -> Result<()> {
        let progress = self.conditions.progress;
        progress.expect(stage.samples(), &stage.experiment);
        stages::run(self.conditions, &[stage], self.journal)
    }

    /// Takes the rounds of `schedule` over the cells of `stages`, one sample at a time.
    ///
    /// # Errors
    /// A mistake in a setting, a journal that cannot be written, or an interruption.
    pub fn take<'s>(&mut self, stages: &'s [Stage], schedule: &mut dyn Schedule) -> Result<()>
    where
        'a: 's,
    {
        let stages: Vec<&'s Stage> = stages.iter().collect();
        let never = |_| Hopeless::default();
        rounds::run(self.conditions, &stages, never, self.journal, schedule)
    }
}

/// An experiment whose scores are told as they come.
fn running((experiment, folder): &(Experiment, PathBuf)) -> Option<(String, RunningScores)> {
    let problem = experiment.problem.commands()?;
    let baseline = baseline_label(experiment)?;
    let running = RunningScores {
        baseline,
        direction: problem.direction,
        decimals: problem.decimals,
        bests: Ledger::read(folder).unwrap_or_default(),
        scores: HashMap::new(),
    };
    let is_told = problem.direction != Direction::Equal;
    is_told.then(|| (experiment.name.clone(), running))
}

/// Lets each variant answer until the stream of the score is known if the problem does not name it: it must not depend on the
/// order of the samples. These answers are not kept.
fn see_score_stream(executor: &impl Executor, stage: &Stage) -> Result<()> {
    let declared = registry::declared(stage.problem.name());
    let mut labels = BTreeSet::new();
    for cell in &stage.cells {
        if !declared.is_some_and(Declared::lacks_score_from) {
            break;
        }
        if labels.insert(&cell.label)
            && let Ok(asked) = sampler::ask(cell)
        {
            executor.sample(stage, cell, asked.as_ref(), &mut None)?;
            interrupt::check()?;
        }
    }
    declared.into_iter().for_each(Declared::settle);
    Ok(())
}

/// An error of an experiment from a file, with the file's name and the line that contains the unknown word.
fn placed(error: anyhow::Error, files: &[(String, (String, String))]) -> anyhow::Error {
    if error.is::<Interrupted>() {
        return Interrupted.into();
    }
    let message = format!("{error:#}");
    let is_of = |name: &str| files.len() == 1 || message.contains(&format!("experiment {name}:"));
    let Some((name, (file, text))) = files.iter().find(|(name, _)| is_of(name)) else {
        return error;
    };
    // An error of the experiment's data names it too.
    let message = message.replace(&format!("{name}: {name}: "), &format!("{name}: "));
    // A word of a plot is looked for from the plot's name on, and behind it in the message.
    let plot = message.split_once("plot `");
    let plot = plot.and_then(|(_, rest)| rest.split_once("`: "));
    let named = plot.map(|(name, _)| format!("name = \"{name}\""));
    let from = text.lines().position(|line| named.as_deref() == Some(line));
    let said = plot.map_or(message.as_str(), |(_, rest)| rest);
    // The unknown word follows `unknown …` in the message. Other messages: their first name that occurs in the file.
    let behind = said.find("unknown ").unwrap_or(0);
    let mut words = said[behind..].split('`').skip(1).step_by(2);
    let lines: Vec<&str> = text.lines().collect();
    let with = |word: &str| {
        let own = from.unwrap_or(lines.len());
        let words = [&format!("\"{word}\""), word];
        let places = [
            (own, words[0]),
            (own, words[1]),
            (0, words[0]),
            (0, words[1]),
        ];
        let found = |(from, word): &(usize, &str)| {
            let line = lines[*from..].iter().position(|line| line.contains(word));
            line.map(|line| from + line)
        };
        places.iter().find_map(found)
    };
    let line = words.find_map(with).or(from);
    match line {
        Some(line) => anyhow!("{file}:{}: {message}", line + 1),
        None => anyhow!("{file}: {message}"),
    }
}

/// The expected time of a stage, derived from the `usual` settings of its experiment.
fn expectation(stage: &Stage, usual: &Run, options: &CampaignOptions) -> Expectation {
    let expected = usual.expected_seconds;
    let Some(expected) = expected.and_then(|time| time.at(options.overrides.full)) else {
        return Expectation {
            time: stage.at_least(),
            bound: Bound::AtLeast,
        };
    };
    let limit = options.overrides.run.limit;
    let is_usual = options.choice.is_whole() && limit.is_none_or(|limit| limit >= usual.limit());
    Expectation {
        time: expected.mul_f64(f64::from(stage.repeats) / f64::from(usual.repeats())),
        bound: if is_usual {
            Bound::Exact
        } else {
            Bound::AtMost
        },
    }
}

/// A run that was interrupted, with the command that resumes it.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: every finished sample is in {}; to go on: {command}", folder.display())]
pub struct Unfinished {
    folder: PathBuf,
    command: String,
}

impl Unfinished {
    fn of(folder: &Path, options: &CampaignOptions) -> Self {
        let mut command = output::command_line();
        if options.session.out.is_none() {
            command += &format!(" --out {}", output::quoted(&folder.to_string_lossy()));
        }
        if !options.session.resume {
            command += " --resume";
        }
        Self {
            folder: folder.to_owned(),
            command,
        }
    }
}
