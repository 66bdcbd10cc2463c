//! `ikeru list runs [DIR]`: the run folders in a folder, the last one first.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ikeru_reports::analyses::scores::share;
use ikeru_reports::row;
use ikeru_reports::run_file::RunFile;
use ikeru_reports::statistics::mean;
use ikeru_reports::table::Table;
use ikeru_reports::units::{Quantity, count};
use ikeru_reports::{Rows, report};

use crate::output;

/// The run folders in `folder`: start, remark, variants, samples, failures and the mean share of the best known scores.
///
/// # Errors
/// A folder that cannot be read or has no run. A run that cannot be read is named on standard error.
pub fn table(folder: &Path) -> Result<Table> {
    let heads =
        "run | started | comment | experiments | variants | samples | failed | of the best known";
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths = entries.flatten().map(|entry| entry.path());
    let paths: Vec<PathBuf> = paths
        .filter(|path| path.join("run.toml").is_file())
        .collect();
    if paths.is_empty() {
        bail!("{}: no run folder in it", folder.display());
    }
    let mut runs = Vec::new();
    for path in paths {
        match line(&path) {
            Ok(run) => runs.push(run),
            Err(error) => output::warn(&format!("{}: {error:#}", path.display())),
        }
    }
    runs.sort_by(|a, b| b.0.cmp(&a.0));
    Ok(Table {
        rows: runs.into_iter().map(|(_, row)| row).collect(),
        given_up_first: "experiments | samples | variants",
        ..Table::new(folder.display().to_string(), heads)
    })
}

/// The start of the last session, and the line of a run.
fn line(path: &Path) -> Result<(String, Vec<ikeru_reports::table::Cell>)> {
    let (run, experiments, rows) = report::read(path)?;
    let all = rows.all();
    let failed = rows.failures(&all).values().sum();
    let names: Vec<&str> = experiments.iter().map(|one| one.name.as_str()).collect();
    let started = run.sessions.last().map_or("", |session| &session.started);
    let folder = path.file_name().unwrap_or_default().to_string_lossy();
    let row = row![
        &*folder,
        started.get(..16).unwrap_or(started).replace('T', " "),
        comment(&run),
        names.join(", "),
        rows.distinct("label", &all).join(", "),
        count(all.len()),
        if failed == 0 {
            String::new()
        } else {
            count(failed)
        },
        (of_the_best(&rows, &all), Quantity::Share),
    ];
    Ok((started.to_owned(), row))
}

/// The remark of the last session that has one.
fn comment(run: &RunFile) -> String {
    let remarks = run.sessions.iter().map(|session| &session.comment);
    let last = remarks.rev().find(|remark| !remark.is_empty());
    last.cloned().unwrap_or_default()
}

/// The mean over the scored samples of problems of commands of the share of the best known score.
fn of_the_best(rows: &Rows, all: &[u32]) -> Option<f64> {
    let share = |row: &u32| {
        let best = rows.best_known(*row);
        let best = best.filter(|_| rows.is_of_commands(*row))?;
        share(rows.direction(*row)?, rows.confirmed(*row), best)
    };
    mean(&all.iter().filter_map(share).collect::<Vec<_>>())
}
