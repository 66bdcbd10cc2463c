//! Repeats beyond the plan's, for comparisons that are still open: `--until-decided`.
//!
//! Each round contains one baseline and the variants that are not decided against it, in random order. The next
//! baseline is the one with the least time spent so far, so that slow instances do not use up the budget of fast
//! ones. Whether a comparison continues depends only on its past, and its decision is valid for every stopping time
//! (`ikeru_reports::statistics::sequential`).

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use ikeru_bench_data::{Experiment, Mode};
use ikeru_core::Random;
use ikeru_reports::decisions::{self, Comparison, Timed};
use ikeru_reports::records::Record;
use ikeru_reports::statistics::decision::Decision;
use ikeru_reports::statistics::sequential::Sequence;
use ikeru_reports::table::Form;
use ikeru_reports::{Rows, decisions_table};

use super::hopeless::Hopeless;
use super::isolated::{Bench, all_asked};
use super::journal::Journal;
use super::sampler::{Conditions, Rounds, Sampler, Turn};
use crate::execute::Executor;
use crate::plan::{Plan, Stage};

/// The maximum number of comparisons in the table on the terminal; `decisions.csv` has all of them.
const SHOWN: usize = 40;

/// Takes repeats until every comparison is decided or `budget` is used up; returns all comparisons.
///
/// # Errors
/// A plan without isolated experiments, or an error of [`schedule::run`](super::schedule::run).
pub fn until_decided<E: Executor>(
    conditions: &Conditions<E>,
    (plan, experiments): (&Plan, &[Experiment]),
    journal: &mut Journal,
    records: &Path,
    budget: Duration,
) -> Result<Vec<Comparison>> {
    let isolated = |stage: &&Stage| stage.mode == Mode::Isolated;
    let count = plan.stages.iter().filter(isolated).count();
    if count == 0 {
        bail!("--until-decided compares times, which needs --mode isolated");
    }
    let end = Instant::now() + budget;
    let rows = Rows::read(records)?;
    let comparisons = decisions::comparisons(&rows, experiments);
    let journal = Mutex::new(&mut *journal);
    for (done, stage) in plan.stages.iter().filter(isolated).enumerate() {
        let groups = groups(stage, &comparisons, &rows);
        if groups.is_empty() {
            continue;
        }
        // Time that an earlier experiment did not need goes to the later ones.
        let left = end.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(count - done).unwrap_or(1);
        let asked = all_asked(stage);
        let hopeless = Hopeless::new(stage, conditions.finished);
        let sampler = Sampler::new(conditions, stage, &journal, hopeless);
        let mut bench = Bench::new(&sampler, &asked);
        let mut random = Random::new("until-decided", conditions.seed);
        decide(
            groups,
            Instant::now() + share,
            (&mut random, &conditions.rounds),
            &mut |at, turn| {
                conditions.progress.expect(1);
                bench.take(at, turn, true)
            },
        )?;
    }
    Ok(decisions::comparisons(&Rows::read(records)?, experiments))
}

/// A baseline and the variants that are not decided against it.
struct Group {
    baseline: usize,
    open: Vec<(usize, Sequence)>,
    repeat: u32,
    spent: Duration,
}

/// The stage's open comparisons that can get pairs, by baseline.
fn groups(stage: &Stage, comparisons: &[Comparison], rows: &Rows) -> Vec<Group> {
    let place: HashMap<String, usize> = stage
        .cells
        .iter()
        .enumerate()
        .map(|(at, cell)| (cell.id.to_string(), at))
        .collect();
    let mut groups: Vec<Group> = Vec::new();
    for comparison in comparisons {
        let (cell, baseline) = (&comparison.cell, &comparison.baseline_cell);
        let (Some(&cell), Some(&baseline)) = (place.get(cell), place.get(baseline)) else {
            continue;
        };
        if comparison.experiment != stage.experiment || !is_open(&comparison.sequence) {
            continue;
        }
        if !comparison.is_comparable {
            continue;
        }
        let open = (cell, comparison.sequence.clone());
        match groups.iter_mut().find(|group| group.baseline == baseline) {
            Some(group) => group.open.push(open),
            None => groups.push(Group {
                baseline,
                open: vec![open],
                repeat: 0,
                spent: Duration::ZERO,
            }),
        }
    }
    // A repeat that no cell has yet, so that both sides of a pair are new.
    let own = rows.with("experiment", &stage.experiment);
    let last = rows.numbers("repeat", &own).into_iter().fold(0.0, f64::max);
    for group in &mut groups {
        group.repeat = last as u32 + 1;
    }
    groups
}

fn is_open(sequence: &Sequence) -> bool {
    sequence.decision() == Decision::Open
}

