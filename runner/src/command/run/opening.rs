//! The run folder: made or taken up again, its `run.toml` kept true, rescued if it was removed.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ikeru_bench_data::Experiment;
use ikeru_reports::run_file::{RanExperiment, RunFile};

use super::Common;
use crate::journal::{Finished, Journal};
use crate::machine::{self, Watch};
use crate::plan::Plan;

/// Opens the run folder: a new one, or with `--resume` one of the same experiments.
pub(super) fn open(
    folder: &Path,
    plan: &Plan,
    common: &Common,
    experiments: Vec<RanExperiment>,
) -> Result<(Journal, Finished)> {
    let (records, about) = (folder.join("records.csv"), folder.join("run.toml"));
    if about.exists() || records.exists() {
        if !common.resume {
            bail!(
                "{} holds a run already; --resume goes on with it",
                folder.display()
            );
        }
        let before = RunFile::read(folder)?;
        if let Some(what) = difference(&before, common, &experiments)? {
            bail!(
                "{} holds a run with {what}; it was made by `{}`",
                about.display(),
                before.command
            );
        }
        let opened = Journal::resume(&records, plan.columns.clone())?;
        if before.experiments != experiments {
            // Samples are being added to it.
            write_run_file(
                &about,
                &RunFile {
                    experiments,
                    ..before
                },
            )?;
        }
        return Ok(opened);
    }
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be created", folder.display()))?;
    let file = RunFile {
        command: std::env::args().collect::<Vec<_>>().join(" "),
        scale: scale(common),
        seed: common.seed,
        sets: common.sets.clone(),
        order: ORDER.to_owned(),
        sources: Vec::new(),
        machine: machine::machine(),
        versions: machine::versions(),
        directions: directions(plan),
        experiments,
    };
    write_run_file(&about, &file)?;
    Ok((
        Journal::create(&records, plan.columns.clone())?,
        Finished::new(),
    ))
}

/// Which way the scores of the plan's problems are better.
fn directions(plan: &Plan) -> BTreeMap<String, String> {
    let problems = plan.stages.iter().map(|stage| stage.problem);
    problems
        .map(|problem| {
            (
                problem.name().to_owned(),
                problem.direction().name().to_owned(),
            )
        })
        .collect()
}

/// How the order of samples follows from the seed.
const ORDER: &str =
    "shuffled by the seed (stream `schedule`), in isolated mode anew for each round";

/// What keeps a run from being taken up again. More or fewer repeats do not: samples are added.
fn difference(
    before: &RunFile,
    common: &Common,
    experiments: &[RanExperiment],
) -> Result<Option<&'static str>> {
    if before.seed != common.seed {
        return Ok(Some("another --seed"));
    }
    if before.scale != scale(common) {
        return Ok(Some("the other scale (--full)"));
    }
    if before.sets != common.sets {
        return Ok(Some("another --set"));
    }
    let names =
        |ran: &[RanExperiment]| -> Vec<String> { ran.iter().map(|one| one.name.clone()).collect() };
    if names(&before.experiments) != names(experiments) {
        return Ok(Some("other experiments"));
    }
    for (ran, asked) in before.experiments.iter().zip(experiments) {
        let without_repeats = |one: &RanExperiment| -> Result<Experiment> {
            let mut experiment = one.read()?;
            experiment.run.repeats = None;
            Ok(experiment)
        };
        if without_repeats(ran)? != without_repeats(asked)? {
            return Ok(Some(
                "another experiment of that name, or another --limit or --mode",
            ));
        }
    }
    Ok(None)
}

fn scale(common: &Common) -> String {
    if common.full { "full" } else { "quick" }.to_owned()
}

/// Adds to `run.toml` what else the machine did meanwhile.
pub(super) fn note(folder: &Path, watch: &Watch) -> Result<()> {
    let mut file = RunFile::read(folder)?;
    file.machine.remove("doubtful");
    file.machine.extend(watch.end());
    write_run_file(&folder.join("run.toml"), &file)
}

/// Writes `run.toml` whole or not at all.
fn write_run_file(about: &Path, file: &RunFile) -> Result<()> {
    let text = file.text().context("run.toml")?;
    let new = about.with_extension("toml.new");
    std::fs::write(&new, text)
        .and_then(|()| std::fs::rename(&new, about))
        .with_context(|| format!("{}: cannot be written", about.display()))
}

/// If the run folder was removed in mid-run, writes it again with all that was finished.
pub(super) fn rescue(
    error: anyhow::Error,
    journal: &mut Journal,
    folder: &Path,
    about: &[u8],
) -> anyhow::Error {
    if !journal.is_removed() {
        return error;
    }
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join("run.toml"), about))
        .map_err(anyhow::Error::from)
        .and_then(|()| journal.restore());
    match written {
        Ok(rows) => anyhow!("{error}; its {rows} rows are written there again, --resume goes on"),
        Err(again) => anyhow!("{error}, and cannot be written again: {again:#}"),
    }
}
