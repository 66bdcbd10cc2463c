//! One experiment on the page: answer, plots, figures, tables, analyses, pictures.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use ikeru_bench_data::experiment::Analysis;
use ikeru_bench_data::matrix::Values;
use ikeru_bench_data::{Experiment, Figure};
use ikeru_core::Value;

use super::figures::{self, PlacedFigure};
use super::tables;
use crate::analyses::{self, Finding};
use crate::charts::{self, Chart, Looks};
use crate::decisions::AgainstBaseline;
use crate::failures::Failures;
use crate::page::{AnalysisBlock, ConsoleLine, FigureRow, PageDrawing, Section, VariantNote};
use crate::run_file::RunFile;
use crate::summary::Summary;
use crate::table::Table;
use crate::{ReportError, Rows, summary, units};

/// The content of a run folder, from which its sections are made.
pub struct Folder<'a> {
    /// Its path.
    pub path: &'a Path,
    /// Its `run.toml`.
    pub run: &'a RunFile,
    /// Its rows.
    pub rows: &'a Rows,
    /// The summary of every cell.
    pub summaries: &'a [Summary],
    /// The failures of the run.
    pub failures: &'a Failures,
    /// The published figures in its scope.
    pub placed: &'a [PlacedFigure<'a>],
    /// The address of each experiment.
    pub links: &'a BTreeMap<String, String>,
    /// The comparisons, if the run took samples until they were decided.
    pub decisions: Option<Vec<AgainstBaseline>>,
    /// True if every experiment belongs to a source.
    pub all_have_sources: bool,
    /// The names of the files in `plots/` that are already written.
    pub drawn: RefCell<HashSet<String>>,
    /// The number of bytes that remain for later frames on the page.
    pub room: RefCell<usize>,
}

