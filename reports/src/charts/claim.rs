//! What the ratios of two series support: a factor, a range of factors, or no difference.

use std::cmp::Ordering;

use crate::factor::{Factor, Ratio, side};
use crate::statistics::Bound;
use crate::units::rounded;

/// Ratios that differ by more than this are told as a range: their mean would belong to the choice of questions.
const WIDE: f64 = 5.0;
/// A smaller factor than this is told in percent.
const PERCENT: f64 = 1.5;

/// What may be said of the ratios B/A of two series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Claim {
    /// The interval holds 1, or there are too few samples.
    Same,
    /// One side's values are smaller by a factor or a range of factors.
    Smaller(Side, Extent),
    /// A's values are smaller by up to the second factor on some questions, larger by up to the first on others.
    Both(f64, f64),
}

/// Whose values are smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    A,
    B,
}

/// By how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Extent {
    /// A factor above 1.
    One(f64),
    /// From the smallest factor to the largest.
    Range(f64, f64),
    /// From the smallest factor to more than the largest that is known, where some were stopped.
    Over(f64, f64),
    /// The smallest factor, where it was stopped or all were.
    AtLeast(f64),
    /// The largest factor, where on some questions there is no difference or the reverse.
    UpTo(f64),
    /// The same, where it was stopped.
    UpToOver(f64),
    /// The mean, where some were stopped.
    MeanAtLeast(f64),
}

impl Claim {
    /// What `factor`, B by A, supports.
    pub(super) fn of(factor: &Factor) -> Self {
        let mean = side(factor.estimate);
        match mean.or_else(|| Ratio::common_side(&factor.ratios)) {
            Some(Ordering::Greater) => {
                let ratios = factor.ratios.iter().map(Oriented::of).collect();
                Self::smaller(Side::A, ratios, factor.estimate.value, mean.is_some())
            }
            Some(Ordering::Less) => {
                let ratios = factor.ratios.iter().map(Oriented::inverse).collect();
                let value = 1.0 / factor.estimate.value;
                Self::smaller(Side::B, ratios, value, mean.is_some())
            }
            _ => Self::some(&factor.ratios),
        }
    }

    fn smaller(side: Side, mut ratios: Vec<Oriented>, mean: f64, is_mean: bool) -> Self {
        ratios.sort_by(|a, b| a.value.total_cmp(&b.value));
        let (Some(least), Some(most)) = (ratios.first(), ratios.last()) else {
            return Self::Same;
        };
        let is_stopped = ratios.iter().any(|ratio| ratio.is_stopped);
        let is_wide = most.value > WIDE * least.value;
        let is_one = ratios.len() == 1;
        let extent = if is_mean && !is_one && ratios.iter().any(|ratio| !ratio.is_repeated) {
            // How much one sample differs from the next belongs to chance, and not to the question.
            if is_stopped {
                Extent::MeanAtLeast(mean)
            } else {
                Extent::One(mean)
            }
        } else if least.value <= 1.0 && (is_wide || is_stopped) {
            most.up_to()
        } else if least.is_stopped || (is_stopped && !is_wide) {
            Extent::AtLeast(least.value)
        } else if is_stopped {
            Extent::Over(least.value, most.value)
        } else if is_wide || !is_mean {
            Extent::Range(least.value, most.value)
        } else {
            Extent::One(mean)
        };
        Self::Smaller(side, extent)
    }

    /// Some questions are decided by their own samples, and the ratios are far apart.
    fn some(ratios: &[Ratio]) -> Self {
        let decided = |order: Ordering| {
            let is_meant =
                move |ratio: &&Ratio| ratio.side == Some(order) && ratio.is_decided(ratios.len());
            ratios.iter().filter(is_meant)
        };
        let by_value = |a: &Oriented, b: &Oriented| a.value.total_cmp(&b.value);
        let faster = decided(Ordering::Greater)
            .map(Oriented::of)
            .max_by(by_value);
        let slower = decided(Ordering::Less)
            .map(Oriented::inverse)
            .max_by(by_value);
        match (slower, faster) {
            (Some(slower), Some(faster)) if slower.value * faster.value > WIDE => {
                Self::Both(slower.value, faster.value)
            }
            (None, Some(faster)) if faster.value > WIDE => Self::Smaller(Side::A, faster.up_to()),
            (Some(slower), None) if slower.value > WIDE => Self::Smaller(Side::B, slower.up_to()),
            _ => Self::Same,
        }
    }
}

/// A ratio above 1 where the claimed side is smaller.
#[derive(Debug, Clone, Copy)]
struct Oriented {
    value: f64,
    /// Whether the true ratio is larger.
    is_stopped: bool,
    is_repeated: bool,
}

impl Oriented {
    fn up_to(self) -> Extent {
        if self.is_stopped {
            Extent::UpToOver(self.value)
        } else {
            Extent::UpTo(self.value)
        }
    }

