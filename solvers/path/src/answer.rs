//! Answers: for each query a path or none, with the claims that a referee checks.

use crate::cost::{Costs, Length};
use crate::map::Cell;

/// Paths of many queries in one piece of memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    waypoints: Vec<Cell>,
    paths: Vec<PathRecord>,
    /// How the steps of the article's procedure can be drawn; `None` for an answer of another variant.
    pub frames: Option<ReplaySettings>,
    /// Whether the variant claims that no path is shorter.
    pub optimal: bool,
    /// The sum of the lengths of all paths in millionths, as claimed.
    pub claimed: i64,
}

/// What the article's procedure was asked, so that its steps can be run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplaySettings {
    /// Whether the heuristic counts the cheapest ground.
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
    /// Cells in order, start first; between two of them the path runs on along a row, a column or
    /// a diagonal.
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

    /// Whether no query was answered.
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

    /// Answers the next query with a path given backward, goal first, measured by `length`.
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

    /// Takes the last query's answer back.
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

/// The cells after `from` up to `to` along a line, or `to` alone where they are on none.
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
