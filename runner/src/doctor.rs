//! The noise of this machine: two copies of small kernels, timed side by side as a run would time them.
//!
//! The copies differ only by noise, so their difference shows what a comparison can find on this machine.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use ikeru_bench_data::Experiment;
use ikeru_core::Random;
use ikeru_reports::records::is_suspect;
use ikeru_reports::statistics::noise::{Pair, found, repeats_for, smallest_effect};
use ikeru_reports::statistics::{median, sorted};

use crate::campaign::schedule::{Pick, Round, Schedule, Taken};
use crate::campaign::{Campaign, CampaignOptions, ExperimentSource, SessionOptions, Unfinished};
use crate::execute::{InProcess, Outcome};
use crate::plan::Stage;

/// The kernels: a memoized search, a search on bit planes that takes microseconds, a depth-first search.
const KERNELS: [&str; 2] = [
    include_str!("doctor/reach.toml"),
    include_str!("doctor/trail.toml"),
];

/// The level of each comparison.
pub const LEVEL: f64 = 0.05;
/// The share of comparisons that must find an effect, and the number of comparisons simulated for it.
pub const POWER: (f64, usize) = (0.8, 300);
/// Number of simulated comparisons of a kernel with itself.
pub const COMPARISONS: usize = 1_000;
/// Effects for which repeats are suggested.
pub const EFFECTS: [f64; 3] = [0.01, 0.02, 0.05];
/// The smallest number of rounds.
const LEAST: u32 = 20;

/// One kernel's pairs of times in nanoseconds, round by round.
pub struct KernelTimes {
    /// Problem and variant.
    pub kernel: String,
    /// The two copies' times.
    pub pairs: Vec<Pair>,
}

/// All kernels' times, and the readings of the canary.
pub struct Measurement {
    /// One per kernel.
    pub kernels: Vec<KernelTimes>,
    /// The canary's ratio at each sample.
    pub canary: Vec<f64>,
}

/// Measures for `time`, but at least `LEAST` rounds, into the run folder `folder`. `seen` is called with the time
/// that has passed.
///
/// # Errors
/// A kernel that does not answer within its limit, a folder that holds a run or cannot be written, an interruption.
pub fn measure(
    time: Duration,
    seed: u64,
    folder: &Path,
    seen: &dyn Fn(Duration),
) -> Result<Measurement> {
    let sources = KERNELS.iter().map(|text| {
        Ok(ExperimentSource {
            experiment: Experiment::read("doctor", text)?,
            folder: PathBuf::new(),
            file: None,
        })
    });
    let options = CampaignOptions {
        session: SessionOptions::quiet(Some(folder.to_owned())),
        ..CampaignOptions::default()
    };
    let campaign = Campaign::new("doctor", sources.collect::<Result<_>>()?, options)?;
    let stages = campaign.plan.stages.iter();
    let stages: Vec<Stage> = stages.map(|stage| stage.in_copies(&["a", "b"])).collect();
    let mut schedule = TwoCopies::new(&campaign.plan.stages, time, seed, seen);
    let taken = campaign.session(&InProcess, |session| session.take(&stages, &mut schedule));
    // An interrupted measurement is not resumed; its folder is a temporary one unless `--out` names it.
    taken.map_err(|error| match error.is::<Unfinished>() {
        true => anyhow!("interrupted: a measurement of noise begins again"),
        false => error,
    })?;
    match schedule.failed {
        Some(why) => bail!(why),
        None => Ok(schedule.measurement),
    }
}

/// The schedule: every round has both copies of each kernel once, in a random order.
struct TwoCopies<'a> {
    began: Instant,
    time: Duration,
    seen: &'a dyn Fn(Duration),
    random: Random,
    /// The place of each kernel: its stage, and its cell before it was copied.
    places: Vec<(usize, usize)>,
    measurement: Measurement,
    rounds: u32,
    failed: Option<String>,
}

