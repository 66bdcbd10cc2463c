//! Pairs of two sides that arrive one after the other: times of one round, or scores of one question.
//!
//! If there is no difference, the sign of each paired difference is a fair coin, whatever its size is: the two labels
//! could be exchanged. A gambler bets on the signs; the stake grows with the rank of the difference's size among those
//! so far, as in Wilcoxon's signed-rank test. The gambler's capital is a fair game, so it exceeds 1/α with a
//! probability of at most α however often one looks, and whoever decides when to stop (Ville). Several gamblers with
//! fixed stakes share the capital, half of them on either side; nothing is estimated. The shifts of the differences that are
//! not refuted are a confidence sequence.

use std::cmp::Ordering;

use ikeru_statistics::{Estimate, Interval, mean, median, to_forty_bits};

/// The largest stakes of the gamblers on one side, and the part of a stake that the rank decides. The last gambler bets on
/// the signs alone, so that few pairs decide what is plain.
// In simulations of normal differences, a mean of 0.1 standard deviations needs 862 pairs in the median with these six
// gamblers, 821 without the last one and 1,210 with signs alone. A mean of 1.9 is decided by 12 pairs in 79 % of the runs,
// and in 10 % without the last one.
const STAKES: [(f64, f64); 6] = [
    (1.0 / 16.0, 1.0),
    (0.125, 1.0),
    (0.25, 1.0),
    (0.5, 1.0),
    (0.9375, 1.0),
    (0.75, 0.0),
];

/// The end of an interval of shifts: the last one that is not refuted, between one inside and one that is `out`.
pub(crate) fn last_inside(mut inside: f64, mut out: f64, is_refuted: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..24 {
        let half = f64::midpoint(inside, out);
        if is_refuted(half) {
            out = half;
        } else {
            inside = half;
        }
    }
    inside
}

/// The smallest mean difference that `pairs` pairs decide with a chance of 80 %, in standard deviations of the
/// differences; `None` if even a difference on all pairs is hardly enough for so few.
// Fitted to simulations at the levels 5, 2.5, 1.25 and 0.5 % with 20 to 800 pairs; see the tests.
fn found(pairs: usize, level: f64) -> Option<f64> {
    let stricter = (0.05 / level).ln();
    let fewest = 20.0 + 6.0 * stricter;
    let pairs = pairs as f64;
    (pairs >= fewest).then(|| (3.8 + 0.35 * stricter) / (pairs - 8.0).sqrt())
}

/// The expected number of pairs that differ on one side, while all others are equal, that decide with a chance of 80 %.
fn rare(level: f64) -> f64 {
    11.0 + 3.5 * (0.05 / level).ln()
}

/// Paired differences, and the decision on their side.
#[derive(Debug, Clone)]
pub struct PairedBet {
    level: f64,
    differences: Vec<f64>,
    /// The sizes of the differences, sorted.
    sizes: Vec<f64>,
    /// The logarithm of the capital of each gambler: those who bet on positive signs, then the others.
    capital: [[f64; STAKES.len()]; 2],
    decision: Option<Ordering>,
}

impl PairedBet {
    /// No pairs yet; `level` is the probability of a decision although there is no difference.
    pub fn new(level: f64) -> Self {
        Self {
            level,
            differences: Vec::new(),
            sizes: Vec::new(),
            capital: [[0.0; STAKES.len()]; 2],
            decision: None,
        }
    }