/// Takes rounds until no group is open or until the time `end`.
fn decide<'a>(
    mut groups: Vec<Group>,
    end: Instant,
    (random, rounds): (&mut Random, &Rounds),
    take: &mut dyn FnMut(usize, Turn) -> Result<Record<'a>>,
) -> Result<()> {
    while let Some(group) = groups.iter_mut().min_by_key(|group| group.spent) {
        let started = Instant::now();
        let mut cells: Vec<usize> = group.open.iter().map(|(cell, _)| *cell).collect();
        cells.push(group.baseline);
        random.shuffle(&mut cells);
        let mut outcomes = HashMap::new();
        let turn = Turn::first(group.repeat, Some(rounds.begin()));
        for cell in cells {
            if Instant::now() >= end {
                return Ok(());
            }
            let record = take(cell, turn)?;
            outcomes.insert(cell, outcome(&record));
        }
        let of = |cell: usize| outcomes.get(&cell).copied().flatten();
        group.open.retain_mut(|(cell, sequence)| {
            let ratio = of(group.baseline)
                .zip(of(*cell))
                .and_then(|(baseline, ours)| baseline.over(ours));
            // A round without a pair contains no information, and neither would the next.
            ratio.is_some_and(|ratio| {
                sequence.push(ratio);
                is_open(sequence)
            })
        });
        group.repeat += 1;
        group.spent += started.elapsed();
        groups.retain(|group| !group.open.is_empty());
    }
    Ok(())
}

fn outcome(record: &Record) -> Option<Timed> {
    let batch = record.taken.batch.map(|batch| batch.as_nanos() as f64);
    Timed::new(record.taken.outcome, batch, record.taken.iterations as f64)
}

/// The comparisons as a table for the terminal.
pub fn table(comparisons: &[Comparison]) -> String {
    if comparisons.is_empty() {
        return "nothing to compare: no isolated cell has a baseline\n".to_owned();
    }
    let all: Vec<&Comparison> = comparisons.iter().collect();
    decisions_table(&all, SHOWN).to(Form::Text)
}

#[cfg(test)]
mod tests {
    use ikeru_reports::records::{Outcome, Sample};

    use super::*;

    /// A group of variants on one baseline, without pairs.
    fn group(baseline: usize, variants: &[usize]) -> Group {
        let open = variants.iter().map(|cell| (*cell, Sequence::new(0.05)));
        Group {
            baseline,
            open: open.collect(),
            repeat: 5,
            spent: Duration::ZERO,
        }
    }

    fn record(time: Option<u64>) -> Record<'static> {
        Record {
            taken: Sample {
                outcome: match time {
                    Some(_) => Outcome::Solved,
                    None => Outcome::Crashed,
                },
                batch: time.map(Duration::from_nanos),
                iterations: 1,
                ..Sample::default()
            },
            ..Record::default()
        }
    }

    #[test]
    fn rounds_go_to_what_is_open_and_stop_when_nothing_is() {
        let (mut random, mut turns) = (Random::new("test", 1), Vec::new());
        let far = Instant::now() + Duration::from_secs(600);
        // 1 is faster and 2 slower than 0; 4 crashes beside 3.
        let groups = vec![group(0, &[1, 2]), group(3, &[4])];
        let mut rounds = Vec::new();
        let order = (&mut random, &Rounds::default());
        decide(groups, far, order, &mut |cell, turn| {
            turns.push((cell, turn.repeat));
            rounds.push((turn.round, cell));
            Ok(record([Some(20), Some(10), Some(21), Some(9), None][cell]))
        })
        .expect("decided");
        let mut once = rounds.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(
            once.len(),
            rounds.len(),
            "a cell is in a round at most once"
        );
        let of = |cell: usize| -> Vec<u32> {
            let own = turns.iter().filter(|(at, _)| *at == cell);
            own.map(|(_, repeat)| *repeat).collect()
        };
        // Seven equal signs decide at 5 %.
        for cell in [0, 1, 2] {
            assert_eq!(of(cell), (5..12).collect::<Vec<u32>>(), "{cell}");
        }
        assert_eq!((of(3), of(4)), (vec![5], vec![5]));
    }

    #[test]
    fn equal_times_end_with_the_budget() {
        let (mut random, mut taken) = (Random::new("test", 1), 0);
        let soon = Instant::now() + Duration::from_millis(20);
        let order = (&mut random, &Rounds::default());
        decide(vec![group(0, &[1])], soon, order, &mut |_, _| {
            taken += 1;
            std::thread::sleep(Duration::from_millis(1));
            Ok(record(Some(20)))
        })
        .expect("ended");
        assert!((2..=21).contains(&taken), "{taken}");
        assert!(Instant::now() >= soon);
    }

    #[test]
    fn a_failure_to_write_ends_it() {
        let far = Instant::now() + Duration::from_secs(600);
        let mut random = Random::new("test", 1);
        let order = (&mut random, &Rounds::default());
        let ended = decide(vec![group(0, &[1])], far, order, &mut |_, _| {
            bail!("disk full")
        });
        assert!(ended.is_err());
    }
}
