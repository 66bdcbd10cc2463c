//! The probability that chance alone puts a sample at least this far above or below a value. Claims about a mean, a
//! ratio, a share or a median are decided by it.

use ikeru_statistics::interval::{TAIL, normal, normal_quantile};
use ikeru_statistics::sample::CensoredSample;
use ikeru_statistics::{Bound, Estimate, Interval};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

/// A sampled value and the distribution of its error.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// An estimate whose error has Student's t distribution.
    Mean {
        /// The estimate with its 95 % interval.
        estimate: Estimate,
        /// The degrees of freedom.
        freedom: f64,
        /// True if the logarithm has this error, as for a geometric mean.
        is_ratio: bool,
    },
    /// A share of independent trials.
    Share {
        /// The share, from 0 to 1.
        share: f64,
        /// The number of trials.
        of: usize,
    },
    /// The median of these values.
    Median(CensoredSample),
}

impl Evidence {
    /// The evidence of a mean or a ratio over `count` values; `None` without an interval.
    pub fn of_mean(estimate: Estimate, count: usize, is_ratio: bool) -> Option<Self> {
        let is_positive = |ends: Interval| ends.low > 0.0 || !is_ratio;
        (count > 1 && estimate.interval.is_some_and(is_positive)).then_some(Self::Mean {
            estimate,
            freedom: count as f64 - 1.0,
            is_ratio,
        })
    }

    /// The probability of a sample at least as high if the true value is `edge`. A small one is evidence for a true
    /// value above `edge`.
    pub fn chance_above(&self, edge: f64) -> f64 {
        match self {
            Self::Mean { estimate, .. } if estimate.bound == Bound::AtMost => 1.0,
            Self::Mean { estimate, .. } => self.tail(estimate.interval.map(|ends| ends.low), edge),
            Self::Share { share, of } => at_least(share * *of as f64, *of, edge),
            Self::Median(sample) => count(sample, Bound::AtMost, |value| value > edge),
        }
    }

    /// The probability of a sample at least as low if the true value is `edge`. A small one is evidence for a true
    /// value below `edge`.
    pub fn chance_below(&self, edge: f64) -> f64 {
        match self {
            Self::Mean { estimate, .. } if estimate.bound == Bound::AtLeast => 1.0,
            Self::Mean { estimate, .. } => self.tail(estimate.interval.map(|ends| ends.high), edge),
            Self::Share { share, of } => at_least((1.0 - share) * *of as f64, *of, 1.0 - edge),
            Self::Median(sample) => count(sample, Bound::AtLeast, |value| value < edge),
        }
    }

    /// The tail probability of t if the true value is `edge`. `end` is the end of the 95 % interval on the side of
    /// `edge` and gives the standard error.
    fn tail(&self, end: Option<f64>, edge: f64) -> f64 {
        let Self::Mean {
            estimate,
            freedom,
            is_ratio,
        } = self
        else {
            return 1.0;
        };
        let (Some(end), Ok(student)) = (end, StudentsT::new(0.0, 1.0, *freedom)) else {
            return 1.0;
        };
        let scale = |at: f64| if *is_ratio { at.max(0.0).ln() } else { at };
        let reach = scale(estimate.value) - scale(end);
        let t = (scale(estimate.value) - scale(edge)) / reach * student.inverse_cdf(1.0 - TAIL);
        if t.is_nan() { 1.0 } else { student.sf(t) }
    }
}

/// The probability of at least `count` successes in `of` trials with probability `share` each; `count` is rounded down.
fn at_least(count: f64, of: usize, share: f64) -> f64 {
    let count = (count + 1e-9).floor() as u64;
    match (
        count.checked_sub(1),
        Binomial::new(share.clamp(0.0, 1.0), of as u64),
    ) {
        (Some(below), Ok(binomial)) => binomial.sf(below),
        _ => 1.0,
    }
}

