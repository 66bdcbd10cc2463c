//! `dfs+corner`: Depth-first search that stops at a goal which cannot be left and entered again (pruning 1).

use ikeru_core::{Source, Variant};

use crate::TrailProblem;
use crate::ladder::edge_set::EdgeSet;
use crate::ladder::kernel::Rules;
use crate::ladder::{RuleSet, prepare};

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dfs+corner",
    about: "Depth-first search that stops at a goal which cannot be left and entered again (pruning 1).",
    source: Source::Article {
        name: "Challeran",
        section: "枝刈りその1 (pruning 1)",
    },
    exact: true,
    version: 1,
    settings: &[],
    prepare: prepare::<Corner>,
};

/// The prunings of this variant.
#[derive(Debug, Default)]
pub struct Corner;

impl RuleSet for Corner {
    type Of<S: EdgeSet> = Self;
}

impl<S: EdgeSet> Rules<S> for Corner {
    const CORNER: bool = true;
}