impl<'a> TwoCopies<'a> {
    fn new(stages: &[Stage], time: Duration, seed: u64, seen: &'a dyn Fn(Duration)) -> Self {
        let (mut places, mut kernels) = (Vec::new(), Vec::new());
        for (number, stage) in stages.iter().enumerate() {
            for (at, cell) in stage.cells.iter().enumerate() {
                places.push((number, at));
                kernels.push(KernelTimes {
                    kernel: format!("{} {}", stage.problem.name(), cell.label),
                    pairs: Vec::new(),
                });
            }
        }
        let canary = Vec::new();
        let measurement = Measurement { kernels, canary };
        Self {
            began: Instant::now(),
            time,
            seen,
            random: Random::new("doctor", seed),
            places,
            measurement,
            rounds: 0,
            failed: None,
        }
    }

    /// Adds a round's pairs. Returns the name of a kernel without a time, with the reason.
    fn add(&mut self, last: &[Taken]) -> Option<String> {
        let canary = last.iter().filter_map(|taken| taken.canary);
        self.measurement.canary.extend(canary);
        for (place, kernel) in self.places.iter().zip(&mut self.measurement.kernels) {
            let mut pair = [0.0; 2];
            let own = |taken: &&Taken| (taken.pick.stage, taken.pick.cell / 2) == *place;
            for Taken { pick, sample, .. } in last.iter().filter(own) {
                let batch = sample.batch.filter(|_| sample.outcome == Outcome::Solved);
                let Some(time) = sample.each(batch) else {
                    let why = format!("{} {}", sample.outcome.name(), sample.detail);
                    return Some(format!("{}: {}", kernel.kernel, why.trim_end()));
                };
                pair[pick.cell % 2] = time;
            }
            kernel.pairs.push((pair[0], pair[1]));
        }
        None
    }
}

impl Schedule for TwoCopies<'_> {
    fn next(&mut self, last: &[Taken]) -> Option<Round> {
        if self.rounds > 0 {
            self.failed = self.add(last);
        }
        let over = self.began.elapsed();
        (self.seen)(over);
        if self.failed.is_some() || (over >= self.time && self.rounds >= LEAST) {
            return None;
        }
        let pick = |&(stage, at): &(usize, usize)| {
            [0, 1].map(|copy| Pick {
                stage,
                cell: 2 * at + copy,
                repeat: self.rounds,
                attempt: 0,
                follows: true,
            })
        };
        let mut picks: Vec<Pick> = self.places.iter().flat_map(pick).collect();
        self.random.shuffle(&mut picks);
        self.rounds += 1;
        Some(Round {
            picks,
            ..Round::default()
        })
    }
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
    /// The smallest effect found, for each number of repeats.
    pub smallest: Vec<(usize, Option<f64>)>,
    /// Repeats that find each of [`EFFECTS`].
    pub repeats: Vec<(f64, Option<usize>)>,
    /// The share of false alarms, for each number of repeats.
    pub alarms: Vec<(usize, f64)>,
}

/// The results of the pairs for comparisons with each number of `repeats`.
pub fn diagnose(measured: &KernelTimes, repeats: &[usize]) -> Diagnosis {
    let pairs = &measured.pairs;
    let all: Vec<f64> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let middle = median(&all).unwrap_or(f64::NAN);
    let distances: Vec<f64> = all.iter().map(|time| (time - middle).abs()).collect();
    let smallest = |count: &usize| (*count, smallest_effect(pairs, LEVEL, *count, POWER));
    let needed = |effect| (effect, repeats_for(pairs, LEVEL, effect, POWER));
    let alarms = |count: &usize| (*count, found(pairs, LEVEL, *count, 0.0, COMPARISONS));
    Diagnosis {
        kernel: measured.kernel.clone(),
        rounds: pairs.len(),
        median: middle,
        // 1.4826: the ratio of the normal distribution's standard deviation to its median absolute deviation.
        scatter: 1.4826 * median(&distances).unwrap_or(f64::NAN) / middle,
        smallest: repeats.iter().map(smallest).collect(),
        repeats: EFFECTS.map(needed).to_vec(),
        alarms: repeats.iter().map(alarms).collect(),
    }
}

