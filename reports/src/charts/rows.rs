//! Charts whose marks lie in rows below each other: a name at the left, the marks along a common axis of values, and the
//! value at the right.

use ikeru_bench_data::Scale;

use super::axis::AxisRange;
use super::chart::{Chart, Panel, Point, RowLayout, Series};
use super::frame::{PlotFrame, TEXT, Width};
use super::layout::number_ticks;
use super::look::{Look, Marker};
use super::marks::{bar, diamond, marker, said};
use crate::sheet::{Anchor, FAINT, INK, MUTED, PAPER, Sheet, shortened, text_width};
use crate::table::sign;
use crate::units::{self, Quantity};

/// The height of a row.
const ROW: f64 = 21.0;
/// The largest share of the sheet's width for the names.
const NAMES: f64 = 0.34;
/// The largest height of a chart, in pixels of a drawing; a bitmap has twice as many.
const HIGHEST: f64 = 4000.0;
/// The height of a line of labels above a panel.
const LINE: f64 = 17.0;

/// One row: the heading above it, its name, and its series with their points there.
struct ChartRow<'a> {
    category: usize,
    heading: String,
    name: &'a str,
    /// True if it is the first row of its category, which has the published values of all series.
    is_first: bool,
    marks: Vec<(&'a Series, Vec<&'a Point>)>,
}

impl ChartRow<'_> {
    /// Returns whether its name is wider than `most`, and is written above the row.
    fn is_long(&self, most: f64) -> bool {
        text_width(self.name, TEXT) > most
    }

    /// The room above the middle of the row.
    fn above(&self, most: f64) -> f64 {
        let lines = usize::from(!self.heading.is_empty()) + usize::from(self.is_long(most));
        0.5 * ROW + 0.8 * ROW * lines as f64
    }
}

/// Returns whether the chart has this form.
pub(super) fn is_laid(chart: &Chart) -> bool {
    chart.style.rows != RowLayout::Never
}

/// Draws the panels from `top` on, each below the one before.
pub(super) fn panels(sheet: &mut Sheet, chart: &Chart, width: Width, top: f64, range: AxisRange) {
    let margin = width.margin();
    let room = width.pixels() - 2.0 * margin;
    let all = chart.panels.iter().map(|panel| rows(chart, panel));
    let mut all: Vec<Vec<ChartRow>> = all.collect();
    // Names that would take too much of the width are written in a separate line above the row; if most would, all are.
    let most = NAMES * room;
    let long = all.iter().flatten().filter(|row| row.is_long(most)).count();
    let most = match 2 * long > all.iter().flatten().count() {
        true => 0.0,
        false => most,
    };
    let left_out = shorten(&mut all, most, HIGHEST - top);
    let widest =
        |word: &dyn Fn(&ChartRow) -> f64| all.iter().flatten().map(word).fold(0.0, f64::max);
    let names = widest(&|row| match row.is_long(most) {
        true => 0.0,
        false => text_width(row.name, TEXT),
    });
    let values = widest(&|row| text_width(&value(chart, row), TEXT));
    let left = margin + if names == 0.0 { 6.0 } else { names + 12.0 };
    let right = width.pixels() - margin - values - 10.0;
    let gap = gap(&all, most, width.least() - top);
    let mut at = top;
    for (index, (panel, rows)) in chart.panels.iter().zip(&all).enumerate() {
        if !panel.title.is_empty() {
            at += LINE;
            let title = shortened(&panel.title, TEXT + 1.0, room);
            sheet.text((margin, at), TEXT + 1.0, title, INK, Anchor::Start);
            at += 12.0;
        }
        if index == 0 {
            guide_labels(sheet, chart, (left, right, range), &mut at);
        }
        at += 4.0;
        let height = rows
            .iter()
            .map(|row| row.above(most) + 0.5 * ROW + gap)
            .sum();
        let frame = PlotFrame {
            left,
            top: at,
            width: right - left,
            height,
            x_range: range,
            y_range: AxisRange::of(0.0, 1.0),
        };
        axis(sheet, chart, &frame);
        for row in rows {
            let y = at + row.above(most) + 0.5 * gap;
            let is_above = row.is_long(most);
            let lines = if is_above { 1.6 } else { 0.8 };
            let heading = ((margin, y - lines * ROW), room, Anchor::Start);
            if !row.heading.is_empty() {
                name(sheet, &row.heading, heading);
            }
            let place = match is_above {
                true => ((margin, y - 0.8 * ROW), room, Anchor::Start),
                false => ((left - 12.0, y), names, Anchor::End),
            };
            name(sheet, row.name, place);
            line(sheet, chart, panel, row, (&frame, y));
            let word = (right + 10.0 + values, y);
            sheet.text(word, TEXT, value(chart, row), INK, Anchor::End);
            at = y + 0.5 * (ROW + gap);
        }
        at += 26.0;
    }
    let half = 0.5 * text_width(&chart.y.label, TEXT);
    let under = ((0.5 * (left + right)).max(half + 2.0), at + 4.0);
    sheet.text(under, TEXT, &chart.y.label, INK, Anchor::Middle);
    if left_out > 0 {
        at += LINE;
        let rows = units::plural(left_out, "row");
        let more = format!("and {rows} more, which are in the CSV of this plot");
        sheet.text((margin, at + 4.0), TEXT, more, MUTED, Anchor::Start);
    }
    sheet.height = width.least().max(at + 18.0);
}

