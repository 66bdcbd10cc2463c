//! Further seeds for experiments of scores, until the order of the variants is decided.
//!
//! Both sides of a pair get the same seed. The decision ([`ikeru_compare::paired`]) is valid
//! after every pair, so it does not matter how often the rows are judged, nor when the run stops.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use anyhow::Result;
use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::SCORES;
use ikeru_core::ContentHash;
use ikeru_reports::Rows;
use ikeru_reports::analyses::scores::{ScorePair, pairs};
use ikeru_reports::report::read;
use ikeru_reports::summary::baseline_label;

use crate::campaign::OpenSession;
use crate::execute::Executor;
use crate::interrupt::Interrupted;
use crate::plan::{Cell, Stage};

/// The fewest pairs after which a decision ends the search for further seeds, unless a pair takes a hundredth of the time.
const ENOUGH: usize = 60;

/// Takes further seeds of experiments of scores.
pub struct FreshSeeds {
    /// The time for the whole run.
    pub budget: Duration,
    /// Its beginning.
    pub began: Instant,
    /// The smallest difference that matters, as a share: a pair is settled too when a smaller difference would have been
    /// found.
    pub margin: f64,
    /// The open experiments that have no further seeds: their instances are files.
    pub exhausted: BTreeSet<String>,
    /// The pairs that are undecided, of which a difference of the margin would have been found.
    pub within_margin: BTreeSet<String>,
    /// Why further instances could not be made, of the last experiment of which that is so.
    pub failed: Option<anyhow::Error>,
}

/// Returns whether an experiment is decided by its scores.
pub fn is_of_scores(experiment: &Experiment) -> bool {
    let mut analyses = experiment.analyses.iter();
    analyses.any(|analysis| analysis.kind == SCORES)
}

impl FreshSeeds {
    /// Begins.
    pub fn begin(budget: Duration, margin: f64) -> Self {
        Self {
            budget,
            began: Instant::now(),
            margin,
            exhausted: BTreeSet::new(),
            within_margin: BTreeSet::new(),
            failed: None,
        }
    }

    /// Draws seeds until each pair is decided or the time is over. Cells of which an earlier session took some repeats get
    /// the others.
    ///
    /// # Errors
    /// A run folder that cannot be read or written, or an interruption.
    pub fn take<E: Executor>(&mut self, session: &mut OpenSession<E>) -> Result<()> {
        let mut drawn: BTreeMap<String, u32> = BTreeMap::new();
        let mut taken = BTreeSet::new();
        let end = self.began + self.budget;
        loop {
            let (_, experiments, rows) = read(&session.folder)?;
            let mut has_drawn = false;
            for experiment in experiments.iter().filter(|it| is_of_scores(it)) {
                let open = self.open(&rows, experiment);
                let first = open.first();
                let mut part = in_part(session, experiment, &rows);
                // A cell that still lacks a repeat gets none.
                part.retain(|cell| !taken.contains(*cell));
                let is_settled = first.is_none() && part.is_empty();
                if is_settled || self.exhausted.contains(&experiment.name) {
                    continue;
                }
                let times = drawn.get(&experiment.name).copied().unwrap_or(1);
                let progress = session.conditions.progress;
                let found = progress.aside(|| untaken(session, experiment, times, (&rows, &part)));
                let (mut stage, more) = match found {
                    Ok(Some(found)) => found,
                    Ok(None) => {
                        let name = first.map(|_| experiment.name.clone());
                        self.exhausted.extend(name);
                        continue;
                    }
                    // The samples so far are worth a report.
                    Err(error) if !error.is::<Interrupted>() => {
                        self.failed = Some(error);
                        return session.note_draws(&drawn);
                    }
                    Err(error) => return Err(error),
                };
                if first.is_none() {
                    let is_in_part = |cell: &Cell| part.contains(&*cell.id.to_string());
                    stage.cells.retain(is_in_part);
                }
                // Generators and referees take time too.
                let each = self.began.elapsed() / rows.len().max(1) as u32;
                let each = each.max(mean_time(&rows, &experiment.name));
                let left = end.saturating_duration_since(Instant::now());
                fit(&mut stage, each, left);
                if stage.cells.is_empty() {
                    continue;
                }
                if let Some(first) = first {
                    progress.message(&format!("{} ", first.sentence()));
                }
                session.take_stage(&stage)?;
                taken.extend(stage.cells.iter().map(|cell| cell.id.to_string()));
                drawn.insert(experiment.name.clone(), more);
                has_drawn = true;
            }
            if !has_drawn {
                return session.note_draws(&drawn);
            }
        }
    }