    /// The probability of a decision although there is no difference.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// The same pairs with their sides exchanged.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self::of(self.level, self.differences.iter().map(|it| -it))
    }

    /// The pairs of `differences`, in their order.
    pub fn of(level: f64, differences: impl IntoIterator<Item = f64>) -> Self {
        let mut scores = Self::new(level);
        differences.into_iter().for_each(|it| scores.push(it));
        scores
    }

    /// Adds a difference. A decision stays as it is: the capital exceeded the limit once.
    pub fn push(&mut self, difference: f64) {
        self.differences.push(difference);
        // Differences that are equal to 40 bits have equal ranks. A difference of 1 has a sign between any two scores, which
        // are below 2⁶⁰.
        let size = match difference.abs() {
            size if size < 1e-19 => 0.0,
            size => to_forty_bits(size),
        };
        let rank = self.sizes.partition_point(|known| *known <= size);
        self.sizes.insert(rank, size);
        // A difference of zero has no sign to bet on.
        if size == 0.0 {
            return;
        }
        let weight = (rank as f64 + 0.5) / self.sizes.len() as f64;
        for (side, capital) in [difference.signum(), -difference.signum()]
            .into_iter()
            .zip(&mut self.capital)
        {
            for ((stake, by_rank), capital) in STAKES.iter().zip(capital) {
                let weight = 1.0 - by_rank * (1.0 - weight);
                *capital += (stake * side * weight).ln_1p();
            }
        }
        if self.decision.is_none() && self.evidence() >= 1.0 / self.level {
            let [above, below] = self.capital.map(total);
            self.decision = Some(above.total_cmp(&below));
        }
    }

    /// The capital of all gamblers together, who began with 1.
    pub fn evidence(&self) -> f64 {
        self.capital.map(total).iter().sum::<f64>() / (2 * STAKES.len()) as f64
    }

    /// The side of the differences, if it is decided.
    pub fn decision(&self) -> Option<Ordering> {
        self.decision
    }

    /// Returns whether more pairs are on the decided side than on the other.
    pub fn is_of_most(&self) -> bool {
        let on = |side: f64| {
            self.differences
                .iter()
                .filter(|it| *it * side > 0.0)
                .count()
        };
        match self.decision {
            Some(Ordering::Greater) => on(1.0) > on(-1.0),
            Some(_) => on(-1.0) > on(1.0),
            None => true,
        }
    }

    /// The differences in the order of their pairs.
    pub fn differences(&self) -> &[f64] {
        &self.differences
    }

    /// The same pairs with each difference larger by `shift`: they decide on which side of `-shift` the differences are.
    pub fn shifted(&self, shift: f64) -> Self {
        let shifted = |it: &f64| without_rounding(it + shift, shift);
        Self::of(self.level, self.differences.iter().map(shifted))
    }

    /// The factor of which the differences are logarithms: their median, with the shifts that are not refuted; `None` of no
    /// pair. An end is open as long as nothing is known.
    pub fn ratio(&self) -> Option<Estimate> {
        let middle = median(&self.differences)?;
        let low = self.low();
        // The bets on shifts of skewed differences may contradict each other.
        let high = (-self.inverse().low()).max(low);
        let ends = Some(Interval { low, high });
        Some(Estimate::of(middle.clamp(low, high), ends).map(f64::exp))
    }

    /// The largest shift that is refuted because the differences are above it; it is 0 or more if that is so of 0.
    fn low(&self) -> f64 {
        let is_refuted = |shift: f64| {
            let mut bet = Self::new(self.level);
            let mut all = self.differences.iter();
            all.any(|it| {
                bet.push(without_rounding(it - shift, shift));
                bet.decision.is_some()
            });
            bet.decision == Some(Ordering::Greater)
        };
        let ends = self.differences.iter();
        let [least, most] = ends.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| {
            [low.min(*it), high.max(*it)]
        });
        let refuted = match self.decision {
            Some(Ordering::Greater) => 0.0,
            _ if is_refuted(least - 1.0) => least - 1.0,
            _ => return f64::NEG_INFINITY,
        };
        let inside = match self.decision {
            Some(Ordering::Less) => most.min(0.0),
            _ => most,
        };
        last_inside(inside, refuted, is_refuted)
    }

    /// Returns whether the mean of the differences, which are from −1 to 1, is decided to be below `bound`, whatever their
    /// distribution is. Gamblers with fixed stakes bet on differences below it, each by its size (Waudby-Smith and Ramdas
    /// 2024); they win rarely where the differences are many small ones, and soon where a few are large.
    pub fn is_mean_below(&self, bound: f64) -> bool {
        const STAKES: [f64; 5] = [1.0 / 16.0, 0.125, 0.25, 0.5, 0.9375];
        let mut capital = [0.0; STAKES.len()];
        self.differences.iter().any(|difference| {
            for (stake, capital) in STAKES.iter().zip(&mut capital) {
                *capital += (stake / (1.0 - bound) * (bound - difference)).ln_1p();
            }
            let all: f64 = capital.iter().map(|capital: &f64| capital.exp()).sum();
            all / STAKES.len() as f64 >= 1.0 / self.level
        })
    }

    /// The smallest mean difference that these pairs would have decided with a chance of 80 %, if all pairs had it, or if
    /// further pairs differed like the few that do; `None` of too few pairs.
    pub fn sensitivity(&self) -> Option<f64> {
        let n = self.differences.len();
        let middle = mean(&self.differences)?;
        let squares: f64 = self
            .differences
            .iter()
            .map(|value| (value - middle).powi(2))
            .sum();
        let on_all = found(n, self.level)? * (squares / (n as f64 - 1.0)).sqrt();
        // The size of the differences, of which large ones weigh more. Where all pairs are equal it may be any, up to 1.
        let squared: f64 = self.sizes.iter().map(|size| size * size).sum();
        let size = match self.sizes.iter().sum::<f64>() {
            0.0 => 1.0,
            sum => squared / sum,
        };
        Some(on_all.max(rare(self.level) / n as f64 * size))
    }
}

