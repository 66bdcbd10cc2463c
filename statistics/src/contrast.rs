//! Comparisons of two groups of values: do they differ, and by which ratio? Every comparison of the program is a
//! [`Contrast`] of pairs, strata or a sequence.

use std::cmp::Ordering;

use crate::decision::{Decision, LEVEL};
use crate::hypothesis::{holm, signed_rank_interval, t_test, wilcoxon};
use crate::interval::t_mean;
use crate::sequential::Sequence;
use crate::stratified::{Stratum, common_ratio, least_p, van_elteren};
use crate::{Bound, Estimate, Interval, mean};

/// A rank test of fewer pairs never reaches 0.05: the smallest p of five pairs is 2/2⁵.
pub const FEWEST_PAIRS: usize = 6;

/// From this number of pairs on, the t test is used: means are nearly normal, and the means of any two values are too
/// many.
const MANY_PAIRS: usize = 1_000;

/// An end of an interval that is nearer to 1 is at 1: it was found by bisection.
const ROUNDING: f64 = 1e-9;

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contrast {
    /// The interval of the ratio, at 95 % or at the level of the sequence.
    pub interval: Option<Interval>,
    /// The p value of the test, corrected by [`Contrast::correct`]; `None` without a test.
    pub p: Option<f64>,
    /// The side of 1 to which the test points.
    pub side: Ordering,
    /// The largest ratio of two values of one question, or of a ratio to 1: how much ties can hide.
    pub spread: f64,
    /// The smallest p value that is possible with this number of samples.
    pub least: f64,
}

impl Contrast {
    /// A comparison without interval and test.
    pub const NONE: Self = Self {
        interval: None,
        p: None,
        side: Ordering::Equal,
        spread: 1.0,
        least: 1.0,
    };

    /// Compares B's values with A's on the same questions by van Elteren's test, which for one question is the test of
    /// Mann and Whitney. The interval is that of the common ratio, if all values are positive.
    pub fn of_strata(strata: &[Stratum]) -> Self {
        let sizes = strata
            .iter()
            .map(|stratum| (stratum.a.len(), stratum.b.len()));
        let mut values = strata.iter().flat_map(Stratum::values);
        let is_positive = values.all(|value| value > 0.0);
        let test = van_elteren(strata);
        let ends = strata.iter().filter_map(Stratum::ends);
        Self {
            interval: is_positive.then(|| common_ratio(strata)).flatten(),
            p: test.map(|test| test.p),
            side: test.map_or(Ordering::Equal, |test| test.statistic.total_cmp(&0.0)),
            spread: ends.map(|(least, most)| most / least).fold(1.0, f64::max),
            least: least_p(sizes),
        }
    }

    /// Tests the logarithms of ratios: by Wilcoxon's signed ranks, or by Student's t for fewer than [`FEWEST_PAIRS`]
    /// and for very many ratios. The interval is that of the test.
    pub fn of_pairs(logs: &[f64]) -> Self {
        let (test, interval) = if (FEWEST_PAIRS..MANY_PAIRS).contains(&logs.len()) {
            let pairs: Vec<(f64, f64)> = logs.iter().map(|log| (*log, 0.0)).collect();
            (wilcoxon(&pairs), signed_rank_interval(logs))
        } else {
            let interval = t_mean(logs).and_then(|mean| mean.interval);
            (t_test(logs), interval)
        };
        Self {
            interval: interval.map(|ends| ends.map(f64::exp)),
            p: test.map(|test| test.p),
            side: mean(logs).map_or(Ordering::Equal, |mean| mean.total_cmp(&0.0)),
            spread: logs.iter().map(|log| log.abs()).fold(0.0, f64::max).exp(),
            least: match logs.len() {
                0 | 1 => 1.0,
                other if !(FEWEST_PAIRS..MANY_PAIRS).contains(&other) => 0.0,
                many => 2.0 * 0.5_f64.powi(many as i32),
            },
        }
    }

    /// Compares by a sequence of ratios of pairs or blocks. The interval alone decides: p is set to 0.
    pub fn of_sequence(sequence: &Sequence) -> Self {
        Self {
            interval: sequence.ratio().and_then(|ratio| ratio.interval),
            p: Some(0.0),
            least: 0.0,
            ..Self::NONE
        }
    }

    /// The decision about `ratio`: *same* if the whole interval is within `bound` of 1 (0.05 for 5 %), *lower* or
    /// *higher* if the interval excludes 1 and p is below [`LEVEL`]. The decision is *open* without an interval, and
    /// if timeouts leave the direction open. Where values are tied, the test may refute 1 and no ratio next to it: an
    /// interval that ends at 1 then excludes it, and does not show that the sides are the same, unless all values of a
    /// question are within `bound`.
    pub fn decision(&self, ratio: Estimate, bound: f64) -> Decision {
        let Some(ends) = self.interval else {
            return Decision::Open;
        };
        // Without a test no difference is reported.
        let differs = self.p.unwrap_or(1.0) < LEVEL;
        let is_within = ends.low >= 1.0 / (1.0 + bound) && ends.high <= 1.0 + bound;
        let is_tied = self.spread > 1.0 + bound;
        let is_at_1 = |end: f64| is_tied && (end - 1.0).abs() < ROUNDING;
        let above = differs && is_at_1(ends.low) && self.side == Ordering::Greater;
        let below = differs && is_at_1(ends.high) && self.side == Ordering::Less;
        let ends_at_1 = is_at_1(ends.low) || is_at_1(ends.high);
        match ratio.bound {
            Bound::Exact if is_within && !ends_at_1 => Decision::Same,
            Bound::Exact | Bound::AtLeast | Bound::Either if differs && ends.low > 1.0 || above => {
                Decision::Higher
            }
            Bound::Exact | Bound::AtMost | Bound::Either if differs && ends.high < 1.0 || below => {
                Decision::Lower
            }
            _ => Decision::Open,
        }
    }

