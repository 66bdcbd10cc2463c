//! Points, intervals and steps, as several kinds of chart draw them.

use super::chart::{Chart, Panel, Point, Published, Series};
use super::frame::Frame;
use super::look::{Look, Marker};
use crate::sheet::{INK, PAPER, Sheet};
use crate::statistics::Interval;

/// Beyond so many points a line has no markers.
const MOST_MARKERS: usize = 40;

/// Where a point lies on the sheet.
pub(super) fn at(point: &Point, frame: &Frame) -> (f64, f64) {
    (frame.x(point.x), frame.y(point.mid))
}

/// A published value stands at its x.
pub(super) fn centred(_: &Chart, _: &Panel, _: &Frame, _: &Published) -> f64 {
    0.0
}

/// Joins the points of a series, and marks each of few; of many, those that were cut at a limit.
pub(super) fn joined(sheet: &mut Sheet, series: &Series, frame: &Frame, radius: f64) {
    let path = series.points.iter().map(|point| at(point, frame)).collect();
    sheet.stroke(path, 2.0, series.look.colour);
    let is_marked = |point: &&Point| point.censored || series.points.len() <= MOST_MARKERS;
    for point in series.points.iter().filter(is_marked) {
        marker(sheet, at(point, frame), series.look, radius, point.censored);
    }
}

/// Shares that rise at each point and stay in between, with the band of their intervals.
pub(super) fn shares(sheet: &mut Sheet, _: &Chart, panel: &Panel, frame: &Frame) {
    panel
        .series
        .iter()
        .for_each(|series| steps(sheet, series, frame));
}

fn steps(sheet: &mut Sheet, series: &Series, frame: &Frame) {
    let ends = |end: fn(Interval) -> f64| {
        let end = move |point: &Point| point.interval.map_or(point.mid, end);
        stairs(series, frame, end)
    };
    if series.points.iter().all(|point| point.interval.is_some()) {
        let lower = ends(|interval| interval.low);
        let band = ends(|interval| interval.high)
            .into_iter()
            .chain(lower.into_iter().rev());
        sheet.area(band.collect(), series.look.colour, 0.14);
    }
    let path = stairs(series, frame, |point| point.mid);
    sheet.stroke(path, 2.0, series.look.colour);
    if series.points.len() <= MOST_MARKERS {
        markers(sheet, series, frame, 3.5);
    }
}

/// The corners of a value that stays between two points, up to the frame's right edge.
fn stairs(series: &Series, frame: &Frame, value: impl Fn(&Point) -> f64) -> Vec<(f64, f64)> {
    let mut path: Vec<(f64, f64)> = Vec::new();
    for point in &series.points {
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

/// Marks each point of a series.
pub(super) fn markers(sheet: &mut Sheet, series: &Series, frame: &Frame, radius: f64) {
    for point in &series.points {
        marker(sheet, at(point, frame), series.look, radius, point.censored);
    }
}

/// The interval of a value as a vertical bar with ends.
pub(super) fn whisker(sheet: &mut Sheet, x: f64, half: f64, point: &Point, frame: &Frame) {
    let Some(interval) = point.interval else {
        return;
    };
    let (low, high) = (frame.y(interval.low), frame.y(interval.high));
    if low - high < 1.0 {
        return;
    }
    sheet.line((x, low), (x, high), 1.2, INK);
    sheet.line((x - half, low), (x + half, low), 1.2, INK);
    sheet.line((x - half, high), (x + half, high), 1.2, INK);
}

/// A point in the shape and colour of its series; open if it was cut at a limit.
pub(super) fn marker(
    sheet: &mut Sheet,
    centre: (f64, f64),
    look: Look,
    radius: f64,
    is_open: bool,
) {
    filled_marker(sheet, centre, look, radius);
    if is_open {
        let inner = Look {
            colour: PAPER,
            ..look
        };
        filled_marker(sheet, centre, inner, 0.55 * radius);
    }
}

pub(super) fn filled_marker(sheet: &mut Sheet, (x, y): (f64, f64), look: Look, radius: f64) {
    let colour = look.colour;
    match look.marker {
        Marker::Disc => sheet.disc((x, y), radius, colour, 1.0),
        Marker::Square => {
            let half = 0.9 * radius;
            sheet.rectangle((x - half, y - half), (2.0 * half, 2.0 * half), colour, 1.0);
        }
        Marker::Triangle | Marker::Nabla => {
            let up = if look.marker == Marker::Triangle {
                -1.0
            } else {
                1.0
            };
            let (half, far, near) = (1.1 * radius, 1.2 * radius * up, -0.75 * radius * up);
            let points = vec![(x, y + far), (x + half, y + near), (x - half, y + near)];
            sheet.area(points, colour, 1.0);
        }
        Marker::Cross => {
            let (long, thick) = (1.15 * radius, 0.42 * radius);
            sheet.rectangle(
                (x - long, y - thick),
                (2.0 * long, 2.0 * thick),
                colour,
                1.0,
            );
            sheet.rectangle(
                (x - thick, y - long),
                (2.0 * thick, 2.0 * long),
                colour,
                1.0,
            );
        }
    }
}

/// A black diamond with a white edge: a published value, seen over marks of any colour.
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
    sheet.area(around(radius), (0, 0, 0), 1.0);
}