/// The mean of differences, which is 0 if they cancel; `None` of no difference.
pub fn mean_difference(differences: &[f64]) -> Option<f64> {
    let size = differences.iter().map(|it| it.abs()).fold(0.0, f64::max);
    mean(differences).map(|middle| without_rounding(middle, size))
}

/// `sum`, or 0 if it is what rounding leaves of terms of this size that cancel.
fn without_rounding(sum: f64, size: f64) -> f64 {
    if sum.abs() > 1e-14 * size.abs() {
        sum
    } else {
        0.0
    }
}

fn total(capital: [f64; STAKES.len()]) -> f64 {
    capital.iter().map(|capital| capital.exp()).sum()
}

#[cfg(test)]
mod tests {
    use ikeru_core::Random;

    use super::*;
    use crate::tests::normal;

    /// The number of pairs until the decision and its side, among at most `most` pairs.
    fn decided(seed: u64, shift: f64, most: usize, skew: bool) -> Option<(usize, Ordering)> {
        decided_at(0.05, seed, shift, most, skew)
    }

    fn decided_at(
        level: f64,
        seed: u64,
        shift: f64,
        most: usize,
        skew: bool,
    ) -> Option<(usize, Ordering)> {
        let mut random = Random::new("paired", seed);
        let mut scores = PairedBet::new(level);
        for pair in 1..=most {
            let value = normal(&mut random);
            // Sizes of very different kinds: many zeros, a few large ones.
            let value = match (skew, random.below(4)) {
                (false, _) => value,
                (true, 0) => value.powi(3),
                (true, 1) => value,
                (true, _) => 0.0,
            };
            scores.push(value + shift);
            if let Some(side) = scores.decision() {
                return Some((pair, side));
            }
        }
        None
    }

    #[test]
    fn a_mean_at_the_bound_is_rarely_below_it_whatever_the_distribution() {
        let mut random = Random::new("bound", 1);
        for (kind, pairs) in (0..4).flat_map(|kind| [(kind, 20), (kind, 400)]) {
            let mut draw = || match kind {
                0 => -0.01 + 0.02 * normal(&mut random).clamp(-40.0, 40.0),
                1 => -0.02 * f64::from(u8::from(random.chance(0.5))),
                2 => -0.9 * f64::from(u8::from(random.chance(1.0 / 90.0))),
                _ if random.chance(0.05) => 0.14,
                _ => -0.34 / 19.0,
            };
            let mut set = || PairedBet::of(0.05, (0..pairs).map(|_| draw()));
            let wrong = (0..1_000).filter(|_| set().is_mean_below(-0.01)).count();
            assert!(wrong <= 50, "{wrong} of 1,000 ({kind}, {pairs})");
        }
        let lost = (0..60).map(|at| if at % 5 < 2 { -0.9 } else { 0.0 });
        let lost = PairedBet::of(0.05, lost);
        let found = [-0.01, -0.1, -0.2, -0.36].map(|bound| lost.is_mean_below(bound));
        assert_eq!(found, [true, true, true, false]);
    }

