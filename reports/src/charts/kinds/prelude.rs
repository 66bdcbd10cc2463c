//! The common imports of the kinds.

pub(super) use crate::charts::chart::{
    Axis, Chart, Foot, Names, Panel, Point, Published, RowLayout, Series, Style,
};
pub(super) use crate::charts::frame::{PlotFrame, TEXT};
pub(super) use crate::charts::kind::PlotKind;
pub(super) use crate::charts::marks::{centred, joined, said, shares, whisker};
pub(super) use crate::charts::question::{Along, PlotQuestion, thinned};
pub(super) use crate::charts::room::{Room, TakenRoom};
pub(super) use crate::sheet::{Anchor, FAINT, INK, PAPER, Sheet};
pub(super) use crate::statistics::Interval;
