//! The common imports of the kinds.

pub(super) use crate::charts::chart::{Axis, Chart, Panel, Point, Series, Style};
pub(super) use crate::charts::frame::PlotFrame;
pub(super) use crate::charts::kind::PlotKind;
pub(super) use crate::charts::marks::{at, joined, mark, shares, whisker};
pub(super) use crate::charts::question::{Along, PlotQuestion, thinned};
pub(super) use crate::sheet::{MUTED, Sheet};
pub(super) use crate::statistics::{Bound, Interval};