/// Writes the labels of the guides below each other from `at` on.
fn guide_labels(
    sheet: &mut Sheet,
    chart: &Chart,
    (left, right, range): (f64, f64, AxisRange),
    at: &mut f64,
) {
    for guide in &chart.guides {
        let width = text_width(&guide.label, TEXT);
        let middle = left + (right - left) * range.share(guide.at);
        let x = (middle - 0.5 * width).clamp(left, (right - width).max(left));
        sheet.text((x, *at + 8.0), TEXT, &guide.label, INK, Anchor::Start);
        *at += LINE;
    }
}

/// The distance between rows with which they fill `room`.
fn gap(all: &[Vec<ChartRow>], most: f64, room: f64) -> f64 {
    let heights = all.iter().flatten().map(|row| row.above(most) + 0.5 * ROW);
    let high = heights.clone().sum::<f64>() + 60.0 * all.len() as f64;
    ((room - high) / heights.count().max(1) as f64).max(0.0)
}

/// Leaves out the last rows of panels that would be higher than `room` together: with a row for each of many seeds a picture
/// would take gigabytes. Returns their number.
fn shorten(all: &mut [Vec<ChartRow>], most: f64, room: f64) -> usize {
    let room = room / all.len().max(1) as f64 - 4.0 * LINE;
    let mut left_out = 0;
    for rows in all {
        let mut height = 0.0;
        let fits = rows.iter().take_while(|row| {
            height += row.above(most) + 0.5 * ROW;
            height <= room
        });
        let fits = fits.count().max(1).min(rows.len());
        left_out += rows.len() - fits;
        rows.truncate(fits);
    }
    left_out
}

/// Writes a name, shortened to a width.
fn name(sheet: &mut Sheet, whole: &str, (at, width, anchor): ((f64, f64), f64, Anchor)) {
    let name = shortened(whole, TEXT, width);
    let said = if name == whole { "" } else { whole };
    if anchor == Anchor::Start {
        let size = (text_width(&name, TEXT) + 4.0, 0.66 * ROW);
        sheet.rectangle((at.0 - 2.0, at.1 - 0.33 * ROW), size, PAPER, 1.0);
    }
    sheet.group("", said, |sheet| sheet.text(at, TEXT, name, INK, anchor));
}

