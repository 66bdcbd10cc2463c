//! Branching if the order of the `×` edges is not enough: on a boundary that a segment crosses or not, on a direction, or on
//! the most fractional edge.

use std::sync::Arc;

use super::cuts::ConnectivityCut;
use super::model::{Branch, BranchDecision, Decisions, Fixed, Model};
use super::relaxation::fill;
use super::subproblem::{Subproblem, segments};
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::grid::{Edge, JoinGrid, edges_of};

/// The weight of the last solution in the average that [`PrimalAverage::most_fractional`] uses.
const NEWEST: f32 = 0.1;
/// A boundary is branched on if at least this number of cuts share it …
const CUTS_OF_BOUNDARY: usize = 3;
/// … and the sum of their multipliers exceeds this part of the gap.
const PART_OF_GAP: f32 = 0.03;

/// The boundary among `cuts` with the highest sum of multipliers, if its segment is not the remainder and its cuts are
/// numerous and their multipliers high: one decision replaces them. `gap` is the bound minus its target.
///
/// A disconnected component with a high value causes one cut after another, each with the same boundary and another
/// edge of the component, and their multipliers rise slowly. If the decision says that the segment does not cross the
/// boundary, the component is removed. If it says that the segment crosses it, one cut holds for all edges.
///
/// The directions of `×` edges in the boundary must be decided, because they decide the ends of the segment.
// PERF: the nine of a thousand 7x7 boards that were slowest without it took 4 times the T-joins (example `proofs`).
pub fn boundary(
    grid: &JoinGrid,
    decisions: &Decisions,
    cuts: &[ConnectivityCut],
    gap: i64,
) -> Option<Branch> {
    let steps = 0..decisions.sequence.len();
    let undirected: Vec<Edge> = steps
        .filter_map(|step| decisions.undirected(grid, step))
        .collect();
    let directed = |cut: &&ConnectivityCut| {
        let inside = |edge: &Edge| cut.boundary.binary_search(edge).is_ok();
        !undirected.iter().any(inside)
    };

    let segments = decisions.sequence.len() + usize::from(decisions.complete());
    let conditional = || {
        let active = cuts.iter().filter(|cut| cut.multiplier > 0.0);
        let active = active.filter(directed);
        active.filter(|cut| cut.edge.is_some() && usize::from(cut.segment) < segments)
    };
    let mut chosen = None;
    let mut highest = PART_OF_GAP * gap as f32;
    for cut in conditional() {
        let same = || conditional().filter(|other| other.same_boundary(cut));
        let multiplier = same().map(|other| other.multiplier).sum();
        if multiplier > highest && same().count() >= CUTS_OF_BOUNDARY {
            highest = multiplier;
            chosen = Some((
                cut.segment,
                BranchDecision::Boundary(Arc::clone(&cut.boundary)),
            ));
        }
    }
    chosen
}

/// The first direction, of those of the `×` edges from index `from` on, of which one choice has no trail.
///
/// Decided at once, because the relaxation may combine both directions to trails that do not exist.
pub fn forced_direction<C: EdgeCost>(
    model: &Model,
    decisions: &Decisions,
    from: usize,
    built: &mut Vec<Subproblem<C>>,
) -> Option<Branch> {
    let steps = from..decisions.sequence.len();
    let mut open = steps.filter(|step| decisions.undirected(&model.grid, *step).is_some());
    let mut directed = decisions.clone();
    let mut impossible = |step: usize, passes: bool| {
        directed.fixed.truncate(decisions.fixed.len());
        directed.fixed.push(Fixed {
            segment: step as u8,
            decision: BranchDecision::Direction,
            passes,
        });
        segments(model, &directed, built).is_none()
    };
    let forced = open.find(|step| impossible(*step, true) || impossible(*step, false))?;
    Some((forced as u8, BranchDecision::Direction))
}

/// The direction with the largest absolute multiplier, if the order is complete.
// PERF: the first direction instead takes 1.3 times the T-joins of 5x7 boards, 1.5 times those of 8x8 to 12x12 boards
// (example `proofs`).
pub fn direction(grid: &JoinGrid, decisions: &Decisions, multipliers: &[f32]) -> Option<Branch> {
    let step = |step| Some((step, decisions.undirected(grid, step)?));
    let steps = (0..decisions.sequence.len()).filter_map(step);
    let weight = |edge: Edge| multipliers[usize::from(edge)].abs();
    let (step, _) = steps.max_by(|(_, a), (_, b)| weight(*a).total_cmp(&weight(*b)))?;
    decisions
        .complete()
        .then_some((step as u8, BranchDecision::Direction))
}

/// The exponential moving average of the primal solutions: the recent frequency with which each segment passed each
/// edge.
#[derive(Debug, Default)]
pub struct PrimalAverage {
    edges: usize,
    /// From 0 to 1, segment by segment.
    shares: Vec<f32>,
}

impl PrimalAverage {
    /// Sets the share of every edge to one half.
    pub fn renew(&mut self, segments: usize, edges: usize) {
        self.edges = edges;
        fill(&mut self.shares, segments * edges, 0.5);
    }

    /// Bytes of the average.
    pub fn bytes(&self) -> usize {
        size_of_val(self.shares.as_slice())
    }

