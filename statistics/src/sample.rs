//! Samples with censored values.
//!
//! A timeout is counted with its value at the limit. The true value is on one side of it: above it for a time or a
//! counter, on the better side for a score.

use std::borrow::Cow;

use crate::interval;
use crate::{Bound, Estimate, Interval, quantile, sorted};

/// Values of runs, some of which are censored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CensoredSample {
    /// The values.
    pub values: Vec<f64>,
    /// The side of the known values on which the true values of censored runs are.
    pub bound: Bound,
    /// The most extreme censored value: the smallest lower bound, or the largest upper bound.
    pub stopped_at: Option<f64>,
    /// The number of runs that failed, with or without a value.
    pub failed: usize,
    /// The number of runs that failed and have no value.
    pub missing: usize,
}

impl CensoredSample {
    /// Adds a value.
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

    /// Adds a failed run: it counts like a timeout at `limit`.
    pub fn push_failed(&mut self, limit: f64) {
        self.push(limit, Bound::AtLeast);
        self.failed += 1;
    }

    /// Adds a failed run without a value. It counts as worse than every value: above all values ([`Bound::AtLeast`]) or
    /// below all ([`Bound::AtMost`]); with [`Bound::Either`] its rank is unknown.
    pub fn push_missing(&mut self, worse: Bound) {
        self.bound = self.bound.and(worse);
        self.failed += 1;
        self.missing += 1;
    }

    /// The same without the runs that have no value.
    #[must_use]
    pub fn known(self) -> Self {
        Self {
            bound: self.stopped_at.map_or(Bound::Exact, |_| self.bound),
            failed: self.failed - self.missing,
            missing: 0,
            ..self
        }
    }

    /// The values, with an infinite value for each failed run that ranks above or below all values.
    pub fn ranked(&self) -> Cow<'_, [f64]> {
        let worst = match self.bound {
            Bound::AtLeast if self.missing > 0 => f64::INFINITY,
            Bound::AtMost if self.missing > 0 => f64::NEG_INFINITY,
            _ => return Cow::Borrowed(&self.values),
        };
        let mut ranked = self.values.clone();
        ranked.extend(std::iter::repeat_n(worst, self.missing));
        Cow::Owned(ranked)
    }

    /// The bound of the true value at `value`, which is one of the sorted values or between two of them.
    pub fn bound_at(&self, value: f64) -> Bound {
        if self.missing > 0 && self.bound == Bound::Either {
            return Bound::Either;
        }
        let is_stopped = self.stopped_at.is_some_and(|stopped| match self.bound {
            Bound::AtLeast => value >= stopped,
            Bound::AtMost => value <= stopped,
            Bound::Either => true,
            Bound::Exact => false,
        });
        if is_stopped { self.bound } else { Bound::Exact }
    }

    /// The median and its bound; `None` if runs without a value determine it.
    pub fn middle(&self) -> Option<(f64, Bound)> {
        let ranked = sorted(&self.ranked());
        let median = quantile(&ranked, 0.5).filter(|median| median.is_finite())?;
        Some((median, self.bound_of_median(&ranked)))
    }

    /// The bound of the median of the ascending values: the mean of the two values in the middle is a bound if one of them
    /// is.
    fn bound_of_median(&self, ranked: &[f64]) -> Bound {
        let middle = [(ranked.len() - 1) / 2, ranked.len() / 2];
        let [low, high] = middle.map(|at| self.bound_at(ranked[at]));
        low.and(high)
    }

    /// Returns whether at least half of the runs failed.
    pub fn failed_mostly(&self) -> bool {
        self.failed > 0 && 2 * self.failed >= self.values.len() + self.missing
    }

    /// Returns whether censored values determine the median.
    pub fn median_is_bound(&self) -> bool {
        self.middle()
            .is_some_and(|(_, bound)| bound != Bound::Exact)
    }

    /// The median; `None` if censored values determine it.
    pub fn answered(&self) -> Option<f64> {
        let (median, bound) = self.middle()?;
        (bound == Bound::Exact).then_some(median)
    }

    /// The median. An end of its interval that censored values determine is infinite.
    pub fn median(&self) -> Option<Estimate> {
        let ranked = sorted(&self.ranked());
        let median = interval::median(&ranked).filter(|median| median.value.is_finite())?;
        Some(Estimate {
            interval: median.interval.and_then(|interval| self.opened(interval)),
            bound: self.bound_of_median(&ranked),
            ..median
        })
    }

    /// The interval of the median, with an infinite end where censored values determine it; `None` with
    /// [`Bound::Either`].
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

    /// The mean of the values, without an interval if a value is censored or missing.
    pub fn mean(&self) -> Option<Estimate> {
        let mean = interval::t_mean(&self.values)?;
        Some(Estimate {
            interval: mean
                .interval
                .filter(|_| self.stopped_at.is_none() && self.missing == 0),
            bound: self.bound,
            ..mean
        })
    }
}

/// The units of a sample, with one value each.
#[derive(Debug, Clone, PartialEq)]
pub struct Units {
    /// A value per instance; all values if there is only one instance.
    pub sample: CensoredSample,
    /// True if the values are a sample. Answers to several questions on one instance, or by several methods, are not:
    /// they are no repeats of each other.
    pub are_a_sample: bool,
}

