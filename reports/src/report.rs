//! Writes a run folder's tables, plots and pages, from the files of the run folder alone.

mod cells;
mod failures;
mod results;
mod section;
mod tables;

pub(crate) use results::extreme_sizes;
pub use results::{ExperimentAnswer, answers, variant_results, variants};
pub use tables::decisions as decisions_table;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ikeru_bench_data::experiment::{CommandProblem, SCORES, VariantSpec};
use ikeru_bench_data::{Experiment, InstanceSpec, builtin};
use ikeru_compare::comparison::{Comparison, columns};
use ikeru_core::Better;

use crate::analyses::analyze;
use crate::analyses::compare::CompareTerms;
use crate::analyses::rank::{self, RankTerms};
use crate::charts::{self, Width};
use crate::closing::{Closing, closing};
use crate::comparisons::{FILE, comparisons};
use crate::decisions::{self, AgainstBaseline};
use crate::failures::Failures;
use crate::frames;
use crate::metric::Metric;
use crate::page::{self, Fact, Page, Section};
use crate::records::Family;
use crate::run_file::{RanExperiment, RunFile};
use crate::summary::{self, Summary};
use crate::table::Table;
use crate::{ReportError, Result, Rows, units, whole};

/// The result of a report.
#[derive(Debug)]
pub struct Report {
    /// The folder as it was read.
    pub folder: Folder,
    /// The answer of each experiment, in the order of the page.
    pub answers: Vec<ExperimentAnswer>,
    /// The variants of the only experiment side by side.
    pub variants: Option<Table>,
}

/// The form of a report.
#[derive(Debug, Clone, Default)]
pub struct ReportAsked {
    /// The rows that it shows, and the filters that chose them in words; `None` for all.
    pub only: Option<(Vec<u32>, String)>,
    /// What the files of the plots are for.
    pub size: Width,
}

/// The content of a run folder, from which its tables and pages are made.
#[derive(Debug)]
pub struct Folder {
    /// Its path.
    pub path: PathBuf,
    /// Its `run.toml`.
    pub run: RunFile,
    /// Its experiments.
    pub experiments: Vec<Experiment>,
    /// Its rows.
    pub rows: Rows,
    /// The summary of every cell.
    summaries: Vec<Summary>,
    /// The failures of the run.
    pub failures: Failures,
    /// The part of the planned samples that is missing, one line for each experiment.
    pub unfinished: Vec<String>,
    /// The number of checked rows, and of wrong ones.
    pub closing: Closing,
    /// Each variant compared with the baseline.
    pub comparisons: Vec<Comparison>,
    /// The pairs of repeats, if the run took samples until they were decided.
    pub decisions: Option<Vec<AgainstBaseline>>,
    /// The part of the run that it shows, and what the files of its plots are for.
    asked: ReportAsked,
    /// The names of the files in `plots/` that are already written.
    drawn: Mutex<HashSet<String>>,
    /// The number of bytes that remain for later frames on the page.
    room: Mutex<usize>,
}

impl Folder {
    /// Reads a run folder.
    ///
    /// # Errors
    /// A `records.csv` or `run.toml` that is missing or cannot be read.
    pub fn read(path: &Path, asked: ReportAsked) -> Result<Self> {
        let (run, experiments, mut rows) = read(path)?;
        let (unfinished, closing) = (run.unfinished(&rows), closing(&rows));
        if let Some((kept, _)) = &asked.only {
            rows.keep(kept.clone());
        }
        let decided = run.is_until_decided();
        let compared = comparisons(&rows, &run, &experiments);
        let mut failures = Failures::of(&rows);
        // The canary doubts times alone.
        if experiments.iter().all(compares_only_scores) {
            failures.suspect = 0;
        }
        for experiment in &experiments {
            let commands = experiment.problem.commands();
            if commands.is_some_and(CommandProblem::is_unchecked) {
                failures.without_referee(&rows, &experiment.name);
            }
        }
        Ok(Self {
            path: path.to_owned(),
            summaries: summary::summarize(&rows, &experiments),
            failures,
            decisions: decided.then(|| decisions::comparisons(&rows, &experiments)),
            comparisons: compared,
            asked,
            drawn: Mutex::default(),
            room: Mutex::new(frames::ROOM),
            unfinished,
            closing,
            run,
            experiments,
            rows,
        })
    }

    /// The path of the first page.
    pub fn page_path(&self) -> PathBuf {
        self.path.join("index.html")
    }