    /// Moves the average towards the last solution.
    pub fn update<'s>(&mut self, solutions: impl Iterator<Item = &'s [u64]>) {
        for share in &mut self.shares {
            *share *= 1.0 - NEWEST;
        }
        for (shares, solution) in self.shares.chunks_exact_mut(self.edges).zip(solutions) {
            edges_of(solution).for_each(|edge| shares[usize::from(edge)] += NEWEST);
        }
    }

    /// The segment and edge to branch on: those with the largest x·(1 − x) times the absolute cost. The cost counts
    /// because both children of a decision on a cheap edge have nearly the same bound.
    // PERF: the share alone takes 1.3 times the T-joins of the nine slowest of a thousand 7x7 boards (example `proofs`).
    pub fn most_fractional<C: EdgeCost>(&self, segments: &[Subproblem<C>]) -> Option<Branch> {
        let mut best = None;
        let mut highest = f32::MIN;
        let shares = self.shares.chunks_exact(self.edges);
        for (index, (shares, segment)) in shares.zip(segments).enumerate() {
            let usable = segment.costs.iter().zip(shares).enumerate();
            for (edge, (cost, share)) in usable.filter(|(_, (cost, _))| cost.present()) {
                let worth = share * (1.0 - share) * cost.wide().unsigned_abs() as f32;
                if worth > highest {
                    highest = worth;
                    best = Some((index as u8, BranchDecision::Edge(edge as Edge)));
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::testing::answer;
    use ikeru_core::{Deadline, Direction, Incumbent, Problem, Random, Settings};

    use super::super::evaluation::Context;
    use super::super::node::Node;
    use super::super::primal::BestTrail;
    use super::super::relaxation::Status;
    use super::super::workspace::Workspace;
    use super::*;
    use crate::TrailProblem;
    use crate::puzzle::{EdgeOperation, Puzzle, PuzzleBoard};

    fn optimum(puzzle: &Puzzle) -> i64 {
        let answered = answer::<TrailProblem>(puzzle, "dfs+bound", &Settings::new());
        let attempt = answered.expect("a small board").0;
        let trail = attempt.answer().expect("no deadline");
        TrailProblem::score(trail).expect("a trail")
    }

    /// The bound of `node` on its trails; `None` if it has none.
    fn bound(model: &Model, node: &mut Node<i32>) -> Option<i64> {
        let incumbent = Incumbent::new(Direction::Maximize);
        let mut workspace = Workspace::<i32>::new(model);
        let context = Context {
            model,
            best: &BestTrail::new(&incumbent, &incumbent),
            dive: false,
            waiting: &|| None,
        };
        let mut ticker = Deadline::never().ticker(1);
        match context.evaluate(node, &mut workspace, &mut ticker) {
            Status::Infeasible => None,
            _ => Some(model.score(node.bound)),
        }
    }

    #[test]
    fn the_bound_of_an_undirected_edge_holds_for_both_directions() {
        let mut random = Random::new("trail directions", 1);
        let mut forced = 0;
        for _ in 0..400 {
            let add = |_| EdgeOperation::Add(random.between(-9, 6));
            let mut operations: Vec<EdgeOperation> = (0..24).map(add).collect();
            operations[random.index(24)] = EdgeOperation::Multiply(2);
            let board = Arc::new(PuzzleBoard::new(4, 4, operations).expect("a board"));
            let (start, goal) = (random.index(16), random.index(16));
            let puzzle = Puzzle::new(board, vec![start], goal).expect("a question");
            let model = Model::new::<i32>(&puzzle).expect("small numbers");
            let mut unused = Node::root(&model);
            unused.decisions.undecided = 0;
            let mut used = Node::root(&model);
            used.decisions.undecided = 0;
            used.decisions.sequence.push(0);
            let built = &mut Vec::<Subproblem<i32>>::new();
            let first = forced_direction(&model, &used.decisions, 0, built);
            forced += u32::from(first.is_some());
            let mut directed = used.children(Some(&(0, BranchDecision::Direction)));
            let [forward, backward] = directed.as_mut_slice() else {
                panic!("two directions");
            };
            let directed = [bound(&model, forward), bound(&model, backward)];
            assert!(first.is_none() || directed.contains(&None), "{puzzle:?}");
            let unused = bound(&model, &mut unused);
            let undirected = bound(&model, &mut used);
            let [one, other] = directed;
            let least = undirected.min(one.max(other)).max(unused);
            assert!(least >= Some(optimum(&puzzle)), "{puzzle:?}");
        }
        assert!(forced > 0, "both directions were always possible");
    }

    #[test]
    fn one_side_of_a_decided_boundary_holds_the_optimum() {
        let mut random = Random::new("trail boundaries", 1);
        let mut infeasible = 0;
        for _ in 0..400 {
            let add = |_| EdgeOperation::Add(random.between(-9, 6));
            let operations = (0..24).map(add).collect();
            let board = Arc::new(PuzzleBoard::new(4, 4, operations).expect("a board"));
            let (start, goal) = (random.index(16), random.index(16));
            let puzzle = Puzzle::new(board, vec![start], goal).expect("a question");
            let model = Model::new::<i32>(&puzzle).expect("small numbers");
            let ends = [model.grid.start, model.grid.goal];
            let inside: Vec<bool> = (0..16)
                .map(|vertex| !ends.contains(&vertex) && random.chance(0.4))
                .collect();
            let edges = model.grid.ends.iter().zip(0..);
            let crossing =
                edges.filter(|((a, b), _)| inside[usize::from(*a)] != inside[usize::from(*b)]);
            let boundary: Arc<[Edge]> = crossing.map(|(_, edge)| edge).collect();
            let side = |passes| {
                let mut node = Node::root(&model);
                node.decisions.fixed.push(Fixed {
                    segment: 0,
                    decision: BranchDecision::Boundary(Arc::clone(&boundary)),
                    passes,
                });
                bound(&model, &mut node)
            };
            let (crossing, apart) = (side(true), side(false));
            infeasible += u32::from(apart.is_none());
            assert!(
                crossing.max(apart) >= Some(optimum(&puzzle)),
                "{puzzle:?} {boundary:?}"
            );
        }
        assert!(infeasible > 0, "no boundary stood between start and goal");
    }
}
