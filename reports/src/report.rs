//! A run folder's tables, plots and page, from `records.csv` and `run.toml` alone.

mod failures;
mod tables;

pub use tables::decisions as decisions_table;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use ikeru_bench_data::experiment::Analysis;
use ikeru_bench_data::matrix::Values;
use ikeru_bench_data::{Experiment, Figure, InstanceSpec, PublishedSource, builtin};
use ikeru_core::Value;

use crate::analyses::{self, Finding};
use crate::charts::{self, Chart, Looks};
use crate::closing::{Closing, closing};
use crate::consoles::{Basis, throughput};
use crate::decisions::{self, Comparison};
use crate::failures::Failures;
use crate::page::{self, AnalysisBlock, Badge, Drawing, Fact, Page, Section};
use crate::records::Outcome;
use crate::run_file::{RanExperiment, RunFile};
use crate::statistics::Estimate;
use crate::summary::Summary;
use crate::table::{Cell, Content, Table, Tone, sign};
use crate::units::Quantity;
use crate::verdicts::{Judged, Verdict, judge};
use crate::{ReportError, Rows, row, shown, summary, units};

/// What was written.
#[derive(Debug)]
pub struct Report {
    /// The page.
    pub page: PathBuf,
    /// How many experiments it speaks of.
    pub experiments: usize,
    /// How many samples it speaks of.
    pub samples: usize,
    /// What went wrong in the run.
    pub failures: Failures,
    /// How many rows were checked, and how many are wrong.
    pub closing: Closing,
    /// A sentence on rows that stand twice, if any do.
    pub repeated: Option<String>,
    /// The rows.
    pub rows: Rows,
}

/// Writes `summary.csv`, `throughput.csv`, `plots/` and `index.html` of the run folder; nothing else there is changed.
///
/// # Errors
/// A run folder without `records.csv` or `run.toml`, or with such that do not read.
pub fn report(run_folder: &Path) -> Result<Report, ReportError> {
    let run = RunFile::read(run_folder)?;
    let experiments: Vec<Experiment> = run
        .experiments
        .iter()
        .map(RanExperiment::read)
        .collect::<Result<_, _>>()?;
    let mut rows = Rows::read(&run_folder.join("records.csv"))?;
    set_orders(&mut rows, &experiments, run.seed)?;
    rows.set_directions(run.directions());
    let plots = run_folder.join("plots");
    std::fs::create_dir_all(&plots).map_err(|error| ReportError::io(&plots, error))?;
    let summaries = summary::summarize(&rows, &experiments);
    summary::write(&run_folder.join("summary.csv"), &rows, &summaries)?;
    throughput::write(run_folder, &rows, &Basis::built_in()?)?;
    let failures = Failures::of(&rows);
    let decided = run_folder.join(decisions::FILE).exists();
    let folder = Folder {
        path: run_folder,
        rows: &rows,
        summaries: &summaries,
        failures: &failures,
        decisions: decided.then(|| decisions::comparisons(&rows, &experiments)),
        sources: builtin::published()?,
        again: format!("ikeru report {}", run_folder.display()),
        drawn: RefCell::default(),
    };
    let (mut sections, mut verdicts) = (Vec::new(), Vec::new());
    for experiment in &experiments {
        let judged = folder.judged(experiment)?;
        verdicts.extend(judged.iter().map(|judged| judged.verdict));
        sections.push(folder.section(experiment, &judged)?);
    }
    let page = folder.page(&run, sections, &verdicts);
    let html = page::html(&page)
        .map_err(|error| ReportError::Question(format!("the page's template: {error:#}")))?;
    let path = run_folder.join("index.html");
    std::fs::write(&path, html).map_err(|error| ReportError::io(&path, error))?;
    Ok(Report {
        page: path,
        experiments: experiments.len(),
        samples: rows.len(),
        closing: closing(&rows),
        repeated: repeated(&rows),
        failures,
        rows,
    })
}

/// Experiments, instances and variants come in the order of the run's experiments, wherever they
/// are listed: their rows are in a random one.
fn set_orders(rows: &mut Rows, experiments: &[Experiment], seed: u64) -> Result<(), ReportError> {
    rows.set_order(
        "experiment",
        experiments
            .iter()
            .map(|experiment| experiment.name.as_str()),
    );
    let (mut variants, mut instances) = (Vec::new(), Vec::new());
    for experiment in experiments {
        let specs = experiment.variant_specs()?;
        merge(&mut variants, specs.into_iter().map(|spec| spec.label));
        let specs = experiment.instance_specs(seed)?.into_iter();
        let labels = specs.filter_map(|spec| match spec {
            InstanceSpec::Generated { label, .. } => Some(label),
            InstanceSpec::Files { label, .. } => label,
        });
        merge(&mut instances, labels);
    }
    rows.set_order("label", variants.iter().map(String::as_str));
    rows.set_order("instance", instances.iter().map(String::as_str));
    rows.set_order("bound_policy", ["private", "shared"]);
    Ok(())
}

