//! `lagrangian`, `lagrangian-parallel`: branch and bound over the order of the `×` edges, with bounds by Lagrangian
//! relaxation.
//!
//! # Segments
//! Let a trail pass the `×` edges e₁ … e_k with factors c₁ … c_k in this order and these directions. They divide it
//! into k + 1 segments. Segment i has only additions, with the sum wᵢ. From the score S at the start, the score at
//! the goal is
//!
//! > P₀·(S + w₀) + P₁·w₁ + … + P_k·w_k, where Pᵢ = c_{i+1}·…·c_k.
//!
//! This is an identity: it holds for scores of any sign, and with a `×0` the segments before it have the weight 0.
//! For a fixed sequence, the best trail is a choice of k + 1 edge-disjoint trails with linear weights; segment i leads
//! from the end of eᵢ to the beginning of e_{i+1}. Each segment is a connected T-join ([`crate::tjoin`]). A best T-join
//! without the connectivity is easy to compute. The coupling constraint is that the segments share no edge.
//!
//! # Lagrangian relaxation with an aggregate subproblem
//! Let xᵢ be the edge set of segment i. Two facts hold for every trail: no edge is in two segments, and the *union*
//! y = Σᵢ xᵢ is a T-join, where T is the symmetric difference of the ends of all segments. Only the coupling constraint
//! y = Σᵢ xᵢ is relaxed, with one multiplier μₑ of any sign per edge. The dual function is
//!
//! > L(μ) = P₀·S + Σᵢ max over T-joins xᵢ of (Pᵢ·w − μ)·xᵢ + max over T-joins y of μ·y.
//!
//! Every μ gives an upper bound, which is computed from k + 2 independent T-joins. The subproblem y is redundant for
//! trails but not for the relaxation: y ∈ {0, 1} makes the segments disjoint, and its parity forbids unions that no set
//! of trails has (an odd vertex cannot be exhausted). Without it the bound is far weaker and the search many times
//! longer. Unions of only some segments (of neighbours, of the first or the last few) were tried too: they hardly
//! reduced the number of nodes, and each costs one more T-join.
//!
//! The T-joins use multipliers truncated to whole units of 1/16 of a point (coarser if the numbers are large). Each
//! T-join and therefore L(μ) is exact, and a node is fathomed as soon as ⌊L(μ)⌋ does not exceed the incumbent, without
//! a tolerance. Multipliers follow the deflected subgradient, Σᵢ xᵢ − y plus a part of the previous direction, with
//! Polyak's step towards the incumbent.
//!
//! # Relax-and-cut
//! A solution may have components that are not connected to the start of its segment. Violated connectivity cuts
//! x(δ(U)) ≥ 2·xₑ are separated and relaxed, each with a separate multiplier: see [`cuts`]. Edges that no trail between
//! a segment's ends can pass are removed in advance.
//!
//! # Order before direction
//! The direction in which a `×` edge is passed hardly changes the bound, but doubles the nodes. Let e = (a, b) lead from
//! segment i to segment i + 1. Passed forward, a is the end of segment i and b the beginning of segment i + 1. Passed
//! backward, the ends are b and a. But then xᵢ with e is a T-join that ends at a, and x_{i+1} with e one that begins at b.
//! Both directions together are therefore the forward ones, with e as an edge of cost 0 in both segments and the coupling
//! constraint xᵢ(e) = x_{i+1}(e). It is relaxed too; its multiplier is μₑ, because the union is without e. Directions are
//! decided last, that with the largest |μₑ| first, but at once if one of them has no trail. With the direction as a part of
//! the order, 5x7 and 7x7 boards take 1.6 times the T-joins, 12x12 boards 2.5 times.
//!
//! # Nodes
//! A node is a set of `×` edges that are used, a prefix of their order, and the set of those still to come. In the last
//! subproblem, the *remainder*, a `+` weighs the product of all factors to come, a `-` weighs 1 (0 if a `×0` is to come),
//! and the edges of these factors must be passed. Branching first decides the set of `×` edges that are used, then the
//! next edge. With a complete sequence it decides the directions, and then whether one segment passes one edge: the most
//! fractional edge of the averaged primal solution, weighted by its cost. If the multipliers of many cuts around one
//! component are high, a node is branched on whether the segment crosses the boundary of that component, for a prefix of
//! any length: see [`branching`].
//!
//! The search is best first. Children begin with the multipliers of their parent, and a node whose bound falls below
//! the bound of another node waits: see [`evaluation`]. The queue's memory is limited; when it is full, the search
//! gives up with its bound.
//!
//! | module | owns |
//! |---|---|
//! | [`model`] | the puzzle with its unit of costs, the decisions of a node |
//! | [`subproblem`] | the segments of a node as T-joins |
//! | [`cuts`] | connectivity cuts |
//! | [`node`] | nodes and their children |
//! | [`scratch`] | the memory of an evaluation, the counters |
//! | [`workspace`] | the memory of a worker |
//! | [`primal`] | the incumbent, and trails from the subproblems' solutions |
//! | [`relaxation`] | the dual function |
//! | [`branching`] | branching on boundaries and edges, if the order is not enough |
//! | [`subgradient`] | the steps of the multipliers |
//! | [`evaluation`] | the bound of a node |
//! | `progress` | the evaluation of a node up to some iteration |
//! | [`record`] | the records of the nodes for a certificate |
//! | [`branch_and_bound`] | the queue and its workers |

