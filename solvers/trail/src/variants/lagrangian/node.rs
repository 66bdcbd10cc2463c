//! A node of the branch and bound: its decisions, its bound, the multipliers to begin with, its children.

use std::cmp::Reverse;
use std::sync::Arc;

use super::cuts::Multipliers;
use super::model::{Branch, Decisions, FactorStep, Fixed, Model};
use super::progress::NodeProgress;
use crate::tjoin::frontier::EdgeCost;

/// The order of the search: the last first.
pub type Priority = (i64, usize, Reverse<u64>);

/// A node of the search.
#[derive(Debug)]
pub struct Node<C> {
    /// Nothing in this node scores more than this, scaled.
    pub bound: i64,
    /// Whether its bound is as low as its evaluation makes it: the node is to be branched.
    pub evaluated: bool,
    /// Its evaluation so far, if that was suspended.
    pub suspended: Option<Box<NodeProgress<C>>>,
    /// What is decided.
    pub decisions: Decisions,
    /// The decision that its children take, if it is not the next `×` edge.
    pub branch: Option<Branch>,
    /// Multipliers to begin with.
    pub multipliers: Arc<Multipliers>,
    /// The cuts among them hold for segments below this: the parent's remainder ends elsewhere now.
    pub cut_segments: usize,
}

impl<C: EdgeCost> Node<C> {
    /// Everything undecided.
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

    /// Its place in the search: the highest bound first, then the most decided, then the oldest.
    pub fn priority(&self, serial: u64) -> Priority {
        (self.bound, self.decisions.depth(), Reverse(serial))
    }

    /// Bytes that it keeps in the queue, its share of the multipliers that it has in common with its siblings among them.
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

    /// Its parts, each with one decision more: `branch`, else the next `×` edge; none if nothing is left to decide.
    pub fn children(&self, branch: Option<&Branch>) -> Vec<Self> {
        let child = |change: &dyn Fn(&mut Decisions)| {
            let mut child = Self {
                bound: self.bound,
                evaluated: false,
                suspended: None,
                decisions: self.decisions.clone(),
                branch: None,
                multipliers: Arc::clone(&self.multipliers),
                cut_segments: usize::MAX,
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
        let steps =
            next.flat_map(|factor| [true, false].map(|forward| FactorStep { factor, forward }));
        let append = |step: FactorStep| Self {
            cut_segments: self.decisions.sequence.len(),
            ..child(&|decisions| {
                decisions.coming &= !(1 << step.factor);
                decisions.sequence.push(step);
            })
        };
        steps.map(append).collect()
    }
}
