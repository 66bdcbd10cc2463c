//! Sequential comparisons of each variant with the baseline on each instance, which `--until-decided` decides.
//!
//! A pair is the baseline's time and the variant's time of one round of one session; both were taken one after the
//! other in random order. Samples of different sessions or rounds never form a pair, even with equal repeats. The
//! level is divided by the number of comparisons of the run (Bonferroni), so that the probability of *any* wrong
//! decision stays within the level.

use std::collections::BTreeMap;

use ikeru_bench_data::{Experiment, Mode};
use ikeru_compare::LEVEL;
use ikeru_compare::comparison::{Comparison, Terms};
use ikeru_compare::paired::PairedBet;

use crate::records::Outcome;
use crate::rows::{Rows, WAYS};
use crate::summary::{self, AgainstLabel};

/// One variant against the baseline on one instance and question.
#[derive(Debug, Clone)]
pub struct AgainstBaseline {
    /// The experiment.
    pub experiment: String,
    /// The instance with the seed of its generator, the ways to run, if the run has several, and the settings of question and
    /// method: `instance=maze 3 threads=2 steps=48 width=3`.
    pub over: String,
    /// The variant's label.
    pub label: String,
    /// The baseline's label.
    pub baseline: String,
    /// The identity of the variant's cell.
    pub cell: String,
    /// The identity of the baseline's cell; `None` if the baseline has several settings under one label.
    pub baseline_cell: Option<String>,
    /// The rows of the baseline and of the variant.
    pub rows: [Vec<u32>; 2],
    /// The pairs so far: logarithms of the baseline's time by the variant's.
    pub bet: PairedBet,
    /// The failed samples of both sides in words, such as `flaky: 1 of 3 crashed`; empty where none failed.
    pub failed: String,
    /// True if further pairs are possible: both sides have a time, and at least one side has a sample within the limit.
    pub is_comparable: bool,
}

impl AgainstBaseline {
    /// The comparison of the variant with its baseline.
    pub fn row(&self) -> Comparison {
        let names = [&self.baseline, &self.label].map(String::clone);
        let terms = Terms::of_ratios(names, "wall".to_owned(), self.bet.level());
        let row = Comparison::of_pairs(
            &terms,
            self.over.clone(),
            self.bet.ratio(),
            (self.bet.differences().len(), self.bet.level()),
        );
        let both = [row.why.as_str(), &self.failed];
        let both: Vec<&str> = both.into_iter().filter(|text| !text.is_empty()).collect();
        let why = both.join("; ");
        Comparison { why, ..row }
    }
}

/// The comparisons of all isolated cells with their baselines, in the order of [`summary::summarize`].
pub fn comparisons(rows: &Rows, experiments: &[Experiment]) -> Vec<AgainstBaseline> {
    let cells = summary::cells(rows, experiments).into_iter();
    let mut against: Vec<AgainstLabel> = cells.filter_map(|cell| cell.against).collect();
    against.retain(|one| {
        !one.is_itself && rows.text("mode", one.pairs[0].b[0]) == Mode::Isolated.name()
    });
    let mut ways = WAYS.to_vec();
    ways.retain(|way| rows.distinct(way, &rows.all()).len() > 1);
    let level = LEVEL / against.len().max(1) as f64;
    let comparison = |against: AgainstLabel| {
        let (sides, is_one) = (against.sides(), !against.is_of_several);
        let [baseline, row] = sides.each_ref().map(|own| own[0]);
        let text = |column| rows.text(column, row).to_owned();
        let settings = rows.described(ways.iter().copied().chain(rows.settings()), row);
        let seed = rows.seed_beside_name(row).unwrap_or_default().to_owned();
        let mut place = [text("instance"), seed, settings].to_vec();
        place.retain(|text| !text.is_empty());
        let ratios = ratios(rows, &sides).into_iter();
        let logarithms = ratios.filter(|_| is_one).map(f64::ln);
        let bet = PairedBet::of(level, logarithms);
        let times = sides.each_ref().map(|own| -> Vec<Timed> {
            own.iter().filter_map(|row| Timed::of(rows, *row)).collect()
        });
        let is_within_limit = times.iter().flatten().any(|time| !time.stopped);
        let failed = sides.each_ref().map(|own| {
            let failed = rows.failed_in_words(own);
            let label = rows.text("label", own[0]);
            (!failed.is_empty()).then(|| format!("{label}: {failed}"))
        });
        AgainstBaseline {
            failed: failed.into_iter().flatten().collect::<Vec<_>>().join("; "),
            is_comparable: is_one && times.iter().all(|own| !own.is_empty()) && is_within_limit,
            experiment: text("experiment"),
            over: format!("instance={}", place.join(" ")),
            label: text("label"),
            baseline: rows.text("label", baseline).to_owned(),
            cell: text("cell"),
            baseline_cell: is_one.then(|| rows.text("cell", baseline).to_owned()),
            rows: sides,
            bet,
        }
    };
    against.into_iter().map(comparison).collect()
}

/// The baseline's time divided by ours for each round in which both were taken, in the order of the rounds.
fn ratios(rows: &Rows, sides: &[Vec<u32>; 2]) -> Vec<f64> {
    let of = |row: &u32| Some((round_of(rows, *row)?, Timed::of(rows, *row)?));
    let [baseline, ours] = sides
        .each_ref()
        .map(|cell| -> BTreeMap<(u64, u64), Timed> { cell.iter().filter_map(of).collect() });
    let ratio = |(round, baseline): (_, &Timed)| baseline.over(*ours.get(round)?);
    baseline.iter().filter_map(ratio).collect()
}

