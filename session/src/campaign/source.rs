//! Where an experiment comes from: it is built in, or a file.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ikeru_bench_data::experiment::at_layout;
use ikeru_bench_data::{DataError, Experiment, Figure, PublishedSource, builtin};
use ikeru_core::unknown;

use super::placed;
use crate::declared::{Declaration, Declared};
use crate::plan::absolute;
use crate::{build, files, input, registry};

/// An experiment and the folder to which its patterns of files are relative.
#[derive(Debug, Clone)]
pub struct ExperimentSource {
    /// The experiment as in its file.
    pub experiment: Experiment,
    /// The folder of its files.
    pub folder: PathBuf,
    /// The name and the text of the file, if it is a user's.
    pub file: Option<(String, String)>,
}

impl ExperimentSource {
    /// Reads the experiments of a folder, or the one that is called `name`.
    ///
    /// # Errors
    /// As [`ExperimentSource::read`].
    pub fn read_all(name: &str) -> Result<Vec<Self>> {
        let path = Path::new(name);
        let files = match path.join("records.csv").exists() || builtin::experiment(name).is_ok() {
            true => Vec::new(),
            false => experiments_in(path),
        };
        match &files[..] {
            [] => Ok(vec![Self::read(name)?]),
            files => files.iter().map(|file| Self::read(file)).collect(),
        }
    }

    /// Reads a built-in experiment, or one from a file.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one, or a file that is wrong.
    pub fn read(name: &str) -> Result<Self> {
        let path = Path::new(name);
        if path.is_dir() && builtin::experiment(name).is_err() {
            if path.join("records.csv").exists() {
                bail!("{name} is a run folder; expected the file of an experiment");
            }
            if let [one] = &experiments_in(path)[..] {
                return Self::read(one);
            }
            bail!("{name} is a folder; expected a TOML file, or a folder of them");
        }
        if path.extension().is_some_and(|ending| ending == "toml") || path.is_file() {
            let (_, text) = input::read_text(path, "an experiment")?;
            let mut experiment = Experiment::read(name, &text)?;
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            let claims = folder.join(CLAIMS);
            if claims.is_file() {
                let claims = read_claims(&claims, &folder, &experiment.name)?;
                experiment = experiment.with_claims(claims);
            }
            // Before its commands run.
            let file = (name.to_owned(), text);
            let known = ikeru_reports::check::kinds(&experiment);
            let files = [(experiment.name.clone(), file.clone())];
            known.map_err(|error| placed(error.into(), &files))?;
            declare(&experiment, &folder).map_err(|error| placed(error, &files))?;
            return Ok(Self {
                experiment,
                folder,
                file: Some(file),
            });
        }
        Self::known(name)
    }

    /// An experiment by its text; its files are relative to the current folder. Errors call it `name`.
    ///
    /// # Errors
    /// A text that is wrong.
    pub fn of_text(name: &str, text: &str) -> Result<Self> {
        let experiment = Experiment::read(name, text)?;
        let folder = PathBuf::from(".");
        declare(&experiment, &folder).with_context(|| name.to_owned())?;
        Ok(Self {
            experiment,
            folder,
            file: None,
        })
    }

    /// A built-in experiment, or one of the folder of `--data`.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one.
    pub fn known(name: &str) -> Result<Self> {
        if let Some(path) = builtin::added_experiment(name) {
            return Self::read(&path.display().to_string());
        }
        Ok(Self {
            experiment: builtin::experiment(name)?,
            folder: PathBuf::new(),
            file: None,
        })
    }
}

/// The file beside experiments that has the claims of their text.
const CLAIMS: &str = "claims.toml";

/// Reads the claims about the experiments of a folder; one of them has the name `this`.
fn read_claims(file: &Path, folder: &Path, this: &str) -> Result<PublishedSource> {
    let (name, text) = input::read_text(file, "claims")?;
    let claims = PublishedSource::read(&name, &text)?;
    let measured = |figure: &Figure| Some(figure.ours.as_ref()?.experiment.clone());
    let is_other = |name: &String| name != this && builtin::experiment(name).is_err();
    let figures = claims.figures.iter();
    let others = figures.filter_map(|figure| Some((figure, measured(figure).filter(is_other)?)));
    let others: Vec<(&Figure, String)> = others.collect();
    if others.is_empty() {
        return Ok(claims);
    }
    let name_of = |file: &String| {
        let (_, text) = input::read_text(Path::new(file), "an experiment")?;
        anyhow::Ok(Experiment::read(file, &text)?.name)
    };
    // A file that is wrong has its own error when it runs.
    let Ok(mut known) = experiments_in(folder)
        .iter()
        .map(name_of)
        .collect::<Result<Vec<_>>>()
    else {
        return Ok(claims);
    };
    known.push(this.to_owned());
    known.sort_unstable();
    for (figure, measured) in others {
        if !known.contains(&measured) {
            let known = known.iter().map(String::as_str);
            let error = unknown("experiment", &measured, known);
            let error = DataError::new(&name, format!("{}: {error}", figure.id));
            bail!(error.at(&figure.id, &text));
        }
    }
    Ok(claims)
}

/// The files of experiments in a folder; none if it is no folder.
fn experiments_in(folder: &Path) -> Vec<String> {
    let files = files::of(folder, "*.toml").unwrap_or_default().into_iter();
    let files = files.filter(|file| !file.ends_with(CLAIMS));
    files.map(|file| file.display().to_string()).collect()
}

/// Registers the problem of an experiment that declares one.
fn declare(experiment: &Experiment, folder: &Path) -> Result<()> {
    let Some(problem) = experiment.problem.commands() else {
        return Ok(());
    };
    let commands = [
        &problem.generate,
        &problem.referee,
        &problem.tester,
        &problem.draw,
    ];
    let words = commands.into_iter().chain([&problem.files]).flatten();
    let prepare = at_layout(&problem.prepare, 1);
    build::once(&problem.name, &prepare, words, &absolute(folder)?)?;
    let declared = Declared::find(Declaration {
        name: problem.name.clone(),
        problem: problem.clone(),
        folder: folder.to_owned(),
    })?;
    Ok(registry::declare(declared)?)
}
