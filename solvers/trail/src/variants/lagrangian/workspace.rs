//! The memory that one worker keeps between nodes.

use std::sync::Arc;

use ikeru_core::sync::PoisonError;

use super::model::{Decisions, Model};
use super::progress::NodeProgress;
use super::record::{NodeRecord, Records};
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

    /// Changes the record of a node, if records are wanted.
    pub fn record(&self, decisions: &Decisions, change: impl FnOnce(&mut NodeRecord)) {
        if let Some(records) = &self.records {
            let mut records = records.lock().unwrap_or_else(PoisonError::into_inner);
            change(records.entry(decisions.clone()).or_default());
        }
    }
}