/// The sign test: the probability that at least this number of values is on one side of the true median. Values with the
/// bound `open` may be on the other side.
fn count(sample: &CensoredSample, open: Bound, is_on_side: impl Fn(f64) -> bool) -> f64 {
    if sample.bound == Bound::Either {
        return 1.0;
    }
    let is_open = |value: f64| sample.bound == open && sample.bound_at(value) != Bound::Exact;
    let values = sample.values.iter().copied();
    let on_side = values.filter(|value| is_on_side(*value) && !is_open(*value));
    at_least(on_side.count() as f64, sample.values.len(), 0.5)
}

/// The distance of an undecided sample from a decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lacking {
    /// The two-sided p value of the sample.
    pub chance: f64,
    /// The p value at which the sample decides.
    pub level: f64,
}

impl Lacking {
    /// The factor by which the sample has to grow to decide with a probability of 4/5, if its estimate is the true
    /// value; at least 1.
    pub fn growth(self) -> f64 {
        const FOUR_IN_FIVE: f64 = 0.84;
        ((distance(self.level) + FOUR_IN_FIVE) / distance(self.chance))
            .powi(2)
            .max(1.0)
    }

    /// The expected cost of a decision, in units of the cost of the sample, which may grow to `most` times its size:
    /// the cost of the additional samples divided by the probability that they decide, for the best of the sizes that
    /// double. The probability is the predictive one (Spiegelhalter, Freedman & Blackburn 1986): the true value is
    /// distributed around the estimate like the estimate around the true value.
    pub fn cost(self, most: f64) -> f64 {
        let (shown, decides) = (distance(self.chance), distance(self.level));
        let sizes = (1..=20).map(|doublings| f64::from(1 << doublings));
        let costs = sizes.take_while(|size| *size <= most).map(|size| {
            let side = |shown: f64| normal((shown * size.sqrt() - decides) / (size - 1.0).sqrt());
            (size - 1.0) / (side(shown) + side(-shown))
        });
        costs.fold(f64::INFINITY, f64::min)
    }
}

/// Holm's step-down correction (1979) of several p values, in their order.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut corrected = vec![0.0; p.len()];
    let mut least = 0.0_f64;
    for (at, place) in order.into_iter().enumerate() {
        least = least.max(p[place] * (p.len() - at) as f64).min(1.0);
        corrected[place] = least;
    }
    corrected
}

