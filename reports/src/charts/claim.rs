//! The statement that the ratios of two series support: a factor, a range of factors, or no difference.

use std::cmp::Ordering;

use crate::factor::{Factor, Ratio, side};
use crate::statistics::contrast::FEWEST_PAIRS;
use crate::statistics::{Bound, Estimate, Interval};
use crate::units::rounded;

/// Ratios that differ by more than this factor are given as a range: their mean would depend on the choice of
/// questions.
const WIDE: f64 = 5.0;
/// Factors below this are given in percent.
const PERCENT: f64 = 1.5;
/// If the ends of an interval differ by more than this factor, the lower end is given: the digits of the mean are
/// noise.
const NOISY: f64 = 3.0;
/// Questions that are decided by their own samples are mentioned if their factor is above this.
const TOLD: f64 = 1.2;

/// The statement about the ratios B/A of two series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TitleClaim {
    /// The interval contains 1, or there are too few samples.
    Same,
    /// One side's values are smaller by a factor or a range of factors.
    Smaller(SmallerSide, FactorExtent),
    /// A's values are larger by up to the first factor on some questions, smaller by up to the second on others.
    Both(Ratio, Ratio),
}

/// The side with the smaller values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SmallerSide {
    A,
    B,
}

/// The size of a difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FactorExtent {
    /// A factor above 1, with its interval.
    One(f64, Option<Interval>),
    /// From the smallest factor to the largest.
    Range(f64, f64),
    /// From the smallest factor to more than the largest that is known, where some factors are bounds.
    Over(f64, f64),
    /// The smallest factor that the samples allow, where it is a bound, or where some factor is a bound and the factors
    /// differ little: the lowest end of the intervals, where they are known.
    AtLeast(f64),
    /// The largest factor, where some questions have no difference or the reverse.
    UpTo(Ratio),
    /// The lower end of the mean's interval, where that is wide or some factors are bounds.
    MeanAtLeast(f64),
}

impl TitleClaim {
    /// The statement that `factor`, B divided by A, supports.
    pub(crate) fn of(factor: &Factor) -> Self {
        let mean = side(factor.estimate);
        if factor.ratios.is_empty() {
            return Self::apart(factor.estimate);
        }
        match mean.or_else(|| Ratio::common_side(&factor.ratios)) {
            Some(Ordering::Greater) => Self::smaller(SmallerSide::A, factor, mean.is_some()),
            Some(Ordering::Less) => {
                Self::smaller(SmallerSide::B, &factor.inverse(), mean.is_some())
            }
            _ => Self::some(factor),
        }
    }

    /// The statement that the quotient of two sides without a common question supports.
    fn apart(estimate: Estimate) -> Self {
        let (smaller, estimate) = match side(estimate) {
            Some(Ordering::Greater) => (SmallerSide::A, estimate),
            Some(_) => (SmallerSide::B, estimate.inverse()),
            None => return Self::Same,
        };
        let extent = match (estimate.bound, estimate.interval) {
            (Bound::Exact, ends) => FactorExtent::mean(estimate.value, ends),
            (_, Some(ends)) => FactorExtent::AtLeast(ends.low),
            (_, None) => return Self::Same,
        };
        Self::Smaller(smaller, extent)
    }

    /// The statement that one side's values are smaller, by `factor`. The interval counts if it has decided that.
    fn smaller(side: SmallerSide, factor: &Factor, has_decided: bool) -> Self {
        // The other side is smaller on some questions: that is said too.
        if let both @ Self::Both(..) = Self::some(factor) {
            return match side {
                SmallerSide::A => both,
                SmallerSide::B => Self::some(&factor.inverse()),
            };
        }
        let mean = factor.estimate.value;
        let interval = factor.estimate.interval.filter(|_| has_decided);
        let mut ratios = factor.ratios.clone();
        ratios.sort_by(|a, b| a.estimate.value.total_cmp(&b.estimate.value));
        let (Some(first), Some(last)) = (ratios.first(), ratios.last()) else {
            return Self::Same;
        };
        let (least, most) = (first.estimate.value, last.estimate.value);
        let is_stopped = ratios.iter().any(Ratio::is_stopped);
        let is_wide = most > WIDE * least;
        let is_one = ratios.len() == 1;
        // The spread of single samples is due to chance and not to the questions.
        let are_single = !is_one && ratios.iter().any(|ratio| ratio.samples < 2);
        let extent = if let Some(ends) = interval.filter(|_| are_single) {
            match is_stopped {
                true => FactorExtent::MeanAtLeast(ends.low),
                false => FactorExtent::mean(mean, interval),
            }
        } else if (least <= 1.0 || number(least) == "1") && (is_wide || is_stopped) {
            match largest(factor).or(Some(*last).filter(Ratio::is_fact)) {
                Some(decided) => FactorExtent::UpTo(decided),
                None => FactorExtent::mean(mean, interval),
            }
        } else if first.is_stopped() || (is_stopped && !is_wide) {
            // The median of a sample of which half was stopped is no bound of the true ratio.
            let end = |it: &Estimate| it.interval.map_or(it.value, |ends| ends.low);
            let ends = ratios.iter().map(|ratio| end(&ratio.estimate));
            match ends.fold(least, f64::min) {
                end if end > 1.0 => FactorExtent::AtLeast(end),
                _ => FactorExtent::mean(mean, interval),
            }
        } else if is_stopped {
            FactorExtent::Over(least, most)
        } else if number(least) == number(most) {
            FactorExtent::mean(mean, interval)
        } else if is_wide || interval.is_none() {
            FactorExtent::Range(least, most)
        } else {
            FactorExtent::mean(mean, interval)
        };
        Self::Smaller(side, extent)
    }

