//! A sequential comparison that is valid after every pair: the sign test as a betting game.
//!
//! Each pair is the logarithm of a ratio of two times of one round. If its median is `m`, its signs around `m` are fair
//! coins. A gambler bets against this hypothesis by the signs seen so far (Krichevsky–Trofimov, i.e. the mixture of all
//! coins under Jeffreys' prior); after s signs of one kind and f of the other, a capital of 1 has become
//!
//! > E = 2^(s+f) · B(s + ½, f + ½) / B(½, ½)
//!
//! For a fair coin, E is a martingale, so by Ville's inequality (1939) the probability that it *ever* reaches 1/α is
//! at most α, for any number of looks and any stopping rule. The medians `m` for which E has not reached 1/α are a
//! confidence sequence: an interval that contains the true median at all times at once (Darling & Robbins 1967;
//! Howard & Ramdas 2022, "Sequential estimation of quantiles"). Its ends are order statistics, so no distribution is
//! assumed.

use statrs::function::beta::ln_beta;

use crate::decision::Decision;
use crate::{Estimate, quantile};

/// A growing sequence of pairs, with the interval of their median ratio after each pair.
#[derive(Debug, Clone)]
pub struct Sequence {
    /// Logarithms of the ratios, ascending.
    logs: Vec<f64>,
    /// ln(1/α).
    needed: f64,
    /// The number of lowest values, and equally of highest values, that the interval leaves out.
    outside: usize,
    low: f64,
    high: f64,
}

impl Sequence {
    /// A sequence without pairs; its intervals contain the median with a probability of at least 1 − `level`.
    pub fn new(level: f64) -> Self {
        Self {
            logs: Vec::new(),
            needed: -level.ln(),
            outside: 0,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        }
    }

    /// Adds a ratio, which is positive and finite, and above 1 if the variant was faster.
    pub fn push(&mut self, ratio: f64) {
        let log = ratio.ln();
        let place = self.logs.partition_point(|known| *known < log);
        self.logs.insert(place, log);
        let count = self.logs.len();
        // Is the evidence of `few` signs of one kind, and all others of the other kind, strong enough?
        let strong = |few: usize| 2 * few <= count && ln_capital(few, count - few) >= self.needed;
        // Strong evidence stays strong: a further sign of the majority's kind never lowers it.
        while strong(self.outside + 1) {
            self.outside += 1;
        }
        if !strong(self.outside) {
            return;
        }
        // An excluded median stays excluded; an interval that would become empty is not updated.
        let low = self.low.max(self.logs[self.outside]);
        let high = self.high.min(self.logs[count - 1 - self.outside]);
        if low <= high {
            (self.low, self.high) = (low, high);
        }
    }

    /// The fewest pairs that decide, if all are on one side.
    pub fn fewest(&self) -> usize {
        let is_enough = |pairs: &usize| ln_capital(0, *pairs) >= self.needed;
        (1..).find(is_enough).unwrap_or(usize::MAX)
    }

    /// The probability that an interval misses the median.
    pub fn level(&self) -> f64 {
        (-self.needed).exp()
    }

    /// The number of pairs.
    pub fn pairs(&self) -> usize {
        self.logs.len()
    }

    /// *Open* while the interval contains 1, then the side of 1 on which it is. A decision never changes.
    pub fn decision(&self) -> Decision {
        if self.low > 0.0 {
            Decision::Higher
        } else if self.high < 0.0 {
            Decision::Lower
        } else {
            Decision::Open
        }
    }

    /// The median ratio with its interval, which is 0 to infinity as long as nothing is known; `None` before the first
    /// pair.
    pub fn ratio(&self) -> Option<Estimate> {
        let mid = quantile(&self.logs, 0.5)?.clamp(self.low, self.high);
        Some(Estimate::within(self.low, mid, self.high).map(f64::exp))
    }
}

/// The logarithm of the gambler's capital after `s` and `f` signs.
fn ln_capital(s: usize, f: usize) -> f64 {
    let (s, f) = (s as f64, f as f64);
    (s + f) * std::f64::consts::LN_2 + ln_beta(s + 0.5, f + 0.5) - ln_beta(0.5, 0.5)
}

#[cfg(test)]
mod tests {
    use ikeru_core::Random;

    use super::*;

