//! Stage 2, the truth table (thesis, chapter 5, figures 5.2 and 5.3): which labels must have the same colour, which
//! must differ, and which are free.

use ikeru_core::choices;

use super::firing::{LabelGrid, stages};
use super::labels::LabelTable;

/// The relation of two labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LabelRelation {
    /// The same colour.
    Same,
    /// Different colours.
    Differ,
    /// Any colours.
    Free,
}

choices! {
    /// The labels that the corrections in the middle of the chain examine.
    #[derive(Hash, Default)]
    pub enum MidChain {
        /// Capitals only.
        #[default]
        Capitals = "capitals",
        /// Capitals and the border, which falls along.
        All = "all",
        /// None: there are no corrections (figure 5.2 instead of 5.3).
        None = "none",
    }
}

/// The relation of every pair of labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruthTable {
    labels: usize,
    relations: Vec<LabelRelation>,
}

impl TruthTable {
    /// The relations given by adjacency on the board as drawn and in every state of the firing chain: a label is the
    /// same as itself, and differs from every adjacent label unless both are border labels.
    pub fn new(labels: &LabelTable, mid_chain: MidChain) -> Self {
        let mut table = Self {
            labels: labels.len(),
            relations: vec![LabelRelation::Free; labels.len() * labels.len()],
        };
        for label in 0..labels.len() {
            table.set(label, label, LabelRelation::Same);
        }
        table.separate(labels, &labels.grid(true));
        let border = match mid_chain {
            MidChain::None => return table,
            MidChain::Capitals => false,
            MidChain::All => true,
        };
        let grid = labels.grid(border);
        for (_, grid) in stages(labels.extent(), &grid, labels.capitals()) {
            table.separate(labels, &grid);
        }
        table
    }

    fn separate(&mut self, labels: &LabelTable, grid: &LabelGrid) {
        for (cell, label) in grid.iter().enumerate() {
            let Some(label) = *label else { continue };
            for beside in labels.extent().neighbours(cell) {
                let Some(other) = grid[beside] else { continue };
                if label != other && (labels.is_capital(label) || labels.is_capital(other)) {
                    self.set(label, other, LabelRelation::Differ);
                }
            }
        }
    }

    pub(super) fn set(&mut self, a: usize, b: usize, relation: LabelRelation) {
        self.relations[a * self.labels + b] = relation;
        self.relations[b * self.labels + a] = relation;
    }

    /// The relation of labels `a` and `b`.
    pub fn relation(&self, a: usize, b: usize) -> LabelRelation {
        self.relations[a * self.labels + b]
    }

    /// The number of labels that must differ from `label`.
    pub fn differing(&self, label: usize) -> usize {
        self.differing_among(label, |_| true)
    }

    /// The number of labels, of those that `among` holds for, from which `label` must differ.
    pub fn differing_among(&self, label: usize, among: impl Fn(usize) -> bool) -> usize {
        let row = &self.relations[label * self.labels..][..self.labels];
        let differs = |(other, &relation): (usize, &LabelRelation)| {
            relation == LabelRelation::Differ && among(other)
        };
        row.iter().enumerate().filter(|&it| differs(it)).count()
    }
}
