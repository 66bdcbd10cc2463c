//! Charts of a run: what an experiment's plot asks of `records.csv`.

use ikeru_bench_data::experiment::{Fit, Plot};
use ikeru_bench_data::{Figure, PlotKind};

use super::chart::{Axis, Chart, Guide, Panel, Point, Series, Unit};
use super::look::Looks;
use super::{published, ratios};
use crate::analyses::growth::{exponential, power};
use crate::error::ReportError;
use crate::records::{Family, Outcome};
use crate::rows::Rows;
use crate::statistics::interval::share;
use crate::statistics::sample::{Sample, Units};
use crate::statistics::{Bound, Estimate, Interval, Statistic, median};
use crate::units;

/// A cloud or curve of more points than this is thinned evenly: an SVG must stay small.
const MOST_POINTS: usize = 1500;

/// The looks of one experiment's labels: those of the run, the baseline in grey, and no colour twice
/// while there are others.
#[must_use]
pub fn looks(rows: &Rows, own: &[u32], baseline: Option<&str>) -> Looks {
    let labels = rows.distinct("label", &rows.all());
    let own = rows.distinct("label", own);
    Looks::new(labels.iter().map(String::as_str), baseline).apart(own.iter().map(String::as_str))
}

/// The rows that a plot draws: those of its filter that ended or were stopped.
///
/// # Errors
/// An impossible range in the plot's filter.
pub fn selection(plot: &Plot, rows: &Rows) -> Result<Vec<u32>, ReportError> {
    let mut selection = rows.select(&plot.only)?;
    // A share of cells is one of all cells: what was skipped or crashed was not solved.
    if !matches!(plot.kind, PlotKind::Cactus | PlotKind::Profile) {
        selection
            .retain(|row| matches!(rows.outcome(*row), Some(Outcome::Solved | Outcome::Timeout)));
    }
    Ok(selection)
}

/// What `plot` asks of `rows`; `None` where no row has something to draw. Of the published
/// `figures`, those stand beside ours that a mark of the plot answers.
///
/// # Errors
/// An impossible range in the plot's filter or in a figure's.
pub fn chart(
    plot: &Plot,
    rows: &Rows,
    looks: &Looks,
    figures: &[&Figure],
) -> Result<Option<Chart>, ReportError> {
    let selection = selection(plot, rows)?;
    let question = Question::new(plot, rows, looks, &selection);
    let panels = question.panels(&selection, figures)?;
    let has_points = |panel: &Panel| panel.series.iter().any(|series| !series.points.is_empty());
    if !panels.iter().any(has_points) {
        return Ok(None);
    }
    let (x, y) = question.axes();
    Ok(Some(Chart {
        kind: plot.kind,
        title: ratios::title(plot, rows)?.text,
        subtitle: question.subtitle(&selection),
        x,
        y,
        bars_from: None,
        panels,
        guides: guides(plot),
    }))
}

/// One plot's question to the rows.
struct Question<'a> {
    plot: &'a Plot,
    rows: &'a Rows,
    series: &'a str,
    looks: Looks,
    /// The column along x, where the kind has one.
    x: &'a str,
    /// The names along x, where they are no numbers.
    categories: Vec<String>,
}

impl<'a> Question<'a> {
    fn new(plot: &'a Plot, rows: &'a Rows, looks: &Looks, selection: &[u32]) -> Self {
        let series = plot.series.as_deref().unwrap_or("label");
        let looks = if series == "label" {
            looks.clone()
        } else {
            let names = rows.distinct(series, &rows.all());
            Looks::new(names.iter().map(String::as_str), None)
        };
        let x = plot.x.as_deref().unwrap_or(match plot.kind {
            PlotKind::Bar | PlotKind::Strip => series,
            _ => "size",
        });
        let has_names = match plot.kind {
            PlotKind::Bar | PlotKind::Strip => true,
            PlotKind::Line => selection
                .iter()
                .any(|row| !rows.text(x, *row).is_empty() && rows.number(x, *row).is_none()),
            _ => false,
        };
        let categories = if has_names {
            rows.distinct(x, selection)
        } else {
            Vec::new()
        };
        Self {
            plot,
            rows,
            series,
            looks,
            x,
            categories,
        }
    }

    fn panels(&self, selection: &[u32], figures: &[&Figure]) -> Result<Vec<Panel>, ReportError> {
        let Some(column) = &self.plot.panels else {
            return Ok(vec![self.panel(String::new(), selection, figures)?]);
        };
        let groups = self.rows.group(column, selection);
        let title = |value: &str| format!("{}: {value}", column_word(column));
        groups
            .into_iter()
            .map(|(value, selection)| self.panel(title(&value), &selection, figures))
            .collect()
    }

