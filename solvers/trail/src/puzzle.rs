//! The puzzle: a grid of vertices whose edges carry operations, a route so far, and a goal.
//!
//! Vertices are numbered along rows from the top left. Edges are numbered in the order of the puzzle text: for each
//! row first its `width - 1` horizontal edges, then the `width` vertical edges below it.

use std::fmt;
use std::sync::Arc;

use ikeru_core::{InputError, Score, input_error, refuse};

/// A vertex: `y * width + x`.
pub type Vertex = usize;
/// An edge in the order of the puzzle text.
pub type Edge = usize;

/// Scores and their bounds stay below this magnitude, so that the sums and products of a search
/// and of its bounds cannot overflow.
pub const SCORE_LIMIT: Score = Score::MAX / 16;

/// The operation that passing an edge applies to the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EdgeOperation {
    /// `+a` or, negative, `-a`.
    Add(i64),
    /// `×c`, c ≥ 0.
    Multiply(i64),
}

impl EdgeOperation {
    /// The score after this operation.
    pub fn apply(self, score: Score) -> Score {
        let (factor, addend) = self.affine();
        factor * score + addend
    }

    /// `(c, a)` such that the operation is `score ↦ c·score + a`.
    pub fn affine(self) -> (i64, i64) {
        match self {
            Self::Add(addend) => (1, addend),
            Self::Multiply(factor) => (factor, 0),
        }
    }

    /// Returns whether the number has one digit, as the article's rule demands.
    pub fn has_one_digit(self) -> bool {
        match self {
            Self::Add(number) | Self::Multiply(number) => number.unsigned_abs() <= 9,
        }
    }
}

/// As in the puzzle text: `+4`, `-1`, `*3`.
impl fmt::Display for EdgeOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add(number) => write!(f, "{number:+}"),
            Self::Multiply(factor) => write!(f, "*{factor}"),
        }
    }
}

/// A grid of `width` × `height` vertices and the operations of its edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PuzzleBoard {
    width: usize,
    height: usize,
    operations: Vec<EdgeOperation>,
}

/// (1 + Σ|a|)·Π max(c, 1) over operations: the largest magnitude of a score or of a bound of a score.
#[derive(Debug)]
pub(crate) struct Magnitude {
    sum: i64,
    product: i64,
}

impl Default for Magnitude {
    fn default() -> Self {
        Self { sum: 1, product: 1 }
    }
}

impl Magnitude {
    /// Adds one operation.
    ///
    /// # Errors
    /// The magnitude reaches [`SCORE_LIMIT`].
    pub(crate) fn take(&mut self, operation: EdgeOperation) -> Result<(), InputError> {
        self.grow(operation).ok_or_else(|| {
            input_error!("the numbers are too large with `{operation}`: (1 + sum of all additions) x product of all factors must stay below {SCORE_LIMIT}")
        })
    }

    fn grow(&mut self, operation: EdgeOperation) -> Option<()> {
        match operation {
            EdgeOperation::Add(addend) => self.sum = self.sum.checked_add(addend.checked_abs()?)?,
            EdgeOperation::Multiply(factor) => {
                self.product = self.product.checked_mul(factor.max(1))?;
            }
        }
        let magnitude = self.sum.checked_mul(self.product)?;
        (magnitude < SCORE_LIMIT).then_some(())
    }
}

/// The number of edges of a grid, `None` if it overflows.
pub fn edge_count(width: usize, height: usize) -> Option<usize> {
    let vertices = width.checked_mul(height)?.checked_mul(2)?;
    vertices.checked_sub(width.checked_add(height)?)
}

impl PuzzleBoard {
    /// A board with its `operations` in the order of the puzzle text.
    ///
    /// # Errors
    /// Fewer than two vertices, another number of operations than edges, a negative factor, or
    /// numbers so large that a score could leave [`SCORE_LIMIT`].
    pub fn new(
        width: usize,
        height: usize,
        operations: Vec<EdgeOperation>,
    ) -> Result<Self, InputError> {
        check_size(width, height)?;
        let edges = edge_count(width, height);
        if edges != Some(operations.len()) {
            refuse!(
                "a board of {width} x {height} vertices has {} operations, found {}",
                edges.map_or("too many".to_owned(), |edges| edges.to_string()),
                operations.len()
            );
        }
        if let Some(negative) = operations.iter().find(|op| op.affine().0 < 0) {
            refuse!("a factor must not be negative, found `{negative}`");
        }
        let board = Self {
            width,
            height,
            operations,
        };
        let mut magnitude = Magnitude::default();
        for operation in &board.operations {
            magnitude.take(*operation)?;
        }
        Ok(board)
    }

