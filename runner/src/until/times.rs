//! Rounds for comparisons of times with the baseline: each has the baseline and the variants that are open against it.
//!
//! The baseline with the least time spent beyond the plan comes first, so that slow instances do not use up the time of fast
//! ones, nor an experiment that of another. The decision is valid at every moment ([`ikeru_compare::paired`]).

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use anyhow::{Result, bail};
use ikeru_bench_data::Mode;
use ikeru_reports::Rows;
use ikeru_reports::decisions::{self, AgainstBaseline};
use ikeru_reports::run_file;
use ikeru_reports::units::plural;

use super::{Addition, RunSoFar, STEP, Undecided, mean_seconds};
use crate::campaign::Campaign;
use crate::plan::{Cell, Stage};

/// Between two looks, the pairs of a comparison grow by one part in this number.
const PART: usize = 16;

/// Comparisons of times.
#[derive(Default)]
pub struct TimedPairs {
    /// The number of pairs of each cell when rounds were last added: those that brought no pair are the last ones.
    pairs: HashMap<String, usize>,
    /// The seconds that the rounds so far were expected to take.
    expected: f64,
}

/// A baseline and the variants that are open against it.
struct Group<'a> {
    stage: &'a Stage,
    cells: Vec<&'a Cell>,
    open: Vec<&'a AgainstBaseline>,
    /// A repeat that none of the cells has yet.
    repeat: u32,
    /// The expected time of a round.
    seconds: f64,
    /// The time of the rounds beyond the plan.
    spent: f64,
}

impl Group<'_> {
    /// The rounds until the next look.
    fn rounds(&self) -> f64 {
        let pairs = self.open.iter().map(|one| one.bet.differences().len());
        let part = pairs.min().unwrap_or(0) / PART;
        (part as f64).min(STEP / self.seconds).floor().max(1.0)
    }
}

impl TimedPairs {
    /// The comparisons of `all` that rounds of a stage may decide, by their baselines.
    fn groups<'a>(
        &self,
        stage: &'a Stage,
        all: &'a [AgainstBaseline],
        rows: &Rows,
    ) -> Vec<Group<'a>> {
        let cells = stage.cells.iter().map(|cell| (cell.id.to_string(), cell));
        let cells: HashMap<String, &Cell> = cells.collect();
        let mut by_baseline: BTreeMap<&str, Vec<&AgainstBaseline>> = BTreeMap::new();
        for one in all {
            let is_own = one.experiment == stage.experiment && cells.contains_key(&one.cell);
            let is_stuck = self.pairs.get(&one.cell) == Some(&one.bet.differences().len());
            let is_open = one.is_comparable && one.bet.decision().is_none() && !is_stuck;
            if let (true, Some(baseline)) = (is_own && is_open, &one.baseline_cell) {
                by_baseline.entry(baseline).or_default().push(one);
            }
        }
        by_baseline.retain(|baseline, _| cells.contains_key(*baseline));
        let group = |(baseline, open): (&str, Vec<&'a AgainstBaseline>)| {
            let own = open.iter().map(|one| &*one.rows[1]);
            let own: Vec<&[u32]> = own.chain([&*open[0].rows[0]]).collect();
            let seconds = own.iter().map(|own| mean_seconds(rows, own)).sum::<f64>();
            let mut own = own.concat();
            let repeats = rows.numbers("repeat", &own).into_iter();
            let repeat = repeats.fold(-1.0, f64::max) as i64 + 1;
            let planned = f64::from(stage.repeats);
            own.retain(|row| rows.number("repeat", *row) >= Some(planned));
            let ids = open.iter().map(|one| &*one.cell).chain([baseline]);
            Group {
                stage,
                cells: ids.map(|id| cells[id]).collect(),
                repeat: repeat as u32,
                seconds: seconds.max(1e-3),
                spent: own.len() as f64 * mean_seconds(rows, &own),
                open,
            }
        };
        by_baseline.into_iter().map(group).collect()
    }
}

impl Undecided for TimedPairs {
    fn next(&mut self, look: &RunSoFar) -> Result<Vec<Addition>> {
        let all = decisions::comparisons(&look.rows, &look.experiments);
        let stages = look.session.campaign.plan.stages.iter();
        // Referees and processes that start take time too.
        let elapsed = look.began.elapsed().as_secs_f64();
        let pace = if self.expected > 0.0 {
            elapsed / self.expected
        } else {
            1.0
        };
        let mut groups = Vec::new();
        for stage in stages.filter(|stage| stage.mode == Mode::Isolated) {
            let own = self.groups(stage, &all, &look.rows);
            let spent: f64 = own.iter().map(|group| group.spent).sum();
            for mut group in own {
                group.seconds *= pace.max(1.0);
                groups.push(([spent, group.spent], group));
            }
        }
        groups.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        let count = groups.iter().map(|(_, group)| group.open.len()).sum();
        let why = format!("{} open", plural(count, "comparison"));
        let (left, mut seconds) = (look.left(), 0.0);
        let mut additions = Vec::new();
        for (_, group) in groups {
            let most = ((left - seconds) / group.seconds).floor();
            let rounds = group.rounds().min(most);
            let own = rounds * group.seconds;
            if rounds < 1.0 || (!additions.is_empty() && seconds + own > STEP) {
                continue;
            }
            seconds += own;
            self.expected += own / pace.max(1.0);
            let pairs = |one: &AgainstBaseline| (one.cell.clone(), one.bet.differences().len());
            self.pairs.extend(group.open.into_iter().map(pairs));
            additions.push(Addition {
                stage: Stage {
                    cells: group.cells.into_iter().cloned().collect(),
                    first_repeat: group.repeat,
                    repeats: group.repeat + rounds as u32,
                    ..group.stage.clone()
                },
                times: 1,
                why: why.clone(),
            });
        }
        Ok(additions)
    }

    fn check(&self, campaign: &Campaign) -> Result<()> {
        if !campaign.plan.is_timed() {
            bail!("--until-decided compares times, which needs --mode isolated");
        }
        Ok(())
    }

    fn doubt(&self) -> Option<&'static str> {
        Some(run_file::UNTIL_DECIDED)
    }
}
