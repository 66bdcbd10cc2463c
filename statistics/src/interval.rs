//! 95 % intervals, and the smallest sample for which each exists.
//!
//! | of | method | smallest sample |
//! |---|---|---|
//! | a median | order statistics, exact binomial coverage for any distribution | 6 |
//! | a mean, a geometric mean | Student's t, of the logarithms for the latter | 2 that differ |
//! | a share | Wilson 1927 | 1 |
//!
//! A smaller sample has no interval. No interval uses resampling, so equal samples have equal intervals.

use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

use crate::{Estimate, Interval, mean, quantile, sorted};

/// The smallest number of values with an interval of their median: five values are all on one side of the median with
/// a probability of 2/2⁵, more than 5 %.
pub const FEWEST: usize = 6;

/// The probability of a miss at one end.
pub const TAIL: f64 = 0.025;

/// The median of `values`; `None` of no values.
pub fn median(values: &[f64]) -> Option<Estimate> {
    let values = sorted(values);
    let median = quantile(&values, 0.5)?;
    Some(Estimate::of(median, order_statistics(&values)))
}

/// The interval between two of the ascending values: the median is beyond each end with a probability of at most [`TAIL`].
fn order_statistics(sorted: &[f64]) -> Option<Interval> {
    let outside = outside(sorted.len())?;
    Some(Interval {
        low: sorted[outside],
        high: sorted[sorted.len() - 1 - outside],
    })
}

/// The number of lowest values, and equally of highest values, outside the interval; `None` if even the range of all
/// values is too narrow.
fn outside(size: usize) -> Option<usize> {
    let below = Binomial::new(0.5, size as u64).ok()?;
    let is_rare = |count: u64| below.cdf(count) <= TAIL;
    if size == 0 || !is_rare(0) {
        return None;
    }
    // The exact count is next to its normal approximation.
    let n = size as f64;
    let mut count = (0.5 * (n + normal_quantile(TAIL) * n.sqrt())).max(0.0) as u64;
    while !is_rare(count) {
        count -= 1;
    }
    while is_rare(count + 1) {
        count += 1;
    }
    Some(count as usize)
}

/// The mean of `values` with Student's t interval; `None` of no values. Values without scatter have no interval, as
/// their error is unknown.
pub fn t_mean(values: &[f64]) -> Option<Estimate> {
    t_mean_at(values, 2.0 * TAIL)
}

/// The same with an interval that misses the mean with the probability `level`.
pub fn t_mean_at(values: &[f64], level: f64) -> Option<Estimate> {
    let mean = mean(values)?;
    let half = t_half_width(values, mean, level);
    let interval = half.map(|half| Interval::around(mean, half));
    Some(Estimate::of(mean, interval))
}

/// The quantile of Student's distribution that is exceeded on both sides together with the probability `level`; `None`
/// without a degree of freedom.
pub fn student(level: f64, freedom: f64) -> Option<f64> {
    let distribution = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some(distribution.inverse_cdf(1.0 - 0.5 * level))
}

fn t_half_width(values: &[f64], mean: f64, level: f64) -> Option<f64> {
    let n = values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    // The deviations of equal values are rounding errors, no scatter.
    let rounding = 1e-12 * mean.abs() * n.sqrt();
    if values.len() < 2 || squares.sqrt() <= rounding {
        return None;
    }
    Some(student(level, n - 1.0)? * (squares / (n - 1.0) / n).sqrt())
}

/// The geometric mean of positive values, with the t interval of their logarithms; `None` of no values, or if a value
/// is not positive.
pub fn geometric_mean(values: &[f64]) -> Option<Estimate> {
    let logs: Option<Vec<f64>> = values
        .iter()
        .map(|value| (*value > 0.0).then(|| value.ln()))
        .collect();
    Some(t_mean(&logs?)?.map(f64::exp))
}

