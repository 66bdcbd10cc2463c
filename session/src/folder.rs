//! Run folders as given on the command line: `results/run`, or `results/run:memo` for one variant of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ikeru_bench_data::Experiment;
use ikeru_bench_data::matrix::Values;
use ikeru_core::{Value, unknown};
use ikeru_reports::Rows;
use ikeru_reports::records::Family;
use ikeru_reports::report;
use ikeru_reports::run_file::{RanExperiment, RunFile};
use indicatif::ProgressBar;

use crate::{output, progress, registry};

/// A run folder that was read.
pub struct SelectedRun {
    /// The name as typed.
    pub name: String,
    /// `run.toml`.
    pub run: RunFile,
    /// Its experiments that can be read.
    pub experiments: Vec<Experiment>,
    /// `records.csv`.
    pub rows: Rows,
    /// The rows selected by `--where`.
    pub selection: Vec<u32>,
}

impl SelectedRun {
    /// The planned samples that are missing, as sentences.
    pub fn unfinished(&self) -> Vec<String> {
        let said = |missing| format!("{} is unfinished: {missing}.", self.name);
        let missing = self.run.unfinished(&self.rows).into_iter();
        missing.map(said).collect()
    }
}

/// `DIR` or `DIR:VARIANT`. Both may contain colons: the longest existing folder is used. `:VARIANT` has no folder.
pub fn split(typed: &str) -> (PathBuf, Option<String>) {
    if Path::new(typed).is_dir() {
        return (typed.into(), None);
    }
    let at = |at: usize| (typed[..at].into(), Some(typed[at + 1..].to_owned()));
    let mut colons = typed.rmatch_indices(':').map(|(at, _)| at);
    let is_known = |at: &usize| *at == 0 || Path::new(&typed[..*at]).is_dir();
    let known = colons.clone().find(is_known);
    known.or(colons.next()).map_or((typed.into(), None), at)
}

/// Reads the run in `path` and selects its rows by the filters `only`.
///
/// # Errors
/// A folder without a run; a filter on a column that it lacks, with the nearest it has; no rows left.
pub fn read(path: &Path, only: &[String]) -> Result<SelectedRun> {
    check(path)?;
    let name = path.display().to_string();
    let spinner = waiting(format!("reading {name}"));
    let run = RunFile::read(path)?;
    let experiments = run.experiments.iter().flat_map(RanExperiment::read);
    let experiments: Vec<_> = experiments.collect();
    let mut rows = run.rows(path, &experiments)?;
    report::set_orders(&mut rows, &experiments, run.seed)?;
    // Problems of commands are known to their run alone.
    let mut problems = registry::problems().to_vec();
    problems.retain(|problem| rows.direction_of(problem.name()).is_none());
    let problems = problems.iter();
    rows.set_directions(problems.map(|problem| (problem.name(), problem.direction())));
    rows.defaults = registry::defaults(registry::problems());
    spinner.finish_and_clear();
    if let Some(uncounted) = ikeru_reports::uncounted(&rows) {
        output::warn(&format!("{name}: {uncounted}"));
    }
    if rows.is_empty() {
        bail!("{}: no rows", path.join("records.csv").display());
    }
    let selection = rows.select(&filters(&rows, only)?)?;
    if selection.is_empty() {
        let only = only.join(" --where ");
        bail!("{name}: no row is left by --where {only}");
    }
    Ok(SelectedRun {
        name,
        run,
        experiments,
        rows,
        selection,
    })
}

/// The column of this name; a setting or a parameter also by its name alone, as tables show it.
///
/// # Errors
/// No column has the name, with the nearest that one has.
pub fn column_named(rows: &Rows, name: &str) -> Result<String> {
    let families = [Family::Setting, Family::Method, Family::Parameter].into_iter();
    let prefixed = families.map(|family| family.column(name));
    let mut known = [name.to_owned()].into_iter().chain(prefixed);
    let known = known.find(|column| rows.has(column));
    known.ok_or_else(|| unknown("column", name, rows.columns()).into())
}

/// Refuses a path that is no folder.
///
/// # Errors
/// A file, a variant of a run folder, or nothing.
pub fn check(path: &Path) -> Result<()> {
    let name = path.display();
    match (path.is_dir(), path.exists()) {
        (true, _) => Ok(()),
        (false, true) => bail!(
            "{name}: a file; expected a run folder, or for `compare` of tables --pair COLUMN --value COLUMN"
        ),
        (false, false) => match split(&name.to_string()) {
            (folder, Some(_)) if folder.is_dir() => bail!(
                "{name}: a variant; expected a run folder, or for `compare` a second side, such as :VARIANT"
            ),
            _ => bail!("{name}: no such run folder"),
        },
    }
}

fn filters(rows: &Rows, only: &[String]) -> Result<BTreeMap<String, Values>> {
    let mut filters = BTreeMap::new();
    for filter in only {
        let Some((column, values)) = filter.split_once('=') else {
            bail!("--where {filter}: expected column=value");
        };
        let column = column_named(rows, column).with_context(|| format!("--where {filter}"))?;
        // A label may have a comma.
        let values = match rows.some(&column, values) {
            true => Values::One(Value::Text(values.to_owned())),
            false => Values::parse(values),
        };
        if filters.contains_key(&column) {
            bail!("--where {filter}: `{column}` is given twice; expected one list, {column}=A,B");
        }
        filters.insert(column, values);
    }
    Ok(filters)
}

/// A spinner on stderr while the program works; hidden without a terminal.
pub fn waiting(what: String) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(what);
    progress::tick(&spinner);
    spinner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_stands_behind_the_last_colon() {
        assert_eq!(split("a/b"), ("a/b".into(), None));
        assert_eq!(split("a/b:memo"), ("a/b".into(), Some("memo".to_owned())));
        let folder = tempfile::tempdir().expect("a folder");
        let with_colon = folder.path().join("x:y");
        std::fs::create_dir(&with_colon).expect("a folder");
        let typed = with_colon.display().to_string();
        assert_eq!(split(&typed), (with_colon.clone(), None));
        let variant = |name: &str| Some(name.to_owned());
        assert_eq!(
            split(&format!("{typed}:A*:w=2")),
            (with_colon, variant("A*:w=2"))
        );
        assert_eq!(split(":A*:w=2"), ("".into(), variant("A*:w=2")));
    }
}
