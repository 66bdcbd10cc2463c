//! Answers: a path or none for each query, with the claims that the referee checks.

use crate::cost::{Costs, Length};
use crate::map::Cell;

/// The paths of many queries, stored in one vector.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    waypoints: Vec<Cell>,
    paths: Vec<PathRecord>,
    /// The settings for drawing the steps of the article's procedure; `None` for an answer of another variant.
    pub frames: Option<ReplaySettings>,
    /// True if the variant claims that no path is shorter.
    pub optimal: bool,
    /// The sum of the lengths of all paths in millionths, as claimed.
    pub claimed: i64,
}

/// The settings of the article's procedure with which its steps can be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplaySettings {
    /// True if the heuristic counts the cheapest ground.
    pub scaled_h: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct PathRecord {
    /// End of its waypoints.
    end: usize,
    length: Option<Length>,
}

/// The path of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path<'a> {
    /// Cells in order, start first; the path between two of them follows a row, a column or a diagonal.
    pub waypoints: &'a [Cell],
    /// The length that the variant claims.
    pub length: Length,
}

impl Answer {
    /// An empty answer, claimed optimal.
    pub fn new() -> Self {
        Self {
            optimal: true,
            ..Self::default()
        }
    }

    /// The number of queries answered.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Returns whether no query was answered.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The path of query `index`; `None` if there is none.
    pub fn path(&self, index: usize) -> Option<Path<'_>> {
        let record = self.paths.get(index)?;
        let start = match index {
            0 => 0,
            _ => self.paths[index - 1].end,
        };
        Some(Path {
            waypoints: &self.waypoints[start..record.end],
            length: record.length?,
        })
    }

    /// All paths in the order of the queries.
    pub fn paths(&self) -> impl Iterator<Item = Option<Path<'_>>> {
        (0..self.len()).map(|index| self.path(index))
    }

    /// Answers the next query with a path from start to goal.
    pub fn push_path(&mut self, waypoints: impl IntoIterator<Item = Cell>, length: Length) {
        self.waypoints.extend(waypoints);
        self.close(Some(length));
    }

    /// Answers the next query with a path given backward, goal first, whose length `length` computes.
    pub fn push_backward(
        &mut self,
        waypoints: impl IntoIterator<Item = Cell>,
        length: impl FnOnce(&[Cell]) -> Length,
    ) {
        let start = self.waypoints.len();
        self.waypoints.extend(waypoints);
        let path = &mut self.waypoints[start..];
        path.reverse();
        let length = length(path);
        self.close(Some(length));
    }

    /// Answers the next query: there is no path.
    pub fn push_none(&mut self) {
        self.close(None);
    }

    /// Removes the answer of the last query.
    pub fn pop(&mut self) {
        self.paths.pop();
        self.waypoints
            .truncate(self.paths.last().map_or(0, |record| record.end));
    }

    /// Appends the answers of the next queries.
    pub fn append(&mut self, other: &Self) {
        let offset = self.waypoints.len();
        self.waypoints.extend_from_slice(&other.waypoints);
        self.paths
            .extend(other.paths.iter().map(|record| PathRecord {
                end: record.end + offset,
                ..*record
            }));
        self.optimal &= other.optimal;
    }

    /// Claims the sum of all lengths as the score.
    pub fn claim(&mut self, costs: Costs) {
        let total = self.paths.iter().filter_map(|record| record.length);
        self.claimed = costs.millionths(total.fold(Length::default(), |sum, one| sum + one));
    }

    fn close(&mut self, length: Option<Length>) {
        self.paths.push(PathRecord {
            end: self.waypoints.len(),
            length,
        });
    }
}

impl Path<'_> {
    /// Every cell of the path, start first. Between waypoints that are not on one line the path jumps.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let first = self.waypoints.first().copied();
        let legs = self
            .waypoints
            .windows(2)
            .flat_map(|leg| line(leg[0], leg[1]));
        first.into_iter().chain(legs)
    }
}

/// The cells after `from` up to `to` along a line, or only `to` if they are not on a line.
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
