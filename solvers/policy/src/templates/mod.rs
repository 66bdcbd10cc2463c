//! Templates (thesis, chapter 5): from a drawn chain to a relation matrix in four stages.
//!
//! | module | owns |
//! |---|---|
//! | [`drawing`] | grids of capitals as text |
//! | [`labels`] | stage 1, the labelling table |
//! | [`truth`] | stage 2, the truth table and its corrections by simulation |
//! | [`mod@weights`] | stage 3, the weights |
//! | [`matrix`] | stage 4, and the match of formula 3.7 |
//! | [`colouring`] | the colourings that a template allows |
//! | [`criterion`] | the conditions under which a template counts as built |
//! | [`sets`] | the sets of the thesis, and files of the user's drawings |

pub mod colouring;
pub mod criterion;
pub mod drawing;
mod firing;
pub mod labels;
pub mod matrix;
pub mod sets;
pub mod truth;
pub mod weights;

use ikeru_core::{InputError, choices, settings};

use self::drawing::{DrawingExtent, TemplateDrawing};
use self::labels::LabelTable;
use self::truth::{LabelRelation, MidChain, TruthTable};
use self::weights::{PairWeight, WeightRule, weights};

choices! {
    /// The effect on the match of a border cell in the colour of its neighbour in the chain.
    #[derive(Hash, Default)]
    pub enum Border {
        /// The match is lowered.
        #[default]
        Soft = "soft",
        /// There is none: the border is left out.
        None = "none",
        /// The template is ruled out.
        Hard = "hard",
    }
}

/// Options that the thesis leaves open or names as alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TemplateOptions {
    /// The effect of a violated border.
    pub border: Border,
    /// The weight of a pair.
    pub pair_weight: PairWeight,
    /// The labels that mid-chain corrections examine.
    pub mid_chain: MidChain,
    /// The weights of labels.
    pub weight_rule: WeightRule,
}

settings! {
    /// The setting for the effect of a violated border.
    pub(crate) BORDER: Border = "border", "soft", "a border cell in the colour of the chain beside it: soft (counts against the match), none (left out), hard (rules the template out)";
}
/// A template after all stages.
#[derive(Debug, Clone)]
pub struct Template {
    /// The drawing.
    pub drawing: TemplateDrawing,
    /// Stage 1.
    pub labels: LabelTable,
    /// Stage 2.
    pub truth: TruthTable,
    /// Stage 3, by cell.
    pub weights: Vec<i32>,
    /// The options used.
    pub options: TemplateOptions,
}

impl Template {
    /// Checks `drawing` and computes all stages for a board of `extent`.
    ///
    /// # Errors
    /// If it does not fit the board, has floating cells, does not fire as drawn, or names an unknown label.
    pub fn new(
        drawing: TemplateDrawing,
        extent: DrawingExtent,
        options: TemplateOptions,
    ) -> Result<Self, InputError> {
        firing::check(&drawing)?;
        let labels = LabelTable::new(&drawing, extent)?;
        let mut truth = TruthTable::new(&labels, options.mid_chain);
        for (a, b) in &drawing.differ {
            let find = |name: &str| {
                labels.find(name).ok_or_else(|| {
                    let message = format!("template `{}` has no label `{name}`", drawing.name);
                    drawing.error(message)
                })
            };
            truth.set(find(a)?, find(b)?, LabelRelation::Differ);
        }
        let weights = weights(&labels, &truth, options.weight_rule);
        Ok(Self {
            drawing,
            labels,
            truth,
            weights,
            options,
        })
    }

    /// The labels of cells `i` and `j` and their relation; `None` if a cell has no label or the options leave the
    /// pair out.
    fn relation(&self, i: usize, j: usize) -> Option<(usize, usize, LabelRelation)> {
        let (a, b) = (self.labels.label(i)?, self.labels.label(j)?);
        let border = !(self.labels.is_capital(a) && self.labels.is_capital(b));
        if border && self.options.border == Border::None {
            return None;
        }
        Some((a, b, self.truth.relation(a, b)))
    }

    /// **Twice** t of formula 3.4 for cells `i` and `j`: positive for the same colour, negative for different
    /// colours, 0 if free.
    pub fn pair(&self, i: usize, j: usize) -> i32 {
        let Some((_, _, relation)) = self.relation(i, j) else {
            return 0;
        };
        let weight = self
            .options
            .pair_weight
            .doubled(self.weights[i], self.weights[j]);
        match relation {
            LabelRelation::Same => weight,
            LabelRelation::Differ => -weight,
            LabelRelation::Free => 0,
        }
    }

    /// Returns whether a violation of the pair `i`, `j` rules the template out.
    pub fn is_hard(&self, i: usize, j: usize) -> bool {
        self.relation(i, j).is_some_and(|(a, b, relation)| {
            let capitals = self.labels.is_capital(a) && self.labels.is_capital(b);
            relation != LabelRelation::Free && (capitals || self.options.border == Border::Hard)
        })
    }

    /// The cells of the chain, without the border.
    pub fn capital_cells(&self) -> impl Iterator<Item = usize> {
        let capital = |&cell: &usize| {
            self.labels
                .label(cell)
                .is_some_and(|label| self.labels.is_capital(label))
        };
        (0..self.labels.extent().cells()).filter(capital)
    }

    /// A topmost cell of the first group without which nothing vanishes: the cell that fires a chain. The result has
    /// no meaning for a pattern.
    pub fn trigger(&self) -> Option<usize> {
        firing::trigger(
            self.labels.extent(),
            &self.labels.grid(false),
            self.labels.capitals(),
        )
    }
}
