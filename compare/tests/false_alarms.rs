//! Comparisons of a variant with itself: the rate of false alarms.
//!
//! 2,000 simulated comparisons for each statistic, sample size and distribution. The share of alarms may exceed the
//! nominal rate by three standard errors of the simulation.

use ikeru_compare::LEVEL;
use ikeru_compare::paired::PairedBet;
use ikeru_compare::ranks::shift;
use ikeru_core::Random;

/// Two times of the same work.
type Pair = (f64, f64);

/// Returns whether a comparison of two variants' times reports a difference.
type Differ = fn(&[Pair]) -> bool;

/// Mann–Whitney's U of one question, and the bet on pairs, looked at after every pair.
const TESTS: [(&str, Differ); 2] = [
    ("Mann–Whitney", |pairs| {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let ends = shift(&a, &b, LEVEL);
        ends.is_some_and(|ends| ends.low > 0.0 || ends.high < 0.0)
    }),
    ("until decided", |pairs| {
        let differences = pairs.iter().map(|(a, b)| (a / b).ln());
        PairedBet::of(LEVEL, differences).decision().is_some()
    }),
];

const COMPARISONS: usize = 2_000;

/// Typical distributions of times: normal scatter, a long tail, two modes.
const SHAPES: [fn(&mut Random) -> f64; 3] = [
    |random| 100.0 * (0.02 * normal(random)).exp(),
    |random| 100.0 - 3.0 * random.unit().max(1e-12).ln(),
    |random| {
        let hump = if random.chance(0.3) { 110.0 } else { 100.0 };
        hump + normal(random)
    },
];

fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

fn alarms(differ: Differ, size: usize, shape: fn(&mut Random) -> f64) -> f64 {
    let mut random = Random::new("false-alarms", size as u64);
    let alarms = (0..COMPARISONS)
        .filter(|_| {
            let pairs: Vec<Pair> = (0..size)
                .map(|_| (shape(&mut random), shape(&mut random)))
                .collect();
            differ(&pairs)
        })
        .count();
    alarms as f64 / COMPARISONS as f64
}

#[test]
fn a_variant_rarely_differs_from_itself() {
    let error = 3.0 * (LEVEL * (1.0 - LEVEL) / COMPARISONS as f64).sqrt();
    for (name, differ) in TESTS {
        for size in [5, 10, 30, 100] {
            for (at, shape) in SHAPES.into_iter().enumerate() {
                let alarms = alarms(differ, size, shape);
                println!("{name} {size} {at}: {alarms}");
                assert!(
                    alarms <= LEVEL + error,
                    "{name} at {size} samples, shape {at}: {alarms}"
                );
            }
        }
    }
}
