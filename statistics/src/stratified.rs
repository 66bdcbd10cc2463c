//! Comparison of two sides within each of several questions (strata): van Elteren's test (1960), and the corresponding
//! interval of a common ratio (Hodges and Lehmann 1963).
//!
//! The ranks of B's values in each stratum are summed over the strata with weights. If both sides are equal in
//! distribution, every choice of ranks within a stratum is equally likely: for small samples, all choices are
//! counted, ties included. The weights are van Elteren's, 1/(n + m + 1), rounded to multiples of the smallest weight.
//! They depend on the sizes only, so the test keeps its level.

use std::collections::HashMap;

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::gamma::ln_gamma;

use crate::hypothesis::{self, Test, lower_tail};
use crate::interval::normal_quantile;
use crate::{Estimate, Interval, median, sorted};

/// The distribution is exact if no stratum has more values than this, …
const EXACT_SIZE: usize = 40;

/// … and if the largest value of the statistic is at most this.
const EXACT_RANGE: usize = 8_000;

/// The values of both sides on one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stratum {
    /// The values of side A.
    pub a: Vec<f64>,
    /// The values of side B.
    pub b: Vec<f64>,
}

impl Stratum {
    fn size(&self) -> usize {
        self.a.len() + self.b.len()
    }

    /// The values of both sides, A's first.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        self.a.iter().chain(&self.b).copied()
    }

    /// The smallest and the largest value of either side; `None` without values.
    pub fn ends(&self) -> Option<(f64, f64)> {
        self.values()
            .reduce(f64::min)
            .zip(self.values().reduce(f64::max))
    }

    fn map(&self, of: impl Fn(f64) -> f64) -> Self {
        let side = |values: &[f64]| values.iter().map(|value| of(*value)).collect();
        Self {
            a: side(&self.a),
            b: side(&self.b),
        }
    }

    /// Twice the ranks of all values, with mean ranks for ties, so that they are whole numbers; A's values come first.
    fn scores(&self) -> Vec<usize> {
        let (ranks, _) = hypothesis::ranks(&self.values().collect::<Vec<_>>());
        ranks.iter().map(|rank| (2.0 * rank) as usize).collect()
    }
}

/// The scores of a stratum; the last `m` are B's.
struct RankedStratum {
    scores: Vec<usize>,
    m: usize,
    weight: usize,
}

impl RankedStratum {
    /// The number of pairs of a value of A and a value of B.
    fn pairs(&self) -> usize {
        self.m * (self.scores.len() - self.m)
    }

    /// Twice U of B.
    fn statistic(&self) -> usize {
        let own = self.scores.iter().rev().take(self.m);
        own.sum::<usize>() - self.m * (self.m + 1)
    }

    /// The variance of twice U, ties included.
    fn variance(&self) -> f64 {
        let size = self.scores.len() as f64;
        let from_middle = |score: &usize| (*score as f64 - size - 1.0).powi(2);
        let squares: f64 = self.scores.iter().map(from_middle).sum();
        self.pairs() as f64 * squares / (size * (size - 1.0))
    }
}

/// The null distribution of the statistic: twice U of B, summed over the strata with their weights.
struct Null {
    /// The probability of each value, if the distribution is exact.
    chances: Option<Vec<f64>>,
    mean: f64,
    deviation: f64,
}

impl Null {
    fn of(strata: &[RankedStratum]) -> Self {
        let of_all = |of: fn(&RankedStratum) -> f64| strata.iter().map(of).sum::<f64>();
        let range: usize = strata.iter().map(|own| 2 * own.weight * own.pairs()).sum();
        let is_small = |own: &RankedStratum| own.scores.len() <= EXACT_SIZE;
        let is_exact = range <= EXACT_RANGE && strata.iter().all(is_small);
        Self {
            chances: is_exact.then(|| counted(strata)),
            mean: of_all(|own| (own.weight * own.pairs()) as f64),
            deviation: of_all(|own| (own.weight as f64).powi(2) * own.variance()).sqrt(),
        }
    }

