//! The statement that the ratios of two series support: a factor, a range of factors, a bound, or no difference.

use std::cmp::Ordering;

use ikeru_compare::comparison::ComparedScope;

use crate::comparisons::SAME;
use crate::factor::{Factor, Ratio};
use crate::statistics::{Bound, Estimate, Interval, mean, median};
use crate::units::{Quantity, THIN, rounded};

/// Ratios that differ by more than this factor are given as a range: their mean would depend on the choice of
/// questions.
const WIDE: f64 = 5.0;
/// The fewest instances of which a range has its mean too.
const FEWEST_PAIRS: usize = 6;
/// Factors below this are given in percent.
pub(super) const PERCENT: f64 = 1.5;
/// The statement about the ratios B/A of two series, one of which has the smaller values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TitleClaim {
    /// A factor above 1, with its interval.
    One(f64, Option<Interval>),
    /// From the smallest factor of a question to the largest. The smallest is below 1 if the other series has the smaller
    /// values on some questions.
    Range(Estimate, Estimate),
    /// The smallest mean factor that the samples allow, where some factors are bounds.
    AtLeast(f64),
}

/// A statement on the side that is decided.
pub(super) struct DecidedClaim {
    pub(super) side: Ordering,
    pub(super) claim: TitleClaim,
    /// The words of the range, if the statement is its mean: `, 1.7 to 9.5× by instance`.
    pub(super) range: String,
}

impl TitleClaim {
    /// The side of 1 of `factor`, and the statement on the factor if it is above 1, or else on its inverse; `None` if no
    /// difference is supported.
    pub(crate) fn of(factor: &Factor) -> Option<(Ordering, Self)> {
        let (shown, common) = (factor.shown(), factor.side());
        let decided = factor.decided();
        let side = common.or_else(|| decided.iter().filter_map(|ratio| ratio.side).max())?;
        if side == Ordering::Less {
            return Self::of(&factor.inverse()).map(|(_, claim)| (side, claim));
        }
        // A question on which nothing is decided counts as 1, unless the order turns: a mean alone would hide that.
        let are_common = common.is_some() && factor.ratios.iter().all(|it| it.estimate.value > 1.0);
        let is_clear = |ratio: &Ratio| ratio.side.is_some() || ratio.is_far_from_1();
        let is_turned = |ratio: &Ratio| ratio.estimate.value < 1.0 && is_clear(ratio);
        let turns = factor.ratios.iter().any(is_turned);
        let is_told = |ratio: &Ratio| decided.contains(ratio) || (turns && is_clear(ratio));
        let told = |ratio: &Ratio| match are_common || is_told(ratio) {
            true => Estimate::bounded(ratio.certain, ratio.estimate.bound),
            false => Estimate::exact(1.0),
        };
        let mut told: Vec<Estimate> = factor.ratios.iter().map(told).collect();
        told.sort_by(|a, b| a.value.total_cmp(&b.value));
        let [least, most] = [told.first(), told.last()].map(|end| *end.unwrap_or(&shown));
        let interval = shown.interval.filter(|_| common.is_some());
        // The spread of single samples is due to chance and not to the questions.
        let are_single = told.len() > 1 && factor.ratios.iter().any(|ratio| ratio.samples < 2);
        let is_wide = most.value > WIDE * least.value && !are_single;
        let is_open = interval.is_none();
        let is_range = least.value < 1.0
            || (is_open && least.value == 1.0)
            || (are_apart(&factor.ratios) && (is_open || is_wide));
        let is_one = |end: f64| number(end.max(1.0 / end)) == "1";
        let are_equal = number(least.value) == number(most.value)
            || [least, most].iter().all(|it| is_one(it.value));
        let is_range = is_range && most.value > 1.0 && !are_equal;
        if common.is_none() && !is_range {
            return None;
        }
        let is_endless = interval.is_some_and(|ends| ends.high.is_infinite());
        let claim = if is_range && least.bound != Bound::AtLeast {
            let end = |end: Estimate, bound| match told.iter().any(|ratio| ratio.bound == bound) {
                true => Estimate::bounded(end.value, bound),
                false => end.bare(),
            };
            Self::Range(end(least, Bound::AtMost), end(most, Bound::AtLeast))
        } else if is_endless || shown.bound != Bound::Exact {
            let low = interval.map_or(least.value, |ends| ends.low);
            Self::AtLeast(Some(low).filter(|low| *low > 1.0)?)
        } else {
            Self::One(shown.value, interval)
        };
        Some((side, claim))
    }

