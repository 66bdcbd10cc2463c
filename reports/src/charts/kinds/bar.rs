//! Medians of y grouped by x: bars from zero or from a value of the chart, and dots in rows on a logarithmic axis without
//! one.

use super::prelude::*;

pub(super) const KIND: PlotKind = PlotKind {
    word: "bar",
    shown: ["medians", " with 95 % intervals"],
    along: Along::Names,
    shares: false,
    axes: |question| question.axes(),
    series: |question, panel| question.by_series(panel, |own| question.medians(own)),
    style: BARS,
};

/// Bars from zero or from [`Chart::bars_from`]; otherwise dots in rows, because a logarithmic axis has no zero.
pub const BARS: &Style = &Style {
    foot: Foot::Zero,
    names: Names::Legend,
    rows: RowLayout::OfDots,
    series: groups,
    beside: beside_mark,
};

/// A mark of a group: its series, its value, the x coordinate of its middle, and its width.
struct Mark<'a> {
    series: &'a Series,
    point: &'a Point,
    x: f64,
    width: f64,
}

fn groups(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    let marks: Vec<Mark> = (0..chart.x.categories.len())
        .flat_map(|category| marks_at(chart, panel, frame, category as f64))
        .collect();
    separators(sheet, chart, frame);
    let mut room = Room::default();
    for mark in &marks {
        sheet.group(&mark.series.name, "", |sheet| {
            said(sheet, chart, mark.series, mark.point, |sheet| {
                bar(sheet, chart, mark, frame);
            });
        });
        room.take(TakenRoom::around(at_mark(mark, frame), 12.0, 12.0));
    }
    for value in &panel.published {
        let x = frame.x(value.x) + beside_mark(chart, panel, frame, value);
        room.take(TakenRoom::around((x, frame.y(value.y)), 15.0, 15.0));
    }
    words(sheet, chart, &marks, frame, &mut room);
}

fn at_mark(mark: &Mark, frame: &PlotFrame) -> (f64, f64) {
    (mark.x, frame.y(mark.point.mid))
}

/// Writes the values, if each of them has room at its own mark; a part of them would look like a selection.
fn words(sheet: &mut Sheet, chart: &Chart, marks: &[Mark], frame: &PlotFrame, room: &mut Room) {
    let mut placed = Vec::new();
    for mark in marks {
        let word = chart.y.quantity.spoken(mark.point.mid);
        let ends = mark.point.interval.filter(|_| !mark.point.censored);
        let top = frame.y(ends.map_or(mark.point.mid, |ends| ends.high));
        let above = (mark.x, top.min(frame.y(mark.point.mid) - 4.0) - 9.0);
        match room.place(&word, vec![above], frame) {
            Some(centre) => placed.push((centre, word)),
            None => return,
        }
    }
    for (centre, word) in placed {
        sheet.text(centre, TEXT, word, INK, Anchor::Middle);
    }
}

/// Draws faint lines between the groups.
fn separators(sheet: &mut Sheet, chart: &Chart, frame: &PlotFrame) {
    for category in 1..chart.x.categories.len() {
        let x = frame.x(category as f64 - 0.5);
        sheet.line((x, frame.top), (x, frame.bottom()), 1.0, FAINT);
    }
}

/// The marks of a category, in the order of their series.
fn marks_at<'a>(
    chart: &Chart,
    panel: &'a Panel,
    frame: &PlotFrame,
    category: f64,
) -> Vec<Mark<'a>> {
    let here = |point: &&Point| (point.x - category).abs() < 0.5;
    let series = panel.series.iter();
    let own: Vec<(&Series, &Point)> = series
        .filter_map(|series| Some((series, series.points.iter().find(here)?)))
        .collect();
    let slot = frame.width / chart.x.categories.len().max(1) as f64;
    let width = (0.8 * slot / own.len().max(1) as f64).min(70.0);
    let first = frame.x(category) - 0.5 * width * (own.len() as f64 - 1.0);
    let marks = own.into_iter().enumerate();
    marks
        .map(|(index, (series, point))| Mark {
            series,
            point,
            x: first + width * index as f64,
            width,
        })
        .collect()
}

/// The offset of the mark of a published value from the middle of its category; 0 if it has no mark.
fn beside_mark(chart: &Chart, panel: &Panel, frame: &PlotFrame, value: &Published) -> f64 {
    let marks = marks_at(chart, panel, frame, value.x);
    let own = marks
        .iter()
        .find(|mark| Some(&mark.series.name) == value.series.as_ref());
    own.map_or(0.0, |mark| mark.x - frame.x(value.x))
}

fn bar(sheet: &mut Sheet, chart: &Chart, mark: &Mark, frame: &PlotFrame) {
    let foot = chart.bars_from.map_or(frame.bottom(), |from| frame.y(from));
    let (end, width) = (frame.y(mark.point.mid), 0.88 * mark.width);
    let corner = (mark.x - 0.5 * width, end.min(foot));
    let size = (width, (end - foot).abs());
    sheet.rectangle(corner, size, mark.series.look.colour, 1.0);
    if mark.point.censored {
        let inside = (corner.0 + 2.0, corner.1 + 2.0);
        let rest = (size.0 - 4.0, (size.1 - 2.0).max(0.0));
        sheet.rectangle(inside, rest, PAPER, 1.0);
    } else {
        let half = (0.3 * width).min(5.0);
        whisker(sheet, (mark.x, half), mark.point, frame, INK);
    }
}
