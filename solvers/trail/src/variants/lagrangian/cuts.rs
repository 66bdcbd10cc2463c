//! Relax-and-cut: violated connectivity cuts are separated and relaxed with multipliers.
//!
//! A T-join may contain cycles that are not connected to its trail. Let such a component have the vertices U, none of
//! them an end of its subproblem, and let e be one of its edges. A trail that passes e must enter U and leave it:
//! x(δ(U)) ≥ 2·xₑ, where δ(U) are the edges with one end in U. With a multiplier π ≥ 0 the term
//! π·(x(δ(U)) − 2·xₑ) is added to the subproblem's objective. It is never negative for a trail and negative for the
//! component. Edges that the subproblem must pass count as constants.

use std::sync::Arc;

use super::model::{BranchDecision, Decisions, Fixed};
use super::scratch::Scratch;
use super::subproblem::Subproblem;
use crate::tjoin::connectivity::Linked;
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::grid::{Edge, JoinGrid, contains, edges_of};

/// The largest number of cuts of one node: more cuts cost more time per evaluation than they gain by better bounds.
pub const MAX_CUTS: usize = 64;

/// x(δ(U)) ≥ 2·xₑ in one segment, or x(δ(U)) ≥ 2 if a decision says that the segment crosses the boundary.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectivityCut {
    /// The segment's index.
    pub segment: u8,
    /// e; `None` if a decision says that the segment crosses the boundary.
    pub edge: Option<Edge>,
    /// δ(U), in ascending order.
    pub boundary: Arc<[Edge]>,
    /// Its [fingerprint](JoinGrid::fingerprint).
    pub fingerprint: u64,
    /// π, scaled.
    pub multiplier: f32,
    /// π at the lowest bound of its node.
    pub at_lowest: f32,
}

impl ConnectivityCut {
    /// Adds the term of this cut to the `costs` of `segment`; returns the constant part of the term.
    pub fn relax<C: EdgeCost>(&self, segment: &Subproblem<C>, costs: &mut [C]) -> i64 {
        let multiplier = self.multiplier as i64;
        if multiplier == 0 {
            return 0;
        }
        // Absent costs stay absent, because multipliers are far smaller.
        let mut add = |edge: Edge, amount: i64| {
            let cost = &mut costs[usize::from(edge)];
            *cost = *cost + C::of(amount);
        };
        for edge in self.boundary.iter() {
            add(*edge, multiplier);
        }
        if let Some(edge) = self.edge {
            add(edge, -2 * multiplier);
        }
        let passed = segment.passed.iter();
        let crossed = passed.filter(|edge| self.boundary.binary_search(edge).is_ok());
        let twice = self.edge.is_none_or(|edge| segment.passed.contains(&edge));
        multiplier * (crossed.count() as i64 - 2 * i64::from(twice))
    }

    /// Returns whether both cuts have the same boundary in the same segment.
    pub fn same_boundary(&self, other: &Self) -> bool {
        (self.segment, self.fingerprint) == (other.segment, other.fingerprint)
            && self.boundary == other.boundary
    }

    /// x(δ(U)) − 2·xₑ for the set of edges that the segment passes; x(δ(U)) − 2 without e.
    pub fn slack(&self, passed: &[u64]) -> i32 {
        let passes = |edge: Edge| contains(passed, edge);
        let crossed = match passed {
            // PERF: on boards of at most 64 edges the fingerprint is the boundary as a set.
            [passed] => (passed & self.fingerprint).count_ones() as i32,
            _ => self.boundary.iter().filter(|edge| passes(**edge)).count() as i32,
        };
        crossed - 2 * i32::from(self.edge.is_none_or(passes))
    }
}

/// The multipliers with which the children of a node begin.
#[derive(Debug, Default)]
pub struct Multipliers {
    /// The multipliers of the coupling constraints, one per edge; empty before the first evaluation.
    pub coupling: Vec<f32>,
    /// Cuts with their multipliers.
    pub cuts: Vec<ConnectivityCut>,
}

impl Multipliers {
    /// Bytes of the multipliers and cuts.
    pub fn bytes(&self) -> usize {
        size_of_val(self.coupling.as_slice()) + cut_bytes(&self.cuts)
    }
}

