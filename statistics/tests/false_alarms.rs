//! Comparisons of a variant with itself: the rate of false alarms.
//!
//! 2,000 simulated comparisons for each statistic, sample size and distribution. The share of alarms may exceed the
//! nominal rate by three standard errors of the simulation.

use ikeru_core::Random;
use ikeru_statistics::noise::{NoiseTest, Pair};

const COMPARISONS: usize = 2_000;
const LEVEL: f64 = 0.05;

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

fn alarms(comparison: NoiseTest, size: usize, shape: fn(&mut Random) -> f64) -> f64 {
    let mut random = Random::new("false-alarms", size as u64);
    let alarms = (0..COMPARISONS)
        .filter(|_| {
            let pairs: Vec<Pair> = (0..size)
                .map(|_| (shape(&mut random), shape(&mut random)))
                .collect();
            comparison.differ(&pairs, LEVEL)
        })
        .count();
    alarms as f64 / COMPARISONS as f64
}

#[test]
fn a_variant_rarely_differs_from_itself() {
    let error = 3.0 * (LEVEL * (1.0 - LEVEL) / COMPARISONS as f64).sqrt();
    for comparison in NoiseTest::ALL {
        for size in [5, 10, 30, 100] {
            for (at, shape) in SHAPES.into_iter().enumerate() {
                let alarms = alarms(comparison, size, shape);
                println!("{} {size} {at}: {alarms}", comparison.name());
                assert!(
                    alarms <= LEVEL + error,
                    "{} at {size} samples, shape {at}: {alarms}",
                    comparison.name()
                );
            }
        }
    }
}
