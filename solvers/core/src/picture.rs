//! Vector pictures of instances and answers, independent of any drawing library.
//!
//! A problem describes *what* to draw in its own units; the reports crate turns it into SVG and PNG.
//! Colours are roles or Okabe–Ito hues, never raw values, so that a page can be light or dark.

use serde::{Deserialize, Serialize};

/// A colour by its role. `Hue` indexes the Okabe–Ito palette (0 orange, 1 sky blue, 2 bluish green,
/// 3 yellow, 4 blue, 5 vermillion, 6 reddish purple), wrapping around.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Colour {
    /// The background.
    Paper,
    /// Text and outlines.
    Ink,
    /// Secondary lines: grids, unused edges.
    Faint,
    /// Something solid: walls, obstacles.
    Solid,
    /// One of seven distinguishable hues.
    Hue(u8),
    /// A step of a sequence: 0 first, 255 last, on a perceptually even ramp.
    Ramp(u8),
}

/// One thing to draw. Coordinates grow to the right and downward, in the picture's units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A straight line; with an arrow head at its end if `arrow`.
    Line {
        /// The start point.
        from: (f64, f64),
        /// The end point.
        to: (f64, f64),
        /// Stroke width in units.
        width: f64,
        /// Stroke colour.
        colour: Colour,
        /// True if an arrow head is drawn at `to`.
        arrow: bool,
    },
    /// A circle, filled.
    Circle {
        /// Its centre.
        centre: (f64, f64),
        /// Its radius in units.
        radius: f64,
        /// Its fill.
        fill: Colour,
    },
    /// An axis-parallel rectangle, filled.
    Rectangle {
        /// The upper left corner.
        corner: (f64, f64),
        /// Width and height in units.
        size: (f64, f64),
        /// Its fill.
        fill: Colour,
    },
    /// One line of text, centred on a point.
    Text {
        /// The middle of the text.
        at: (f64, f64),
        /// Height of a capital in units.
        size: f64,
        /// The text.
        text: String,
        /// Its colour.
        colour: Colour,
    },
}

impl Shape {
    /// The same shape, `right` units further right and `down` units further down.
    pub fn moved(mut self, right: f64, down: f64) -> Self {
        let shift = |point: &mut (f64, f64)| *point = (point.0 + right, point.1 + down);
        match &mut self {
            Self::Line { from, to, .. } => {
                shift(from);
                shift(to);
            }
            Self::Circle { centre, .. } => shift(centre),
            Self::Rectangle { corner, .. } => shift(corner),
            Self::Text { at, .. } => shift(at),
        }
        self
    }
}

/// A picture: its extent in units, its shapes from back to front, and a caption.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Picture {
    /// Width in units.
    pub width: f64,
    /// Height in units.
    pub height: f64,
    /// One sentence under the picture; for a frame, it describes the step that the frame shows.
    pub caption: String,
    /// Shapes from back to front.
    pub shapes: Vec<Shape>,
}

impl Picture {
    /// An empty picture of `width` × `height` units.
    pub fn new(width: f64, height: f64, caption: impl Into<String>) -> Self {
        Self {
            width,
            height,
            caption: caption.into(),
            shapes: Vec::new(),
        }
    }

    /// Adds a line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), width: f64, colour: Colour) {
        self.shapes.push(Shape::Line {
            from,
            to,
            width,
            colour,
            arrow: false,
        });
    }

    /// Adds a line with a head at `to`.
    pub fn arrow(&mut self, from: (f64, f64), to: (f64, f64), width: f64, colour: Colour) {
        self.shapes.push(Shape::Line {
            from,
            to,
            width,
            colour,
            arrow: true,
        });
    }

    /// Adds a filled circle.
    pub fn circle(&mut self, centre: (f64, f64), radius: f64, fill: Colour) {
        self.shapes.push(Shape::Circle {
            centre,
            radius,
            fill,
        });
    }

    /// Adds a filled rectangle.
    pub fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), fill: Colour) {
        self.shapes.push(Shape::Rectangle { corner, size, fill });
    }

    /// Adds a line of text centred on `at`.
    pub fn text(&mut self, at: (f64, f64), size: f64, text: impl Into<String>, colour: Colour) {
        self.shapes.push(Shape::Text {
            at,
            size,
            text: text.into(),
            colour,
        });
    }
}
