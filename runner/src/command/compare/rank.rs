//! `ikeru compare RUN`: one line per variant over all instances of a run.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use ikeru_bench_data::Experiment;
use ikeru_core::{Better, unknown};
use ikeru_reports::analyses::rank::{RankTerms, limit, rank};
use ikeru_reports::metric::Metric;
use ikeru_reports::records::Outcome;
use ikeru_reports::summary::baseline_label;

use super::{Arguments, better};
use crate::folder::{self, SelectedRun};
use crate::output;

/// Ranks the variants of each experiment of the run.
///
/// # Errors
/// A folder without a run, an unknown metric or label, or rows that may not be ranked together.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let folder = folder::read(Path::new(&arguments.a), &arguments.only)?;
    let spinner = folder::waiting("ranking".to_owned());
    let mut tables = Vec::new();
    for (name, rows) in folder.rows.group("experiment", &folder.selection) {
        let metric = Metric::read(&arguments.metric, &[(&folder.rows, &rows)])?;
        if better(&folder, &metric)? != Better::Lower {
            bail!(
                "a ranking takes what is better when it is lower, as a time is; {} is not",
                metric.word()
            );
        }
        let terms = terms(&folder, &name, &rows, arguments, metric)?;
        tables.push(rank(&folder.rows, &rows, &terms)?);
    }
    spinner.finish_and_clear();
    for mut table in tables {
        table.notes.extend(folder.unfinished());
        output::print_table(table, arguments.format)?;
    }
    let is_wrong = |row: &u32| folder.rows.outcome(*row) == Some(Outcome::Wrong);
    let unfinished = folder.unfinished();
    Ok(match folder.selection.iter().any(is_wrong) {
        true => output::WRONG_ANSWER.into(),
        false if !unfinished.is_empty() => output::UNFINISHED.into(),
        false => ExitCode::SUCCESS,
    })
}

fn terms(
    folder: &SelectedRun,
    name: &str,
    rows: &[u32],
    arguments: &Arguments,
    metric: Metric,
) -> Result<RankTerms> {
    let labels = folder.rows.distinct("label", rows);
    if let Some(wanted) = arguments
        .against
        .as_ref()
        .filter(|wanted| !labels.contains(wanted))
    {
        let known = labels.iter().map(String::as_str);
        return Err(unknown(&format!("variant of {name}"), wanted, known).into());
    }
    let ran = folder.run.experiments.iter().find(|ran| ran.name == name);
    let experiment = ran.map(|ran| Experiment::read(&format!("{name}.toml"), &ran.text));
    let mut experiment = experiment.transpose()?;
    if folder.run.scale == "full" {
        experiment = experiment.map(Experiment::at_full_scale);
    }
    let baseline = experiment.as_ref().and_then(baseline_label);
    let said = experiment.map(|experiment| experiment.run.limit());
    Ok(RankTerms {
        metric,
        baseline: arguments.against.clone().or(baseline),
        limit: limit(&folder.rows, rows, said),
        several_machines: folder.run.mixes_machines(),
        force: arguments.force,
    })
}
