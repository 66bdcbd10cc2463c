//! The layout of a chart: title, legend, panels with their axes.

use ikeru_bench_data::experiment::GuideAxis;

use super::axis::{AxisRange, Ticks};
use super::chart::{Axis, Chart, Panel, Point, Published};
use super::frame::{PlotFrame, TEXT, Width};
use super::{guides, legend, marks, rows};
use crate::sheet::{Anchor, FAINT, INK, MUTED, Sheet, shortened, text_width, wrapped};
use crate::units::Quantity;

const PANEL_GAP: f64 = 22.0;

/// Draws the chart on a sheet of the given width.
pub(super) fn sheet(chart: &Chart, width: Width) -> Sheet {
    let mut sheet = Sheet::new(width.pixels(), 0.0);
    // Only wide drawings have tooltips: on a narrow screen, a finger hides the mark that it touches.
    sheet.says = width == Width::Wide;
    let top = heading(&mut sheet, chart, width);
    let entries = legend::entries(chart, width);
    let margin = width.margin();
    let top = legend::above(&mut sheet, &entries, (margin, top), width.pixels() - margin);
    if rows::is_laid(chart) {
        rows::panels(&mut sheet, chart, width, top, y_range(chart));
        return sheet;
    }
    let grid = PanelGrid::of(chart, width, top);
    for (index, panel) in chart.panels.iter().enumerate() {
        let frame = grid.frame(index);
        axes(&mut sheet, chart, panel, &grid, index);
        let drawn = sheet.drawn();
        (chart.style.series)(&mut sheet, chart, panel, &frame);
        guides::lines(&mut sheet, chart, &frame);
        for value in &panel.published {
            let at = (frame.x(value.x), frame.y(value.y));
            let words = chart.y.quantity.spoken(value.y);
            let words = format!("published, {}: {words}", value.figure);
            sheet.group("", &words, |sheet| marks::diamond(sheet, at, 6.5));
        }
        let is_last = index + 1 == chart.panels.len() || (index + 1).is_multiple_of(grid.columns);
        guides::words(&mut sheet, chart, (&frame, width), (drawn, is_last));
        if legend::at_line_ends(chart, width) {
            legend::line_ends(&mut sheet, chart, panel, &frame);
        }
    }
    let under = grid.bottom(chart.panels.len()) + 6.0;
    let label = &x_label(&chart.x);
    let middle = grid.middle_of_last_row(chart.panels.len());
    sheet.text((middle, under), TEXT, label, INK, Anchor::Middle);
    sheet.height = under + if label.is_empty() { 4.0 } else { 18.0 };
    sheet
}

/// Draws the title and the subtitle; returns the y coordinate of their end.
fn heading(sheet: &mut Sheet, chart: &Chart, width: Width) -> f64 {
    let (margin, size) = (width.margin(), width.title());
    let room = width.pixels() - 2.0 * margin;
    let mut at = 10.0;
    for line in wrapped(&chart.title, size, room) {
        at += 0.68 * size;
        sheet.text((margin, at), size, line, INK, Anchor::Start);
        at += 0.72 * size;
    }
    for line in wrapped(&chart.subtitle, TEXT, room) {
        at += 9.0;
        sheet.text((margin, at), TEXT, line, MUTED, Anchor::Start);
        at += 9.0;
    }
    at + 8.0
}

/// The panels' places and common ranges.
struct PanelGrid {
    columns: usize,
    margin: f64,
    first: PlotFrame,
    /// The gap between a panel's bottom and the next panel's top, for the labels of ticks and the next title.
    row_gap: f64,
}