impl Units {
    /// The units of `instances`: the result of `middle` for each instance. The values of a single instance are the
    /// units, and they are a sample if they are `repeats` of each other.
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
        for own in &instances {
            match middle(own) {
                Some((value, bound)) => sample.push(value, bound),
                None if own.failed > 0 => sample.push_missing(own.bound),
                None => {}
            }
        }
        Self {
            sample,
            are_a_sample: true,
        }
    }

    /// The median over the units, without an interval if they are no sample.
    pub fn median(&self) -> Option<Estimate> {
        self.sample.median().map(|median| self.honest(median))
    }

    /// The mean over the units, without an interval if they are no sample.
    pub fn mean(&self) -> Option<Estimate> {
        self.sample.mean().map(|mean| self.honest(mean))
    }

    /// `estimate`, without its interval if the units are no sample.
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
        // The scores of a minimizing search, two of which are censored: upper bounds.
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
    fn failed_runs_are_worse_than_every_value() {
        let mut times = mixed(&[1.0, 2.0, 3.0], &[], Bound::Exact);
        times.push_failed(100.0);
        times.push_failed(100.0);
        assert_eq!(times.middle(), Some((3.0, Bound::Exact)));
        times.push_failed(100.0);
        assert_eq!(times.middle(), Some((51.5, Bound::AtLeast)));
        assert!(times.failed_mostly());
        // Failed runs have no counters and rank above all known ones.
        let mut counts = mixed(&[1.0, 2.0, 3.0], &[], Bound::Exact);
        counts.push_missing(Bound::AtLeast);
        counts.push_missing(Bound::AtLeast);
        assert_eq!(counts.middle(), Some((3.0, Bound::Exact)));
        assert_eq!(counts.mean().map(|mean| mean.bound), Some(Bound::AtLeast));
        counts.push_missing(Bound::AtLeast);
        assert_eq!((counts.middle(), counts.median()), (None, None));
        // Failed runs of a maximizing search rank below all scores.
        let mut scores = mixed(&[1.0, 2.0, 3.0], &[], Bound::Exact);
        scores.push_missing(Bound::AtMost);
        scores.push_missing(Bound::AtMost);
        assert_eq!(scores.middle(), Some((1.0, Bound::Exact)));
        // The rank of a missing measure is unknown.
        let mut measures = mixed(&[1.0, 2.0, 3.0], &[], Bound::Exact);
        measures.push_missing(Bound::Either);
        assert_eq!(measures.middle(), Some((2.0, Bound::Either)));
    }

    #[test]
    fn an_instance_without_an_answer_is_no_absent_instance() {
        let mut failed = CensoredSample::default();
        failed.push_missing(Bound::AtLeast);
        let solved = |value| mixed(&[value], &[], Bound::Exact);
        let of =
            |instances: Vec<CensoredSample>| Units::of(instances, true, CensoredSample::middle);
        let median = |units: Units| units.median().map(|median| median.value);
        assert_eq!(
            median(of(vec![
                solved(1.0),
                solved(2.0),
                solved(3.0),
                failed.clone(),
                failed.clone()
            ])),
            Some(3.0)
        );
        assert_eq!(median(of(vec![solved(1.0), failed.clone(), failed])), None);
    }

    #[test]
    fn an_end_or_a_middle_is_open_only_where_a_stopped_value_decides_it() {
        let scores = mixed(&[5.0], &[3.0], Bound::AtMost);
        assert_eq!(scores.middle(), Some((4.0, Bound::AtMost)));
        assert!(scores.median_is_bound() && scores.answered().is_none());
        let known = mixed(&[1.0, 2.0, 4.0], &[9.0], Bound::AtLeast);
        assert!(!known.median_is_bound() && known.answered() == Some(3.0));
        let solved: Vec<f64> = (1..=20).map(f64::from).collect();
        for (stopped, bound) in [(60.0, Bound::AtLeast), (-60.0, Bound::AtMost)] {
            let median = mixed(&solved, &[stopped], bound).median();
            let ends = median
                .and_then(|median| median.interval)
                .expect("21 values");
            assert!(ends.low > 1.0 && ends.high < 20.0, "{ends:?}");
        }
    }

    #[test]
    fn half_of_the_runs_are_most_and_missing_values_open_a_mean() {
        let mut sample = mixed(&[1.0, 2.0, 3.0], &[], Bound::Exact);
        for expected in [(false, true), (false, false), (false, false), (true, false)] {
            let interval = sample.mean().and_then(|mean| mean.interval);
            assert_eq!((sample.failed_mostly(), interval.is_some()), expected);
            sample.push_missing(Bound::AtLeast);
        }
        assert!(!CensoredSample::default().failed_mostly());
        // Each instance with a value is one unit.
        let instances = [&[1.0][..], &[4.0], &[]].map(|values| mixed(values, &[], Bound::Exact));
        for count in [2, 3] {
            let units = Units::of(instances[..count].to_vec(), false, CensoredSample::middle);
            assert_eq!((units.sample.values.len(), units.sample.missing), (2, 0));
            let mean = units.mean().expect("two values");
            assert!(mean.value == 2.5 && mean.interval.is_some());
        }
    }
}