    /// The two-sided p value: twice the smaller tail; both tails include the statistic.
    fn p(&self, statistic: usize) -> f64 {
        let tail = if let Some(chances) = &self.chances {
            let below: f64 = chances[..=statistic].iter().sum();
            let above: f64 = chances[statistic..].iter().sum();
            below.min(above)
        } else {
            let distance = ((statistic as f64 - self.mean).abs() - 1.0).max(0.0);
            Normal::standard().sf(distance / self.deviation)
        };
        (2.0 * tail).min(1.0)
    }

    /// The largest value with a lower tail of at most `tail`; `None` if there is none.
    fn critical(&self, tail: f64) -> Option<usize> {
        let Some(chances) = &self.chances else {
            let critical = self.mean + normal_quantile(tail) * self.deviation - 1.0;
            return (critical >= 0.0).then_some(critical as usize);
        };
        lower_tail(chances.iter().copied(), tail)
    }
}

/// The probability of each value of the statistic, by counting.
fn counted(strata: &[RankedStratum]) -> Vec<f64> {
    let mut known: HashMap<(Vec<usize>, usize), Vec<f64>> = HashMap::new();
    let mut chances = vec![1.0];
    for own in strata {
        let mut sorted = own.scores.clone();
        sorted.sort_unstable();
        let of_own = known
            .entry((sorted, own.m))
            .or_insert_with_key(|(scores, m)| of_stratum(scores, *m));
        chances = sum(&chances, of_own, own.weight);
    }
    chances
}

/// The probability of each value of 2U if `m` of the ascending scores are chosen at random.
fn of_stratum(scores: &[usize], m: usize) -> Vec<f64> {
    let most: usize = scores.iter().rev().take(m).sum();
    let mut ways = vec![vec![0.0; most + 1]; m + 1];
    ways[0][0] = 1.0;
    for (seen, score) in scores.iter().enumerate() {
        for chosen in (1..=m.min(seen + 1)).rev() {
            let (before, here) = ways.split_at_mut(chosen);
            for sum in (*score..=most).rev() {
                here[0][sum] += before[chosen - 1][sum - score];
            }
        }
    }
    let all: f64 = ways[m].iter().sum();
    let least = m * (m + 1);
    let range = 2 * m * (scores.len() - m);
    (least..=least + range)
        .map(|sum| ways[m].get(sum).map_or(0.0, |ways| ways / all))
        .collect()
}

/// The distribution of the sum of a value of `a` and `weight` times a value of `b`.
fn sum(a: &[f64], b: &[f64], weight: usize) -> Vec<f64> {
    let mut sums = vec![0.0; a.len() + weight * (b.len() - 1)];
    for (value, chance) in b.iter().enumerate().filter(|(_, chance)| **chance > 0.0) {
        for (sum, other) in sums[weight * value..].iter_mut().zip(a) {
            *sum += chance * other;
        }
    }
    sums
}

/// The scores and weights of strata, which must have values on both sides.
fn ranked(strata: &[&Stratum], scores: fn(&Stratum) -> Vec<usize>) -> Vec<RankedStratum> {
    let largest = strata.iter().map(|stratum| stratum.size()).max();
    let largest = (1 + largest.unwrap_or(0)) as f64;
    strata
        .iter()
        .map(|stratum| RankedStratum {
            scores: scores(stratum),
            m: stratum.b.len(),
            weight: (largest / (stratum.size() + 1) as f64).round() as usize,
        })
        .collect()
}

fn with_both_sides(strata: &[Stratum]) -> Vec<&Stratum> {
    let has_both = |stratum: &&Stratum| !stratum.a.is_empty() && !stratum.b.is_empty();
    strata.iter().filter(has_both).collect()
}

/// Tests whether B's values are higher or lower than A's on the same questions. The statistic is in standard
/// deviations, positive if B's values are higher. `None` if no stratum has values on both sides, or if the values of
/// each stratum are all equal.
pub fn van_elteren(strata: &[Stratum]) -> Option<Test> {
    let ranked = ranked(&with_both_sides(strata), Stratum::scores);
    let statistic = ranked.iter().map(|own| own.weight * own.statistic()).sum();
    let null = Null::of(&ranked);
    (null.deviation > 0.0).then(|| Test {
        statistic: (statistic as f64 - null.mean) / null.deviation,
        p: null.p(statistic),
    })
}