    fn panel(
        &self,
        title: String,
        selection: &[u32],
        figures: &[&Figure],
    ) -> Result<Panel, ReportError> {
        let groups = self.rows.group(self.series, selection);
        let fastest = match self.plot.kind {
            PlotKind::Profile => self.fastest(selection),
            _ => Vec::new(),
        };
        let series = groups.into_iter().map(|(name, selection)| {
            let points = match self.plot.kind {
                PlotKind::Line | PlotKind::Bar => self.medians(&selection),
                PlotKind::Scatter => self.samples(&selection),
                PlotKind::Strip => self.samples_by_name(&selection),
                PlotKind::Sorted => self.ascending(&selection),
                PlotKind::Cactus => self.solved_within(&selection),
                PlotKind::Profile => self.within_factor(&fastest, &selection, &name),
                PlotKind::Pareto => self.one_point(&selection).into_iter().collect(),
            };
            Series {
                look: self.looks.of(&name),
                fit: self.plot.fit.and_then(|fit| growth(fit, &points)),
                summary: self.summary(&points, &selection),
                name,
                points,
            }
        });
        let mut series: Vec<Series> = series.collect();
        series.retain(|series| !series.points.is_empty());
        let columns = published::Columns {
            kind: self.plot.kind,
            x: self.x,
            y: &self.plot.y,
            series: self.series,
        };
        let place = |value: &str| self.place(value);
        Ok(Panel {
            title,
            series,
            published: published::values(figures, columns, self.rows, selection, place)?,
        })
    }

    fn medians(&self, selection: &[u32]) -> Vec<Point> {
        let groups = self.rows.group(self.x, selection);
        let points = groups.into_iter().filter_map(|(value, selection)| {
            let median = Statistic::Median.of(self.rows, &self.plot.y, &selection)?;
            Some(point(self.place(&value)?, median))
        });
        points.collect()
    }

    /// Where a value of the x column lies.
    fn place(&self, value: &str) -> Option<f64> {
        if self.categories.is_empty() {
            return value.parse().ok();
        }
        let index = self.categories.iter().position(|name| name == value)?;
        Some(index as f64)
    }

    fn samples(&self, selection: &[u32]) -> Vec<Point> {
        let x = |row| self.rows.number(self.x, row);
        self.raw(selection, x)
    }

    fn samples_by_name(&self, selection: &[u32]) -> Vec<Point> {
        self.raw(selection, |row| self.place(self.rows.text(self.x, row)))
    }

    fn raw(&self, selection: &[u32], x: impl Fn(u32) -> Option<f64>) -> Vec<Point> {
        let points = selection.iter().filter_map(|&row| {
            Some(Point {
                censored: self.rows.outcome(row) == Some(Outcome::Timeout),
                ..Point::new(x(row)?, self.rows.number(&self.plot.y, row)?)
            })
        });
        thinned(points.collect())
    }

    fn summary(&self, points: &[Point], selection: &[u32]) -> Option<Point> {
        let first = points.first()?;
        let is_one_strip = self.plot.kind == PlotKind::Strip
            && points.iter().all(|point| (point.x - first.x).abs() < 0.5);
        let median = Statistic::Median.of(self.rows, &self.plot.y, selection);
        median
            .filter(|_| is_one_strip)
            .map(|median| point(first.x, median))
    }

    fn ascending(&self, selection: &[u32]) -> Vec<Point> {
        let mut values = self.raw_values(selection);
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ranked = values
            .into_iter()
            .enumerate()
            .map(|(rank, (value, censored))| Point {
                censored,
                ..Point::new((rank + 1) as f64, value)
            });
        thinned(ranked.collect())
    }

    fn raw_values(&self, selection: &[u32]) -> Vec<(f64, bool)> {
        let value = |row| self.rows.number(&self.plot.y, row);
        let stopped = |row| self.rows.outcome(row) == Some(Outcome::Timeout);
        let values = selection
            .iter()
            .map(|&row| Some((value(row)?, stopped(row))));
        values.flatten().collect()
    }

