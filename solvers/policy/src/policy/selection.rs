//! The value of a leaf from its matches with several templates (thesis 3.5).

use ikeru_core::Choice;

use super::elementary::{exp, ln};

/// The value of a leaf from its matches with several templates (thesis 3.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SelectionRule {
    /// (a) The best match.
    #[default]
    Best,
    /// (b) The number of templates that are not violated.
    Count,
    /// (b), and among equally many the best match: the text names no order among them.
    CountThenBest,
    /// (c) The mean match of the templates that are not violated.
    Mean,
    /// (d) `ln Σ exp(β·match) / β`: a soft maximum, in which templates that match nearly as well as the best raise
    /// the value. Ours.
    LogSumExp,
    /// (e) The best match, over the templates of the first set that has a leaf without violation. Ours.
    FirstSet,
    /// (f) The best match minus a part of the template's column deficit: the empty cells of a column must be filled
    /// one after another, each with its colour. Ours.
    ColumnDeficit,
}

impl Choice for SelectionRule {
    /// The names, and the letters of the thesis, continued for ours.
    const WORDS: &'static [(&'static str, Self)] = &[
        ("best", Self::Best),
        ("count", Self::Count),
        ("count-best", Self::CountThenBest),
        ("mean", Self::Mean),
        ("log-sum-exp", Self::LogSumExp),
        ("first-set", Self::FirstSet),
        ("column-deficit", Self::ColumnDeficit),
        ("a", Self::Best),
        ("b", Self::Count),
        ("c", Self::Mean),
        ("d", Self::LogSumExp),
        ("e", Self::FirstSet),
        ("f", Self::ColumnDeficit),
    ];
}

impl SelectionRule {
    /// Returns whether the value of a leaf depends only on its best template.
    pub(super) fn takes_the_best(self) -> bool {
        matches!(self, Self::Best | Self::FirstSet | Self::ColumnDeficit)
    }

    /// The match that each cell of the column deficit costs.
    pub(super) fn deficit_weight(self) -> f64 {
        if self == Self::ColumnDeficit {
            DEFICIT_WEIGHT
        } else {
            0.0
        }
    }
}

/// β of [`SelectionRule::LogSumExp`]: a second template that matches equally well adds 0.007 to the value.
const SHARPNESS: f64 = 100.0;
/// The match that each cell of the column deficit costs under [`SelectionRule::ColumnDeficit`]; tuned on
/// sequences below 10,000.
const DEFICIT_WEIGHT: f64 = 0.03;

/// The largest match; the least is its negative.
const MOST_MATCH: f64 = 1.0;

/// Accumulates the value of a leaf match by match.
pub(super) struct LeafValue {
    selection: SelectionRule,
    /// The best match, or the sum of the matches or of their exponentials.
    total: f64,
    /// The least value that is useful.
    floor: f64,
    /// The number of templates without violation.
    count: u32,
}

impl LeafValue {
    /// The value of a leaf before the first match. If the selection takes the best match, only values of at least
    /// `floor` are useful.
    pub(super) fn above(selection: SelectionRule, floor: f64) -> Self {
        let best = selection.takes_the_best();
        Self {
            selection,
            total: if best { f64::NEG_INFINITY } else { 0.0 },
            floor: if best { floor } else { f64::NEG_INFINITY },
            count: 0,
        }
    }

    /// Returns whether a template whose match is at most `value` can change the result to a useful value.
    #[inline]
    pub(super) fn may_rise_to(&self, value: f64) -> bool {
        value >= self.floor && !(self.selection.takes_the_best() && self.total >= value)
    }

    /// Adds the match of a template without violation.
    #[inline]
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1;
        match self.selection {
            SelectionRule::Best | SelectionRule::FirstSet | SelectionRule::ColumnDeficit => {
                self.total = self.total.max(value);
            }
            SelectionRule::Count => {}
            SelectionRule::CountThenBest => self.total = self.total.max(value + MOST_MATCH),
            SelectionRule::Mean => self.total += value,
            SelectionRule::LogSumExp => self.total += exp(SHARPNESS * value),
        }
    }

    /// The value; `None` if every template is violated or the value is below `floor`.
    pub(super) fn value(&self) -> Option<f64> {
        let count = f64::from(self.count);
        let value = (self.count > 0).then(|| match self.selection {
            SelectionRule::Best | SelectionRule::FirstSet | SelectionRule::ColumnDeficit => {
                self.total
            }
            SelectionRule::Count => count,
            SelectionRule::CountThenBest => 3.0 * MOST_MATCH * count + self.total,
            SelectionRule::Mean => self.total / count,
            SelectionRule::LogSumExp => ln(self.total) / SHARPNESS,
        });
        value.filter(|value| *value >= self.floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_templates_go_before_a_better_match_and_a_better_match_before_a_worse_one() {
        let value = |matches: &[f64]| {
            let mut leaf = LeafValue::above(SelectionRule::CountThenBest, f64::NEG_INFINITY);
            matches.iter().for_each(|one| leaf.add(*one));
            leaf.value()
        };
        let rising = [
            &[][..],
            &[-1.0],
            &[1.0],
            &[-1.0, -1.0],
            &[0.5, 0.2],
            &[0.1, 0.6],
        ];
        let values = rising.map(value);
        assert!(values.is_sorted() && values[0].is_none(), "{values:?}");
    }
}