/// The session and round of a sample; `None` for a sample without a round. Two samples with equal repeats were not
/// necessarily taken one after the other.
fn round_of(rows: &Rows, row: u32) -> Option<(u64, u64)> {
    let whole = |column| rows.number(column, row).map(|number| number as u64);
    Some((whole("session")?, whole("round")?))
}

/// The time of a sample, possibly censored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timed {
    /// The time of one answer in nanoseconds.
    pub time: f64,
    /// True for a timeout: the time is a lower bound.
    pub stopped: bool,
}

impl Timed {
    /// The time from a sample's outcome and the nanoseconds of its batch; `None` for a sample without a time. The
    /// batch is divided here because `wall_ns` is rounded and short answers take few nanoseconds.
    pub fn new(outcome: Outcome, batch_ns: Option<f64>, iterations: f64) -> Option<Self> {
        let stopped = match outcome {
            Outcome::Solved => false,
            Outcome::Timeout => true,
            _ => return None,
        };
        let time = batch_ns? / iterations;
        (time.is_finite() && time > 0.0).then_some(Self { time, stopped })
    }

    fn of(rows: &Rows, row: u32) -> Option<Self> {
        let batch = rows.number("batch_ns", row);
        Self::new(rows.outcome(row)?, batch, rows.number("iterations", row)?)
    }

    /// The ratio of this time to `other`; `None` if both are timeouts.
    pub fn over(self, other: Self) -> Option<f64> {
        (!(self.stopped && other.stopped)).then(|| self.time / other.time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment_of;
    use crate::rows_of as rows;
    use std::cmp::Ordering;

    #[test]
    fn pairs_are_of_one_round_and_the_level_is_shared() {
        let experiment = experiment_of("'slow','fast','same'", "");
        let mut text = "schema,experiment,cell,instance_hash,label,repeat,session,round,mode,outcome,batch_ns,iterations,setting_steps\n"
            .to_owned();
        for repeat in 0..12 {
            let drift = 100 + 30 * repeat;
            let (session, round) = (1 + repeat / 5, repeat % 5);
            for (cell, label, batch, iterations) in [
                ("c1", "slow", 40 * drift, 4),
                ("c2", "fast", 2 * drift, 2),
                ("c3", "same", 10 * drift, 1),
            ] {
                text += &format!(
                    "1,e,{cell},h,{label},{repeat},{session},{round},isolated,solved,{batch},{iterations},8\n"
                );
            }
        }
        // The same repeat in different sessions, in different rounds, and without rounds.
        for (cell, label, session, round) in [
            ("c1", "slow", 1, "20"),
            ("c2", "fast", 2, "20"),
            ("c3", "same", 1, "21"),
            ("c2", "fast", 1, ""),
        ] {
            text += &format!("1,e,{cell},h,{label},30,{session},{round},isolated,solved,1,1,8\n");
        }
        text += "1,e,c3,h,same,40,3,1,isolated,crashed,,1,8\n";
        let older = text.replace(",session,round,", ",other,another,");
        let rows = rows(&text);
        let experiment = [experiment];
        let found = comparisons(&rows, &experiment);
        let seen: Vec<_> = found
            .iter()
            .map(|comparison| {
                let bet = &comparison.bet;
                let ratio = bet.ratio().expect("pairs").value;
                (
                    comparison.label.as_str(),
                    bet.differences().len(),
                    bet.decision(),
                    ratio.round(),
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("fast", 12, Some(Ordering::Greater), 10.0),
                ("same", 12, None, 1.0)
            ]
        );
        assert!(found.iter().all(|comparison| comparison.is_comparable));
        let older = comparisons(&crate::rows_of(&older), &experiment);
        let pairs: Vec<usize> = older.iter().map(|it| it.bet.differences().len()).collect();
        assert_eq!(pairs, [0, 0], "nobody knows the rounds");
        assert_eq!(
            (found[0].cell.as_str(), found[0].baseline_cell.as_deref()),
            ("c2", Some("c1"))
        );
        let row = found[1].row();
        assert_eq!((row.decision.name(), row.pairs, row.n), ("same", 12, 12));
        assert_eq!(
            (&*row.over, &*row.why),
            ("instance=steps=8", "exact; same: 1 of 14 crashed")
        );
        let row = found[0].row();
        assert_eq!(
            (row.decision.name(), row.estimate.map(f64::round)),
            ("better", Some(10.0))
        );
    }

    #[test]
    fn a_number_of_threads_is_a_setting_if_there_are_several() {
        let experiment = experiment_of("'slow','fast'", "");
        let mut text = "schema,experiment,instance_hash,label,threads,mode,outcome\n".to_owned();
        for threads in 1..=2 {
            for label in ["slow", "fast"] {
                text += &format!("1,e,h,{label},{threads},isolated,solved\n");
            }
        }
        let found = comparisons(&rows(&text), &[experiment]);
        let settings: Vec<&str> = found.iter().map(|one| one.over.as_str()).collect();
        assert_eq!(settings, ["instance=threads=1", "instance=threads=2"]);
    }

    #[test]
    fn a_stopped_sample_is_slower_than_a_solved_one_and_two_say_nothing() {
        let solved = Timed::new(Outcome::Solved, Some(10.0), 1.0).expect("a time");
        let stopped = Timed::new(Outcome::Timeout, Some(100.0), 1.0).expect("a time");
        assert_eq!(stopped.over(solved), Some(10.0));
        assert_eq!(stopped.over(stopped), None);
        assert_eq!(Timed::new(Outcome::Crashed, Some(1.0), 1.0), None);
        assert_eq!(Timed::new(Outcome::Solved, None, 1.0), None);
    }
}