pub mod branch_and_bound;
pub mod branching;
pub mod cuts;
pub mod evaluation;
pub mod model;
pub mod node;
pub mod primal;
mod progress;
pub mod record;
pub mod relaxation;
pub mod scratch;
pub mod subgradient;
pub mod subproblem;
pub mod workspace;

use std::sync::Arc;

use ikeru_core::{Attempt, Deadline, OURS, Prepared, Search, Settings, Solve, Variant, skip};

use crate::TrailProblem;
use crate::puzzle::{Answer, Puzzle};
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::refuse_too_large;
use model::Model;
use record::Records;
use workspace::Workspace;

/// One thread.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "lagrangian",
    about: "Branch and bound over the orders of the × edges, bounded by Lagrangian relaxation into T-joins.",
    source: OURS,
    exact: true,
    version: 8,
    settings: &[],
    prepare: prepare::<false>,
};

/// All threads.
pub const PARALLEL: Variant<TrailProblem> = Variant {
    name: "lagrangian-parallel",
    about: "`lagrangian` with all threads around one queue of nodes.",
    source: OURS,
    exact: true,
    version: 8,
    settings: &[],
    prepare: prepare::<true>,
};

/// The largest number of `×` edges: a set of them is one machine word.
const MAX_FACTORS: usize = 64;

/// The longest shorter side: a row of vertices is less than one machine word.
const MAX_COLUMNS: usize = 63;

/// Returns whether the variants take `puzzle`.
pub fn takes(puzzle: &Puzzle) -> bool {
    prepare::<false>(puzzle, &Settings::new(), Deadline::never()).is_ok()
}

fn prepare<'a, const PARALLEL: bool>(
    puzzle: &'a Puzzle,
    _settings: &Settings,
    deadline: Deadline,
) -> Prepared<'a, TrailProblem> {
    deadline.check()?;
    solver::<PARALLEL>(puzzle, None)
}

/// A solver as the variants have it, with all threads if `parallel`; it adds the nodes of its search to `records`.
///
/// # Errors
/// The refusals of the variants.
#[inline(never)]
pub fn recording(
    puzzle: &Puzzle,
    parallel: bool,
    records: Arc<Records>,
) -> Prepared<'_, TrailProblem> {
    if parallel {
        return solver::<true>(puzzle, Some(records));
    }
    solver::<false>(puzzle, Some(records))
}

fn solver<const PARALLEL: bool>(
    puzzle: &Puzzle,
    records: Option<Arc<Records>>,
) -> Prepared<'_, TrailProblem> {
    refuse_too_large(puzzle, MAX_COLUMNS)?;
    if let Some(model) = Model::new::<i32>(puzzle) {
        return boxed::<i32, PARALLEL>(model, records);
    }
    match Model::new::<i64>(puzzle) {
        Some(model) => boxed::<i64, PARALLEL>(model, records),
        None => skip!("the numbers are too large for costs of 64 bits with multipliers"),
    }
}

fn boxed<C: EdgeCost, const PARALLEL: bool>(
    model: Model<'_>,
    records: Option<Arc<Records>>,
) -> Prepared<'_, TrailProblem> {
    let factors = model.grid.factors.len();
    if factors > MAX_FACTORS {
        skip!("at most {MAX_FACTORS} × edges other than ×1, the board has {factors}");
    }
    let workers = Vec::new();
    Ok(Box::new(Lagrangian::<C, PARALLEL> {
        model,
        workers,
        records,
    }))
}

struct Lagrangian<'a, C, const PARALLEL: bool> {
    model: Model<'a>,
    workers: Vec<Workspace<C>>,
    records: Option<Arc<Records>>,
}

impl<C: EdgeCost, const PARALLEL: bool> Solve<TrailProblem> for Lagrangian<'_, C, PARALLEL> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        let model = &self.model;
        let memory = branch_and_bound::MEMORY;
        let threads = if PARALLEL { search.threads.max(1) } else { 1 };
        self.workers.resize_with(threads, || Workspace::new(model));
        for workspace in &mut self.workers {
            workspace.records.clone_from(&self.records);
            workspace.scratch.count_anew();
        }
        branch_and_bound::solve(model, &mut self.workers, search, memory)
    }

    fn table_bytes(&self) -> u64 {
        let workers = self.workers.iter();
        workers
            .map(|workspace| workspace.scratch.joins.bytes())
            .sum()
    }
}
