//! `--plant`: the baseline against a copy of it that is worse on purpose, to see whether an experiment of scores finds it.

use std::num::NonZero;

use anyhow::{Result, anyhow, bail};
use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::{SCORES, VariantEntry, VariantTable};
use ikeru_reports::summary::baseline_label;

use crate::fresh_seeds::is_of_scores;

/// Replaces the variants of an experiment by its baseline and a copy of it, of whose scores the part `share` is spoiled.
///
/// # Errors
/// An experiment that is not compared by scores, or a share of which no score is spoiled.
pub fn plant(experiment: &mut Experiment, share: f64) -> Result<()> {
    let name = experiment.name.clone();
    if !is_of_scores(experiment) {
        bail!(
            "--plant spoils scores, and {name} is not compared by scores; `ikeru ab --plant` slows down"
        );
    }
    let of = NonZero::new((1.0 / share).round() as u32).filter(|_| share > 0.0 && share <= 1.0);
    let of = of.ok_or_else(|| anyhow!("--plant: expected a part of the scores, like 2%"))?;
    let label = baseline_label(experiment).unwrap_or_default();
    let mut tables = experiment.variants.iter().filter_map(VariantEntry::table);
    let is_baseline = |table: &&VariantTable| table.label.as_ref().unwrap_or(&table.name) == &label;
    let Some(baseline) = tables.find(is_baseline).cloned() else {
        bail!("--plant: the baseline `{label}` of {name} is no entry with one command");
    };
    let copy = VariantTable {
        name: format!("{}-spoiled", baseline.name),
        label: Some(format!("{label} with one score in {of} spoiled")),
        spoiled: Some(of),
        ..baseline.clone()
    };
    experiment.title = format!("Is it found that one score in {of} of {label} is a tenth worse?");
    experiment.baseline = Some(label);
    experiment.variants = [baseline, copy].map(VariantEntry::Table).into();
    // Titles and tables may name the other variants.
    (experiment.answer, experiment.plots, experiment.tables) = (None, Vec::new(), Vec::new());
    let analyses = &mut experiment.analyses;
    analyses.retain(|analysis| analysis.kind == SCORES);
    experiment.answers.clear();
    Ok(())
}
