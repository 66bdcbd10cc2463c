//! The evaluation of a node up to some iteration: the state that a suspended node keeps.

use super::branching::PrimalAverage;
use super::cuts::Multipliers;
use super::model::{Decisions, Model};
use super::relaxation::Relaxation;
use super::subgradient::Subgradient;
use crate::tjoin::frontier::EdgeCost;

/// The evaluation of a node up to some iteration.
#[derive(Debug, Default)]
pub struct NodeProgress<C> {
    pub iterations: u32,
    pub relaxation: Relaxation<C>,
    pub subgradient: Subgradient,
    pub average: PrimalAverage,
}

impl<C: EdgeCost> NodeProgress<C> {
    /// Begins the evaluation of a node with these decisions, its parent's multipliers and the parent's cuts of the
    /// segments below `cut_segments`; `None` if the node has no trail.
    // PERF: the memory of a finished node is reused. Without that a 5x7 board takes 1.07 times as long.
    pub fn renew(
        &mut self,
        model: &Model,
        decisions: &Decisions,
        parent: &Multipliers,
        cut_segments: usize,
    ) -> Option<()> {
        let relaxation = &mut self.relaxation;
        relaxation.renew(model, decisions, parent, cut_segments)?;
        let averaged = match decisions.complete() {
            true => relaxation.segments.len(),
            false => 0,
        };
        let edges = model.grid.edge_count();
        self.subgradient.renew(edges, decisions.complete());
        self.average.renew(averaged, edges);
        self.iterations = 0;
        Some(())
    }

    /// Bytes of the evaluation.
    pub fn bytes(&self) -> usize {
        self.relaxation.bytes() + self.subgradient.bytes() + self.average.bytes()
    }
}
