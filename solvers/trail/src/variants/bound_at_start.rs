//! `dfs+bound-at-start`: Prunings 1–3 and the bound from what was free at the start (pruning 4, way 1).

use ikeru_core::{Source, Variant};

use crate::TrailProblem;
use crate::ladder::edge_set::EdgeSet;
use crate::ladder::kernel::{Bound, Rules};
use crate::ladder::{RuleSet, prepare};

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dfs+bound-at-start",
    about: "Prunings 1–3 and the bound from what was free at the start (pruning 4, way 1).",
    source: Source::Article {
        name: "Challeran",
        section: "枝刈りその4, 方式1 (pruning 4, way 1)",
    },
    exact: true,
    version: 1,
    settings: &[],
    prepare: prepare::<BoundAtStart>,
};

/// The prunings of this variant.
#[derive(Debug, Default)]
pub struct BoundAtStart;

impl RuleSet for BoundAtStart {
    type Of<S: EdgeSet> = Self;
}

impl<S: EdgeSet> Rules<S> for BoundAtStart {
    const CORNER: bool = true;
    const DEADEND: bool = true;
    const PAIRS: bool = true;
    const BOUND: Bound = Bound::AtStart;
}
