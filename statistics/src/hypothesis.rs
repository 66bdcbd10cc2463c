//! Tests of whether two samples differ, and the correction for multiple tests: pure functions of numbers.

use statrs::distribution::{ContinuousCDF, DiscreteCDF, Hypergeometric, Normal, StudentsT};

use crate::interval::normal_quantile;
use crate::{Interval, mean, sorted, to_forty_bits};

/// Up to this number of differences, the p value of the signed-rank test is exact.
const EXACT: usize = 20;

/// A test's outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    /// The statistic: t of Student, W of Wilcoxon, z of van Elteren.
    pub statistic: f64,
    /// The two-sided p value.
    pub p: f64,
}

/// Student's t-test (1908) of whether the mean of values is 0; `None` for fewer than two values, or for values without
/// scatter.
pub fn t_test(values: &[f64]) -> Option<Test> {
    let mean = mean(values)?;
    let n = values.len() as f64;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    if values.len() < 2 || error <= 1e-12 * mean.abs() {
        return None;
    }
    let t = mean / error;
    let p = 2.0 * StudentsT::new(0.0, 1.0, n - 1.0).ok()?.sf(t.abs());
    Some(Test { statistic: t, p })
}

/// Ranks from 1, ties at their mean, and Σ(t³ − t) over groups of t ties.
pub(crate) fn ranks(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut ties = 0.0;
    let mut start = 0;
    for group in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let count = group.len() as f64;
        for place in group {
            ranks[*place] = start as f64 + f64::midpoint(count, 1.0);
        }
        ties += count.powi(3) - count;
        start += group.len();
    }
    (ranks, ties)
}

/// Wilcoxon's signed-rank test (1945) of paired values without differences of 0; the statistic is the sum of positive
/// ranks. Exact up to 20 differences, otherwise by the normal approximation. `None` if no pair differs.
pub fn wilcoxon(pairs: &[(f64, f64)]) -> Option<Test> {
    // The error of a rounding makes no difference, and tears no tie.
    let difference = |(a, b): &(f64, f64)| {
        let rounding = 1e-13 * a.abs().max(b.abs());
        Some(a - b)
            .filter(|d| d.abs() > rounding)
            .map(to_forty_bits)
    };
    let differences: Vec<f64> = pairs.iter().filter_map(difference).collect();
    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    let (ranks, ties) = ranks(&sizes);
    let positive = differences.iter().zip(&ranks).filter(|(d, _)| **d > 0.0);
    let w: f64 = positive.map(|(_, rank)| rank).sum();
    if (1..=EXACT).contains(&differences.len()) {
        // Ranks of ties are multiples of one half.
        let doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank) as usize).collect();
        let p = exact((2.0 * w) as usize, &ways_of_signs(&doubled));
        return Some(Test { statistic: w, p });
    }
    let n = differences.len() as f64;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    (variance > 0.0).then(|| {
        let distance = (w - n * (n + 1.0) / 4.0).abs() - 0.5;
        let p = 2.0 * Normal::standard().sf(distance.max(0.0) / variance.sqrt());
        Test { statistic: w, p }
    })
}

/// The 95 % interval of the center of values that corresponds to [`wilcoxon`]'s test (Hodges and Lehmann 1963). Its
/// ends are means of two values. `None` for fewer than six values.
pub fn signed_rank_interval(values: &[f64]) -> Option<Interval> {
    let n = values.len();
    let critical = if n <= EXACT {
        let ways = ways_of_signs(&(1..=n).collect::<Vec<_>>());
        let all: f64 = ways.iter().sum();
        lower_tail(ways.iter().map(|ways| ways / all), 0.025)?
    } else {
        let n = n as f64;
        let spread = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
        (n * (n + 1.0) / 4.0 + normal_quantile(0.025) * spread - 0.5) as usize
    };
    let means = (0..n).flat_map(|at| {
        let others = values[at..].iter();
        others.map(move |other| f64::midpoint(values[at], *other))
    });
    let means = sorted(&means.collect::<Vec<_>>());
    Some(Interval {
        low: means[critical],
        high: means[means.len() - 1 - critical],
    })
}

/// The largest value with a lower tail of at most `tail`, by the probabilities of 0, 1, 2, …; `None` if there is none.
pub(crate) fn lower_tail(chances: impl Iterator<Item = f64>, tail: f64) -> Option<usize> {
    let mut below = 0.0;
    let is_within = |chance: &f64| {
        below += chance;
        below <= tail
    };
    chances.take_while(is_within).count().checked_sub(1)
}

