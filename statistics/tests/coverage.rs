//! The coverage of 95 % intervals with skewed noise.
//!
//! The intervals are tested with 3 to 100 values, with a log-normal distribution, with an exponential tail and
//! with two modes. A true coverage of 94 % passes with a margin of three standard errors; a coverage of 90 % fails by
//! at least three.

use ikeru_core::Random;
use ikeru_statistics::Interval;
use ikeru_statistics::interval::{geometric_mean, median, share};

/// The number of intervals of each kind.
const TRIALS: usize = 2_000;
const SIZES: [usize; 7] = [5, 6, 7, 10, 20, 50, 100];

/// The smallest accepted share of intervals that contain the true value: 94 % less three standard errors.
fn least() -> f64 {
    0.94 - 3.0 * (0.94 * 0.06 / TRIALS as f64).sqrt()
}

/// A scatter whose median is 1.
type Noise = (&'static str, fn(&mut Random) -> f64);

const LOG_NORMAL: Noise = ("log-normal", |random| (0.3 * normal(random)).exp());
const TAIL: Noise = ("exponential tail", |random| {
    let exponential = -random.unit().max(1e-12).ln();
    (1.0 + 0.1 * exponential) / (1.0 + 0.1 * std::f64::consts::LN_2)
});
const HUMPS: Noise = ("two humps", |random| {
    // The second mode has just under half of the values, so the median is in the first.
    let hump = if random.chance(0.45) { 1.1 } else { 1.0 };
    let value = hump + 0.01 * normal(random);
    value / HUMPS_MEDIAN
});
/// The median of the two modes: Φ((x − 1) / 0.01) = 0.5 / 0.55.
const HUMPS_MEDIAN: f64 = 1.0 + 0.01 * 1.335_178;

fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

fn values(random: &mut Random, (_, noise): Noise, size: usize, factor: f64) -> Vec<f64> {
    (0..size).map(|_| factor * noise(random)).collect()
}

/// Checks that the intervals of `of` contain `truth` with their stated coverage, or that there are no intervals.
fn check(what: &str, size: usize, truth: f64, mut of: impl FnMut(&mut Random) -> Option<Interval>) {
    let mut random = Random::new("coverage", size as u64);
    let intervals: Vec<Option<Interval>> = (0..TRIALS).map(|_| of(&mut random)).collect();
    let known = intervals.iter().flatten().count();
    assert!(
        known == 0 || known == TRIALS,
        "{what} at {size}: {known} exist"
    );
    if known == 0 {
        assert!(size < 7, "{what} at {size}: none exists");
        return;
    }
    let holds = |interval: &&Interval| interval.low <= truth && truth <= interval.high;
    let covered = intervals.iter().flatten().filter(holds).count() as f64 / TRIALS as f64;
    println!("{what} at {size}: {:.1} %", 100.0 * covered);
    assert!(covered >= least(), "{what} at {size}: {covered}");
}

#[test]
fn medians_are_covered() {
    for noise in [LOG_NORMAL, TAIL, HUMPS] {
        for size in SIZES {
            check(&format!("median, {}", noise.0), size, 1.0, |random| {
                median(&values(random, noise, size, 1.0))?.interval
            });
        }
    }
}

#[test]
fn geometric_means_over_instances_are_covered() {
    // Each instance has its own factor around 2, and a ratio of two noisy medians.
    for noise in [LOG_NORMAL, TAIL] {
        for size in SIZES {
            check(
                &format!("geometric mean, {}", noise.0),
                size,
                2.0,
                |random| {
                    let ratio = |random: &mut Random| {
                        let factor = 2.0 * (0.05 * normal(random)).exp();
                        factor * noise.1(random) / noise.1(random)
                    };
                    let ratios: Vec<f64> = (0..size).map(|_| ratio(random)).collect();
                    geometric_mean(&ratios)?.interval
                },
            );
        }
    }
}

#[test]
fn shares_are_covered_on_average() {
    // The coverage of Wilson's interval oscillates with the true share; its mean over all shares is 95 %.
    for size in SIZES {
        let mut random = Random::new("coverage-share", size as u64);
        let covered = (0..TRIALS).filter(|_| {
            let truth = random.unit();
            let part = (0..size).filter(|_| random.chance(truth)).count();
            let found = share(part as f64 / size as f64, size).and_then(|share| share.interval);
            found.is_some_and(|interval| interval.low <= truth && truth <= interval.high)
        });
        let covered = covered.count() as f64 / TRIALS as f64;
        println!("share at {size}: {:.1} %", 100.0 * covered);
        assert!(covered >= least(), "{covered} at {size}");
    }
}
