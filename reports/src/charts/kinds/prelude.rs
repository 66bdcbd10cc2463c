//! What the kinds are made of.

pub(super) use crate::charts::chart::{
    Axis, Chart, Foot, Names, Panel, Point, Published, Series, Style,
};
pub(super) use crate::charts::frame::{Frame, TEXT};
pub(super) use crate::charts::kind::Kind;
pub(super) use crate::charts::look::Look;
pub(super) use crate::charts::marks::{
    at, centred, filled_marker, joined, marker, markers, shares, whisker,
};
pub(super) use crate::charts::question::{Along, Question, column_word, thinned};
pub(super) use crate::sampled::Statistic;
pub(super) use crate::sheet::{Anchor, INK, MUTED, PAPER, Sheet, text_width};
pub(super) use crate::statistics::Interval;
