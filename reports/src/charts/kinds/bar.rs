//! Medians of y grouped by x, in rows: bars from zero, and dots on a logarithmic axis, which has no zero.

use super::prelude::*;

pub(super) const KIND: PlotKind = PlotKind {
    word: "bar",
    shown: ["medians", " with 95 % intervals"],
    along: Along::Names,
    shares: false,
    axes: |question| question.axes(),
    series: |question, panel| question.by_series(panel, |own| question.medians(own)),
    style: &Style {
        from_zero: true,
        ..Style::IN_ROWS
    },
};
