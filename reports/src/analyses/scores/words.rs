//! The words and the table of pairs of scores.

use std::cmp::Ordering;

use ikeru_compare::comparison::ComparedScope;
use ikeru_compare::words::difference;

use super::ScorePair;
use crate::units::{self, Quantity, rounded};

impl ScorePair {
    /// `swaps against greedy: +1.9 % (1.2 … 2.6) on instances like these, 40 pairs, better on 30, worse on 2: decided`.
    pub fn sentence(&self) -> String {
        let [better, worse] = [|it| it > 0.0, |it| it < 0.0].map(|is| units::count(self.count(is)));
        let (label, baseline, mean) = (&self.label, &self.baseline, self.difference());
        let pairs = self.scores.differences().len();
        if pairs == 0 {
            return format!("{label} against {baseline}: no question has a score");
        }
        let place = self.scope().place(pairs);
        let pairs = units::plural(pairs, "pair");
        let verdict = self.verdict();
        format!(
            "{label} against {baseline}: {mean} {place}, {pairs}, better on {better}, worse on {worse}: {verdict}"
        )
    }

    /// The mean difference in percent with its 95 % interval: `+1.9 % (+1.2 … +2.6)`.
    pub fn difference(&self) -> String {
        self.mean().map_or("nothing to compare".to_owned(), |mean| {
            difference(mean.value, mean.interval)
        })
    }

    /// Returns whether the scores of every pair are equal, and there is one.
    pub(super) fn is_equal(&self) -> bool {
        !self.scores.differences().is_empty() && self.count(|it| it != 0.0) == 0
    }

    /// The scope of the mean difference: these instances if all scores are equal, else instances like these.
    pub(super) fn scope(&self) -> ComparedScope {
        match self.is_equal() {
            true => ComparedScope::These,
            false => ComparedScope::Alike,
        }
    }

    /// The decision in words. Without one, the smallest difference that these pairs would have decided.
    pub fn verdict(&self) -> String {
        match self.side() {
            _ if self.is_equal() => "equal on every pair".to_owned(),
            Some(Ordering::Less) => "decided, worse".to_owned(),
            Some(_) => "decided, better".to_owned(),
            None if self.is_same() => {
                format!("decided, same within {}", Quantity::Share.word(self.margin))
            }
            None => match self.scores.decision().zip(self.mean()) {
                Some((side, mean)) if mean.value.total_cmp(&0.0) != side && mean.value != 0.0 => {
                    let words = ["better", "worse"];
                    let at = usize::from(side == Ordering::Less);
                    format!(
                        "undecided: {} on most pairs, {} in their mean",
                        words[at],
                        words[1 - at]
                    )
                }
                _ => match self.finds() {
                    Some(finds) => format!("undecided; {finds}"),
                    None => "undecided".to_owned(),
                },
            },
        }
    }

    /// The smallest difference that these pairs would have decided, in words.
    fn finds(&self) -> Option<String> {
        let least = self.scores.sensitivity().filter(|least| *least > 0.0)?;
        let least = rounded(100.0 * least, 2);
        Some(format!(
            "these pairs would show a mean difference of {least} % with a chance of 80 %"
        ))
    }

    /// About how many more pairs would decide it, if they are like these.
    pub(super) fn needs(&self) -> Option<String> {
        const MOST: usize = 2_000;
        let all = self.scores.differences();
        all.iter().any(|it| *it != 0.0).then_some(())?;
        let is_open = |more: usize| {
            let longer = all.iter().cycle().take(all.len() + more).copied().collect();
            let names = [String::new(), String::new()];
            Self::of(names, self.scores.level(), longer)
                .side()
                .is_none()
        };
        if is_open(MOST) {
            return Some(format!("more than {} pairs", units::count(MOST)));
        }
        let (mut few, mut enough) = (0, MOST);
        while enough - few > 1 {
            let middle = usize::midpoint(few, enough);
            if is_open(middle) {
                few = middle;
            } else {
                enough = middle;
            }
        }
        Some(format!("about {} more pairs", units::count(enough)))
    }
}
