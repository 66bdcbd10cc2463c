//! Applies an experiment's plot to the rows of a run: the rows, series and panels, and the points that several kinds
//! share.

use ikeru_bench_data::matrix::Values;
use ikeru_bench_data::{Plot, Scale};
use ikeru_core::Value;

use super::chart::{Axis, Point, Series};
use super::look::Looks;
use super::words::{Wording, clock, has_clock, spoken, with_clock};
use crate::analyses::scores;
use crate::error::{ReportError, Result};
use crate::factor::Factor;
use crate::records::{Family, Outcome};
use crate::rows::Rows;
use crate::sampled::{Statistic, comparable};
use crate::statistics::interval::share;
use crate::statistics::{Bound, Estimate};
use crate::units::{Quantity, few};

/// The largest number of samples that are drawn at one name. More are thinned evenly by value to keep the SVG small.
const MOST_POINTS: usize = 60;

/// The largest number of series that a title or a subtitle names.
pub(super) const MOST_NAMED: usize = 2;

/// The kind of values along x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Along {
    /// One mark for each value of a column, by name. The default is the series column.
    Names,
    /// One mark for each value of a column: numbers, or names if a value is no number. The default is `size`.
    Values,
    /// Numbers, with marks at any of them. The default is `size`.
    Numbers,
}

/// A plot applied to the rows of a run.
pub(super) struct PlotQuestion<'a> {
    /// The plot, with the clock of its times chosen.
    pub(super) plot: Plot,
    /// The column along y as the plot names it: its times have no clock yet.
    pub(super) y: String,
    pub(super) rows: &'a Rows,
    /// The rows of the plot. Ratios pair them by question.
    pub(super) selection: Vec<u32>,
    /// The rows of its marks.
    pub(super) drawn: Vec<u32>,
    /// True if the marks have the rows of common questions only.
    has_common_questions: bool,
    /// The column whose values are the series.
    pub(super) series: String,
    /// The column along x, where the kind has one.
    pub(super) x: String,
    /// The names along x, where they are no numbers.
    categories: Vec<String>,
    /// The statistic that its marks show.
    statistic: Statistic,
    looks: Looks,
}

impl<'a> PlotQuestion<'a> {
    /// Selects the rows of the plot's filter that were solved, stopped or failed. For shares it selects all rows of the
    /// filter: a skipped cell counts as not solved.
    pub(super) fn new(
        plot: &'a Plot,
        rows: &'a Rows,
        looks: &Looks,
        (along, shares): (Along, bool),
    ) -> Result<Self> {
        let mut plot = plot.clone();
        let series = plot.series.clone();
        let series = series.as_deref().unwrap_or("label");
        if !plot.show.is_empty() && !plot.only.contains_key(series) {
            let names = plot.show.iter().cloned().map(Value::Text);
            let names = Values::List(names.collect());
            plot.only.insert(series.to_owned(), names);
        }
        let mut selection = rows.select(&plot.only)?;
        selection.retain(|row| shares || rows.ran(*row));
        let y = plot.y.clone();
        plot.y = rows.compared(&y, &selection).into_owned();
        let looks = if series == "label" {
            looks.clone()
        } else {
            let names = rows.distinct(series, &rows.all());
            Looks::new(names.iter().map(String::as_str), None)
        };
        let default = match along {
            Along::Names => series,
            Along::Values => "size",
            // No column is along x: marks at all places are of the same questions.
            Along::Numbers => "",
        };
        // Curves of shares are along y.
        let x = plot.x.as_deref().filter(|_| !shares).unwrap_or(default);
        let is_name = |row: &u32| !rows.text(x, *row).is_empty() && rows.number(x, *row).is_none();
        let has_names = match along {
            Along::Names => true,
            Along::Numbers => false,
            Along::Values => selection.iter().any(is_name),
        };
        let mut categories = match has_names {
            true => rows.distinct(x, &selection),
            false => Vec::new(),
        };
        if x == series {
            categories.sort_by_key(|name| shown_at(&plot, name));
        }
        Ok(Self {
            categories,
            rows,
            drawn: selection.clone(),
            has_common_questions: false,
            selection,
            series: series.to_owned(),
            x: x.to_owned(),
            looks,
            statistic: statistic(&plot)?,
            y,
            plot,
        })
    }