impl PanelGrid {
    fn of(chart: &Chart, width: Width, top: f64) -> Self {
        let [x_range, y_range] = ranges(chart);
        let columns = width.columns(chart.panels.len());
        let margin = width.margin();
        let ticks = y_ticks(chart, y_range).major;
        let widths = ticks.iter().map(|(_, word)| text_width(word, TEXT));
        let widest = widths.fold(20.0, f64::max);
        let left = margin + widest + 8.0;
        let beside = legend::room_at_line_ends(chart, width) + guides::room(chart, width);
        let right = width.pixels() - margin - beside;
        let gaps = PANEL_GAP * (columns - 1) as f64;
        let panel_width = (right - left - gaps) / columns as f64;
        let has_titles = chart.panels.iter().any(|panel| !panel.title.is_empty());
        let title = if has_titles { 22.0 } else { 0.0 };
        let axis_label = if chart.y.label.is_empty() { 6.0 } else { 24.0 };
        let rows = chart.panels.len().div_ceil(columns).max(1) as f64;
        let room = (width.least() - top - axis_label - title - 24.0) / rows - 28.0 - title;
        let panel_height = match width {
            Width::Talk => room.max(160.0),
            _ => width.panel_height(columns),
        };
        let (panel_width, panel_height) = match chart.style.is_square {
            true => [panel_width.min(1.3 * panel_height); 2].into(),
            false => (panel_width, panel_height),
        };
        let rows_of_names = category_rows(&chart.x, panel_width).0 as f64;
        let first = PlotFrame {
            left,
            top: top + axis_label + title,
            width: panel_width,
            height: panel_height,
            x_range,
            y_range,
        };
        Self {
            columns,
            margin,
            first,
            row_gap: 12.0 + 16.0 * rows_of_names + title,
        }
    }

    fn frame(&self, index: usize) -> PlotFrame {
        let (column, row) = (index % self.columns, index / self.columns);
        let first = self.first;
        PlotFrame {
            left: first.left + column as f64 * (first.width + PANEL_GAP),
            top: first.top + row as f64 * (first.height + self.row_gap),
            ..first
        }
    }

    /// The middle of the panels in the last row, where the label of the x axis is centred.
    fn middle_of_last_row(&self, panels: usize) -> f64 {
        let in_last_row = (panels + self.columns - 1) % self.columns + 1;
        let gaps = PANEL_GAP * (in_last_row - 1) as f64;
        self.first.left + 0.5 * (in_last_row as f64 * self.first.width + gaps)
    }

    fn bottom(&self, panels: usize) -> f64 {
        let rows = panels.div_ceil(self.columns).max(1);
        let less = if self.columns > 1 { 14.0 } else { 0.0 };
        self.first.top + rows as f64 * (self.first.height + self.row_gap) - less
    }
}

/// The ranges of x and y: one that has both in a square panel.
fn ranges(chart: &Chart) -> [AxisRange; 2] {
    if !chart.style.is_square {
        return [x_range(chart), y_range(chart)];
    }
    let values = points(chart).flat_map(|point| [point.x, point.mid]);
    [AxisRange::around(values, chart.y.scale, true); 2]
}

fn x_range(chart: &Chart) -> AxisRange {
    if !chart.x.categories.is_empty() {
        return AxisRange::of(-0.5, chart.x.categories.len() as f64 - 0.5);
    }
    let points = points(chart).map(|point| point.x);
    let published = published(chart).map(|value| value.x);
    let guides = guide_values(chart, GuideAxis::X);
    let values = points.chain(published).chain(guides);
    AxisRange {
        whole: self::points(chart).all(|point| point.x.fract() == 0.0),
        ..AxisRange::around(values, chart.x.scale, false)
    }
}

fn y_range(chart: &Chart) -> AxisRange {
    if chart.y.quantity == Quantity::Share {
        return AxisRange::of(0.0, 1.02);
    }
    let intervals = points(chart).flat_map(|point| {
        let ends = point.interval.map(|ends| [ends.low, ends.high]);
        std::iter::once(point.mid).chain(ends.into_iter().flatten())
    });
    let published = published(chart).map(|value| value.y);
    let guides = guide_values(chart, GuideAxis::Y);
    let values = intervals.chain(published).chain(guides);
    let from_zero = chart.style.from_zero;
    let mut range = AxisRange::around(values, chart.y.scale, from_zero);
    range.whole = points(chart).all(|point| point.mid.fract() == 0.0);
    range
}

