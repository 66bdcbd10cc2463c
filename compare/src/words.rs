//! The words of a comparison: its decision with the interval, what an interval speaks of, and one sentence with both scopes.

use ikeru_records::units::{Quantity, count, rounded};
use ikeru_statistics::Interval;

use crate::comparison::{ComparedScope, Comparison, ComparisonDecision};

/// What the interval of pairs or blocks speaks of that two builds took in turns.
pub const IN_SESSION: &str = "on these instances in this session";

/// The same where each side was linked several times.
pub const IN_LAYOUTS: &str = "on these instances in this session, and of layouts like these";

impl ComparedScope {
    /// What an interval over `instances` speaks of, as words beside it.
    pub fn place(self, instances: usize) -> &'static str {
        match (self, instances) {
            (Self::These, 0 | 1) => "on this instance",
            (Self::These, _) => "on these instances",
            (Self::Alike, _) => "on instances like these",
        }
    }
}

/// The words for one metric.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// The word where B is better, such as `faster`.
    pub better: &'static str,
    /// The word where it is worse.
    pub worse: &'static str,
    /// The share up to which the sides are the same.
    pub margin: f64,
}

impl Words {
    /// The decision with its factor, which is above 1 in either direction: `1.76× (1.46 … 1.90×) faster`.
    pub fn decision(self, one: &Comparison) -> String {
        let known = one.estimate.unwrap_or(0.0);
        let inverse = |value: f64| if one.is_ratio { 1.0 / value } else { -value };
        let (value, ends) = (spoken(one, known), ends_of(one, one.low, one.high));
        let better = || format!("{value}{ends} {}", self.better);
        let worse = || {
            let ends = ends_of(one, one.high.map(inverse), one.low.map(inverse));
            format!("{}{ends} {}", spoken(one, inverse(known)), self.worse)
        };
        match one.decision {
            ComparisonDecision::Better => better(),
            ComparisonDecision::Worse => worse(),
            ComparisonDecision::Same if one.is_exact() => "equal".to_owned(),
            ComparisonDecision::Same => {
                format!("same within {}{ends}", Quantity::Share.word(self.margin))
            }
            ComparisonDecision::Undecided if one.low.is_some() || one.high.is_some() => {
                let neutral = if one.is_ratio { 1.0 } else { 0.0 };
                let said = match (one.low, one.high) {
                    // Another reason than its interval leaves it undecided.
                    (Some(low), _) if low > neutral => better(),
                    (_, Some(high)) if high < neutral => worse(),
                    (Some(low), Some(high)) if !one.is_ratio => {
                        difference(known, Some(Interval { low, high }))
                    }
                    _ => format!("{value}{ends}"),
                };
                format!("undecided: {said}")
            }
            decision => format!("{}: {}", decision.name(), one.why),
        }
    }

    /// One sentence on all instances, with both scopes.
    pub fn sentence(self, rows: &[Comparison]) -> Option<String> {
        let of = |scope: ComparedScope| {
            rows.iter()
                .find(|row| row.is_of_all() && row.scope == scope)
        };
        let (these, alike) = (of(ComparedScope::These), of(ComparedScope::Alike));
        let first = these.or(alike)?;
        let (a, b) = (&first.a, &first.b);
        let place = match alike {
            Some(alike) => format!("on these {} instances", count(alike.n)),
            None => ComparedScope::These.place(1).to_owned(),
        };
        let Some(these) = these else {
            return Some(format!(
                "{b} against {a} {}: {}.",
                ComparedScope::Alike.place(0),
                self.decision(first)
            ));
        };
        // `needs 2× fewer nodes than`, `is 2× faster than`
        let noun = first.metric.strip_prefix("counter:");
        let noun = noun.map_or(String::new(), |name| format!(" {}", name.replace('_', " ")));
        let verb = if noun.is_empty() { "is" } else { "needs" };
        let than = |one: &Comparison| match one.decision {
            ComparisonDecision::Better | ComparisonDecision::Worse => {
                format!("{b} {verb} {}{noun} than {a}", self.decision(one))
            }
            _ => format!("{b} against {a} is {}", self.decision(one)),
        };
        let decided = |one: &Comparison| {
            let is_open =
                one.is(ComparisonDecision::Undecided) || one.is(ComparisonDecision::NotComparable);
            if is_open { "" } else { " (decided)" }
        };
        let mut said = format!("{} {place}{}", than(these), decided(these));
        if let Some(alike) = alike {
            let same = self.decision(alike) == self.decision(these);
            let told = match alike.decision {
                _ if same => " and".to_owned(),
                ComparisonDecision::Undecided if alike.why == these.why => {
                    ", and undecided".to_owned()
                }
                _ => format!(", and {}", self.decision(alike)),
            };
            said += &format!("{told} {}{}", ComparedScope::Alike.place(0), decided(alike));
        }
        if !first.why.is_empty() && first.is(ComparisonDecision::Undecided) && first.low.is_some() {
            said += &format!(": {}", first.why);
        }
        if !first.needs.is_empty() {
            said += &format!("; it needs {}", first.needs);
        }
        Some(said + ".")
    }
}