    /// Leaves out of the marks the rows of questions that not every series has, or not every x of a series; `shares` are
    /// those of solved cells.
    pub(super) fn compare_common_questions(&mut self, shares: bool) -> Result<()> {
        let statistic = match shares {
            true => Statistic::Solved,
            false => self.statistic,
        };
        let common = self.common(statistic)?;
        self.has_common_questions = true;
        self.drawn.retain(|row| common.binary_search(row).is_ok());
        Ok(())
    }

    /// The rows of the instances that every series has, and every x of a series.
    fn common(&self, statistic: Statistic) -> Result<Vec<u32>> {
        let shown = (statistic, self.plot.y.as_str());
        let (rows, series, x) = (self.rows, self.series.as_str(), self.x.as_str());
        let panel = self.plot.panels.as_deref().unwrap_or_default();
        // Filters of results are left out: a series has an instance even if its answer is not among those that are shown.
        let mut only = self.plot.only.clone();
        only.retain(|column, _| !Family::Counter.holds(column) && !Family::Measure.holds(column));
        let asked = rows.select(&only)?;
        let along = comparable(rows, &asked, &[panel, series], x, shown);
        let within = [panel, if x == series { "" } else { x }];
        Ok(comparable(rows, &along, &within, series, shown))
    }

    /// The rows of `own` on the questions that all series, or all names along x, have in common, for a statistic over all
    /// of x; `name` is one of them.
    pub(super) fn common_of(&self, statistic: Statistic, name: &str, own: &[u32]) -> Vec<u32> {
        let shown = (statistic, self.plot.y.as_str());
        comparable(self.rows, own, &[], self.column_of(name), shown)
    }

    /// The titles and rows of the panels. A plot without a panel column has one panel without a title.
    pub(super) fn panels(&self) -> Vec<(String, Vec<u32>)> {
        let Some(column) = &self.plot.panels else {
            return vec![(String::new(), self.drawn.clone())];
        };
        let title = |value: &str| self.wording().panel_title(column, value);
        let groups = self.rows.group(column, &self.drawn).into_iter();
        groups.map(|(value, rows)| (title(&value), rows)).collect()
    }

    /// A series for each value of its column that has `points`.
    pub(super) fn by_series(
        &self,
        panel: &[u32],
        points: impl Fn(&[u32]) -> Vec<Point>,
    ) -> Vec<Series> {
        let mut groups = self.rows.group(&self.series, panel);
        groups.sort_by_key(|(name, _)| shown_at(&self.plot, name));
        let series = groups.into_iter().map(|(name, own)| {
            let points = points(&own);
            let look = self.looks.of(&name);
            let name = self.series_name(name);
            Series {
                failed: self.failed(&own),
                look,
                name,
                points,
                ..Series::default()
            }
        });
        series.filter(|series| !series.points.is_empty()).collect()
    }

    /// The label of the baseline, if labels are the series.
    pub(super) fn baseline(&self) -> Option<&str> {
        self.looks.baseline()
    }

    /// The name of a series: a generator without its problem, as along x.
    pub(super) fn series_name(&self, name: String) -> String {
        match self.series.as_str() {
            "generator" => spoken(&name, "generator"),
            _ => name,
        }
    }

    /// The values of x without a value of y since every sample there failed. A failed sample has a time: its limit.
    fn failed(&self, own: &[u32]) -> Vec<(f64, String)> {
        let groups = self.rows.group(&self.x, own).into_iter();
        let groups = groups.filter(|(_, own)| {
            let is_time = Quantity::of_column(&self.plot.y) == Quantity::Time;
            !is_time && own.iter().all(|row| self.is_missing(*row))
        });
        let failed = groups.filter_map(|(value, own)| {
            let words = match self.rows.failed_in_words(&own) {
                words if words.is_empty() => "no answer in time".to_owned(),
                words => words,
            };
            Some((self.place(&value)?, words))
        });
        failed.collect()
    }

