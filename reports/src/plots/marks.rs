//! What each kind of chart draws in a panel.

use ikeru_bench_data::PlotKind;

use super::axis::value_word;
use super::chart::{Chart, Panel, Point, Series};
use super::look::{Look, Marker};
use super::render::{Frame, TEXT};
use crate::sheet::{Anchor, INK, MUTED, PAPER, Sheet, text_width};
use crate::statistics::Interval;

/// Beyond so many points a line has no markers.
const MOST_MARKERS: usize = 40;

/// Draws the panel's series.
pub(super) fn panel(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &Frame) {
    match chart.kind {
        PlotKind::Line => panel
            .series
            .iter()
            .for_each(|series| line(sheet, series, frame)),
        PlotKind::Sorted => panel
            .series
            .iter()
            .for_each(|series| sorted(sheet, series, frame)),
        PlotKind::Cactus | PlotKind::Profile => {
            panel
                .series
                .iter()
                .for_each(|series| steps(sheet, series, frame));
        }
        PlotKind::Scatter => panel
            .series
            .iter()
            .for_each(|series| cloud(sheet, series, frame)),
        PlotKind::Bar => bars(sheet, chart, panel, frame),
        PlotKind::Strip => strips(sheet, panel, frame),
        PlotKind::Pareto => pareto(sheet, panel, frame, chart.panels.len() == 1),
    }
}

/// Draws the panel's published values, over lines and guides.
pub(super) fn published(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &Frame) {
    for value in &panel.published {
        let beside = match (chart.kind, &value.series) {
            (PlotKind::Bar, Some(series)) => bar_place(chart, panel, frame, value.x, series),
            _ => 0.0,
        };
        let at = (frame.x(value.x) + beside, frame.y(value.y));
        diamond(sheet, at, 6.5);
    }
}

fn at(point: &Point, frame: &Frame) -> (f64, f64) {
    (frame.x(point.x), frame.y(point.mid))
}

fn line(sheet: &mut Sheet, series: &Series, frame: &Frame) {
    // A band only where neighbours have intervals: none is made up in between.
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
    let path = series.points.iter().map(|point| at(point, frame)).collect();
    sheet.stroke(path, 2.0, series.look.colour);
    if series.points.len() <= MOST_MARKERS {
        markers(sheet, series, frame, 4.5);
    } else {
        let last = series.points.iter().filter(|point| point.censored);
        last.for_each(|point| marker(sheet, at(point, frame), series.look, 4.5, true));
    }
}

fn sorted(sheet: &mut Sheet, series: &Series, frame: &Frame) {
    let path = series.points.iter().map(|point| at(point, frame)).collect();
    sheet.stroke(path, 2.0, series.look.colour);
    if series.points.len() <= MOST_MARKERS {
        markers(sheet, series, frame, 3.5);
    }
}

/// A share that rises at each point and stays in between.
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

fn cloud(sheet: &mut Sheet, series: &Series, frame: &Frame) {
    let radius = if series.points.len() > 300 { 2.5 } else { 3.5 };
    markers(sheet, series, frame, radius);
}

fn markers(sheet: &mut Sheet, series: &Series, frame: &Frame, radius: f64) {
    for point in &series.points {
        marker(sheet, at(point, frame), series.look, radius, point.censored);
    }
}

fn bars(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &Frame) {
    for category in 0..chart.x.categories.len() {
        let group = bars_at(panel, category as f64);
        let width = bar_width(chart, frame, group.len());
        let middle = frame.x(category as f64);
        let words: Vec<String> = group
            .iter()
            .map(|(_, point)| value_word(point.mid, chart.y.unit))
            .collect();
        let fits = words
            .iter()
            .all(|word| text_width(word, TEXT) < 1.15 * width + 4.0);
        for (index, (series, point)) in group.iter().enumerate() {
            let x = middle + bar_offset(width, index, group.len());
            let foot = chart.bars_from.map_or(frame.bottom(), |from| frame.y(from));
            bar(sheet, (x, foot), 0.88 * width, series.look, point, frame);
            // Where a colour stands twice, the legend's shape tells which bar it is.
            let same = group
                .iter()
                .filter(|(other, _)| other.look.colour == series.look.colour);
            if same.count() > 1 {
                let shape = Look {
                    colour: if point.censored { INK } else { PAPER },
                    ..series.look
                };
                let foot = (x, frame.bottom() - 10.0);
                filled_marker(sheet, foot, shape, (0.2 * width).min(4.5));
            }
            if fits {
                let top = point.interval.map_or(point.mid, |ends| ends.high);
                let above = (x, frame.y(top) - 10.0);
                sheet.text(above, TEXT, &words[index], INK, Anchor::Middle);
            }
        }
    }
}

/// The series that have a bar at a category, in their order.
fn bars_at(panel: &Panel, category: f64) -> Vec<(&Series, &Point)> {
    let here = |point: &&Point| (point.x - category).abs() < 0.5;
    let series = panel.series.iter();
    series
        .filter_map(|series| Some((series, series.points.iter().find(here)?)))
        .collect()
}

fn bar_width(chart: &Chart, frame: &Frame, bars: usize) -> f64 {
    let slot = frame.width / chart.x.categories.len().max(1) as f64;
    (0.8 * slot / bars.max(1) as f64).min(70.0)
}

/// Where a bar's middle lies, from the middle of its category.
fn bar_offset(width: f64, index: usize, bars: usize) -> f64 {
    width * (index as f64 - 0.5 * (bars - 1) as f64)
}

