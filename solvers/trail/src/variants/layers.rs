//! `layers`, `layers-parallel`: fix the order of the `×` edges, then everything is linear.
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
//! weights. Each is a connected T-join ([`crate::tjoin`]); best T-joins alone are easy. What couples
//! them is priced.
//!
//! # Prices and the aggregate layer
//! Let xᵢ be the edge set of layer i. Two facts hold for every trail: no edge lies in two layers, and
//! the *union* y = Σᵢ xᵢ is a T-join itself, T being the sum of all ends. Relax only the equation
//! y = Σᵢ xᵢ, with one price μₑ of any sign per edge:
//!
//! > L(μ) = P₀·S + Σᵢ max over T-joins xᵢ of (Pᵢ·w − μ)·xᵢ + max over T-joins y of μ·y.
//!
//! Every μ gives an upper bound, made of k + 2 independent row scans. The layer y is redundant for
//! trails but not for the relaxation: y ∈ {0, 1} is what makes the layers disjoint, and its parity
//! forbids unions that no set of trails has (an odd vertex cannot be exhausted). Without it the
//! bound is far weaker and the search many times longer. Unions of some layers only (of neighbours, of
//! the first or the last few) were tried beside it: the nodes hardly fell, and each costs a scan more.
//!
//! Prices are whole numbers in units of 1/16 of a point (coarser if the numbers are large). Then each
//! scan is exact, so is L(μ), and the node is cut as soon as ⌊L(μ)⌋ does not exceed the incumbent: no
//! tolerance anywhere. Prices follow the subgradient Σᵢ xᵢ − y plus half of the previous direction,
//! with Polyak's step towards the incumbent.
//!
//! # Connectivity
//! Pieces apart from a layer's start are cut off lazily, x(δ(U)) ≥ 2·xₑ: see [`cuts`]. Edges that no
//! trail between a layer's ends can pass are dropped before.
//!
//! # Nodes
//! A node is a set of `×` edges that are used, a prefix of their order with directions, and the set
//! still to come. The last layer then is the *rest*: `+` weighs the product of all factors to come,
//! `-` weighs 1 (0 if a `×0` is to come), the factors' edges are passed in any case. Which `×` edges
//! are used is decided first, then which is next in which direction, and with a complete sequence
//! whether one layer passes one edge: the one that its last solutions left undecided and that weighs
//! most. Where the prices of many cuts around one piece stand out, it is decided before whether the
//! segment crosses the boundary of the piece at all, however long the prefix is: see [`branching`].
//! The nodes wait in a queue, highest bound first; children begin with the prices of their parent. The
//! queue's memory is limited; when it is full the search gives up with its bound.
//!
//! | module | owns |
//! |---|---|
//! | [`field`] | what all nodes share, the unit of prices |
//! | [`node`] | nodes, their layers and children |
//! | [`prices`] | the bound of a node |
//! | [`branching`] | what is decided where the order is not enough |
//! | [`cuts`] | connectivity cuts |
//! | [`incumbent`] | trails from layers |
//! | [`search`] | the queue and its workers |

pub mod branching;
pub mod cuts;
pub mod field;
pub mod incumbent;
pub mod node;
pub mod prices;
pub mod search;

use ikeru_core::{
    Attempt, BoxedSolve, Deadline, Refusal, Search, Settings, Solve, Source, Variant,
};

use crate::TrailProblem;
use crate::puzzle::{Answer, Puzzle};
use crate::tjoin::kernel::{Lane, MAX_COLUMNS};
use field::Field;
use prices::Work;

/// One thread.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "layers",
    about: "Orders of the × edges by branch and bound; segments as T-joins coupled by prices.",
    source: Source::Ours,
    exact: true,
    version: 2,
    settings: &[],
    prepare: prepare::<false>,
};

/// All threads.
pub const PARALLEL: Variant<TrailProblem> = Variant {
    name: "layers-parallel",
    about: "`layers` with all threads around one queue of nodes.",
    source: Source::Ours,
    exact: true,
    version: 2,
    settings: &[],
    prepare: prepare::<true>,
};

/// Vertices of the largest board: the search for bridges goes as deep.
const MAX_VERTICES: usize = 4096;
/// The most `×` edges: sets of them are one machine word.
const MAX_FACTORS: usize = 64;

/// Whether `layers` takes `puzzle`.
#[must_use]
pub fn takes(puzzle: &Puzzle) -> bool {
    prepare::<false>(puzzle, &Settings::new(), Deadline::never()).is_ok()
}

fn prepare<'a, const PARALLEL: bool>(
    puzzle: &'a Puzzle,
    _settings: &Settings,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, TrailProblem>, Refusal> {
    if deadline.passed() {
        return Err(Refusal::Timeout);
    }
    refuse_too_large(puzzle)?;
    if let Some(field) = Field::new::<i32>(puzzle) {
        return boxed::<i32, PARALLEL>(field);
    }
    match Field::new::<i64>(puzzle) {
        Some(field) => boxed::<i64, PARALLEL>(field),
        None => Err(Refusal::skip(
            "the numbers are too large for costs of 64 bits with prices",
        )),
    }
}

/// Refuses boards that the row scan cannot take.
///
/// # Errors
/// Too many columns even when turned, or too many vertices.
pub fn refuse_too_large(puzzle: &Puzzle) -> Result<(), Refusal> {
    let board = puzzle.board();
    let columns = board.width().min(board.height());
    if columns > MAX_COLUMNS {
        return Err(Refusal::skip(format!(
            "the row scan keeps 2^(columns - 1) states: at most {MAX_COLUMNS} columns, the board has {columns}"
        )));
    }
    let vertices = board.vertex_count();
    if vertices > MAX_VERTICES {
        return Err(Refusal::skip(format!(
            "at most {MAX_VERTICES} vertices, the board has {vertices}"
        )));
    }
    Ok(())
}

fn boxed<L: Lane, const PARALLEL: bool>(
    field: Field<'_>,
) -> Result<BoxedSolve<'_, TrailProblem>, Refusal> {
    let factors = field.grid.factors.len();
    if factors > MAX_FACTORS {
        return Err(Refusal::skip(format!(
            "at most {MAX_FACTORS} × edges other than ×1, the board has {factors}"
        )));
    }
    Ok(Box::new(Layers::<L, PARALLEL> {
        field,
        workers: Vec::new(),
    }))
}

struct Layers<'a, L, const PARALLEL: bool> {
    field: Field<'a>,
    workers: Vec<Work<L>>,
}

impl<L: Lane, const PARALLEL: bool> Solve<TrailProblem> for Layers<'_, L, PARALLEL> {
    fn solve(&mut self, search: &mut Search) -> Attempt<Answer> {
        let threads = if PARALLEL { search.threads.max(1) } else { 1 };
        let field = &self.field;
        self.workers.resize_with(threads, || Work::new(field));
        search::solve(field, &mut self.workers, search, search::MEMORY)
    }

    fn table_bytes(&self) -> u64 {
        self.workers.iter().map(|work| work.kernel.bytes()).sum()
    }
}