/// Bytes of a list of cuts.
pub fn cut_bytes(cuts: &[ConnectivityCut]) -> usize {
    let boundaries: usize = cuts.iter().map(|cut| size_of_val(&*cut.boundary)).sum();
    size_of_val(cuts) + boundaries
}

/// Removes the cuts of a decided boundary. If the segment crosses it, adds one cut with the sum of their multipliers.
pub fn decide(grid: &JoinGrid, cuts: &mut Vec<ConnectivityCut>, fixed: &Fixed) {
    let BranchDecision::Boundary(boundary) = &fixed.decision else {
        return;
    };
    let decided = ConnectivityCut {
        segment: fixed.segment,
        edge: None,
        boundary: Arc::clone(boundary),
        fingerprint: grid.fingerprint(boundary),
        multiplier: 0.0,
        at_lowest: 0.0,
    };
    let same = |cut: &ConnectivityCut| cut.same_boundary(&decided);
    let multiplier = cuts
        .iter()
        .filter(|cut| same(cut))
        .map(|cut| cut.multiplier);
    let multiplier = multiplier.sum();
    cuts.retain(|cut| !same(cut));
    if fixed.passes {
        cuts.push(ConnectivityCut {
            multiplier,
            at_lowest: multiplier,
            ..decided
        });
    }
}

/// Removes the cuts that do not hold any more because the last decision moved ends of their segments: those around the
/// other end of a `×` edge that is now passed backward.
pub fn turn(grid: &JoinGrid, cuts: &mut Vec<ConnectivityCut>, decisions: &Decisions) {
    if let Some(last) = decisions.fixed.last()
        && (&last.decision, last.passes) == (&BranchDecision::Direction, false)
        && let Some(edge) = decisions.edge_after(grid, last.segment.into())
    {
        cuts.retain(|cut| {
            !(last.segment..=last.segment + 1).contains(&cut.segment)
                || cut.boundary.binary_search(&edge).is_err()
        });
    }
}

/// Separates violated cuts of a segment's solution, the set of all edges that it passes: one around each component that
/// is not connected to the segment's start, and one around all of them together. Adds the cuts that `cuts` lacks, up to
/// [`MAX_CUTS`]. Returns whether the solution is connected.
pub fn separate<C: EdgeCost>(
    grid: &JoinGrid,
    index: u8,
    segment: &Subproblem<C>,
    solution: &[u64],
    scratch: &mut Scratch<C>,
    cuts: &mut Vec<ConnectivityCut>,
) -> bool {
    let (linked, boundary) = (&mut scratch.linked, &mut scratch.boundary);
    linked.set(grid, solution);
    linked.spread(grid, segment.from);
    if linked.is_all() {
        return true;
    }
    // The strongest cut has an edge that must be passed, else the edge with the highest cost.
    let worth = |edge: Edge| {
        let cost = segment.costs[usize::from(edge)];
        if cost.present() {
            cost.wide()
        } else {
            i64::MAX
        }
    };
    let mut add = |linked: &Linked, edge: Edge| {
        if cuts.len() >= MAX_CUTS {
            return;
        }
        linked.boundary(grid, boundary);
        let fingerprint = grid.fingerprint(boundary);
        let known = |cut: &ConnectivityCut| {
            (cut.segment, cut.fingerprint) == (index, fingerprint)
                && cut.edge.is_none_or(|known| known == edge)
        };
        if !cuts.iter().any(known) {
            cuts.push(ConnectivityCut {
                segment: index,
                edge: Some(edge),
                boundary: Arc::from(boundary.as_slice()),
                fingerprint,
                multiplier: 0.0,
                at_lowest: 0.0,
            });
        }
    };
    let apart = &mut scratch.apart;
    apart.clear();
    apart.extend(edges_of(solution).filter(|edge| !linked.reaches(grid, *edge)));
    let mut outside = None;
    while let Some(first) = apart.first().copied() {
        linked.spread(grid, grid.ends[usize::from(first)].0);
        let inside = apart.iter().filter(|edge| linked.reaches(grid, **edge));
        let edge = inside.copied().max_by_key(|edge| worth(*edge));
        let edge = edge.unwrap_or(first);
        apart.retain(|edge| !linked.reaches(grid, *edge));
        add(linked, edge);
        outside = outside
            .filter(|best| worth(*best) > worth(edge))
            .or(Some(edge));
    }
    if let Some(edge) = outside {
        linked.spread(grid, segment.from);
        add(linked, edge);
    }
    false
}
