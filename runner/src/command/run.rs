//! `ikeru run`: experiments, built in or from files, into a run folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use ikeru_bench_data::Mode;
use ikeru_bench_data::experiment::parse_duration;
use ikeru_reports::closing::Closing;
use ikeru_reports::table::{Cell, Table, filled};
use ikeru_reports::units::{count, plural};
use ikeru_reports::{Answer, Report, row};
use serde_json::{Map, Value as Json, json};

use super::scope::{self, Scope};
use super::typed::Typed;
use crate::campaign::{
    Campaign, CampaignOptions, Expectation, ExperimentSource, SessionOptions, decide,
};
use crate::output;
use crate::plan::{EqualPart, QuestionPart};

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
    #[command(flatten)]
    wide: TableWidth,
}

/// What `run`, `reproduce` and `report` share.
#[derive(Debug, Clone, Copy, Args)]
pub struct TableWidth {
    /// With all columns of the table, however narrow the terminal is
    #[arg(short, long)]
    verbose: bool,
}

impl TableWidth {
    /// The columns that a table may take.
    pub fn width(self) -> Option<usize> {
        output::width().filter(|_| !self.verbose)
    }
}

/// The flags that `run`, `reproduce` and `explain` share.
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
    /// Print the cells, samples and expected time without running
    #[arg(long)]
    list: bool,
    /// No progress and no answers; failures are still printed
    #[arg(short, long)]
    quiet: bool,
    /// Print one JSON object: counts, answers, published figures, paths
    #[arg(long, conflicts_with = "list")]
    json: bool,
    /// Resume a run of another machine, compiler or program; its report says so
    #[arg(long, requires = "resume", help_heading = LONG)]
    force: bool,
    /// Only the I-th of N parts of the questions, for one of several machines; `cluster merge` joins them
    #[arg(long, value_name = "I/N", help_heading = LONG)]
    shard: Option<EqualPart>,
    /// Retake samples during which the machine changed
    #[arg(long, help_heading = LONG)]
    rerun_suspect: bool,
    /// Repeat undecided comparisons with the baseline; writes decisions.csv
    #[arg(long, help_heading = LONG)]
    until_decided: bool,
    /// Time limit of --until-decided
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10m", requires = "until_decided",
          help_heading = LONG)]
    budget: Duration,
    /// Where to run instead of this process
    #[cfg(feature = "mpi")]
    #[arg(long, value_name = "WHERE", conflicts_with_all = ["rerun_suspect", "until_decided"], help_heading = LONG)]
    on: Option<Where>,
    /// Processes that search together for one answer, with --on mpi or --mode modelled; a,b,c is a list
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..),
          help_heading = LONG)]
    ranks: Vec<u32>,
}

/// The heading of the flags for runs that take hours or several machines.
const LONG: &str = "Long runs";

/// What takes samples besides this process.
#[cfg(feature = "mpi")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Where {
    /// The ranks of MPI, of which rank 0 hands out: mpirun -n 4 ikeru run … --on mpi
    Mpi,
}

/// Runs one experiment, or several in order.
///
/// # Errors
/// An input error, or a failed read or write.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let names = arguments.experiments.iter();
    let sources: Vec<ExperimentSource> = names
        .map(|name| ExperimentSource::read(name))
        .collect::<Result<_>>()?;
    let first = sources.first().map(|source| source.experiment.name.clone());
    carry_out(
        &first.unwrap_or_default(),
        sources,
        &arguments.common,
        arguments.wide,
    )
}

impl Common {
    /// Takes the variants of `--variant`; they no longer narrow the plan.
    pub fn take_variants(&mut self) -> Vec<String> {
        self.scope.flags.take_variants()
    }

    /// In which form the run tells what came out.
    pub fn telling(&self) -> Output {
        match (self.json, self.quiet) {
            (true, _) => Output::Json,
            (false, true) => Output::Nothing,
            (false, false) => Output::Answers,
        }
    }

    fn again(&self, sources: &[ExperimentSource]) -> BTreeMap<String, String> {
        let mut again = scope::again(sources, &self.scope.words);
        if !self.ranks.is_empty() {
            let ranks: Vec<String> = self.ranks.iter().map(u32::to_string).collect();
            let flag = format!(" --ranks={}", ranks.join(","));
            again.values_mut().for_each(|command| *command += &flag);
        }
        again
    }

