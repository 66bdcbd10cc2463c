//! The memory that one worker keeps between nodes.

use std::sync::Arc;

use super::model::Model;
use super::progress::NodeProgress;
use super::record::Records;
use super::scratch::Scratch;
use crate::tjoin::frontier::EdgeCost;

/// The memory of one worker.
#[derive(Debug)]
pub struct Workspace<C> {
    /// The memory of an evaluation, and the counters.
    pub scratch: Scratch<C>,
    /// The memory of a node that is finished.
    pub spare: Option<Box<NodeProgress<C>>>,
    /// The records of the search's nodes, if they are wanted.
    pub records: Option<Arc<Records>>,
}

impl<C: EdgeCost> Workspace<C> {
    /// A workspace for the board of `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            scratch: Scratch::new(model),
            spare: None,
            records: None,
        }
    }
}
