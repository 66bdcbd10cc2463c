//! Repeats beyond the plan's, for comparisons that are still open: `--until-decided`.
//!
//! Each round contains one baseline and the variants that are not decided against it, in random order. The next
//! baseline is the one with the least time spent so far, so that slow instances do not use up the budget of fast
//! ones. The rule that ends a comparison depends only on its past samples, and the decision is valid for every
//! stopping time ([`ikeru_compare::paired`]).

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use ikeru_bench_data::{Experiment, Mode};
use ikeru_compare::paired::PairedBet;
use ikeru_core::Random;
use ikeru_reports::decisions::{self, AgainstBaseline, Timed};
use ikeru_reports::run_file::RunFile;
use ikeru_reports::table::Form;
use ikeru_reports::{Rows, decisions_table};

use super::hopeless::Hopeless;
use super::journal::Journal;
use super::rounds;
use super::sampler::Conditions;
use super::schedule::{Pick, Round, Schedule, Taken};
use crate::execute::{Executor, Sample};
use crate::plan::{Plan, Stage};

/// The maximum number of comparisons in the table on the terminal; `comparisons.csv` has all of them.
const SHOWN: usize = 40;

/// Takes repeats until every comparison is decided or `budget` is used up; returns all comparisons.
///
/// # Errors
/// An error of [`stages::run`](super::stages::run).
pub fn until_decided<E: Executor>(
    conditions: &Conditions<E>,
    (plan, experiments): (&Plan, &[Experiment]),
    journal: &mut Journal,
    folder: &Path,
    budget: Duration,
) -> Result<Vec<AgainstBaseline>> {
    let isolated = |stage: &&Stage| stage.mode == Mode::Isolated;
    let count = plan.stages.iter().filter(isolated).count();
    let end = Instant::now() + budget;
    let rows = read(folder, plan)?;
    let comparisons = decisions::comparisons(&rows, experiments);
    for (done, stage) in plan.stages.iter().filter(isolated).enumerate() {
        // Time that an earlier experiment did not need goes to the later ones.
        let left = end.saturating_duration_since(Instant::now());
        let share = left / u32::try_from(count - done).unwrap_or(1);
        let groups = groups(stage, &comparisons, &rows);
        let mut schedule = UntilDecided {
            groups,
            end: Instant::now() + share,
            random: Random::new("until-decided", conditions.seed),
            last: None,
        };
        let hopeless = |stage| Hopeless::new(stage, conditions.finished);
        if !schedule.groups.is_empty() {
            rounds::run(conditions, &[stage], hopeless, journal, &mut schedule)?;
        }
    }
    let rows = read(folder, plan)?;
    Ok(decisions::comparisons(&rows, experiments))
}

/// The rows so far. A refuted proof is no answer, as in a report.
fn read(folder: &Path, plan: &Plan) -> Result<Rows> {
    let mut rows = RunFile::read(folder)?.present_rows(folder)?;
    let problems = plan.stages.iter().map(|stage| stage.problem);
    rows.set_directions(problems.map(|problem| (problem.name(), problem.direction())));
    rows.judge_claims();
    Ok(rows)
}

/// A baseline and the variants that are not decided against it.
struct OpenGroup {
    baseline: usize,
    open: Vec<(usize, PairedBet)>,
    repeat: u32,
    spent: Duration,
}

/// The stage's open comparisons that can get pairs, by baseline.
fn groups(stage: &Stage, comparisons: &[AgainstBaseline], rows: &Rows) -> Vec<OpenGroup> {
    let cells = stage.cells.iter().enumerate();
    let place: HashMap<String, usize> = cells.map(|(at, cell)| (cell.id.to_string(), at)).collect();
    // A repeat that no cell has yet, so that both sides of a pair are new.
    let own = rows.with("experiment", &stage.experiment);
    let last = rows.numbers("repeat", &own).into_iter().fold(0.0, f64::max);
    let mut groups: Vec<OpenGroup> = Vec::new();
    for comparison in comparisons {
        let baseline = comparison.baseline_cell.as_ref();
        let baseline = baseline.and_then(|baseline| place.get(baseline));
        let (Some(&cell), Some(&baseline)) = (place.get(&comparison.cell), baseline) else {
            continue;
        };
        let is_own = comparison.experiment == stage.experiment && comparison.is_comparable;
        if !is_own || comparison.bet.decision().is_some() {
            continue;
        }
        let open = (cell, comparison.bet.clone());
        match groups.iter_mut().find(|group| group.baseline == baseline) {
            Some(group) => group.open.push(open),
            None => groups.push(OpenGroup {
                baseline,
                open: vec![open],
                repeat: last as u32 + 1,
                spent: Duration::ZERO,
            }),
        }
    }
    groups
}

/// The schedule: each round has a baseline and the variants that are open against it.
struct UntilDecided {
    groups: Vec<OpenGroup>,
    end: Instant,
    random: Random,
    /// The group of the last round and when it began.
    last: Option<(usize, Instant)>,
}