    /// The statement about the questions that are decided by their own samples.
    fn some(factor: &Factor) -> Self {
        let (more, less) = (largest(&factor.inverse()), largest(factor));
        match (more, less) {
            (Some(more), Some(less)) => Self::Both(more, less),
            (None, Some(less)) => Self::Smaller(SmallerSide::A, FactorExtent::UpTo(less)),
            (Some(more), None) => Self::Smaller(SmallerSide::B, FactorExtent::UpTo(more)),
            (None, None) => Self::Same,
        }
    }
}

/// The largest ratio that is decided to be above 1.
fn largest(factor: &Factor) -> Option<Ratio> {
    let mut decided = factor.decided();
    decided.retain(|ratio| ratio.side == Some(Ordering::Greater) && ratio.estimate.value > TOLD);
    let by_value = |a: &Ratio, b: &Ratio| a.estimate.value.total_cmp(&b.estimate.value);
    decided.into_iter().max_by(by_value)
}

impl Ratio {
    /// True if the true ratio is larger.
    fn is_stopped(&self) -> bool {
        self.estimate.bound == Bound::AtLeast
    }

    /// `3,400×`, `over 3,400×`
    pub(crate) fn words(self) -> String {
        match self.is_stopped() {
            true => format!("over {}", at_least(self.estimate.value)),
            false => times(self.estimate.value),
        }
    }
}

impl FactorExtent {
    /// A mean with its interval, or at least the interval's lower end where it is wide.
    pub(crate) fn mean(mean: f64, interval: Option<Interval>) -> Self {
        let is_noisy = |ends: &Interval| ends.high > NOISY * ends.low && ends.low > PERCENT;
        match interval.filter(|ends| ends.high.is_infinite() || is_noisy(ends)) {
            Some(ends) => Self::MeanAtLeast(ends.low),
            None => Self::One(mean, interval),
        }
    }

    /// `12× (11–13×)`, `3 to 1,100×`, `3 to over 1,100×`, `at least 3×`, `up to 20×`.
    pub(crate) fn words(self) -> String {
        match self {
            Self::One(factor, ends) => format!("{}{}", times(factor), bracket(factor, ends)),
            Self::Range(low, high) if number(low) == number(high) => times(low),
            Self::Range(low, high) => format!("{} to {}", number(low), times(high)),
            Self::Over(low, high) => format!("{} to over {}", number(low), at_least(high)),
            Self::AtLeast(factor) => format!("at least {}", at_least(factor)),
            Self::UpTo(ratio) => format!("up to {}", ratio.words()),
            Self::MeanAtLeast(factor) => format!("on average at least {}", at_least(factor)),
        }
    }

    /// The words without the interval: `12×`, `at least 90×`.
    pub(crate) fn factor(self) -> String {
        match self {
            Self::One(factor, _) => times(factor),
            Self::MeanAtLeast(factor) => format!("at least {}", at_least(factor)),
            other => other.words(),
        }
    }

    /// The single factor with its interval, if it is small enough to be given in percent.
    pub(crate) fn percent(self) -> Option<(f64, Option<Interval>)> {
        match self {
            Self::One(factor, ends) if factor < PERCENT => Some((factor, ends)),
            _ => None,
        }
    }

    /// A row of the instance that the factor belongs to, if it belongs to one instance.
    pub(crate) fn row(self) -> Option<u32> {
        match self {
            Self::UpTo(ratio) => Some(ratio.row),
            _ => None,
        }
    }
}

/// ` (11–13×)`; empty if both ends are printed like the factor.
fn bracket(factor: f64, ends: Option<Interval>) -> String {
    let ends = ends.map(|ends| [ends.low, ends.high].map(number));
    let ends = ends.filter(|ends| ends.iter().any(|end| *end != number(factor)));
    ends.map_or(String::new(), |[low, high]| format!(" ({low}–{high}×)"))
}