    /// The median, or the mean, at each value of x; or the ratio to the series that the others are compared with.
    pub(super) fn medians(&self, own: &[u32]) -> Vec<Point> {
        let groups = self.rows.group(&self.x, own);
        let is_above_zero = self
            .rows
            .numbers(&self.plot.y, own)
            .iter()
            .all(|it| *it >= 0.0);
        let point = |(value, own): (String, Vec<u32>)| {
            let shown = match &self.plot.relative_to {
                Some(base) => self.ratio(base, &own)?,
                None => self.middle(&own)?,
            };
            let mut point = Point::of(self.place(&value)?, shown);
            // An interval of a mean reaches below zero where no value can.
            let ends = point.interval.iter_mut().filter(|_| is_above_zero);
            ends.for_each(|ends| ends.low = ends.low.max(0.0));
            Some(point)
        };
        groups.into_iter().filter_map(point).collect()
    }

    /// The values of the series `base` divided by those of `own`, in the same panel and at the same x unless the series are along x.
    fn ratio(&self, base: &str, own: &[u32]) -> Option<Estimate> {
        let first = *own.first()?;
        let text = |column: &str, row: u32| self.rows.text(column, row);
        let x = (self.x != self.series).then_some(&self.x);
        let is_beside = |row: u32| {
            let mut columns = x.into_iter().chain(&self.plot.panels);
            columns.all(|column| text(column, row) == text(column, first))
        };
        let mut of_base = self.drawn.clone();
        of_base.retain(|row| text(&self.series, *row) == base && is_beside(*row));
        if of_base == own {
            return Some(Estimate::plain(1.0));
        }
        Factor::between(self.rows, &self.plot.y, [&of_base, own], self.plot.pair_by)?.alike()
    }

    /// The median or the mean of y, as the plot says.
    pub(super) fn middle(&self, own: &[u32]) -> Option<Estimate> {
        self.statistic.of(self.rows, &self.plot.y, own)
    }

    /// The x coordinate of a value of the x column.
    pub(super) fn place(&self, value: &str) -> Option<f64> {
        if self.categories.is_empty() {
            return value.parse().ok();
        }
        let index = self.categories.iter().position(|name| name == value)?;
        Some(index as f64)
    }

    /// A point for each row that has a value, at the coordinate `x` of the row. If y is a time, a failed row has a
    /// point at its time limit.
    pub(super) fn samples(&self, own: &[u32], x: impl Fn(u32) -> Option<f64>) -> Vec<Point> {
        let points = own.iter().filter_map(|&row| {
            let sample = self.rows.sample(&self.plot.y, &[row]);
            let bound = match (self.rows.outcome(row), sample.bound) {
                (Some(Outcome::Solved), _) => Bound::Exact,
                (_, Bound::Exact) => Bound::Either,
                (_, bound) => bound,
            };
            Some(Point {
                bound,
                ..Point::new(x(row)?, *sample.values.first()?)
            })
        });
        points.collect()
    }

    /// An addition to `title`: the clock of its times, unless the title has it or is about shares, and the failed samples of each series.
    /// Empty if there is neither.
    pub(super) fn clock_and_failures(&self, title: &str) -> String {
        // Shares have no clock, and a sentence names that of its pair if it is another one.
        let has_own = self.plot.title.contains("{solved:") || title.contains(" time)");
        let clock = clock(&self.plot.y).filter(|clock| !has_clock(title, clock) && !has_own);
        let series = self.rows.group(&self.series, &self.selection).into_iter();
        let is_time = self.is_of_time();
        let failures = series.filter_map(|(name, own)| {
            let mut failed = vec![self.rows.failed_in_words(&own)];
            // A plot of times has marks for timeouts.
            let is_late = |row: &&u32| self.rows.lacks_value(&self.plot.y, **row);
            let late = own.iter().filter(is_late);
            if let (late @ 1.., false) = (late.count(), is_time) {
                failed.push(format!("{late} of {} without an answer in time", own.len()));
            }
            let lacks = |row: &&u32| self.rows.number(&self.plot.y, **row).is_none();
            let lacking = self.rows.solved(&own).iter().filter(lacks).count();
            if let (lacking @ 1.., false) = (lacking, is_time) {
                failed.push(format!("{lacking} of {} without a value", own.len()));
            }
            failed.retain(|said| !said.is_empty());
            (!failed.is_empty()).then(|| format!("{name}: {}", failed.join(", ")))
        });
        let failures: Vec<String> = failures.collect();
        let failures = (!failures.is_empty()).then(|| few(&failures, MOST_NAMED, "; "));
        let clock = clock.map(str::to_owned).into_iter();
        let said: Vec<String> = clock.chain(failures).collect();
        match said.as_slice() {
            [] => String::new(),
            said => format!(" ({})", said.join("; ")),
        }
    }

