//! Experiments from files, carried into the run folder with the files that they read: what `artifact` needs to run them again.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use ikeru_bench_data::Experiment;
use ikeru_core::AnyProblem;
use ikeru_reports::run_file::{RanExperiment, RunFile};

use crate::plan::{Plan, Program, Selection};
use crate::{input, registry};

/// The folder in the run folder.
const FOLDER: &str = "experiments";

/// Copies each experiment of the run folder that came from a file into `experiments/NAME/`, with its instances, the files of its
/// foreign solvers and those that its settings name; gives back their files, relative to the run folder, by the experiments' names.
///
/// # Errors
/// A file that is gone, that lies outside of the experiment's folder, or that cannot be copied.
pub fn carry(run_folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let run = RunFile::read(run_folder)?;
    let mut carried = BTreeMap::new();
    for ran in &run.experiments {
        let Some(from) = run.folders.get(&ran.name) else {
            continue;
        };
        let to = PathBuf::from(FOLDER).join(&ran.name);
        copy(ran, from, &run_folder.join(&to))
            .with_context(|| format!("experiment {}", ran.name))?;
        carried.insert(ran.name.clone(), to.join(format!("{}.toml", ran.name)));
    }
    Ok(carried)
}

/// Copies an experiment whose file lay in the folder `from`. Its instances and programs are relative to that folder, the files
/// that its settings name to the working folder.
fn copy(ran: &RanExperiment, from: &Path, to: &Path) -> Result<()> {
    let experiment = ran.read()?;
    let here = std::env::current_dir()?;
    let read = files(&experiment, from)?;
    let read = read.into_iter().map(|file| (file, from));
    let named = named_by_settings(&experiment)?;
    let named = named
        .into_iter()
        .map(|file| (here.join(file), here.as_path()));
    for (file, from) in read.chain(named) {
        let inside = file.strip_prefix(from).ok();
        let is_plain = |path: &&Path| {
            path.components()
                .all(|part| matches!(part, Component::Normal(_)))
        };
        let Some(inside) = inside.filter(is_plain) else {
            bail!(
                "{}: it is not in the experiment's folder {}, expected its files there",
                file.display(),
                from.display()
            );
        };
        let copied = to.join(inside);
        if let Some(folder) = copied.parent() {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        fs::copy(&file, &copied)
            .with_context(|| format!("{}: cannot be copied", file.display()))?;
    }
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    let path = to.join(format!("{}.toml", ran.name));
    fs::write(&path, &ran.text).with_context(|| format!("{}: cannot be written", path.display()))
}

/// The files that settings name, as `FILE`, `FILE:PART` or several of them joined by `+`.
fn named_by_settings(experiment: &Experiment) -> Result<BTreeSet<String>> {
    let variants = experiment.variant_specs()?.into_iter();
    let all = variants
        .map(|spec| spec.settings)
        .chain(experiment.setting_specs()?);
    let mut named = BTreeSet::new();
    for settings in all {
        for (_, value) in settings.iter() {
            let words = value.to_string();
            let paths = words.split('+').filter_map(|word| word.split(':').next());
            named.extend(
                paths
                    .filter(|path| Path::new(path).is_file())
                    .map(str::to_owned),
            );
        }
    }
    Ok(named)
}

/// The files that an experiment from the folder `from` reads.
fn files(experiment: &Experiment, from: &Path) -> Result<BTreeSet<PathBuf>> {
    let read = RefCell::new(BTreeSet::new());
    let note = |path| {
        read.borrow_mut().insert(path);
    };
    let reads =
        |problem: &'static dyn AnyProblem, path: &Path| input::read_noting(problem, path, &note);
    let experiments = [(experiment.clone(), from.to_owned())];
    let find = |name: &str| Ok(registry::problem(name)?);
    let plan = Plan::new(&experiments, &Selection::default(), &find, &reads)?;
    plan.programs().flat_map(Program::files).for_each(note);
    Ok(read.into_inner())
}