/// Adds words to an order, each new one after the word before it or, at the beginning, before the
/// first known one: two experiments rarely contradict each other.
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

/// A run folder as it was read.
struct Folder<'a> {
    path: &'a Path,
    rows: &'a Rows,
    summaries: &'a [Summary],
    failures: &'a Failures,
    /// Where the run went on until comparisons were decided.
    decisions: Option<Vec<Comparison>>,
    sources: Vec<PublishedSource>,
    /// The command that makes the tables and plots again.
    again: String,
    /// The names of the files in `plots/` that are written already.
    drawn: RefCell<HashSet<String>>,
}

impl Folder<'_> {
    fn page(&self, run: &RunFile, sections: Vec<Section>, verdicts: &[Verdict]) -> Page {
        let again = &self.again;
        Page {
            title: title(run),
            subtitle: subtitle(run, self.rows.len()),
            command: run.command.clone(),
            verdicts: counted(verdicts),
            machine: facts(run, self.rows),
            alarms: self.failures.count(Outcome::Wrong)
                + self.failures.disagreements.len()
                + self.failures.broken(),
            failure_sentence: self.failures.sentence(),
            failures: failures::groups(self.failures, again),
            sections,
            closing: format!(
                "Every figure on this page comes from records.csv in the same folder, by {again}."
            ),
            again: again.clone(),
        }
    }

    fn section(&self, experiment: &Experiment, judged: &[Judged]) -> Result<Section, ReportError> {
        let rows = self.rows;
        let own = rows.with("experiment", &experiment.name);
        let is_own = |cell: &&Summary| rows.text("experiment", cell.row) == experiment.name;
        let cells: Vec<&Summary> = self.summaries.iter().filter(is_own).collect();
        let baseline = summary::baseline_label(experiment);
        let tables = experiment.tables.iter();
        let verdicts: Vec<Verdict> = judged.iter().map(|judged| judged.verdict).collect();
        Ok(Section {
            name: experiment.name.clone(),
            title: experiment.title.clone(),
            extent: extent(rows, experiment, cells.len(), &own),
            verdicts: counted(&verdicts),
            alarms: self.failures.alarms(&experiment.name),
            stopped: self.failures.stopped(&experiment.name),
            about: experiment.about.trim().to_owned(),
            published: self.published(judged),
            plots: self.drawings(experiment)?,
            decisions: self.decided(experiment),
            analyses: self.found(experiment)?,
            tables: tables
                .map(|table| {
                    let asked = tables::asked(rows, &own, table, &self.again);
                    or_notice(asked, |missing| Table {
                        title: table.title.clone(),
                        notes: vec![missing],
                        ..Table::default()
                    })
                })
                .collect::<Result<_, _>>()?,
            pictures: shown::pictures(self.path, &experiment.name)?,
            summary: Some(tables::summary(
                rows,
                &cells,
                baseline.as_deref(),
                &self.again,
            )),
        })
    }

    /// Draws the experiment's plots into `plots/`.
    fn drawings(&self, experiment: &Experiment) -> Result<Vec<Drawing>, ReportError> {
        let baseline = summary::baseline_label(experiment);
        let own = self.rows.with("experiment", &experiment.name);
        let looks = charts::looks(self.rows, &own, baseline.as_deref());
        let figures = self.figures(experiment)?;
        let figures: Vec<&Figure> = figures.into_iter().map(|(_, figure)| figure).collect();
        let plots = experiment.plots.iter();
        plots
            .map(|plot| {
                let drawing = self.drawing(experiment, plot, &looks, &figures);
                or_notice(drawing, |missing| Drawing {
                    name: plot.name.clone(),
                    title: charts::described(plot),
                    missing,
                    ..Drawing::default()
                })
            })
            .collect()
    }

    /// `name`, or a name like it if another plot of the run has it already.
    fn file_name(&self, name: String) -> String {
        let mut drawn = self.drawn.borrow_mut();
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names
            .find(|name| drawn.insert(name.clone()))
            .unwrap_or(name)
    }

    fn drawing(
        &self,
        experiment: &Experiment,
        plot: &ikeru_bench_data::Plot,
        looks: &Looks,
        figures: &[&Figure],
    ) -> Result<Drawing, ReportError> {
        let mut plot = plot.clone();
        let own = Values::One(Value::Text(experiment.name.clone()));
        plot.only.insert("experiment".to_owned(), own);
        // Two experiments of one run may both draw a plot called `time`.
        if !plot.name.starts_with(&experiment.name) {
            plot.name = format!("{}-{}", experiment.name, plot.name);
        }
        plot.name = self.file_name(plot.name);
        let charts::Answer {
            title,
            reading,
            chart,
        } = charts::answer(&plot, self.rows, looks, figures)?;
        let mut notes = [title.notes, reading.notes].concat();
        notes.dedup();
        let mut drawing = Drawing {
            name: plot.name.clone(),
            title: title.text,
            reading: reading.text,
            notes,
            ..Drawing::default()
        };
        match chart {
            Some(chart) => drawing.svg = self.draw(&chart, &plot.name)?,
            None => drawing.missing = "not drawn, this run has no rows for it".to_owned(),
        }
        Ok(drawing)
    }

    /// Writes a chart into `plots/`, and gives it back as an SVG.
    fn draw(&self, chart: &Chart, name: &str) -> Result<String, ReportError> {
        charts::draw(chart, &self.path.join("plots").join(name))
            .map_err(|error| ReportError::Question(format!("plot {name}: {error}")))
    }

    fn found(&self, experiment: &Experiment) -> Result<Vec<AnalysisBlock>, ReportError> {
        let block = |at: usize, analysis: &Analysis| -> Result<AnalysisBlock, ReportError> {
            let Finding { mut table, chart } = analyses::analyze(self.rows, experiment, analysis)?;
            let mut block = AnalysisBlock {
                title: table.title.clone(),
                sentences: std::mem::take(&mut table.notes),
                ..AnalysisBlock::default()
            };
            if let Some(chart) = chart {
                let name = self.file_name(format!("{}-analysis-{at}", experiment.name));
                block.plots.push(Drawing {
                    svg: self.draw(&chart, &name)?,
                    title: chart.title,
                    name,
                    ..Drawing::default()
                });
            }
            if !table.heads.is_empty() {
                table.command.clone_from(&self.again);
                block.tables.push(table);
            }
            Ok(block)
        };
        let analyses = experiment.analyses.iter().zip(1..);
        analyses
            .map(|(analysis, at)| {
                or_notice(block(at, analysis), |missing| AnalysisBlock {
                    title: analysis.title.clone().unwrap_or(analysis.kind.clone()),
                    sentences: vec![missing],
                    ..AnalysisBlock::default()
                })
            })
            .collect()
    }

    /// The comparisons of the experiment, where the run was to decide them.
    fn decided(&self, experiment: &Experiment) -> Option<Table> {
        let all = self.decisions.as_ref()?.iter();
        let own = all.filter(|comparison| comparison.experiment == experiment.name);
        let own: Vec<&Comparison> = own.collect();
        (!own.is_empty()).then(|| Table {
            command: self.again.clone(),
            ..tables::decisions(&own, tables::MOST)
        })
    }

    /// The published figures that the experiment answers.
    fn figures(
        &self,
        experiment: &Experiment,
    ) -> Result<Vec<(&PublishedSource, &Figure)>, ReportError> {
        let answers = experiment.answers.iter();
        answers
            .map(|id| Ok(builtin::figure(&self.sources, id)?))
            .collect()
    }

    /// The published figures that the experiment answers, with our verdicts.
    fn judged(&self, experiment: &Experiment) -> Result<Vec<Judged<'_>>, ReportError> {
        let figures = self.figures(experiment)?.into_iter();
        figures
            .map(|(source, figure)| judge(self.rows, source, figure))
            .collect()
    }

    /// Published figures beside ours; none if the experiment answers none.
    fn published(&self, judged: &[Judged]) -> Option<Table> {
        let mut references: Vec<&str> = judged
            .iter()
            .map(|judged| judged.source.reference.as_str())
            .collect();
        references.dedup();
        let is_one = references.len() == 1;
        let row = |judged| verdict_row(judged, !is_one);
        let heads = "published claim | published (agrees within) | ours (95 % interval) | verdict | what to know";
        let source = references.first().filter(|_| is_one);
        (!judged.is_empty()).then(|| Table {
            notes: source
                .iter()
                .map(|source| format!("From: {source}."))
                .collect(),
            command: self.again.clone(),
            rows: judged.iter().map(row).collect(),
            ..Table::new("Published figures beside ours", heads)
        })
    }
}

