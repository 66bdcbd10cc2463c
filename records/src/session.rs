//! One session of a run: `run` or `run --resume`, with its machine and its programs.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::shard::Shard;

/// One `run`, or one `run --resume`, of a run folder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Session {
    /// The value of the column `session` in its rows.
    pub number: u32,
    /// The command line, with its filters.
    #[serde(default)]
    pub command: String,
    /// The shard whose questions it asked, if it was one of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// A remark of who started it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// The start, in UTC.
    #[serde(default)]
    pub started: String,
    /// The seed of its order of samples.
    #[serde(default)]
    pub order_seed: u64,
    /// The content hash of the program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub binary: String,
    /// The processes that `--isolate` ended together with a cell's process: `cgroup`, `process group and orphans` or
    /// `process group`. Empty if every cell ran in the program itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub isolation: String,
    /// The reasons why its times are doubtful.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// True if it went on with a folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_later: bool,
    /// The number of samples that the first session of its folder planned for each cell of an experiment, also of those
    /// that were taken later.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub repeats: BTreeMap<String, u32>,
    /// The number of questions of each experiment that it planned, of the first session of a folder.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub questions: BTreeMap<String, usize>,
    /// CPU, cores, frequency policy, memory, operating system.
    #[serde(default)]
    pub machine: BTreeMap<String, String>,
    /// Program and compiler.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
    /// The variables that commands inherited and that may change what they do, each with a hash of its value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
}

/// The prefix of the keys of foreign solvers in [`Session::versions`].
pub(crate) const COMMAND: &str = "command ";

/// The prefix of the keys of referees in [`Session::versions`].
const REFEREE: &str = "referee of ";

/// Returns whether a key of [`Session::versions`] is that of a foreign solver or a referee, which a session may lack.
pub(crate) fn is_content(name: &str) -> bool {
    name.starts_with(COMMAND) || name.starts_with(REFEREE)
}

impl Session {
    /// The key in `versions` of the content hash of a foreign solver.
    pub fn command(name: &str) -> String {
        format!("{COMMAND}{name}")
    }

    /// The key in [`versions`](Self::versions) for the referee of a problem of commands.
    pub fn referee(problem: &str) -> String {
        format!("{REFEREE}{problem}")
    }

    /// The inherited variables that differ from those of `other`.
    pub fn other_variables(&self, other: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self
            .environment
            .keys()
            .chain(other.environment.keys())
            .collect();
        let mut names: Vec<String> = names.into_iter().cloned().collect();
        names.retain(|name| self.environment.get(name) != other.environment.get(name));
        names
    }

    /// The first field of machine or programs in which the sessions differ: name, value in `other`, value in `self`.
    pub fn differs_from<'a>(&'a self, other: &'a Self) -> Option<(&'a str, &'a str, &'a str)> {
        let machine = machines_differ(&other.machine, &self.machine);
        let of = |versions: &'a BTreeMap<String, String>, name: &str| {
            versions.get(name).map_or("", String::as_str)
        };
        let contents = self.versions.keys();
        // Another content of a command is another solver: the earlier samples leave the tables.
        let contents =
            contents.filter(|name| name.starts_with(REFEREE) && other.versions.contains_key(*name));
        let versions = ["ikeru", "rustc", "profile"]
            .into_iter()
            .chain(contents.map(String::as_str))
            .map(|name| (name, of(&other.versions, name), of(&self.versions, name)));
        let binary = ("binary", other.binary.as_str(), self.binary.as_str());
        let mut all = machine.into_iter().chain(versions).chain([binary]);
        // The file of an older version has no content hash of the program.
        all.find(|(name, there, here)| there != here && !(*name == "binary" && there.is_empty()))
    }
}

/// The properties that must be equal for the times of two machines to be comparable.
const MACHINE: [&str; 3] = ["cpu", "cores", "architecture"];

/// The differences that make the times of two machines incomparable: name, first value, second value.
pub fn machines_differ<'a>(
    a: &'a BTreeMap<String, String>,
    b: &'a BTreeMap<String, String>,
) -> Vec<(&'static str, &'a str, &'a str)> {
    let of =
        |machine: &'a BTreeMap<String, String>, name| machine.get(name).map_or("", String::as_str);
    let both = MACHINE.map(|name| (name, of(a, name), of(b, name)));
    both.into_iter().filter(|(_, a, b)| a != b).collect()
}

#[cfg(test)]
pub(crate) mod tests;
