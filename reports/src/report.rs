//! A run folder's tables, plots and page, from `records.csv` and `run.toml` alone.

mod failures;
mod tables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ikeru_bench_data::Experiment;
use ikeru_bench_data::matrix::{Scalar, Values};

use crate::page::{self, Drawing, Fact, Page, Section};
use crate::run_file::{RanExperiment, RunFile};
use crate::{ReportError, Rows, shown, units};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The page.
    pub page: PathBuf,
    /// How many samples it speaks of.
    pub samples: usize,
    /// How many answers the referee refused.
    pub wrong: usize,
}

/// Writes `summary.csv` and `index.html` of the run folder; nothing else there is changed.
///
/// # Errors
/// A run folder without `records.csv` or `run.toml`, or with such that do not read.
pub fn report(run_folder: &Path) -> Result<Report, ReportError> {
    let run = RunFile::read(run_folder)?;
    let rows = Rows::read(&run_folder.join("records.csv"))?;
    let again = format!("ikeru report {}", run_folder.display());
    let mut sections = Vec::new();
    for ran in &run.experiments {
        sections.push(section(run_folder, &rows, ran, &again)?);
    }
    let failures = failures::failures(&rows, &again);
    let page = Page {
        title: title(&run),
        subtitle: format!(
            "{} samples of {} experiments, seed {}{}",
            units::count(rows.len() as u64),
            run.experiments.len(),
            run.seed,
            if run.scale.is_empty() {
                String::new()
            } else {
                format!(", {} scale", run.scale)
            }
        ),
        command: run.command.clone(),
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
        ..Page::default()
    };
    let html = page::html(&page)
        .map_err(|error| ReportError::Question(format!("the page's template: {error:#}")))?;
    write(&run_folder.join("index.html"), &html)?;
    write(
        &run_folder.join("summary.csv"),
        &tables::summary_csv(&page.sections),
    )?;
    Ok(Report {
        page: run_folder.join("index.html"),
        samples: rows.len(),
        wrong: failures.wrong,
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
    ran: &RanExperiment,
    again: &str,
) -> Result<Section, ReportError> {
    let experiment = Experiment::read(&format!("{}.toml", ran.name), &ran.text)?;
    let name = Scalar::Text(ran.name.clone());
    let own = rows.select(&BTreeMap::from([(
        "experiment".to_owned(),
        Values::One(name),
    )]))?;
    let cells = rows.group_by(&["cell"], &own);
    Ok(Section {
        name: ran.name.clone(),
        title: experiment.title.clone(),
        extent: format!(
            "problem {}, {} cells, {} samples, {}",
            experiment.problem,
            units::count(cells.len() as u64),
            units::count(own.len() as u64),
            rows.distinct("mode", &own).join(" and ")
        ),
        about: experiment.about.trim().to_owned(),
        plots: drawings(folder, &experiment),
        tables: experiment
            .tables
            .iter()
            .map(|table| tables::asked(rows, &own, table, again))
            .collect::<Result<_, _>>()?,
        pictures: shown::pictures(folder, &ran.name)?,
        summary: Some(tables::summary(rows, &cells, &experiment, again)),
        ..Section::default()
    })
}

/// The experiment's plots as they lie in `plots/`.
fn drawings(folder: &Path, experiment: &Experiment) -> Vec<Drawing> {
    let drawing = |plot: &ikeru_bench_data::Plot| {
        let path = folder.join("plots").join(format!("{}.svg", plot.name));
        let (svg, missing) = match std::fs::read_to_string(path) {
            Ok(svg) => (svg, String::new()),
            Err(_) => (String::new(), "not drawn, no rows for it".to_owned()),
        };
        Drawing {
            name: plot.name.clone(),
            title: plot.title.clone(),
            reading: plot.reading.clone(),
            svg,
            missing,
        }
    };
    experiment.plots.iter().map(drawing).collect()
}
