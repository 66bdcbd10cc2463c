//! `ikeru run`: experiments, built in or from files, into a run folder.

mod expected;
mod headlines;
pub mod summary;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use ikeru_bench_data::experiment::parse_duration;
use ikeru_reports::decisions_table;
use ikeru_reports::records::bests::{FILE, Ledger};
use ikeru_reports::records::shard::Shard;
use ikeru_reports::report::ReportAsked;
use ikeru_reports::table::Form;
use ikeru_reports::units::plural;

use self::summary::Output;
pub use self::summary::TableWidth;
use super::compare::parse_percent;
use super::scope::{self, Scope};
use super::typed::Typed;
use crate::bests::ScoredExperiment;
use crate::build;
use crate::campaign::retry::Retry;
use crate::campaign::{Campaign, CampaignOptions, ExperimentSource, SessionOptions};
use crate::until::figures::Figures;
use crate::until::scores::{Scores, is_of_scores};
use crate::until::times::TimedPairs;
use crate::until::{Undecided, Until};
use crate::{machine, output, side_by_side};

/// The arguments of `run`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: ikeru run ikerukana-table --variant memo --variant bitboard --repeats 20"
)]
pub struct Arguments {
    /// Built-in experiments (ikeru list experiments), TOML files, or folders of them; `claims.toml` beside a file has the
    /// claims of a text
    #[arg(required = true, value_name = "EXPERIMENT")]
    experiments: Vec<String>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    wide: TableWidth,
}

/// The flags that `run` and `reproduce` share.
#[derive(Debug, Clone, Args)]
pub struct Common {
    #[command(flatten)]
    scope: Typed<Scope>,
    /// The run folder [default: results/NAME-TIME]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Resume the run in --out: only missing samples are taken
    #[arg(long, requires = "out")]
    resume: bool,
    /// Take failed samples again, those of all variants for the same question: `failed`, an outcome such as `crashed`,
    /// the identity of a cell, or `session:2` for all of a session
    #[arg(long, value_name = "WHAT", requires = "resume")]
    retry: Option<Retry>,
    /// A remark that `list runs` shows
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    comment: String,
    /// Print the cells, samples and expected time without running
    #[arg(long)]
    list: bool,
    /// No progress and no answers; failures are still printed
    #[arg(short, long)]
    quiet: bool,
    /// Print one JSON object: counts, answers, medians and comparisons of the variants, published figures, paths
    #[arg(long, conflicts_with = "list")]
    json: bool,
    /// Resume a run of another machine, compiler or program; its report says so
    #[arg(long, requires = "resume", hide_short_help = true, help_heading = LONG)]
    force: bool,
    /// Only the I-th of N parts of the questions, for one of several machines; `merge` joins them
    #[arg(long, value_name = "I/N", hide_short_help = true, help_heading = LONG)]
    shard: Option<Shard>,
    /// Repeat undecided comparisons with the baseline (comparisons.csv), or draw further seeds where scores or claims decide
    #[arg(long, hide_short_help = true, help_heading = LONG)]
    until_decided: bool,
    /// Time for --until-decided [default: 10m]; of `reproduce` for all of it [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, hide_short_help = true, help_heading = LONG)]
    budget: Option<Duration>,
    /// With --until-decided, the smallest difference of scores that matters, in percent
    #[arg(long, value_name = "P%", requires = "until_decided", value_parser = parse_percent, hide_short_help = true, help_heading = LONG)]
    margin: Option<f64>,
    /// True if published figures are settled after the first pass; `reproduce` sets it.
    #[arg(skip)]
    pub settles: bool,
}

/// The maximum number of comparisons in the table on the terminal; `comparisons.csv` has all of them.
const SHOWN: usize = 40;

/// The time of --until-decided.
const UNTIL_DECIDED: Duration = Duration::from_secs(600);

/// The time for which a shard waits for its folder: the task that wrote into it may have been stopped on another machine a
/// moment ago, and a file server may keep its lock.
const PATIENCE: Duration = Duration::from_secs(180);

/// The heading of the flags for runs that take hours or several machines.
const LONG: &str = "Long runs";

/// Runs one experiment, or several in order.
///
/// # Errors
/// An input error, or a failed read or write.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let common = &arguments.common;
    if common.budget.is_some() && !common.until_decided {
        bail!("--budget is the time of --until-decided, which is missing");
    }
    if !common.list {
        build::allow();
    }
    let names = arguments.experiments.iter();
    let sources = names.map(|name| ExperimentSource::read_all(name));
    let sources: Vec<Vec<ExperimentSource>> = sources.collect::<Result<_>>()?;
    let sources = sources.concat();
    let first = sources.first().map(|source| source.experiment.name.clone());
    carry_out(&first.unwrap_or_default(), sources, common, arguments.wide)
}

/// The time of `reproduce`.
const REPRODUCE: Duration = Duration::from_secs(300);

