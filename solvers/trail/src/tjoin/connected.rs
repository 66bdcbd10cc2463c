//! Connectivity: the edges that a trail can pass at all, the pieces of an edge set, Euler trails.

use super::grid::{Grid, Line, Point};

/// Which lines some trail from `from` to `to` can pass, if only those with `open[line]` may be
/// passed; empty if none leads there.
///
/// Join both ends by one more edge: a line lies on a trail between them if and only if it lies in the
/// same 2-edge-connected component as that edge (Menger). Bridges are found by depth-first search.
#[must_use]
pub fn passable(grid: &Grid, open: &[bool], from: Point, to: Point) -> Option<Vec<bool>> {
    let mut search = Bridges {
        grid,
        open,
        virtual_ends: (from, to),
        order: vec![0; grid.around.len()],
        visited: 0,
        stack: Vec::new(),
        component: vec![false; grid.around.len()],
    };
    search.visit(from, None);
    // What is left on the stack has no bridge between itself and `from`.
    for point in std::mem::take(&mut search.stack) {
        search.component[usize::from(point)] = true;
    }
    let inside = |point: Point| search.component[usize::from(point)];
    if !inside(to) {
        return None;
    }
    let both = |line: usize| inside(grid.ends[line].0) && inside(grid.ends[line].1);
    Some(
        (0..grid.lines())
            .map(|line| open[line] && both(line))
            .collect(),
    )
}

/// The joining edge of [`passable`] in the search for bridges.
const JOINING: Line = Line::MAX;

struct Bridges<'a> {
    grid: &'a Grid,
    open: &'a [bool],
    virtual_ends: (Point, Point),
    /// When a point was first seen, from 1; 0 not yet.
    order: Vec<u32>,
    visited: u32,
    stack: Vec<Point>,
    component: Vec<bool>,
}

impl Bridges<'_> {
    /// The earliest point that the subtree of `point` reaches without the edge it was entered by.
    /// A subtree that reaches nothing earlier hangs on a bridge and leaves the stack.
    fn visit(&mut self, point: Point, entered: Option<Line>) -> u32 {
        self.visited += 1;
        let own = self.visited;
        self.order[usize::from(point)] = own;
        self.stack.push(point);
        let depth = self.stack.len();
        let mut earliest = own;
        let grid = self.grid;
        let (from, to) = self.virtual_ends;
        let joined = match point {
            _ if from == to => None,
            _ if point == from => Some((JOINING, to)),
            _ if point == to => Some((JOINING, from)),
            _ => None,
        };
        let lines = grid.around[usize::from(point)].iter().copied();
        for (line, next) in lines
            .filter(|(line, _)| self.open[usize::from(*line)])
            .chain(joined)
        {
            if entered == Some(line) {
                continue;
            }
            let seen = self.order[usize::from(next)];
            let reached = if seen > 0 {
                seen
            } else {
                self.visit(next, Some(line))
            };
            earliest = earliest.min(reached);
        }
        if earliest == own && entered.is_some() {
            self.stack.truncate(depth - 1);
        }
        earliest
    }
}

/// Connected pieces of an edge set, over points. Keeps its memory.
#[derive(Debug, Default)]
pub struct Pieces {
    /// A forest whose roots name the pieces.
    parent: Vec<Point>,
}

impl Pieces {
    /// Joins the ends of `lines`.
    pub fn join(&mut self, grid: &Grid, lines: impl IntoIterator<Item = Line>) {
        self.parent.clear();
        self.parent.extend(0..grid.around.len() as Point);
        for line in lines {
            let (from, to) = grid.ends[usize::from(line)];
            let (from, to) = (self.find(from), self.find(to));
            self.parent[usize::from(from)] = to;
        }
    }

    /// The pieces of all points.
    pub fn all(&mut self) -> &[Point] {
        for point in 0..self.parent.len() {
            self.parent[point] = self.find(point as Point);
        }
        &self.parent
    }

    /// The piece of a point, named by one of its points.
    #[inline]
    #[must_use]
    pub fn of(&self, mut point: Point) -> Point {
        loop {
            let parent = self.parent[usize::from(point)];
            if parent == point {
                return point;
            }
            point = parent;
        }
    }

    fn find(&mut self, mut point: Point) -> Point {
        loop {
            let parent = self.parent[usize::from(point)];
            if parent == point {
                return point;
            }
            let grand = self.parent[usize::from(parent)];
            self.parent[usize::from(point)] = grand;
            point = grand;
        }
    }
}

/// Appends to `trail` the points after `from` of an Euler trail that passes all `lines` once
/// (Hierholzer). They must be connected and have no odd points but the two ends.
pub fn euler_trail(grid: &Grid, lines: &[Line], from: Point, trail: &mut Vec<Point>) {
    let mut left = vec![false; grid.lines()];
    for line in lines {
        left[usize::from(*line)] = true;
    }
    let mut stack = vec![from];
    let mut backward = Vec::with_capacity(lines.len() + 1);
    while let Some(&point) = stack.last() {
        let mut around = grid.around[usize::from(point)].iter();
        match around.find(|(line, _)| left[usize::from(*line)]) {
            Some(&(line, next)) => {
                left[usize::from(line)] = false;
                stack.push(next);
            }
            None => {
                backward.push(point);
                stack.pop();
            }
        }
    }
    trail.extend(backward.iter().rev().skip(1));
}