/// The smallest p value that [`van_elteren`] can reach with strata of these sizes (values of A, values of B): that of
/// strata in which all of B's values are the highest.
pub fn least_p(sizes: impl IntoIterator<Item = (usize, usize)>) -> f64 {
    let ln_ways = |(n, m): (usize, usize)| {
        let ln_factorial = |n: usize| ln_gamma(n as f64 + 1.0);
        ln_factorial(n + m) - ln_factorial(n) - ln_factorial(m)
    };
    let ln_all: f64 = sizes.into_iter().map(ln_ways).sum();
    (2.0 * (-ln_all).exp()).min(1.0)
}

/// The probability, for the distribution of which it is largest, that `n` values are equal, and `m` values are equal and
/// larger: that of tossing one side of a coin n times and then the other m times.
pub fn constants_apart(n: usize, m: usize) -> f64 {
    let share = |part: usize| (part as f64 / (n + m) as f64).powi(part as i32);
    share(n) * share(m)
}

/// The upper end of the 95 % interval of the common ratio of B's values to A's: the test rejects every larger ratio.
/// All values must be positive; infinite ones are allowed. `None` if the samples are too small for 95 %.
pub fn upper_end(strata: &[Stratum]) -> Option<f64> {
    let strata = with_both_sides(strata);
    let untied = |stratum: &Stratum| (1..=stratum.size()).map(|rank| 2 * rank).collect();
    let ranked = ranked(&strata, untied);
    let critical = Null::of(&ranked).critical(0.025)?;
    let sides: Vec<[Vec<f64>; 2]> = strata
        .iter()
        .map(|stratum| [sorted(&stratum.a), sorted(&stratum.b)])
        .collect();
    // Counts the pairs in which B's value divided by `ratio` is above A's value.
    let is_refuted = |ratio: f64| {
        let above = |([a, b], own): (&[Vec<f64>; 2], &RankedStratum)| {
            let below = |b: &f64| a.partition_point(|a| a * ratio < *b);
            2 * own.weight * b.iter().map(below).sum::<usize>()
        };
        sides.iter().zip(&ranked).map(above).sum::<usize>() <= critical
    };
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for [a, b] in &sides {
        if let (Some((least, most)), Some((lowest, highest))) = (extremes(a), extremes(b)) {
            low = low.min(0.5 * lowest / most);
            high = high.max(2.0 * highest / least);
        }
    }
    if low > high || !is_refuted(high) {
        return Some(f64::INFINITY);
    }
    // The smallest ratio that is rejected, to the last digit.
    while high > low * (1.0 + 1e-14) {
        let middle = (low * high).sqrt();
        if is_refuted(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// The first and the last of ascending values that are positive and finite.
fn extremes(sorted: &[f64]) -> Option<(f64, f64)> {
    let mut known = sorted
        .iter()
        .filter(|value| **value > 0.0 && value.is_finite());
    let first = *known.next()?;
    Some((first, *known.next_back().unwrap_or(&first)))
}

/// The 95 % interval of the common ratio of B's values to A's over all questions. All values must be positive. `None`
/// if the samples are too small.
pub fn common_ratio(strata: &[Stratum]) -> Option<Interval> {
    let swapped: Vec<Stratum> = strata.iter().map(swapped).collect();
    Some(Interval {
        low: 1.0 / upper_end(&swapped)?,
        high: upper_end(strata)?,
    })
}

/// The 95 % interval of the common difference of B's values less A's over all questions. `None` if the samples are too
/// small, or if all values are equal.
pub fn common_difference(strata: &[Stratum]) -> Option<Interval> {
    let values = || strata.iter().flat_map(Stratum::values);
    let (low, high) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    // The common ratio of the exponentials. The values are scaled to a range of 20, so that no digit is lost.
    let unit = (high - low) / 20.0;
    if !(unit > 0.0 && unit.is_finite()) {
        return None;
    }
    let power = |value: f64| ((value - low) / unit).exp();
    let powers: Vec<Stratum> = strata.iter().map(|own| own.map(power)).collect();
    Some(common_ratio(&powers)?.map(|end| end.ln() * unit))
}

/// The ratio of `above` to `below`: the median of all quotients, with the interval of [`common_ratio`], which is valid
/// if both samples have the same shape on a logarithmic scale. `None` if a value is not positive.
pub fn hodges_lehmann(above: &[f64], below: &[f64]) -> Option<Estimate> {
    let is_positive = |values: &[f64]| values.iter().all(|value| *value > 0.0);
    if !is_positive(above) || !is_positive(below) {
        return None;
    }
    let quotients = above.iter().flat_map(|a| below.iter().map(move |b| a / b));
    let value = median(&quotients.collect::<Vec<f64>>())?;
    let stratum = Stratum {
        a: below.to_vec(),
        b: above.to_vec(),
    };
    let is_known = |ends: &Interval| ends.low > 0.0 && ends.high.is_finite();
    let interval = common_ratio(&[stratum]).filter(is_known);
    Some(Estimate::of(value, interval))
}

/// The interval of the shift from the values of `b` to those of `a`, which misses it with a probability of at most `level`: the
/// shifts that Mann and Whitney's test does not refute. `None` if the samples are too small.
pub fn shift(a: &[f64], b: &[f64], level: f64) -> Option<Interval> {
    let sizes = Stratum {
        a: b.to_vec(),
        b: a.to_vec(),
    };
    let untied = |stratum: &Stratum| (1..=stratum.size()).map(|rank| 2 * rank).collect();
    let ranked = ranked(&with_both_sides(std::slice::from_ref(&sizes)), untied);
    if ranked.is_empty() {
        return None;
    }
    // The statistic is twice U with the weight 1.
    let outside = Null::of(&ranked).critical(0.5 * level)? / 2;
    let all = a.iter().flat_map(|a| b.iter().map(move |b| a - b));
    let all = sorted(&all.collect::<Vec<_>>());
    Some(Interval {
        low: all[outside],
        high: all[all.len() - 1 - outside],
    })
}

/// The stratum with its sides exchanged.
pub fn swapped(stratum: &Stratum) -> Stratum {
    Stratum {
        a: stratum.b.clone(),
        b: stratum.a.clone(),
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::Random;

    use super::*;

    fn stratum(a: &[f64], b: &[f64]) -> Stratum {
        Stratum {
            a: a.to_vec(),
            b: b.to_vec(),
        }
    }

    fn noisy(random: &mut Random, count: usize, factor: f64) -> Vec<f64> {
        let mut time = || factor * (100.0 - 3.0 * random.unit().max(1e-12).ln());
        (0..count).map(|_| time()).collect()
    }

    #[test]
    fn a_common_difference_may_cross_zero() {
        let wins = [
            stratum(&[1.0; 8], &[0.0; 8]),
            stratum(&[0.0, 1.0, 0.0, 1.0], &[0.0, 0.0, 0.0, 1.0]),
        ];
        let ends = common_difference(&wins).expect("enough samples");
        assert!(ends.low <= -0.99 && ends.high <= 1e-9, "{ends:?}");
        let ends = common_difference(&[stratum(
            &[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0],
            &[7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0],
        )]);
        // U ≤ 13 is refuted: the 14th of the 64 differences from either end.
        let ends = ends.expect("enough samples");
        let distance = (ends.low - 7.0).abs().max((ends.high - 13.0).abs());
        assert!(distance < 1e-6, "{ends:?}");
        assert_eq!(common_difference(&[stratum(&[1.0; 9], &[1.0; 9])]), None);
    }

    /// Twice U for every choice of B's places.
    fn by_hand(stratum: &Stratum) -> Vec<usize> {
        let all = [stratum.a.clone(), stratum.b.clone()].concat();
        let twice_u = |chosen: u32| {
            let is_b = |place: usize| chosen >> place & 1 == 1;
            let mut twice = 0;
            for (i, a) in all.iter().enumerate().filter(|(i, _)| !is_b(*i)) {
                for (_, b) in all.iter().enumerate().filter(|(j, _)| is_b(*j) && *j != i) {
                    twice += if b > a { 2 } else { usize::from(a == b) };
                }
            }
            twice
        };
        (0..1_u32 << all.len())
            .filter(|chosen| chosen.count_ones() as usize == stratum.b.len())
            .map(twice_u)
            .collect()
    }

    #[test]
    fn every_choice_of_ranks_is_counted_with_ties() {
        // Sizes 5 and 9: weights 10/6, rounded to 2, and 1.
        let strata = [
            stratum(&[1.0, 2.0, 2.0], &[2.0, 3.0]),
            stratum(&[5.0, 6.0, 7.0, 8.0], &[6.0, 8.0, 9.0, 9.0, 9.0]),
        ];
        let (first, second) = (by_hand(&strata[0]), by_hand(&strata[1]));
        let found = van_elteren(&strata).expect("values that differ");
        // Pairs with B above, twice: 2+2+2 + 1+1 and 2·(1+3+4+4+4) + 1+1.
        let seen = 2 * (2 + 1 + 1 + 2 + 2 + 2) + (3 + 7 + 8 + 8 + 8);
        let (mut below, mut above) = (0, 0);
        for a in &first {
            for b in &second {
                below += usize::from(2 * a + b <= seen);
                above += usize::from(2 * a + b >= seen);
            }
        }
        let p = 2.0 * below.min(above) as f64 / (first.len() * second.len()) as f64;
        assert!(
            (found.p - p.min(1.0)).abs() < 1e-12,
            "{} is not {p}",
            found.p
        );
    }

    /// Two samples with `u` pairs in which A's value is above B's.
    fn with_statistic(n: usize, m: usize, u: usize) -> Stratum {
        let b: Vec<f64> = (1..=m).map(|rank| rank as f64).collect();
        let a = (0..n).map(|at| {
            let beyond = u.saturating_sub(at * m).min(m);
            beyond as f64 + 0.5 + 1e-3 * at as f64
        });
        stratum(&a.collect::<Vec<_>>(), &b)
    }

    #[test]
    fn one_stratum_is_mann_whitneys_test() {
        let p = |n, m, u| van_elteren(&[with_statistic(n, m, u)]).expect("a test").p;
        // U = 0 of five values on each side: 2 of the 252 orders are as extreme.
        assert!((p(5, 5, 0) - 2.0 / 252.0).abs() < 1e-12);
        // Critical values of U at 0.05, two-sided (Mann and Whitney 1947; Milton 1964): the largest U that is still
        // significant.
        for (n, m, critical) in [
            (5, 5, 2),
            (8, 8, 13),
            (10, 10, 23),
            (7, 12, 18),
            (20, 20, 127),
        ] {
            let ps = [critical, critical + 1].map(|u| p(n, m, u));
            assert!(ps[0] <= 0.05 && ps[1] > 0.05, "{n}, {m}: {ps:?}");
        }
        // There is no jump between the exact p value and the normal approximation.
        assert!((p(20, 20, 140) - p(21, 21, 155)).abs() < 0.03);
        assert_eq!(van_elteren(&[stratum(&[1.0; 3], &[1.0; 3])]), None);
        assert_eq!(van_elteren(&[stratum(&[], &[1.0; 3])]), None);
    }

    #[test]
    fn the_smallest_p_is_that_of_sides_apart() {
        let apart = stratum(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]);
        for count in [1, 2, 5] {
            let found = van_elteren(&vec![apart.clone(); count]).expect("a test").p;
            let least = least_p(vec![(3, 3); count]);
            assert!((found / least - 1.0).abs() < 1e-9, "{found} {least}");
            assert!((least - 2.0 * 20.0_f64.powi(-(count as i32))).abs() < 1e-12);
        }
        assert!(least_p([(1, 1)]) > 0.999_999);
    }

    #[test]
    fn counting_and_the_normal_limit_agree() {
        let mut random = Random::new("stratified-limit", 1);
        for _ in 0..20 {
            let strata: Vec<Stratum> = (0..6)
                .map(|_| stratum(&noisy(&mut random, 11, 1.0), &noisy(&mut random, 11, 1.004)))
                .collect();
            let ranked = ranked(&with_both_sides(&strata), Stratum::scores);
            let exact = Null::of(&ranked);
            let limit = Null {
                chances: None,
                ..Null::of(&ranked)
            };
            let statistic = ranked.iter().map(RankedStratum::statistic).sum();
            assert!((exact.p(statistic) - limit.p(statistic)).abs() < 4e-3);
            let (exact, limit) = (exact.critical(0.025), limit.critical(0.025));
            assert!(exact.zip(limit).is_some_and(|(a, b)| a.abs_diff(b) <= 3));
        }
    }

    fn check_interval(sizes: &[(usize, usize)]) {
        let mut random = Random::new("stratified-interval", 1);
        let strata: Vec<Stratum> = sizes
            .iter()
            .enumerate()
            .map(|(at, (n, m))| {
                let size = 1.0 + at as f64;
                stratum(
                    &noisy(&mut random, *n, size),
                    &noisy(&mut random, *m, 1.3 * size),
                )
            })
            .collect();
        let interval = common_ratio(&strata).expect("enough values");
        let p = |ratio: f64| {
            let by = |stratum: &Stratum| Stratum {
                b: stratum.b.iter().map(|b| b / ratio).collect(),
                ..stratum.clone()
            };
            let strata: Vec<Stratum> = strata.iter().map(by).collect();
            van_elteren(&strata).expect("a test").p
        };
        assert!(interval.low < 1.3 && 1.3 < interval.high, "{interval:?}");
        for (inside, outside) in [(interval.low, 1.0 / 1.000_001), (interval.high, 1.000_001)] {
            assert!(p(inside / outside) > 0.05, "inside {inside}");
            assert!(p(inside * outside) <= 0.05, "outside {inside}");
        }
    }

    #[test]
    fn the_interval_is_what_the_test_does_not_refute() {
        // The expected interval is found by counting, and by the normal limit.
        for sizes in [&[(5, 5), (7, 4), (11, 6)][..], &[(25, 25), (30, 22)]] {
            check_interval(sizes);
        }
        assert_eq!(
            common_ratio(&[stratum(&[1.0, 2.0, 3.0], &[2.0, 3.0, 4.0])]),
            None
        );
    }

    #[test]
    fn an_end_that_timeouts_decide_is_infinite() {
        let a = stratum(&[1.0, 1.1, 1.2, 1.3, 1.4], &[f64::INFINITY; 5]);
        let end = upper_end(&[a]).expect("enough values");
        assert_eq!(end, f64::INFINITY);
        let eight: Vec<f64> = (0..8).map(|at| 1.0 + 0.01 * f64::from(at)).collect();
        let end = |stopped: usize| {
            let stopped = vec![f64::INFINITY; stopped];
            upper_end(&[stratum(
                &eight,
                &[&eight[stopped.len()..], &stopped].concat(),
            )])
        };
        assert_eq!(end(4), Some(f64::INFINITY));
        assert!(end(1).is_some_and(|end| end < 1.1), "{:?}", end(1));
    }

    #[test]
    fn strata_weigh_by_their_sizes_and_need_both_sides() {
        let sides = |size| stratum(&vec![1.0; size], &vec![2.0; size]);
        let all = [2, 3, 5].map(sides);
        let weights = ranked(&all.iter().collect::<Vec<_>>(), Stratum::scores);
        assert_eq!(
            weights.iter().map(|own| own.weight).collect::<Vec<_>>(),
            [2, 2, 1]
        );
        let whole = [stratum(&[1.0, 3.0, 6.0], &[2.0, 4.0, 5.0]), sides(5)];
        let empty = [&whole[..], &[stratum(&[], &[1.0; 40])]].concat();
        assert_eq!(van_elteren(&empty), van_elteren(&whole));
        // z = (9 − 4.5) / √(9 · 7 / 12) of sides that lie apart; negative if B's values are lower.
        let apart = stratum(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]);
        for (apart, sign) in [(swapped(&apart), -1.0), (apart, 1.0)] {
            let found = van_elteren(&[apart]).expect("a test").statistic;
            assert!(
                (found - sign * 4.5 / 5.25_f64.sqrt()).abs() < 1e-12,
                "{found}"
            );
        }
    }
}