    /// The pairs of an experiment that further seeds may settle.
    fn open(&mut self, rows: &Rows, experiment: &Experiment) -> Vec<ScorePair> {
        let own = rows.with("experiment", &experiment.name);
        let Some(baseline) = baseline_label(experiment) else {
            return Vec::new();
        };
        let mut all = pairs(rows, &own, &baseline);
        for pair in &all {
            let name = format!("{}: {} against {baseline}", experiment.name, pair.label);
            match pair.is_open(0.0) && !pair.is_open(self.margin) {
                true => self.within_margin.insert(name),
                false => self.within_margin.remove(&name),
            };
        }
        // Few pairs say little of rare failures, where more of them cost next to nothing.
        let is_cheap = 2 * mean_time(rows, &experiment.name) < self.budget / 100;
        let has_few = |pair: &ScorePair| is_cheap && pair.scores.differences().len() < ENOUGH;
        all.retain(|pair| pair.is_open(self.margin) || has_few(pair));
        all
    }
}

/// The cells of drawn seeds that have some of their repeats: the run was killed while it took them.
fn in_part<'r, E: Executor>(
    session: &OpenSession<E>,
    experiment: &Experiment,
    rows: &'r Rows,
) -> BTreeSet<&'r str> {
    let mut stages = session.campaign.plan.stages.iter();
    let Some(stage) = stages.find(|stage| stage.experiment == experiment.name) else {
        return BTreeSet::new();
    };
    let labels: BTreeSet<&str> = stage.cells.iter().map(|cell| &*cell.label).collect();
    let planned = stage.cells.iter().map(|cell| cell.id.to_string());
    let planned: BTreeSet<String> = planned.collect();
    let mut own = rows.with("experiment", &experiment.name);
    own.retain(|row| labels.contains(rows.text("label", *row)));
    own.retain(|row| !planned.contains(rows.text("cell", *row)));
    let cells = rows.group_by(&["cell"], &own).into_iter();
    let repeats = stage.repeats as usize;
    let part = cells.filter(|own| rows.distinct("repeat", own).len() < repeats);
    part.map(|own| rows.text("cell", own[0])).collect()
}

/// The cells without a row, and those in `part`, of an experiment that is drawn larger than `times`, and how much larger;
/// `None` if larger draws bring no further instances. A run that was resumed may have rows of further draws.
fn untaken<E: Executor>(
    session: &OpenSession<E>,
    experiment: &Experiment,
    mut times: u32,
    (rows, part): (&Rows, &BTreeSet<&str>),
) -> Result<Option<(Stage, u32)>> {
    let own = rows.with("experiment", &experiment.name);
    let mut taken: BTreeSet<&str> = own.iter().map(|row| rows.text("cell", *row)).collect();
    taken.retain(|cell| !part.contains(cell));
    let mut known = 0;
    loop {
        times += (times / 2).max(1);
        let Some(mut stage) = session.drawn(&experiment.name, times)? else {
            return Ok(None);
        };
        let drawn = stage.cells.len();
        sort_by_draw(&mut stage.cells);
        let is_taken = |cell: &Cell| taken.contains(&*cell.id.to_string());
        stage.cells.retain(|cell| !is_taken(cell));
        if !stage.cells.is_empty() {
            return Ok(Some((stage, times)));
        }
        if drawn <= known {
            return Ok(None);
        }
        known = drawn;
    }
}

