//! `dfs+deadend`: Prunings 1–2, no vertex is entered that cannot be left again.

use ikeru_core::{Source, Variant};

use crate::TrailProblem;
use crate::ladder::edge_set::EdgeSet;
use crate::ladder::kernel::Rules;
use crate::ladder::{RuleSet, prepare};

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dfs+deadend",
    about: "Prunings 1–2, no vertex is entered that cannot be left again.",
    source: Source::Article {
        name: "Challeran",
        section: "枝刈りその2 (pruning 2)",
    },
    exact: true,
    version: 1,
    settings: &[],
    prepare: prepare::<Deadend>,
};

/// The prunings of this variant.
#[derive(Debug, Default)]
pub struct Deadend;

impl RuleSet for Deadend {
    type Of<S: EdgeSet> = Self;
}

impl<S: EdgeSet> Rules<S> for Deadend {
    const CORNER: bool = true;
    const DEADEND: bool = true;
}
