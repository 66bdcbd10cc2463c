//! `ikeru compare RUN`: one line per variant over all instances of a run.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use ikeru_bench_data::Experiment;
use ikeru_core::{Better, unknown};
use ikeru_reports::analyses::rank::{RankTerms, limit, rank};
use ikeru_reports::analyses::scores;
use ikeru_reports::metric::Metric;
use ikeru_reports::records::Outcome;
use ikeru_reports::summary::baseline_label;
use ikeru_reports::table::Table;

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
        if metric == Metric::Score {
            tables.push(by_score(&folder, &name, &rows, arguments)?);
            continue;
        }
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
    let experiment = experiment(folder, name)?;
    Ok(RankTerms {
        metric,
        baseline: baseline(folder, name, rows, arguments, experiment.as_ref())?,
        limit: limit(&folder.rows, rows, experiment.map(|it| it.run.limit())),
        several_machines: folder.run.mixes_machines(),
        force: arguments.force,
    })
}

/// The experiment as it ran; `None` if `run.toml` does not have it.
fn experiment(folder: &SelectedRun, name: &str) -> Result<Option<Experiment>> {
    let ran = folder.run.experiments.iter().find(|ran| ran.name == name);
    let experiment = ran.map(|ran| Experiment::read(&format!("{name}.toml"), &ran.text));
    let experiment = experiment.transpose()?;
    Ok(match folder.run.scale.as_str() {
        "full" => experiment.map(Experiment::at_full_scale),
        _ => experiment,
    })
}

/// The label of `--against`, else the baseline of the experiment.
///
/// # Errors
/// A label that the experiment does not have.
fn baseline(
    folder: &SelectedRun,
    name: &str,
    rows: &[u32],
    arguments: &Arguments,
    experiment: Option<&Experiment>,
) -> Result<Option<String>> {
    let labels = folder.rows.distinct("label", rows);
    let wanted = arguments.against.as_ref();
    if let Some(wanted) = wanted.filter(|wanted| !labels.contains(wanted)) {
        let known = labels.iter().map(String::as_str);
        return Err(unknown(&format!("variant of {name}"), wanted, known).into());
    }
    Ok(wanted.cloned().or(experiment.and_then(baseline_label)))
}

/// The table of scores of one experiment.
fn by_score(
    folder: &SelectedRun,
    name: &str,
    rows: &[u32],
    arguments: &Arguments,
) -> Result<Table> {
    let Some(experiment) = experiment(folder, name)? else {
        bail!("{}: run.toml has no experiment {name}", folder.name);
    };
    let baseline = baseline(folder, name, rows, arguments, Some(&experiment))?;
    let pairs = baseline.map(|baseline| scores::pairs(&folder.rows, rows, &baseline));
    let pairs = pairs.unwrap_or_default();
    let mut table = scores::table(&folder.rows, rows, &experiment, &pairs);
    // The page has the first pair as its answer.
    let first = pairs.first().map(scores::ScorePair::sentence);
    table.notes.splice(0..0, first);
    Ok(table)
}
