//! The memory of the evaluation of one node, and the counters of the work.

use super::model::Model;
use super::subproblem::Subproblem;
use crate::tjoin::connectivity::Linked;
use crate::tjoin::frontier::EdgeCost;
use crate::tjoin::grid::Edge;
use crate::tjoin::kernel::JoinKernel;

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

/// The memory that every evaluation begins anew.
#[derive(Debug)]
pub struct Scratch<C> {
    /// The solver of T-joins.
    pub joins: JoinKernel<C>,
    /// The counters of its work so far.
    pub tally: Tally,
    /// Segments of other decisions than those of the node.
    pub segments: Vec<Subproblem<C>>,
    /// The costs of one T-join, with multipliers.
    pub costs: Vec<C>,
    /// Memory for the connectivity of solutions.
    pub linked: Linked,
    /// The boundary of a component.
    pub boundary: Vec<Edge>,
    /// The edges of a solution that are not connected to its start.
    pub apart: Vec<Edge>,
}

impl<C: EdgeCost> Scratch<C> {
    /// The memory for the board of `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            joins: JoinKernel::new(model.grid.columns, model.grid.rows),
            tally: Tally::default(),
            segments: Vec::new(),
            costs: vec![C::ABSENT; model.grid.edge_count()],
            linked: Linked::default(),
            boundary: Vec::new(),
            apart: Vec::new(),
        }
    }

    /// Sets all counters to 0.
    pub fn count_anew(&mut self) {
        self.tally = Tally::default();
        self.joins.calls = 0;
    }
}