impl UntilDecided {
    /// Adds the pairs of a round to its group.
    fn add(&mut self, last: &[Taken]) {
        let Some((at, began)) = self.last.take() else {
            return;
        };
        let group = &mut self.groups[at];
        let of = |cell: usize| {
            let taken = last.iter().find(|taken| taken.pick.cell == cell)?;
            timed(&taken.sample)
        };
        group.open.retain_mut(|(cell, bet)| {
            let pair = of(group.baseline).zip(of(*cell));
            // A round without a pair contains no information, and neither would the next.
            let ratio = pair.and_then(|(baseline, ours)| baseline.over(ours));
            ratio.is_some_and(|ratio| {
                bet.push(ratio.ln());
                bet.decision().is_none()
            })
        });
        group.repeat += 1;
        group.spent += began.elapsed();
        self.groups.retain(|group| !group.open.is_empty());
    }
}

impl Schedule for UntilDecided {
    fn next(&mut self, last: &[Taken]) -> Option<Round> {
        self.add(last);
        let groups = self.groups.iter().enumerate();
        let (at, group) = groups.min_by_key(|(_, group)| group.spent)?;
        let open = group.open.iter().map(|(cell, _)| *cell);
        let mut cells: Vec<usize> = open.chain([group.baseline]).collect();
        self.random.shuffle(&mut cells);
        self.last = Some((at, Instant::now()));
        let pick = |cell| Pick {
            stage: 0,
            cell,
            repeat: group.repeat,
            attempt: 0,
            follows: true,
        };
        Some(Round {
            picks: cells.into_iter().map(pick).collect(),
            end: Some(self.end),
            is_extra: true,
        })
    }
}

fn timed(sample: &Sample) -> Option<Timed> {
    let batch = sample.batch.map(|batch| batch.as_nanos() as f64);
    Timed::new(sample.outcome, batch, sample.iterations as f64)
}

/// The comparisons as a table for the terminal.
pub fn table(comparisons: &[AgainstBaseline]) -> String {
    if comparisons.is_empty() {
        return "nothing to compare: no isolated cell has a baseline\n".to_owned();
    }
    let all: Vec<&AgainstBaseline> = comparisons.iter().collect();
    decisions_table(&all, SHOWN).to(Form::Text)
}

#[cfg(test)]
mod tests {
    use ikeru_reports::records::Outcome;

    use super::*;

    fn schedule(groups: Vec<OpenGroup>, end: Instant) -> UntilDecided {
        UntilDecided {
            groups,
            end,
            random: Random::new("test", 1),
            last: None,
        }
    }

    /// A group of variants on one baseline, without pairs.
    fn group(baseline: usize, variants: &[usize]) -> OpenGroup {
        let open = variants.iter().map(|cell| (*cell, PairedBet::new(0.05)));
        OpenGroup {
            baseline,
            open: open.collect(),
            repeat: 5,
            spent: Duration::ZERO,
        }
    }

    fn taken(pick: Pick, time: Option<u64>) -> Taken {
        let sample = Sample {
            outcome: match time {
                Some(_) => Outcome::Solved,
                None => Outcome::Crashed,
            },
            batch: time.map(Duration::from_nanos),
            iterations: 1,
            ..Sample::default()
        };
        Taken {
            pick,
            canary: None,
            sample,
        }
    }

    #[test]
    fn rounds_go_to_what_is_open_and_stop_when_nothing_is() {
        let far = Instant::now() + Duration::from_secs(600);
        // 1 is faster and 2 is slower than 0; 4, which is compared with 3, crashes.
        let times = [Some(20), Some(10), Some(21), Some(9), None];
        let groups = vec![group(0, &[1, 2]), group(3, &[4])];
        let mut schedule = schedule(groups, far);
        let (mut last, mut repeats) = (Vec::new(), vec![Vec::new(); 5]);
        while let Some(round) = schedule.next(&last) {
            let mut once: Vec<usize> = round.picks.iter().map(|pick| pick.cell).collect();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), round.picks.len(), "a cell is in a round once");
            last = Vec::new();
            for pick in round.picks {
                repeats[pick.cell].push(pick.repeat);
                last.push(taken(pick, times[pick.cell]));
            }
        }
        // Nine pairs of one size decide at 5 %.
        for cell in [0, 1, 2] {
            assert_eq!(repeats[cell], (5..14).collect::<Vec<u32>>(), "{cell}");
        }
        assert_eq!((&repeats[3], &repeats[4]), (&vec![5], &vec![5]));
    }

    #[test]
    fn equal_times_go_on_and_every_round_has_the_end() {
        let far = Instant::now() + Duration::from_secs(600);
        let mut schedule = schedule(vec![group(0, &[1])], far);
        let mut last = Vec::new();
        for _ in 0..100 {
            let round = schedule.next(&last).expect("not decided");
            assert_eq!(round.end, Some(far));
            last = round
                .picks
                .into_iter()
                .map(|pick| taken(pick, Some(20)))
                .collect();
        }
    }
}
