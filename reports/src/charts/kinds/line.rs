//! Medians of y against x, joined, with a band for their intervals.

use super::prelude::*;

pub(super) const KIND: Kind = Kind {
    word: "line",
    shown: "medians, 95 % intervals from six instances or repeats on",
    along: Along::Values,
    shares: false,
    axes: |question| question.axes(),
    series: |question, panel| question.by_series(panel, |own| question.medians(own)),
    style: &Style {
        foot: Foot::Zero,
        names: Names::LineEnds,
        series: lines,
        beside: centred,
    },
};

fn lines(sheet: &mut Sheet, _: &Chart, panel: &Panel, frame: &Frame) {
    for series in &panel.series {
        band(sheet, series, frame);
        joined(sheet, series, frame, 4.5);
    }
}

/// A band only where neighbours have intervals: none is made up in between.
fn band(sheet: &mut Sheet, series: &Series, frame: &Frame) {
    let known = |point: &Point| point.interval.filter(|_| !point.censored);
    for run in series
        .points
        .chunk_by(|a, b| known(a).is_some() && known(b).is_some())
    {
        let ends: Vec<(f64, Interval)> = run
            .iter()
            .filter_map(|point| Some((frame.x(point.x), known(point)?)))
            .collect();
        let upper = ends.iter().map(|(x, ends)| (*x, frame.y(ends.high)));
        let lower = ends.iter().rev().map(|(x, ends)| (*x, frame.y(ends.low)));
        if ends.len() > 1 {
            sheet.area(upper.chain(lower).collect(), series.look.colour, 0.18);
        }
    }
}