fn points(chart: &Chart) -> impl Iterator<Item = Point> + '_ {
    let series = chart.series();
    series.flat_map(|series| series.points.iter().chain(&series.summaries).copied())
}

fn published(chart: &Chart) -> impl Iterator<Item = &Published> {
    chart.panels.iter().flat_map(|panel| &panel.published)
}

fn guide_values(chart: &Chart, axis: GuideAxis) -> impl Iterator<Item = f64> + '_ {
    let guides = chart.guides.iter().filter(move |guide| guide.axis == axis);
    guides.map(|guide| guide.at)
}

fn y_ticks(chart: &Chart, range: AxisRange) -> Ticks {
    let most = if chart.panels.len() > 1 { 6 } else { 8 };
    range.ticks(chart.y.quantity, most)
}

/// The label of the x axis. It says how many names there are, unless each is written.
fn x_label(axis: &Axis) -> String {
    match (axis.categories.len(), every(axis)) {
        (_, 1) => axis.label.clone(),
        (all, every) => format!("{} ({all}; one of {every} is named)", axis.label),
    }
}

/// The distance from one name that is written to the next.
fn every(axis: &Axis) -> usize {
    axis.categories.len().div_ceil(MOST_NAMES).max(1)
}

/// The largest number of names that are written under an axis.
const MOST_NAMES: usize = 40;

/// The number of rows of names under the axis that is needed so that no two names overlap, at most [`MOST_ROWS`], and the
/// width of a name's place in a single row.
fn category_rows(axis: &Axis, width: f64) -> (usize, f64) {
    let names = axis.categories.iter().step_by(every(axis));
    let count = names.len().max(1);
    let slot = width / count as f64;
    let widths = names.map(|name| text_width(name, TEXT) + 8.0);
    let widest = widths.fold(0.0, f64::max);
    let rows = (widest / slot).ceil() as usize;
    (rows.clamp(1, count.min(MOST_ROWS)), slot)
}

/// The largest number of rows of names under an axis; longer names are shortened.
const MOST_ROWS: usize = 4;

/// Draws the grid, the ticks with their labels, and the panel's title.
fn axes(sheet: &mut Sheet, chart: &Chart, panel: &Panel, grid: &PanelGrid, index: usize) {
    let frame = &grid.frame(index);
    let mut over = frame.top - 14.0;
    if !panel.title.is_empty() {
        let title = shortened(&panel.title, TEXT + 1.0, frame.width);
        let is_whole = title == panel.title;
        let said = if is_whole { "" } else { &panel.title };
        sheet.group("", said, |sheet| {
            sheet.text((frame.left, over), TEXT + 1.0, title, INK, Anchor::Start);
        });
        over -= 22.0;
    }
    if index == 0 {
        let at = (grid.margin, over);
        sheet.text(at, TEXT, &chart.y.label, INK, Anchor::Start);
    }
    let ticks = y_ticks(chart, frame.y_range);
    let is_leftmost = index.is_multiple_of(grid.columns);
    // Things that look alike follow each other, because they are one path of the SVG.
    for (value, _) in &ticks.major {
        let y = frame.y(*value);
        sheet.line((frame.left, y), (frame.right(), y), 1.0, FAINT);
    }
    for (value, word) in ticks.major.iter().filter(|_| is_leftmost) {
        let at = (frame.left - 7.0, frame.y(*value));
        sheet.text(at, TEXT, word, INK, Anchor::End);
    }
    for value in &ticks.minor {
        let y = frame.y(*value);
        sheet.line((frame.left - 3.0, y), (frame.left, y), 0.5, MUTED);
    }
    match chart.x.categories.is_empty() {
        true => number_ticks(sheet, chart.x.quantity, frame),
        false => names(sheet, &chart.x, frame),
    }
    let corner = (frame.left, frame.bottom());
    sheet.line((frame.left, frame.top), corner, 1.0, MUTED);
    sheet.line(corner, (frame.right(), frame.bottom()), 1.0, MUTED);
    breaks(sheet, frame);
}

