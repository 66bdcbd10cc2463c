//! Relax-and-cut: connectivity cuts, separated where they are violated and relaxed with multipliers.
//!
//! A T-join may hold cycles apart from its trail. Let such a component have the vertices U, none of them an
//! end of its subproblem, and let e be one of its edges. A trail that passes e must come into U and leave
//! it again: x(δ(U)) ≥ 2·xₑ, where δ(U) are the edges with one end in U. With a multiplier π ≥ 0 the term
//! π·(x(δ(U)) − 2·xₑ) is added to the subproblem's objective: never negative for a trail, negative for the component.
//! Edges that the subproblem passes in any case count as constants.

use std::sync::Arc;

use super::model::{BranchDecision, Fixed};
use super::subproblem::Subproblem;
use crate::tjoin::connectivity::Components;
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::grid::{Edge, JoinGrid, Vertex};

/// The cuts of one node at most: more make each evaluation slower than they make bounds better.
pub const MAX_CUTS: usize = 64;

/// x(δ(U)) ≥ 2·xₑ in one segment, or x(δ(U)) ≥ 2 where that is decided.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectivityCut {
    /// The segment's index.
    pub segment: u8,
    /// e; none where the segment is decided to pass the boundary.
    pub edge: Option<Edge>,
    /// δ(U), rising.
    pub boundary: Arc<[Edge]>,
    /// Its [fingerprint](JoinGrid::fingerprint).
    pub fingerprint: u64,
    /// π, scaled.
    pub multiplier: f32,
    /// π where the bound of its node was lowest.
    pub at_lowest: f32,
}

impl ConnectivityCut {
    /// Adds the term of this cut to the `costs` of `segment`; the constant part of the term.
    pub fn relax<C: EdgeCost>(&self, segment: &Subproblem<C>, costs: &mut [C]) -> i64 {
        let multiplier = self.multiplier as i64;
        if multiplier == 0 {
            return 0;
        }
        // Absent costs stay so, as multipliers are far smaller.
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

    /// Whether both are about the same vertices in the same segment.
    pub fn same_boundary(&self, other: &Self) -> bool {
        (self.segment, self.fingerprint) == (other.segment, other.fingerprint)
            && self.boundary == other.boundary
    }

    /// x(δ(U)) − 2·xₑ, given which edges the segment passes.
    pub fn slack(&self, passes: impl Fn(Edge) -> bool + Copy) -> i32 {
        let crossed = self.boundary.iter().filter(|edge| passes(**edge));
        let crossed = crossed.count() as i32;
        crossed - 2 * i32::from(self.edge.is_none_or(passes))
    }
}

/// The multipliers that a node hands on to its children, which begin with them.
#[derive(Debug, Default)]
pub struct Multipliers {
    /// One per edge, of the coupling constraints; empty before the first evaluation.
    pub coupling: Vec<f32>,
    /// Cuts with their multipliers.
    pub cuts: Vec<ConnectivityCut>,
}

impl Multipliers {
    /// Bytes that they keep.
    pub fn bytes(&self) -> usize {
        size_of_val(self.coupling.as_slice()) + cut_bytes(&self.cuts)
    }
}

/// Bytes of a list of cuts.
pub fn cut_bytes(cuts: &[ConnectivityCut]) -> usize {
    let boundaries: usize = cuts.iter().map(|cut| size_of_val(&*cut.boundary)).sum();
    size_of_val(cuts) + boundaries
}

/// Replaces the cuts of a boundary by the one that a decision on it needs, if any.
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

/// Looks for violated cuts of a segment's solution: one around each component apart from the segment's start,
/// and one around everything apart from the start's component. Adds those that `cuts` lacks, up to
/// [`MAX_CUTS`]. Whether the solution is connected.
pub fn separate<C: EdgeCost>(
    grid: &JoinGrid,
    index: u8,
    segment: &Subproblem<C>,
    solution: &[Edge],
    components: &mut Components,
    cuts: &mut Vec<ConnectivityCut>,
) -> bool {
    let edges = || segment.passed.iter().chain(solution).copied();
    components.unite(grid, edges());
    let component_of = components.all();
    let component = |edge: Edge| component_of[usize::from(grid.ends[usize::from(edge)].0)];
    let home = component_of[usize::from(segment.from)];
    if edges().all(|edge| component(edge) == home) {
        return true;
    }
    // The edge of each component for its cut.
    let mut apart: Vec<(Vertex, Edge)> = Vec::new();
    // An edge passed in any case makes the cut strongest, then the one worth most.
    let worth = |edge: Edge| {
        let cost = segment.costs[usize::from(edge)];
        if cost.present() {
            cost.wide()
        } else {
            i64::MAX
        }
    };
    for edge in edges().filter(|edge| component(*edge) != home) {
        let component = component(edge);
        match apart.iter_mut().find(|(known, _)| *known == component) {
            Some((_, best)) if worth(edge) > worth(*best) => *best = edge,
            Some(_) => {}
            None => apart.push((component, edge)),
        }
    }
    let chosen = apart.iter().map(|(_, edge)| *edge);
    let Some(outside) = chosen.max_by_key(|edge| worth(*edge)) else {
        return true;
    };
    for (component, edge) in apart.into_iter().chain([(home, outside)]) {
        if cuts.len() >= MAX_CUTS {
            break;
        }
        let inside = |vertex: usize| component_of[vertex] == component;
        let fingerprint = grid.fingerprint_around(inside);
        let known = |cut: &ConnectivityCut| {
            (cut.segment, cut.fingerprint) == (index, fingerprint)
                && cut.edge.is_none_or(|known| known == edge)
        };
        if !cuts.iter().any(known) {
            cuts.push(ConnectivityCut {
                segment: index,
                edge: Some(edge),
                boundary: boundary(grid, inside),
                fingerprint,
                multiplier: 0.0,
                at_lowest: 0.0,
            });
        }
    }
    false
}

/// The edges with one end inside, rising.
fn boundary(grid: &JoinGrid, inside: impl Fn(usize) -> bool) -> Arc<[Edge]> {
    let crossing = |(a, b): &(Vertex, Vertex)| inside(usize::from(*a)) != inside(usize::from(*b));
    // PERF: without branches, since whether an edge crosses cannot be predicted.
    let mut boundary = vec![0; grid.ends.len()];
    let mut count = 0;
    for (edge, ends) in grid.ends.iter().enumerate() {
        boundary[count] = edge as Edge;
        count += usize::from(crossing(ends));
    }
    Arc::from(&boundary[..count])
}