    #[test]
    fn the_first_pairs_may_be_a_minority() {
        let pairs = [0.5; 16].into_iter().chain([-0.01; 20]);
        let scores = PairedBet::of(0.05, pairs);
        assert_eq!(
            (scores.decision(), scores.is_of_most()),
            (Some(Ordering::Greater), false)
        );
        assert!(scores.shifted(0.02).is_of_most());
    }

    #[test]
    fn the_least_difference_of_large_scores_has_a_sign() {
        for size in [1e-2, 1e-13, 1e-16, 0.5_f64.powi(60)] {
            let scores = PairedBet::of(0.05, [size; 24]);
            assert_eq!(scores.decision(), Some(Ordering::Greater), "{size}");
        }
        // What rounding leaves of 0.
        let left = mean_difference(&[0.1, 0.2, -0.3]).expect("three");
        let nothing = PairedBet::of(0.05, [left, -0.3 + 1e-16]).shifted(0.3);
        assert_eq!(nothing.differences(), [0.3, 0.0]);
        assert_eq!((left, mean_difference(&[])), (0.0, None));
    }

    /// Somebody who looks after every pair and stops at the best moment is wrong in at most 5 % of 2,000 runs.
    #[test]
    fn an_adversary_who_stops_when_it_suits_is_rarely_wrong() {
        for skew in [false, true] {
            let wrong = (0..2000).filter(|seed| decided(*seed, 0.0, 400, skew).is_some());
            let wrong = wrong.count();
            assert!(wrong <= 100, "{wrong} of 2,000 ({skew})");
        }
    }

    #[test]
    fn small_differences_are_found_in_fewer_pairs_than_signs_need() {
        let (mut needed, mut wrong): (Vec<usize>, _) = (Vec::new(), 0);
        for seed in 0..101 {
            let (pairs, side) = decided(seed, 0.2, 4000, false).expect("decided");
            wrong += usize::from(side != Ordering::Greater);
            needed.push(pairs);
        }
        // The level allows 5 %. Of 2,000 such runs, 3 end on the wrong side.
        assert!(wrong <= 1, "{wrong} of 101");
        needed.sort_unstable();
        // The bet on signs alone needs some 310.
        assert!((150..260).contains(&needed[50]), "{}", needed[50]);
    }

    #[test]
    fn the_sensitivity_is_what_four_of_five_runs_find() {
        for (level, pairs) in [
            (0.05, 20),
            (0.05, 50),
            (0.05, 800),
            (0.0125, 30),
            (0.0125, 200),
        ] {
            let shift = found(pairs, level).expect("enough pairs");
            let is_found = |seed: &u64| {
                let by = decided_at(level, *seed, shift, pairs, false);
                by.is_some()
            };
            let share = (0..400).filter(is_found).count() as f64 / 400.0;
            assert!(
                (0.74..0.92).contains(&share),
                "{level}, {pairs} pairs: {share}"
            );
        }
        // One seed in fifty is a tenth worse.
        for (level, pairs) in [(0.05, 100), (0.05, 400), (0.0125, 200)] {
            let few = (0..pairs).map(|pair| if pair < pairs / 50 { 0.1 } else { 0.0 });
            let named = PairedBet::of(level, few)
                .sensitivity()
                .expect("enough pairs");
            let decided = (0..300).filter(|seed| {
                let mut random = Random::new("rare", *seed);
                let drawn = (0..pairs).map(|_| if random.chance(named / 0.1) { 0.1 } else { 0.0 });
                PairedBet::of(level, drawn).decision() == Some(Ordering::Greater)
            });
            let decided = decided.count();
            assert!(
                (225..=292).contains(&decided),
                "{decided} of 300 at {level}, {pairs}"
            );
        }
        // Equal pairs say how rare differences are, and nothing of their size.
        let equal = |pairs| PairedBet::of(0.05, vec![0.0; pairs]).sensitivity();
        assert!(equal(20).is_some_and(|least| least > 0.5));
        assert!(equal(2_300).is_some_and(|least| least < 0.005));
        assert_eq!(found(19, 0.05), None);
        assert_eq!(found(24, 0.0125), None);
    }

