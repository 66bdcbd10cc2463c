//! Two independent samples by their ranks (Mann and Whitney 1947): the interval of the shift from one
//! to the other.

use ikeru_statistics::interval::normal_quantile;
use ikeru_statistics::{Interval, sorted};
use statrs::function::gamma::ln_gamma;

/// The distribution of U is counted up to this number of values; above it, the normal limit is used.
const EXACT_SIZE: usize = 40;

/// The largest U with a lower tail of at most `tail`, for samples of `n` and `m` values without ties; `None` if there is none.
fn critical(n: usize, m: usize, tail: f64) -> Option<usize> {
    let pairs = (n * m) as f64;
    if n + m > EXACT_SIZE {
        let deviation = (pairs * (n + m + 1) as f64 / 12.0).sqrt();
        // With the correction for continuity.
        let critical = 0.5 * pairs + normal_quantile(tail) * deviation - 0.5;
        return (critical >= 0.0).then_some(critical as usize);
    }
    let ways = ways(n, m);
    let all: f64 = ways.iter().sum();
    let mut below = 0.0;
    let is_within = |ways: &&f64| {
        below += **ways / all;
        below <= tail
    };
    ways.iter().take_while(is_within).count().checked_sub(1)
}

/// For each U, the number of choices of `n` of the ranks 1 to `n + m` that have it.
fn ways(n: usize, m: usize) -> Vec<f64> {
    // The choices of `chosen` ranks among those so far, by their sum.
    let most = n * (n + 2 * m + 1) / 2;
    let mut ways = vec![vec![0.0; most + 1]; n + 1];
    ways[0][0] = 1.0;
    for rank in 1..=n + m {
        for chosen in (1..=n.min(rank)).rev() {
            let (before, here) = ways.split_at_mut(chosen);
            for sum in rank..=most {
                here[0][sum] += before[chosen - 1][sum - rank];
            }
        }
    }
    ways[n].split_off(n * (n + 1) / 2)
}

/// The interval of the shift from the values of `b` to those of `a`, which misses it with a probability of at most `level`: the
/// shifts that Mann and Whitney's test does not refute. `None` if the samples are too small. An infinite value is one of which
/// only a bound is known; the difference of two of them may be any.
pub fn shift(a: &[f64], b: &[f64], level: f64) -> Option<Interval> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let outside = critical(a.len(), b.len(), 0.5 * level)?;
    let all = a.iter().flat_map(|a| b.iter().map(move |b| a - b));
    let all: Vec<f64> = all.collect();
    let with = |unknown: f64| {
        let all = all.iter().map(|it| if it.is_nan() { unknown } else { *it });
        sorted(&all.collect::<Vec<_>>())
    };
    Some(Interval {
        low: with(f64::NEG_INFINITY)[outside],
        high: with(f64::INFINITY)[all.len() - 1 - outside],
    })
}

/// The smallest two-sided p value of samples of these sizes: that of samples that are apart.
pub fn least_p(n: usize, m: usize) -> f64 {
    let ln_factorial = |n: usize| ln_gamma(n as f64 + 1.0);
    let ln_ways = ln_factorial(n + m) - ln_factorial(n) - ln_factorial(m);
    (2.0 * (-ln_ways).exp()).min(1.0)
}

/// The probability, for the distribution of which it is largest, that `n` values are equal, and `m` values are equal and
/// larger: that of tossing one side of a coin n times and then the other m times.
pub fn constants_apart(n: usize, m: usize) -> f64 {
    let share = |part: usize| (part as f64 / (n + m) as f64).powi(part as i32);
    share(n) * share(m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_are_those_of_the_tables() {
        // The largest U that is significant at 0.05, two-sided (Mann and Whitney 1947; Milton 1964).
        for (n, m, expected) in [
            (5, 5, 2),
            (8, 8, 13),
            (10, 10, 23),
            (7, 12, 18),
            (20, 20, 127),
        ] {
            assert_eq!(critical(n, m, 0.025), Some(expected), "{n}, {m}");
        }
        assert_eq!(critical(3, 3, 0.025), None);
        // C(10, 5) choices, and no jump to the normal limit.
        assert_eq!(ways(5, 5).iter().sum::<f64>(), 252.0);
        let both = [20, 21].map(|n| critical(n, n, 0.025).expect("many values"));
        assert!((10..=20).contains(&(both[1] - both[0])), "{both:?}");
    }

    #[test]
    fn the_ends_of_a_shift_are_differences() {
        let a: Vec<f64> = (7..15).map(f64::from).collect();
        let b: Vec<f64> = (-3..5).map(f64::from).collect();
        // U ≤ 13 is refuted: the 14th of the 64 differences from either end.
        let ends = shift(&a, &b, 0.05).expect("enough values");
        assert_eq!((ends.low, ends.high), (7.0, 13.0));
        assert_eq!(shift(&a[..3], &b[..3], 0.05), None);
        // Two of five values are bounds: they may be as large as one likes.
        let stopped = [7.0, 8.0, 9.0, f64::INFINITY, f64::INFINITY];
        let ends = shift(&stopped, &b, 0.05).expect("enough values");
        assert_eq!((ends.low, ends.high), (6.0, f64::INFINITY));
        let both = shift(&stopped, &stopped, 0.05).expect("enough values");
        assert_eq!((both.low, both.high), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(shift(&[], &b, 0.05), None);
    }

    #[test]
    fn the_smallest_p_is_that_of_samples_apart() {
        assert!((least_p(3, 3) - 0.1).abs() < 1e-12);
        assert!(least_p(1, 1) > 0.999_999);
        assert!((constants_apart(2, 2) - 1.0 / 16.0).abs() < 1e-12);
    }
}