    /// The median of each cell that was solved; `None` for one that was stopped.
    fn cells(&self, columns: &[&str], selection: &[u32]) -> Vec<(Vec<u32>, Option<f64>)> {
        let cells = self.rows.group_by(columns, selection).into_iter();
        let with_median = cells.map(|cell| {
            let sample = Sample::of(self.rows, &self.plot.y, &cell);
            let value = median(&sample.values).filter(|_| !sample.median_is_bound());
            (cell, value)
        });
        with_median.collect()
    }

    fn solved_within(&self, selection: &[u32]) -> Vec<Point> {
        let cells = self.cells(&["cell"], selection);
        let values = cells.iter().filter_map(|(_, value)| *value).collect();
        let instances = self.rows.group_by(&["instance_hash"], selection).len();
        shares(values, cells.len(), instances)
    }

    /// Each question's cells as (series, how many times the fastest one's value).
    fn fastest(&self, selection: &[u32]) -> Vec<(String, Option<f64>)> {
        let mut ratios = Vec::new();
        for question in self.rows.by_question(selection) {
            let cells = self.cells(&[self.series], &question);
            let best = cells.iter().filter_map(|cell| cell.1).reduce(f64::min);
            for (cell, value) in cells {
                let name = self.rows.text(self.series, cell[0]).to_owned();
                let ratio = value
                    .zip(best)
                    .map(|(value, best)| value / best.max(f64::MIN_POSITIVE));
                ratios.push((name, ratio));
            }
        }
        ratios
    }

    fn within_factor(
        &self,
        ratios: &[(String, Option<f64>)],
        selection: &[u32],
        name: &str,
    ) -> Vec<Point> {
        let own = ratios.iter().filter(|(series, _)| series == name);
        let instances = self.rows.group_by(&["instance_hash"], selection).len();
        shares(
            own.clone().filter_map(|(_, ratio)| *ratio).collect(),
            own.count(),
            instances,
        )
    }

    fn one_point(&self, selection: &[u32]) -> Option<Point> {
        let x = Units::medians(self.rows, self.x, selection).median()?;
        let y = Statistic::Median.of(self.rows, &self.plot.y, selection)?;
        Some(point(x.value, y))
    }

    fn axes(&self) -> (Axis, Axis) {
        let plot = self.plot;
        let of = |column: &str, label: &Option<String>, scale| Axis {
            label: axis_label(column, label.as_deref()),
            scale,
            unit: unit(column),
            categories: Vec::new(),
        };
        let mut x = of(self.x, &plot.x_label, plot.x_scale);
        let mut y = of(&plot.y, &plot.y_label, plot.y_scale);
        let said = |label: &Option<String>, default: String| label.clone().unwrap_or(default);
        match plot.kind {
            PlotKind::Cactus | PlotKind::Profile => {
                x = of(&plot.y, &plot.x_label, plot.x_scale);
                if plot.kind == PlotKind::Profile {
                    let word = column_word(&plot.y);
                    x.label = said(&plot.x_label, format!("{word}, times the best variant's"));
                    x.unit = Unit::Plain;
                }
                y = Axis {
                    label: said(&plot.y_label, "share of cells solved".to_owned()),
                    unit: Unit::Share,
                    ..Axis::default()
                };
            }
            PlotKind::Sorted => {
                x.label = said(&plot.x_label, "rank, in ascending order".to_owned());
                x.unit = Unit::Plain;
            }
            _ => {}
        }
        if !self.categories.is_empty() {
            if self.x == self.series && plot.x_label.is_none() {
                x.label.clear();
            }
            x.categories = self.categories.iter().map(|name| spoken(name)).collect();
            x.unit = Unit::Plain;
        }
        (x, y)
    }

    /// How it was measured.
    fn subtitle(&self, selection: &[u32]) -> String {
        let modes = self.rows.distinct("mode", selection).join(" and ");
        let instances = self.rows.distinct("instance_hash", selection).len();
        let shown = match self.plot.kind {
            PlotKind::Line | PlotKind::Bar => {
                "medians, 95 % intervals from six instances or repeats on"
            }
            PlotKind::Strip => {
                "every sample, median with 95 % interval from six instances or repeats on"
            }
            PlotKind::Pareto => "medians",
            PlotKind::Scatter | PlotKind::Sorted => "every sample",
            PlotKind::Cactus => "median of each cell, bands: Wilson 95 % over the instances",
            PlotKind::Profile => "median of each cell, bands: Wilson 95 % over the instances",
        };
        let mut words = format!(
            "{shown}; {} on {}, {modes}",
            units::plural(selection.len(), "sample"),
            units::plural(instances, "instance")
        );
        // Times under different policies may not be compared; where they are series, each says so.
        let policies = self.rows.distinct("bound_policy", selection);
        if unit(&self.plot.y) == Unit::Nanoseconds && !policies.is_empty() {
            words += &format!(", bound policy {}", policies.join(" and "));
        }
        words + &self.without_answers(selection)
    }

