//! The marks that several kinds of chart draw: points, intervals and steps.

use super::chart::{Chart, Panel, Point, Series};
use super::frame::PlotFrame;
use super::look::{Look, Marker};
use crate::sheet::{INK, PAPER, Rgb, Sheet};
use crate::statistics::Interval;

/// The largest number of points of a line with markers.
const MOST_MARKERS: usize = 40;
/// The largest number of points of a series with tooltips.
const MOST_SAID: usize = 120;
/// The distance between open markers at the same place.
const STEP: f64 = 8.0;
/// The total opacity of the bands of a panel.
const BAND: f64 = 0.28;

/// The coordinates of a point on the sheet.
pub(super) fn at(point: &Point, frame: &PlotFrame) -> (f64, f64) {
    (frame.x(point.x), frame.y(point.mid))
}

/// Draws a line in the colour of its series, dashed for the baseline.
pub(super) fn line(sheet: &mut Sheet, points: Vec<(f64, f64)>, look: Look, width: f64) {
    let dash = if look.is_baseline { 6.0 } else { 0.0 };
    sheet.dashed_stroke(points, dash, width, look.colour);
}

/// The tooltip of a point: `memo, 900 vertices: 1.25 ms (1.2 … 1.3 ms)`.
fn words(chart: &Chart, series: &Series, point: &Point) -> String {
    let x = match chart.x.name(point.x) {
        Some(name) => name.clone(),
        None => format!("{} {}", chart.x.quantity.trimmed(point.x), chart.x.label),
    };
    let y = chart.y.quantity.spoken_beside(point.mid, point.interval);
    let bound = if point.is_open() { "stopped at " } else { "" };
    let range = |ends: Interval| chart.y.quantity.range(ends.low, ends.high);
    let interval = point.interval.map(|ends| format!(" ({})", range(ends)));
    let interval = interval.unwrap_or_default();
    let place = match x == series.name {
        true => String::new(),
        false => format!(", {}", x.trim()),
    };
    format!("{}{place}: {bound}{y}{interval}", series.name)
}

/// Joins the points of a series, except over x where it failed. With few points every point has a marker, with many only
/// those that were cut at a limit.
pub(super) fn joined(
    sheet: &mut Sheet,
    chart: &Chart,
    series: &Series,
    frame: &PlotFrame,
    radius: f64,
) {
    for run in series.points.chunk_by(|a, b| series.joins(a, b)) {
        let path = run.iter().map(|point| at(point, frame)).collect();
        line(sheet, path, series.look, 2.0);
    }
    // Either all series have markers, or none has.
    let are_marked = chart
        .series()
        .all(|series| series.points.len() <= MOST_MARKERS);
    let marked = series.points.iter();
    for point in marked.filter(|point| point.is_open() || are_marked) {
        let (x, y) = at(point, frame);
        let x = x + STEP * stopped_before(chart, series, point) as f64;
        mark(sheet, chart, series, point, (x, y), radius);
    }
}

/// The number of earlier series that were stopped at the same place: open markers there are drawn side by side.
fn stopped_before(chart: &Chart, series: &Series, point: &Point) -> usize {
    if !point.is_open() {
        return 0;
    }
    let has = |series: &Series| {
        let is_same = |p: &Point| p.is_open() && p.x == point.x && p.mid == point.mid;
        series.points.iter().any(is_same)
    };
    let holds = |panel: &&Panel| panel.series.iter().any(|one| std::ptr::eq(one, series));
    let panel = chart.panels.iter().find(holds);
    let before = panel.map_or(&[][..], |panel| &panel.series);
    let before = before.iter().take_while(|one| !std::ptr::eq(*one, series));
    before.filter(|one| has(one)).count()
}

/// Adds the tooltip of the point to the marks of `draw`, unless the series has too many points.
pub(super) fn said(
    sheet: &mut Sheet,
    chart: &Chart,
    series: &Series,
    point: &Point,
    draw: impl FnOnce(&mut Sheet),
) {
    if series.points.len() <= MOST_SAID {
        sheet.group("", &words(chart, series, point), draw);
    } else {
        draw(sheet);
    }
}

/// Draws shares that rise at each point and are constant in between, with the band of their intervals.
pub(super) fn shares(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    for series in &panel.series {
        let opacity = BAND / panel.series.len().max(2) as f64;
        sheet.group(&series.name, "", |sheet| {
            steps(sheet, chart, series, frame, opacity);
        });
    }
}

fn steps(sheet: &mut Sheet, chart: &Chart, series: &Series, frame: &PlotFrame, opacity: f64) {
    let ends = |end: fn(Interval) -> f64| {
        let end = move |point: &Point| point.interval.map_or(point.mid, end);
        stairs(series, frame, end)
    };
    if series.points.iter().all(|point| point.interval.is_some()) {
        let mut band = ends(|interval| interval.high);
        band.extend(ends(|interval| interval.low).into_iter().rev());
        sheet.area(band, series.look.colour, opacity);
    }
    let path = stairs(series, frame, |point| point.mid);
    line(sheet, path, series.look, 2.0);
    if series.points.len() <= MOST_MARKERS {
        for point in &series.points {
            mark(sheet, chart, series, point, at(point, frame), 3.5);
        }
    }
}

