//! What tells one kind of chart from the others, and how a chart of it is put together.

use ikeru_bench_data::Figure;

use super::chart::{Axis, Chart, Names, Panel, Series, Style};
use super::question::{Along, PlotQuestion};
use super::{published, same};
use crate::error::ReportError;
use crate::units::{Quantity, plural};

/// A kind of chart.
#[derive(Debug)]
pub(super) struct PlotKind {
    /// Its word in an experiment's file.
    pub(super) word: &'static str,
    /// What its marks show, in the subtitle.
    pub(super) shown: &'static str,
    /// What stands along x.
    pub(super) along: Along,
    /// Whether y is the share of all cells, also of those without a value.
    pub(super) shares: bool,
    /// The axes.
    pub(super) axes: fn(&PlotQuestion) -> (Axis, Axis),
    /// The series of a panel's rows.
    pub(super) series: fn(&PlotQuestion, &[u32]) -> Vec<Series>,
    /// How it is drawn.
    pub(super) style: &'static Style,
}

impl PlotKind {
    /// The chart of a question; `None` where no row has something to draw.
    pub(super) fn chart(
        &self,
        question: &PlotQuestion,
        title: &str,
        figures: &[&Figure],
    ) -> Result<Option<Chart>, ReportError> {
        let mut panels = self.panels(question, figures)?;
        if self.style.names == Names::LineEnds {
            same::hide(&mut panels, question.plot.y_scale);
        }
        if panels.iter().all(|panel| panel.series.is_empty()) {
            return Ok(None);
        }
        let (x, y) = (self.axes)(question);
        Ok(Some(Chart {
            style: self.style,
            title: title.to_owned(),
            subtitle: self.subtitle(question),
            x,
            y,
            bars_from: None,
            panels,
            guides: question.plot.lines.clone(),
        }))
    }

    fn panels(
        &self,
        question: &PlotQuestion,
        figures: &[&Figure],
    ) -> Result<Vec<Panel>, ReportError> {
        let panel = |title: String, rows: &[u32]| {
            let is_published = |_: &&&Figure| self.along != Along::Numbers;
            let figures = figures.iter().filter(is_published);
            let values = figures.map(|figure| published::value(figure, question, rows));
            Ok(Panel {
                title,
                series: (self.series)(question, rows),
                published: values
                    .filter_map(Result::transpose)
                    .collect::<Result<_, _>>()?,
            })
        };
        let panels = question.panels().into_iter();
        panels.map(|(title, rows)| panel(title, &rows)).collect()
    }

    /// How it was measured.
    fn subtitle(&self, question: &PlotQuestion) -> String {
        let (rows, selection) = (question.rows, &question.selection);
        let instances = rows.distinct("instance_hash", selection).len();
        let mut words = format!(
            "{}; {} on {}, {}",
            self.shown.replace("median", &question.plot.statistic),
            plural(selection.len(), "sample"),
            plural(instances, "instance"),
            rows.distinct("mode", selection).join(" and ")
        );
        // Times under different policies may not be compared; where they are series, each says so.
        let policies = rows.distinct("bound_policy", selection);
        if Quantity::of_column(&question.plot.y) == Quantity::Time && policies.len() > 1 {
            words += &format!(", bound policy {}", policies.join(" and "));
        }
        if self.shares {
            words += &without_answers(question);
        }
        words
    }
}

/// The series that a chart of shares has no point for.
fn without_answers(question: &PlotQuestion) -> String {
    let mut series = question.rows.group(&question.series, &question.selection);
    series.retain(|(_, own)| {
        let cells = question.cells(&["cell"], own);
        cells.iter().all(|cell| cell.1.is_none())
    });
    let names: Vec<String> = series.into_iter().map(|(name, _)| name).collect();
    if names.is_empty() {
        return String::new();
    }
    format!("; none solved by {}", names.join(", "))
}
