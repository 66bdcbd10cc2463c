//! Every sample: y against x.

use std::collections::HashMap;

use super::prelude::*;

pub(super) const KIND: PlotKind = PlotKind {
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

fn clouds(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    let mut taken: HashMap<(i64, i64), u32> = HashMap::new();
    for series in &panel.series {
        let radius = if series.points.len() > 300 { 2.5 } else { 3.5 };
        sheet.group(&series.name, "", |sheet| {
            for point in &series.points {
                let (x, y) = at(point, frame);
                let here = taken
                    .entry((x.round() as i64, y.round() as i64))
                    .or_default();
                let (right, down) = fanned(*here, radius);
                *here += 1;
                let place = (x + right, y + down);
                said(sheet, chart, series, point, |sheet| {
                    marker(sheet, place, series.look, radius, point.censored);
                });
            }
        });
    }
}

/// Where the n-th of several points at one place stands: flat spirals by the golden angle leave each of them seen.
fn fanned(before: u32, radius: f64) -> (f64, f64) {
    let (away, angle) = (f64::from(before).sqrt(), 2.399_963 * f64::from(before));
    (
        2.6 * radius * away * angle.cos(),
        0.5 * radius * away * angle.sin(),
    )
}
