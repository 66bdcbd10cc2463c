//! Instances of further seeds for experiments of scores, until the order of the variants is decided.
//!
//! Both sides of a pair get the same seed. The decision ([`ikeru_compare::paired`]) is valid at every moment.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Result, bail};
use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::SCORES;
use ikeru_core::ContentHash;
use ikeru_reports::analyses::scores::{ScorePair, pairs};
use ikeru_reports::summary::baseline_label;

use super::{Addition, RunSoFar, Undecided, mean_seconds};
use crate::campaign::Campaign;
use crate::plan::{Cell, Stage};

/// The fewest pairs after which a decision ends the search for further seeds, unless a pair takes a hundredth of the time.
const ENOUGH: usize = 60;

/// Pairs of scores.
#[derive(Default)]
pub struct Scores {
    /// The smallest difference that matters, as a share: a pair is settled too when a smaller difference would have been
    /// found.
    margin: f64,
    /// The number of times that this session multiplied the instances of each experiment.
    drawn: BTreeMap<String, u32>,
    /// The cells of which this session took samples.
    tried: BTreeSet<String>,
    /// The open experiments that have no further seeds.
    exhausted: BTreeSet<String>,
    /// The undecided pairs of which a difference of the margin would have been found: experiment, label and baseline.
    found: BTreeSet<[String; 3]>,
}

/// Returns whether an experiment is decided by its scores.
pub fn is_of_scores(experiment: &Experiment) -> bool {
    let mut analyses = experiment.analyses.iter();
    analyses.any(|analysis| analysis.kind == SCORES)
}

impl Undecided for Scores {
    fn next(&mut self, look: &RunSoFar) -> Result<Vec<Addition>> {
        let mut additions = Vec::new();
        let mut left = look.left();
        for experiment in look.experiments.iter().filter(|it| is_of_scores(it)) {
            let name = &experiment.name;
            let own = look.rows.with("experiment", name);
            let repeats = look.planned(name).map_or(1, |stage| stage.repeats);
            // True for a cell with all its samples; a killed session leaves others.
            let mut taken: HashMap<String, bool> = HashMap::new();
            for (cell, own) in look.cells(name) {
                let count = look.rows.distinct("repeat", &own).len();
                let has_all = count >= repeats as usize || self.tried.contains(&cell);
                taken.insert(cell, has_all);
            }
            let is_in_part = taken.values().any(|has_all| !has_all);
            let open = self.open(look, (experiment, &own));
            let is_settled = open.is_empty() && !is_in_part;
            if is_settled || self.exhausted.contains(name) {
                continue;
            }
            let Some((mut stage, times)) = self.untaken(look, name, &taken)? else {
                self.exhausted.extend(open.first().map(|_| name.clone()));
                continue;
            };
            if open.is_empty() {
                let is_in_part = |cell: &Cell| taken.contains_key(&cell.id.to_string());
                stage.cells.retain(is_in_part);
            }
            // Generators and referees take time too.
            let each = look.began.elapsed().as_secs_f64() / look.rows.len().max(1) as f64;
            let each = each.max(mean_seconds(&look.rows, &own));
            fit(&mut stage, each, left);
            if stage.cells.is_empty() {
                continue;
            }
            left -= each * stage.samples() as f64;
            self.drawn.insert(name.clone(), times);
            let cells = stage.cells.iter();
            self.tried.extend(cells.map(|cell| cell.id.to_string()));
            let why = open.first().map(ScorePair::sentence).unwrap_or_default();
            additions.push(Addition { stage, times, why });
        }
        Ok(additions)
    }

    fn check(&self, campaign: &Campaign) -> Result<()> {
        for (stage, experiment) in campaign.plan.stages.iter().zip(campaign.experiments()) {
            let is_there = |label: &String| stage.cells.iter().any(|cell| cell.label == *label);
            if let Some(label) = baseline_label(experiment).filter(|label| !is_there(label)) {
                let name = &stage.experiment;
                bail!(
                    "{name}: --until-decided compares with the baseline `{label}`, which was not chosen; add it, or name another `baseline`"
                );
            }
        }
        Ok(())
    }

    fn doubt(&self) -> Option<&'static str> {
        Some(
            "seeds were drawn until the scores were decided: the decisions hold, and no interval of this page does",
        )
    }

    fn notes(&self) -> Vec<String> {
        let exhausted = self.exhausted.iter().map(|name| {
            format!(
                "{name}: a pair is still open, but further seeds bring no new instance: all instances are files, or the generator ignores its seed"
            )
        });
        let found = self.found.iter().map(|[name, label, baseline]| {
            format!(
                "{name}: {label} against {baseline}: undecided, but a difference of `--margin` would have been found with a chance of 80 %: no seeds are drawn for it"
            )
        });
        exhausted.chain(found).collect()
    }
}

impl Scores {
    /// Without a limit, or with the smallest difference that matters.
    pub fn within(margin: f64) -> Self {
        Self {
            margin,
            ..Self::default()
        }
    }

    /// The pairs of an experiment that further seeds may settle.
    fn open(
        &mut self,
        look: &RunSoFar,
        (experiment, own): (&Experiment, &[u32]),
    ) -> Vec<ScorePair> {
        let Some(baseline) = baseline_label(experiment) else {
            return Vec::new();
        };
        let mut all = pairs(&look.rows, own, &baseline);
        for pair in &all {
            let key = [&experiment.name, &pair.label, &baseline].map(String::clone);
            if pair.is_open(0.0) && !pair.is_open(self.margin) {
                self.found.insert(key);
            } else {
                self.found.remove(&key);
            }
        }
        // Few pairs say little of rare failures, where more of them cost next to nothing.
        let is_cheap = 200.0 * mean_seconds(&look.rows, own) < look.budget.as_secs_f64();
        let has_few = |pair: &ScorePair| is_cheap && pair.scores.differences().len() < ENOUGH;
        all.retain(|pair| pair.is_open(self.margin) || has_few(pair));
        all
    }

    /// The cells that lack samples of an experiment that is drawn larger than before, and how much larger; `None` if larger draws
    /// bring no further instances. A run that was resumed may have rows of further draws.
    fn untaken(
        &self,
        look: &RunSoFar,
        experiment: &str,
        taken: &HashMap<String, bool>,
    ) -> Result<Option<(Stage, u32)>> {
        let mut times = self.drawn.get(experiment).copied().unwrap_or(1);
        let mut known = 0;
        loop {
            times += (times / 2).max(1);
            let Some(mut stage) = look.session.drawn(experiment, times)? else {
                return Ok(None);
            };
            let drawn = stage.cells.len();
            sort_by_draw(&mut stage.cells);
            let has_all = |cell: &Cell| taken.get(&cell.id.to_string()) == Some(&true);
            stage.cells.retain(|cell| !has_all(cell));
            if !stage.cells.is_empty() {
                return Ok(Some((stage, times)));
            }
            if drawn <= known {
                return Ok(None);
            }
            known = drawn;
        }
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

/// Keeps the cells whose samples are expected to end in the time that is left: whole instances, so that each seed has
/// all its variants.
fn fit(stage: &mut Stage, each: f64, left: f64) {
    let each = each.max(1e-6) * f64::from(stage.repeats);
    let most = (left / each) as usize;
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
    use crate::campaign::{CampaignOptions, ExperimentSource};

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
        fit(&mut stage, 1.0, 25.0);
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
