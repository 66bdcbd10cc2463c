//! Answers: for each query a way or none, with the claims that a referee checks.

use crate::cost::{Costs, Length};
use crate::map::Cell;

/// Ways of many queries in one piece of memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    corners: Vec<Cell>,
    ways: Vec<Record>,
    /// How the steps of the article's procedure can be drawn; `None` for an answer of another variant.
    pub frames: Option<Frames>,
    /// Whether the variant claims that no way is shorter.
    pub optimal: bool,
    /// The sum of the lengths of all ways in millionths, as claimed.
    pub claimed: i64,
}

/// What the article's procedure was asked, so that its steps can be run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frames {
    /// Whether the heuristic counts the cheapest ground.
    pub scaled_h: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Record {
    /// End of its corners.
    end: usize,
    length: Option<Length>,
}

/// The way of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way<'a> {
    /// Squares in order, start first; between two of them the way runs on along a row, a column or
    /// a diagonal.
    pub corners: &'a [Cell],
    /// The length that the variant claims.
    pub length: Length,
}

impl Answer {
    /// An empty answer, claimed optimal.
    #[must_use]
    pub fn new() -> Self {
        Self {
            optimal: true,
            ..Self::default()
        }
    }

    /// The number of queries answered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ways.len()
    }

    /// Whether no query was answered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    /// The way of query `index`; `None` if there is none.
    #[must_use]
    pub fn way(&self, index: usize) -> Option<Way<'_>> {
        let record = self.ways.get(index)?;
        let start = match index {
            0 => 0,
            _ => self.ways[index - 1].end,
        };
        Some(Way {
            corners: &self.corners[start..record.end],
            length: record.length?,
        })
    }

    /// All ways in the order of the queries.
    pub fn ways(&self) -> impl Iterator<Item = Option<Way<'_>>> {
        (0..self.len()).map(|index| self.way(index))
    }

    /// Answers the next query with a way from start to goal.
    pub fn push_way(&mut self, corners: impl IntoIterator<Item = Cell>, length: Length) {
        self.corners.extend(corners);
        self.close(Some(length));
    }

    /// Answers the next query with a way given backward, goal first, measured by `length`.
    pub fn push_backward(
        &mut self,
        corners: impl IntoIterator<Item = Cell>,
        length: impl FnOnce(&[Cell]) -> Length,
    ) {
        let start = self.corners.len();
        self.corners.extend(corners);
        let way = &mut self.corners[start..];
        way.reverse();
        let length = length(way);
        self.close(Some(length));
    }

    /// Answers the next query: there is no way.
    pub fn push_none(&mut self) {
        self.close(None);
    }

    /// Takes the last query's answer back.
    pub fn pop(&mut self) {
        self.ways.pop();
        self.corners
            .truncate(self.ways.last().map_or(0, |record| record.end));
    }

    /// Appends the answers of the next queries.
    pub fn append(&mut self, other: &Self) {
        let offset = self.corners.len();
        self.corners.extend_from_slice(&other.corners);
        self.ways.extend(other.ways.iter().map(|record| Record {
            end: record.end + offset,
            ..*record
        }));
        self.optimal &= other.optimal;
    }

    /// Claims the sum of all lengths as the score.
    pub fn claim(&mut self, costs: Costs) {
        let total = self.ways.iter().filter_map(|record| record.length);
        self.claimed = costs.millionths(total.fold(Length::default(), |sum, one| sum + one));
    }

    fn close(&mut self, length: Option<Length>) {
        self.ways.push(Record {
            end: self.corners.len(),
            length,
        });
    }
}

impl Way<'_> {
    /// Every square of the way, start first. Between corners that are not on one line the way jumps.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let first = self.corners.first().copied();
        let legs = self.corners.windows(2).flat_map(|leg| line(leg[0], leg[1]));
        first.into_iter().chain(legs)
    }
}

/// The squares after `from` up to `to` along a line, or `to` alone where they are on none.
fn line(from: Cell, to: Cell) -> impl Iterator<Item = Cell> {
    let (dx, dy) = (
        i32::from(to.x) - i32::from(from.x),
        i32::from(to.y) - i32::from(from.y),
    );
    let on_line = dx == 0 || dy == 0 || dx.abs() == dy.abs();
    let steps = if on_line { dx.abs().max(dy.abs()) } else { 1 };
    let (step_x, step_y) = if on_line {
        (dx.signum(), dy.signum())
    } else {
        (dx, dy)
    };
    (1..=steps).map(move |n| {
        Cell::new(
            (i32::from(from.x) + n * step_x) as u16,
            (i32::from(from.y) + n * step_y) as u16,
        )
    })
}