/// What was made, or a notice in its place: one plot that cannot be drawn does not cost the page. Files that
/// cannot be written do.
fn or_notice<T>(
    made: Result<T, ReportError>,
    notice: impl FnOnce(String) -> T,
) -> Result<T, ReportError> {
    made.or_else(|error| match error {
        ReportError::Io { .. } => Err(error),
        other => Ok(notice(format!("not made: {other}"))),
    })
}

fn title(run: &RunFile) -> String {
    match run.experiments.as_slice() {
        [one] => format!("ikeru: {}", one.name),
        _ => "ikeru: solvers side by side".to_owned(),
    }
}

fn subtitle(run: &RunFile, samples: usize) -> String {
    let mut parts = vec![
        format!(
            "{} of {}",
            units::plural(samples, "sample"),
            units::plural(run.experiments.len(), "experiment")
        ),
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

/// The machine, the sessions if there are several, and what makes the run doubtful.
fn facts(run: &RunFile, rows: &Rows) -> Vec<Fact> {
    let mut pairs: Vec<(String, String)> = run
        .machine
        .iter()
        .chain(&run.versions)
        .map(|(name, value)| (name.replace('_', " "), value.clone()))
        .collect();
    if run.sessions.len() > 1 {
        let sessions = run.sessions.iter();
        pairs.extend(sessions.map(|session| {
            let name = format!("session {}", session.number);
            (name, format!("{}, by {}", session.started, session.command))
        }));
    }
    let mut doubts = run.doubts();
    doubts.extend(repeated(rows));
    if !doubts.is_empty() {
        pairs.push(("doubtful".to_owned(), doubts.join("; ")));
    }
    let fact = |(name, value)| Fact { name, value };
    pairs.into_iter().map(fact).collect()
}

/// A sentence on rows that stand twice in the file.
pub fn repeated(rows: &Rows) -> Option<String> {
    let count = rows.repeated();
    (count > 0).then(|| {
        let rows = units::plural(count, "row");
        format!("{rows} stood twice in records.csv with the same values, counted once")
    })
}

/// What ran, and what its times can be compared with: mode, bound policy, threads.
fn extent(rows: &Rows, experiment: &Experiment, cells: usize, own: &[u32]) -> String {
    let all = |column| rows.distinct(column, own);
    let threads = all("threads");
    let is_one = threads.len() == 1 && threads[0] == "1";
    [
        format!("problem {}", experiment.problem),
        units::plural(cells, "cell"),
        units::plural(own.len(), "sample"),
        format!("{} mode", all("mode").join(" and ")),
        format!("bound policy {}", all("bound_policy").join(" and ")),
        format!(
            "{} thread{}",
            threads.join(", "),
            if is_one { "" } else { "s" }
        ),
    ]
    .join(" · ")
}

fn verdict_row(judged: &Judged, names_source: bool) -> Vec<Cell> {
    let figure = judged.figure;
    let printed = match units::and_unit(figure.as_printed(), &figure.unit) {
        none if none.is_empty() => Cell::EMPTY,
        printed => Content::Printed(printed).into(),
    };
    let place = if names_source {
        format!("{}, {}", judged.source.reference, figure.place)
    } else {
        figure.place.clone()
    };
    row![
        Cell::prose(&figure.claim).with_detail(place),
        printed.with_detail(judged.band()),
        ours(judged),
        Cell::badge(judged.verdict.name(), tone(judged.verdict)),
        Cell::prose(judged.reason()),
    ]
}

/// Our figure with its interval, in the unit of the published one.
fn ours(judged: &Judged) -> Cell {
    let Some(Estimate {
        value,
        interval,
        bound,
    }) = judged.ours.map(|ours| ours.estimate)
    else {
        return Cell::EMPTY;
    };
    let word = units::with_unit(value, &judged.figure.unit);
    let ends = interval.filter(|ends| ends.low < ends.high);
    let ends = ends.map(|ends| Quantity::Plain.range(ends.low, ends.high));
    Cell::from(Content::Printed(format!("{}{word}", sign(bound))))
        .with_detail(ends.unwrap_or_default())
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Reproduced => Tone::Good,
        Verdict::Differs => Tone::Bad,
        Verdict::Calibrated | Verdict::Erratum => Tone::Warn,
        Verdict::Undecided | Verdict::NotComparable | Verdict::NotMeasured => Tone::Still,
    }
}

/// How many figures got which verdict.
fn counted(verdicts: &[Verdict]) -> Vec<Badge> {
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for verdict in verdicts {
        *counts.entry(*verdict).or_default() += 1;
    }
    let badge = |(verdict, count): (Verdict, usize)| Badge {
        text: verdict.counted(count),
        badge: tone(verdict),
    };
    counts.into_iter().map(badge).collect()
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
}