    /// The statement, and `, 1.7 to 9.5× by instance` if it is a mean with a range: a range has its mean before it if enough
    /// instances give one.
    pub(super) fn with_range(factor: &Factor) -> Option<DecidedClaim> {
        let (side, claim) = Self::of(factor)?;
        let mut decided = DecidedClaim {
            side,
            claim,
            range: String::new(),
        };
        let both = [factor.shown(), factor.shown().inverse()];
        let mean = both[usize::from(side == Ordering::Less)];
        let is_mean = factor.instances >= FEWEST_PAIRS && mean.bound == Bound::Exact;
        let is_range = matches!(claim, Self::Range(..)) && !claim.is_both();
        if !(is_mean && is_range && factor.is_alike()) {
            return Some(decided);
        }
        let by = ["question", "instance"][usize::from(factor.questions == factor.instances)];
        decided.range = format!(", {} by {by}", claim.words());
        decided.claim = Self::One(mean.value, mean.interval);
        Some(decided)
    }

    /// Returns whether either series has the smaller values on some questions.
    pub(crate) fn is_both(self) -> bool {
        matches!(self, Self::Range(low, _) if low.value < 1.0)
    }

    /// `12× (11–13×)`, `3 to 1,100×`, `3 to over 1,100×`, `on average at least 3×`.
    pub(crate) fn words(self) -> String {
        match self {
            Self::One(factor, Some(ends)) => with_ends(factor, ends),
            Self::One(factor, None) => times(factor),
            Self::Range(low, high) => {
                let low = times(low.value);
                format!("{} to {}", low.trim_end_matches('×'), end(high))
            }
            Self::AtLeast(factor) => format!("on average at least {}", at_least(factor)),
        }
    }

    /// The words with a word for the side: `12× (11–13×) faster`, or `2× slower to 3× faster` with that for the other
    /// side too.
    pub(crate) fn beside(self, [word, other]: [&str; 2]) -> String {
        match self {
            Self::Range(low, high) if self.is_both() => {
                let low = end(low.inverse());
                format!("{low} {other} to {} {word}", end(high))
            }
            _ => format!("{} {word}", self.words()),
        }
    }
}

/// A factor near 1 in percent, with its interval: `13 % (12–15 %)`.
pub(super) fn percent(factor: f64, ends: Option<Interval>, is_less: bool) -> String {
    let share = |factor: f64| [factor - 1.0, 1.0 - 1.0 / factor][usize::from(is_less)];
    let ends = ends.filter(|ends| ends.low < ends.high);
    let ends = ends.map_or(String::new(), |ends| in_percent(ends.map(share)));
    // A tenth of a per cent is enough, unless that would leave nothing of it.
    let whole = (share(factor) * 1e3).round() / 1e3;
    let amount = if whole < 0.01 { share(factor) } else { whole };
    Quantity::Share.spoken(amount) + &ends
}

/// The ends of an interval of shares: ` (12–15 %)`.
pub(super) fn in_percent(ends: Interval) -> String {
    let [low, high] = [ends.low, ends.high].map(|end| rounded(100.0 * end, 2));
    format!(" ({low}–{high}{THIN}%)")
}

/// Returns whether the questions are further from their mean than the samples of one question are from each other: otherwise
/// chance makes the range.
fn are_apart(ratios: &[Ratio]) -> bool {
    let scatter: Vec<f64> = ratios.iter().map(|ratio| ratio.scatter).collect();
    let logs: Vec<f64> = ratios
        .iter()
        .map(|ratio| ratio.estimate.value.ln())
        .collect();
    let middle = mean(&logs).unwrap_or(0.0);
    let apart: Vec<f64> = logs.iter().map(|log| (log - middle).abs()).collect();
    mean(&apart) > median(&scatter)
}