/// Two significant digits, or three below [`PERCENT`].
fn number(factor: f64) -> String {
    rounded(factor, if factor < PERCENT { 3 } else { 2 })
}

/// The mean of a ratio without its interval, as in titles: `12×`, or `at least 90×` where the interval is wide.
pub fn mean_factor(mean: f64, interval: Interval) -> String {
    FactorExtent::mean(mean, Some(interval)).factor()
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

/// The decision on the factor of a variant against the baseline, in words: `2,690× (2,500–2,900×) faster`. A decision
/// for the instances of the run only ends with `on these instances`.
pub(crate) fn decision(factor: &Factor, is_time: bool) -> String {
    let (less, more) = match is_time {
        true => ("faster", "slower"),
        false => ("lower", "higher"),
    };
    let words = match TitleClaim::of(factor) {
        TitleClaim::Same if factor.known().is_none() => {
            return "open: timeouts of both sides".to_owned();
        }
        TitleClaim::Same if factor.is_equal() => return "equal".to_owned(),
        TitleClaim::Same if factor.estimate.interval.is_none() => {
            return "too few to decide".to_owned();
        }
        TitleClaim::Same => return undecided(factor.estimate, less, more),
        TitleClaim::Smaller(SmallerSide::A, extent) => over_questions(factor, extent, more),
        TitleClaim::Smaller(SmallerSide::B, extent) => {
            over_questions(&factor.inverse(), extent, less)
        }
        TitleClaim::Both(less_of, more_of) => {
            let (slower, faster) = (more_of.words(), less_of.words());
            format!("from {slower} {more} to {faster} {less}")
        }
    };
    if side(factor.estimate).is_none() && factor.instances > 1 {
        words + " on these instances"
    } else {
        words
    }
}

/// `4.1× (3–5.5×) faster, 1.7 to 9.5×`: a range has the mean with its interval before it, if enough instances give one.
fn over_questions(factor: &Factor, extent: FactorExtent, word: &str) -> String {
    let is_range = matches!(extent, FactorExtent::Range(..) | FactorExtent::UpTo(_));
    let is_mean = factor.instances >= FEWEST_PAIRS
        && factor.estimate.bound == Bound::Exact
        && side(factor.estimate).is_some();
    let mean = factor.estimate;
    match is_range && is_mean {
        true => {
            let mean = FactorExtent::mean(mean.value, mean.interval).words();
            format!("{mean} {word}, {}", extent.words())
        }
        false => format!("{} {word}", extent.words()),
    }
}

/// The words for a difference that was not found, with the limits that its interval gives.
fn undecided(estimate: Estimate, less: &str, more: &str) -> String {
    let nothing = "no difference found".to_owned();
    match estimate.interval {
        Some(ends) if estimate.bound == Bound::Exact && ends.low > 0.0 && ends.high.is_finite() => {
            let [low, high] = [1.0 / ends.low, ends.high].map(times);
            format!("{nothing}: {low} {less} to {high} {more}")
        }
        _ => nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::sample::CensoredSample;

    /// The statement about ratios, each of a given number of separated samples on both sides, and their mean with its
    /// interval.
    fn claim(ratios: &[(f64, Bound, usize)], mean: Estimate) -> TitleClaim {
        TitleClaim::of(&factor(ratios, mean))
    }

    fn factor(ratios: &[(f64, Bound, usize)], mean: Estimate) -> Factor {
        let ratios: Vec<Ratio> = ratios
            .iter()
            .zip(0..)
            .map(|(&(value, bound, samples), row)| {
                let sample = |value: f64| CensoredSample {
                    values: (0..samples).map(|at| value + 1e-6 * at as f64).collect(),
                    ..CensoredSample::default()
                };
                let ratio = Ratio::of(&sample(value), &sample(1.0), false);
                let mut ratio = ratio.expect("two samples");
                ratio.row = row;
                ratio.estimate = Estimate {
                    bound,
                    ..Estimate::plain(value)
                };
                ratio
            })
            .collect();
        Factor {
            estimate: mean,
            questions: ratios.len(),
            instances: ratios.len(),
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
        let slower = "4.1× (3–5.5×) slower, 1.7 to 9.5×";
        assert_eq!(decision(&of_eight, true), slower);
        let faster = "4.1× (3–5.5×) faster, 1.7 to 9.5×";
        assert_eq!(decision(&of_eight.inverse(), true), faster);
        let of_three = [ratios[0], ratios[3], ratios[7]];
        let of_three = factor(&of_three, Estimate::within(1.5, 4.0, 12.0));
        assert_eq!(decision(&of_three, true), "1.7 to 9.5× slower");
    }

    fn words(claim: TitleClaim) -> String {
        match claim {
            TitleClaim::Same => "same".to_owned(),
            TitleClaim::Smaller(SmallerSide::A, extent) => extent.words(),
            TitleClaim::Smaller(SmallerSide::B, extent) => format!("B {}", extent.words()),
            TitleClaim::Both(slower, faster) => format!("{} {}", slower.words(), faster.words()),
        }
    }

    #[test]
    fn an_interval_that_holds_one_supports_no_difference() {
        let exact = Bound::Exact;
        let found = |ratios: &[(f64, Bound, usize)], mean| words(claim(ratios, mean));
        let two = [(1.8, exact, 1), (1.8, exact, 1)];
        assert_eq!(found(&two, Estimate::within(0.9, 1.8, 3.6)), "same");
        assert_eq!(
            found(&two, Estimate::within(1.2, 1.8, 2.7)),
            "1.8× (1.2–2.7×)"
        );
        // The mean of a wide interval is not reported, but its lower end is.
        let wide = [(200.0, exact, 1), (300.0, exact, 1)];
        let noisy = found(&wide, Estimate::within(90.0, 250.0, 700.0));
        assert_eq!(noisy, "on average at least 90×");
        let reverse = [(0.2, exact, 1), (0.3, exact, 1)];
        assert_eq!(
            found(&reverse, Estimate::within(0.2, 0.25, 0.3)),
            "B 4× (3.3–5×)"
        );
    }

    #[test]
    fn without_an_interval_samples_that_chance_would_rarely_part_support_a_range() {
        let exact = Bound::Exact;
        let found = |ratios: &[(f64, Bound, usize)]| words(claim(ratios, Estimate::plain(100.0)));
        // Chance separates three samples a side with probability 1/20 in each direction: that is rare only for two
        // questions together.
        assert_eq!(found(&[(100.0, exact, 3)]), "same");
        assert_eq!(found(&[(90.0, exact, 3), (110.0, exact, 3)]), "90 to 110×");
        assert_eq!(found(&[(100.0, exact, 4)]), "100×");
        assert_eq!(found(&[(90.0, exact, 6), (0.5, exact, 6)]), "2× 90×");
        assert_eq!(found(&[(90.0, exact, 6), (1.0, exact, 1)]), "up to 90×");
        assert_eq!(found(&[(90.0, exact, 3), (0.5, exact, 3)]), "same");
    }

    #[test]
    fn ratios_that_differ_much_are_a_range() {
        let exact = Bound::Exact;
        let mean = Estimate::within(10.0, 60.0, 400.0);
        let found = claim(&[(3.0, exact, 4), (1100.0, exact, 4)], mean);
        assert_eq!(words(found), "3 to 1,100×");
        let mean = Estimate::within(1.1, 4.0, 15.0);
        for least in [0.9, 1.003] {
            let found = claim(&[(least, exact, 6), (20.0, exact, 6)], mean);
            assert_eq!(words(found), "up to 20×");
            // No ratio is decided by four samples a side.
            let found = claim(&[(least, exact, 4), (20.0, exact, 4)], mean);
            assert_eq!(words(found), "4× (1.1–15×)");
        }
    }

    #[test]
    fn single_samples_of_many_instances_support_their_mean() {
        let (exact, open) = (Bound::Exact, Bound::AtLeast);
        let mean = Estimate::within(1.1, 1.3, 1.5);
        let games = [(11.0, exact, 1), (0.9, exact, 1), (1.1, exact, 1)];
        assert_eq!(words(claim(&games, mean)), "1.3× (1.1–1.5×)");
        let stopped = [(11.0, open, 1), (0.9, exact, 1)];
        // The mean of bounds is no lower bound of the mean of all instances.
        assert_eq!(words(claim(&stopped, mean)), "on average at least 1.1×");
    }

    #[test]
    fn a_factor_of_one_has_its_digits() {
        assert_eq!(
            [times(1.0004), times(1.01), times(12.0)],
            ["1.00×", "1.01×", "12×"]
        );
    }

    #[test]
    fn at_least_is_said_of_the_smallest_ratio_alone() {
        let (exact, open) = (Bound::Exact, Bound::AtLeast);
        let mean = Estimate {
            bound: open,
            ..Estimate::within(50.0, 280.0, 700.0)
        };
        let found = |ratios: &[(f64, Bound, usize)]| words(claim(ratios, mean));
        assert_eq!(
            found(&[(12.0, exact, 4), (5300.0, open, 4)]),
            "12 to over 5,300×"
        );
        assert_eq!(
            found(&[(12.0, open, 4), (5300.0, exact, 4)]),
            "at least 12×"
        );
        assert_eq!(
            found(&[(100.0, exact, 4), (300.0, open, 4)]),
            "at least 100×"
        );
    }
}
