//! What is drawn, free of pixels: panels of series of points with intervals.

use ikeru_bench_data::experiment::GuideAxis;
use ikeru_bench_data::{PlotKind, Scale};

use super::look::Look;
use crate::statistics::Interval;

/// One plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What its panels draw.
    pub kind: PlotKind,
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
    pub guides: Vec<Guide>,
}

/// One axis of all panels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What stands on it, with its unit unless the ticks say it.
    pub label: String,
    /// Equal steps or equal ratios.
    pub scale: Scale,
    /// What its numbers count.
    pub unit: Unit,
    /// The names at 0, 1, 2, … if it has names in place of numbers.
    pub categories: Vec<String>,
}

/// What the numbers of an axis count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Things, or whatever the label says.
    #[default]
    Plain,
    /// Nanoseconds: ticks are in ns, µs, ms or s.
    Nanoseconds,
    /// Shares from 0 to 1: ticks are in percent.
    Share,
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
    /// The growth rate that fits it, as it is written at its label.
    pub fit: Option<String>,
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
    #[must_use]
    pub fn new(x: f64, y: f64) -> Self {
        Self {
            x,
            mid: y,
            interval: None,
            censored: false,
        }
    }
}

/// A value that someone published.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// Along x, as in [`Point`].
    pub x: f64,
    /// Along y.
    pub y: f64,
    /// The series beside whose mark it stands; none where it speaks of all.
    pub series: Option<String>,
    /// What it is.
    pub label: String,
}

/// A dashed line across every panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Guide {
    /// The axis it crosses.
    pub axis: GuideAxis,
    /// Where.
    pub at: f64,
    /// What it is.
    pub label: String,
}
