//! `run.toml`: what was run, where and by which command.
//!
//! The runner writes it with [`RunFile::text`], a report reads it. A file may say more than this
//! version knows.

use std::collections::BTreeMap;
use std::path::Path;

use ikeru_bench_data::{DataError, Experiment};
use ikeru_core::Direction;
use serde::{Deserialize, Serialize};

use crate::ReportError;

/// What stands in `run.toml`. Unknown keys are passed over, so that a newer run can be read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunFile {
    /// The command line.
    #[serde(default)]
    pub command: String,
    /// `quick` or `full`.
    #[serde(default)]
    pub scale: String,
    /// What `--seed` said.
    #[serde(default)]
    pub seed: u64,
    /// What each `--set` said, in order.
    #[serde(default)]
    pub sets: Vec<String>,
    /// How the order of samples follows from the seed.
    #[serde(default)]
    pub order: String,
    /// The run folders that it was merged from; none of a run itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<MergedRun>,
    /// CPU, cores, frequency policy, memory, operating system: names and values for people.
    #[serde(default)]
    pub machine: BTreeMap<String, String>,
    /// Program and compiler.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
    /// Which way the scores of each problem are better: `maximize`, `minimize` or `equal`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub directions: BTreeMap<String, String>,
    /// The experiments in their order.
    #[serde(default)]
    pub experiments: Vec<RanExperiment>,
}

/// A run that stands in a merged one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MergedRun {
    /// Its folder, as the person named it.
    pub folder: String,
    /// Its command line.
    pub command: String,
    /// How many samples it had.
    pub samples: u64,
    /// Its machine.
    #[serde(default)]
    pub machine: BTreeMap<String, String>,
}

/// One experiment as it ran.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RanExperiment {
    /// Its name.
    pub name: String,
    /// The experiment at the scale and with the settings that ran, as a file of its own would say it.
    pub text: String,
}

impl RanExperiment {
    /// Reads the experiment.
    ///
    /// # Errors
    /// A text that is none, with its line in the text.
    pub fn read(&self) -> Result<Experiment, DataError> {
        Experiment::read(&format!("run.toml, experiment {}", self.name), &self.text)
    }
}

/// What tells machines apart whose times may not be compared.
const MACHINE: [&str; 3] = ["cpu", "cores", "architecture"];

/// What of two machines differs so that their times may not be compared: name, first, second.
#[must_use]
pub fn machines_differ<'a>(
    a: &'a BTreeMap<String, String>,
    b: &'a BTreeMap<String, String>,
) -> Vec<(&'static str, &'a str, &'a str)> {
    let of =
        |machine: &'a BTreeMap<String, String>, name| machine.get(name).map_or("", String::as_str);
    let both = MACHINE.map(|name| (name, of(a, name), of(b, name)));
    both.into_iter().filter(|(_, a, b)| a != b).collect()
}

impl RunFile {
    /// Whether its rows were measured on machines whose times may not be compared.
    #[must_use]
    pub fn is_of_several_machines(&self) -> bool {
        let differs =
            |run: &MergedRun| !machines_differ(&self.sources[0].machine, &run.machine).is_empty();
        self.sources.iter().any(differs)
    }

    /// The problems whose direction is known.
    pub fn directions(&self) -> impl Iterator<Item = (&str, Direction)> {
        self.directions.iter().filter_map(|(problem, word)| {
            let direction = Direction::ALL
                .into_iter()
                .find(|direction| direction.name() == word)?;
            Some((problem.as_str(), direction))
        })
    }

    /// Reads `run.toml` of a run folder.
    ///
    /// # Errors
    /// A file that is missing or no such TOML; a link in the folder.
    pub fn read(folder: &Path) -> Result<Self, ReportError> {
        refuse_links(folder)?;
        let path = folder.join("run.toml");
        let text = std::fs::read_to_string(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => ReportError::NoRun(folder.to_owned()),
            _ => ReportError::io(&path, error),
        })?;
        toml::from_str(&text).map_err(|error| {
            let line = error
                .span()
                .map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            ReportError::Row {
                path,
                line: line as u64,
                message: error.message().replace('\n', "; "),
            }
        })
    }

    /// The file's text.
    ///
    /// # Errors
    /// When a value has no form in TOML: none of these.
    pub fn text(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}
/// Refuses a run folder that holds a link, itself or in one of its folders: a report writes into the files
/// that it finds there, and a link may lead anywhere.
fn refuse_links(folder: &Path) -> Result<(), ReportError> {
    let unread = |error| ReportError::io(folder, error);
    let Ok(listing) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in listing {
        let entry = entry.map_err(unread)?;
        let kind = entry.file_type().map_err(unread)?;
        if kind.is_symlink() {
            return Err(ReportError::Question(format!(
                "{}: is a link, expected a run folder that holds only its own files",
                entry.path().display()
            )));
        }
        if kind.is_dir() {
            refuse_links(&entry.path())?;
        }
    }
    Ok(())
}