/// The largest factor of a range: `3,400×`, `over 3,400×`.
fn end(factor: Estimate) -> String {
    match factor.bound {
        Bound::Exact => times(factor.value),
        _ => format!("over {}", at_least(factor.value)),
    }
}

/// `12× (11–13×)`, `4.0× (3.3–5.0×)`; without the ends if both are printed like the factor.
fn with_ends(factor: f64, ends: Interval) -> String {
    let values = [factor, ends.low, ends.high];
    let texts = values.map(number);
    if texts.iter().all(|text| *text == texts[0]) {
        return times(factor);
    }
    // All three have the same number of decimals.
    let has_decimals = texts.iter().any(|text| text.contains('.'));
    let [factor, low, high] = std::array::from_fn(|at| match &texts[at] {
        text if has_decimals && !text.contains('.') && values[at] < 10.0 => {
            let decimals = if values[at] < PERCENT { 2 } else { 1 };
            format!("{:.decimals$}", values[at])
        }
        text => text.clone(),
    });
    format!("{factor}× ({low}–{high}×)")
}

/// Two significant digits, or three below [`PERCENT`].
fn number(factor: f64) -> String {
    rounded(factor, if factor < PERCENT { 3 } else { 2 })
}

/// A factor with the sign `×`.
pub fn times(factor: f64) -> String {
    match number(factor).as_str() {
        "1" => "1.00×".to_owned(),
        number => format!("{number}×"),
    }
}

/// A factor that is a lower bound, with the sign `×`: rounded down.
fn at_least(factor: f64) -> String {
    let digits = if factor < PERCENT { 3 } else { 2 };
    let unit = 10_f64.powf(factor.log10().floor() + 1.0 - f64::from(digits));
    times((factor / unit + 1e-9).floor() * unit)
}

/// The decision on the factor of a variant against the baseline, in words: `2,690× (2,500–2,900×) faster`. A range has the
/// mean with its interval before it, if enough instances give one. A decision for the instances of the run only ends with `on
/// these instances`.
pub(crate) fn decision(factor: &Factor, is_time: bool) -> String {
    let (less, more) = match is_time {
        true => ("faster", "slower"),
        false => ("lower", "higher"),
    };
    let DecidedClaim { side, claim, range } = match TitleClaim::with_range(factor) {
        None if factor.known().is_none() => {
            return "undecided: timeouts of both sides".to_owned();
        }
        None if factor.is_withheld => return "undecided: measured one after the other".to_owned(),
        None if factor.is_equal() => return "equal".to_owned(),
        None if factor.is_of_few() => return "undecided: too few repeats".to_owned(),
        None => {
            let same = within_margin(factor.shown()).map(|within| format!("same {within}"));
            return same.unwrap_or_else(|| undecided(factor.shown(), [less, more]));
        }
        Some(found) => found,
    };
    let words = [[more, less], [less, more]][usize::from(side == Ordering::Less)];
    let said = match claim {
        TitleClaim::One(factor, ends) if number(factor) == "1" => {
            format!("{} {}", percent(factor, ends, words[0] == less), words[0])
        }
        _ => claim.beside(words),
    };
    match factor.is_alike() || factor.instances < 2 {
        true => said + &range,
        false => format!("{said} {}", ComparedScope::These.place(factor.instances)),
    }
}

/// `within 5 % (0.98–1.02×)`; `None` if the interval is not within the margin.
pub(super) fn within_margin(estimate: Estimate) -> Option<String> {
    let is_within = |ends: &Interval| ends.low * (1.0 + SAME) >= 1.0 && ends.high <= 1.0 + SAME;
    let ends = estimate.interval.filter(is_within)?;
    let [low, high] = [ends.low, ends.high].map(number);
    Some(format!(
        "within {} ({low}–{high}×)",
        Quantity::Share.word(SAME)
    ))
}

