//! Bands at names along x: the marks of several series side by side. The values
//! come from no column of the rows, so these are not kinds of an experiment's plot.

use super::chart::{Axis, Chart, Panel, RowLayout, STOPPED, Style};
use super::frame::PlotFrame;
use super::marks::{marker, said, whisker};
use crate::sheet::{FAINT, Sheet};

/// The marks of a name side by side, one place for each series.
pub const SIDE_BY_SIDE: &Style = &Style {
    series: apart,
    ..Style::PLAIN
};

/// A row for each name, in which the marks of its series are joined.
pub const JOINED_ROWS: &Style = &Style {
    rows: RowLayout::Joined,
    ..*SIDE_BY_SIDE
};

/// A chart in one of these styles, without its axes and panels.
pub fn along_names(style: &'static Style, title: String, subtitle: String) -> Chart {
    Chart {
        style,
        title,
        subtitle,
        x: Axis::default(),
        y: Axis::default(),
        panels: Vec::new(),
        guides: Vec::new(),
        open: STOPPED,
    }
}

/// The share of a name's width over which its series are drawn.
const SHARE: f64 = 0.84;

/// Draws the series of a name side by side, with a line between the names.
fn apart(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    for border in 1..chart.x.categories.len() {
        let x = frame.x(border as f64 - 0.5);
        sheet.line((x, frame.top), (x, frame.bottom()), 0.5, FAINT);
    }
    let slot = frame.width / chart.x.categories.len().max(1) as f64;
    let count = panel.series.len().max(1) as f64;
    let radius = (0.3 * slot / count).clamp(2.2, 4.5);
    for (index, series) in panel.series.iter().enumerate() {
        let beside = SHARE * slot * ((index as f64 + 0.5) / count - 0.5);
        sheet.group(&series.name, "", |sheet| {
            for point in &series.points {
                let x = frame.x(point.x) + beside;
                said(sheet, chart, series, point, |sheet| {
                    whisker(sheet, (x, radius), point, frame, series.look.colour);
                    let at = (x, frame.y(point.mid));
                    marker(sheet, at, series.look, radius, point.is_open());
                });
            }
        });
    }
}
