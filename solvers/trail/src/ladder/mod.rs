//! The article's ladder: one depth-first search on bit sets, to which the prunings are added one by one.
//!
//! Every rung is a row of [`RUNGS`]: a name, a sentence, its section in the article, and its prunings. The variant
//! `dfs+switches` has each pruning as a setting, so that every other combination can run too.
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

use ikeru_core::{Deadline, OURS, Prepare, Prepared, Settings, Variant, settings};

use crate::TrailProblem;
use crate::puzzle::Puzzle;
use edge_set::EdgeSet;
use kernel::Rules;
use prunings::{BoundRule, COMBINATIONS, Moves, Prunings};
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

/// The variant of a row of [`RUNGS`].
pub const fn rung(row: usize) -> Variant<TrailProblem> {
    let rung = RUNGS[row];
    Variant {
        name: rung.name,
        about: rung.about,
        source: rung.source,
        exact: true,
        version: rung.version,
        settings: &[],
        prepare: SEARCHES[rung.prunings.number()],
    }
}

/// A combination of prunings as rules of the kernel.
#[derive(Debug)]
pub struct Switched<const NUMBER: usize>;

impl<const NUMBER: usize> Rules for Switched<NUMBER> {
    const PRUNINGS: Prunings = Prunings::numbered(NUMBER);
    type Memory<S: EdgeSet> = ();
}

/// All four prunings, without a memory.
pub type AllPrunings = Switched<{ Prunings::ALL.number() }>;

macro_rules! searches {
    ($($number:literal)*) => { [$(prepare::<Switched<$number>>),*] };
}

/// The search of each combination, by its number. Each is compiled separately, so that no switch is tested in a loop.
const SEARCHES: [Prepare<TrailProblem>; COMBINATIONS] = searches!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35
);

settings! {
    CORNER: bool = "corner", true, "pruning 1: stop at a goal that cannot be left and entered again";
    DEADEND: bool = "deadend", true, "pruning 2: enter no vertex whose last way out is gone";
    MOVES: Moves = "moves", "pairs", "pruning 3: single edges, single edges with one function per colour (mutual), or pairs of edges";
    BOUND: BoundRule = "bound", "running", "pruning 4: never, from what was free at the start (at-start), or kept up with every move (running)";
}

/// The variant with a setting for each pruning.
pub const SWITCHES: Variant<TrailProblem> = Variant {
    name: "dfs+switches",
    about: "Depth-first search with each pruning as a setting, so that any combination of them runs.",
    source: OURS,
    exact: true,
    version: 3,
    settings: settings![CORNER DEADEND MOVES BOUND],
    prepare: prepare_switched,
};

fn prepare_switched<'a>(
    puzzle: &'a Puzzle,
    settings: &Settings,
    deadline: Deadline,
) -> Prepared<'a, TrailProblem> {
    let prunings = Prunings {
        corner: settings.get(&CORNER)?,
        deadend: settings.get(&DEADEND)?,
        moves: settings.get(&MOVES)?,
        bound: settings.get(&BOUND)?,
    };
    SEARCHES[prunings.number()](puzzle, settings, deadline)
}