    /// The series that a plot of shares has no point for.
    fn without_answers(&self, selection: &[u32]) -> String {
        if !matches!(self.plot.kind, PlotKind::Cactus | PlotKind::Profile) {
            return String::new();
        }
        let mut series = self.rows.group(self.series, selection);
        series.retain(|(_, own)| {
            self.cells(&["cell"], own)
                .iter()
                .all(|cell| cell.1.is_none())
        });
        let names: Vec<String> = series.into_iter().map(|(name, _)| name).collect();
        if names.is_empty() {
            return String::new();
        }
        format!("; none solved by {}", names.join(", "))
    }
}

/// A point with its interval, of which an unknown end cannot be drawn.
fn point(x: f64, estimate: Estimate) -> Point {
    let is_drawn = |ends: &Interval| ends.low.is_finite() && ends.high.is_finite();
    Point {
        x,
        mid: estimate.value,
        interval: estimate.interval.filter(is_drawn),
        censored: estimate.bound != Bound::Exact,
    }
}

/// The share of `of` cells that are done at each value, with the interval of so many instances: the
/// cells of one instance are no sample of instances.
fn shares(mut values: Vec<f64>, of: usize, instances: usize) -> Vec<Point> {
    values.sort_by(f64::total_cmp);
    let counted = thinned((1_u64..).zip(values).collect());
    let point = |(done, value)| Some(point(value, share(done as f64 / of as f64, instances)?));
    counted.into_iter().filter_map(point).collect()
}

/// At most [`MOST_POINTS`], evenly chosen, the last among them.
fn thinned<T>(points: Vec<T>) -> Vec<T> {
    let every = points.len().div_ceil(MOST_POINTS).max(1);
    let offset = points.len().saturating_sub(1) % every;
    points.into_iter().skip(offset).step_by(every).collect()
}

/// The growth rate of the measured points by least squares of logarithms; at least three points.
fn growth(fit: Fit, points: &[Point]) -> Option<String> {
    let measured = points.iter().filter(|point| !point.censored);
    let pairs: Vec<(f64, f64)> = measured.map(|point| (point.x, point.mid)).collect();
    let slope = match fit {
        Fit::Power => power(&pairs)?.slope,
        Fit::Exponential => exponential(&pairs)?.slope,
    };
    Some(match fit {
        Fit::Power => format!("∝ x^{slope:.2}"),
        Fit::Exponential => format!("∝ {:.2}^x", slope.exp()),
    })
}

fn guides(plot: &Plot) -> Vec<Guide> {
    let lines = plot.lines.iter();
    let guide = lines.map(|line| Guide {
        axis: line.axis,
        at: line.at,
        label: line.label.clone(),
    });
    guide.collect()
}

fn unit(column: &str) -> Unit {
    let column = column.split('/').next().unwrap_or(column);
    if column.ends_with("_ns") {
        Unit::Nanoseconds
    } else {
        Unit::Plain
    }
}

/// What stands on an axis. Where the ticks say the unit, the label need not.
fn axis_label(column: &str, said: Option<&str>) -> String {
    let label = said.map_or_else(|| column_word(column), str::to_owned);
    match label.strip_suffix(", ns") {
        Some(bare) if unit(column) == Unit::Nanoseconds => bare.to_owned(),
        _ => label,
    }
}

/// What a plot draws, whatever comes out: `Time by variant`.
pub fn described(plot: &Plot) -> String {
    let y = axis_label(&plot.y, plot.y_label.as_deref());
    let by = column_word(plot.series.as_deref().unwrap_or("label"));
    let mut letters = y.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    format!("{}{} by {by}", first.unwrap_or_default(), letters.as_str())
}

/// A column's name as words: `counter_nodes` is `nodes`, `wall_ns` is `time`.
fn column_word(column: &str) -> String {
    match column {
        "wall_ns" => return "time".to_owned(),
        "label" => return "variant".to_owned(),
        _ => {}
    }
    let bare = Family::of(column).map_or(column, |(_, name)| name);
    bare.strip_suffix("_ns").unwrap_or(bare).replace('_', " ")
}

/// A value as a person says it.
fn spoken(value: &str) -> String {
    match value {
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        other => other.to_owned(),
    }
}
