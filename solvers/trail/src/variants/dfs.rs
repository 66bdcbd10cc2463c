//! `dfs`: Plain depth-first search over all trails.

use ikeru_core::{Source, Variant};

use crate::TrailProblem;
use crate::ladder::edge_set::EdgeSet;
use crate::ladder::kernel::Rules;
use crate::ladder::{RuleSet, prepare};

/// See the module.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dfs",
    about: "Plain depth-first search over all trails.",
    source: Source::Article {
        name: "Challeran",
        section: "深さ優先探索 (depth-first search)",
    },
    exact: true,
    version: 1,
    settings: &[],
    prepare: prepare::<Dfs>,
};

/// The prunings of this variant.
#[derive(Debug, Default)]
pub struct Dfs;

impl RuleSet for Dfs {
    type Of<S: EdgeSet> = Self;
}

impl<S: EdgeSet> Rules<S> for Dfs {}