    fn options(&self) -> CampaignOptions {
        let mut options = self.scope.flags.options();
        options.choice.part = self.shard.map(QuestionPart::Equal);
        options.choice.ranks = self.ranks.clone();
        options.session = SessionOptions {
            out: self.out.clone(),
            resume: self.resume,
            force: self.force,
            rerun_suspect: self.rerun_suspect,
            until_decided: self.until_decided.then_some(self.budget),
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
    let again = common.again(&sources);
    match measure(name, sources, common, again)? {
        Some(folder) => tell(
            &ikeru_reports::report(&folder)?,
            common.telling(),
            wide.width(),
        ),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Plans and runs the experiments into one run folder, and returns it; `None` with `--list`. `again` are the commands
/// that measure one cell.
///
/// # Errors
/// The errors of [`carry_out`].
pub fn measure(
    name: &str,
    sources: Vec<ExperimentSource>,
    common: &Common,
    again: BTreeMap<String, String>,
) -> Result<Option<PathBuf>> {
    let mut options = common.options();
    options.session.again = again;
    let campaign = Campaign::new(name, sources, options)?;
    check_ranks(&campaign, common)?;
    #[cfg(feature = "mpi")]
    if common.on.is_some() && !common.list {
        let mut campaign = campaign;
        return Ok(crate::ranks::measure(&mut campaign)?.map(|measured| measured.folder));
    }
    if common.list {
        list(&campaign)?;
        return Ok(None);
    }
    let measured = campaign.run()?;
    if let (Some(comparisons), Output::Answers) = (&measured.decided, common.telling()) {
        output::print(&decide::table(comparisons))?;
    }
    Ok(Some(measured.folder))
}

/// Refuses ranks that nothing starts or models.
fn check_ranks(campaign: &Campaign, common: &Common) -> Result<()> {
    #[cfg(feature = "mpi")]
    if common.on.is_some() {
        return Ok(());
    }
    let mut stages = campaign.plan.stages.iter();
    if !common.ranks.is_empty() && stages.any(|stage| stage.mode != Mode::Modelled) {
        bail!(
            "--ranks needs ranks: --on mpi (a program built with feature mpi) or --mode modelled"
        );
    }
    Ok(())
}

/// In which form a run tells what came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The answers, for people.
    Answers,
    /// One JSON object.
    Json,
    /// Nothing but what went wrong.
    Nothing,
}

/// Writes the report of a run folder and tells what came out.
///
/// # Errors
/// A folder without a run, or a failed write.
pub fn report(folder: &Path, width: Option<usize>) -> Result<ExitCode> {
    tell(&ikeru_reports::report(folder)?, Output::Answers, width)
}

/// Tells what came out of a run: how its samples ended, then the answers, the verdicts, and where the page is. The table
/// of variants takes `width` columns.
///
/// # Errors
/// When standard output is closed.
pub fn tell(report: &Report, telling: Output, width: Option<usize>) -> Result<ExitCode> {
    let code = warn(report, telling);
    match telling {
        Output::Answers => {
            output::print(&answers(report, width))?;
            output::print_link(&report.page)?;
            // Questions that are batches, as the rows of a published scenario.
            if report.answers.len() == 1 && report.rows.has("measure_queries") {
                let Closing { rows, wrong } = report.closing;
                output::print(&format!(
                    "{} answered, {} wrong\n",
                    plural(rows as usize, "row"),
                    count(wrong)
                ))?;
            }
        }
        Output::Json => output::print(&format!("{}\n", json(report)))?,
        Output::Nothing => {}
    }
    Ok(code)
}

/// Says on standard error how the samples of a run ended, and which of its rows to read with care.
pub fn warn(report: &Report, telling: Output) -> ExitCode {
    let failures = &report.failures;
    let is_worth_saying =
        telling != Output::Nothing || failures.has_wrong_answers() || failures.broken() > 0;
    if is_worth_saying {
        for line in failures.in_lines(MOST_LINES).lines() {
            output::tell(&filled(line, output::width()));
        }
    }
    for warning in report
        .repeated
        .iter()
        .map(|text| format!("warning: {text}"))
        .chain(failures.advice().map(str::to_owned))
    {
        output::tell(&warning);
    }
    match (failures.has_wrong_answers(), failures.is_without_solution()) {
        (true, _) => output::WRONG_ANSWER.into(),
        (false, true) => output::NOTHING_SOLVED.into(),
        (false, false) => ExitCode::SUCCESS,
    }
}

/// The variants side by side or an answer for each experiment, and the verdicts.
fn answers(report: &Report, of_table: Option<usize>) -> String {
    let width = output::width();
    let mut text = String::new();
    if let Some(variants) = &report.variants {
        text += &format!("{}\n", variants.within(of_table).trim_end());
        text.push('\n');
    }
    match report.answers.as_slice() {
        [one] => text += &(filled(&one.text, width) + "\n"),
        several => {
            let mut table = Table::new("", "mark | experiment | answer");
            let mark = |answer: &Answer| if answer.alarms == 0 { "✓" } else { "✗" };
            let rows = several.iter();
            table
                .rows
                .extend(rows.map(|one| row![mark(one), &one.experiment, &one.text]));
            text += &table.body(width);
        }
    }
    if !report.verdicts.is_empty() {
        let counted: Vec<&str> = report
            .verdicts
            .iter()
            .map(|one| one.text.as_str())
            .collect();
        let sentence = format!("Published figures: {}.", counted.join(" · "));
        text += &format!("\n{}\n", filled(&sentence, width));
    }
    text + "\n"
}

/// The same for programs.
pub fn json(report: &Report) -> Json {
    let failures = &report.failures;
    let counts = failures.counts.iter();
    let counts: Map<String, Json> = counts
        .map(|(outcome, count)| (outcome.name().to_owned(), json!(count)))
        .collect();
    json!({
        "page": report.page,
        "samples": report.samples,
        "outcomes": counts,
        "disagreements": failures.disagreements.len(),
        "questions": { "answered": report.closing.rows, "wrong": report.closing.wrong },
        "answers": report.answers,
        "figures": report.figures,
    })
}

fn list(campaign: &Campaign) -> Result<()> {
    let plan = &campaign.plan;
    let mut table = Table::new("", "experiment | cells | samples | expected");
    for (stage, expected) in plan.stages.iter().zip(&campaign.expected) {
        table.rows.push(row![
            &stage.experiment,
            stage.cells.len(),
            stage.samples() as usize,
            expected_in_words(*expected)
        ]);
    }
    if let Some(all) = campaign.expected.iter().copied().reduce(and) {
        let samples = plan.samples() as usize;
        table.rows.push(row![
            "together",
            Cell::EMPTY,
            samples,
            expected_in_words(all)
        ]);
    }
    output::print(&table.lines())
}

/// Both one after the other. The weaker statement stands for both; `below` and `at least` together are `about`.
fn and(a: Expectation, b: Expectation) -> Expectation {
    use Expectation::{About, AtLeast, Below};
    let (About(first) | Below(first) | AtLeast(first)) = a;
    let (About(second) | Below(second) | AtLeast(second)) = b;
    let both = first.saturating_add(second);
    match (a, b) {
        (Below(_), Below(_) | About(_)) | (About(_), Below(_)) => Below(both),
        (AtLeast(_), AtLeast(_) | About(_)) | (About(_), AtLeast(_)) => AtLeast(both),
        _ => About(both),
    }
}

fn expected_in_words(expected: Expectation) -> String {
    match expected {
        Expectation::About(time) => format!("about {}", in_words(time)),
        Expectation::Below(time) => format!("below {}", in_words(time)),
        Expectation::AtLeast(time) => format!("at least {}", in_words(time)),
    }
}

fn in_words(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..120 => format!("{:.0} s", time.as_secs_f64()),
        seconds @ 120..7200 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_times_add_up_to_the_weaker_statement() {
        let seconds = Duration::from_secs;
        let about = |n| Expectation::About(seconds(n));
        assert_eq!(and(about(4), about(5)), about(9));
        assert_eq!(
            and(about(4), Expectation::Below(seconds(5))),
            Expectation::Below(seconds(9))
        );
        let least = Expectation::AtLeast(seconds(5));
        assert_eq!(expected_in_words(and(least, about(90))), "at least 95 s");
        assert_eq!(expected_in_words(about(4)), "about 4.0 s");
        assert_eq!(expected_in_words(about(8 * 3600)), "about 8.0 h");
    }
}
