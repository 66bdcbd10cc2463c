//! Bands at names along x: the marks of several series side by side, or at their own places around a name. The values
//! come from no column of the rows, so these are not kinds of an experiment's plot.

use super::chart::{Axis, Chart, Foot, Names, Panel, RowLayout, STOPPED, Style};
use super::frame::PlotFrame;
use super::marks::{marker, said, whisker};
use crate::sheet::{FAINT, Sheet};

const STYLE: &Style = &Style {
    foot: Foot::Lowest,
    names: Names::Legend,
    rows: RowLayout::Never,
    series: side_by_side,
};

/// The style where a name has several points of one series.
const AROUND: &Style = &Style {
    series: in_place,
    ..*STYLE
};

/// The chart without its axes and panels; one mark with its band for each name along x and each series.
pub fn dodged(title: String, subtitle: String) -> Chart {
    Chart {
        style: STYLE,
        title,
        subtitle,
        x: Axis::default(),
        y: Axis::default(),
        panels: Vec::new(),
        guides: Vec::new(),
        open: STOPPED,
    }
}

/// The same with marks at their own places around a name.
pub fn around(title: String, subtitle: String) -> Chart {
    Chart {
        style: AROUND,
        ..dodged(title, subtitle)
    }
}

/// The style where the marks of a name share a row and are joined.
const JOINED: &Style = &Style {
    rows: RowLayout::Joined,
    ..*STYLE
};

/// A chart with a row for each name, in which the marks of its series are joined.
pub fn joined_rows(title: String, subtitle: String) -> Chart {
    Chart {
        style: JOINED,
        ..dodged(title, subtitle)
    }
}

/// Draws the marks of a name side by side, one place for each series, with a line between the names.
fn side_by_side(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    apart(sheet, chart, panel, frame, 0.84);
}

/// Draws the marks where their points are.
fn in_place(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame) {
    apart(sheet, chart, panel, frame, 0.0);
}

/// Draws the series of a name over a share of its width.
fn apart(sheet: &mut Sheet, chart: &Chart, panel: &Panel, frame: &PlotFrame, share: f64) {
    for border in 1..chart.x.categories.len() {
        let x = frame.x(border as f64 - 0.5);
        sheet.line((x, frame.top), (x, frame.bottom()), 0.5, FAINT);
    }
    let slot = frame.width / chart.x.categories.len().max(1) as f64;
    let count = panel.series.len().max(1) as f64;
    let radius = (0.3 * slot / count).clamp(2.2, 4.5);
    for (index, series) in panel.series.iter().enumerate() {
        let beside = share * slot * ((index as f64 + 0.5) / count - 0.5);
        sheet.group(&series.name, "", |sheet| {
            for point in &series.points {
                let x = frame.x(point.x) + beside;
                said(sheet, chart, series, point, |sheet| {
                    whisker(sheet, (x, radius), point, frame, series.look.colour);
                    let at = (x, frame.y(point.mid));
                    marker(sheet, at, series.look, radius, point.censored);
                });
            }
        });
    }
}
