//! Places labels where they overlap no other label and no mark, and do not leave the panel.

use super::frame::{PlotFrame, TEXT};
use crate::sheet::{Point, text_width};

/// The height of a line of text.
const HEIGHT: f64 = 15.0;

/// An occupied rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TakenRoom {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl TakenRoom {
    /// The rectangle of the given size around a point.
    pub(super) fn around(centre: Point, width: f64, height: f64) -> Self {
        Self {
            left: centre.0 - 0.5 * width,
            top: centre.1 - 0.5 * height,
            right: centre.0 + 0.5 * width,
            bottom: centre.1 + 0.5 * height,
        }
    }

    fn meets(&self, other: &Self) -> bool {
        let is_beside = self.right < other.left || other.right < self.left;
        let is_apart = self.bottom < other.top || other.bottom < self.top;
        !is_beside && !is_apart
    }
}

/// The occupied rectangles of a panel.
#[derive(Debug, Clone, Default)]
pub(super) struct Room {
    taken: Vec<TakenRoom>,
}

impl Room {
    /// Marks a rectangle as occupied.
    pub(super) fn take(&mut self, card: TakenRoom) {
        self.taken.push(card);
    }

    /// Occupies the rectangle of `word` at the first of `centres` where it is free, and returns that centre. A word may
    /// extend slightly beyond the panel at the right and at the top.
    pub(super) fn place(
        &mut self,
        word: &str,
        centres: impl IntoIterator<Item = Point>,
        frame: &PlotFrame,
    ) -> Option<Point> {
        let width = text_width(word, TEXT) + 4.0;
        let is_free = |centre: &Point| {
            let card = TakenRoom::around(*centre, width, HEIGHT);
            let is_inside = card.left >= frame.left
                && card.right <= frame.right() + 14.0
                && card.top >= frame.top - 6.0
                && card.bottom <= frame.bottom();
            is_inside && !self.taken.iter().any(|other| card.meets(other))
        };
        let centre = centres.into_iter().find(is_free)?;
        self.take(TakenRoom::around(centre, width, HEIGHT));
        Some(centre)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::axis::AxisRange;

    #[test]
    fn words_take_the_first_free_place_and_never_meet() {
        let frame = PlotFrame {
            left: 0.0,
            top: 0.0,
            width: 100.0,
            height: 100.0,
            x_range: AxisRange::of(0.0, 1.0),
            y_range: AxisRange::of(0.0, 1.0),
        };
        let mut room = Room::default();
        room.take(TakenRoom::around((50.0, 50.0), 10.0, 10.0));
        let centres = [(50.0, 52.0), (50.0, 70.0), (50.0, 30.0)];
        let mut place = || room.place("1.2 ms", centres, &frame);
        assert_eq!(place(), Some((50.0, 70.0)));
        assert_eq!(place(), Some((50.0, 30.0)));
        assert_eq!(place(), None);
        assert_eq!(room.place("1.2 ms", [(500.0, 50.0)], &frame), None);
    }
}
