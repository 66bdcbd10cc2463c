//! Every sample: y against x.

use std::collections::HashMap;

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
        is_lying: false,
        series: clouds,
        beside: centred,
    },
};

/// What a search found over time: a dot for each find, and steps of the best.
pub(in crate::charts) const FINDS: &Style = &Style {
    foot: Foot::Lowest,
    names: Names::Legend,
    is_lying: false,
    series: finds,
    beside: centred,
};

fn finds(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &Frame) {
    let points = panel.series.iter().flat_map(|series| &series.points);
    let mut points: Vec<(f64, f64)> = points.map(|point| at(point, frame)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut steps: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    for two in points.windows(2) {
        steps.extend([(two[1].0, two[0].1), two[1]]);
    }
    sheet.stroke(steps, 1.2, MUTED);
    // The line says where a dot belongs: none is moved.
    dots(sheet, chart, panel, frame, |at, _| at);
}

fn clouds(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &Frame) {
    let mut taken: HashMap<(i64, i64), u32> = HashMap::new();
    dots(sheet, chart, panel, frame, |(x, y), radius| {
        let here = taken
            .entry((x.round() as i64, y.round() as i64))
            .or_default();
        let (right, down) = fanned(*here, radius);
        *here += 1;
        (x + right, y + down)
    });
}

/// A dot for each point; `place` says where it stands, given where it belongs and its radius.
fn dots(
    sheet: &mut Sheet,
    chart: &Chart,
    panel: &Panel,
    frame: &Frame,
    mut place: impl FnMut((f64, f64), f64) -> (f64, f64),
) {
    for series in &panel.series {
        let radius = if series.points.len() > 300 { 2.5 } else { 3.5 };
        sheet.group(&series.name, "", |sheet| {
            for point in &series.points {
                let stands = place(at(point, frame), radius);
                said(sheet, chart, series, point, |sheet| {
                    marker(sheet, stands, series.look, radius, point.censored);
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