impl Folder<'_> {
    /// The section of one experiment; its plots are written into `plots/`.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn section(&self, experiment: &Experiment) -> Result<Section, ReportError> {
        let rows = self.rows;
        let own = rows.with("experiment", &experiment.name);
        let is_own = |cell: &&Summary| rows.text("experiment", cell.row) == experiment.name;
        let cells: Vec<&Summary> = self.summaries.iter().filter(is_own).collect();
        let baseline = summary::baseline_label(experiment);
        let answered = |one: &&PlacedFigure| experiment.answers.contains(&one.judged.figure.id);
        let placed: Vec<&PlacedFigure> = self.placed.iter().filter(answered).collect();
        let figures: Vec<&Figure> = placed.iter().map(|one| one.judged.figure).collect();
        let looks = Looks::of_experiment(rows, &own, baseline.as_deref());
        let plots = self.drawings(experiment, &looks, &figures)?;
        let (analyses, consoles) = self.found(experiment)?;
        let tables = experiment.tables.iter().map(|table| {
            or_notice(tables::asked(rows, &own, table), |missing| Table {
                title: table.title.clone(),
                notes: vec![missing],
                ..Table::default()
            })
        });
        Ok(Section {
            name: experiment.name.clone(),
            title: experiment.title.clone(),
            answer: self.answer(experiment, &plots, &looks, (&placed, consoles.first()))?,
            extent: extent(rows, experiment, cells.len(), &own),
            verdicts: figures::counted(placed.iter().copied()),
            alarms: self.failures.alarms(&experiment.name),
            stopped: self.failures.stopped(&experiment.name),
            about: experiment.about.clone(),
            why: experiment.why.clone(),
            again: self
                .run
                .again
                .get(&experiment.name)
                .cloned()
                .unwrap_or_default(),
            variants: self.variants(experiment)?,
            figures: figures::rows(placed.iter().copied(), self.links),
            tables: tables.collect::<Result<_, _>>()?,
            plots,
            decisions: self.decided(experiment),
            analyses,
            consoles,
            pictures: crate::frames::frames(
                self.path,
                &experiment.name,
                &mut self.room.borrow_mut(),
            )?,
            summary: Some(tables::summary(rows, &cells, baseline.as_deref())),
        })
    }

    /// The variants of the experiment that `run.toml` describes; it does not describe those of foreign solvers.
    fn variants(&self, experiment: &Experiment) -> Result<Vec<VariantNote>, ReportError> {
        let known = self.run.variants.get(&experiment.problem);
        let specs = experiment.variant_specs()?.into_iter();
        let notes = specs.filter_map(|spec| {
            let [about, source] = known?.get(&spec.name)?;
            Some(VariantNote {
                about: about.clone(),
                source: source.clone(),
                name: spec.name,
                label: spec.label,
            })
        });
        Ok(notes.collect())
    }

    /// The answer in one sentence. It is the first of these that exists: that nothing was solved; the answer that the
    /// experiment declares; the title of its first plot that was drawn; without plots, the first console line of an
    /// analysis; the result of its published figures; its own title.
    fn answer(
        &self,
        experiment: &Experiment,
        plots: &[PageDrawing],
        looks: &Looks,
        (placed, line): (&[&PlacedFigure], Option<&ConsoleLine>),
    ) -> Result<String, ReportError> {
        if let Some(nothing) = self.failures.nothing_solved(&experiment.name, self.rows) {
            return Ok(nothing);
        }
        if let Some(answer) = &experiment.answer {
            let Some(plot) = experiment.plots.first() else {
                return Ok(answer.clone());
            };
            let mut plot = self.of(experiment, plot);
            plot.title.clone_from(answer);
            return or_notice(
                charts::answer(&plot, self.rows, looks, &[]).map(|answer| answer.title.text),
                |missing| missing,
            );
        }
        if let Some(first) = plots.first().filter(|plot| !plot.wide.is_empty()) {
            return Ok(first.title.clone());
        }
        if let (true, Some(line)) = (plots.is_empty(), line) {
            return Ok(line.sentence.clone());
        }
        let figures = placed.iter().map(|one| figures::row(one, self.links));
        let figures: Vec<FigureRow> = figures.collect();
        Ok(figures_in_words(placed, &figures).unwrap_or_else(|| experiment.title.clone()))
    }

    /// The plot, narrowed to the rows of its experiment.
    fn of(&self, experiment: &Experiment, plot: &ikeru_bench_data::Plot) -> ikeru_bench_data::Plot {
        let mut plot = plot.clone();
        let own = Values::One(Value::Text(experiment.name.clone()));
        plot.only.insert("experiment".to_owned(), own);
        plot
    }

    /// Draws the experiment's plots into `plots/`.
    fn drawings(
        &self,
        experiment: &Experiment,
        looks: &Looks,
        figures: &[&Figure],
    ) -> Result<Vec<PageDrawing>, ReportError> {
        let plots = experiment.plots.iter();
        plots
            .map(|plot| {
                let drawing = self.drawing(experiment, plot, looks, figures);
                or_notice(drawing, |missing| PageDrawing {
                    name: plot.name.clone(),
                    title: charts::described(plot),
                    missing,
                    ..PageDrawing::default()
                })
            })
            .collect()
    }

    /// `name`, or `name` with a number if another plot of the run already has it.
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
    ) -> Result<PageDrawing, ReportError> {
        let mut plot = self.of(experiment, plot);
        // Two experiments of one run may both draw a plot called `time`.
        if !plot.name.starts_with(&experiment.name) {
            plot.name = format!("{}-{}", experiment.name, plot.name);
        }
        plot.name = self.file_name(plot.name);
        let charts::PlotAnswer {
            title,
            reading,
            chart,
        } = charts::answer(&plot, self.rows, looks, figures)?;
        let mut notes = [title.notes, reading.notes].concat();
        notes.dedup();
        let drawing = PageDrawing {
            title: title.text,
            folded: plot.folded,
            reading: reading.text,
            notes,
            ..PageDrawing::default()
        };
        match chart {
            Some(chart) => self.draw(&chart, plot.name, drawing),
            None => Ok(PageDrawing {
                name: plot.name,
                missing: "not drawn, this run has no rows for it".to_owned(),
                ..drawing
            }),
        }
    }

    /// Writes a chart into `plots/`, and adds its drawings to `said`.
    fn draw(
        &self,
        chart: &Chart,
        name: String,
        said: PageDrawing,
    ) -> Result<PageDrawing, ReportError> {
        let path = self.path.join("plots").join(&name);
        let charts::Drawn { wide, narrow } = charts::draw(chart, &path)
            .map_err(|error| ReportError::Question(format!("plot {name}: {error}")))?;
        let csv = self.path.join("plots").join(format!("{name}.csv"));
        Ok(PageDrawing {
            wide,
            narrow,
            has_csv: csv.exists(),
            name,
            ..said
        })
    }

    /// The analyses, and the console lines of the first analysis that has some.
    fn found(
        &self,
        experiment: &Experiment,
    ) -> Result<(Vec<AnalysisBlock>, Vec<ConsoleLine>), ReportError> {
        let mut consoles = Vec::new();
        let mut block = |at: usize, analysis: &Analysis| -> Result<AnalysisBlock, ReportError> {
            let finding = analyses::analyze(self.rows, experiment, analysis)?;
            let Finding {
                mut table, chart, ..
            } = finding;
            if consoles.is_empty() {
                consoles = finding.consoles;
            }
            let mut block = AnalysisBlock {
                title: table.title.clone(),
                sentences: std::mem::take(&mut table.notes),
                ..AnalysisBlock::default()
            };
            if let Some(chart) = chart {
                let name = self.file_name(format!("{}-analysis-{at}", experiment.name));
                let said = PageDrawing {
                    title: chart.title.clone(),
                    ..PageDrawing::default()
                };
                block.plots.push(self.draw(&chart, name, said)?);
            }
            if !table.heads.is_empty() {
                block.tables.push(table);
            }
            Ok(block)
        };
        let mut blocks = Vec::new();
        for (analysis, at) in experiment.analyses.iter().zip(1..) {
            blocks.push(or_notice(block(at, analysis), |missing| AnalysisBlock {
                title: analysis.title.clone().unwrap_or(analysis.kind.clone()),
                sentences: vec![missing],
                ..AnalysisBlock::default()
            })?);
        }
        Ok((blocks, consoles))
    }

    /// The comparisons of the experiment, if the run took samples until they were decided.
    fn decided(&self, experiment: &Experiment) -> Option<Table> {
        let all = self.decisions.as_ref()?.iter();
        let own = all.filter(|comparison| comparison.experiment == experiment.name);
        let own: Vec<&AgainstBaseline> = own.collect();
        (!own.is_empty()).then(|| tables::decisions(&own, tables::MOST))
    }
}

/// Replaces an error by a notice, so that a plot that cannot be drawn does not prevent the page. An error of a file is
/// returned.
fn or_notice<T>(
    made: Result<T, ReportError>,
    notice: impl FnOnce(String) -> T,
) -> Result<T, ReportError> {
    made.or_else(|error| match error {
        ReportError::Io { .. } => Err(error),
        other => Ok(notice(format!("not made: {other}"))),
    })
}

/// The extent of the experiment, and the conditions of its times: mode, bound policy, threads.
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

/// The result of the published figures of an experiment: of the only one, or the number of figures of each verdict.
fn figures_in_words(placed: &[&PlacedFigure], rows: &[FigureRow]) -> Option<String> {
    let counted: Vec<String> = figures::counted(placed.iter().copied())
        .into_iter()
        .map(|badge| badge.text)
        .collect();
    match rows.iter().find(|one| !one.ours.is_empty()) {
        Some(one) if rows.len() == 1 => {
            Some(format!("{}: ours {}, {}", one.claim, one.ours, one.verdict))
        }
        _ => (!counted.is_empty()).then(|| format!("Published figures: {}", counted.join(", "))),
    }
}
