//! The words and the table of pairs of scores.

use ikeru_statistics::decision::Decision;
use ikeru_statistics::interval::t_mean;
use serde_json::{Value as Json, json};

use super::ScorePair;
use crate::row;
use crate::table::Table;
use crate::units::{self, Quantity, rounded};

/// The decisions as a table for programs; `None` without a pair.
pub fn decisions(pairs: &[ScorePair]) -> Option<Box<Table>> {
    let heads = "variant | baseline | pairs | difference | better on | worse on | decision";
    let row = |pair: &ScorePair| {
        row![
            &pair.label,
            &pair.baseline,
            pair.scores.differences().len(),
            (pair.mean(), Quantity::Share),
            pair.count(|it| it > 0.0),
            pair.count(|it| it < 0.0),
            pair.word(),
        ]
    };
    (!pairs.is_empty()).then(|| {
        Box::new(Table {
            rows: pairs.iter().map(row).collect(),
            given_up_first: "worse on | better on | pairs",
            ..Table::new("Decisions", heads)
        })
    })
}

/// Why the pairs cannot decide anything, if they are too few.
pub fn too_few(pairs: &[ScorePair]) -> Option<String> {
    let size = |pair: &&ScorePair| pair.scores.differences().len();
    let most = pairs.iter().max_by_key(size)?;
    (!most.scores.can_decide()).then(|| {
        let count = units::plural(most.scores.differences().len(), "pair");
        format!("{count} of scores cannot decide anything; compare more instances")
    })
}

impl ScorePair {
    /// `swaps against greedy: +1.9 % (1.2 … 2.6), 40 pairs, better on 30, worse on 2: decided`.
    pub fn sentence(&self) -> String {
        let [better, worse] = [|it| it > 0.0, |it| it < 0.0].map(|is| units::count(self.count(is)));
        let (label, baseline, difference) = (&self.label, &self.baseline, self.difference());
        let pairs = units::plural(self.scores.differences().len(), "pair");
        let verdict = self.verdict();
        format!(
            "{label} against {baseline}: {difference}, {pairs}, better on {better}, worse on {worse}: {verdict}"
        )
    }

    /// The comparison for programs; differences are shares, `null` without a pair.
    pub fn json(&self) -> Json {
        let mean = self.mean();
        json!({
            "variant": self.label,
            "baseline": self.baseline,
            "pairs": self.scores.differences().len(),
            "better_on": self.count(|it| it > 0.0),
            "worse_on": self.count(|it| it < 0.0),
            "mean": mean.map(|mean| mean.value),
            "interval": mean.and_then(|mean| mean.interval).map(|ends| [ends.low, ends.high]),
            "decision": self.word(),
        })
    }

    /// The decision in a word.
    fn word(&self) -> &'static str {
        match self.decision() {
            Decision::Higher => "better",
            Decision::Lower => "worse",
            Decision::Same | Decision::Open => "undecided",
        }
    }

    /// The mean difference in percent with its 95 % interval: `+1.9 % (+1.2 … +2.6)`.
    pub fn difference(&self) -> String {
        self.mean().map_or("nothing to compare".to_owned(), |mean| {
            let ends = mean.interval.map_or(String::new(), |ends| {
                format!(" ({} … {})", percent(ends.low), percent(ends.high))
            });
            format!("{} %{ends}", percent(mean.value))
        })
    }

    /// Returns whether the scores of every pair are equal, and there is one.
    pub(super) fn is_equal(&self) -> bool {
        !self.scores.differences().is_empty() && self.count(|it| it != 0.0) == 0
    }

    /// The decision in words. Without one, the smallest difference that these pairs would have decided.
    pub fn verdict(&self) -> String {
        if self.is_equal() {
            return "equal on every pair".to_owned();
        }
        let [side, other] = match self.scores.decision() {
            Decision::Lower => ["worse", "better"],
            _ => ["better", "worse"],
        };
        let mean = t_mean(self.scores.differences()).and_then(|mean| mean.interval);
        let is_open = mean.is_some_and(|ends| ends.low <= 0.0 && ends.high >= 0.0);
        let few = match mean.is_some() && !is_open {
            true => " (the interval leaves 0 out, but the bet needs more pairs)",
            false => "",
        };
        match (self.decision(), self.scores.sensitivity()) {
            (Decision::Higher | Decision::Lower, _) if is_open => {
                format!("decided, {side} on most pairs; their mean is not decided")
            }
            (Decision::Higher | Decision::Lower, _) => format!("decided, {side}"),
            _ if self.scores.decision() != Decision::Open => match self.scores.is_of_most() {
                true => format!("undecided: {side} on most pairs, {other} in their mean"),
                false => {
                    format!("undecided: {side} on the first pairs, {other} on as many or more")
                }
            },
            (_, Some(least)) if least > 0.0 => format!(
                "undecided{few}; these pairs would show a mean difference of {} % with a chance of 80 %",
                rounded(100.0 * least, 2)
            ),
            _ => format!("undecided{few}"),
        }
    }
}

/// A share as a signed percentage without its sign `%`.
fn percent(share: f64) -> String {
    let text = rounded(100.0 * share.abs(), 2);
    let sign = match share {
        _ if text.chars().all(|c| matches!(c, '0' | '.')) => "",
        share if share < 0.0 => "−",
        _ => "+",
    };
    format!("{sign}{text}")
}
