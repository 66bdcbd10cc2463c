//! Charts whose values come from no column of the rows, so that they are not kinds of an experiment's plot.

use super::chart::{Axis, Chart, RowLayout, STOPPED, Style};

/// A row for each name, in which the marks of its series are joined.
pub const JOINED_ROWS: &Style = &Style {
    rows: RowLayout::Joined,
    ..Style::PLAIN
};

/// A chart in one of the styles, without its axes and panels.
pub fn of_style(style: &'static Style, title: String, subtitle: String) -> Chart {
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