    /// Vertices in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Vertices in a column.
    pub fn height(&self) -> usize {
        self.height
    }

    /// `width * height`.
    pub fn vertex_count(&self) -> usize {
        self.width * self.height
    }

    /// The operations of all edges, in edge order.
    pub fn operations(&self) -> &[EdgeOperation] {
        &self.operations
    }

    /// The edge from (`x`, `y`) to the right.
    pub fn horizontal(&self, x: usize, y: usize) -> Edge {
        y * (2 * self.width - 1) + x
    }

    /// The edge from (`x`, `y`) downward.
    pub fn vertical(&self, x: usize, y: usize) -> Edge {
        y * (2 * self.width - 1) + self.width - 1 + x
    }

    /// The two ends of an edge, the left or upper one first.
    pub fn ends(&self, edge: Edge) -> (Vertex, Vertex) {
        let (y, place) = (edge / (2 * self.width - 1), edge % (2 * self.width - 1));
        if place < self.width - 1 {
            let left = y * self.width + place;
            (left, left + 1)
        } else {
            let upper = y * self.width + place - (self.width - 1);
            (upper, upper + self.width)
        }
    }

    /// The edges at a vertex with their other ends, in the order up, left, right, down, in which the article's
    /// program tries them.
    pub fn neighbours(&self, vertex: Vertex) -> impl Iterator<Item = (Edge, Vertex)> + '_ {
        let (x, y) = (vertex % self.width, vertex / self.width);
        let up = (y > 0).then(|| (self.vertical(x, y - 1), vertex - self.width));
        let right = (x + 1 < self.width).then(|| (self.horizontal(x, y), vertex + 1));
        let down = (y + 1 < self.height).then(|| (self.vertical(x, y), vertex + self.width));
        let left = (x > 0).then(|| (self.horizontal(x - 1, y), vertex - 1));
        [up, left, right, down].into_iter().flatten()
    }

    /// The edge between two vertices, `None` if they are not neighbours.
    pub fn edge_between(&self, from: Vertex, to: Vertex) -> Option<Edge> {
        if from >= self.vertex_count() {
            return None;
        }
        self.neighbours(from)
            .find(|(_, neighbour)| *neighbour == to)
            .map(|(edge, _)| edge)
    }

    /// The edges that `vertices` passes, in order.
    ///
    /// # Errors
    /// A vertex off the board, two that are not neighbours, an edge passed twice, or no vertex at all.
    pub fn edges_of(&self, vertices: &[Vertex]) -> Result<Vec<Edge>, InputError> {
        let count = self.vertex_count();
        if vertices.is_empty() {
            refuse!("a trail has at least one vertex");
        }
        if let Some(outside) = vertices.iter().find(|vertex| **vertex >= count) {
            return Err(off_board(*outside, count));
        }
        let mut passed = vec![false; self.operations.len()];
        let mut edges = Vec::with_capacity(vertices.len() - 1);
        for step in vertices.windows(2) {
            let Some(edge) = self.edge_between(step[0], step[1]) else {
                let (from, to) = (step[0], step[1]);
                refuse!("no edge leads from vertex {from} to vertex {to}");
            };
            if std::mem::replace(&mut passed[edge], true) {
                let (from, to) = (step[0], step[1]);
                refuse!("the edge from vertex {from} to vertex {to} is passed twice");
            }
            edges.push(edge);
        }
        Ok(edges)
    }

    /// The score after passing `edges`, from the starting score 1.
    pub fn score_of(&self, edges: &[Edge]) -> Score {
        edges
            .iter()
            .fold(1, |score, edge| self.operations[*edge].apply(score))
    }
}

/// Refuses a board without an edge.
pub(crate) fn check_size(width: usize, height: usize) -> Result<(), InputError> {
    match width.checked_mul(height) {
        Some(0 | 1) => Err(input_error!(
            "a board needs at least two vertices, found {width} x {height}"
        )),
        _ => Ok(()),
    }
}

