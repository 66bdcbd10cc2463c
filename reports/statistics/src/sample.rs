//! Values of which some are bounds.
//!
//! A run that stopped at its limit counts with the value that it had then. The true one lies on one
//! side of it: a time or a counter above it, a score on the side that is better.

use crate::interval::{self, one_of_two, quotient};
use crate::{Bound, Estimate, Interval, median, sorted};

/// Values of runs that ended or were stopped.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CensoredSample {
    /// The values.
    pub values: Vec<f64>,
    /// How the true values of stopped runs lie to those that are known.
    pub bound: Bound,
    /// The stopped value nearest to the others: the smallest one that is a lower bound, the largest
    /// one that is an upper bound.
    pub stopped_at: Option<f64>,
}

impl CensoredSample {
    /// One more value.
    pub fn push(&mut self, value: f64, bound: Bound) {
        self.values.push(value);
        if bound == Bound::Exact {
            return;
        }
        self.bound = self.bound.and(bound);
        let known = self.stopped_at.unwrap_or(value);
        self.stopped_at = Some(match self.bound {
            Bound::AtMost => known.max(value),
            _ => known.min(value),
        });
    }

    /// How the true value lies to `value`, one of the sorted values or between two of them.
    pub fn bound_at(&self, value: f64) -> Bound {
        let is_stopped = self.stopped_at.is_some_and(|stopped| match self.bound {
            Bound::AtLeast => value >= stopped,
            Bound::AtMost => value <= stopped,
            Bound::Either => true,
            Bound::Exact => false,
        });
        if is_stopped { self.bound } else { Bound::Exact }
    }

    /// The median, and how the true one lies to it.
    pub fn middle(&self) -> Option<(f64, Bound)> {
        let median = median(&self.values)?;
        Some((median, self.bound_at(median)))
    }

    /// Whether stopped runs decide the median.
    pub fn median_is_bound(&self) -> bool {
        self.middle()
            .is_some_and(|(_, bound)| bound != Bound::Exact)
    }

    /// The median, unless stopped runs decide it.
    pub fn answered(&self) -> Option<f64> {
        let (median, bound) = self.middle()?;
        (bound == Bound::Exact).then_some(median)
    }

    /// The median. An end of its interval that stopped rows decide is not known.
    pub fn median(&self) -> Option<Estimate> {
        let median = interval::median(&self.values)?;
        Some(Estimate {
            interval: median.interval.and_then(|interval| self.opened(interval)),
            bound: self.bound_at(median.value),
            ..median
        })
    }

    /// An interval of the median, of which an end that stopped rows decide is not known.
    fn opened(&self, interval: Interval) -> Option<Interval> {
        match self.bound {
            Bound::AtLeast if self.bound_at(interval.high) != Bound::Exact => Some(Interval {
                high: f64::INFINITY,
                ..interval
            }),
            Bound::AtMost if self.bound_at(interval.low) != Bound::Exact => Some(Interval {
                low: f64::NEG_INFINITY,
                ..interval
            }),
            Bound::Either => None,
            _ => Some(interval),
        }
    }

    /// The mean.
    pub fn mean(&self) -> Option<Estimate> {
        let mean = interval::t_mean(&self.values)?;
        Some(Estimate {
            interval: mean.interval.filter(|_| self.stopped_at.is_none()),
            bound: self.bound,
            ..mean
        })
    }

    /// The median of this sample by that of another; `None` where both medians are bounds, of which
    /// the quotient tells nothing, and where it has no value.
    pub fn ratio(&self, divisor: &Self) -> Option<Estimate> {
        // Sorted once: each of the steps below sorts what it gets.
        let sides = [self, divisor].map(|sample| Self {
            values: sorted(&sample.values),
            ..*sample
        });
        let ratio = interval::ratio_of_medians(&sides[0].values, &sides[1].values)?;
        let bound_of = |sample: &Self| sample.middle().map_or(Bound::Exact, |(_, bound)| bound);
        let [own, other] = [bound_of(&sides[0]), bound_of(&sides[1])];
        let bound = own.over(other);
        if own != Bound::Exact && other != Bound::Exact {
            return None;
        }
        let [above, below] = sides
            .map(|sample| one_of_two(&sample.values).and_then(|interval| sample.opened(interval)));
        Some(Estimate {
            interval: quotient(above, below),
            bound,
            ..ratio
        })
    }
}