    /// Returns whether a sample of its selection failed, or is without an answer.
    pub(super) fn has_failures(&self) -> bool {
        self.selection.iter().any(|row| self.is_missing(*row))
    }

    /// Returns whether its values are times.
    pub(super) fn is_of_time(&self) -> bool {
        Quantity::of_column(&self.plot.y) == Quantity::Time
    }

    pub(super) fn is_missing(&self, row: u32) -> bool {
        self.rows.is_failed(row) || self.rows.lacks_value(&self.plot.y, row)
    }

    /// The groups of rows with equal `columns`, each with its median if that was solved.
    pub(super) fn cells(&self, columns: &[&str], own: &[u32]) -> Vec<(Vec<u32>, Option<f64>)> {
        let cells = self.rows.group_by(columns, own).into_iter();
        let with_median = cells.map(|cell| {
            let value = self.rows.sample(&self.plot.y, &cell).answered();
            (cell, value)
        });
        with_median.collect()
    }

    /// The share of cells solved at each of their values. The interval is for the number of instances in `own`: the
    /// cells of one instance are no sample of instances. A cell of which only some samples were solved counts for their
    /// share, each at its own value.
    pub(super) fn shares(&self, cells: &[(Vec<u32>, Option<f64>)], own: &[u32]) -> Vec<Point> {
        let of_cell = |(cell, median): &(Vec<u32>, Option<f64>)| -> Vec<(f64, f64)> {
            let solved = self.rows.solved(cell);
            if solved.len() == cell.len() {
                return median.iter().map(|median| (*median, 1.0)).collect();
            }
            let (values, part) = (
                self.rows.numbers(&self.plot.y, &solved),
                1.0 / cell.len() as f64,
            );
            values.into_iter().map(|value| (value, part)).collect()
        };
        let mut values: Vec<(f64, f64)> = cells.iter().flat_map(of_cell).collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let instances = self.rows.group_by(&["instance_hash"], own).len();
        let mut done = 0.0;
        let counted = values.into_iter().map(|(value, part)| {
            done += part;
            (value, done)
        });
        let point = |(value, done): (f64, f64)| {
            let share = share(done / cells.len() as f64, instances)?;
            Some(Point::of(value, share))
        };
        counted.filter_map(point).collect()
    }

    /// The rows of the plot and those that were not asked because they were hopeless: they count as not solved. They are of
    /// the instances of the marks.
    pub(super) fn with_hopeless(&self) -> Result<Vec<u32>> {
        let mut all = self.rows.select(&self.plot.only)?;
        all.retain(|row| self.rows.is_hopeless(*row) || self.selection.binary_search(row).is_ok());
        if self.has_common_questions {
            let common = self.common(Statistic::Solved)?;
            all.retain(|row| common.binary_search(row).is_ok());
        }
        Ok(all)
    }

    /// An axis of a column's values, with the clock of times.
    pub(super) fn axis(&self, column: &str, said: Option<&str>, scale: Scale) -> Axis {
        let label = axis_label(self.wording(), column, said);
        Axis {
            label: with_clock(&label, column),
            column: column.to_owned(),
            scale,
            quantity: Quantity::of_column(column),
            categories: Vec::new(),
        }
    }

    /// The axes of the plot's x and y columns.
    pub(super) fn axes(&self) -> (Axis, Axis) {
        let plot = &self.plot;
        let mut x = self.axis(&self.x, plot.x_label.as_deref(), plot.x_scale);
        let mut y = self.axis(&plot.y, plot.y_label.as_deref(), plot.y_scale);
        if let Some(base) = &plot.relative_to {
            y.quantity = Quantity::Ratio;
            "ratio".clone_into(&mut y.column);
            if plot.y_label.is_none() {
                y.label = format!("{}: {base} ÷ each", y.label);
            }
        }
        if !self.categories.is_empty() {
            if self.x == self.series && plot.x_label.is_none() {
                x.label.clear();
            }
            let names = self.categories.iter();
            x.categories = names.map(|name| spoken(name, &self.x)).collect();
            x.quantity = Quantity::Plain;
        }
        (x, y)
    }

