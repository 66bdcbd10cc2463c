//! `dfs+mutual`: Prunings 1–2 and two functions that call each other, one per colour, so that only one tests for the goal.

use ikeru_core::{Source, Variant};

use crate::TrailProblem;
use crate::ladder::edge_set::EdgeSet;
use crate::ladder::kernel::Rules;
use crate::ladder::{RuleSet, prepare};

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dfs+mutual",
    about: "Prunings 1–2 and two functions that call each other, one per colour, so that only one tests for the goal.",
    source: Source::Article {
        name: "Challeran",
        section: "枝刈りその3, 補足1 (pruning 3, supplement 1)",
    },
    exact: true,
    version: 1,
    settings: &[],
    prepare: prepare::<Mutual>,
};

/// The prunings of this variant.
#[derive(Debug, Default)]
pub struct Mutual;

impl RuleSet for Mutual {
    type Of<S: EdgeSet> = Self;
}

impl<S: EdgeSet> Rules<S> for Mutual {
    const CORNER: bool = true;
    const DEADEND: bool = true;
    const MUTUAL: bool = true;
}
