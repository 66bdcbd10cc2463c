//! The evaluation of a node up to some iteration: what a suspended node keeps.

use super::branching::PrimalAverage;
use super::cuts::Multipliers;
use super::model::{Decisions, Model};
use super::record::Prices;
use super::relaxation::Relaxation;
use super::subgradient::Subgradient;
use crate::tjoin::frontier::EdgeCost;

/// The evaluation of a node up to some iteration.
#[derive(Debug)]
pub struct NodeProgress<C> {
    pub iterations: u32,
    pub relaxation: Relaxation<C>,
    pub subgradient: Subgradient,
    pub average: PrimalAverage,
    /// The prices of the lowest bound, where they are wanted.
    pub prices: Option<Prices>,
}

impl<C: EdgeCost> NodeProgress<C> {
    /// Before the first iteration on a node with these decisions, its parent's multipliers and its cuts of the segments
    /// below `cut_segments`; `None` if the node has no trail.
    pub fn new(
        model: &Model,
        decisions: &Decisions,
        parent: &Multipliers,
        cut_segments: usize,
    ) -> Option<Self> {
        let relaxation = Relaxation::new(model, decisions, parent, cut_segments)?;
        let averaged = if decisions.complete() {
            relaxation.segments.len()
        } else {
            0
        };
        let edges = model.grid.edge_count();
        Some(Self {
            iterations: 0,
            relaxation,
            subgradient: Subgradient::new(edges),
            average: PrimalAverage::new(averaged, edges),
            prices: None,
        })
    }

    /// Bytes that it keeps.
    pub fn bytes(&self) -> usize {
        self.relaxation.bytes() + self.subgradient.bytes() + self.average.bytes()
    }
}
