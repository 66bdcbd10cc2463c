//! `ikeru run`: experiments, built in or from files, into a run folder.

mod expected;
mod headlines;
pub mod summary;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use ikeru_bench_data::experiment::parse_duration;
use ikeru_reports::records::bests::{FILE, Ledger};
use ikeru_reports::records::shard::Shard;
use ikeru_reports::report::ReportAsked;
use ikeru_reports::run_file;
use ikeru_reports::summary::baseline_label;
use ikeru_reports::units::plural;

use self::summary::Output;
pub use self::summary::TableWidth;
use super::compare::parse_percent;
use super::scope::{self, Scope};
use super::typed::Typed;
use crate::bests::ScoredExperiment;
use crate::build;
use crate::campaign::retry::Retry;
use crate::campaign::{
    Campaign, CampaignOptions, CampaignResult, ExperimentSource, SessionOptions, decide,
};
use crate::execute::PerStage;
use crate::fresh_seeds::{FreshSeeds, is_of_scores};
use crate::machine;
use crate::output;
use crate::reproduce::settle::{LOOKS, Settle};
use crate::reproduce::side_by_side;

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
    /// The time from the beginning in which published figures are settled; `reproduce` sets it.
    #[arg(skip)]
    settle: Option<Duration>,
    /// True if that time counts from the end of the first pass; --until-decided sets it for the claims of a text.
    #[arg(skip)]
    is_after: bool,
}

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
    let mut common = common.clone();
    if sources.iter().any(|one| one.experiment.claims.is_some()) {
        common.settle_claims();
    }
    let first = sources.first().map(|source| source.experiment.name.clone());
    carry_out(&first.unwrap_or_default(), sources, &common, arguments.wide)
}

/// The time of `reproduce`.
const REPRODUCE: Duration = Duration::from_secs(300);

impl Common {
    /// Settles published figures after the first pass, unless only a part of the samples is requested.
    pub fn settle(&mut self) {
        let is_part = self.shard.is_some() || self.until_decided || self.list;
        if !is_part {
            self.settle = Some(self.budget.unwrap_or(REPRODUCE));
        }
    }

    /// With --until-decided, settles the claims of a text instead of comparisons with the baseline.
    fn settle_claims(&mut self) {
        if std::mem::take(&mut self.until_decided) {
            self.settle = Some(self.budget.unwrap_or(UNTIL_DECIDED));
            self.is_after = true;
        }
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

    /// Takes the samples of the campaign.
    fn take(&self, campaign: &Campaign, is_full: bool) -> Result<CampaignResult> {
        let Some(budget) = self.settle else {
            return campaign.run();
        };
        // The first pass takes hours at the full scale; the time counts from its end.
        let began = (!is_full && !self.is_after).then(Instant::now);
        let mut settle = Settle { budget, began };
        campaign.run_with(&PerStage::default(), |session| settle.take(session))
    }

    /// Takes the samples of the campaign, and further seeds until the order by score is decided. Returns also why the
    /// seeds ended early, if they did.
    fn take_seeds(
        &self,
        campaign: &Campaign,
        budget: Duration,
    ) -> Result<(CampaignResult, Option<anyhow::Error>)> {
        let mut seeds = FreshSeeds::begin(budget, self.margin.unwrap_or(0.0));
        let result = campaign.run_with(&PerStage::default(), |session| seeds.take(session))?;
        for experiment in &seeds.exhausted {
            output::tell(&format!(
                "{experiment}: a pair is still open, but further seeds bring no new instance: all instances are files, or the generator ignores its seed"
            ));
        }
        for pair in &seeds.within_margin {
            output::tell(&format!(
                "{pair}: undecided, but a difference of `--margin` would have been found with a chance of 80 %: no seeds are drawn for it"
            ));
        }
        Ok((result, seeds.failed))
    }

    fn options(&self) -> CampaignOptions {
        let mut options = self.scope.flags.options();
        options.choice.shard = self.shard;
        let budget = self.budget.unwrap_or(UNTIL_DECIDED);
        options.session = SessionOptions {
            out: self.out.clone(),
            resume: self.resume,
            force: self.force,
            retry: self.retry.clone(),
            comment: self.comment.clone(),
            until_decided: self.until_decided.then_some(budget),
            looks: self.settle.map_or(0, |_| LOOKS),
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
    let until = options.session.until_decided;
    let are_scores = are_of_scores(&sources, until.is_some())?;
    if are_scores && options.session.until_decided.take().is_some() {
        let doubt = "seeds were drawn until the scores were decided: the decisions hold, and no interval of this page does";
        options.session.doubts.push(doubt.to_owned());
    } else if until.is_some() {
        options
            .session
            .doubts
            .push(run_file::UNTIL_DECIDED.to_owned());
    }
    let is_full = options.overrides.full;
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
    if are_scores && common.until_decided {
        check_baselines(&campaign)?;
    }
    if common.list {
        let folder = common.out.as_deref().filter(|_| common.resume);
        expected::print(&campaign, folder)?;
        return Ok(None);
    }
    let (measured, mut late) = match until.filter(|_| are_scores) {
        Some(budget) => common.take_seeds(&campaign, budget)?,
        None => (common.take(&campaign, is_full)?, None),
    };
    for scored in &scored {
        match scored.update(&measured.folder) {
            Ok(news @ 1..) if common.output() != Output::Nothing => {
                let (scores, file) = (plural(news, "new best score"), scored.folder.join(FILE));
                output::tell(&format!("{scores} in {}", file.display()));
            }
            Ok(_) => {}
            Err(error) => {
                let folder = measured.folder.display();
                late = Some(error.context(format!(
                    "{folder} has every sample, but its best scores are not in the ledger; --resume adds them"
                )));
            }
        }
    }
    let told: Vec<&str> = told.iter().map(String::as_str).collect();
    side_by_side::record(&measured.folder, &told, &campaign.plan.stages)?;
    if let (Some(comparisons), Output::Answers) = (&measured.decided, common.output()) {
        output::print(&decide::table(comparisons))?;
    }
    Ok(Some((measured.folder, late)))
}

/// Returns whether the experiments are decided by their scores.
///
/// # Errors
/// With `--until-decided`, some of them are and others are decided by their times.
fn are_of_scores(sources: &[ExperimentSource], until_decided: bool) -> Result<bool> {
    let experiments = sources.iter().map(|source| &source.experiment);
    let (scores, times): (Vec<_>, Vec<_>) = experiments.partition(|it| is_of_scores(it));
    if let (true, [score, ..], [time, ..]) = (until_decided, &scores[..], &times[..]) {
        let (score, time) = (&score.name, &time.name);
        bail!(
            "--until-decided draws seeds for {score} and repeats samples of {time}: run them one after the other"
        );
    }
    Ok(times.is_empty())
}

/// Refuses to draw seeds for scores without the variant with which the others are compared.
fn check_baselines(campaign: &Campaign) -> Result<()> {
    for (stage, experiment) in campaign.plan.stages.iter().zip(campaign.experiments()) {
        let is_there = |label: &String| stage.cells.iter().any(|cell| cell.label == *label);
        if let Some(label) = baseline_label(experiment).filter(|label| !is_there(label)) {
            let name = &stage.experiment;
            bail!(
                "{name}: --until-decided compares with the baseline `{label}`, which was not chosen; add it, or name another `baseline`"
            );
        }
    }
    Ok(())
}
