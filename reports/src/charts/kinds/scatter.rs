//! Every sample: y against x.

use super::prelude::*;

pub(super) const KIND: Kind = Kind {
    word: "scatter",
    shown: "every sample",
    along: Along::Numbers,
    shares: false,
    axes: |question| question.axes(),
    series: |question, panel| {
        let x = |row| question.rows.number(question.x, row);
        question.by_series(panel, |own| thinned(question.samples(own, x)))
    },
    style: &Style {
        foot: Foot::Lowest,
        names: Names::Legend,
        series: clouds,
        beside: centred,
    },
};

fn clouds(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &Frame) {
    for series in &panel.series {
        let radius = if series.points.len() > 300 { 2.5 } else { 3.5 };
        sheet.group(&series.name, "", |sheet| {
            markers(sheet, chart, series, frame, radius);
        });
    }
}