/// A share of `whole` trials with Wilson's interval; `None` of no trials.
///
/// The mean share of `whole` groups scatters at most as much as a share of `whole` trials, so the interval is also wide
/// enough for it.
pub fn share(share: f64, whole: usize) -> Option<Estimate> {
    if whole == 0 {
        return None;
    }
    let n = whole as f64;
    let z = normal_quantile(1.0 - TAIL);
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let low = (middle - half).clamp(0.0, share);
    let high = (middle + half).clamp(share, 1.0);
    Some(Estimate::within(low, share, high))
}

/// The quantile of the standard normal distribution.
pub fn normal_quantile(share: f64) -> f64 {
    Normal::standard().inverse_cdf(share)
}

/// The distribution function of the standard normal distribution.
pub fn normal(value: f64) -> f64 {
    Normal::standard().cdf(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(estimate: Option<Estimate>) -> Option<(f64, f64)> {
        let interval = estimate.expect("a value").interval?;
        Some((interval.low, interval.high))
    }

    fn close(found: Option<(f64, f64)>, low: f64, high: f64) {
        let (a, b) = found.expect("an interval");
        assert!((a - low).abs() < 1e-4 && (b - high).abs() < 1e-4, "{a} {b}");
    }

    #[test]
    fn medians_have_the_published_order_statistics() {
        // Conover 1999, table A3, p = 0.5: the places of the 95 % interval, from 1.
        for (size, place) in [
            (6, 1),
            (8, 1),
            (9, 2),
            (10, 2),
            (12, 3),
            (15, 4),
            (20, 6),
            (25, 8),
            (50, 18),
            (100, 40),
        ] {
            assert_eq!(outside(size), Some(place - 1), "{size}");
        }
        for size in [1_000_u64, 20_001] {
            let outside = outside(size as usize).expect("many") as u64;
            let below = Binomial::new(0.5, size).expect("a distribution");
            assert!(below.cdf(outside) <= TAIL && below.cdf(outside + 1) > TAIL);
        }
        let values: Vec<f64> = (1..=9).rev().map(f64::from).collect();
        assert_eq!(ends(median(&values)), Some((2.0, 8.0)));
    }

    #[test]
    fn what_is_too_small_has_no_interval() {
        assert_eq!(median(&[]), None);
        for size in 1..FEWEST {
            let values: Vec<f64> = (1..=size).map(|value| value as f64).collect();
            assert_eq!(ends(median(&values)), None, "{size}");
        }
        assert_eq!(ends(t_mean(&[2.0])), None);
        assert_eq!(ends(t_mean(&[0.1; 7])), None, "no scatter");
        assert_eq!(ends(t_mean(&[2e9 / 7.0; 7])), None, "a rounding error");
        assert_eq!(ends(geometric_mean(&[2.0])), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
        assert_eq!(t_mean(&[]), None);
        assert_eq!(share(0.0, 0), None);
    }

    #[test]
    fn means_have_t_intervals() {
        // R: t.test(c(1, 2, 3, 4, 10))$conf.int is -0.3899 and 8.3899.
        close(ends(t_mean(&[1.0, 2.0, 3.0, 4.0, 10.0])), -0.3899, 8.3899);
        // One degree of freedom: 12.7062 · 0.5.
        close(ends(t_mean(&[1.0, 2.0])), -4.853_10, 7.853_10);
        let mean = geometric_mean(&[1.0, 4.0, 2.0]).expect("positive");
        assert!((mean.value - 2.0).abs() < 1e-12);
        // exp(ln 2 ± 4.302653 · ln 2 / √3).
        close(ends(Some(mean)), 0.357_462, 11.189_997);
    }

    #[test]
    fn shares_have_wilsons_interval_of_positive_width() {
        // R: binom::binom.confint(2, 6, methods = "wilson") is 0.0968 and 0.7000; of 3 in 3 0.4385 and 1.
        close(ends(share(2.0 / 6.0, 6)), 0.0968, 0.7000);
        close(ends(share(1.0, 3)), 0.4385, 1.0);
        close(ends(share(0.0, 3)), 0.0, 0.5615);
    }
}
