//! One experiment on the page: answer, plots, figures, tables, analyses, pictures.

use std::sync::PoisonError;

use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::{Analysis, SCORES, VariantSpec};
use ikeru_bench_data::matrix::Values;
use ikeru_core::Value;

use super::{Folder, cells, results, tables};
use crate::analyses;
use crate::charts::{self, Chart, Looks, QuotedValue, Wording};
use crate::decisions::AgainstBaseline;
use crate::frames::frames;
use crate::page::{AnalysisBlock, PageDrawing, Section, VariantNote};
use crate::summary::Summary;
use crate::table::Table;
use crate::{ReportError, Result, Rows, summary, units};

impl Folder {
    /// The section of one experiment; its plots are written into `plots/`. They show those of the `quoted` values whose
    /// rows are exactly those of a mark.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn section(&self, experiment: &Experiment, quoted: &[QuotedValue]) -> Result<Section> {
        let rows = &self.rows;
        let own = rows.with("experiment", &experiment.name);
        let is_own = |cell: &&Summary| rows.text("experiment", cell.row) == experiment.name;
        let cells: Vec<&Summary> = self.summaries.iter().filter(is_own).collect();
        let baseline = summary::baseline_label(experiment);
        let looks = Looks::of_experiment(rows, &own, baseline.as_deref());
        let plots = self.drawings(experiment, &looks, quoted)?;
        let tables = experiment.tables.iter().map(|table| {
            or_notice(tables::asked(rows, &own, table), |missing| Table {
                title: table.title.clone(),
                notes: vec![missing],
                ..Table::default()
            })
        });
        let mut tables = tables.collect::<Result<Vec<_>, _>>()?;
        let is_alone = self.experiments.len() == 1;
        let has_scores = experiment.analyses.iter().any(|it| it.kind == "scores");
        if is_alone && !has_scores {
            let side_by_side = Table {
                title: "The variants side by side".to_owned(),
                ..results::variants(rows, experiment, self.decisions.is_some())
            };
            tables.insert(0, side_by_side);
        }
        tables.iter_mut().for_each(tables::shorten);
        let (analyses, said) = self.found(experiment)?;
        let again = self.run.again.get(&experiment.name).cloned();
        let again = again.unwrap_or_default();
        let data = cells::data(rows, &cells, experiment, (&again, &looks));
        let data = data.filter(|json| is_alone || json.len() <= MOST_DATA);
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Section {
            cells: data.unwrap_or_default(),
            legend: String::new(),
            name: experiment.name.clone(),
            title: experiment.title.clone(),
            answer: self.answer(experiment, (&plots, said), &looks)?,
            extent: extent(rows, experiment, cells.len(), &own),
            alarms: self.failures.alarms(&experiment.name),
            stopped: self.failures.stopped(&experiment.name),
            about: experiment.about.clone(),
            why: experiment.why.clone(),
            again,
            variants: self.variants(experiment)?,
            tables,
            plots,
            decisions: self.decided(experiment),
            analyses,
            pictures: frames(&self.path, &experiment.name, &mut room)?,
            summary: Some(tables::summary(rows, &cells, baseline.as_deref())),
        })
    }

    /// The variants of the experiment: those that `run.toml` describes, and the commands.
    fn variants(&self, experiment: &Experiment) -> Result<Vec<VariantNote>> {
        let known = self.run.variants.get(experiment.problem.name());
        let specs = experiment.variant_specs()?.into_iter();
        let is_shown =
            |spec: &VariantSpec| self.asked.only.is_none() || self.rows.some("label", &spec.label);
        let notes = specs.filter(is_shown).filter_map(|spec| {
            let command = spec.foreign.map(|foreign| {
                let command = foreign.program().join(" ");
                [format!("the command `{command}`"), String::new()]
            });
            let described = || known?.get(&spec.name).cloned();
            let [about, source] = command.or_else(described)?;
            Some(VariantNote {
                about,
                source,
                name: spec.name,
                label: spec.label,
            })
        });
        let mut notes: Vec<VariantNote> = notes.collect();
        // A variant may have an entry for each of its settings.
        notes.dedup_by(|a, b| (&a.label, &a.name) == (&b.label, &b.name));
        Ok(notes)
    }

    /// The answer in one sentence. It is the first of these that exists: that nothing was solved; the answer that the
    /// experiment declares; the answer that an analysis `said`, if it compares scores or there are no plots; the title of
    /// the first plot that was drawn; its own title.
    fn answer(
        &self,
        experiment: &Experiment,
        (plots, said): (&[PageDrawing], Option<String>),
        looks: &Looks,
    ) -> Result<String> {
        if let Some(nothing) = self.failures.nothing_solved(&experiment.name, &self.rows) {
            return Ok(nothing);
        }
        if let Some(answer) = &experiment.answer {
            let Some(plot) = experiment.plots.first() else {
                return Ok(answer.clone());
            };
            let mut plot = self.of(experiment, plot);
            plot.title.clone_from(answer);
            return or_notice(
                charts::answer(&plot, &self.rows, looks, &[]).map(|answer| answer.title.text),
                |missing| missing,
            );
        }
        let has_scores = experiment.analyses.iter().any(|one| one.kind == SCORES);
        if let Some(said) = said.filter(|_| has_scores || plots.is_empty()) {
            return Ok(said);
        }
        let first = plots.first().filter(|plot| !plot.wide.is_empty());
        Ok(first.map_or_else(|| experiment.title.clone(), |plot| plot.title.clone()))
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
        quoted: &[QuotedValue],
    ) -> Result<Vec<PageDrawing>> {
        let own = self.rows.with("experiment", &experiment.name);
        let wording = Wording::of(&self.rows, &own);
        let plots = experiment.plots.iter();
        plots
            .map(|plot| {
                let drawing = self.drawing(experiment, plot, looks, quoted);
                or_notice(drawing, |missing| PageDrawing {
                    name: plot.name.clone(),
                    title: charts::described(plot, wording),
                    missing,
                    ..PageDrawing::default()
                })
            })
            .collect()
    }

    /// `name`, or `name` with a number if another plot of the run already has it.
    pub fn file_name(&self, name: String) -> String {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
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
        quoted: &[QuotedValue],
    ) -> Result<PageDrawing> {
        let mut plot = self.of(experiment, plot);
        plot.name = self.file_name(experiment.file_of(&plot));
        let made = charts::answer(&plot, &self.rows, looks, quoted)?;
        let mut notes = [made.title.notes, made.reading.notes].concat();
        notes.dedup();
        let drawing = PageDrawing {
            title: made.title.text,
            folded: plot.folded,
            reading: made.reading.text,
            notes,
            ..PageDrawing::default()
        };
        match made.chart {
            Some(chart) => self.draw(&chart, plot.name, drawing),
            None => {
                let again = self.run.again.get(&experiment.name);
                let takes = again.map(|again| format!("; `{again}` takes some"));
                let own = self.rows.with("experiment", &experiment.name);
                let own = self.rows.narrow(&own, &plot.only)?;
                let missing = if own.iter().any(|row| self.rows.ran(*row)) {
                    "no mark is known: samples failed, were stopped or have no such value"
                        .to_owned()
                } else {
                    "this run has no sample of it yet".to_owned() + &takes.unwrap_or_default()
                };
                Ok(PageDrawing {
                    name: plot.name,
                    missing,
                    ..drawing
                })
            }
        }
    }

    /// Writes a chart into `plots/`, and adds its drawings to `said`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn draw(&self, chart: &Chart, name: String, said: PageDrawing) -> Result<PageDrawing> {
        let plots = self.path.join("plots");
        std::fs::create_dir_all(&plots).map_err(|error| ReportError::io(&plots, error))?;
        let path = plots.join(&name);
        let charts::Drawn { wide, narrow } = charts::draw(chart, &path, self.asked.size)
            .map_err(|error| ReportError::Question(format!("plot {name}: {error}")))?;
        Ok(PageDrawing {
            wide,
            narrow,
            name,
            ..said
        })
    }

    /// The analyses, and the answer of the first one that has one.
    fn found(&self, experiment: &Experiment) -> Result<(Vec<AnalysisBlock>, Option<String>)> {
        let mut said = None;
        let mut block = |at: usize, analysis: &Analysis| -> Result<AnalysisBlock> {
            let mut found = analyses::analyze(&self.rows, experiment, analysis)?;
            let mut block = AnalysisBlock {
                is_open: found.answer.is_some(),
                title: found.table.title.clone(),
                sentences: std::mem::take(&mut found.table.notes),
                ..AnalysisBlock::default()
            };
            // The page has the answer above all plots, unless the experiment declares another one.
            let is_own = experiment.answer.is_some();
            let answer = found.answer.as_ref().filter(|_| !is_own);
            block.sentences.retain(|it| Some(it) != answer);
            said = said.take().or(found.answer);
            if let Some(chart) = found.chart {
                let name = self.file_name(format!("{}-analysis-{at}", experiment.name));
                let said = PageDrawing {
                    title: chart.title.clone(),
                    ..PageDrawing::default()
                };
                block.plots.push(self.draw(&chart, name, said)?);
            }
            if !found.table.heads.is_empty() {
                block.tables.push(found.table);
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
        Ok((blocks, said))
    }

    /// The comparisons of the experiment, if the run took samples until they were decided.
    fn decided(&self, experiment: &Experiment) -> Option<Table> {
        let all = self.decisions.as_ref()?.iter();
        let own = all.filter(|comparison| comparison.experiment == experiment.name);
        let own: Vec<&AgainstBaseline> = own.collect();
        (!own.is_empty()).then(|| tables::decisions(&own, tables::MOST))
    }
}

/// The most bytes of the cells of one of several experiments; larger ones have a table alone.
const MOST_DATA: usize = 8_000;

/// Replaces an error by a notice, so that a plot that cannot be drawn does not prevent the page. An error of a file is
/// returned.
fn or_notice<T>(made: Result<T>, notice: impl FnOnce(String) -> T) -> Result<T> {
    made.or_else(|error| match error {
        ReportError::Io { .. } => Err(error),
        other => Ok(notice(format!("not made: {other}"))),
    })
}

/// The extent of the experiment, and the conditions of its times: mode, bound policy, threads.
fn extent(rows: &Rows, experiment: &Experiment, cells: usize, own: &[u32]) -> String {
    let all = |column| rows.distinct(column, own);
    let threads = all("threads");
    let s = if threads == ["1"] { "" } else { "s" };
    [
        format!("problem {}", experiment.problem.name()),
        units::plural(cells, "cell"),
        units::plural(own.len(), "sample"),
        format!("{} mode", all("mode").join(" and ")),
        format!("bound policy {}", all("bound_policy").join(" and ")),
        format!("{} thread{s}", threads.join(", ")),
    ]
    .join(" · ")
}
