//! The definition of a kind of chart, and the construction of its charts.

use super::chart::{Axis, Chart, Names, Panel, Series, Style};
use super::published::{self, QuotedValue};
use super::question::{Along, PlotQuestion};
use super::same;
use crate::error::Result;
use crate::units::{Quantity, count, plural};

/// A kind of chart.
#[derive(Debug)]
pub(super) struct PlotKind {
    /// Its name in an experiment's file.
    pub(super) word: &'static str,
    /// The description of its marks in the subtitle, and of their intervals if some are drawn.
    pub(super) shown: [&'static str; 2],
    /// The kind of values along x.
    pub(super) along: Along,
    /// True if y is the share of all cells, including cells without a value.
    pub(super) shares: bool,
    /// The axes.
    pub(super) axes: fn(&PlotQuestion) -> (Axis, Axis),
    /// The series of a panel's rows.
    pub(super) series: fn(&PlotQuestion, &[u32]) -> Vec<Series>,
    /// The style of its panels.
    pub(super) style: &'static Style,
}

impl PlotKind {
    /// The chart of a question; `None` if no row has a point.
    pub(super) fn chart(
        &self,
        question: &PlotQuestion,
        title: &str,
        quoted: &[QuotedValue],
    ) -> Result<Option<Chart>> {
        let mut panels = self.panels(question, quoted)?;
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
            subtitle: self.subtitle(question, &panels),
            x,
            y,
            panels,
            guides: question.plot.lines.clone(),
        }))
    }

    pub(super) fn panels(
        &self,
        question: &PlotQuestion,
        quoted: &[QuotedValue],
    ) -> Result<Vec<Panel>> {
        let panel = |title: String, rows: &[u32]| {
            let quoted = quoted.iter().filter(|_| self.along != Along::Numbers);
            let values = quoted.map(|quoted| published::value(quoted, question, rows));
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

    /// The subtitle: the marks, the number of samples and instances, and the execution mode.
    fn subtitle(&self, question: &PlotQuestion, panels: &[Panel]) -> String {
        let (rows, selection) = (question.rows, &question.drawn);
        let instances = rows.distinct("instance_hash", selection).len();
        let series = panels.iter().flat_map(|panel| &panel.series);
        let mut marks = series
            .clone()
            .flat_map(|series| series.points.iter().chain(&series.summary));
        let has_intervals = marks.any(|mark| mark.interval.is_some());
        let [shown, intervals] = self.shown;
        let mut shown = shown.replace("median", &question.plot.statistic);
        let points: usize = series.map(|series| series.points.len()).sum();
        if points < selection.len() {
            shown = shown.replace(
                "samples",
                &format!("{} of the samples", count(points as u64)),
            );
        }
        let mut words = format!(
            "{shown}{}; {} on {}, {}",
            if has_intervals { intervals } else { "" },
            plural(selection.len(), "sample"),
            plural(instances, "instance"),
            rows.distinct("mode", selection).join(" and ")
        );
        // Times under different bound policies are not comparable, so the subtitle names the policies.
        let policies = rows.distinct("bound_policy", selection);
        if Quantity::of_column(&question.plot.y) == Quantity::Time && policies.len() > 1 {
            words += &format!(", bound policy {}", policies.join(" and "));
        }
        let left_out = question.selection.len() - selection.len();
        if left_out > 0 {
            words += &format!("; left out on instances that not all have: {left_out}");
        }
        let mut names = rows.distinct(&question.series, &question.selection);
        let drawn = |name: &String| {
            let mut series = panels.iter().flat_map(|panel| &panel.series);
            series.any(|series| series.name == *name || series.same.contains(name))
        };
        names.retain(|name| !drawn(name));
        if !names.is_empty() {
            let why = match self.shares {
                true => "none solved by".to_owned(),
                false => format!("no {} of", question.plot.statistic),
            };
            words += &format!("; {why} {}", names.join(", "));
        }
        words
    }
}