/// The rows of a panel: one for each category where its series are joined, else one for each category and series. Rows
/// are named by their series, below the name of their category, unless each category has one series.
fn rows<'a>(chart: &'a Chart, panel: &'a Panel) -> Vec<ChartRow<'a>> {
    let mut all = Vec::new();
    let is_joined = chart.style.rows == RowLayout::Joined;
    for (category, name) in chart.x.categories.iter().enumerate() {
        let here = |point: &&Point| (point.x - category as f64).abs() < 0.5;
        let marks = panel.series.iter();
        let marks = marks.map(|series| (series, series.points.iter().filter(here).collect()));
        let is_asked = |(series, points): &(&Series, Vec<&Point>)| {
            !points.is_empty() || failed(series, category).is_some()
        };
        let marks: Vec<_> = marks.filter(is_asked).collect();
        let rows = match is_joined {
            true => vec![marks],
            false => marks.into_iter().map(|mark| vec![mark]).collect(),
        };
        for (place, marks) in rows.into_iter().enumerate() {
            all.push(ChartRow {
                category,
                heading: String::new(),
                name,
                is_first: place == 0,
                marks,
            });
        }
    }
    if is_grouped(chart) && !is_joined {
        for row in &mut all {
            // A word is clear without the label.
            let is_bare = row.name.starts_with(|c: char| c.is_ascii_digit())
                || ["yes", "no"].contains(&row.name);
            row.heading = match (row.is_first, chart.x.label.as_str()) {
                (false, _) => String::new(),
                (true, label) if is_bare && !label.is_empty() => format!("{label}: {}", row.name),
                (true, _) => row.name.to_owned(),
            };
            row.name = &row.marks[0].0.name;
        }
    }
    all
}

/// The failures of a series in a category that has no value of it.
fn failed(series: &Series, category: usize) -> Option<&str> {
    let mut failed = series.failed.iter();
    let here = failed.find(|(x, _)| (x - category as f64).abs() < 0.5)?;
    Some(&here.1)
}

/// Returns whether there are several series, and a category has one that is not its name.
fn is_grouped(chart: &Chart) -> bool {
    let mut names = chart.series().map(|series| &series.name);
    let first = names.next();
    let is_other = |series: &Series| {
        let mut points = series.points.iter();
        points.any(|point| chart.x.name(point.x) != Some(&series.name))
    };
    !names.all(|name| Some(name) == first) && chart.series().any(is_other)
}

/// The point whose value is written: the summary of samples, or the only point.
fn told<'a>(series: &'a Series, points: &[&'a Point]) -> Option<&'a Point> {
    match (summary(series, points), points) {
        (Some(summary), _) => Some(summary),
        (None, [one]) => Some(one),
        _ => None,
    }
}

/// The summary of the samples of a row.
fn summary<'a>(series: &'a Series, points: &[&Point]) -> Option<&'a Point> {
    let x = points.first()?.x;
    series.summaries.iter().find(|summary| summary.x == x)
}

fn value(chart: &Chart, row: &ChartRow) -> String {
    let word = |point: &Point| {
        let number = match chart.y.quantity {
            Quantity::Ratio => Quantity::Ratio.word(point.mid),
            other => other.spoken_beside(point.mid, point.interval),
        };
        format!("{}{number}", sign(point.bound))
    };
    let words = row.marks.iter().filter_map(|(series, points)| {
        let failed = || failed(series, row.category).map(str::to_owned);
        told(series, points).map(word).or_else(failed)
    });
    words.collect::<Vec<_>>().join(" → ")
}

/// Draws the grid, the ticks with their labels, and the guides.
fn axis(sheet: &mut Sheet, chart: &Chart, frame: &PlotFrame) {
    number_ticks(sheet, chart.y.quantity, frame);
    let bottom = frame.bottom();
    sheet.line((frame.left, bottom), (frame.right(), bottom), 1.0, MUTED);
    for guide in &chart.guides {
        let x = frame.x(guide.at);
        sheet.dashed((x, frame.top), (x, bottom), 5.0, 1.2, INK);
    }
}

