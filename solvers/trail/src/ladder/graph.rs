//! The board prepared for depth-first search: for every vertex its moves of one edge and of two, each as an affine map
//! of the score, and the sums and factors of the free edges.

use std::iter::once;

use ikeru_core::Score;

use crate::puzzle::{EdgeOperation, Puzzle, PuzzleBoard, Vertex};

use super::edge_set::{EdgeSet, FixedSet, WideSet};
use super::prunings::FreeEdges;

/// A move of one or two edges.
#[derive(Debug)]
pub struct Move<S: EdgeSet> {
    /// The edges it passes.
    pub edges: S::Few,
    /// All edges at `to`: a move that leaves none of them free leads to a dead end. If `to` is the goal, where a
    /// trail may end, this is [`EdgeSet::NO_EDGE`], which is never passed.
    pub exits: S::Few,
    /// The score becomes `factor * score + addend`.
    pub factor: i64,
    /// See `factor`.
    pub addend: i64,
    /// The sum of its `+` operations, which are no longer free after the move.
    pub gain: i64,
    /// True if it passes a `×` edge.
    pub scales: bool,
    /// The vertex between the two edges of a move; `None` for a move of one edge.
    pub middle: Option<Vertex>,
    /// The last vertex of the move.
    pub to: Vertex,
}

/// A puzzle's moves and the state before the first of them.
#[derive(Debug)]
pub struct MoveGraph<S: EdgeSet> {
    singles: Vec<Vec<Move<S>>>,
    pairs: Vec<Vec<Move<S>>>,
    /// The edge and the factor of every `×`.
    factors: Vec<(S::Few, i64)>,
    /// The edge and the addend of every `+`.
    gains: Vec<(S::Few, i64)>,
    /// The edges at the goal.
    pub goal_edges: S::Few,
    /// The last vertex of every trail.
    pub goal: Vertex,
    /// An upper bound on the score of every trail.
    pub ceiling: i64,
    /// True if the board is so large that the bound of a single node is expensive.
    pub large: bool,
    /// True if the search begins on a vertex of the goal's colour.
    pub even: bool,
    position: Vertex,
    position_score: i64,
    passed: S,
}

/// A node of the search, on the call stack.
#[derive(Debug, Clone)]
pub struct MoveNode<'a, S: EdgeSet> {
    /// The last vertex of the trail so far.
    pub vertex: Vertex,
    /// The score of the trail so far.
    pub score: Score,
    /// The edges that are no longer free.
    pub passed: S,
    /// The possible gain of the free edges (with [`BoundRule::AtStart`](super::prunings::BoundRule::AtStart): of the
    /// edges free at the start).
    pub free: FreeEdges,
    /// The parent and the move from it; `None` at the root.
    pub came: Option<(&'a MoveNode<'a, S>, &'a Move<S>)>,
}

impl<S: EdgeSet> MoveGraph<S> {
    /// The moves of `puzzle`, whose edges must fit into `S`.
    pub fn new(puzzle: &Puzzle) -> Self {
        let board = puzzle.board();
        let goal = puzzle.goal();
        let vertices = 0..board.vertex_count();
        let singles: Vec<_> = vertices
            .map(|from| singles_from(board, from, goal))
            .collect();
        let pairs = (0..).zip(&singles).map(|(from, first)| {
            let both = first.iter().flat_map(|one| {
                let second = singles[one.to].iter().filter(move |two| two.to != from);
                second.map(move |two| join(one, two))
            });
            both.collect()
        });
        let mut factors = Vec::new();
        let mut gains = Vec::new();
        for (edge, operation) in board.operations().iter().enumerate() {
            match *operation {
                EdgeOperation::Multiply(factor) => factors.push((S::few(once(edge)), factor)),
                EdgeOperation::Add(addend) if addend > 0 => {
                    gains.push((S::few(once(edge)), addend));
                }
                EdgeOperation::Add(_) => {}
            }
        }
        let colour = |vertex| (vertex % board.width() + vertex / board.width()) % 2;
        let edges = board.operations().len();
        let passed = puzzle.passed_edges();
        let passed = passed
            .into_iter()
            .fold(S::empty(edges), |set, edge| set.with(S::few(once(edge))));
        let mut graph = Self {
            pairs: pairs.collect(),
            factors,
            gains,
            goal_edges: edges_at::<S>(board, goal),
            goal,
            even: colour(puzzle.position()) == colour(goal),
            position: puzzle.position(),
            position_score: puzzle.position_score(),
            ceiling: 0,
            large: edges > WideSet::CAPACITY,
            passed,
            singles,
        };
        graph.ceiling = graph.free(&graph.passed).bound(graph.position_score);
        graph
    }

    /// The node before the first move.
    pub fn root(&self) -> MoveNode<'static, S> {
        MoveNode {
            vertex: self.position,
            score: self.position_score,
            passed: self.passed.clone(),
            free: self.free(&self.passed),
            came: None,
        }
    }

    /// The moves from `vertex`, of two edges if `PAIRS`.
    #[inline]
    pub fn moves<const PAIRS: bool>(&self, vertex: Vertex) -> &[Move<S>] {
        if PAIRS {
            &self.pairs[vertex]
        } else {
            &self.singles[vertex]
        }
    }

    /// The possible gain of the edges outside `passed`, computed from scratch.
    pub fn free(&self, passed: &S) -> FreeEdges {
        let free = self.gains.iter().filter(|(edge, _)| !passed.meets(*edge));
        let gain = free.map(|(_, addend)| addend).sum();
        self.with_factors(gain, passed)
    }

    /// The same with a known `gain`; only needed after a `×` was passed.
    pub fn with_factors(&self, gain: i64, passed: &S) -> FreeEdges {
        let (mut product, mut floor) = (1, i64::MIN);
        for (edge, factor) in &self.factors {
            if !passed.meets(*edge) {
                product *= (*factor).max(1);
                if *factor == 0 {
                    floor = 0;
                }
            }
        }
        FreeEdges {
            gain,
            product,
            floor,
        }
    }

    /// Bytes of the moves.
    pub fn bytes(&self) -> u64 {
        let moves = self.singles.iter().chain(&self.pairs).map(Vec::len);
        (moves.sum::<usize>() * size_of::<Move<S>>()) as u64
    }
}

fn edges_at<S: EdgeSet>(board: &PuzzleBoard, vertex: Vertex) -> S::Few {
    S::few(board.neighbours(vertex).map(|(edge, _)| edge))
}

fn singles_from<S: EdgeSet>(board: &PuzzleBoard, from: Vertex, goal: Vertex) -> Vec<Move<S>> {
    let single = |(edge, to): (usize, Vertex)| {
        let operation = board.operations()[edge];
        let (factor, addend) = operation.affine();
        Move {
            edges: S::few(once(edge)),
            exits: if to == goal {
                S::NO_EDGE
            } else {
                edges_at::<S>(board, to)
            },
            factor,
            addend,
            gain: addend.max(0),
            scales: matches!(operation, EdgeOperation::Multiply(_)),
            middle: None,
            to,
        }
    };
    board.neighbours(from).map(single).collect()
}

/// The composition of two moves, `one` first.
fn join<S: EdgeSet>(one: &Move<S>, two: &Move<S>) -> Move<S> {
    Move {
        edges: S::join(one.edges, two.edges),
        exits: two.exits,
        factor: one.factor * two.factor,
        addend: one.addend * two.factor + two.addend,
        gain: one.gain + two.gain,
        scales: one.scales || two.scales,
        middle: Some(one.to),
        to: two.to,
    }
}