/// The distance in standard errors that has this two-sided p value.
fn distance(chance: f64) -> f64 {
    -normal_quantile((chance / 2.0).clamp(1e-300, 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_statistics::interval::{geometric_mean, t_mean};

    /// Checks that the probability at both ends of the 95 % interval is 2.5 %.
    fn check_ends(evidence: &Evidence, interval: Interval) {
        let (above, below) = (
            evidence.chance_above(interval.low),
            evidence.chance_below(interval.high),
        );
        assert!((above - TAIL).abs() < 1e-9, "{above}");
        assert!((below - TAIL).abs() < 1e-9, "{below}");
    }

    #[test]
    fn the_ends_of_an_interval_have_the_chance_that_it_leaves_out() {
        let values = [1.0, 2.0, 3.0, 4.0, 10.0];
        for (estimate, is_ratio) in [(t_mean(&values), false), (geometric_mean(&values), true)] {
            let estimate = estimate.expect("values");
            let evidence = Evidence::of_mean(estimate, values.len(), is_ratio).expect("scatter");
            check_ends(&evidence, estimate.interval.expect("scatter"));
        }
        // R: t.test(c(1, 2, 3, 4, 10), mu = 1, alternative = "greater")$p.value is 0.06532.
        let mean = t_mean(&values).expect("values");
        let evidence = Evidence::of_mean(mean, 5, false).expect("scatter");
        assert!(
            (evidence.chance_above(1.0) - 0.065_32).abs() < 1e-5,
            "{}",
            evidence.chance_above(1.0)
        );
        assert_eq!(Evidence::of_mean(Estimate::plain(3.0), 5, false), None);
        assert_eq!(Evidence::of_mean(mean, 1, false), None);
        let from_zero = Estimate::within(0.0, 1.0, 2.0);
        assert_eq!(Evidence::of_mean(from_zero, 5, true), None, "no logarithm");
        // A bound is no evidence on its open side.
        let stopped =
            |bound| Evidence::of_mean(Estimate { bound, ..mean }, 5, false).expect("scatter");
        assert_eq!(stopped(Bound::AtMost).chance_above(1.0), 1.0);
        assert_eq!(stopped(Bound::AtLeast).chance_below(10.0), 1.0);
    }

    #[test]
    fn shares_are_judged_by_the_binomial_distribution() {
        let evidence = Evidence::Share { share: 0.1, of: 30 };
        // R: 1 - pbinom(2, 30, 0.03) is 0.0601, pbinom(3, 30, 0.3) is 0.0093.
        assert!((evidence.chance_above(0.03) - 0.060_1).abs() < 1e-3);
        assert!((evidence.chance_below(0.3) - 0.009_3).abs() < 1e-4);
        assert_eq!(evidence.chance_above(0.0), 0.0, "three were seen");
    }

    #[test]
    fn a_median_is_judged_by_signs_and_stopped_runs_count_against() {
        let mut sample = CensoredSample::default();
        (1..=10).for_each(|value| sample.push(f64::from(value), Bound::Exact));
        let evidence = Evidence::Median(sample.clone());
        assert!((evidence.chance_above(0.5) - 0.5_f64.powi(10)).abs() < 1e-12);
        assert!((evidence.chance_below(10.5) - 0.5_f64.powi(10)).abs() < 1e-12);
        assert!(evidence.chance_above(5.0) > 0.3);
        // A value at the edge is on neither side: nine or ten of ten.
        assert!((evidence.chance_above(1.0) - 11.0 / 1024.0).abs() < 1e-12);
        assert!((evidence.chance_below(10.0) - 11.0 / 1024.0).abs() < 1e-12);
        sample.push(20.0, Bound::AtLeast);
        let stopped = Evidence::Median(sample);
        assert!((stopped.chance_above(0.5) - 0.5_f64.powi(11)).abs() < 1e-12);
        // One may be anywhere above 20: ten or eleven of eleven are below 30.
        let ten_of_eleven = 12.0 / 2_f64.powi(11);
        assert!((stopped.chance_below(30.0) - ten_of_eleven).abs() < 1e-12);
    }

    #[test]
    fn holm_multiplies_by_what_is_left_and_never_falls() {
        let holm = holm(&[0.01, 0.04, 0.03]);
        let is_near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
        assert!(is_near(holm[0], 0.03) && is_near(holm[1], 0.06) && is_near(holm[2], 0.06));
    }

    #[test]
    fn a_sample_grows_with_the_square_of_what_is_missing() {
        let growth = |chance, level| Lacking { chance, level }.growth();
        // A sample exactly at the level has to grow by (2.8 / 1.96)² for a probability of 4/5.
        assert!((growth(0.05, 0.05) - 2.04).abs() < 0.01);
        assert_eq!(growth(1e-12, 0.05), 1.0);
        assert!(growth(0.9, 0.05) > 100.0);
    }

    /// Compares the cost with the simulated share of equal samples that decide after they were doubled.
    #[test]
    fn what_a_decision_costs_is_its_addition_over_its_chance() {
        let mut random = ikeru_core::Random::new("lacking", 1);
        let mut normal = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        let (shown, decides) = (2.0_f64, 2.5);
        let decided = (0..100_000).filter(|_| {
            let truth = shown + normal();
            let further = truth + normal();
            let doubled = (shown + further) / 2.0_f64.sqrt();
            doubled.abs() > decides
        });
        let counted = 1.0 / (decided.count() as f64 / 1e5);
        let level = |distance: f64| 2.0 * super::normal(-distance);
        let lacking = Lacking {
            chance: level(shown),
            level: level(decides),
        };
        let cost = lacking.cost(2.0);
        assert!((cost / counted - 1.0).abs() < 0.02, "{cost} and {counted}");
        assert!(lacking.cost(64.0) <= cost);
        assert_eq!(lacking.cost(1.5), f64::INFINITY, "no room");
        let edge = Lacking {
            chance: 1.0,
            ..lacking
        };
        assert!(edge.cost(64.0) > 5.0 * cost, "what lies at the end waits");
        // Both sides are equally likely at the end of the band.
        assert!((edge.cost(2.0) * edge.level - 1.0).abs() < 1e-6);
    }
}
