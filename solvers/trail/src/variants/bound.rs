//! `dfs+bound`: Prunings 1–4, `(score + free +) × free ×` must exceed the best score, kept up with every move (way 2).

use ikeru_core::{Source, Variant};

use crate::TrailProblem;
use crate::ladder::edge_set::EdgeSet;
use crate::ladder::kernel::{Bound, Rules};
use crate::ladder::{RuleSet, prepare};

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dfs+bound",
    about: "Prunings 1–4, `(score + free +) × free ×` must exceed the best score, kept up with every move (way 2).",
    source: Source::Article {
        name: "Challeran",
        section: "枝刈りその4, 方式2 (pruning 4, way 2)",
    },
    exact: true,
    version: 1,
    settings: &[],
    prepare: prepare::<BoundRunning>,
};

/// The prunings of this variant.
#[derive(Debug, Default)]
pub struct BoundRunning;

impl RuleSet for BoundRunning {
    type Of<S: EdgeSet> = Self;
}

impl<S: EdgeSet> Rules<S> for BoundRunning {
    const CORNER: bool = true;
    const DEADEND: bool = true;
    const PAIRS: bool = true;
    const BOUND: Bound = Bound::Running;
}
