//! The subproblems of a node: segments of the trail as T-joins with linear costs.
//!
//! A complete sequence of k `×` edges has k + 1 segments. While factors are still to come, the last subproblem is the
//! *remainder*: a `+` weighs the product of all factors to come, a `-` weighs 1 (0 if a `×0` is to come).

use std::borrow::Cow;
use std::slice::from_ref;

use super::model::{BranchDecision, Decisions, Fixed, Model};
use crate::tjoin::connectivity::blocks;
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::grid::{Edge, JoinGrid, Vertex, insert};

/// One segment of the trail, or its remainder, as a T-join with costs.
#[derive(Debug, Default)]
pub struct Subproblem<C> {
    /// The first vertex.
    pub from: Vertex,
    /// The last vertex.
    pub to: Vertex,
    /// The scaled cost per edge without multipliers; absent for edges that it cannot pass and for `passed` edges.
    pub costs: Vec<C>,
    /// T without the parities of the `passed` edges, one mask per row.
    pub odd: Vec<u64>,
    /// The edges that it must pass.
    pub passed: Vec<Edge>,
    /// The `×` edge before it, if its direction is not decided: this segment and the one before may pass it too.
    pub undirected: Option<Edge>,
}

impl<C> Subproblem<C> {
    /// Adds the edges that it must pass to a set.
    pub fn pass(&self, set: &mut [u64]) {
        self.passed.iter().for_each(|edge| insert(set, *edge));
    }
}

/// Makes `built` the segments of a node; returns the part of the bound that does not depend on their solutions, or
/// `None` if the node has no trail.
pub fn segments<C: EdgeCost>(
    model: &Model,
    decisions: &Decisions,
    built: &mut Vec<Subproblem<C>>,
) -> Option<i64> {
    let grid = &model.grid;
    let to_come = |set: u64| grid.factors_in(set).map(|(_, factor)| factor.factor);
    let all = decisions.coming | decisions.undecided;
    let highest: i64 = to_come(all).map(|factor| factor.max(1)).product();
    let lowest = to_come(all).min().map_or(1, |factor| factor.min(1));
    // The product of the factors after each segment, the last segment first.
    let mut product: i64 = to_come(decisions.coming).product();
    let mut products = Vec::with_capacity(decisions.sequence.len());
    for factor in decisions.sequence.iter().rev() {
        product *= grid.factors[usize::from(*factor)].factor;
        products.push(product);
    }
    let undecided: i64 = to_come(decisions.undecided)
        .map(|factor| {
            if grid.start_score >= 0 {
                factor.max(1)
            } else {
                factor.min(1)
            }
        })
        .product();
    let mut constant = product * undecided * grid.start_score * model.scale;

    let mut from = grid.start;
    built.resize_with(decisions.sequence.len() + 1, Subproblem::default);
    for index in 0..=decisions.sequence.len() {
        let (to, next, weights, rest) = match decisions.ends(grid, index) {
            Some((to, next)) => {
                let product = products[products.len() - 1 - index];
                (to, next, (product, product), (0, 0))
            }
            None => {
                let rest = (decisions.coming, decisions.undecided);
                (grid.goal, grid.goal, (highest, lowest), rest)
            }
        };
        let segment = &mut built[index];
        (segment.from, segment.to) = (from, to);
        let before = index.checked_sub(1);
        segment.undirected = before.and_then(|step| decisions.undirected(grid, step));
        constant += segment.build(model, decisions, index as u8, weights, rest)?;
        from = next;
    }
    (!crowded(grid, built)).then_some(constant)
}

/// Returns whether more segments need an edge at some vertex than can pass an edge there: each segment needs one at each of
/// its odd vertices. Two segments may pass an undirected edge.
fn crowded<C: EdgeCost>(grid: &JoinGrid, segments: &[Subproblem<C>]) -> bool {
    let at = |vertex: usize| (vertex / grid.columns, vertex % grid.columns);
    (0..grid.vertex_count()).any(|vertex| {
        let (row, column) = at(vertex);
        let edges = grid.around(vertex as Vertex);
        let odd = segments
            .iter()
            .filter(|segment| segment.odd[row] >> column & 1 == 1);
        let odd = odd.count();
        let usable = |edge: &Edge| {
            let present = |segment: &&Subproblem<C>| segment.costs[usize::from(*edge)].present();
            let undirected = segments
                .iter()
                .any(|segment| segment.undirected == Some(*edge));
            let most = if undirected { 2 } else { 1 };
            segments.iter().filter(present).count().min(most)
        };
        odd > 0 && odd > edges.iter().map(|(edge, _)| usable(edge)).sum()
    })
}