    /// Writes `summary.csv` and `comparisons.csv`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write_tables(&self) -> Result<()> {
        let path = self.path.join("summary.csv");
        summary::table(&self.rows).write(&path, &self.summaries)?;
        // `ab` wrote its own.
        if self.comparisons.is_empty() {
            return Ok(());
        }
        columns().write(&self.path.join(FILE), &self.comparisons)
    }

    /// The page of `sections`, without them. Its title is that of the only experiment, or the titles of all.
    pub fn page<'s>(&self, sections: impl Iterator<Item = &'s Section>) -> Page {
        let (run, failures) = (&self.run, &self.failures);
        let sections: Vec<&Section> = sections.collect();
        let mut doubts = run.doubts();
        let only = self.asked.only.as_ref();
        doubts.extend(only.map(|(_, only)| format!("these pages show only the rows with {only}")));
        doubts.extend(uncounted(&self.rows));
        doubts.extend(contested(&self.rows));
        let all = |text: fn(&Section) -> &str, between| {
            let texts: Vec<&str> = sections.iter().map(|section| text(section)).collect();
            units::few(&texts, SHOWN_TITLES, between)
        };
        Page {
            title: all(|section| &section.title, " · "),
            description: all(|section| &section.answer, ". "),
            subtitle: subtitle(run, self.rows.len()),
            command: run.command.clone(),
            again: format!(
                "ikeru report {}{}",
                ikeru_core::shell_quoted(&self.path.to_string_lossy()),
                builtin::data_option()
            ),
            image: page::image(&sections).unwrap_or_default(),
            machine: facts(run),
            doubts: doubts.join("; "),
            unfinished: self.unfinished.join("; "),
            alarms: failures.alarms_of_all(),
            failure_sentence: failures.sentence(),
            failures: failures::groups(failures),
            is_divided: sections.len() > 1,
        }
    }

    /// Writes the pages by their names.
    ///
    /// # Errors
    /// A template that does not fit, or a file that cannot be written.
    pub fn write_pages(&self, pages: page::Pages) -> Result<()> {
        let pages = pages
            .map_err(|error| ReportError::Question(format!("the page's template: {error:#}")))?;
        for (name, html) in pages {
            let path = self.path.join(name);
            whole::write(&path, html).map_err(|error| ReportError::io(&path, error))?;
        }
        Ok(())
    }

    /// The table that answers an experiment: the scores of a problem of commands, or else its variants side by side.
    pub fn side_by_side(&self, experiment: &Experiment) -> Table {
        let mut all = experiment.analyses.iter();
        let scores = all.find(|analysis| analysis.kind == SCORES);
        let scores = scores.and_then(|scores| analyze(&self.rows, experiment, scores).ok());
        let mut table = scores.map_or_else(
            || variants(&self.rows, experiment, self.decisions.is_some()),
            |found| found.table,
        );
        if let Some(ranked) = self.ranked(experiment) {
            let notes = std::mem::replace(&mut table, ranked).notes;
            table.notes.splice(0..0, notes.into_iter().take(1));
        }
        table.title.clear();
        table
    }

    /// The ranking by time of an experiment whose variants all claim that their answers are proven: their scores are equal or
    /// wrong.
    fn ranked(&self, experiment: &Experiment) -> Option<Table> {
        if !is_exact(experiment) {
            return None;
        }
        let own = self.rows.with("experiment", &experiment.name);
        let metric = Metric::read("time", &[(&self.rows, &own)]).ok()?;
        let terms = RankTerms {
            compared: CompareTerms {
                is_any_clock: true,
                force: true,
                ..CompareTerms::of(metric, Better::Lower)
            },
            baseline: summary::baseline_label(experiment),
            limit: rank::limit(&self.rows, &own, Some(experiment.run.limit())),
        };
        rank::rank((&self.rows, &self.run), &own, &terms).ok()
    }

    /// The result of the report, after its pages are written.
    pub fn reported(self, answers: Vec<ExperimentAnswer>) -> Report {
        let variants = match self.experiments.as_slice() {
            [one] => Some(self.side_by_side(one)),
            _ => None,
        };
        let drawn = self.drawn.lock().map(|drawn| drawn.clone());
        let drawn = drawn.unwrap_or_default();
        remove_others(&self.path.join("plots"), &self.experiments, &drawn);
        Report {
            folder: self,
            answers,
            variants,
        }
    }
}

/// Removes the drawings of plots that the experiments no longer have: a drawing says its own name. One that cannot be
/// removed is left: nothing names it.
fn remove_others(folder: &Path, experiments: &[Experiment], plots: &HashSet<String>) {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = files.map(|file| file.path());
    for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "svg")) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = || std::fs::read_to_string(&path).unwrap_or_default();
        let signature = format!("{}<", charts::signature(&name));
        let is_own = experiments.iter().any(|one| name.starts_with(&one.name));
        if is_own && !plots.contains(&*name) && text().contains(&signature) {
            for ending in ["svg", "png", "csv"] {
                let _ = std::fs::remove_file(path.with_extension(ending));
            }
        }
    }
}

