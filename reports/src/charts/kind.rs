//! The definition of a kind of chart, and the construction of its charts.

use std::iter;

use ikeru_bench_data::Plot;
use ikeru_bench_data::experiment::{GuideAxis, GuideLine};

use super::chart::{Axis, Chart, Panel, STOPPED, Series, Style};
use super::look::SERIES;
use super::published::{self, QuotedValue};
use super::question::{Along, MOST_NAMED, PlotQuestion};
use super::same;
use crate::error::Result;
use crate::report::extreme_sizes;
use crate::sheet::Rgb;
use crate::units::{Quantity, THIN, count, few, plural};

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

/// Gives a series with the colour of an earlier one the first colour that the chart does not have. A page has more labels
/// than there are colours.
fn recoloured(panels: &mut [Panel]) {
    let series = panels.iter().flat_map(|panel| &panel.series);
    let used: Vec<Rgb> = series.map(|series| series.look.colour).collect();
    let mut free = SERIES.iter().filter(|colour| !used.contains(colour));
    let mut known: Vec<(String, Rgb)> = Vec::new();
    for series in panels.iter_mut().flat_map(|panel| &mut panel.series) {
        let colour = &mut series.look.colour;
        if let Some((_, own)) = known.iter().find(|(name, _)| *name == series.name) {
            *colour = *own;
            continue;
        }
        if known.iter().any(|(_, other)| other == colour) {
            *colour = *free.next().unwrap_or(colour);
        }
        known.push((series.name.clone(), *colour));
    }
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
        if self.style.named_at_ends {
            same::hide(&mut panels, question.plot.y_scale);
        }
        if panels.iter().all(|panel| panel.series.is_empty()) {
            return Ok(None);
        }
        recoloured(&mut panels);
        let (x, y) = (self.axes)(question);
        Ok(Some(Chart {
            style: self.style,
            title: title.to_owned(),
            subtitle: self.subtitle(question, &panels),
            x,
            y,
            panels,
            guides: self.guides(&question.plot),
            open: match question.has_failures() {
                true => "open: failed, or stopped at the limit",
                false => STOPPED,
            },
        }))
    }

    /// The lines of a plot; those at a value of y are vertical where y is along the axis of numbers.
    fn guides(&self, plot: &Plot) -> Vec<GuideLine> {
        let mut guides = plot.lines.clone();
        if self.along == Along::Numbers && !self.style.is_square {
            for guide in &mut guides {
                guide.axis = GuideAxis::X;
            }
        }
        guides
    }

    pub(super) fn panels(
        &self,
        question: &PlotQuestion,
        quoted: &[QuotedValue],
    ) -> Result<Vec<Panel>> {
        let panel = |title: String, rows: &[u32]| {
            let quoted = quoted.iter().filter(|_| self.along != Along::Numbers);
            let values = quoted.map(|quoted| published::value(quoted, question, rows));
            let published = values.filter_map(Result::transpose);
            Ok(Panel {
                title,
                series: (self.series)(question, rows),
                published: published.collect::<Result<_, _>>()?,
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
        let all = series.clone();
        let mut marks = all.flat_map(|series| series.points.iter().chain(&series.summaries));
        let has_intervals = marks.any(|mark| mark.interval.is_some());
        let [shown, intervals] = self.shown;
        let has_several = |own: Vec<u32>| rows.distinct("instance_hash", &own).len() > 1;
        let places = ["the instance of each", "instances like these"];
        let place = places[usize::from(marks_of(question).any(has_several))];
        let of_ratios = format!(" with intervals on {place}, 95{THIN}% for all variants together");
        let base = question.plot.relative_to.as_ref();
        let intervals = base.map_or(intervals, |_| &of_ratios);
        let mut shown = match base {
            Some(base) => format!("{base} ÷ each, geometric means of the questions' ratios"),
            None => shown.replace("median", &question.plot.statistic),
        };
        let drawn: usize = series.map(|series| series.points.len()).sum();
        // Only a strip draws samples.
        if drawn < selection.len() {
            let some = format!("{} of the samples", count(drawn));
            shown = shown.replace("samples", &some);
        }
        let intervals = if has_intervals { intervals } else { "" };
        let samples = plural(selection.len(), "sample");
        let mut instances = plural(instances, "instance");
        instances += &self.mixed_sizes(question).unwrap_or_default();
        let modes = rows.distinct("mode", selection).join(" and ");
        let mut words = format!("{shown}{intervals}; {samples} on {instances}, {modes}");
        // Times under different bound policies are not comparable, so the subtitle names the policies.
        let policies = rows.distinct("bound_policy", selection);
        if Quantity::of_column(&question.plot.y) == Quantity::Time && policies.len() > 1 {
            words += &format!(", bound policy {}", policies.join(" and "));
        }
        let left_out = question.selection.len() - selection.len();
        if left_out > 0 {
            let left_out = count(left_out);
            words += &format!("; left out: {left_out} on questions that not all have");
        }
        words + &self.not_drawn(question, panels)
    }

    /// The range of sizes, if a mark is a median over several.
    fn mixed_sizes(&self, question: &PlotQuestion) -> Option<String> {
        let is_of_pairs = question.plot.relative_to.is_some() || self.along == Along::Numbers;
        let mut marks = marks_of(question).filter(|_| !is_of_pairs);
        // The range is that of all marks, of which one has several sizes.
        marks.find_map(|own| extreme_sizes(question.rows, &own))?;
        let [low, high] = extreme_sizes(question.rows, &question.drawn)?;
        Some(format!(" of sizes from {low} to {high}"))
    }

    /// The names of the series without a mark, and the effect of failed samples on the others.
    fn not_drawn(&self, question: &PlotQuestion, panels: &[Panel]) -> String {
        let all = panels.iter().flat_map(|panel| &panel.series);
        let drawn: Vec<&String> = all
            .flat_map(|one| iter::once(&one.name).chain(&one.same))
            .collect();
        let (series, selection) = (&question.series, &question.selection);
        let names = question
            .rows
            .distinct(series, selection)
            .into_iter()
            .map(|name| question.series_name(name));
        let mut names: Vec<String> = names.collect();
        let is_along_x = |name: &String| self.style.is_square && question.baseline() == Some(name);
        names.retain(|name| !drawn.contains(&name) && !is_along_x(name));
        let mut words = String::new();
        let is_time = Quantity::of_column(&question.plot.y) == Quantity::Time;
        if question.has_failures() && !self.shares && !is_time {
            words += "; a failed sample counts as worse than any answer";
        }
        let (all, statistic) = (few(&names, MOST_NAMED, ", "), &question.plot.statistic);
        words += &match (names.as_slice(), self.shares) {
            ([], _) => String::new(),
            (_, true) => format!("; none solved by {all}"),
            (_, false) => format!("; no {statistic} of {all}"),
        };
        words
    }
}

/// The rows of each mark.
fn marks_of(question: &PlotQuestion) -> impl Iterator<Item = Vec<u32>> {
    let mut by = vec![question.x.as_str(), &question.series];
    by.extend(question.plot.panels.as_deref());
    question.rows.group_by(&by, &question.drawn).into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::look::{Look, Marker};

    #[test]
    fn two_series_of_one_chart_have_two_colours() {
        let series = |name: &str, colour: usize| Series {
            name: name.to_owned(),
            look: Look {
                colour: SERIES[colour],
                marker: Marker::Disc,
                is_baseline: false,
            },
            points: Vec::new(),
            ..Series::default()
        };
        let panel = |series: Vec<Series>| Panel {
            series,
            ..Panel::default()
        };
        let mut panels = [
            panel(vec![series("a", 0), series("b", 0), series("c", 1)]),
            panel(vec![series("b", 0), series("a", 0)]),
        ];
        recoloured(&mut panels);
        let colours = |panel: Panel| -> Vec<Rgb> {
            let looks = panel.series.into_iter().map(|series| series.look);
            looks.map(|look| look.colour).collect()
        };
        let colours = panels.map(colours);
        let expected = [
            vec![SERIES[0], SERIES[2], SERIES[1]],
            vec![SERIES[2], SERIES[0]],
        ];
        assert_eq!(colours, expected);
    }
}