    fn of(ratio: &Ratio) -> Self {
        Self {
            value: ratio.estimate.value,
            is_stopped: ratio.estimate.bound == Bound::AtLeast,
            is_repeated: ratio.samples > 1,
        }
    }

    fn inverse(ratio: &Ratio) -> Self {
        Self {
            value: 1.0 / ratio.estimate.value,
            is_stopped: ratio.estimate.bound == Bound::AtMost,
            is_repeated: ratio.samples > 1,
        }
    }
}

impl Extent {
    /// `12×`, `3 to 1,100×`, `3 to over 1,100×`, `at least 3×`, `up to 20×`.
    pub(super) fn words(self) -> String {
        match self {
            Self::One(factor) => times(factor),
            Self::Range(low, high) if number(low) == number(high) => times(low),
            Self::Range(low, high) => format!("{} to {}", number(low), times(high)),
            Self::Over(low, high) => format!("{} to over {}", number(low), times(high)),
            Self::AtLeast(factor) => format!("at least {}", times(factor)),
            Self::UpTo(factor) => format!("up to {}", times(factor)),
            Self::UpToOver(factor) => format!("up to over {}", times(factor)),
            Self::MeanAtLeast(factor) => format!("on average at least {}", times(factor)),
        }
    }

    /// The single factor, if it is so small that it is told in percent.
    pub(super) fn percent(self) -> Option<f64> {
        match self {
            Self::One(factor) if factor < PERCENT => Some(factor),
            _ => None,
        }
    }
}

/// Two significant digits; near 1 as many as tell it from 1.
fn number(factor: f64) -> String {
    rounded(factor, if factor < PERCENT { 3 } else { 2 })
}

/// A factor with its sign.
pub(super) fn times(factor: f64) -> String {
    number(factor) + "×"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Estimate;
    use crate::statistics::sample::Sample;

    /// Ratios, each of so many samples on both sides that are apart, and the mean with its interval.
    fn claim(ratios: &[(f64, Bound, usize)], mean: Estimate) -> Claim {
        let ratios: Vec<Ratio> = ratios
            .iter()
            .map(|&(value, bound, samples)| {
                let sample = |value: f64| Sample {
                    values: (0..samples).map(|at| value + 1e-6 * at as f64).collect(),
                    ..Sample::default()
                };
                let ratio = Ratio::of(&sample(value), &sample(1.0));
                let mut ratio = ratio.expect("two samples");
                ratio.estimate = Estimate {
                    bound,
                    ..Estimate::plain(value)
                };
                ratio
            })
            .collect();
        Claim::of(&Factor {
            estimate: mean,
            questions: ratios.len(),
            instances: ratios.len(),
            ratios,
        })
    }

    fn words(claim: Claim) -> String {
        match claim {
            Claim::Same => "same".to_owned(),
            Claim::Smaller(Side::A, extent) => extent.words(),
            Claim::Smaller(Side::B, extent) => format!("B {}", extent.words()),
            Claim::Both(slower, faster) => format!("{slower} {faster}"),
        }
    }

    #[test]
    fn an_interval_that_holds_one_supports_no_difference() {
        let exact = Bound::Exact;
        let found = |ratios: &[(f64, Bound, usize)], mean| words(claim(ratios, mean));
        let two = [(1.8, exact, 1), (1.8, exact, 1)];
        assert_eq!(found(&two, Estimate::within(0.9, 1.8, 3.6)), "same");
        assert_eq!(found(&two, Estimate::within(1.2, 1.8, 2.7)), "1.8×");
        let reverse = [(0.2, exact, 1), (0.3, exact, 1)];
        assert_eq!(found(&reverse, Estimate::within(0.2, 0.25, 0.3)), "B 4×");
    }

    #[test]
    fn without_an_interval_samples_that_chance_would_rarely_part_support_a_range() {
        let exact = Bound::Exact;
        let found = |ratios: &[(f64, Bound, usize)]| words(claim(ratios, Estimate::plain(100.0)));
        // One in 20 on either side is not rare, twice one in 20 is.
        assert_eq!(found(&[(100.0, exact, 3)]), "same");
        assert_eq!(found(&[(90.0, exact, 3), (110.0, exact, 3)]), "90 to 110×");
        assert_eq!(found(&[(100.0, exact, 4)]), "100×");
        assert_eq!(found(&[(90.0, exact, 6), (0.5, exact, 6)]), "2 90");
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
        let found = claim(&[(0.9, exact, 4), (20.0, exact, 4)], mean);
        assert_eq!(words(found), "up to 20×");
    }

    #[test]
    fn single_samples_of_many_instances_support_their_mean() {
        let (exact, open) = (Bound::Exact, Bound::AtLeast);
        let mean = Estimate::within(1.1, 1.3, 1.5);
        let games = [(11.0, exact, 1), (0.9, exact, 1), (1.1, exact, 1)];
        assert_eq!(words(claim(&games, mean)), "1.3×");
        let stopped = [(11.0, open, 1), (0.9, exact, 1)];
        assert_eq!(words(claim(&stopped, mean)), "on average at least 1.3×");
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