/// Reads a run folder's `run.toml`, its experiments and its rows.
///
/// # Errors
/// A `records.csv` or `run.toml` that is missing or cannot be read.
pub fn read(run_folder: &Path) -> Result<(RunFile, Vec<Experiment>, Rows)> {
    let run = RunFile::read(run_folder)?;
    let experiments = run.experiments.iter().map(RanExperiment::read);
    let experiments = experiments.collect::<Result<Vec<Experiment>, _>>()?;
    let mut rows = run.rows(run_folder, &experiments)?;
    for experiment in &experiments {
        divide(&mut rows, experiment);
    }
    set_orders(&mut rows, &experiments, run.seed)?;
    rows.defaults.clone_from(&run.defaults);
    rows.words.clone_from(&run.words);
    rows.batches.clone_from(&run.batches);
    Ok((run, experiments, rows))
}

/// Returns whether an experiment compares scores, and shows no time.
fn compares_only_scores(experiment: &Experiment) -> bool {
    let is_time = |column: &String| units::Quantity::of_column(column) == units::Quantity::Time;
    let plots = experiment.plots.iter().map(|plot| &plot.y);
    let mut shown = plots.chain(experiment.tables.iter().map(|table| &table.value));
    let has_scores = experiment.analyses.iter().any(|one| one.kind == SCORES);
    has_scores && !is_exact(experiment) && !shown.any(is_time)
}

/// Returns whether all its variants are commands that claim that their answers are proven.
pub(crate) fn is_exact(experiment: &Experiment) -> bool {
    let specs = experiment.variant_specs().unwrap_or_default();
    let is_exact = |spec: &VariantSpec| spec.foreign.as_ref().is_some_and(|it| it.exact);
    !specs.is_empty() && specs.iter().all(is_exact)
}

/// Adds the columns of intervals that tables and plots name.
fn divide(rows: &mut Rows, experiment: &Experiment) {
    let of_plots = experiment.plots.iter();
    let of_plots = of_plots
        .flat_map(|plot| [&plot.series, &plot.panels])
        .flatten();
    let of_tables = experiment.tables.iter();
    let of_tables = of_tables.flat_map(|table| [Some(&table.rows), table.columns.as_ref()]);
    for name in of_plots.chain(of_tables.flatten()) {
        rows.divide(name);
    }
}

/// Orders experiments, instances, generators and variants as in the run's experiments, because the rows have a random
/// order.
///
/// # Errors
/// A variant or an instance of an experiment that cannot be read.
pub fn set_orders(rows: &mut Rows, experiments: &[Experiment], seed: u64) -> Result<()> {
    let names = experiments.iter().map(|one| one.name.as_str());
    rows.set_order("experiment", names);
    let [mut names, mut variants, mut instances, mut generators] = [const { Vec::new() }; 4];
    for experiment in experiments {
        let specs = experiment.variant_specs()?;
        merge(&mut names, specs.iter().map(|spec| spec.name.clone()));
        merge(&mut variants, specs.into_iter().map(|spec| spec.label));
        let entries = experiment.instances.iter();
        let of_entries = entries.filter_map(|entry| entry.generator.clone());
        merge(&mut generators, of_entries);
        let specs = experiment.instance_specs(seed)?.into_iter();
        let labels = specs.filter_map(|spec| match spec {
            InstanceSpec::Generated { label, .. } => Some(label),
            InstanceSpec::Files { label, .. } => label,
        });
        merge(&mut instances, labels);
    }
    rows.set_order("variant", names.iter().map(String::as_str));
    rows.set_order("label", variants.iter().map(String::as_str));
    rows.set_order("instance", instances.iter().map(String::as_str));
    rows.set_order("generator", generators.iter().map(String::as_str));
    rows.set_order("bound_policy", ["private", "shared"]);
    Ok(())
}

/// Adds new words to an order: each after the word before it, or before the first known word. The orders of two
/// experiments rarely contradict each other.
fn merge(order: &mut Vec<String>, words: impl Iterator<Item = String>) {
    let mut words: Vec<String> = words.collect();
    words.dedup();
    let place = |order: &[String], word: &String| order.iter().position(|known| known == word);
    let first = words.iter().find_map(|word| place(order, word));
    let mut at = first.unwrap_or(order.len());
    for word in words {
        match place(order, &word) {
            Some(known) => at = known + 1,
            None => {
                order.insert(at, word);
                at += 1;
            }
        }
    }
}

/// The largest number of titles of experiments in the heading of their common page.
const SHOWN_TITLES: usize = 3;

