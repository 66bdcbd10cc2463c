//! The names of the series: a legend above the panels, or labels at the ends of the lines.

use std::collections::BTreeSet;

use super::chart::{self, Chart, Panel, RowLayout, Series};
use super::frame::{PlotFrame, TEXT, Width};
use super::look::Look;
use super::marks::{diamond, line, marker};
use super::rows;
use crate::sheet::{Anchor, INK, MUTED, Point, Sheet, shortened, text_width};
use crate::units::Quantity;

/// The largest number of series that are labelled at the ends of their lines.
const MOST_AT_LINE_ENDS: usize = 6;
/// The width of the longest name at a line's end; longer names would leave too little width to the panel.
const WIDEST_AT_LINE_ENDS: f64 = 230.0;
const LINE_HEIGHT: f64 = 16.0;

/// An entry of a legend.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LegendEntry {
    /// A series: its look, its name, its label, and half the length of its line.
    Series(Look, String, String, f64),
    /// The label of the published values, with their sources.
    Published(String),
    /// The meaning of open markers.
    Censored(&'static str),
}

/// Returns whether the series are labelled at the ends of their lines.
pub(super) fn at_line_ends(chart: &Chart, width: Width) -> bool {
    let all = chart.panels.first().map_or(0, |panel| panel.series.len());
    chart.style.named_at_ends
        && width == Width::Wide
        && chart.panels.len() == 1
        && all <= MOST_AT_LINE_ENDS
        && widest_name(chart) <= WIDEST_AT_LINE_ENDS
}

/// The width that the labels at line ends need right of the panel.
pub(super) fn room_at_line_ends(chart: &Chart, width: Width) -> f64 {
    if !at_line_ends(chart, width) {
        return 0.0;
    }
    widest_name(chart) + 46.0
}

fn widest_name(chart: &Chart) -> f64 {
    let series = chart.series();
    let widths = series.map(|series| text_width(&name(series), TEXT));
    widths.fold(0.0, f64::max)
}

/// The entries of the chart's legend.
pub(super) fn entries(chart: &Chart, width: Width) -> Vec<LegendEntry> {
    let mut entries = Vec::new();
    let are_named = chart.style.rows != RowLayout::Joined && rows::is_laid(chart);
    if !at_line_ends(chart, width) && !are_named {
        for series in chart.series() {
            let label = name(series);
            // The points of a square panel are not joined.
            let half = if chart.style.is_square { 0.0 } else { 11.0 };
            let entry = LegendEntry::Series(series.look, series.name.clone(), label, half);
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
    }
    let published = chart.panels.iter().flat_map(|panel| &panel.published);
    let whose = published.map(|value| value.figure.split('/').next().unwrap_or_default());
    let whose: BTreeSet<&str> = whose.collect();
    if !whose.is_empty() {
        let whose = whose.into_iter().collect::<Vec<_>>().join(", ");
        entries.push(LegendEntry::Published(format!("published: {whose}")));
    }
    if chart
        .series()
        .any(|series| series.points.iter().any(chart::Point::is_open))
    {
        entries.push(LegendEntry::Censored(chart.open));
    }
    entries
}

/// Draws the legend in one or more rows; returns the y coordinate of its end.
pub(super) fn above(sheet: &mut Sheet, entries: &[LegendEntry], corner: Point, right: f64) -> f64 {
    let (mut x, mut y) = (corner.0, corner.1 + 6.0);
    for entry in entries {
        let (label, series) = match entry {
            LegendEntry::Series(_, series, label, _) => (label.as_str(), series.as_str()),
            LegendEntry::Published(label) => (label.as_str(), ""),
            LegendEntry::Censored(label) => (*label, ""),
        };
        let whole = label;
        let label = &shortened(whole, TEXT, right - corner.0 - 30.0);
        let width = 30.0 + text_width(label, TEXT) + 16.0;
        if x + width > right && x > corner.0 {
            (x, y) = (corner.0, y + LINE_HEIGHT + 2.0);
        }
        let said = if label == whole { "" } else { whole };
        sheet.group(series, said, |sheet| {
            match entry {
                LegendEntry::Series(look, _, _, half) => sample(sheet, (x + 11.0, y), *look, *half),
                LegendEntry::Published(_) => diamond(sheet, (x + 11.0, y), 5.5),
                LegendEntry::Censored(_) => open(sheet, (x + 11.0, y)),
            }
            sheet.text((x + 27.0, y), TEXT, label, INK, Anchor::Start);
        });
        x += width;
    }
    match entries {
        [] => corner.1,
        _ => y + 12.0,
    }
}

/// A marker on its line, dashed for the baseline.
fn sample(sheet: &mut Sheet, (x, y): Point, look: Look, half: f64) {
    line(sheet, vec![(x - half, y), (x + half, y)], look, 2.0);
    marker(sheet, (x, y), look, 4.5, false);
}

fn open(sheet: &mut Sheet, at: Point) {
    let (colour, look) = (MUTED, Look::default());
    marker(sheet, at, Look { colour, ..look }, 5.0, true);
}

/// Labels the series right of the panel, each near its line's end, none over another.
pub(super) fn line_ends(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    let mut ends: Vec<(Point, &Series)> = panel
        .series
        .iter()
        .filter_map(|series| {
            let last = series.points.last()?;
            // A share is constant up to the right border.
            let x = match chart.y.quantity {
                Quantity::Share => frame.right(),
                _ => frame.x(last.x),
            };
            Some(((x, frame.y(last.mid)), series))
        })
        .collect();
    ends.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let wanted: Vec<f64> = ends.iter().map(|(end, _)| end.1).collect();
    let rows = spread(&wanted, frame.top, frame.bottom());
    for ((end, series), y) in ends.into_iter().zip(rows) {
        let x = frame.right() + 14.0;
        sheet.group(&series.name, "", |sheet| {
            if (end.1 - y).abs() > 1.0 || frame.right() - end.0 > 2.0 {
                sheet.line((end.0 + 6.0, end.1), (x - 2.0, y), 0.5, MUTED);
            }
            sample(sheet, (x + 11.0, y), series.look, 11.0);
            let at = (x + 27.0, y);
            sheet.text(at, TEXT, name(series), INK, Anchor::Start);
        });
    }
}

/// `heap`, or `heap = hash, bucket` where it hides other series; `heap · hash · bucket` where only a linear axis shows them as
/// one line.
fn name(series: &Series) -> String {
    let mut names = vec![series.name.clone()];
    match series.same_is_equal {
        true => names.push(series.same.join(", ")),
        false => names.extend(series.same.iter().cloned()),
    }
    names.retain(|name| !name.is_empty());
    names.join(if series.same_is_equal { " = " } else { " · " })
}

/// Moves the ascending heights `wanted` apart by at least a line's height, as little as necessary, within the panel.
pub(super) fn spread(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut rows = wanted.to_vec();
    let mut lowest = bottom;
    for row in rows.iter_mut().rev() {
        *row = row.min(lowest);
        lowest = *row - LINE_HEIGHT;
    }
    let mut highest = top;
    for row in &mut rows {
        *row = row.max(highest);
        highest = *row + LINE_HEIGHT;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_never_meet() {
        let rows = spread(&[10.0, 11.0, 99.0, 99.5], 10.0, 100.0);
        for pair in rows.windows(2) {
            assert!(pair[1] - pair[0] >= LINE_HEIGHT - 1e-9, "{rows:?}");
        }
        assert_eq!(rows[0], 10.0);
    }
}