    /// Corrects the p values of one table, and the smallest possible ones, by Holm's method.
    pub fn correct(mut all: Vec<&mut Self>) {
        all.retain(|one| one.p.is_some());
        let raw: Vec<f64> = all.iter().filter_map(|one| one.p).collect();
        let least: Vec<f64> = all.iter().map(|one| one.least).collect();
        for ((one, p), least) in all.into_iter().zip(holm(&raw)).zip(holm(&least)) {
            one.p = Some(p);
            one.least = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_needs_interval_and_test() {
        let of = |low, high, p| Contrast {
            interval: Some(Interval { low, high }),
            p: Some(p),
            least: 0.0,
            ..Contrast::NONE
        };
        let decided = |low, high, p| of(low, high, p).decision(Estimate::plain(1.0), 0.05);
        assert_eq!(decided(1.1, 1.3, 0.01), Decision::Higher);
        assert_eq!(decided(1.1, 1.3, 0.06), Decision::Open);
        assert_eq!(decided(0.9, 1.3, 0.01), Decision::Open);
        assert_eq!(decided(0.5, 0.7, 0.01), Decision::Lower);
        assert_eq!(decided(0.97, 1.04, 0.01), Decision::Same);
        assert_eq!(decided(0.97, 1.04, 0.9), Decision::Same);
        assert_eq!(decided(1.1, 1.3, LEVEL), Decision::Open, "p at the level");
        assert_eq!(decided(1.0, 1.3, 0.01), Decision::Open, "an end at 1");
        assert_eq!(decided(0.5, 1.0, 0.01), Decision::Open, "an end at 1");
        let plain = Estimate::plain(1.0);
        assert_eq!(Contrast::NONE.decision(plain, 0.05), Decision::Open);
        let cut = Estimate {
            bound: Bound::AtLeast,
            ..plain
        };
        assert_eq!(of(1.0, 1.0, 0.9).decision(cut, 0.05), Decision::Open);
        assert_eq!(of(0.5, 0.7, 0.01).decision(cut, 0.05), Decision::Open);
    }

    #[test]
    fn tied_values_decide_although_the_interval_ends_at_1() {
        // 6 and 24 of 40 answers took 2 steps, the others 1.
        let steps = |twos| {
            (0..40)
                .map(|at| if at < twos { 2.0 } else { 1.0 })
                .collect()
        };
        let of = |a, b| {
            let contrast = Contrast::of_strata(&[Stratum {
                a: steps(a),
                b: steps(b),
            }]);
            contrast.decision(Estimate::plain(1.0), 0.05)
        };
        assert_eq!(of(6, 24), Decision::Higher);
        assert_eq!(of(24, 6), Decision::Lower);
        // Both medians are 1, and no factor but 1 fits.
        assert_eq!(of(0, 17), Decision::Higher);
        assert_eq!(of(15, 17), Decision::Open);
        assert_eq!(of(17, 17), Decision::Open, "the same evidence");
        let near = |last: f64| Stratum {
            a: vec![1e6; 12],
            b: [vec![1e6; 11], vec![last]].concat(),
        };
        let within = |last| Contrast::of_strata(&[near(last)]).decision(Estimate::plain(1.0), 0.05);
        assert_eq!(within(1e6 + 1.0), Decision::Same);
        assert_eq!(within(2e6), Decision::Open);
    }

    #[test]
    fn pairs_strata_and_sequences_agree_on_a_plain_difference() {
        let a: Vec<f64> = (0..12).map(|at| 1.0 + 0.01 * f64::from(at)).collect();
        let b: Vec<f64> = a.iter().map(|value| 2.0 * value).collect();
        let logs: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (b / a).ln()).collect();
        let mut sequence = Sequence::new(LEVEL);
        a.iter().zip(&b).for_each(|(a, b)| sequence.push(b / a));
        let strata = [Stratum { a, b }];
        let all = [
            Contrast::of_strata(&strata),
            Contrast::of_pairs(&logs),
            Contrast::of_sequence(&sequence),
        ];
        for one in all {
            assert_eq!(one.decision(Estimate::plain(2.0), 0.05), Decision::Higher);
        }
    }

    #[test]
    fn the_smallest_p_is_that_of_the_test_and_holm_corrects_both() {
        let least = |count: usize| Contrast::of_pairs(&vec![0.1; count]).least;
        assert_eq!([1, 5, 6, 1_000].map(least), [1.0, 0.0, 2.0 / 64.0, 0.0]);
        let [mut one, mut untested, mut other] = [Contrast::NONE; 3];
        (one.p, one.least, other.p) = (Some(0.01), 0.002, Some(0.04));
        Contrast::correct(vec![&mut one, &mut untested, &mut other]);
        assert_eq!([one.p, untested.p, other.p], [Some(0.02), None, Some(0.04)]);
        assert_eq!([one.least, other.least], [0.004, 1.0]);
    }
}