    /// The column of a name in a sentence: the series column if it contains the name, else `label`.
    pub(super) fn column_of(&self, name: &str) -> &str {
        if self.rows.some(&self.series, name) {
            return &self.series;
        }
        "label"
    }

    /// Returns whether a row has this name of a series.
    pub(super) fn has(&self, name: &str) -> bool {
        let column = self.column_of(name);
        let mut all = self.selection.iter();
        all.any(|row| self.rows.text(column, *row) == name)
    }

    /// Returns whether the scores of two labels in `selection` are undecided, as the sentence about the pair says.
    pub(super) fn is_undecided(&self, selection: &[u32], [a, b]: [&str; 2]) -> bool {
        let is_of_commands = |row: &u32| self.rows.is_of_commands(*row);
        if self.plot.y != "score" || !selection.first().is_some_and(is_of_commands) {
            return false;
        }
        let mut pairs = scores::pairs(self.rows, selection, b).into_iter();
        pairs.any(|pair| pair.label == a && pair.side().is_none())
    }

    /// The words of its rows' problem.
    pub(super) fn wording(&self) -> Wording<'a> {
        Wording::of(self.rows, &self.selection)
    }

    /// The name of y, which may have another clock in `column`, without its unit.
    pub(super) fn noun(&self, column: &str) -> String {
        let label = axis_label(self.wording(), column, self.plot.y_label.as_deref());
        let bare = label.split_once(',').map(|(bare, _)| bare.to_owned());
        bare.unwrap_or(label)
    }

    /// The y axis of shares of cells.
    pub(super) fn share_axis(&self) -> Axis {
        let label = self.plot.y_label.clone();
        Axis {
            label: label.unwrap_or("share of questions solved".to_owned()),
            column: "share".to_owned(),
            quantity: Quantity::Share,
            ..Axis::default()
        }
    }
}

/// The place of a series in the order that the plot gives.
fn shown_at(plot: &Plot, name: &str) -> Option<usize> {
    plot.show.iter().position(|shown| shown == name)
}

/// Chooses at most [`MOST_POINTS`] samples of each x evenly by value; the smallest and the largest are among them.
pub(super) fn thinned(mut points: Vec<Point>) -> Vec<Point> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.mid.total_cmp(&b.mid)));
    let some = points.chunk_by(|a, b| a.x == b.x).flat_map(|own| {
        let (last, most) = (own.len() - 1, own.len().min(MOST_POINTS));
        (0..most).map(move |index| own[index * last / (most - 1).max(1)])
    });
    some.collect()
}

/// The label of an axis, without the unit of times: the ticks have it.
fn axis_label(wording: Wording, column: &str, said: Option<&str>) -> String {
    let label = said.map_or_else(|| wording.axis(column), str::to_owned);
    match label.strip_suffix(", ns") {
        Some(bare) if Quantity::of_column(column) == Quantity::Time => bare.to_owned(),
        _ => label,
    }
}

/// The statistic that the marks of a plot show.
///
/// # Errors
/// A statistic that is neither `median` nor `mean`.
pub fn statistic(plot: &Plot) -> Result<Statistic> {
    let known = ["median", "mean"];
    match plot.statistic.as_str() {
        "median" => Ok(Statistic::Median),
        "mean" => Ok(Statistic::Mean),
        other => Err(ReportError::unknown("statistic of a plot", other, known)),
    }
}

/// A description of a plot that does not depend on its result: `Time by variant`.
pub(crate) fn described(plot: &Plot, wording: Wording) -> String {
    let y = axis_label(wording, &plot.y, plot.y_label.as_deref());
    let by = wording.column(plot.series.as_deref().unwrap_or("label"));
    format!("{} by {by}", capital(&y))
}

/// The text with a capital first letter.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().collect::<String>() + letters.as_str()
}
