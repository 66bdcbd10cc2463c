//! A run folder's tables, plots and page, from `records.csv` and `run.toml` alone.

mod failures;
mod tables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ikeru_bench_data::matrix::{Scalar, Values};
use ikeru_bench_data::{Experiment, PublishedSource, builtin};

use crate::closing::{Closing, closing};
use crate::page::{self, AnalysisBlock, Badge, Cell, Drawing, Fact, Page, Section, Table, Tone};
use crate::plots::{self, Looks, from_rows};
use crate::run_file::RunFile;
use crate::verdicts::{Judged, Verdict, judge};
use crate::{ReportError, Rows, analyses, shown, summary, units};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The page.
    pub page: PathBuf,
    /// How many experiments it speaks of.
    pub experiments: usize,
    /// How many samples it speaks of.
    pub samples: usize,
    /// How many answers the referee refused.
    pub wrong: usize,
    /// How many rows were checked, and how many are wrong.
    pub closing: Closing,
}

/// Writes `summary.csv`, `plots/` and `index.html` of the run folder; nothing else there is changed.
///
/// # Errors
/// A run folder without `records.csv` or `run.toml`, or with such that do not read.
pub fn report(run_folder: &Path) -> Result<Report, ReportError> {
    let run = RunFile::read(run_folder)?;
    let rows = Rows::read(&run_folder.join("records.csv"))?;
    let again = format!("ikeru report {}", run_folder.display());
    let sources = builtin::published()?;
    let plots = run_folder.join("plots");
    std::fs::create_dir_all(&plots).map_err(|error| ReportError::io(&plots, error))?;
    let mut sections = Vec::new();
    let mut experiments = Vec::new();
    for ran in &run.experiments {
        let experiment = Experiment::read(&format!("{}.toml", ran.name), &ran.text)?;
        sections.push(section(run_folder, &rows, &experiment, &sources, &again)?);
        experiments.push(experiment);
    }
    let summaries = summary::summarize(&rows, &experiments);
    summary::write(&run_folder.join("summary.csv"), &rows, &summaries)?;
    let failures = failures::failures(&rows, &again);
    let page = Page {
        title: title(&run),
        subtitle: format!(
            "{} samples of {} experiment{}, seed {}{}",
            units::count(rows.len() as u64),
            run.experiments.len(),
            if run.experiments.len() == 1 { "" } else { "s" },
            run.seed,
            if run.scale.is_empty() {
                String::new()
            } else {
                format!(", {} scale", run.scale)
            }
        ),
        command: run.command.clone(),
        verdicts: counted(&sections),
        machine: facts(&run),
        alarm: failures.wrong + failures.broken > 0,
        failure_count: failures.wrong + failures.broken,
        failure_sentence: failures.sentence,
        failures: failures.groups,
        sections,
        closing: format!(
            "Every figure on this page comes from records.csv in the same folder, by {again}."
        ),
        again,
    };
    let html = page::html(&page)
        .map_err(|error| ReportError::Question(format!("the page's template: {error:#}")))?;
    write(&run_folder.join("index.html"), &html)?;
    Ok(Report {
        page: run_folder.join("index.html"),
        experiments: experiments.len(),
        samples: rows.len(),
        wrong: failures.wrong,
        closing: closing(&rows),
    })
}

fn write(path: &Path, text: &str) -> Result<(), ReportError> {
    std::fs::write(path, text).map_err(|error| ReportError::io(path, error))
}

fn title(run: &RunFile) -> String {
    match run.experiments.as_slice() {
        [one] => format!("ikeru: {}", one.name),
        _ => "ikeru: solvers side by side".to_owned(),
    }
}

fn facts(run: &RunFile) -> Vec<Fact> {
    let pairs = run.machine.iter().chain(&run.versions);
    pairs
        .map(|(name, value)| Fact {
            name: name.replace('_', " "),
            value: value.clone(),
        })
        .collect()
}

fn section(
    folder: &Path,
    rows: &Rows,
    experiment: &Experiment,
    sources: &[PublishedSource],
    again: &str,
) -> Result<Section, ReportError> {
    let name = Scalar::Text(experiment.name.clone());
    let own = rows.select(&BTreeMap::from([(
        "experiment".to_owned(),
        Values::One(name),
    )]))?;
    let cells = rows.group_by(&["cell"], &own);
    Ok(Section {
        name: experiment.name.clone(),
        title: experiment.title.clone(),
        extent: format!(
            "problem {}, {} cells, {} samples, {}",
            experiment.problem,
            units::count(cells.len() as u64),
            units::count(own.len() as u64),
            rows.distinct("mode", &own).join(" and ")
        ),
        about: experiment.about.trim().to_owned(),
        published: published(rows, experiment, sources, again)?,
        plots: drawings(folder, rows, experiment)?,
        analyses: found(rows, experiment, again)?,
        tables: experiment
            .tables
            .iter()
            .map(|table| tables::asked(rows, &own, table, again))
            .collect::<Result<_, _>>()?,
        pictures: shown::pictures(folder, &experiment.name)?,
        summary: Some(tables::summary(rows, &cells, experiment, again)),
    })
}