/// A mean difference in percent with its interval, unless every difference is the same: `+1.9 % (+1.2 … +2.6)`.
pub fn difference(mean: f64, ends: Option<Interval>) -> String {
    let ends = ends.filter(|ends| ends.low < ends.high);
    let ends = ends.map_or(String::new(), |ends| {
        format!(" ({} … {})", percent(ends.low), percent(ends.high))
    });
    format!("{} %{ends}", percent(mean))
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

fn quantity(one: &Comparison) -> Quantity {
    if one.is_ratio {
        Quantity::Ratio
    } else {
        Quantity::Share
    }
}

/// The value, or of a factor that would be printed as 1, as its ends would, what it is more: `0.003 %`.
fn spoken(one: &Comparison, value: f64) -> String {
    let mut ends = [one.low, one.high].into_iter().flatten();
    match one.is_ratio && is_nearly_1(value) && ends.all(is_nearly_1) {
        true => Quantity::Share.spoken(value - 1.0),
        false => quantity(one).spoken(value),
    }
}

fn is_nearly_1(factor: f64) -> bool {
    factor != 1.0 && (factor - 1.0).abs() < 0.005
}

/// The ends in brackets; an unknown one is open.
fn ends_of(one: &Comparison, low: Option<f64>, high: Option<f64>) -> String {
    if low.is_none() && high.is_none() {
        return String::new();
    }
    if let (Some(low), Some(high), true) = (low, high, one.is_ratio)
        && [low, high].into_iter().all(is_nearly_1)
    {
        return format!(" ({})", Quantity::Share.range(low - 1.0, high - 1.0));
    }
    let least = if one.is_ratio { 0.0 } else { f64::NEG_INFINITY };
    let range = quantity(one).range(low.unwrap_or(least), high.unwrap_or(f64::INFINITY));
    format!(" ({range})")
}

#[cfg(test)]
mod tests {
    use ikeru_statistics::Estimate;

    use super::*;
    use crate::comparison::Terms;

    #[test]
    fn an_undecided_row_has_its_estimate_and_differences_have_one_form() {
        let words = Words {
            better: "better",
            worse: "worse",
            margin: 0.0,
        };
        let said = |is_ratio, estimate: Estimate| {
            let ends = estimate.interval.expect("an interval");
            let one = Comparison {
                is_ratio,
                estimate: Some(estimate.value),
                low: Some(ends.low),
                high: Some(ends.high),
                decision: ComparisonDecision::Undecided,
                ..Comparison::refused(&terms(), String::new())
            };
            words.decision(&one)
        };
        let open = Estimate::within(0.427, 1.71, 6.81);
        assert_eq!(said(true, open), "undecided: 1.71× (0.427 … 6.81×)");
        let withheld = said(true, Estimate::within(0.25, 0.5, 0.75));
        assert_eq!(withheld, "undecided: 2× (1.33 … 4.00×) worse");
        let share = Estimate::within(-0.0103, 0.059, 0.128);
        let expected = "undecided: +5.9 % (−1 … +13)";
        assert_eq!(said(false, share), expected);
        assert_eq!(difference(share.value, share.interval), expected[11..]);
        let same = Estimate::within(1.0, 1.0, 1.0);
        assert_eq!(difference(same.value, same.interval), "+100 %");
        let near = Estimate::within(0.981, 0.9985, 1.01);
        assert_eq!(said(true, near), "undecided: 0.999× (0.981 … 1.01×)");
    }

    fn terms() -> Terms {
        let names = ["memo", "flat"].map(str::to_owned);
        Terms::of_ratios(names, "counter:reached_states".to_owned(), 0.05)
    }

    #[test]
    fn a_factor_that_would_be_printed_as_one_is_said_in_percent() {
        let words = Words {
            better: "fewer",
            worse: "more",
            margin: 0.0,
        };
        let said = |factor: Estimate| {
            let terms = terms();
            let one = Comparison::of_pairs(&terms, "all".to_owned(), Some(factor), (8, 0.05));
            let said = words.sentence(&[one]).expect("a sentence");
            said.replace('\u{202f}', " ")
        };
        let twice = said(Estimate::within(1.8, 2.0, 2.2));
        assert!(
            twice.starts_with("flat needs 2× (1.80 … 2.20×) fewer reached states than memo"),
            "{twice}"
        );
        let hardly = said(Estimate::within(1.000_01, 1.000_03, 1.000_05));
        let percent = "flat needs 0.003 % (0.00100 … 0.00500 %) fewer reached states than memo";
        assert!(hardly.starts_with(percent), "{hardly}");
    }
}
