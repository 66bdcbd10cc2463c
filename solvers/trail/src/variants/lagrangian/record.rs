//! The records of nodes that a search keeps for a certificate.

use std::collections::HashMap;

use super::cuts::ConnectivityCut;
use super::model::{Branch, Decisions};

/// The evaluated nodes, by their decisions.
pub type Records = HashMap<Decisions, NodeRecord>;

/// The evaluation of one node, complete or up to its suspension.
#[derive(Debug)]
pub struct NodeRecord {
    /// The prices of its lowest bound.
    pub prices: Prices,
    /// True if the node has no trail.
    pub infeasible: bool,
    /// The decision on which the node was branched; `None` for the next `×` edge.
    pub branch: Option<Branch>,
}

/// Merges the records of several workers. If one worker suspended a node and another continued it, the later record is
/// kept.
pub fn merged(all: impl Iterator<Item = Records>) -> Records {
    let mut merged = Records::new();
    for (decisions, record) in all.flatten() {
        match merged.get(&decisions) {
            Some(known) if !record.later_than(known) => {}
            _ => drop(merged.insert(decisions, record)),
        }
    }
    merged
}

impl NodeRecord {
    /// Returns whether `self` is the later record: bounds only fall, and the branch is chosen at the end.
    fn later_than(&self, other: &Self) -> bool {
        let state = |record: &Self| (record.infeasible, record.branch.is_some());
        let (own, others) = (self.prices.bound, other.prices.bound);
        own < others || own == others && state(self) > state(other)
    }
}

/// The multipliers of a bound in whole units.
#[derive(Debug, Clone)]
pub struct Prices {
    /// The bound, scaled.
    pub bound: i64,
    /// One per edge.
    pub coupling: Vec<i64>,
    /// Cuts whose multiplier is not 0.
    pub cuts: Vec<ConnectivityCut>,
}

impl Default for Prices {
    /// The prices before there is a bound.
    fn default() -> Self {
        Self {
            bound: i64::MAX,
            coupling: Vec::new(),
            cuts: Vec::new(),
        }
    }
}
