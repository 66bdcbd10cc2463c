//! The share of cells that are solved within a value of y.

use super::prelude::*;

pub(super) const KIND: PlotKind = PlotKind {
    word: "cactus",
    shown: [
        "median of each cell",
        ", bands: Wilson 95 % over the instances",
    ],
    along: Along::Numbers,
    shares: true,
    axes,
    series: |question, panel| {
        question.by_series(panel, |own| {
            let cells = question.cells(&["cell"], own);
            question.shares(&cells, own)
        })
    },
    style: SHARES,
};

/// Steps that rise to the share of cells solved.
pub(in crate::charts) const SHARES: &Style = &Style {
    from_zero: true,
    named_at_ends: true,
    series: shares,
    ..Style::PLAIN
};

fn axes(question: &PlotQuestion) -> (Axis, Axis) {
    let plot = &question.plot;
    let x = question.axis(&plot.y, plot.x_label.as_deref(), plot.x_scale);
    (x, question.share_axis())
}
