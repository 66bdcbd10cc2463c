//! Where one panel's data lies on the sheet.

use super::axis::AxisRange;

/// The size of text in pixels, titles apart.
pub(super) const TEXT: f64 = 12.5;

/// One panel's place, and the ranges of its axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlotFrame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) x_range: AxisRange,
    pub(super) y_range: AxisRange,
}

impl PlotFrame {
    pub(super) fn x(&self, value: f64) -> f64 {
        self.left + self.width * self.x_range.share(value)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.bottom() - self.height * self.y_range.share(value)
    }

    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}
