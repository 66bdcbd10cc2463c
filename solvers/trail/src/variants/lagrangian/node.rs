//! A node of the branch and bound: its decisions, its bound, its initial multipliers, its children.

use std::cmp::Reverse;
use std::sync::Arc;

use super::cuts::Multipliers;
use super::model::{Branch, Decisions, Fixed, Model};
use super::progress::NodeProgress;
use crate::tjoin::frontier::EdgeCost;

/// The order of the search: the node with the highest priority is taken first.
pub type Priority = (i64, usize, Reverse<u64>);

/// A node of the search.
#[derive(Debug)]
pub struct Node<C> {
    /// The upper bound on the scores of this node's trails, scaled.
    pub bound: i64,
    /// True if its evaluation is complete: the node is to be branched.
    pub evaluated: bool,
    /// Its evaluation so far, if it is suspended.
    pub suspended: Option<Box<NodeProgress<C>>>,
    /// The decisions of the node.
    pub decisions: Decisions,
    /// The decision that its children take, if it is not the next `×` edge.
    pub branch: Option<Branch>,
    /// The initial multipliers.
    pub multipliers: Arc<Multipliers>,
    /// The inherited cuts hold only for segments below this, because the remainder that they were found in had another end.
    /// The `×` edges from this index on are new.
    pub cut_segments: usize,
}

impl<C: EdgeCost> Node<C> {
    /// The root, at which nothing is decided.
    pub fn root(model: &Model) -> Self {
        Self {
            bound: model.puzzle.ceiling() * model.scale,
            evaluated: false,
            suspended: None,
            decisions: Decisions::none(&model.grid),
            branch: None,
            multipliers: Arc::default(),
            cut_segments: usize::MAX,
        }
    }

    /// Its priority: the highest bound first, then the greatest depth, then the oldest node.
    pub fn priority(&self, serial: u64) -> Priority {
        (self.bound, self.decisions.depth(), Reverse(serial))
    }

    /// Bytes of the node in the queue, including its share of the multipliers that it has in common with its siblings.
    pub fn bytes(&self) -> usize {
        size_of::<(Priority, Self)>()
            + size_of_val(self.decisions.sequence.as_slice())
            + size_of_val(self.decisions.fixed.as_slice())
            + self.multipliers.bytes() / Arc::strong_count(&self.multipliers)
            + self
                .suspended
                .as_ref()
                .map_or(0, |progress| progress.bytes())
    }

    /// Its children, each with one more decision: on `branch` if given, else on the next `×` edge, and the last one with it
    /// if only one is left then; empty if nothing is left to decide.
    pub fn children(&self, branch: Option<&Branch>) -> Vec<Self> {
        let child = |change: &dyn Fn(&mut Decisions)| {
            let mut child = Self {
                bound: self.bound,
                evaluated: false,
                suspended: None,
                decisions: self.decisions.clone(),
                branch: None,
                multipliers: Arc::clone(&self.multipliers),
                cut_segments: self.cut_segments,
            };
            change(&mut child.decisions);
            child
        };
        if let Some((segment, decision)) = branch {
            let fixed = [true, false].map(|passes| Fixed {
                segment: *segment,
                decision: decision.clone(),
                passes,
            });
            let fix = |fixed: &Fixed| child(&|decisions| decisions.fixed.push(fixed.clone()));
            return fixed.iter().map(fix).collect();
        }
        let Decisions {
            coming, undecided, ..
        } = self.decisions;
        if undecided != 0 {
            let lowest = undecided & undecided.wrapping_neg();
            let undecided = undecided & !lowest;
            let used = child(&|decisions| {
                decisions.undecided = undecided;
                decisions.coming |= lowest;
            });
            return vec![used, child(&|decisions| decisions.undecided = undecided)];
        }
        let next = (0..64).filter(|factor| coming >> factor & 1 == 1);
        let append = |factor: u8| Self {
            cut_segments: self.cut_segments.min(self.decisions.sequence.len()),
            ..child(&|decisions| {
                decisions.coming &= !(1 << factor);
                decisions.sequence.push(factor);
                if decisions.coming.count_ones() == 1 {
                    let last = std::mem::take(&mut decisions.coming).trailing_zeros();
                    decisions.sequence.push(last as u8);
                }
            })
        };
        next.map(append).collect()
    }
}