impl Common {
    /// The further samples that are asked for: for published figures and the claims of a text, for scores, or for times.
    ///
    /// # Errors
    /// With `--until-decided`, some experiments are decided by their scores and others by their times.
    fn until(&self, sources: &[ExperimentSource], is_full: bool) -> Result<Option<Until>> {
        let experiments = sources.iter().map(|source| &source.experiment);
        if !self.until_decided {
            let is_part = self.shard.is_some() || self.list;
            let budget = self.budget.unwrap_or(REPRODUCE);
            // The first pass takes hours at the full scale; the time counts from its end.
            let until = || Until::new(Box::<Figures>::default(), budget, !is_full);
            return Ok((self.settles && !is_part).then(until));
        }
        let has_claims = experiments.clone().any(|one| one.claims.is_some());
        let (scores, times): (Vec<_>, Vec<_>) = experiments.partition(|it| is_of_scores(it));
        let margin = self.margin.unwrap_or(0.0);
        let (open, is_from_now): (Box<dyn Undecided>, _) = match (&scores[..], &times[..]) {
            _ if has_claims => (Box::<Figures>::default(), false),
            ([score, ..], [time, ..]) => bail!(
                "--until-decided draws seeds for {} and repeats samples of {}: run them one after the other",
                score.name,
                time.name
            ),
            (_, []) => (Box::new(Scores::within(margin)), true),
            ([], _) => (Box::<TimedPairs>::default(), false),
        };
        let budget = self.budget.unwrap_or(UNTIL_DECIDED);
        Ok(Some(Until::new(open, budget, is_from_now)))
    }

    /// The form of the summary.
    pub fn output(&self) -> Output {
        match (self.json, self.quiet) {
            (true, _) => Output::Json,
            (false, true) => Output::Nothing,
            (false, false) => Output::Answers,
        }
    }

    /// The commands that measure one cell, by experiment.
    fn again(&self, sources: &[ExperimentSource]) -> BTreeMap<String, String> {
        scope::again(sources, &self.scope.words)
    }

    fn options(&self) -> CampaignOptions {
        let mut options = self.scope.flags.options();
        options.choice.shard = self.shard;
        options.session = SessionOptions {
            out: self.out.clone(),
            resume: self.resume,
            force: self.force,
            retry: self.retry.clone(),
            comment: self.comment.clone(),
            patience: self.shard.map_or(Duration::ZERO, |_| PATIENCE),
            quiet: self.quiet,
            ..SessionOptions::default()
        };
        options
    }
}

/// Plans, runs and reports the experiments into one run folder.
///
/// # Errors
/// An input error, or a failed read or write.
pub fn carry_out(
    name: &str,
    sources: Vec<ExperimentSource>,
    common: &Common,
    wide: TableWidth,
) -> Result<ExitCode> {
    let Some((folder, late)) = measure(name, sources, common)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let report = ikeru_book::report(&folder, ReportAsked::default())?;
    if let (Some(decisions), Output::Answers) = (&report.run.folder.decisions, common.output()) {
        let all: Vec<_> = decisions.iter().collect();
        output::print(&match all.is_empty() {
            true => "nothing to compare: no isolated cell has a baseline\n".to_owned(),
            false => decisions_table(&all, SHOWN).to(Form::Text),
        })?;
    }
    let code = summary::print(&report, common.output(), wide)?;
    late.map_or(Ok(code), Err)
}

/// Plans and runs the experiments into one run folder; `None` with `--list`. An error after the samples is returned
/// with the folder, so that the report is still written.
///
/// # Errors
/// The errors of [`carry_out`].
fn measure(
    name: &str,
    sources: Vec<ExperimentSource>,
    common: &Common,
) -> Result<Option<(PathBuf, Option<anyhow::Error>)>> {
    let mut options = common.options();
    options.session.again = common.again(&sources);
    let told = sources.iter().filter_map(|it| it.experiment.source());
    let told: Vec<String> = told.map(str::to_owned).collect();
    let scored: Vec<_> = sources.iter().filter_map(ScoredExperiment::of).collect();
    // A ledger that cannot be read is refused now, not after hours of samples.
    for scored in &scored {
        Ledger::read(&scored.folder)?;
    }
    let mut until = common.until(&sources, options.overrides.full)?;
    if let Some(Until { open, .. }) = &until {
        let doubt = open.doubt().map(str::to_owned);
        options.session.doubts.extend(doubt);
        options.session.looks = open.looks();
    }
    // A test makes the instances of the built-in experiments; the list of other experiments makes them, which checks them.
    let are_built_in = sources.iter().all(|source| source.file.is_none());
    let is_part = common.resume || !options.choice.cells.is_empty() || common.shard.is_some();
    options.choice.counts = common.list && are_built_in && !is_part;
    if !common.list {
        Campaign::check_out(&options.session)?;
        // PERF: the hash takes 30 ms, during which the plan is made.
        let _ = std::thread::Builder::new().spawn(machine::binary);
    }
    let campaign = Campaign::new(name, sources, options)?;
    if let Some(until) = &until {
        until.open.check(&campaign)?;
    }
    if common.list {
        let folder = common.out.as_deref().filter(|_| common.resume);
        expected::print(&campaign, folder)?;
        return Ok(None);
    }
    let measured = campaign.run(|session| match &mut until {
        Some(until) => until.take(session),
        None => Ok(()),
    })?;
    let notes = until.iter().flat_map(|until| until.open.notes());
    notes.for_each(|note| output::tell(&note));
    let mut late = until.and_then(|until| until.failed);
    for scored in &scored {
        match scored.update(&measured) {
            Ok(news @ 1..) if common.output() != Output::Nothing => {
                let (scores, file) = (plural(news, "new best score"), scored.folder.join(FILE));
                output::tell(&format!("{scores} in {}", file.display()));
            }
            Ok(_) => {}
            Err(error) => {
                let folder = measured.display();
                late = Some(error.context(format!(
                    "{folder} has every sample, but its best scores are not in the ledger; --resume adds them"
                )));
            }
        }
    }
    let told: Vec<&str> = told.iter().map(String::as_str).collect();
    side_by_side::record(&measured, &told, &campaign.plan.stages)?;
    Ok(Some((measured, late)))
}
