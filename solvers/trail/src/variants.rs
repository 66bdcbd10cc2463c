//! Every solver, one file each, and the tables that list them.

pub mod bound;
pub mod bound_at_start;
pub mod colour;
pub mod corner;
pub mod deadend;
pub mod dfs;
pub mod dominance;
pub mod mutual;
pub mod parallel;

use ikeru_core::{Measure, Variant};

use crate::TrailProblem;

/// Every variant, naive first, in the order of the ladder.
pub const VARIANTS: &[Variant<TrailProblem>] = &[
    dfs::VARIANT,
    corner::VARIANT,
    deadend::VARIANT,
    mutual::VARIANT,
    colour::VARIANT,
    bound_at_start::VARIANT,
    bound::VARIANT,
    parallel::VARIANT,
    dominance::VARIANT,
];

/// The best exact variant.
pub const DEFAULT: &str = "dominance";

/// Every counter of any variant.
pub const COUNTERS: &[Measure] = &[
    Measure {
        name: "nodes",
        about: "nodes of the search: moves made, of one edge or of two",
    },
    Measure {
        name: "cuts_corner",
        about: "times the search stopped at a goal that cannot be left and entered again (pruning 1)",
    },
    Measure {
        name: "cuts_deadend",
        about: "moves refused because their vertex could not be left again (pruning 2)",
    },
    Measure {
        name: "cuts_bound",
        about: "nodes whose upper bound did not exceed the incumbent (pruning 4)",
    },
    Measure {
        name: "cuts_dominance",
        about: "nodes dominated by one with the same vertex and passed edges and no smaller score",
    },
];
