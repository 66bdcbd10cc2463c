//! Medians of y against x, joined, with a band for their intervals.

use super::prelude::*;

pub(super) const KIND: PlotKind = PlotKind {
    word: "line",
    shown: ["medians", " with 95 % intervals"],
    along: Along::Values,
    shares: false,
    axes: |question| question.axes(),
    series: |question, panel| question.by_series(panel, |own| question.medians(own)),
    style: LINES,
};

/// Lines with bands or bars for the intervals.
pub const LINES: &Style = &Style {
    from_zero: true,
    named_at_ends: true,
    series: lines,
    ..Style::PLAIN
};

/// The largest number of series with bands. More series have whiskers instead, because bands would cover each other.
const MOST_BANDS: usize = 3;

fn lines(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    let has_bands = panel.series.len() <= MOST_BANDS;
    let step = if has_bands { 0.0 } else { beside(panel, frame) };
    for (place, series) in panel.series.iter().enumerate() {
        let left = frame.left + step * (place as f64 - 0.5 * (panel.series.len() - 1) as f64);
        let beside = &PlotFrame { left, ..*frame };
        sheet.group(&series.name, "", |sheet| {
            if has_bands {
                band(sheet, series, frame);
            } else {
                end_bars(sheet, series, &series.points, beside, frame.left + HALF);
            }
            joined(sheet, chart, series, frame, 4.5);
        });
    }
}

/// The distance of the bars of two series at the same x: they are side by side, and those of all series between two values of x
/// take less than half of the distance. 0 if no series has bars.
fn beside(panel: &Panel, frame: &PlotFrame) -> f64 {
    let points = || panel.series.iter().flat_map(|series| &series.points);
    if points().all(|point| point.interval.is_none()) {
        return 0.0;
    }
    let mut places: Vec<f64> = points().map(|point| frame.x(point.x)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
    (0.4 * gaps.fold(frame.width, f64::min) / panel.series.len() as f64).min(4.0)
}

/// Half of the width of a bar's ends.
const HALF: f64 = 3.0;

/// Draws the interval of each point as a bar with ends, and none left of `least`.
fn end_bars(sheet: &mut Sheet, series: &Series, points: &[Point], frame: &PlotFrame, least: f64) {
    let colour = series.look.colour;
    for point in points.iter().filter(|point| !point.is_open()) {
        let x = frame.x(point.x).max(least);
        whisker(sheet, (x, HALF), point, frame, colour);
    }
}

/// Draws a band between joined neighbours that both have intervals; a lone one is a bar with ends.
fn band(sheet: &mut Sheet, series: &Series, frame: &PlotFrame) {
    let known = |point: &Point| point.interval.filter(|_| !point.is_open());
    let joins =
        |a: &Point, b: &Point| series.joins(a, b) && known(a).is_some() && known(b).is_some();
    for run in series.points.chunk_by(joins) {
        let known = |point: &Point| Some((frame.x(point.x), known(point)?));
        let ends: Vec<(f64, Interval)> = run.iter().filter_map(known).collect();
        let upper = ends.iter().map(|(x, ends)| (*x, frame.y(ends.high)));
        let lower = ends.iter().rev().map(|(x, ends)| (*x, frame.y(ends.low)));
        match ends.len() {
            1 => end_bars(sheet, series, run, frame, frame.left),
            _ => sheet.area(upper.chain(lower).collect(), series.look.colour, 0.14),
        }
    }
}