/// Draws the break of a logarithmic axis between the mark of 0 and the start of its range.
fn breaks(sheet: &mut Sheet, frame: &PlotFrame) {
    if let Some(share) = frame.y_range.break_at() {
        let y = frame.bottom() - share * frame.height;
        for y in [y - 2.5, y + 2.5] {
            let (x, half) = (frame.left, 5.0);
            sheet.line((x - half, y + 3.0), (x + half, y - 3.0), 1.0, MUTED);
        }
    }
    if let Some(share) = frame.x_range.break_at() {
        let x = frame.left + share * frame.width;
        for x in [x - 2.5, x + 2.5] {
            let (y, half) = (frame.bottom(), 5.0);
            sheet.line((x - 3.0, y + half), (x + 3.0, y - half), 1.0, MUTED);
        }
    }
}

/// Draws the ticks of an axis of numbers along x, and their labels where they have room.
pub(super) fn number_ticks(sheet: &mut Sheet, quantity: Quantity, frame: &PlotFrame) {
    let most = (frame.width / 75.0) as usize;
    let ticks = frame.x_range.ticks(quantity, most.max(3));
    let bottom = frame.bottom();
    let sheet_width = sheet.width;
    // The start and the end of a label. A label at the end of an axis keeps a gap to that of the next panel.
    let place = |(value, word): &(f64, String)| {
        let (width, beyond) = (text_width(word, TEXT), 0.5 * PANEL_GAP - 6.0);
        let most = (frame.right() + beyond).min(sheet_width) - width;
        let most = most.max(frame.left - 0.5 * width);
        let start = frame.x(*value) - 0.5 * width;
        let start = start.clamp((frame.left - beyond).min(most), most);
        (start, start + width)
    };
    for (value, _) in &ticks.major {
        let x = frame.x(*value);
        sheet.line((x, frame.top), (x, bottom), 1.0, FAINT);
    }
    for (value, _) in &ticks.major {
        let x = frame.x(*value);
        sheet.line((x, bottom), (x, bottom + 5.0), 1.0, MUTED);
    }
    let mut free_from = f64::NEG_INFINITY;
    for tick in &ticks.major {
        let (start, end) = place(tick);
        if start > free_from {
            let at = (0.5 * (start + end), bottom + 15.0);
            sheet.text(at, TEXT, &tick.1, INK, Anchor::Middle);
            free_from = end + 6.0;
        }
    }
    for value in &ticks.minor {
        let x = frame.x(*value);
        sheet.line((x, bottom), (x, bottom + 3.0), 0.5, MUTED);
    }
}

fn names(sheet: &mut Sheet, axis: &Axis, frame: &PlotFrame) {
    let (rows, slot) = category_rows(axis, frame.width);
    let most = (rows as f64 * slot - 8.0).min(sheet.width - 4.0);
    let every = every(axis);
    let names = axis.categories.iter().enumerate().step_by(every);
    for (index, whole) in names {
        let name = &shortened(whole, TEXT, most);
        let x = frame.x(index as f64);
        let half = 0.5 * text_width(name, TEXT);
        // The outer names may not leave the sheet.
        let middle = x.clamp(half + 2.0, (sheet.width - half - 2.0).max(half + 2.0));
        let y = frame.bottom() + 15.0 + 16.0 * (index / every % rows) as f64;
        if rows > 1 {
            sheet.line((x, frame.bottom()), (x, y - 8.0), 0.5, FAINT);
        }
        let said = if name == whole { "" } else { whole };
        sheet.group("", said, |sheet| {
            sheet.text((middle, y), TEXT, name, INK, Anchor::Middle);
        });
    }
}