    #[test]
    fn differences_of_exactly_the_bound_are_not_beyond_it() {
        // The mean of nine equal numbers is not always that number.
        let of_nine = |share: f64| [-share; 9].iter().sum::<f64>() / 9.0;
        for thousandths in 1..100 {
            let bound = f64::from(thousandths) / 1e3;
            let equal = PairedBet::of(0.05, [of_nine(bound); 100]);
            assert_eq!(equal.shifted(bound).decision(), None, "{bound}");
            let worse = PairedBet::of(0.05, [of_nine(bound) - 1e-6; 100]);
            assert_eq!(
                worse.shifted(bound).decision(),
                Some(Ordering::Less),
                "{bound}"
            );
        }
    }

    #[test]
    fn the_last_bit_of_a_difference_has_no_rank() {
        let sums = (0..64).map(|order: u32| {
            let parts = (0..6).map(|part| 0.01 / f64::from(1 + (part + order) % 6));
            parts.sum::<f64>()
        });
        let sums: Vec<f64> = sums.collect();
        assert!(sums.iter().any(|sum| *sum != sums[0]), "all bits are equal");
        for pairs in 1..=sums.len() {
            let rounded = PairedBet::of(0.05, sums[..pairs].iter().copied());
            let equal = PairedBet::of(0.05, vec![sums[0]; pairs]);
            assert_eq!(rounded.evidence(), equal.evidence());
        }
    }

    #[test]
    fn few_pairs_on_one_side_decide() {
        let fewest = |level: f64| {
            (1..40).find(|pairs| {
                let sizes = (0..*pairs).map(|it| f64::from(1 + it * 7 % 5));
                PairedBet::of(level, sizes).decision() == Some(Ordering::Greater)
            })
        };
        assert_eq!([fewest(0.05), fewest(0.025)], [Some(10), Some(11)]);
    }

    /// The interval at every moment: a session that stops when its interval leaves the truth out.
    #[test]
    fn the_interval_of_a_factor_holds_it_and_decides_as_the_bet_does() {
        let mut random = Random::new("paired-interval", 1);
        let mut missed = 0;
        for session in 0..200 {
            let mut bet = PairedBet::new(0.05);
            for _ in 0..60 {
                // Rare slow moments of either side, and a drift that both have.
                let mut time = || {
                    0.03 * normal(&mut random)
                        + if random.chance(0.1) {
                            random.unit()
                        } else {
                            0.0
                        }
                };
                bet.push(0.05 + time() - time());
            }
            let ends = bet.ratio().and_then(|it| it.interval).expect("pairs");
            let ends = ends.map(f64::ln);
            missed += usize::from(!(ends.low..=ends.high).contains(&0.05));
            let side = match (ends.low > 0.0, ends.high < 0.0) {
                (true, _) => Some(Ordering::Greater),
                (_, true) => Some(Ordering::Less),
                _ => None,
            };
            assert_eq!(side, bet.decision(), "{session}: {ends:?}");
        }
        assert!(missed <= 15, "{missed} of 200 at 5 %");
        let ratio = |differences: &[f64]| PairedBet::of(0.05, differences.to_vec()).ratio();
        assert_eq!(ratio(&[]), None);
        let open = ratio(&[1.0; 6]).and_then(|it| it.interval).expect("pairs");
        assert_eq!((open.low, open.high), (0.0, f64::INFINITY));
        let equal = ratio(&[0.0; 10]).and_then(|it| it.interval).expect("pairs");
        assert_eq!((equal.low, equal.high), (1.0, 1.0));
    }

    #[test]
    fn zeros_say_nothing() {
        let mut scores = PairedBet::new(0.05);
        (0..1000).for_each(|_| scores.push(0.0));
        assert_eq!((scores.evidence(), scores.decision()), (1.0, None));
        (0..12).for_each(|_| scores.push(-1.0));
        assert_eq!(scores.decision(), Some(Ordering::Less));
    }
}