fn subtitle(run: &RunFile, samples: usize) -> String {
    let samples = units::plural(samples, "sample");
    let experiments = units::plural(run.experiments.len(), "experiment");
    let mut parts = vec![
        format!("{samples} of {experiments}"),
        format!("seed {}", run.seed),
    ];
    if !run.scale.is_empty() {
        parts.push(format!("{} scale", run.scale));
    }
    if !run.sets.is_empty() {
        parts.push(format!("set {}", run.sets.join(" ")));
    }
    parts.join(", ")
}

/// The machine, the versions, and the sessions if there are several.
fn facts(run: &RunFile) -> Vec<Fact> {
    let known = run.machine.iter().chain(&run.versions);
    let known = known.map(|(name, value)| (name.replace('_', " "), value.clone()));
    let mut pairs: Vec<(String, String)> = known.collect();
    if run.sessions.len() > 1 {
        let sessions = run.sessions.iter();
        pairs.extend(sessions.map(|session| {
            let name = format!("session {}", session.number);
            (name, format!("{}, by {}", session.started, session.command))
        }));
    }
    let fact = |(name, value)| Fact { name, value };
    pairs.into_iter().map(fact).collect()
}

/// A sentence on lines of the file that are not counted: repeated rows, those of earlier contents of a label, attempts of one variant alone, and
/// a last line without its end.
pub fn uncounted(rows: &Rows) -> Option<String> {
    let count = rows.repeated;
    let repeated = (count > 0).then(|| {
        let rows = units::plural(count, "row");
        format!("{rows} stood twice in records.csv with the same values, counted once")
    });
    let torn = rows.is_torn.then(|| {
        "the last line of records.csv has no line break, so that it may be torn: left out"
            .to_owned()
    });
    let earlier = rows.superseded().map(|(label, count)| {
        let samples = units::plural(count, "sample");
        format!("{samples} of an earlier {label} are left out; `ikeru compare DIR:{label}#1 :{label}` compares with them")
    });
    let again = Some(rows.retried())
        .filter(|count| *count > 0)
        .map(|count| {
            let samples = units::plural(count, "sample");
            format!("{samples} were taken again: the last attempt of each counts")
        });
    let lone = Some(rows.lone_attempts()).filter(|count| *count > 0).map(|count| {
        let samples = units::plural(count, "sample");
        format!("{samples} were taken again for one variant alone: comparisons count the first attempts of both, until `--resume --retry` takes those of the others again too")
    });
    let all = repeated
        .into_iter()
        .chain(torn)
        .chain(again)
        .chain(lone)
        .chain(earlier);
    let all: Vec<String> = all.collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// What referees found in the instances themselves: the sum over the questions, as the tenths of a scenario, of each measure for which its problem
/// has the words `warning_…`.
pub fn contested(rows: &Rows) -> Vec<String> {
    let mut sentences = Vec::new();
    for (problem, words) in &rows.words {
        let warnings = words.iter();
        let warnings = warnings.filter_map(|it| Some((it.0.strip_prefix("warning_")?, it.1)));
        for (measure, word) in warnings {
            let own = rows.with("problem", problem);
            let questions = rows.group_by(&["instance_hash", "question"], &own);
            let most = |own: &Vec<u32>| {
                let values = rows.numbers(&Family::Measure.column(measure), own);
                values.into_iter().fold(0.0, f64::max)
            };
            let sum: f64 = questions.iter().map(most).sum();
            if sum > 0.0 {
                sentences.push(format!("{word}: {}", units::count(sum as usize)));
            }
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_merged_without_contradiction() {
        let mut order = Vec::new();
        for words in [
            "memo bitboard slots",
            "naive bitboard dedupe",
            "slots batch",
        ] {
            merge(&mut order, words.split(' ').map(str::to_owned));
        }
        let expected = ["memo", "naive", "bitboard", "dedupe", "slots", "batch"];
        assert_eq!(order, expected);
    }

    #[test]
    fn an_experiment_of_scores_shows_no_time_that_a_canary_could_doubt() {
        let only_scores = |more: &str| {
            let text = "name='e'\ntitle='t'\nabout='a'\nproblem='reach'\nvariants=['memo']\n\
                instances=[{generator='reach.spanning-grid'}]\n[[analyses]]\nkind='scores'\n";
            let experiment = Experiment::read("e.toml", &format!("{text}{more}"));
            compares_only_scores(&experiment.expect("it reads"))
        };
        let plot = |y: &str| format!("[[plots]]\nname='p'\nkind='bar'\ntitle='t'\ny='{y}'\n");
        assert!(only_scores("") && only_scores(&plot("score")));
        assert!(!only_scores(&plot("wall_ns")));
    }
}
