//! The board as the row scan wants it: turned so that the columns are the shorter side, the
//! horizontal edges of all rows first, then the vertical ones.

use crate::puzzle::{Operation, Puzzle, Vertex};

/// An edge in the order of the scan: horizontal edges row by row, then vertical edges row by row.
pub type Line = u16;
/// A vertex of the turned board, `row * columns + column`.
pub type Point = u16;

/// A `×` edge that changes something: `×1` counts as `+0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    /// Where it lies.
    pub line: Line,
    /// What it multiplies by, 0 or at least 2.
    pub factor: i64,
}

/// A puzzle's free edges in the order of the scan.
#[derive(Debug)]
pub struct Grid {
    /// Vertices in a row: the shorter side.
    pub columns: usize,
    /// Vertices in a column: the longer side.
    pub rows: usize,
    /// Both ends of every line, the upper or left one first.
    pub ends: Vec<(Point, Point)>,
    /// Lines and neighbours of every point.
    pub around: Vec<Vec<(Line, Point)>>,
    /// What a line adds; `None` for a `×` edge and for an edge already passed.
    pub additions: Vec<Option<i64>>,
    /// The `×` edges, the largest factor first.
    pub factors: Vec<Factor>,
    /// Where the search begins.
    pub start: Point,
    /// Where the trail ends.
    pub goal: Point,
    /// The score at `start`.
    pub start_score: i64,
    turned: bool,
}

impl Grid {
    /// The free edges of `puzzle`.
    #[must_use]
    pub fn new(puzzle: &Puzzle) -> Self {
        let board = puzzle.board();
        let turned = board.width() > board.height();
        let (columns, rows) = if turned {
            (board.height(), board.width())
        } else {
            (board.width(), board.height())
        };
        let mut grid = Self {
            columns,
            rows,
            ends: Vec::new(),
            around: vec![Vec::new(); columns * rows],
            additions: Vec::new(),
            factors: Vec::new(),
            start: 0,
            goal: 0,
            start_score: puzzle.position_score(),
            turned,
        };
        grid.start = grid.point(puzzle, puzzle.position());
        grid.goal = grid.point(puzzle, puzzle.goal());
        let horizontal = (0..rows).flat_map(|row| {
            (0..columns - 1).map(move |column| (row * columns + column, row * columns + column + 1))
        });
        let vertical = (0..(rows - 1) * columns).map(|upper| (upper, upper + columns));
        let passed = puzzle.passed_edges();
        for (from, to) in horizontal.chain(vertical) {
            let (from, to) = (from as Point, to as Point);
            let line = grid.ends.len() as Line;
            grid.ends.push((from, to));
            grid.around[usize::from(from)].push((line, to));
            grid.around[usize::from(to)].push((line, from));
            let edge = board.edge_between(grid.vertex(puzzle, from), grid.vertex(puzzle, to));
            let free = edge.filter(|edge| !passed.contains(edge));
            let mut addition = None;
            match free.map(|edge| board.operations()[edge]) {
                Some(Operation::Add(addend)) => addition = Some(addend),
                Some(Operation::Multiply(1)) => addition = Some(0),
                Some(Operation::Multiply(factor)) => grid.factors.push(Factor { line, factor }),
                None => {}
            }
            grid.additions.push(addition);
        }
        grid.factors.sort_by_key(|factor| -factor.factor);
        grid
    }

    /// Number of lines.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.ends.len()
    }

    /// The end of `line` that is not `point`.
    #[must_use]
    pub fn across(&self, line: Line, point: Point) -> Point {
        let (from, to) = self.ends[usize::from(line)];
        if from == point { to } else { from }
    }

    /// The puzzle's number of a point.
    #[must_use]
    pub fn vertex(&self, puzzle: &Puzzle, point: Point) -> Vertex {
        let (row, column) = (
            usize::from(point) / self.columns,
            usize::from(point) % self.columns,
        );
        let (x, y) = if self.turned {
            (row, column)
        } else {
            (column, row)
        };
        y * puzzle.board().width() + x
    }

    fn point(&self, puzzle: &Puzzle, vertex: Vertex) -> Point {
        let (x, y) = (
            vertex % puzzle.board().width(),
            vertex / puzzle.board().width(),
        );
        let (row, column) = if self.turned { (x, y) } else { (y, x) };
        (row * self.columns + column) as Point
    }

    /// Toggles `point` in a set of points kept as one mask per row.
    #[inline]
    pub fn toggle(&self, odd: &mut [u32], point: Point) {
        let point = usize::from(point);
        odd[point / self.columns] ^= 1 << (point % self.columns);
    }

    /// Toggles both ends of `line`.
    pub fn toggle_ends(&self, odd: &mut [u32], line: Line) {
        let (from, to) = self.ends[usize::from(line)];
        self.toggle(odd, from);
        self.toggle(odd, to);
    }

    /// Whether `factor` is among the factors of a set of their indices.
    pub fn factors_in(&self, set: u64) -> impl Iterator<Item = (usize, Factor)> + '_ {
        let chosen = self.factors.iter().copied().enumerate();
        chosen.filter(move |(index, _)| set >> index & 1 == 1)
    }

    /// The largest product times the sum of all |additions| and of as many prices as lines;
    /// `None` if it overflows.
    #[must_use]
    pub fn largest_sum(&self) -> Option<i64> {
        let mut factors = self.factors.iter().map(|factor| factor.factor.max(1));
        let product = factors.try_fold(1_i64, i64::checked_mul)?;
        let sizes = self.additions.iter().flatten().map(|addend| addend.abs());
        let largest = sizes.clone().max().unwrap_or(0);
        let prices = largest.checked_mul(self.lines() as i64)?;
        let sum = sizes.sum::<i64>().checked_add(prices)?;
        let start = self.start_score.checked_abs()?;
        Some(sum.checked_add(start)?.checked_mul(product)?.max(1))
    }

    /// What no trail can exceed: all additions above zero, times all factors. The board's limit on
    /// scores keeps it from overflowing.
    #[must_use]
    pub fn ceiling(&self) -> i64 {
        let gains = self.additions.iter().flatten();
        let sum: i64 = gains.map(|addend| addend.max(&0)).sum();
        let factors = self.factors.iter().map(|factor| factor.factor.max(1));
        (self.start_score.max(0) + sum) * factors.product::<i64>()
    }
}
