//! `lagrangian`, `lagrangian-parallel`: branch and bound over the order of the `×` edges, with bounds by Lagrangian
//! relaxation.
//!
//! # Segments
//! Let a trail pass the `×` edges e₁ … e_k with factors c₁ … c_k in this order and these directions.
//! They cut it into k + 1 segments, of which segment i consists of additions only and sums to wᵢ.
//! From the score S at the start the goal is reached with
//!
//! > P₀·(S + w₀) + P₁·w₁ + … + P_k·w_k, where Pᵢ = c_{i+1}·…·c_k.
//!
//! This is an identity: it needs no sign of any score, and with a `×0` it says by itself that what
//! came before does not count. So for a fixed sequence the best trail is a choice of k + 1
//! edge-disjoint trails, segment i from where eᵢ is left to where e_{i+1} is entered, with linear
//! weights. Each is a connected T-join ([`crate::tjoin`]); best T-joins alone are easy. That the segments share no edge
//! is the coupling constraint.
//!
//! # Lagrangian relaxation with an aggregate subproblem
//! Let xᵢ be the edge set of segment i. Two facts hold for every trail: no edge lies in two segments, and
//! the *union* y = Σᵢ xᵢ is a T-join itself, T being the sum of all ends. Relax only the coupling constraint
//! y = Σᵢ xᵢ, with one multiplier μₑ of any sign per edge. The dual function is
//!
//! > L(μ) = P₀·S + Σᵢ max over T-joins xᵢ of (Pᵢ·w − μ)·xᵢ + max over T-joins y of μ·y.
//!
//! Every μ gives an upper bound, made of k + 2 independent T-joins. The subproblem y is redundant for
//! trails but not for the relaxation: y ∈ {0, 1} is what makes the segments disjoint, and its parity
//! forbids unions that no set of trails has (an odd vertex cannot be exhausted). Without it the
//! bound is far weaker and the search many times longer. Unions of some segments only (of neighbours, of
//! the first or the last few) were tried too: the nodes hardly fell, and each costs a T-join more.
//!
//! Multipliers are whole numbers in units of 1/16 of a point (coarser if the numbers are large). Then each
//! T-join is exact, so is L(μ), and the node is fathomed as soon as ⌊L(μ)⌋ does not exceed the incumbent: no
//! tolerance anywhere. Multipliers follow the deflected subgradient, Σᵢ xᵢ − y plus a part of the previous direction,
//! with Polyak's step towards the incumbent.
//!
//! # Relax-and-cut
//! A solution may have components apart from its segment's start. Connectivity cuts x(δ(U)) ≥ 2·xₑ are separated
//! where they are violated and relaxed with multipliers of their own: see [`cuts`]. Edges that no
//! trail between a segment's ends can pass are dropped before.
//!
//! # Nodes
//! A node is a set of `×` edges that are used, a prefix of their order with directions, and the set
//! still to come. The last subproblem then is the *remainder*: `+` weighs the product of all factors to come,
//! `-` weighs 1 (0 if a `×0` is to come), the factors' edges are passed in any case. Branching decides first which `×`
//! edges are used, then which is next in which direction, and with a complete sequence
//! whether one segment passes one edge: the most fractional one in the averaged primal solution, weighed by its cost.
//! Where the multipliers of many cuts around one component are high, a node is branched on whether the
//! segment crosses the boundary of that component at all, however long the prefix is: see [`branching`].
//! The search is best first; children begin with the multipliers of their parent, and a node whose bound falls below
//! another's waits: see [`evaluation`]. The
//! queue's memory is limited; when it is full the search gives up with its bound.
//!
//! | module | owns |
//! |---|---|
//! | [`model`] | the puzzle with its unit of costs, the decisions of a node |
//! | [`subproblem`] | the segments of a node as T-joins |
//! | [`cuts`] | connectivity cuts |
//! | [`node`] | nodes and their children |
//! | [`workspace`] | the memory of a worker |
//! | [`primal`] | the incumbent, and trails from the subproblems' solutions |
//! | [`relaxation`] | the dual function |
//! | [`branching`] | what is branched on where the order is not enough |
//! | [`subgradient`] | the steps of the multipliers |
//! | [`evaluation`] | the bound of a node |
//! | `progress` | the evaluation of a node up to some iteration |
//! | [`record`] | what is kept of the nodes for a certificate |
//! | `proof` | the certificate of a finished search |
//! | [`branch_and_bound`] | the queue and its workers |
//! | [`team`] | the same search by several processes |

pub mod branch_and_bound;
pub mod branching;
pub mod cuts;
pub mod evaluation;
pub mod model;
pub mod node;
pub mod primal;
mod progress;
mod proof;
pub mod record;
pub mod relaxation;
pub mod subgradient;
pub mod subproblem;
pub mod team;
pub mod workspace;

