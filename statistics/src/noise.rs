//! Power and false alarms of comparisons under a machine's noise, simulated from A/A pairs: every round times two
//! copies of the same work in random order.
//!
//! Rounds are drawn in blocks of neighbours (the moving block bootstrap of Künsch 1989), so that a slow minute is kept
//! together. The two copies of a round change sides at random, like their order in the round. Then the times of one
//! side are multiplied by an effect, and the comparison is applied.

use ikeru_core::Random;

use crate::smallest;
use crate::stratified::{Stratum, van_elteren};

/// The number of rounds that are drawn together.
const BLOCK: usize = 10;

/// Two times of the same work, taken in one round.
pub type Pair = (f64, f64);

/// Returns whether Mann–Whitney's U, the stratified test of one question, reports a difference of the two sides at
/// `level`.
fn differ(pairs: &[Pair], level: f64) -> bool {
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    van_elteren(&[Stratum { a, b }]).is_some_and(|test| test.p < level)
}

/// The share of `trials` comparisons with `repeats` samples per side that report a difference if one side takes longer
/// by the factor `1 + effect`; with an effect of 0, the share of false alarms.
///
/// `rounds` must not be empty. The result is deterministic.
pub fn found(rounds: &[Pair], level: f64, repeats: usize, effect: f64, trials: usize) -> f64 {
    let mut random = Random::new("noise", repeats as u64);
    let mut pairs = Vec::with_capacity(repeats);
    let found = (0..trials)
        .filter(|_| {
            draw(rounds, repeats, &mut random, &mut pairs);
            for pair in &mut pairs {
                pair.1 *= 1.0 + effect;
            }
            differ(&pairs, level)
        })
        .count();
    found as f64 / trials as f64
}

/// Fills `pairs` with blocks of neighbouring rounds, the two sides of each round in random order.
fn draw(rounds: &[Pair], repeats: usize, random: &mut Random, pairs: &mut Vec<Pair>) {
    pairs.clear();
    let block = BLOCK.min(rounds.len());
    while pairs.len() < repeats {
        let start = random.index(rounds.len() - block + 1);
        let wanted = block.min(repeats - pairs.len());
        for &(a, b) in &rounds[start..start + wanted] {
            pairs.push(if random.chance(0.5) { (a, b) } else { (b, a) });
        }
    }
}

/// The smallest effect that is found with a probability of `power`, with a relative error of 1 %; `None` if not even a
/// factor of 4 is found.
pub fn smallest_effect(
    rounds: &[Pair],
    level: f64,
    repeats: usize,
    (power, trials): (f64, usize),
) -> Option<f64> {
    let enough = |effect| found(rounds, level, repeats, effect, trials) >= power;
    let (low, high) = (1e-5, 3.0);
    enough(high).then(|| smallest(low, high, 1.01, enough))
}

/// The numbers of repeats that are tried.
const REPEATS: &[usize] = &[
    4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 200, 250, 300, 400, 500,
    700, 1000,
];

/// The smallest number of repeats in a list of round numbers up to 1,000 with which `effect` is found with a
/// probability of `power`; `None` if 1,000 repeats do not suffice.
pub fn repeats_for(
    rounds: &[Pair],
    level: f64,
    effect: f64,
    (power, trials): (f64, usize),
) -> Option<usize> {
    let enough = |repeats: &usize| found(rounds, level, *repeats, effect, trials) >= power;
    let place = REPEATS.partition_point(|repeats| !enough(repeats));
    REPEATS.get(place).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds with a normal scatter of 2 % and a slow drift that both sides share.
    fn rounds() -> Vec<Pair> {
        let mut random = Random::new("rounds", 1);
        (0..300)
            .map(|round| {
                let drift = 1.0 + 0.02 * (f64::from(round) / 30.0).sin();
                let mut time = || {
                    let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
                    drift * (0.02 * normal).exp()
                };
                (time(), time())
            })
            .collect()
    }

    const LEVEL: f64 = 0.05;

    #[test]
    fn more_repeats_find_less() {
        let rounds = rounds();
        let smallest =
            |repeats| smallest_effect(&rounds, LEVEL, repeats, (0.8, 300)).expect("an effect");
        let (few, many) = (smallest(5), smallest(80));
        // For normal samples with 2 % scatter, 80 % power needs 2.8·√(2/80)·2 % = 0.9 % or a little more.
        assert!((0.03..0.08).contains(&few), "{few}");
        assert!((0.006..0.018).contains(&many), "{many}");
        let repeats = repeats_for(&rounds, LEVEL, 0.05, (0.8, 300)).expect("enough");
        assert!((4..=12).contains(&repeats), "{repeats}");
        assert_eq!(repeats_for(&rounds, LEVEL, 1e-4, (0.8, 100)), None);
    }

    #[test]
    fn an_effect_of_nothing_is_a_false_alarm() {
        let rounds = rounds();
        let alarms = found(&rounds, LEVEL, 30, 0.0, 1_000);
        assert!(alarms <= 0.08, "{alarms}");
        let found = found(&rounds, LEVEL, 30, 0.05, 300);
        assert!(found >= 0.99, "{found}");
        assert!(smallest_effect(&[(1.0, 1.0)], LEVEL, 2, (0.8, 50)).is_none());
    }
}
