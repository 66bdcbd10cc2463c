//! The article's ladder: one depth-first search on bit sets, to which the prunings are added one by one.
//!
//! Every rung is a row of [`RUNGS`]: a name, a sentence, its section in the article, and its prunings.
//!
//! | module | owns |
//! |---|---|
//! | [`prunings`] | the four prunings in order |
//! | [`kernel`] | the search: goal test, prunings, counters, deadline |
//! | [`graph`] | the board as moves of one edge and of two |
//! | [`edge_set`] | passed edges as a bit set of the right width |
//! | [`solver`] | a variant's `prepare` and `solve` |

pub mod edge_set;
pub mod graph;
pub mod kernel;
pub mod prunings;
pub mod solver;

use ikeru_core::{OURS, Variant};

use crate::TrailProblem;
use edge_set::EdgeSet;
use kernel::Rules;
use prunings::{BoundRule, Moves, Prunings};
use solver::prepare;

/// A rung of the ladder.
#[derive(Debug, Clone, Copy)]
pub struct Rung {
    name: &'static str,
    about: &'static str,
    source: &'static str,
    version: u32,
    prunings: Prunings,
}

/// The ladder, from no pruning to all of them.
pub const RUNGS: [Rung; 7] = [
    Rung {
        name: "dfs-bitset",
        about: "Depth-first search on bit sets of edges without any pruning: what the prunings are compared with.",
        source: OURS,
        version: 2,
        prunings: Prunings::NONE,
    },
    Rung {
        name: "dfs+corner",
        about: "Depth-first search that stops at a goal which cannot be left and entered again (pruning 1).",
        source: "Challeran, 枝刈りその1 (pruning 1)",
        version: 2,
        prunings: Prunings::CORNER,
    },
    Rung {
        name: "dfs+deadend",
        about: "Prunings 1–2, no vertex is entered that cannot be left again.",
        source: "Challeran, 枝刈りその2 (pruning 2)",
        version: 2,
        prunings: Prunings::DEADEND,
    },
    Rung {
        name: "dfs+mutual",
        about: "Prunings 1–2 and two functions that call each other, one per colour, so that only one tests for the goal.",
        source: "Challeran, 枝刈りその3, 補足1 (pruning 3, supplement 1)",
        version: 3,
        prunings: Prunings {
            moves: Moves::Mutual,
            ..Prunings::DEADEND
        },
    },
    Rung {
        name: "dfs+colour",
        about: "Prunings 1–3, moves of two edges between vertices of the goal's colour.",
        source: "Challeran, 枝刈りその3 (pruning 3)",
        version: 2,
        prunings: Prunings::PAIRS,
    },
    Rung {
        name: "dfs+bound-at-start",
        about: "Prunings 1–3 and the bound from what was free at the start (pruning 4, way 1).",
        source: "Challeran, 枝刈りその4, 方式1 (pruning 4, way 1)",
        version: 2,
        prunings: Prunings {
            bound: BoundRule::AtStart,
            ..Prunings::PAIRS
        },
    },
    Rung {
        name: "dfs+bound",
        about: "Prunings 1–4, `(score + free +) × free ×` must exceed the best score, kept up with every move (way 2).",
        source: "Challeran, 枝刈りその4, 方式2 (pruning 4, way 2)",
        version: 2,
        prunings: Prunings::ALL,
    },
];

/// The prunings of a row of [`RUNGS`] as rules of the kernel. Each row is compiled separately, so that no switch is
/// tested in a loop.
#[derive(Debug)]
pub struct RungRules<const ROW: usize>;

impl<const ROW: usize> Rules for RungRules<ROW> {
    const PRUNINGS: Prunings = RUNGS[ROW].prunings;
    type Memory<S: EdgeSet> = ();
}

/// All four prunings, without a memory.
pub type AllPrunings = RungRules<{ RUNGS.len() - 1 }>;

/// The variant of a row of [`RUNGS`].
pub const fn rung<const ROW: usize>() -> Variant<TrailProblem> {
    let rung = RUNGS[ROW];
    Variant {
        name: rung.name,
        about: rung.about,
        source: rung.source,
        exact: true,
        version: rung.version,
        settings: &[],
        prepare: prepare::<RungRules<ROW>>,
    }
}