    #[test]
    fn capital_by_hand() {
        // n signs of one kind: C(2n, n) / 2^n. One sign of each kind: 2² · B(3/2, 3/2) / π = 1/2.
        assert!((ln_capital(7, 0) - (3432.0_f64 / 128.0).ln()).abs() < 1e-12);
        assert!((ln_capital(1, 1) - 0.5_f64.ln()).abs() < 1e-12);
        // The capital is a martingale: its mean over the next sign is its current value.
        for (s, f) in [(0, 0), (3, 1), (10, 25)] {
            let next = f64::midpoint(ln_capital(s + 1, f).exp(), ln_capital(s, f + 1).exp());
            assert!((next / ln_capital(s, f).exp() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn seven_of_a_kind_decide_at_one_in_twenty() {
        let mut sequence = Sequence::new(0.05);
        assert_eq!(sequence.fewest(), 7);
        for pair in 1..=6 {
            sequence.push(1.5 + 0.1 * f64::from(pair));
            assert_eq!(sequence.decision(), Decision::Open, "{pair}");
        }
        sequence.push(1.2);
        assert_eq!(sequence.decision(), Decision::Higher);
        let ratio = sequence.ratio().expect("pairs");
        let ends = ratio.interval.expect("both ends");
        assert_eq!(sequence.pairs(), 7);
        assert!((ends.low - 1.2).abs() < 1e-12 && (ends.high - 2.1).abs() < 1e-12);
        let mut slower = Sequence::new(0.05);
        (0..7).for_each(|_| slower.push(0.9));
        assert_eq!(slower.decision(), Decision::Lower);
        // Equal times are no evidence for either side.
        let mut equal = Sequence::new(0.05);
        (0..100).for_each(|_| equal.push(1.0));
        assert_eq!(equal.decision(), Decision::Open);
        assert_eq!(Sequence::new(0.05).ratio(), None);
    }

    /// A time with the scatter of machines: small noise, rare large deviations, and slow drifts.
    fn time(random: &mut Random, round: usize) -> f64 {
        let drift = 1.0 + 0.3 * (round as f64 / 40.0).sin();
        let rare = if random.chance(0.05) {
            random.unit()
        } else {
            0.0
        };
        drift * (1.0 + 0.03 * random.unit() + rare)
    }

    /// The numbers of comparisons that are decided as faster and as slower, of 2,000 comparisons of `rounds` pairs
    /// that are evaluated after every pair.
    fn decided(rounds: usize, effect: f64, level: f64) -> (usize, usize) {
        let mut random = Random::new("sequential", rounds as u64);
        let (mut faster, mut slower) = (0, 0);
        for _ in 0..2_000 {
            let mut sequence = Sequence::new(level);
            for round in 0..rounds {
                let baseline = time(&mut random, round);
                sequence.push(effect * baseline / time(&mut random, round));
                match sequence.decision() {
                    Decision::Higher => faster += 1,
                    Decision::Lower => slower += 1,
                    Decision::Same | Decision::Open => continue,
                }
                break;
            }
        }
        (faster, slower)
    }

    #[test]
    fn looking_after_every_pair_raises_no_more_false_alarms_than_said() {
        for (rounds, level) in [(30, 0.05), (500, 0.05), (500, 0.2)] {
            let (faster, slower) = decided(rounds, 1.0, level);
            let alarms = (faster + slower) as f64 / 2_000.0;
            println!("false alarms at {level} in {rounds} rounds: {alarms}");
            assert!(alarms <= level, "{alarms} at {level} in {rounds} rounds");
        }
    }

    #[test]
    fn real_differences_are_decided_and_on_the_right_side() {
        let (faster, slower) = decided(500, 1.01, 0.05);
        assert!(faster >= 1_990 && slower <= 1, "{faster} and {slower}");
        let (faster, slower) = decided(60, 0.95, 0.05);
        assert!(slower >= 1_990 && faster <= 1, "{faster} and {slower}");
    }

    #[test]
    fn the_interval_holds_the_median_at_all_times_at_once() {
        let mut random = Random::new("sequential-coverage", 1);
        let missed = (0..1_000)
            .filter(|_| {
                let mut sequence = Sequence::new(0.05);
                (0..200).any(|_| {
                    // The median of a uniform logarithm in (0, 1) is 1/2.
                    sequence.push(random.unit().exp());
                    let ratio = sequence.ratio().expect("pairs");
                    let ends = ratio.interval.expect("both ends");
                    !(ends.low.ln()..=ends.high.ln()).contains(&0.5)
                })
            })
            .count();
        assert!(missed <= 50, "{missed} of 1,000");
    }
}