/// The words for a difference that is not decided, with the limits that its interval gives.
pub(super) fn undecided(estimate: Estimate, [less, more]: [&str; 2]) -> String {
    let nothing = "undecided".to_owned();
    let is_closed = |ends: &Interval| ends.low > 0.0 && ends.high.is_finite();
    let ends = estimate.interval.filter(is_closed);
    let Some(ends) = ends.filter(|_| estimate.bound == Bound::Exact) else {
        return nothing;
    };
    let both = [1.0 / ends.low, ends.high];
    // Samples with such limits decide nothing.
    if both.iter().any(|end| *end > 1_000.0) {
        return format!("{nothing}: too few repeats");
    }
    let [low, high] = both.map(times);
    format!("{nothing}: {low} {less} to {high} {more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statement about ratios, each of a given number of separated samples on both sides, and their mean with its
    /// interval.
    fn found(ratios: &[(f64, Bound, usize)], mean: Estimate) -> String {
        match TitleClaim::of(&factor(ratios, mean)) {
            None => "same".to_owned(),
            Some((Ordering::Greater, claim)) => claim.beside(["less", "more"]),
            Some((_, claim)) => claim.beside(["more", "less"]),
        }
    }

    fn factor(ratios: &[(f64, Bound, usize)], mean: Estimate) -> Factor {
        let ratios: Vec<Ratio> = ratios
            .iter()
            .zip(0..)
            .map(|(&(value, bound, samples), row)| {
                Ratio {
                    estimate: Estimate::bounded(value, bound),
                    // Few samples decide no instance.
                    side: Some(value.total_cmp(&1.0)).filter(|_| samples >= 6),
                    samples,
                    row,
                    scatter: if samples > 1 { 1e-6 } else { f64::INFINITY },
                    certain: value,
                }
            })
            .collect();
        Factor {
            difference: None,
            estimate: mean,
            questions: ratios.len(),
            instances: ratios.len(),
            is_withheld: false,
            ratios,
        }
    }

    #[test]
    fn a_lower_bound_is_rounded_down() {
        let told = [2.85, 6.34, 3_450.0, 1.019, 2.0, 1.2].map(at_least);
        assert_eq!(told, ["2.8×", "6.3×", "3,400×", "1.01×", "2×", "1.2×"]);
    }

    #[test]
    fn a_range_over_many_instances_has_its_mean_too() {
        let ratios = [1.7, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.5].map(|value| (value, Bound::Exact, 2));
        let of_eight = factor(&ratios, Estimate::within(3.0, 4.1, 5.5));
        let slower = "4.1× (3.0–5.5×) slower, 1.7 to 9.5× by instance";
        assert_eq!(decision(&of_eight, true), slower);
        let faster = "4.1× (3.0–5.5×) faster, 1.7 to 9.5× by instance";
        assert_eq!(decision(&of_eight.inverse(), true), faster);
        let of_three = [ratios[0], ratios[3], ratios[7]];
        let of_three = factor(&of_three, Estimate::within(1.5, 4.0, 12.0));
        assert_eq!(decision(&of_three, true), "1.7 to 9.5× slower");
    }

    /// Three repeats decide no single board. If some boards are far on the other side, the mean is not the whole answer.
    #[test]
    fn a_mean_does_not_hide_that_the_order_turns() {
        let of = |turned: f64| {
            let ratios = [0.1, turned, 3.0, 58.0, 20.0, 30.0];
            factor(
                &ratios.map(|value| (value, Bound::Exact, 3)),
                Estimate::within(1.6, 1.7, 1.8),
            )
        };
        let range = "10× faster to 58× slower";
        assert_eq!(decision(&of(0.05), true), range.replace("10×", "20×"));
        assert_eq!(decision(&of(1.1), true), range);
        let mut single = of(0.05);
        single
            .ratios
            .iter_mut()
            .for_each(|it| (it.samples, it.scatter) = (1, 0.0));
        assert_eq!(decision(&single, true), "1.7× (1.6–1.8×) slower");
        let mut by_chance = of(0.05);
        by_chance.ratios.iter_mut().for_each(|it| it.scatter = 5.0);
        assert_eq!(decision(&by_chance, true), "1.7× (1.6–1.8×) slower");
    }

    #[test]
    fn a_range_that_chance_makes_is_not_told() {
        let ratios = [3.0, 20.0, 83.0].map(|value| (value, Bound::Exact, 2));
        let words = |scatter: f64, mean: Estimate| {
            let mut factor = factor(&ratios, mean);
            factor
                .ratios
                .iter_mut()
                .for_each(|ratio| ratio.scatter = scatter);
            TitleClaim::of(&factor).map(|(_, claim)| claim.words())
        };
        let mean = Estimate::within(16.0, 20.0, 25.0);
        // The logarithms are 1.2 from their mean, on average.
        assert_eq!(words(1.1, mean).as_deref(), Some("3 to 83×"));
        assert_eq!(words(1.3, mean).as_deref(), Some("20× (16–25×)"));
        assert_eq!(words(f64::INFINITY, Estimate::plain(20.0)), None);
    }

    #[test]
    fn an_interval_that_holds_one_supports_no_difference() {
        let exact = Bound::Exact;
        let two = [(1.8, exact, 1), (1.8, exact, 1)];
        assert_eq!(found(&two, Estimate::within(0.9, 1.8, 3.6)), "same");
        let decided = found(&two, Estimate::within(1.2, 1.8, 2.7));
        assert_eq!(decided, "1.8× (1.2–2.7×) less");
        let wide = [(200.0, exact, 1), (300.0, exact, 1)];
        let noisy = found(&wide, Estimate::within(90.0, 250.0, 700.0));
        assert_eq!(noisy, "250× (90–700×) less");
        let reverse = [(0.2, exact, 1), (0.3, exact, 1)];
        let reverse = found(&reverse, Estimate::within(0.2, 0.25, 0.3));
        assert_eq!(reverse, "4.0× (3.3–5.0×) more");
    }

    #[test]
    fn both_directions_are_said_where_both_are_decided() {
        let exact = Bound::Exact;
        let both = [(90.0, exact, 6), (0.5, exact, 6)];
        let told = "2× more to 90× less";
        assert_eq!(found(&both, Estimate::plain(6.7)), told);
        let wide = Estimate::within(1.2, 6.7, 30.0);
        assert_eq!(found(&both, wide), told);
        let inverse = factor(&both, wide).inverse();
        let (side, claim) = TitleClaim::of(&inverse).expect("a difference");
        assert_eq!(side, Ordering::Less);
        assert_eq!(
            claim.beside(["slower", "faster"]),
            "2× faster to 90× slower"
        );
        let stopped = [(90.0, Bound::AtLeast, 6), (0.5, Bound::AtMost, 6)];
        let told = "over 2× more to over 90× less";
        assert_eq!(found(&stopped, Estimate::bounded(6.7, Bound::Either)), told);
        // The mean is decided, and on its side no question alone: only small differences count as 1.
        let mean = Estimate::within(1.2, 2.0, 3.3);
        for (value, told) in [(3.0, "2× more to 3× less"), (1.4, "2.0× (1.2–3.3×) less")] {
            let reverse = [(0.5, exact, 6), (value, exact, 2), (value, exact, 2)];
            assert_eq!(found(&reverse, mean), told);
        }
        let two = [(1.15, exact, 20), (1.0 / 1.18, exact, 20)];
        assert_eq!(
            found(&two, Estimate::within(0.1, 1.0, 9.0)),
            "1.18× more to 1.15× less"
        );
        let small = [(90.0, exact, 6), (0.9, exact, 6)];
        assert_eq!(
            found(&small, Estimate::plain(9.0)),
            "1.11× more to 90× less"
        );
        // Two decided ratios that are printed as 1, and a mean on the side of a question that is not decided.
        let tiny = [(1.002, exact, 6), (0.998, exact, 6)];
        assert_eq!(found(&tiny, Estimate::plain(1.0)), "same");
        let open = [(1.003, exact, 6), (0.85, exact, 2)];
        assert_eq!(found(&open, Estimate::plain(0.92)), "same");
        // A bound is no small difference, even near 1.
        let near = [(10.0, exact, 6), (1.0 / 1.15, Bound::AtMost, 6)];
        let mean = Estimate::bounded(2.9, Bound::AtMost);
        assert_eq!(found(&near, mean), "over 1.15× more to 10× less");
    }

    #[test]
    fn a_question_on_which_nothing_is_decided_counts_as_one() {
        let exact = Bound::Exact;
        // A single sample or a small reverse is no end of the range.
        for (open, samples) in [(1.0, 1), (0.5, 1), (0.7, 3)] {
            let ratios = [(90.0, exact, 6), (open, exact, samples)];
            let found = found(&ratios, Estimate::plain(100.0));
            assert_eq!(found, "1.00 to 90× less", "{open}");
        }
        let stopped = [(90.0, Bound::AtLeast, 6), (1.0, exact, 6)];
        let mean = Estimate::bounded(9.0, Bound::AtLeast);
        assert_eq!(found(&stopped, mean), "1.00 to over 90× less");
    }

    #[test]
    fn ratios_that_differ_much_are_a_range() {
        let exact = Bound::Exact;
        let mean = Estimate::within(10.0, 60.0, 400.0);
        let far = [(3.0, exact, 4), (1100.0, exact, 4)];
        assert_eq!(found(&far, mean), "3 to 1,100× less");
        let mean = Estimate::within(1.1, 4.0, 15.0);
        let found =
            |least, samples| found(&[(least, exact, samples), (20.0, exact, samples)], mean);
        assert_eq!(found(0.9, 6), "1.11× more to 20× less");
        assert_eq!(found(1.003, 6), "1.00 to 20× less");
        // No ratio is decided by four samples a side.
        assert_eq!(found(0.9, 4), "4.0× (1.1–15×) less");
    }

    #[test]
    fn single_samples_of_many_instances_support_their_mean() {
        let (exact, open) = (Bound::Exact, Bound::AtLeast);
        let mean = Estimate::within(1.1, 1.3, 1.5);
        let games = [(11.0, exact, 1), (0.9, exact, 1), (1.1, exact, 1)];
        assert_eq!(found(&games, mean), "1.3× (1.1–1.5×) less");
        let stopped = [2.1, 1.8, 2.2, 1.9].map(|value| (value, exact, 1));
        let stopped = [&stopped[..], &[(2.0, open, 1)]].concat();
        // The mean of bounds is no lower bound of the mean of all instances.
        let bound = Estimate {
            bound: open,
            ..Estimate::within(1.75, 2.0, f64::INFINITY)
        };
        assert_eq!(found(&stopped, bound), "on average at least 1.7× less");
    }

    #[test]
    fn a_factor_of_one_has_its_digits() {
        assert_eq!(
            [times(1.0004), times(1.01), times(12.0)],
            ["1.00×", "1.01×", "12×"]
        );
    }

    #[test]
    fn a_bound_is_said_to_be_one() {
        let (exact, open) = (Bound::Exact, Bound::AtLeast);
        let mean = Estimate {
            bound: open,
            ..Estimate::within(50.0, 280.0, f64::INFINITY)
        };
        let over = [(12.0, exact, 4), (5360.0, open, 4)];
        assert_eq!(found(&over, mean), "12 to over 5,300× less");
        let between = [(12.0, exact, 4), (100.0, open, 4), (5360.0, exact, 4)];
        assert_eq!(found(&between, mean), "12 to over 5,300× less");
        // Of a bound that is the smallest, the others may be smaller.
        let near = [(12.0, open, 4), (5300.0, exact, 4)];
        assert_eq!(found(&near, mean), "on average at least 50× less");
        let both = [(100.0, exact, 4), (300.0, open, 4)];
        assert_eq!(found(&both, mean), "on average at least 50× less");
        let one = Estimate {
            bound: open,
            ..Estimate::within(12.9, 12.9, f64::INFINITY)
        };
        let found = found(&[(12.9, open, 4)], one);
        assert_eq!(found, "on average at least 12× less");
    }
}