/// For each sum, the number of subsets of the ranks that have it.
fn ways_of_signs(ranks: &[usize]) -> Vec<f64> {
    let mut ways = vec![0.0; ranks.iter().sum::<usize>() + 1];
    ways[0] = 1.0;
    for &rank in ranks {
        for sum in (rank..ways.len()).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    ways
}

/// The p value of the exact two-sided test: twice the smaller tail of `ways`; both tails include the statistic.
fn exact(at: usize, ways: &[f64]) -> f64 {
    let all: f64 = ways.iter().sum();
    let below: f64 = ways[..=at].iter().sum();
    let above: f64 = ways[at..].iter().sum();
    (2.0 * below.min(above) / all).min(1.0)
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

/// Fisher's exact test, one-sided: the probability that the second side has at least `failed[1]` of the failures if
/// all of the `of[0] + of[1]` samples are equally likely to fail.
pub fn fails_more(failed: [usize; 2], of: [usize; 2]) -> f64 {
    let (all, failures) = ((of[0] + of[1]) as u64, (failed[0] + failed[1]) as u64);
    let Ok(chance) = Hypergeometric::new(all, failures, of[1] as u64) else {
        return 1.0;
    };
    match failed[1] as u64 {
        0 => 1.0,
        most => chance.sf(most - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, within: f64) {
        assert!(
            (found - expected).abs() < within,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn rounding_tears_no_ties() {
        // Half of the times are a seventh, the others seven times as long: |ln 7| and |ln ⅐| differ in the last bit.
        let times =
            |slower: usize| (0..40).map(move |at| if at < slower { 7.0 } else { 1.0 / 7.0 });
        let p = |slower| {
            let pairs: Vec<_> = times(slower).map(|ratio: f64| (ratio.ln(), 0.0)).collect();
            wilcoxon(&pairs).expect("a test").p
        };
        assert_eq!(p(20), 1.0);
        assert!(
            (p(16) - p(24)).abs() < 1e-12 && (0.2..0.22).contains(&p(16)),
            "{}",
            p(16)
        );
        assert_eq!(wilcoxon(&[(20.0, 20.0 + 4e-15); 9]), None);
    }

    #[test]
    fn student_by_hand() {
        // Mean 3, variance 2.5: t = 3 / √0.5; R: 2 * pt(-4.242641, 4) = 0.01324.
        let test = t_test(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("a test");
        close(test.statistic, 4.242_640_7, 1e-6);
        close(test.p, 0.013_235, 1e-5);
        assert_eq!(t_test(&[1.0]), None);
        assert_eq!(t_test(&[0.1, 0.1, 0.1]), None);
        // One degree of freedom: p = 1 − 2/π · atan(3).
        close(t_test(&[1.0, 2.0]).expect("two values").p, 0.204_833, 1e-6);
    }

    #[test]
    fn rank_tests_agree_with_published_tables() {
        // Critical values of W at 0.05, two-sided (Wilcoxon 1945; McCornack 1965).
        for (n, critical) in [(6, 0), (7, 2), (8, 3), (10, 8), (15, 25), (20, 52)] {
            let ways = ways_of_signs(&(1..=n).collect::<Vec<_>>());
            let p = |w: usize| exact(w, &ways);
            assert!(p(critical) <= 0.05 && p(critical + 1) > 0.05, "{n}");
        }
    }

    #[test]
    fn ties_of_few_are_exact_and_large_samples_take_the_normal_limit() {
        let ones = |count: i32| -> Vec<(f64, f64)> {
            (0..count)
                .map(|at| (f64::from(at + 1), f64::from(at)))
                .collect()
        };
        // Two of 32 choices of signs are as far out.
        let test = wilcoxon(&ones(5)).expect("a test");
        close(test.statistic, 15.0, 1e-12);
        close(test.p, 2.0 / 32.0, 1e-12);
        // Sizes 1, 1 and 2 have the ranks 1.5, 1.5 and 3: sums up to 1.5 have three of eight choices.
        let test = wilcoxon(&[(0.0, 2.0), (1.0, 0.0), (0.0, 1.0)]).expect("a test");
        close(test.statistic, 1.5, 1e-12);
        close(test.p, 6.0 / 8.0, 1e-12);
        // z = (325 − 162.5 − 0.5) / 32.5.
        close(wilcoxon(&ones(25)).expect("a test").p, 6.208e-7, 1e-9);
        assert_eq!(wilcoxon(&[(1.0, 1.0)]), None);
    }

    #[test]
    fn the_signed_rank_interval_is_what_the_test_does_not_refute() {
        // R: wilcox.test(c(1, 3, 4, 6, 9, 11, 12), conf.int = TRUE): W ≤ 2 is refuted, 2 means left out.
        let values = [1.0, 3.0, 4.0, 6.0, 9.0, 11.0, 12.0];
        // Thirty values take the normal limit.
        let thirty: Vec<f64> = (1..=30).map(|at| f64::from(at).powf(1.5)).collect();
        for (values, out) in [(&values[..], 0.01), (&thirty, 1e-7)] {
            let interval = signed_rank_interval(values).expect("enough values");
            let p = |middle: f64| {
                let pairs: Vec<(f64, f64)> = values.iter().map(|value| (*value, middle)).collect();
                wilcoxon(&pairs).expect("a test").p
            };
            for (end, out) in [(interval.low, -out), (interval.high, out)] {
                assert!(p(end + out) < 0.05 && p(end - out) > 0.05, "{interval:?}");
            }
        }
        assert_eq!(signed_rank_interval(&values[..5]), None);
        let many: Vec<f64> = (0..100).map(f64::from).collect();
        let interval = signed_rank_interval(&many).expect("many values");
        assert!((43.0..45.0).contains(&interval.low), "{interval:?}");
        assert!((interval.low + interval.high - 99.0).abs() < 1e-9);
    }

    #[test]
    fn holm_multiplies_by_what_is_left_and_never_falls() {
        let holm = holm(&[0.01, 0.04, 0.03]);
        close(holm[0], 0.03, 1e-12);
        close(holm[1], 0.06, 1e-12);
        close(holm[2], 0.06, 1e-12);
    }

    #[test]
    fn failures_are_compared_by_fishers_exact_test() {
        // All five failures on one of two sides of ten: C(10, 5) / C(20, 5).
        close(fails_more([0, 5], [10, 10]), 252.0 / 15_504.0, 1e-12);
        // Three or four of four failures among six of fourteen samples: (20 · 8 + 15) / 1001.
        close(fails_more([1, 3], [8, 6]), 175.0 / 1_001.0, 1e-12);
        assert_eq!(fails_more([2, 0], [10, 10]), 1.0);
    }
}