/// Draws the experiment's plots into `plots/`.
fn drawings(
    folder: &Path,
    rows: &Rows,
    experiment: &Experiment,
) -> Result<Vec<Drawing>, ReportError> {
    let baseline = summary::baseline_label(experiment);
    let looks = from_rows::looks(rows, baseline.as_deref());
    let plots = experiment.plots.iter();
    plots
        .map(|plot| drawing(folder, rows, experiment, plot, &looks))
        .collect()
}

fn drawing(
    folder: &Path,
    rows: &Rows,
    experiment: &Experiment,
    plot: &ikeru_bench_data::Plot,
    looks: &Looks,
) -> Result<Drawing, ReportError> {
    let mut plot = plot.clone();
    let own = Values::One(Scalar::Text(experiment.name.clone()));
    plot.only.insert("experiment".to_owned(), own);
    // Two experiments of one run may both draw a plot called `time`.
    if !plot.name.starts_with(&experiment.name) {
        plot.name = format!("{}-{}", experiment.name, plot.name);
    }
    let mut drawing = Drawing {
        name: plot.name.clone(),
        title: plot.title.clone(),
        reading: plot.reading.clone(),
        ..Drawing::default()
    };
    match from_rows::chart(&plot, rows, looks)? {
        Some(chart) => {
            let wrong = |error| ReportError::Question(format!("plot {}: {error}", plot.name));
            plots::draw(&chart, &folder.join("plots").join(&plot.name)).map_err(wrong)?;
            drawing.svg = plots::svg(&chart).map_err(wrong)?;
            drawing.title = chart.title;
        }
        None => drawing.missing = "not drawn, this run has no rows for it".to_owned(),
    }
    Ok(drawing)
}

fn found(
    rows: &Rows,
    experiment: &Experiment,
    again: &str,
) -> Result<Vec<AnalysisBlock>, ReportError> {
    let block = |analysis| {
        let finding = analyses::analyze(rows, experiment, analysis)?;
        let table = Table {
            title: finding.title.clone(),
            command: again.to_owned(),
            heads: finding.header.into_iter().map(Cell::text).collect(),
            rows: finding
                .rows
                .into_iter()
                .map(|row| row.into_iter().map(Cell::text).collect())
                .collect(),
            ..Table::default()
        };
        Ok(AnalysisBlock {
            title: finding.title,
            sentences: finding.paragraphs,
            tables: (!table.heads.is_empty())
                .then_some(table)
                .into_iter()
                .collect(),
        })
    };
    experiment.analyses.iter().map(block).collect()
}

/// Published figures beside ours; none if the experiment answers none.
fn published(
    rows: &Rows,
    experiment: &Experiment,
    sources: &[PublishedSource],
    again: &str,
) -> Result<Option<Table>, ReportError> {
    let mut lines = Vec::new();
    for id in &experiment.answers {
        let (source, figure) = builtin::figure(sources, id)?;
        lines.push(verdict_row(&judge(rows, source, figure)?));
    }
    let heads = vec![
        Cell::prose("published claim"),
        Cell::number("published"),
        Cell::number("ours").with_detail("95 % interval"),
        Cell::text("verdict"),
        Cell::prose("why"),
    ];
    Ok((!lines.is_empty()).then(|| Table {
        title: "Published figures beside ours".to_owned(),
        command: again.to_owned(),
        heads,
        rows: lines,
        ..Table::default()
    }))
}

fn verdict_row(judged: &Judged) -> Vec<Cell> {
    let figure = judged.figure;
    let with_unit = |value: f64| format!("{} {}", units::number(value), figure.unit);
    let place = format!("{}, {}", judged.source.reference, figure.place);
    vec![
        Cell::prose(&figure.claim).with_detail(place),
        Cell::number(figure.value.map_or("–".to_owned(), with_unit)),
        tables::measured(judged.ours, with_unit),
        Cell::badge(judged.verdict.name(), tone(judged.verdict)),
        Cell::prose(judged.reason),
    ]
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Reproduced => Tone::Good,
        Verdict::Differs => Tone::Bad,
        Verdict::Erratum => Tone::Warn,
        Verdict::NotComparable | Verdict::NotMeasured => Tone::Still,
    }
}

/// How many figures got which verdict, over all sections.
fn counted(sections: &[Section]) -> Vec<Badge> {
    let mut counts: BTreeMap<(Tone, &str), usize> = BTreeMap::new();
    let tables = sections
        .iter()
        .filter_map(|section| section.published.as_ref());
    for cell in tables.flat_map(|table| &table.rows).flatten() {
        if let Some(tone) = cell.badge {
            *counts.entry((tone, &cell.text)).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .map(|((badge, name), count)| Badge {
            text: format!("{count} {name}"),
            badge,
        })
        .collect()
}