/// Draws the marks of a row, and the published values at its height.
fn line(
    sheet: &mut Sheet,
    chart: &Chart,
    panel: &Panel,
    row: &ChartRow,
    (frame, y): (&PlotFrame, f64),
) {
    sheet.line((frame.left, y), (frame.right(), y), 0.5, FAINT);
    let ends = row.marks.iter();
    let ends = ends.filter_map(|(_, points)| Some(frame.x(points.first()?.mid)));
    let ends: Vec<f64> = ends.collect();
    if let (RowLayout::Joined, [first, .., last]) = (chart.style.rows, ends.as_slice()) {
        sheet.line((*first, y), (*last, y), 2.0, MUTED);
    }
    for (series, points) in &row.marks {
        sheet.group(&series.name, "", |sheet| {
            marks(sheet, chart, (series, points), (frame, y));
        });
    }
    for value in &panel.published {
        let is_here = (value.x - row.category as f64).abs() < 0.5;
        let of_series = |name: &String| row.marks.iter().any(|(series, _)| series.name == *name);
        if is_here && value.series.as_ref().map_or(row.is_first, of_series) {
            let words = chart.y.quantity.spoken(value.y);
            let words = format!("published, {}: {words}", value.figure);
            let at = (frame.x(value.y), y);
            sheet.group("", &words, |sheet| diamond(sheet, at, 6.0));
        }
    }
}

/// Draws one point with its interval; or samples spread over the height of the row, and their summary.
fn marks(
    sheet: &mut Sheet,
    chart: &Chart,
    (series, points): (&Series, &[&Point]),
    (frame, y): (&PlotFrame, f64),
) {
    let point_at = |sheet: &mut Sheet, point: &Point, y: f64, look: Look, radius: f64| {
        let at = (frame.x(point.mid), y);
        marker(sheet, at, look, radius, point.is_open());
    };
    if let Some(summary) = summary(series, points) {
        for (index, point) in points.iter().enumerate() {
            // Multiples of the golden ratio are evenly spread, and the same in every drawing.
            let share = (index as f64 * 0.618_033_988_749_895).fract() - 0.5;
            // Dots of one colour are one short path; squares would be a tenth of the size of a page's plots.
            let marker = Marker::Disc;
            let look = Look {
                marker,
                ..series.look
            };
            point_at(sheet, point, y + 0.6 * ROW * share, look, 2.5);
        }
        said(sheet, chart, series, summary, |sheet| {
            let x = frame.x(summary.mid);
            sheet.line((x, y - 0.42 * ROW), (x, y + 0.42 * ROW), 2.5, INK);
            whisker(sheet, summary, (frame, y, 5.0));
        });
        return;
    }
    // A logarithmic axis has no zero from which a bar could start.
    let has_bars = chart.y.scale == Scale::Linear && chart.style.from_zero;
    for point in points {
        said(sheet, chart, series, point, |sheet| {
            if has_bars {
                let [zero, end] = [0.0, point.mid].map(|value| frame.x(value));
                let size = ((end - zero).abs(), 0.7 * ROW);
                let opacity = if point.is_open() { 0.4 } else { 1.0 };
                let corner = (zero.min(end), y - 0.35 * ROW);
                sheet.rectangle(corner, size, series.look.colour, opacity);
            }
            if !point.is_open() {
                whisker(sheet, point, (frame, y, 4.0));
            }
            if !has_bars {
                point_at(sheet, point, y, series.look, 5.5);
            }
        });
    }
}

/// Draws the interval of a value as a horizontal bar with ends.
fn whisker(sheet: &mut Sheet, point: &Point, (frame, y, half): (&PlotFrame, f64, f64)) {
    if let Some(interval) = point.interval {
        let ends = [interval.low, interval.high].map(|end| (frame.x(end), y));
        bar(sheet, ends, (0.0, half), INK);
    }
}