use ikeru_core::{
    Attempt, BoxedSolve, Deadline, OURS, Refusal, Search, Settings, Solve, Variant, skip,
};

use crate::TrailProblem;
use crate::puzzle::{Answer, Puzzle};
use crate::tjoin::frontier::{EdgeCost, Frontier, MAX_COLUMNS};
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
    version: 6,
    settings: &[],
    prepare: prepare::<false>,
};

/// All threads.
pub const PARALLEL: Variant<TrailProblem> = Variant {
    name: "lagrangian-parallel",
    about: "`lagrangian` with all threads around one queue of nodes, or with a team of processes.",
    source: OURS,
    exact: true,
    version: 6,
    settings: &[],
    prepare: prepare::<true>,
};

/// The most `×` edges: sets of them are one machine word.
const MAX_FACTORS: usize = 64;

/// Bytes of the tables of all workers at most.
const MOST_TABLE_BYTES: u64 = 224 << 20;

/// Bytes that the search takes at most, tables and waiting nodes together.
const MOST_BYTES: u64 = 256 << 20;

/// Whether the variants take `puzzle`.
pub fn takes(puzzle: &Puzzle) -> bool {
    prepare::<false>(puzzle, &Settings::new(), Deadline::never()).is_ok()
}

fn prepare<'a, const PARALLEL: bool>(
    puzzle: &'a Puzzle,
    _settings: &Settings,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, TrailProblem>, Refusal> {
    deadline.check()?;
    refuse_too_large(puzzle, MAX_COLUMNS)?;
    let solver = match Model::new::<i32>(puzzle) {
        Some(model) => Some(boxed::<i32, PARALLEL>(model)?),
        None => Model::new::<i64>(puzzle)
            .map(boxed::<i64, PARALLEL>)
            .transpose()?,
    };
    solver.ok_or_else(|| {
        Refusal::skip("the numbers are too large for costs of 64 bits with multipliers")
    })
}

fn boxed<C: EdgeCost, const PARALLEL: bool>(
    model: Model<'_>,
) -> Result<BoxedSolve<'_, TrailProblem>, Refusal> {
    let factors = model.grid.factors.len();
    if factors > MAX_FACTORS {
        skip!("at most {MAX_FACTORS} × edges other than ×1, the board has {factors}");
    }
    let tables = Frontier::<C>::bytes_for(model.grid.columns, model.grid.rows);
    if tables > MOST_TABLE_BYTES {
        skip!(
            "the tables of the dynamic program take {tables} bytes, at most {MOST_TABLE_BYTES} are allowed"
        );
    }
    let workers = Vec::new();
    Ok(Box::new(Lagrangian::<C, PARALLEL> { model, workers }))
}

struct Lagrangian<'a, C, const PARALLEL: bool> {
    model: Model<'a>,
    workers: Vec<Workspace<C>>,
}

impl<C: EdgeCost, const PARALLEL: bool> Lagrangian<'_, C, PARALLEL> {
    /// Answers; keeps records of the nodes if `recorded`.
    fn answer(&mut self, search: &mut Search, recorded: bool) -> Attempt<Answer> {
        let model = &self.model;
        let tables = Frontier::<C>::bytes_for(model.grid.columns, model.grid.rows);
        // Wide boards leave room for the tables of a few workers only.
        let fit = (MOST_TABLE_BYTES / tables.max(1)).max(1) as usize;
        let threads = if PARALLEL {
            search.threads.clamp(1, fit)
        } else {
            1
        };
        let left = MOST_BYTES.saturating_sub(tables * threads as u64);
        let memory = branch_and_bound::MEMORY.min(left as usize);
        self.workers.resize_with(threads, || Workspace::new(model));
        for workspace in &mut self.workers {
            workspace.records = recorded.then(Records::default);
            workspace.count_anew();
        }
        match search.team {
            Some(team) => team::solve(model, &mut self.workers, search, team, memory),
            None => branch_and_bound::solve(model, &mut self.workers, search, memory),
        }
    }
}

impl<C: EdgeCost, const PARALLEL: bool> Solve<TrailProblem> for Lagrangian<'_, C, PARALLEL> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        self.answer(search, false)
    }

    fn certify(&mut self, search: &mut Search) -> (Attempt<Answer>, Option<String>) {
        let attempt = self.answer(search, true);
        let workers = self.workers.iter_mut();
        let records = record::merged(workers.filter_map(|worker| worker.records.take()));
        let certificate = match &attempt {
            Attempt::Solved { answer, .. } => proof::certificate(&self.model, &records, answer),
            Attempt::Timeout { .. } => None,
        };
        (attempt, certificate)
    }

    fn table_bytes(&self) -> u64 {
        let workers = self.workers.iter();
        workers.map(|workspace| workspace.frontier.bytes()).sum()
    }
}
