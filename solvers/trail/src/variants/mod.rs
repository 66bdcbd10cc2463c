//! The table of all variants, and those that do not belong to the [ladder](crate::ladder), one file each.

pub mod dfs;
pub mod dominance;
pub mod lagrangian;
pub mod parallel;
pub mod reverse;

use ikeru_core::{Better, Lattice, Measure, Variant};

use crate::TrailProblem;
use crate::ladder::{LATTICE, SWITCHES, rung};
use crate::puzzle::Puzzle;

/// Every variant, naive first; the rungs of the ladder by their row.
pub const VARIANTS: &[Variant<TrailProblem>] = &[
    dfs::VARIANT,
    rung(0),
    rung(1),
    rung(2),
    rung(3),
    rung(4),
    rung(5),
    rung(6),
    parallel::VARIANT,
    dominance::VARIANT,
    reverse::VARIANT,
    lagrangian::VARIANT,
    lagrangian::PARALLEL,
    SWITCHES,
];

/// The combinations of prunings.
pub const LATTICES: &[Lattice] = &[LATTICE];

/// The best exact variant for `puzzle`.
#[must_use]
pub fn default_for(puzzle: &Puzzle) -> &'static str {
    if lagrangian::takes(puzzle) {
        lagrangian::VARIANT.name
    } else {
        dominance::VARIANT.name
    }
}

/// Every counter of any variant.
pub const COUNTERS: &[Measure] = &[
    Measure {
        name: "nodes",
        about: "nodes of the search: moves made, of one edge or of two",
        better: Better::Lower,
    },
    Measure {
        name: "cuts_corner",
        about: "times the search stopped at a goal that cannot be left and entered again (pruning 1)",
        better: Better::Neither,
    },
    Measure {
        name: "cuts_deadend",
        about: "moves refused because their vertex could not be left again (pruning 2)",
        better: Better::Neither,
    },
    Measure {
        name: "cuts_bound",
        about: "nodes whose upper bound did not exceed the incumbent (pruning 4)",
        better: Better::Neither,
    },
    Measure {
        name: "cuts_dominance",
        about: "nodes dominated by one with the same vertex and passed edges and no smaller score",
        better: Better::Neither,
    },
    Measure {
        name: "cuts_infeasible",
        about: "nodes without any trail, found before their bound",
        better: Better::Neither,
    },
    Measure {
        name: "bound_iterations",
        about: "evaluations of the dual function at one set of multipliers",
        better: Better::Lower,
    },
    Measure {
        name: "kernel_calls",
        about: "best T-joins computed by frontier dynamic programming",
        better: Better::Lower,
    },
    Measure {
        name: "connectivity_cuts",
        about: "connectivity cuts found in T-joins that are not connected",
        better: Better::Lower,
    },
    Measure {
        name: "memory_full",
        about: "1 where the search gave up because its own memory was full",
        better: Better::Lower,
    },
    Measure {
        name: "incumbents",
        about: "times a better trail was found",
        better: Better::Neither,
    },
];
