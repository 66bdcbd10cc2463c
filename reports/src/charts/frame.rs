//! The width of a sheet, and the place of one panel's data on it.

use super::axis::AxisRange;

/// The size of text in pixels, except for titles.
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

/// The width for which a chart is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Width {
    /// A page: panels side by side, few lines named at their ends.
    #[default]
    Wide,
    /// A telephone, or a column of a paper: panels below each other, the legend above them.
    Narrow,
    /// A talk: the text is large beside the marks.
    Talk,
}

impl Width {
    pub(super) fn pixels(self) -> f64 {
        match self {
            Self::Wide => 880.0,
            Self::Narrow => 380.0,
            Self::Talk => 640.0,
        }
    }

    /// The least height: a slide of 16 to 9 is filled.
    pub(super) fn least(self) -> f64 {
        if self == Self::Talk { 360.0 } else { 0.0 }
    }

    pub(super) fn margin(self) -> f64 {
        match self {
            Self::Wide => 18.0,
            Self::Narrow => 6.0,
            Self::Talk => 12.0,
        }
    }

    pub(super) fn title(self) -> f64 {
        match self {
            Self::Wide => 18.0,
            Self::Narrow | Self::Talk => 15.0,
        }
    }

    pub(super) fn columns(self, panels: usize) -> usize {
        match (self, panels) {
            (Self::Narrow, _) | (_, 0 | 1) => 1,
            (_, 2 | 4) | (Self::Talk, _) => 2,
            _ => 3,
        }
    }

    pub(super) fn panel_height(self, columns: usize) -> f64 {
        match (self, columns) {
            (Self::Wide, 1) => 380.0,
            (Self::Narrow, 1) => 240.0,
            _ => 250.0,
        }
    }
}
