//! What is drawn, free of pixels: panels of series of points with intervals.

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
    /// How its panels are drawn.
    pub style: &'static Style,
    /// The answer's sentence.
    pub title: String,
    /// How it was measured.
    pub subtitle: String,
    /// Along x.
    pub x: Axis,
    /// Along y.
    pub y: Axis,
    /// Where bars begin, if not at the bottom: factors begin at 1 and go up or down.
    pub bars_from: Option<f64>,
    /// Side by side, with the same axes.
    pub panels: Vec<Panel>,
    /// Dashed lines across every panel.
    pub guides: Vec<GuideLine>,
}

/// How the panels of a chart are drawn.
#[derive(Debug)]
pub struct Style {
    /// Where the y axis begins.
    pub(super) foot: Foot,
    /// Where the series are named.
    pub(super) names: Names,
    /// Draws the series of a panel.
    pub(super) series: fn(&mut Sheet, &Chart, &Panel, &PlotFrame),
    /// How far right of its x a published value stands: beside the mark of its series.
    pub(super) beside: fn(&Chart, &Panel, &PlotFrame, &Published) -> f64,
}

impl PartialEq for Style {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// Where a y axis of equal steps begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foot {
    /// Near the smallest value.
    Lowest,
    /// At zero.
    Zero,
    /// At zero; with equal ratios, so far below the smallest value that its bar has a length.
    Bars,
}

/// Where the series of a chart are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// At the ends of few lines.
    LineEnds,
    /// Above the panels.
    Legend,
}

/// One axis of all panels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What stands on it, with its unit unless the ticks say it.
    pub label: String,
    /// Equal steps or equal ratios.
    pub scale: Scale,
    /// What its numbers count.
    pub quantity: Quantity,
    /// The names at 0, 1, 2, … if it has names in place of numbers.
    pub categories: Vec<String>,
}

/// One panel: a value of the column that panels are made of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Panel {
    /// What stands above it; empty if there is only one.
    pub title: String,
    /// Its series, in the legend's order.
    pub series: Vec<Series>,
    /// Published values, drawn as black diamonds.
    pub published: Vec<Published>,
}

/// Points of one colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in legends.
    pub name: String,
    /// Its colour and marker.
    pub look: Look,
    /// In the order they are joined.
    pub points: Vec<Point>,
    /// The series with the same points, which lie under this one.
    pub same: Vec<String>,
    /// The median with its interval, where `points` are raw samples.
    pub summary: Option<Point>,
}

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Along x; the index of a category where x has names.
    pub x: f64,
    /// The value.
    pub mid: f64,
    /// Its interval, with finite ends; none where the sample is too small for one.
    pub interval: Option<Interval>,
    /// Cut at a limit: the true value lies further out.
    pub censored: bool,
}

impl Point {
    /// A value without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Self::of(x, Estimate::plain(y))
    }

    /// A value with its interval, of which an unknown end cannot be drawn.
    pub fn of(x: f64, y: Estimate) -> Self {
        let is_drawn = |ends: &Interval| ends.low.is_finite() && ends.high.is_finite();
        Self {
            x,
            mid: y.value,
            interval: y.interval.filter(is_drawn),
            censored: y.bound != Bound::Exact,
        }
    }
}

/// A value that someone published.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The figure's identifier, `source/what`.
    pub figure: String,
    /// Along x, as in [`Point`].
    pub x: f64,
    /// Along y.
    pub y: f64,
    /// The series beside whose mark it stands; none where it speaks of all.
    pub series: Option<String>,
}