impl<C: EdgeCost> Subproblem<C> {
    /// Makes this the segment `index` between its ends: a `+` weighs `weights.0`, a `-` weighs `weights.1`; the
    /// factors of `rest.0` must be passed, those of `rest.1` may be passed. Returns the cost of the edges that it
    /// must pass, or `None` if there is no trail.
    fn build(
        &mut self,
        model: &Model,
        decisions: &Decisions,
        index: u8,
        weights: (i64, i64),
        rest: (u64, u64),
    ) -> Option<i64> {
        let grid = &model.grid;
        let weight = |addend: i64| {
            let weight = if addend >= 0 { weights.0 } else { weights.1 };
            addend * weight * model.scale
        };
        let cost = |addend: &Option<i64>| addend.map_or(C::ABSENT, |addend| C::of(weight(addend)));
        let (from, to) = (self.from, self.to);
        let (costs, odd, passed) = (&mut self.costs, &mut self.odd, &mut self.passed);
        costs.clear();
        costs.extend(grid.additions.iter().map(cost));
        let after = decisions.undirected(grid, index.into());
        let factors = grid.factors_in(rest.0 | rest.1);
        let factors = factors.map(|(_, factor)| factor.edge);
        for edge in factors.chain(self.undirected).chain(after) {
            costs[usize::from(edge)] = C::default();
        }
        let mut closed = false;
        for fixed in &decisions.fixed {
            let own = fixed.segment == index;
            let edges = match &fixed.decision {
                BranchDecision::Edge(edge) if own != fixed.passes => from_ref(edge),
                BranchDecision::Boundary(boundary) if own && !fixed.passes => boundary,
                _ => continue,
            };
            closed = true;
            for edge in edges {
                costs[usize::from(*edge)] = C::ABSENT;
            }
        }
        // PERF: with a search for bridges in every segment 11_56 takes 1.1 times as long (bench `strong`).
        if closed || !model.bridgeless {
            let block = |vertex: Vertex| model.blocks[usize::from(vertex)];
            let mut blocks = Cow::Borrowed(&model.blocks);
            let undirected = self.undirected.or(after).is_some();
            if closed || undirected || rest != (0, 0) || block(from) != block(to) {
                let open: Vec<bool> = costs.iter().map(|cost| cost.present()).collect();
                blocks = Cow::Owned(self::blocks(grid, &open, (from, to)));
            }
            let inside = |vertex: Vertex| blocks[usize::from(vertex)] == blocks[usize::from(from)];
            if !inside(to) {
                return None;
            }
            for (cost, (a, b)) in costs.iter_mut().zip(&grid.ends) {
                *cost = if inside(*a) && inside(*b) {
                    *cost
                } else {
                    C::ABSENT
                };
            }
        }
        odd.clear();
        odd.resize(grid.rows, 0);
        grid.toggle(odd, from);
        grid.toggle(odd, to);
        let own = |fixed: &Fixed| match fixed.decision {
            BranchDecision::Edge(edge) if fixed.segment == index && fixed.passes => Some(edge),
            _ => None,
        };
        let own = decisions.fixed.iter().filter_map(own);
        let forced = grid.factors_in(rest.0).map(|(_, factor)| factor.edge);
        passed.clear();
        passed.extend(own.chain(forced));
        let mut certain = 0;
        for edge in passed {
            let cost = std::mem::replace(&mut costs[usize::from(*edge)], C::ABSENT);
            if !cost.present() {
                return None;
            }
            certain += cost.wide();
            grid.toggle_ends(odd, *edge);
        }
        Some(certain)
    }
}