/// What is sampled, one value each.
#[derive(Debug, Clone, PartialEq)]
pub struct Units {
    /// A value per instance where there are several; of one instance its values.
    pub sample: CensoredSample,
    /// Whether the values are a sample of anything. Answers of one instance to several
    /// questions, or by several methods, are no repeats of each other.
    pub are_a_sample: bool,
}

impl Units {
    /// Of each of several instances what `middle` makes of its values. The values of a single one are a sample
    /// themselves if they are `repeats` of each other.
    pub fn of(
        mut instances: Vec<CensoredSample>,
        repeats: bool,
        middle: impl Fn(&CensoredSample) -> Option<(f64, Bound)>,
    ) -> Self {
        if instances.len() < 2 {
            return Self {
                sample: instances.pop().unwrap_or_default(),
                are_a_sample: repeats,
            };
        }
        let mut sample = CensoredSample::default();
        for (value, bound) in instances.iter().filter_map(middle) {
            sample.push(value, bound);
        }
        Self {
            sample,
            are_a_sample: true,
        }
    }

    /// The median over the units, without an interval where they are no sample.
    pub fn median(&self) -> Option<Estimate> {
        self.sample.median().map(|median| self.honest(median))
    }

    /// The mean over the units, without an interval where they are no sample.
    pub fn mean(&self) -> Option<Estimate> {
        self.sample.mean().map(|mean| self.honest(mean))
    }

    /// `estimate`, without its interval where the units are no sample.
    pub fn honest(&self, estimate: Estimate) -> Estimate {
        Estimate {
            interval: estimate.interval.filter(|_| self.are_a_sample),
            ..estimate
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[(f64, Bound)]) -> CensoredSample {
        let mut sample = CensoredSample::default();
        values
            .iter()
            .for_each(|(value, bound)| sample.push(*value, *bound));
        sample
    }

    fn mixed(solved: &[f64], stopped: &[f64], bound: Bound) -> CensoredSample {
        let solved = solved.iter().map(|value| (*value, Bound::Exact));
        let stopped = stopped.iter().map(|value| (*value, bound));
        sample(&solved.chain(stopped).collect::<Vec<_>>())
    }

    #[test]
    fn an_end_that_timeouts_decide_is_not_known() {
        let solved: Vec<f64> = (1..=8).map(f64::from).collect();
        let median = mixed(&solved, &[60.0, 60.0], Bound::AtLeast).median();
        let median = median.expect("values");
        assert_eq!((median.value, median.bound), (5.5, Bound::Exact));
        let interval = median.interval.expect("ten values");
        assert_eq!((interval.low, interval.high), (2.0, f64::INFINITY));
        // The scores of a minimizing search, of which two were stopped: upper bounds, thus large.
        let scores = mixed(&solved, &[3.0, 4.0], Bound::AtMost).median();
        let scores = scores.expect("values");
        assert_eq!((scores.value, scores.bound), (4.0, Bound::AtMost));
        assert_eq!(
            scores.interval.map(|interval| interval.low),
            Some(f64::NEG_INFINITY)
        );
        let unknown = mixed(&solved, &[3.0], Bound::Either).median();
        assert_eq!(unknown.and_then(|median| median.interval), None);
    }

    #[test]
    fn ratios_are_bounds_on_the_side_that_was_stopped() {
        let solved = mixed(&[1.0, 2.0, 3.0], &[], Bound::AtLeast);
        let stopped = mixed(&[], &[60.0], Bound::AtLeast);
        let bound = |ratio: Option<Estimate>| ratio.map(|ratio| ratio.bound);
        assert_eq!(bound(stopped.ratio(&solved)), Some(Bound::AtLeast));
        assert_eq!(bound(solved.ratio(&stopped)), Some(Bound::AtMost));
        assert_eq!(bound(stopped.ratio(&stopped)), None);
    }
}
