//! The records of the nodes of a search: what a certificate of its answer needs (crate `ikeru-trail-proof`).

use std::collections::HashMap;

use ikeru_core::sync::{Mutex, PoisonError};

use super::cuts::ConnectivityCut;
use super::model::{Branch, Decisions};

/// The evaluated nodes of all workers, by their decisions.
#[derive(Debug, Default)]
pub struct Records(pub(super) Mutex<HashMap<Decisions, NodeRecord>>);

impl Records {
    /// Changes the record of a node, which is empty at first.
    pub fn change(&self, decisions: &Decisions, change: impl FnOnce(&mut NodeRecord)) {
        let mut nodes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(nodes.entry(decisions.clone()).or_default());
    }
}

/// The evaluation of one node, complete or up to its suspension.
#[derive(Debug, Default)]
pub struct NodeRecord {
    /// The prices of its lowest bound; `None` before there is a bound.
    pub prices: Option<Prices>,
    /// True if the node has no trail.
    pub infeasible: bool,
    /// The decision on which the node was branched; `None` for the next `×` edge.
    pub branch: Option<Branch>,
}

/// The multipliers of a bound in whole units.
#[derive(Debug)]
pub struct Prices {
    /// The bound, scaled.
    pub bound: i64,
    /// One per edge.
    pub coupling: Vec<i64>,
    /// Cuts whose multiplier is not 0.
    pub cuts: Vec<ConnectivityCut>,
}
