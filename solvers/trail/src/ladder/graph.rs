//! The board as a depth-first search wants it: of every vertex its moves of one edge and of two, each
//! as an affine map of the score, and what is free to gain.

use crate::puzzle::{Board, Operation, Puzzle, Vertex};

use super::edge_set::EdgeSet;
use super::kernel::Node;

/// A move of one or two edges.
#[derive(Debug, Clone, Copy)]
pub struct Move<S> {
    /// The edges it passes.
    pub edges: S,
    /// The ways out of `to` besides the goal: a move that leaves none of them free leads to a dead
    /// end. At the goal the search may end, so there it holds what is never passed.
    pub exits: S,
    /// The score becomes `factor * score + addend`.
    pub factor: i64,
    /// See `factor`.
    pub addend: i64,
    /// Sum of the `+` that it takes from what is free.
    pub gain: i64,
    /// Whether it passes a `×`.
    pub scales: bool,
    /// The vertex between, of a move of two edges.
    pub middle: Option<Vertex>,
    /// Where it leads.
    pub to: Vertex,
}

/// A puzzle's moves and what is free before the first of them.
#[derive(Debug)]
pub struct Graph<S> {
    singles: Vec<Vec<Move<S>>>,
    pairs: Vec<Vec<Move<S>>>,
    /// Of every `×` edge its edge and factor.
    factors: Vec<(S, i64)>,
    /// Of every `+` edge its edge and addend.
    gains: Vec<(S, i64)>,
    /// The edges at the goal.
    pub goal_edges: S,
    /// Where trails end.
    pub goal: Vertex,
    /// Whether the search begins on the goal's colour.
    pub even: bool,
    position: Vertex,
    position_score: i64,
    passed: S,
}

/// What the free edges can still add: see [`Free::bound`].
#[derive(Debug, Clone, Copy)]
pub struct Free {
    /// Sum of the free `+`.
    pub gain: i64,
    /// Product of the free factors above 1.
    pub product: i64,
    /// 0 while a `×0` is free, which lifts a negative score; else [`i64::MIN`].
    pub floor: i64,
}

impl Free {
    /// No trail from a node of this `score` ends higher: (score + free `+`) × free `×` for a positive
    /// sum (the article's bound); a negative one is best not multiplied; a free `×0` lifts a negative
    /// score to 0 first.
    #[inline]
    #[must_use]
    pub fn bound(self, score: i64) -> i64 {
        let sum = score.max(self.floor) + self.gain;
        sum.max(sum * self.product)
    }
}

impl<S: EdgeSet> Graph<S> {
    /// The moves of `puzzle`, whose edges must fit into `S`.
    #[must_use]
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
                Operation::Multiply(factor) => factors.push((S::single(edge), factor)),
                Operation::Add(addend) if addend > 0 => gains.push((S::single(edge), addend)),
                Operation::Add(_) => {}
            }
        }
        let colour = |vertex| (vertex % board.width() + vertex / board.width()) % 2;
        let passed = puzzle.passed_edges();
        Self {
            pairs: pairs.collect(),
            factors,
            gains,
            goal_edges: edges_at(board, goal),
            goal,
            even: colour(puzzle.position()) == colour(goal),
            position: puzzle.position(),
            position_score: puzzle.position_score(),
            passed: passed
                .iter()
                .fold(S::EMPTY, |set, edge| set.union(S::single(*edge))),
            singles,
        }
    }

    /// The node before the first move.
    #[must_use]
    pub fn root(&self) -> Node<'static, S> {
        Node {
            vertex: self.position,
            score: self.position_score,
            passed: self.passed,
            free: self.free(self.passed),
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

    /// What the edges outside `passed` can still add, from scratch.
    #[must_use]
    pub fn free(&self, passed: S) -> Free {
        let free = self.gains.iter().filter(|(edge, _)| !edge.meets(passed));
        let gain = free.map(|(_, addend)| addend).sum();
        self.with_factors(gain, passed)
    }

    /// The same where `gain` is known already. Rarely needed: only after a `×` was passed.
    #[must_use]
    pub fn with_factors(&self, gain: i64, passed: S) -> Free {
        let (mut product, mut floor) = (1, i64::MIN);
        for (edge, factor) in &self.factors {
            if !edge.meets(passed) {
                product *= (*factor).max(1);
                if *factor == 0 {
                    floor = 0;
                }
            }
        }
        Free {
            gain,
            product,
            floor,
        }
    }

    /// Bytes that the moves take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let moves = self.singles.iter().chain(&self.pairs).map(Vec::len);
        (moves.sum::<usize>() * size_of::<Move<S>>()) as u64
    }
}

fn edges_at<S: EdgeSet>(board: &Board, vertex: Vertex) -> S {
    let edges = board.neighbours(vertex);
    edges.fold(S::EMPTY, |set, (edge, _)| set.union(S::single(edge)))
}

fn singles_from<S: EdgeSet>(board: &Board, from: Vertex, goal: Vertex) -> Vec<Move<S>> {
    let single = |(edge, to): (usize, Vertex)| {
        let operation = board.operations()[edge];
        let (factor, addend) = operation.affine();
        Move {
            edges: S::single(edge),
            exits: if to == goal {
                S::NO_EDGE
            } else {
                edges_at(board, to)
            },
            factor,
            addend,
            gain: addend.max(0),
            scales: matches!(operation, Operation::Multiply(_)),
            middle: None,
            to,
        }
    };
    board.neighbours(from).map(single).collect()
}

/// One move after another.
fn join<S: EdgeSet>(one: &Move<S>, two: &Move<S>) -> Move<S> {
    Move {
        edges: one.edges.union(two.edges),
        exits: two.exits,
        factor: one.factor * two.factor,
        addend: one.addend * two.factor + two.addend,
        gain: one.gain + two.gain,
        scales: one.scales || two.scales,
        middle: Some(one.to),
        to: two.to,
    }
}
