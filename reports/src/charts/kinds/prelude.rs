//! The common imports of the kinds.

pub(super) use crate::charts::chart::{
    Axis, Chart, Foot, Names, Panel, Point, RowLayout, Series, Style,
};
pub(super) use crate::charts::frame::PlotFrame;
pub(super) use crate::charts::kind::PlotKind;
pub(super) use crate::charts::marks::{joined, shares, whisker};
pub(super) use crate::charts::question::{Along, PlotQuestion, thinned};
pub(super) use crate::sheet::Sheet;
pub(super) use crate::statistics::Interval;
