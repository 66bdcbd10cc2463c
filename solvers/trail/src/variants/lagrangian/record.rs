//! What a search keeps of its nodes for a certificate.

use std::collections::HashMap;

use super::cuts::ConnectivityCut;
use super::model::{Branch, Decisions};

/// The nodes evaluated, by their decisions.
pub type Records = HashMap<Decisions, NodeRecord>;

/// One evaluation, or as much of it as there was when it was suspended.
#[derive(Debug)]
pub struct NodeRecord {
    /// Those of its lowest bound.
    pub prices: Prices,
    /// Whether there is no trail.
    pub infeasible: bool,
    /// What the node was branched on, if not on the next `×` edge.
    pub branch: Option<Branch>,
}

/// Merges the records of several workers. If a node was suspended by one and continued by another, the later record is kept.
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
    /// Whether `self` can be of a later time: a bound only falls, and the branch is chosen at the end.
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
    /// Before there is a bound.
    fn default() -> Self {
        Self {
            bound: i64::MAX,
            coupling: Vec::new(),
            cuts: Vec::new(),
        }
    }
}
