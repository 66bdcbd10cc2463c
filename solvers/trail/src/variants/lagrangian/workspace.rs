//! What one worker keeps between nodes: memory for T-joins, and counts of its work.

use super::model::Model;
use super::progress::NodeProgress;
use super::record::Records;
use crate::tjoin::connectivity::Linked;
use crate::tjoin::frontier::{EdgeCost, Frontier};
use crate::tjoin::grid::Edge;

/// The deterministic work of a worker.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Nodes evaluated.
    pub nodes: u64,
    /// Nodes fathomed by their bound.
    pub fathomed: u64,
    /// Nodes without a trail.
    pub infeasible: u64,
    /// Evaluations of the dual function.
    pub iterations: u64,
    /// Connectivity cuts found.
    pub cuts: u64,
    /// Incumbents raised.
    pub incumbents: u64,
}

/// The memory of one worker.
#[derive(Debug)]
pub struct Workspace<C> {
    /// Solves one T-join.
    pub frontier: Frontier<C>,
    /// Its work so far.
    pub tally: Tally,
    /// Costs with multipliers, of one T-join.
    pub costs: Vec<C>,
    /// For the connectivity of solutions.
    pub linked: Linked,
    /// The boundary of a component.
    pub boundary: Vec<Edge>,
    /// The edges of a solution apart from its start.
    pub apart: Vec<Edge>,
    /// The memory of a node that is finished.
    pub spare: Option<Box<NodeProgress<C>>>,
    /// What a certificate needs of the nodes evaluated, if one is asked for.
    pub records: Option<Records>,
}

impl<C: EdgeCost> Workspace<C> {
    /// For the board of `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            frontier: Frontier::new(model.grid.columns, model.grid.rows),
            tally: Tally::default(),
            costs: vec![C::ABSENT; model.grid.edge_count()],
            linked: Linked::default(),
            boundary: Vec::new(),
            apart: Vec::new(),
            spare: None,
            records: None,
        }
    }

    /// Forgets the counts of its work.
    pub fn count_anew(&mut self) {
        self.tally = Tally::default();
        self.frontier.calls = 0;
    }
}
