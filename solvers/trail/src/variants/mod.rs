//! The table of all variants, and one file for each variant outside the [ladder](crate::ladder).

pub mod dfs;
pub mod dominance;
pub mod lagrangian;
pub mod parallel;
pub mod parallel_spawn;

use ikeru_core::{Measure, Variant, measures};

use crate::TrailProblem;
use crate::ladder::{SWITCHES, rung};
use crate::puzzle::Puzzle;

/// Every variant, naive first; `rung` takes a row of the ladder.
pub static ALL: [Variant<TrailProblem>; 17] = [
    dfs::VARIANT,
    rung(0),
    rung(1),
    rung(2),
    rung(3),
    rung(4),
    rung(5),
    rung(6),
    parallel::VARIANT,
    parallel_spawn::VARIANT,
    dominance::VARIANT,
    lagrangian::VARIANT,
    lagrangian::PARALLEL,
    SWITCHES,
    dfs::CORNER_AS_PRINTED,
    dfs::DEADEND_AS_PRINTED,
    dfs::IDEAS,
];

/// The best exact variant for `puzzle`.
pub fn default_for(puzzle: &Puzzle) -> &'static str {
    if lagrangian::takes(puzzle) {
        lagrangian::VARIANT.name
    } else {
        dominance::VARIANT.name
    }
}

/// Every counter of any variant.
pub const COUNTERS: &[Measure] = measures! {
    lower nodes: "nodes of the search: moves made, of one edge or of two";
    neither cuts_corner: "times the search stopped at a goal that cannot be left and entered again (pruning 1)";
    neither cuts_deadend: "moves refused because their vertex could not be left again (pruning 2)";
    neither cuts_bound: "nodes whose upper bound did not exceed the incumbent (pruning 4)";
    neither cuts_dominance: "nodes dominated by one with the same vertex and passed edges and no smaller score";
    lower goal_tests: "nodes whose vertex is compared with the goal, where that is not every node";
    neither threads_spawned: "threads made for nodes of the search";
    neither cuts_infeasible: "nodes without any trail, found before their bound";
    lower bound_iterations: "evaluations of the dual function at one set of multipliers";
    lower kernel_calls: "best T-joins computed by frontier dynamic programming";
    lower connectivity_cuts: "connectivity cuts found in T-joins that are not connected";
    lower memory_full: "1 where the search gave up because its own memory was full";
    neither incumbents: "times a better trail was found";
};
