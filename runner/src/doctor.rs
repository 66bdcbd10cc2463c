//! The noise of this machine: two copies of small kernels, timed side by side as a run would time them.
//!
//! The copies differ only by noise, so their difference shows what a comparison can find on this machine.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use ikeru_bench_data::Experiment;
use ikeru_core::{AnyInstance, Random};
use ikeru_reports::records::is_suspect;
use ikeru_reports::statistics::modality::{Humps, dip_chance, humps};
use ikeru_reports::statistics::noise::{Comparison, Pair, found, repeats_for, smallest_effect};
use ikeru_reports::statistics::{median, sorted};

use crate::canary::Canary;
use crate::cores::Cores;
use crate::execute::{Executor, InProcess, Outcome, Prepared};
use crate::plan::{Cell, Choice, Plan, Stage};
use crate::registry;

/// The kernels: a memoized search, a search on bit planes that takes microseconds, a depth-first search.
const KERNELS: &[&str] = &[
    r#"
    name = "doctor-reach"
    title = "A/A"
    about = "Two copies of each."
    problem = "reach"
    variants = ["memo", "bitboard"]
    instances = [{ generator = "reach.spanning-grid" }]
    "#,
    r#"
    name = "doctor-trail"
    title = "A/A"
    about = "Two copies."
    problem = "trail"
    variants = ["dfs-bitset"]
    instances = [{ generator = "trail.random", set = { width = 3, height = 4 } }]
    "#,
];

/// The level of each comparison.
pub const LEVEL: f64 = 0.05;
/// The comparison that finds effects: the one of the tables of significance.
const COMPARISON: (Comparison, f64) = (Comparison::MannWhitney, LEVEL);
/// The share of comparisons that must find an effect, and the number of comparisons simulated for it.
pub const POWER: (f64, usize) = (0.8, 300);
/// Number of simulated comparisons of a kernel with itself.
pub const COMPARISONS: usize = 1_000;
/// Effects for which repeats are suggested.
pub const EFFECTS: [f64; 3] = [0.01, 0.02, 0.05];
/// Samples are reported with more than one hump if a single hump dips as far with at most this probability.
pub const HUMPS_LEVEL: f64 = 0.01;
/// Number of values from which the dip is computed, spread evenly over the measurement.
const DIPPED: usize = 400;
/// The smallest number of rounds.
const LEAST: usize = 20;

/// One kernel's pairs of times in nanoseconds, round by round.
pub struct Measured {
    /// Problem, variant and instance.
    pub kernel: String,
    /// The two copies' times.
    pub pairs: Vec<Pair>,
}

/// All kernels' times, and the readings of the canary.
pub struct Measurement {
    /// One per kernel.
    pub kernels: Vec<Measured>,
    /// The canary's ratio in each round.
    pub canary: Vec<f64>,
}