/// Sorts cells by the place of their instance among those of one generator and its parameters, so that a part of them
/// has as many seeds for one value of a parameter as for another.
fn sort_by_draw(cells: &mut [Cell]) {
    let mut groups: BTreeMap<(String, String), HashMap<ContentHash, usize>> = BTreeMap::new();
    cells.sort_by_cached_key(|cell| {
        let input = &cell.input;
        let group = (input.origin.clone(), input.chosen().to_string());
        let places = groups.entry(group).or_default();
        let next = places.len();
        *places.entry(input.hash).or_insert(next)
    });
}

/// The mean time of an experiment's samples so far.
fn mean_time(rows: &Rows, experiment: &str) -> Duration {
    let times: Vec<f64> = rows.numbers("batch_ns", &rows.with("experiment", experiment));
    let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
    Duration::from_nanos(mean as u64)
}

/// Keeps the cells whose samples are expected to end in the time that is left: whole instances, so that each seed has
/// all its variants.
fn fit(stage: &mut Stage, each: Duration, left: Duration) {
    let each = each.as_secs_f64().max(1e-6) * f64::from(stage.repeats);
    let most = (left.as_secs_f64() / each) as usize;
    if stage.cells.len() <= most {
        return;
    }
    let next = stage.cells.get(most).map(|cell| cell.input.hash);
    stage.cells.truncate(most);
    let is_next = |cell: &Cell| Some(cell.input.hash) == next;
    while stage.cells.last().is_some_and(is_next) {
        stage.cells.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::{Campaign, CampaignOptions, ExperimentSource};

    #[test]
    fn features_of_an_instance_are_no_parameters() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("drawn.toml");
        let text = "name='drawn'\ntitle='t'\n[problem]\ndirection='maximize'\nfeatures=['weight']\nscore='{score}'\n\
                    generate=['sh','-c','echo \"#s weight $1\" >&2; echo $0 $1','{param:k}','{seed}']\n\
                    [[variants]]\nname='a'\ncommand=['cat']\n\
                    [[instances]]\nseeds={from=1,to=4}\nset={k=[3,4]}\n";
        std::fs::write(&file, text).expect("written");
        let source = ExperimentSource::read(&file.display().to_string()).expect("a file");
        let campaign = Campaign::new("drawn", vec![source], CampaignOptions::default());
        let mut cells = campaign.expect("a plan").plan.stages[0].cells.clone();
        sort_by_draw(&mut cells);
        let drawn = cells.iter().map(|cell| cell.input.parameters.to_string());
        let drawn: Vec<String> = drawn.collect();
        assert!(
            drawn[0].contains("weight=1") && drawn[1].contains("weight=1"),
            "{drawn:?}"
        );
        assert!(
            drawn[6].contains("weight=4") && drawn[7].contains("weight=4"),
            "{drawn:?}"
        );
    }

    #[test]
    fn a_cut_leaves_as_many_seeds_of_each_parameter() {
        let text = "name='e'\ntitle='t'\nproblem='reach'\nvariants=['memo','bitboard']\n\
                    instances=[{generator='reach.spanning-grid',seeds={from=1,to=9},set={width=[5,6,7]}}]";
        let source = ExperimentSource {
            experiment: Experiment::read("e.toml", text).expect("an experiment"),
            ..ExperimentSource::read("ikerukana-example").expect("built in")
        };
        let campaign =
            Campaign::new("e", vec![source], CampaignOptions::default()).expect("a plan");
        let mut stage = campaign.plan.stages[0].clone();
        sort_by_draw(&mut stage.cells);
        stage.repeats = 1;
        fit(&mut stage, Duration::from_secs(1), Duration::from_secs(25));
        let widths = ["5", "6", "7"].map(|width| {
            let mut cells = stage.cells.iter();
            let has = |cell: &&Cell| {
                cell.input
                    .parameters
                    .to_string()
                    .contains(&format!("width={width}"))
            };
            cells.by_ref().filter(has).count()
        });
        assert_eq!(widths, [8, 8, 8]);
    }
}