/// The corners of a step function through the points of a series, from zero at its first point up to the frame's right edge.
fn stairs(series: &Series, frame: &PlotFrame, value: impl Fn(&Point) -> f64) -> Vec<(f64, f64)> {
    let first = series.points.first();
    let mut path = Vec::from_iter(first.map(|first| (frame.x(first.x), frame.y(0.0))));
    // The last of the points on one pixel has the height at its end.
    let pixel = |point: &Point| frame.x(point.x).floor();
    for points in series.points.chunk_by(|a, b| pixel(a) == pixel(b)) {
        let point = &points[points.len() - 1];
        let next = (frame.x(point.x), frame.y(value(point)));
        if let Some(&(_, before)) = path.last() {
            path.push((next.0, before));
        }
        path.push(next);
    }
    if let Some(&(_, last)) = path.last() {
        path.push((frame.right(), last));
    }
    path
}

/// Marks a point of a series.
pub(super) fn mark(
    sheet: &mut Sheet,
    chart: &Chart,
    series: &Series,
    point: &Point,
    at: (f64, f64),
    radius: f64,
) {
    said(sheet, chart, series, point, |sheet| {
        marker(sheet, at, series.look, radius, point.is_open());
    });
}

/// Draws the interval of a value as a vertical bar with ends.
pub(super) fn whisker(
    sheet: &mut Sheet,
    (x, half): (f64, f64),
    point: &Point,
    frame: &PlotFrame,
    colour: Rgb,
) {
    if let Some(interval) = point.interval {
        let ends = [interval.low, interval.high].map(|end| (x, frame.y(end)));
        bar(sheet, ends, (half, 0.0), colour);
    }
}

/// Draws a line between two points with a line across each end, unless it is shorter than a pixel.
pub(super) fn bar(sheet: &mut Sheet, [a, b]: [(f64, f64); 2], across: (f64, f64), colour: Rgb) {
    if (b.0 - a.0).hypot(b.1 - a.1) < 1.0 {
        return;
    }
    sheet.line(a, b, 1.2, colour);
    for (x, y) in [a, b] {
        let from = (x - across.0, y - across.1);
        sheet.line(from, (x + across.0, y + across.1), 1.2, colour);
    }
}

/// Draws a point in the shape and colour of its series; open if it was cut at a limit.
pub(super) fn marker(
    sheet: &mut Sheet,
    centre: (f64, f64),
    look: Look,
    radius: f64,
    is_open: bool,
) {
    filled_marker(sheet, centre, look, radius);
    if is_open {
        let colour = PAPER;
        filled_marker(sheet, centre, Look { colour, ..look }, 0.55 * radius);
    }
}

fn filled_marker(sheet: &mut Sheet, (x, y): (f64, f64), look: Look, radius: f64) {
    let colour = look.colour;
    match look.marker {
        Marker::Disc => sheet.disc((x, y), radius, colour, 1.0),
        Marker::Square => {
            let half = 0.9 * radius;
            sheet.rectangle((x - half, y - half), (2.0 * half, 2.0 * half), colour, 1.0);
        }
        Marker::Triangle | Marker::Nabla => {
            let is_up = look.marker == Marker::Triangle;
            let up = if is_up { -1.0 } else { 1.0 };
            let (half, far, near) = (1.1 * radius, 1.2 * radius * up, -0.75 * radius * up);
            let points = vec![(x, y + far), (x + half, y + near), (x - half, y + near)];
            sheet.area(points, colour, 1.0);
        }
        Marker::Cross => {
            let (long, thick) = (1.15 * radius, 0.42 * radius);
            for (wide, high) in [(long, thick), (thick, long)] {
                let size = (2.0 * wide, 2.0 * high);
                sheet.rectangle((x - wide, y - high), size, colour, 1.0);
            }
        }
    }
}

/// Draws a published value as a black diamond with a white edge, which is visible over marks of any colour.
pub(super) fn diamond(sheet: &mut Sheet, (x, y): (f64, f64), radius: f64) {
    let around = |radius: f64| {
        vec![
            (x, y - radius),
            (x + radius, y),
            (x, y + radius),
            (x - radius, y),
        ]
    };
    sheet.area(around(radius + 2.0), PAPER, 1.0);
    sheet.area(around(radius), INK, 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::axis::AxisRange;

    fn series(points: impl Iterator<Item = (f64, f64)>) -> Series {
        Series {
            points: points.map(|(x, y)| Point::new(x, y)).collect(),
            ..Series::default()
        }
    }

    #[test]
    fn steps_begin_at_zero_though_many_are_on_one_pixel() {
        let all = (1..=9).map(|at| (500.0 + f64::from(at), f64::from(at) / 10.0));
        let frame = PlotFrame {
            left: 0.0,
            top: 0.0,
            width: 100.0,
            height: 50.0,
            x_range: AxisRange::of(0.0, 1000.0),
            y_range: AxisRange::of(0.0, 1.0),
        };
        let path = stairs(&series(all), &frame, |point| point.mid);
        assert_eq!(path[0], (50.1, 50.0));
        assert_eq!(path.last(), Some(&(100.0, 5.0)));
    }

    #[test]
    fn a_line_is_cut_where_its_series_failed() {
        let strokes = |failed: &[f64]| {
            let all = (0..4).map(|at| (f64::from(at), 0.5));
            let mut one = series(all);
            one.failed = failed.iter().map(|x| (*x, String::new())).collect();
            let runs = one.points.chunk_by(|a, b| one.joins(a, b));
            runs.map(<[Point]>::len).collect::<Vec<_>>()
        };
        assert_eq!(strokes(&[]), [4]);
        assert_eq!(strokes(&[1.5, 7.0]), [2, 2]);
    }
}
