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
}

impl Claim {
    /// What `factor`, B by A, supports.
    pub(super) fn of(factor: &Factor) -> Self {
        let mean = match factor.ratios.as_slice() {
            [one] => one.side,
            _ => side(factor.estimate),
        };
        match mean.or_else(|| unanimous(&factor.ratios)) {
            Some(Ordering::Greater) => {
                let ratios = factor.ratios.iter().map(Oriented::of).collect();
                Self::smaller(Side::A, ratios, factor.estimate.value, mean.is_some())
            }
            Some(Ordering::Less) => {
                let ratios = factor.ratios.iter().map(Oriented::inverse).collect();
                let value = 1.0 / factor.estimate.value;
                Self::smaller(Side::B, ratios, value, mean.is_some())
            }
            _ => Self::both(&factor.ratios),
        }
    }

    fn smaller(side: Side, mut ratios: Vec<Oriented>, mean: f64, is_mean: bool) -> Self {
        ratios.sort_by(|a, b| a.value.total_cmp(&b.value));
        let (Some(least), Some(most)) = (ratios.first(), ratios.last()) else {
            return Self::Same;
        };
        let is_stopped = ratios.iter().any(|ratio| ratio.is_stopped);
        let is_wide = most.value > WIDE * least.value;
        let extent = if least.value <= 1.0 && (is_wide || is_stopped) {
            Extent::UpTo(most.value)
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

    /// On some questions decided one way, on others the other way, and far apart.
    fn both(ratios: &[Ratio]) -> Self {
        let decided = |order: Ordering| {
            let decided = ratios.iter().filter(move |ratio| ratio.side == Some(order));
            decided.map(|ratio| ratio.estimate.value)
        };
        let least = decided(Ordering::Less).reduce(f64::min);
        let most = decided(Ordering::Greater).reduce(f64::max);
        match (least, most) {
            (Some(least), Some(most)) if most > WIDE * least => Self::Both(1.0 / least, most),
            _ => Self::Same,
        }
    }
}

/// The side of 1 on which every question's ratio lies, each by its own samples.
fn unanimous(ratios: &[Ratio]) -> Option<Ordering> {
    let first = ratios.first()?.side?;
    let is_same = |ratio: &Ratio| ratio.side == Some(first);
    ratios.iter().all(is_same).then_some(first)
}

/// A ratio above 1 where the claimed side is smaller.
#[derive(Debug, Clone, Copy)]
struct Oriented {
    value: f64,
    /// Whether the true ratio is larger.
    is_stopped: bool,
}

impl Oriented {
    fn of(ratio: &Ratio) -> Self {
        Self {
            value: ratio.estimate.value,
            is_stopped: ratio.estimate.bound == Bound::AtLeast,
        }
    }

    fn inverse(ratio: &Ratio) -> Self {
        Self {
            value: 1.0 / ratio.estimate.value,
            is_stopped: ratio.estimate.bound == Bound::AtMost,
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

    /// Ratios with their sides, and the mean with its interval.
    fn claim(ratios: &[(f64, Bound, i32)], mean: Estimate) -> Claim {
        let ratios: Vec<Ratio> = ratios
            .iter()
            .map(|&(value, bound, side)| Ratio {
                estimate: Estimate {
                    bound,
                    ..Estimate::plain(value)
                },
                side: (side != 0).then(|| side.cmp(&0)),
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
        let open = Estimate::within(0.9, 1.8, 3.6);
        assert_eq!(
            claim(&[(1.8, exact, 0), (1.8, exact, 0)], open),
            Claim::Same
        );
        let closed = Estimate::within(1.2, 1.8, 2.7);
        let found = claim(&[(1.8, exact, 0), (1.8, exact, 0)], closed);
        assert_eq!(words(found), "1.8×");
        let reverse = Estimate::within(0.2, 0.25, 0.3);
        assert_eq!(
            words(claim(&[(0.2, exact, 0), (0.3, exact, 0)], reverse)),
            "B 4×"
        );
        // No interval of the mean, and one question that is not decided by itself.
        let plain = Estimate::plain(100.0);
        assert_eq!(
            claim(&[(100.0, exact, 1), (100.0, exact, 0)], plain),
            Claim::Same
        );
        assert_eq!(
            words(claim(&[(90.0, exact, 1), (110.0, exact, 1)], plain)),
            "90 to 110×"
        );
    }

    #[test]
    fn ratios_that_differ_much_are_a_range() {
        let exact = Bound::Exact;
        let mean = Estimate::within(10.0, 60.0, 400.0);
        let found = claim(&[(3.0, exact, 1), (1100.0, exact, 1)], mean);
        assert_eq!(words(found), "3 to 1,100×");
        let found = claim(
            &[(0.9, exact, 0), (20.0, exact, 1)],
            Estimate::within(1.1, 4.0, 15.0),
        );
        assert_eq!(words(found), "up to 20×");
        let found = claim(
            &[(0.5, exact, -1), (50.0, exact, 1)],
            Estimate::within(0.1, 5.0, 200.0),
        );
        assert_eq!(found, Claim::Both(2.0, 50.0));
    }

    #[test]
    fn at_least_is_said_of_the_smallest_ratio_alone() {
        let (exact, open) = (Bound::Exact, Bound::AtLeast);
        let mean = Estimate {
            bound: open,
            ..Estimate::within(50.0, 280.0, 700.0)
        };
        let found = claim(&[(12.0, exact, 1), (5300.0, open, 1)], mean);
        assert_eq!(words(found), "12 to over 5,300×");
        let found = claim(&[(12.0, open, 1), (5300.0, exact, 1)], mean);
        assert_eq!(words(found), "at least 12×");
        let found = claim(&[(100.0, exact, 1), (300.0, open, 1)], mean);
        assert_eq!(words(found), "at least 100×");
    }
}