/// The share of the canary's ratios that make their samples suspect, and the ratios' 5 % and 95 % quantiles.
pub fn canary_of(ratios: &[f64]) -> (f64, f64, f64) {
    let suspect = ratios.iter().filter(|ratio| is_suspect(**ratio)).count();
    let sorted = sorted(ratios);
    let quantile = |share| ikeru_reports::statistics::quantile(&sorted, share).unwrap_or(1.0);
    let share = suspect as f64 / ratios.len() as f64;
    (share, quantile(0.05), quantile(0.95))
}

#[cfg(test)]
mod tests {
    use crate::execute::Sample;

    use super::*;

    /// Rounds of 1 ms with a scatter of 1 %.
    fn measured() -> KernelTimes {
        let mut random = Random::new("doctor-test", 1);
        let mut time = || {
            let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
            1e6 * (0.01 * normal).exp()
        };
        KernelTimes {
            kernel: "test".to_owned(),
            pairs: (0..200).map(|_| (time(), time())).collect(),
        }
    }

    #[test]
    fn a_diagnosis_of_known_noise() {
        let one = diagnose(&measured(), &[5, 50]);
        assert!((0.008..0.012).contains(&one.scatter), "{}", one.scatter);
        let smallest = |at: usize| one.smallest[at].1.expect("an effect");
        assert!(smallest(0) > 2.0 * smallest(1));
        assert!(smallest(1) < 0.01, "{}", smallest(1));
        let repeats: Vec<usize> = one.repeats.iter().filter_map(|(_, n)| *n).collect();
        assert!(
            repeats.len() == 3 && repeats.is_sorted_by(|a, b| a >= b),
            "{repeats:?}"
        );
        for (repeats, share) in &one.alarms {
            assert!(*share <= 0.08, "at {repeats}: {share}");
        }
    }

    /// Drives the shortest schedule of one kernel, whose samples last `time`. Returns the number of rounds and the
    /// schedule.
    fn shortest(time: Option<Duration>) -> (u32, TwoCopies<'static>) {
        let mut schedule = TwoCopies {
            places: vec![(0, 0)],
            ..TwoCopies::new(&[], Duration::ZERO, 0, &|_| {})
        };
        let (kernel, pairs) = ("test".to_owned(), Vec::new());
        schedule.measurement.kernels = vec![KernelTimes { kernel, pairs }];
        let mut last = Vec::new();
        let mut rounds = 0;
        while let Some(round) = schedule.next(&last) {
            rounds += 1;
            let taken = round.picks.iter().map(|pick| Taken {
                pick: *pick,
                canary: Some(1.0),
                sample: Sample {
                    outcome: Outcome::Solved,
                    detail: "why".into(),
                    batch: time.map(|time| time * (1 + pick.cell as u32)),
                    iterations: 1,
                    ..Sample::default()
                },
            });
            last = taken.collect();
        }
        (rounds, schedule)
    }

    #[test]
    fn the_shortest_measurement_has_a_few_rounds() {
        let (rounds, schedule) = shortest(Some(Duration::from_nanos(5)));
        let measured = schedule.measurement;
        assert_eq!((rounds, schedule.failed), (LEAST, None));
        assert_eq!(measured.canary, vec![1.0; 2 * LEAST as usize]);
        let pairs = &measured.kernels[0].pairs;
        assert_eq!(*pairs, vec![(5.0, 10.0); LEAST as usize]);
    }

    #[test]
    fn a_kernel_without_a_time_ends_the_measurement_and_says_why() {
        let (rounds, schedule) = shortest(None);
        let why = schedule.failed.as_deref();
        assert_eq!((rounds, why), (1, Some("test: solved why")));
    }
}
