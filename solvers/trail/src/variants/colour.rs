//! `dfs+colour`: Prunings 1–3, moves of two edges between vertices of the goal's colour.

use ikeru_core::{Source, Variant};

use crate::TrailProblem;
use crate::ladder::edge_set::EdgeSet;
use crate::ladder::kernel::Rules;
use crate::ladder::{RuleSet, prepare};

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dfs+colour",
    about: "Prunings 1–3, moves of two edges between vertices of the goal's colour.",
    source: Source::Article {
        name: "Challeran",
        section: "枝刈りその3 (pruning 3)",
    },
    exact: true,
    version: 1,
    settings: &[],
    prepare: prepare::<ColourPairs>,
};

/// The prunings of this variant.
#[derive(Debug, Default)]
pub struct ColourPairs;

impl RuleSet for ColourPairs {
    type Of<S: EdgeSet> = Self;
}

impl<S: EdgeSet> Rules<S> for ColourPairs {
    const CORNER: bool = true;
    const DEADEND: bool = true;
    const PAIRS: bool = true;
}