/// Measures for `time`, at least for a few rounds. `seen` is called with the time that has passed.
///
/// # Errors
/// A kernel that does not answer within its limit.
pub fn measure(time: Duration, seed: u64, seen: &dyn Fn(Duration)) -> Result<Measurement> {
    let plan = plan()?;
    let mut cells: Vec<(&Stage, &Cell, Box<dyn AnyInstance>)> = Vec::new();
    for stage in &plan.stages {
        for cell in &stage.cells {
            cells.push((stage, cell, cell.input.base.ask(&cell.question)?));
        }
    }
    let mut kept: Vec<[Option<Prepared<'_>>; 2]> = cells.iter().map(|_| [None, None]).collect();
    let mut measured: Vec<Measured> = cells
        .iter()
        .map(|(stage, cell, _)| Measured {
            kernel: format!("{} {}", stage.problem.name(), cell.label),
            pairs: Vec::new(),
        })
        .collect();
    let cores = Cores::of_this_thread();
    cores.pin(true);
    let mut canary = Canary::begin();
    let mut ratios = Vec::new();
    let mut random = Random::new("doctor", seed);
    let mut turns: Vec<(usize, usize)> = (0..cells.len())
        .flat_map(|cell| [(cell, 0), (cell, 1)])
        .collect();
    let started = Instant::now();
    while started.elapsed() < time || ratios.len() < LEAST {
        random.shuffle(&mut turns);
        let mut times = vec![[0.0; 2]; cells.len()];
        for &(at, side) in &turns {
            let (stage, cell, question) = &cells[at];
            let sample = InProcess.sample(stage, cell, question.as_ref(), &mut kept[at][side])?;
            let batch = sample.batch.filter(|_| sample.outcome == Outcome::Solved);
            let batch = batch
                .with_context(|| format!("{}: {}", measured[at].kernel, sample.outcome.name()))?;
            times[at][side] = batch.as_nanos() as f64 / sample.iterations as f64;
        }
        for (kernel, [a, b]) in measured.iter_mut().zip(times) {
            kernel.pairs.push((a, b));
        }
        ratios.push(canary.ratio());
        seen(started.elapsed());
    }
    cores.pin(false);
    Ok(Measurement {
        kernels: measured,
        canary: ratios,
    })
}

fn plan() -> Result<Plan> {
    let experiments: Result<Vec<_>> = KERNELS
        .iter()
        .map(|text| Ok((Experiment::read("doctor", text)?, Default::default())))
        .collect();
    Plan::new(
        &experiments?,
        &Choice::default(),
        &|name| Ok(registry::problem(name)?),
        &|_, path| Err(anyhow!("{}: no files here", path.display())),
    )
}

/// The results of one kernel's pairs.
pub struct Diagnosis {
    /// Problem, variant and instance.
    pub kernel: String,
    /// Pairs measured.
    pub rounds: usize,
    /// Median nanoseconds.
    pub median: f64,
    /// Median absolute deviation from the median, divided by the median and scaled to a standard deviation.
    pub scatter: f64,
    /// The probability of a dip of this size under one hump.
    pub dip_chance: f64,
    /// The two humps in nanoseconds, if there is more than one.
    pub humps: Option<Humps>,
    /// The smallest effect found, for each number of repeats.
    pub smallest: Vec<(usize, Option<f64>)>,
    /// Repeats that find each of [`EFFECTS`].
    pub repeats: Vec<(f64, Option<usize>)>,
    /// The share of false alarms of each comparison, for each number of repeats.
    pub alarms: Vec<(usize, Vec<(Comparison, f64)>)>,
}

/// The results of the pairs for comparisons with each number of `repeats`.
pub fn diagnose(measured: &Measured, repeats: &[usize]) -> Diagnosis {
    let pairs = &measured.pairs;
    let all: Vec<f64> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let middle = median(&all).unwrap_or(f64::NAN);
    let distances: Vec<f64> = all.iter().map(|time| (time - middle).abs()).collect();
    let step = all.len().div_ceil(DIPPED).max(1);
    let spread: Vec<f64> = all.iter().step_by(step).map(|time| time.ln()).collect();
    let dip_chance = dip_chance(&spread).unwrap_or(1.0);
    let alarms = |repeats: usize| {
        let share = |comparison| found(pairs, (comparison, LEVEL), repeats, 0.0, COMPARISONS);
        Comparison::ALL
            .map(|comparison| (comparison, share(comparison)))
            .to_vec()
    };
    Diagnosis {
        kernel: measured.kernel.clone(),
        rounds: pairs.len(),
        median: middle,
        // 1.4826: the ratio of the normal distribution's standard deviation to its median absolute deviation.
        scatter: 1.4826 * median(&distances).unwrap_or(f64::NAN) / middle,
        dip_chance,
        humps: (dip_chance < HUMPS_LEVEL)
            .then(|| humps(&spread))
            .flatten()
            .map(|found| Humps {
                low: found.low.exp(),
                high: found.high.exp(),
                share: found.share,
            }),
        smallest: repeats
            .iter()
            .map(|&repeats| (repeats, smallest_effect(pairs, COMPARISON, repeats, POWER)))
            .collect(),
        repeats: EFFECTS
            .map(|effect| (effect, repeats_for(pairs, COMPARISON, effect, POWER)))
            .to_vec(),
        alarms: repeats
            .iter()
            .map(|&repeats| (repeats, alarms(repeats)))
            .collect(),
    }
}

/// The share of the canary's ratios that make their samples suspect, and the ratios' 5 % and 95 % quantiles.
pub fn canary_of(ratios: &[f64]) -> (f64, f64, f64) {
    let suspect = ratios.iter().filter(|ratio| is_suspect(**ratio)).count();
    let sorted = sorted(ratios);
    let quantile = |share| ikeru_reports::statistics::quantile(&sorted, share).unwrap_or(1.0);
    (
        suspect as f64 / ratios.len() as f64,
        quantile(0.05),
        quantile(0.95),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 1 ms with a scatter of 1 %. With `two`, three of ten times belong to a second hump and are longer by
    /// half.
    fn measured(two: bool) -> Measured {
        let mut random = Random::new("doctor-test", 1);
        let mut time = || {
            let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
            let hump = if two && random.chance(0.3) { 1.5 } else { 1.0 };
            1e6 * hump * (0.01 * normal).exp()
        };
        Measured {
            kernel: "test".to_owned(),
            pairs: (0..200).map(|_| (time(), time())).collect(),
        }
    }

    #[test]
    fn a_diagnosis_of_known_noise() {
        let one = diagnose(&measured(false), &[5, 50]);
        assert!((0.008..0.012).contains(&one.scatter), "{}", one.scatter);
        assert!(one.humps.is_none() && one.dip_chance >= HUMPS_LEVEL);
        let smallest = |at: usize| one.smallest[at].1.expect("an effect");
        assert!(smallest(0) > 2.0 * smallest(1));
        assert!(smallest(1) < 0.01, "{}", smallest(1));
        let repeats: Vec<usize> = one.repeats.iter().filter_map(|(_, n)| *n).collect();
        assert!(
            repeats.len() == 3 && repeats.is_sorted_by(|a, b| a >= b),
            "{repeats:?}"
        );
        for (repeats, alarms) in &one.alarms {
            for (comparison, share) in alarms {
                assert!(
                    *share <= 0.08,
                    "{} at {repeats}: {share}",
                    comparison.name()
                );
            }
        }
        let two = diagnose(&measured(true), &[5]);
        let humps = two.humps.expect("two humps");
        assert!((humps.high / humps.low - 1.5).abs() < 0.05, "{humps:?}");
        assert!((humps.share - 0.3).abs() < 0.06, "{humps:?}");
    }

    #[test]
    fn the_shortest_measurement_has_a_few_rounds() {
        let measured = measure(Duration::ZERO, 0, &|_| {}).expect("kernels that answer");
        assert_eq!((measured.kernels.len(), measured.canary.len()), (3, LEAST));
        for kernel in &measured.kernels {
            assert_eq!(kernel.pairs.len(), LEAST, "{}", kernel.kernel);
            assert!(kernel.pairs.iter().all(|(a, b)| *a > 0.0 && *b > 0.0));
        }
    }
}
