//! Stage 3, the weights (thesis, chapter 5, figure 5.4): puyos that are hard to place have larger weights.

use ikeru_core::choices;

use super::labels::LabelTable;
use super::truth::TruthTable;

choices! {
    /// The rule for the weights of labels.
    #[derive(Hash, Default)]
    pub enum WeightRule {
        /// A capital has 100 for each label from which it must differ, and 100 for each of left wall, right wall and
        /// floor that its group touches. A border cell has 10 for each such label.
        #[default]
        Thesis = "thesis",
        /// The same, but a capital has 100 only for each capital and 10 for each border label from which it must
        /// differ: another reading of the same sentence.
        ByKind = "by-kind",
        /// Every label has 10, as in the thesis's example of section 3.3.
        Uniform = "uniform",
    }
}

choices! {
    /// The rule for the weight of a pair, given the weights of its two labels.
    #[derive(Hash, Default)]
    pub enum PairWeight {
        /// The mean of both weights.
        #[default]
        Mean = "mean",
        /// The smaller weight, which the thesis calls promising.
        Minimum = "minimum",
    }
}

impl PairWeight {
    /// **Twice** the weight of a pair of labels with the weights `a` and `b`, so that it is an integer.
    pub fn doubled(self, a: i32, b: i32) -> i32 {
        match self {
            Self::Mean => a + b,
            Self::Minimum => 2 * a.min(b),
        }
    }
}

/// The weight of every label.
pub fn weights(labels: &LabelTable, truth: &TruthTable, rule: WeightRule) -> Vec<i32> {
    let weight = |label: usize| match rule {
        WeightRule::Uniform => 10,
        WeightRule::Thesis if labels.is_capital(label) => {
            100 * (truth.differing(label) as i32 + walls(labels, label))
        }
        WeightRule::ByKind if labels.is_capital(label) => {
            let capitals = |other| labels.is_capital(other);
            let among = truth.differing_among(label, capitals) as i32;
            let border = truth.differing(label) as i32 - among;
            100 * (among + walls(labels, label)) + 10 * border
        }
        WeightRule::Thesis | WeightRule::ByKind => 10 * truth.differing(label) as i32,
    };
    (0..labels.len()).map(weight).collect()
}

/// The number of walls (left, right, floor) that the cells of `label` touch.
fn walls(labels: &LabelTable, label: usize) -> i32 {
    let extent = labels.extent();
    let touches = |wall: &dyn Fn(usize) -> bool| {
        (0..extent.cells()).any(|cell| labels.label(cell) == Some(label) && wall(cell))
    };
    i32::from(touches(&|cell| cell % extent.width == 0))
        + i32::from(touches(&|cell| cell % extent.width == extent.width - 1))
        + i32::from(touches(&|cell| cell < extent.width))
}
