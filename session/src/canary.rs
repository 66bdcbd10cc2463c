//! The canary: a fixed small piece of work, timed at intervals between samples.
//!
//! Its work never changes. A canary that takes longer than usual in this run shows that the machine changed: another
//! clock rate, another guest on the core, other data in the cache. It does not depend on the samples' own times, so
//! marking a sample by it does not select among outcomes.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Readings take at most one part in this many of the time.
const SHARE: u32 = 400;
/// A reading is the median of this many timings, so that one interrupt does not decide it.
const TIMINGS: usize = 5;
/// Readings before the first sample.
const FIRST: usize = 25;
/// Words of the table that the work walks through: 128 KiB, more than a first-level cache.
const TABLE: usize = 1 << 14;
/// Steps of the work.
const STEPS: usize = 4_000;

/// Times its work when a reading is due, and reports the ratio of the last reading to the usual time.
pub struct Canary {
    table: Vec<u64>,
    usual: Usual,
    /// The last reading divided by the usual one.
    pub ratio: f64,
    cost: Duration,
    read_at: Instant,
}

impl Canary {
    /// A canary whose usual time comes from a few readings taken now.
    pub fn begin() -> Self {
        let mut canary = Self {
            table: (0..TABLE as u64).collect(),
            usual: Usual::default(),
            ratio: 1.0,
            cost: Duration::ZERO,
            read_at: Instant::now(),
        };
        for _ in 0..FIRST {
            canary.read();
        }
        canary
    }

    /// Returns whether enough time has passed since the last reading.
    pub fn is_due(&self) -> bool {
        self.read_at.elapsed() >= self.cost * SHARE
    }

    /// Takes a reading.
    pub fn read(&mut self) {
        let mut timings = [0_u64; TIMINGS];
        for timing in &mut timings {
            let started = Instant::now();
            black_box(work(black_box(&mut self.table)));
            *timing = started.elapsed().as_nanos() as u64;
        }
        timings.sort_unstable();
        let median = timings[TIMINGS / 2];
        self.ratio = self.usual.ratio(median as f64);
        // Not the wall time: another process on the core must not make readings rare.
        self.cost = Duration::from_nanos(median) * TIMINGS as u32;
        self.read_at = Instant::now();
    }
}

/// A chain of arithmetic, with a dependent load and store at every step.
fn work(table: &mut [u64]) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..STEPS {
        let place = (state >> 40) as usize % table.len();
        state = (state ^ table[place]).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^= state >> 31;
        table[place] = table[place].rotate_left(1);
    }
    state
}

/// The running median of the readings, in steps of a thousandth.
#[derive(Debug, Default)]
struct Usual {
    counts: BTreeMap<i64, u64>,
    readings: u64,
}

impl Usual {
    /// A reading divided by the median of all readings so far, itself included.
    fn ratio(&mut self, reading: f64) -> f64 {
        let step = (reading.max(1.0).ln() * 1_000.0).round() as i64;
        *self.counts.entry(step).or_insert(0) += 1;
        self.readings += 1;
        let mut below = 0;
        let median = self.counts.iter().find(|(_, count)| {
            below += **count;
            2 * below >= self.readings
        });
        median.map_or(1.0, |(median, _)| ((step - median) as f64 / 1_000.0).exp())
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::Random;
    use ikeru_reports::records::is_suspect;

    use super::*;

    /// 50 µs with a normal scatter of `percent` (the sum of twelve uniform numbers), times `drift`.
    fn reading(random: &mut Random, percent: f64, drift: f64) -> f64 {
        let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        50_000.0 * drift * (normal * percent / 100.0).exp()
    }

    #[test]
    fn a_scatter_is_no_drift_and_a_drift_is_seen() {
        let mut random = Random::new("canary", 1);
        for percent in [0.5, 2.0, 3.0] {
            let mut usual = Usual::default();
            let mut marked = |random: &mut Random, drift, readings| {
                (0..readings)
                    .filter(|_| is_suspect(usual.ratio(reading(random, percent, drift))))
                    .count()
            };
            let steady = marked(&mut random, 1.0, 10_000);
            assert!(steady <= 30, "{steady} of 10,000 at {percent} %");
            for drift in [1.2, 0.8] {
                let drifted = marked(&mut random, drift, 1_000);
                assert!(drifted >= 990, "{drifted} of 1,000 at {percent} %, {drift}");
                marked(&mut random, 1.0, 10_000);
            }
        }
    }

    #[test]
    fn readings_are_rare() {
        let mut canary = Canary::begin();
        let started = Instant::now();
        let before = canary.usual.readings;
        let (mut spent, mut most) = (Duration::ZERO, Duration::ZERO);
        // The time of a reading itself, which other processes cannot lengthen.
        while started.elapsed() < Duration::from_millis(300) {
            if canary.is_due() {
                canary.read();
                spent += canary.cost;
                most = most.max(canary.cost);
            }
        }
        assert!(canary.usual.readings > before);
        // The reading that is in progress at the end is not paid for yet.
        assert!(spent - most <= started.elapsed() / 100, "{spent:?}");
    }
}