pub(crate) fn off_board(vertex: Vertex, count: usize) -> InputError {
    input_error!(
        "vertex {vertex} is not on the board, expected 0 to {}",
        count - 1
    )
}

/// A trail with its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trail {
    /// The vertices in the order of the walk, from the start to the goal.
    pub vertices: Vec<Vertex>,
    /// The score at its end.
    pub score: Score,
}

/// The best trail, or `None` if the goal is cut off by the route so far.
pub type Answer = Option<Trail>;

/// A board with its question: the trail begins with the route so far and ends at the goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Puzzle {
    board: Arc<PuzzleBoard>,
    route: Vec<Vertex>,
    goal: Vertex,
    best_known: Option<Trail>,
}

impl Puzzle {
    /// The question from `route` (at least the start) to `goal`.
    ///
    /// # Errors
    /// A vertex off the board, a route that jumps or passes an edge twice.
    pub fn new(
        board: Arc<PuzzleBoard>,
        route: Vec<Vertex>,
        goal: Vertex,
    ) -> Result<Self, InputError> {
        let count = board.vertex_count();
        if goal >= count {
            return Err(off_board(goal, count));
        }
        board.edges_of(&route)?;
        Ok(Self {
            board,
            route,
            goal,
            best_known: None,
        })
    }

    /// The same question with the best trail known so far.
    ///
    /// # Errors
    /// When the trail does not answer this question or has another score than it claims.
    pub fn with_best_known(self, trail: Trail) -> Result<Self, InputError> {
        let replayed = self.replay(trail.vertices)?;
        if replayed.score != trail.score {
            refuse!(
                "the best route has the score {}, expected {} as written",
                replayed.score,
                trail.score
            );
        }
        Ok(Self {
            best_known: Some(replayed),
            ..self
        })
    }

    /// The trail along `vertices` with its score.
    ///
    /// # Errors
    /// When it is not a trail of this puzzle: a jump, an edge twice, another beginning or end.
    pub fn replay(&self, vertices: Vec<Vertex>) -> Result<Trail, InputError> {
        let edges = self.board.edges_of(&vertices)?;
        if !vertices.starts_with(&self.route) {
            refuse!("a trail must begin with {:?}, the route so far", self.route);
        }
        if vertices.last() != Some(&self.goal) {
            refuse!("a trail must end at the goal {}", self.goal);
        }
        let score = self.board.score_of(&edges);
        Ok(Trail { vertices, score })
    }

    /// The grid and its operations.
    pub fn board(&self) -> &PuzzleBoard {
        &self.board
    }

    /// The grid as a shared pointer, to ask another question on it.
    pub fn shared_board(&self) -> Arc<PuzzleBoard> {
        Arc::clone(&self.board)
    }

    /// The vertices of the route so far. The first is the start; the search continues from the last.
    pub fn route(&self) -> &[Vertex] {
        &self.route
    }

    /// The first vertex of every trail.
    pub fn start(&self) -> Vertex {
        self.route[0]
    }

    /// The last vertex of every trail.
    pub fn goal(&self) -> Vertex {
        self.goal
    }

    /// The best trail that the puzzle's text gives.
    pub fn best_known(&self) -> Option<&Trail> {
        self.best_known.as_ref()
    }

    /// The vertex from which the search continues: the last vertex of the route so far.
    pub fn position(&self) -> Vertex {
        self.route[self.route.len() - 1]
    }

    /// An upper bound on the score of every trail: the score so far plus all free additions above zero, times all free
    /// factors. The board's limit on scores prevents an overflow.
    pub fn ceiling(&self) -> Score {
        let (mut sum, mut product) = (self.position_score().max(0), 1);
        let passed = self.passed_edges();
        for (edge, operation) in self.board.operations.iter().enumerate() {
            if !passed.contains(&edge) {
                let (factor, addend) = operation.affine();
                sum += addend.max(0);
                product *= factor.max(1);
            }
        }
        sum * product
    }

    /// The edges of the route so far, in order. They are no longer free.
    pub fn passed_edges(&self) -> Vec<Edge> {
        self.route
            .windows(2)
            .filter_map(|step| self.board.edge_between(step[0], step[1]))
            .collect()
    }

    /// The score at [`position`](Self::position): 1 without a route so far.
    pub fn position_score(&self) -> Score {
        self.board.score_of(&self.passed_edges())
    }
}
