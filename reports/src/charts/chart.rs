//! The data of a chart, independent of pixels: panels of series of points with intervals.

use ikeru_bench_data::Scale;
use ikeru_bench_data::experiment::GuideLine;

use super::frame::PlotFrame;
use super::look::Look;
use crate::sheet::Sheet;
use crate::statistics::{Bound, Estimate, Interval};
use crate::units::Quantity;

/// One plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The style of its panels.
    pub style: &'static Style,
    /// The title: a sentence with the answer.
    pub title: String,
    /// The subtitle: a description of the measurement.
    pub subtitle: String,
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The panels, which have the same axes.
    pub panels: Vec<Panel>,
    /// Dashed lines across every panel.
    pub guides: Vec<GuideLine>,
    /// The meaning of open markers, for the legend.
    pub open: &'static str,
}

impl Chart {
    /// The series of all panels.
    pub(super) fn series(&self) -> impl Iterator<Item = &Series> + Clone {
        self.panels.iter().flat_map(|panel| &panel.series)
    }
}

/// The meaning of open markers where all samples were stopped.
pub(super) const STOPPED: &str = "open: stopped at the limit";

/// The style of the panels of a chart.
#[derive(Debug)]
pub struct Style {
    /// True if a linear y axis starts at zero, and not near the smallest value.
    pub(super) from_zero: bool,
    /// True if a few series are named at the ends of their lines, and not in a legend above the panels.
    pub(super) named_at_ends: bool,
    /// The kind of rows in which the marks lie instead, one name below the other.
    pub(super) rows: RowLayout,
    /// True if both axes have one range, whose diagonal is drawn.
    pub(super) is_square: bool,
    /// Draws the series of a panel whose marks lie in no rows.
    pub(super) series: fn(&mut Sheet, &Chart, &Panel, &PlotFrame),
}

impl Style {
    /// The style that the others change: a legend, no rows, and no marks.
    pub(super) const PLAIN: Self = Self {
        from_zero: false,
        named_at_ends: false,
        rows: RowLayout::Never,
        is_square: false,
        series: |_, _, _, _| {},
    };
    /// The style of marks in a row for each name and series.
    pub(super) const IN_ROWS: Self = Self {
        rows: RowLayout::Apart,
        ..Self::PLAIN
    };
}

impl PartialEq for Style {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// The charts with names along x whose marks lie in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowLayout {
    /// None.
    Never,
    /// A row for each name and series.
    Apart,
    /// A row for each name, whose marks are joined.
    Joined,
}

/// One axis of all panels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// The label, with the unit unless the ticks have it.
    pub label: String,
    /// The name of its column in the CSV.
    pub column: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// The quantity of its numbers.
    pub quantity: Quantity,
    /// The names at 0, 1, 2, … if it has names in place of numbers.
    pub categories: Vec<String>,
}

impl Axis {
    /// The name at a coordinate; `None` if the axis has numbers.
    pub(super) fn name(&self, at: f64) -> Option<&String> {
        self.categories.get(at.max(0.0).round() as usize)
    }
}

/// The panel of one value of the plot's panel column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Panel {
    /// The title above it; empty if there is only one panel.
    pub title: String,
    /// Its series, in the legend's order.
    pub series: Vec<Series>,
    /// Published values, drawn as black diamonds.
    pub published: Vec<Published>,
}

/// Points of one colour.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Its name in legends.
    pub name: String,
    /// Its colour and marker.
    pub look: Look,
    /// The points, in the order in which they are joined.
    pub points: Vec<Point>,
    /// The names of series with the same points, which are hidden under this one.
    pub same: Vec<String>,
    /// True if their values are equal, and not only drawn as one line by a linear axis.
    pub same_is_equal: bool,
    /// The median or mean with its interval at each x, where `points` are raw samples.
    pub summaries: Vec<Point>,
    /// The x coordinates at which every sample failed, with the failures in words.
    pub failed: Vec<(f64, String)>,
}

impl Series {
    /// Returns whether nothing failed between two points, so that a line may join them.
    pub(super) fn joins(&self, a: &Point, b: &Point) -> bool {
        !self.failed.iter().any(|(x, _)| a.x < *x && *x < b.x)
    }
}

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The x coordinate; the index of a category where x has names.
    pub x: f64,
    /// The value.
    pub mid: f64,
    /// Its interval with finite ends; `None` if the sample is too small for one.
    pub interval: Option<Interval>,
    /// The side of the true value, if the value was cut at a limit or samples failed.
    pub bound: Bound,
}

impl Point {
    /// A value without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Self::of(x, Estimate::plain(y))
    }

    /// A value with its interval; an interval with an infinite end is dropped.
    pub fn of(x: f64, y: Estimate) -> Self {
        let is_drawn = |ends: &Interval| ends.low.is_finite() && ends.high.is_finite();
        Self {
            x,
            mid: y.value,
            interval: y.interval.filter(is_drawn),
            bound: y.bound,
        }
    }

    /// Returns whether the true value is another one.
    pub fn is_open(&self) -> bool {
        self.bound != Bound::Exact
    }
}

/// A published value.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The figure's identifier, `source/what`.
    pub figure: String,
    /// The x coordinate, as in [`Point`].
    pub x: f64,
    /// The y coordinate.
    pub y: f64,
    /// The series at whose mark it is drawn; `None` if it refers to all series.
    pub series: Option<String>,
}
