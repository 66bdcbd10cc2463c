//! The model that all nodes share, and the decisions of a node.
//!
//! A node fixes a prefix of the sequence of `×` edges, the set of `×` edges still to come, and decisions on directions,
//! single edges and boundaries.

use std::sync::Arc;

use ikeru_core::Score;

use crate::puzzle::Puzzle;
use crate::tjoin::connectivity::blocks;
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::grid::{Edge, JoinGrid, Vertex};

/// The finest unit of multipliers: costs are scores times at most this.
const FINEST_SCALE: i64 = 16;

/// The puzzle with its scale of costs.
#[derive(Debug)]
pub struct Model<'a> {
    /// The puzzle.
    pub puzzle: &'a Puzzle,
    /// Its free edges.
    pub grid: JoinGrid,
    /// Costs are scores times this power of two.
    pub scale: i64,
    /// The 2-edge-connected components of the addition edges: a trail between vertices of one component can pass each
    /// of its edges.
    pub blocks: Vec<Vertex>,
    /// True if there is one component: then a trail between any two vertices can pass each edge.
    pub bridgeless: bool,
}

impl<'a> Model<'a> {
    /// The model with the finest scale at which costs and multipliers fit into `C`; `None` if there is none.
    pub fn new<C: EdgeCost>(puzzle: &'a Puzzle) -> Option<Self> {
        let grid = JoinGrid::new(puzzle);
        let room = C::LIMIT / 4 / grid.largest_sum()?;
        let scale = (0..=FINEST_SCALE.ilog2()).map(|bits| 1 << bits);
        let scale = scale.filter(|scale| *scale <= room).max()?;
        let open: Vec<bool> = grid.additions.iter().map(Option::is_some).collect();
        let blocks = blocks(&grid, &open, (0, 0));
        let bridgeless = blocks.iter().all(|block| *block == blocks[0]);
        Some(Self {
            puzzle,
            grid,
            scale,
            blocks,
            bridgeless,
        })
    }

    /// The largest score that a scaled bound admits.
    pub fn score(&self, bound: i64) -> Score {
        bound.div_euclid(self.scale)
    }
}

/// A decision other than the order of `×` edges, for nodes whose bound is still above the best trail.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BranchDecision {
    /// The segment passes this edge (then no other segment does), or not.
    Edge(Edge),
    /// The segment passes an edge of the boundary of a vertex set without its start, or not. If so, it passes at least
    /// two; if not, it passes no edge inside the set either.
    Boundary(Arc<[Edge]>),
    /// The `×` edge after the segment is passed forward, from its upper or left end to the other end, or backward.
    Direction,
}

/// A decision that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fixed {
    /// The segment.
    pub segment: u8,
    /// The edge or the boundary.
    pub decision: BranchDecision,
    /// True if the segment passes it.
    pub passes: bool,
}

/// A segment and the decision to take for it.
pub type Branch = (u8, BranchDecision);

/// All decisions of a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decisions {
    /// The `×` edges in the order of the trail, as far as decided: indices among the grid's factors.
    pub sequence: Vec<u8>,
    /// The set of factors that come after them in an order not yet decided.
    pub coming: u64,
    /// The set of factors for which it is not decided whether they are used; empty once the sequence has begun.
    pub undecided: u64,
    /// Decisions on boundaries of segments; on directions once the sequence is complete; then on edges.
    pub fixed: Vec<Fixed>,
}

impl Decisions {
    /// No decisions.
    pub fn none(grid: &JoinGrid) -> Self {
        Self {
            sequence: Vec::new(),
            coming: 0,
            undecided: grid.all_factors(),
            fixed: Vec::new(),
        }
    }

    /// Returns whether all `×` edges of the trail and their order are decided.
    pub fn complete(&self) -> bool {
        self.coming | self.undecided == 0
    }

    /// The `×` edge after segment `step`, if any.
    pub fn edge_after(&self, grid: &JoinGrid, step: usize) -> Option<Edge> {
        let factor = self.sequence.get(step)?;
        Some(grid.factors[usize::from(*factor)].edge)
    }

    /// The `×` edge after segment `step`, if its direction is not decided.
    pub fn undirected(&self, grid: &JoinGrid, step: usize) -> Option<Edge> {
        let edge = self.edge_after(grid, step)?;
        self.forward(step).is_none().then_some(edge)
    }

    /// The vertex at which the `×` edge after segment `step` is entered and the vertex at which it is left; forward if that
    /// is not decided.
    pub fn ends(&self, grid: &JoinGrid, step: usize) -> Option<(Vertex, Vertex)> {
        let (a, b) = grid.ends[usize::from(self.edge_after(grid, step)?)];
        let forward = self.forward(step).unwrap_or(true);
        Some(if forward { (a, b) } else { (b, a) })
    }

    /// Returns whether the `×` edge after segment `step` is passed forward, if that is decided.
    fn forward(&self, step: usize) -> Option<bool> {
        let own = |fixed: &&Fixed| {
            usize::from(fixed.segment) == step && fixed.decision == BranchDecision::Direction
        };
        self.fixed.iter().find(own).map(|fixed| fixed.passes)
    }

    /// The number of decisions taken, except those that a factor is not used.
    pub fn depth(&self) -> usize {
        self.sequence.len() + self.fixed.len() + self.coming.count_ones() as usize
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::testing::generate;

    use super::*;
    use crate::TrailProblem;
    use crate::tjoin::connectivity::blocks;

    /// Returns for each edge whether some trail from `from` to `to` over `open` edges can pass it; `None` if there is no
    /// such trail.
    ///
    /// With one more edge that joins both ends, an edge is on a trail between them if and only if it is in the same
    /// 2-edge-connected component as the joining edge (Menger). Bridges are found by depth-first search.
    fn passable(grid: &JoinGrid, open: &[bool], from: Vertex, to: Vertex) -> Option<Vec<bool>> {
        let blocks = blocks(grid, open, (from, to));
        let inside = |vertex: Vertex| blocks[usize::from(vertex)] == from;
        let both = |edge: usize| inside(grid.ends[edge].0) && inside(grid.ends[edge].1);
        let edges = 0..grid.edge_count();
        inside(to).then(|| edges.map(|edge| open[edge] && both(edge)).collect())
    }

    #[test]
    fn without_a_bridge_a_trail_between_any_two_vertices_can_pass_each_edge() {
        let mut bridgeless = 0;
        for seed in 0..60 {
            let puzzle = generate::<TrailProblem>("trail.random", "width=4 factor_count=3", seed);
            let model = Model::new::<i32>(&puzzle).expect("small numbers");
            let grid = &model.grid;
            let open: Vec<bool> = grid.additions.iter().map(Option::is_some).collect();
            let vertices = 0..grid.vertex_count() as Vertex;
            let mut pairs = vertices
                .clone()
                .flat_map(|from| vertices.clone().map(move |to| (from, to)));
            let all = pairs.all(|(from, to)| passable(grid, &open, from, to) == Some(open.clone()));
            assert_eq!(all, model.bridgeless, "seed {seed}");
            bridgeless += usize::from(all);
        }
        assert!((10..50).contains(&bridgeless), "{bridgeless}");
    }
}