/// Where a series' bar lies, from the middle of its category; 0 if it has none.
fn bar_place(chart: &Chart, panel: &Panel, frame: &Frame, category: f64, name: &str) -> f64 {
    let group = bars_at(panel, category);
    let index = group.iter().position(|(series, _)| series.name == name);
    index.map_or(0.0, |index| {
        bar_offset(bar_width(chart, frame, group.len()), index, group.len())
    })
}

fn bar(
    sheet: &mut Sheet,
    (x, foot): (f64, f64),
    width: f64,
    look: Look,
    point: &Point,
    frame: &Frame,
) {
    let end = frame.y(point.mid);
    let corner = (x - 0.5 * width, end.min(foot));
    let size = (width, (end - foot).abs());
    sheet.rectangle(corner, size, look.colour, 1.0);
    if point.censored {
        let inside = (corner.0 + 2.0, corner.1 + 2.0);
        let rest = (size.0 - 4.0, (size.1 - 2.0).max(0.0));
        sheet.rectangle(inside, rest, PAPER, 1.0);
    } else {
        whisker(sheet, x, (0.3 * width).min(5.0), point, frame);
    }
}

/// The interval of a value as a vertical bar with ends.
fn whisker(sheet: &mut Sheet, x: f64, half: f64, point: &Point, frame: &Frame) {
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

/// Raw samples beside each other, with median and interval over them.
fn strips(sheet: &mut Sheet, panel: &Panel, frame: &Frame) {
    let slot = frame.x(1.0) - frame.x(0.0);
    let half = (0.32 * slot).min(45.0);
    for series in &panel.series {
        for (index, point) in series.points.iter().enumerate() {
            // Evenly spread, the same in every drawing: multiples of the golden ratio.
            let share = (index as f64 * 0.618_033_988_749_895).fract() - 0.5;
            let x = frame.x(point.x) + 2.0 * half * share;
            let radius = if series.points.len() > 200 { 2.0 } else { 3.0 };
            marker(
                sheet,
                (x, frame.y(point.mid)),
                series.look,
                radius,
                point.censored,
            );
        }
        if let Some(summary) = &series.summary {
            let (x, y) = at(summary, frame);
            let reach = half + 8.0;
            sheet.line((x - reach, y), (x + reach, y), 2.5, INK);
            whisker(sheet, x, 9.0, summary, frame);
        }
    }
}

/// One point per series; those that no other beats in both are joined.
fn pareto(sheet: &mut Sheet, panel: &Panel, frame: &Frame, is_labelled: bool) {
    let mut points: Vec<(&Series, Point)> = panel
        .series
        .iter()
        .filter_map(|series| Some((series, *series.points.first()?)))
        .collect();
    points.sort_by(|a, b| a.1.x.total_cmp(&b.1.x).then(b.1.mid.total_cmp(&a.1.mid)));
    let mut best = f64::NEG_INFINITY;
    let mut front = Vec::new();
    for (_, point) in &points {
        if point.mid > best {
            best = point.mid;
            front.push(at(point, frame));
        }
    }
    sheet.stroke(front, 1.2, MUTED);
    let mut taken: Vec<Card> = points
        .iter()
        .map(|(_, point)| Card::around(at(point, frame), 12.0, 12.0))
        .collect();
    for (series, point) in &points {
        let centre = at(point, frame);
        whisker(sheet, centre.0, 4.0, point, frame);
        marker(sheet, centre, series.look, 6.0, point.censored);
        if is_labelled {
            name_beside(sheet, &series.name, centre, frame, &mut taken);
        }
    }
}

/// A rectangle that a label takes.
struct Card {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Card {
    fn around(centre: (f64, f64), width: f64, height: f64) -> Self {
        Self {
            left: centre.0 - 0.5 * width,
            top: centre.1 - 0.5 * height,
            right: centre.0 + 0.5 * width,
            bottom: centre.1 + 0.5 * height,
        }
    }
    fn meets(&self, other: &Self) -> bool {
        let beside = self.right < other.left || other.right < self.left;
        let apart = self.bottom < other.top || other.bottom < self.top;
        !beside && !apart
    }
}

/// Writes a name as near to its point as other names and points leave room.
fn name_beside(
    sheet: &mut Sheet,
    name: &str,
    point: (f64, f64),
    frame: &Frame,
    taken: &mut Vec<Card>,
) {
    let width = text_width(name, TEXT) + 4.0;
    let sides = (1..12).flat_map(|ring| {
        let away = 15.0 * f64::from(ring);
        let side = 0.5 * width + 11.0;
        [
            (side, away - 5.0),
            (-side, 5.0 - away),
            (0.0, -away),
            (0.0, away),
            (side, 5.0 - away),
            (-side, away - 5.0),
        ]
    });
    for (right, down) in sides {
        let centre = (point.0 + right, point.1 + down);
        let card = Card::around(centre, width, 15.0);
        let is_inside = card.left >= frame.left
            && card.right <= frame.right() + 14.0
            && card.top >= frame.top - 6.0
            && card.bottom <= frame.bottom();
        if is_inside && !taken.iter().any(|other| card.meets(other)) {
            if down.abs() > 20.0 {
                sheet.line(
                    point,
                    (centre.0, centre.1 - 8.0 * down.signum()),
                    0.5,
                    MUTED,
                );
            }
            sheet.text(centre, TEXT, name, INK, Anchor::Middle);
            taken.push(card);
            return;
        }
    }
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

fn filled_marker(sheet: &mut Sheet, (x, y): (f64, f64), look: Look, radius: f64) {
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
