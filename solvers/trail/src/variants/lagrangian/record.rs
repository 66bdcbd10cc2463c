//! The records of the nodes of a search: what a certificate of its answer needs (crate `ikeru-trail-proof`).

use std::collections::HashMap;

use ikeru_core::sync::Mutex;

use super::cuts::ConnectivityCut;
use super::model::{Branch, Decisions};

/// The evaluated nodes of all workers, by their decisions.
pub type Records = Mutex<HashMap<Decisions, NodeRecord>>;

/// The evaluation of one node, complete or up to its suspension.
#[derive(Debug, Default)]
pub struct NodeRecord {
    /// Its lowest bound, scaled; `None` before there is a bound.
    pub bound: Option<i64>,
    /// The multipliers of that bound in whole units, one per edge.
    pub prices: Vec<i64>,
    /// Its cuts, but those whose multiplier is 0.
    pub cuts: Vec<ConnectivityCut>,
    /// True if the node has no trail.
    pub infeasible: bool,
    /// The decision on which the node was branched; `None` for the next `×` edge.
    pub branch: Option<Branch>,
}
