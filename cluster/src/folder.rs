//! The folder of a divided campaign.
//!
//! | file | what |
//! |---|---|
//! | `campaign.toml` | the program, the experiments and options, the number of shards |
//! | `shards.csv` | each question with its shard, samples and expected seconds |
//! | `shards/0001` … | a run folder for each shard, with one writer |
//! | `jobs.csv` | the scheduler's jobs and the number of the shard of their task 0 |
//! | `logs` | what the tasks print |
//! | `merged` | the run folder of all shards, with its page |

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use ikeru_core::ContentHash;
use ikeru_records::{run_file, whole};
use serde::{Deserialize, Serialize};

use super::division::ShardQuestion;
use ikeru_core::shell_quoted as quoted;

/// The file by which a folder is recognized as that of a campaign.
const ABOUT: &str = "campaign.toml";
const SHARDS: &str = "shards.csv";
const JOBS: &str = "jobs.csv";

/// The content of `campaign.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The name of the first experiment, with which the names of jobs begin.
    pub name: String,
    /// The program, as the nodes find it.
    pub program: String,
    /// The number of shards.
    pub shards: u32,
    /// The number of questions of all shards; 0 in the file of an older version.
    #[serde(default)]
    pub questions: usize,
    /// The number of consecutive starts without a new sample after which a shard gives up.
    pub give_up_after: usize,
    /// True if an experiment is timed in isolated mode.
    pub isolated: bool,
    /// True if isolated cells may be timed on nodes that other jobs may use.
    pub share_nodes: bool,
    /// The folder of the user's data that it was divided with, absolute.
    pub data: Option<PathBuf>,
    /// The experiments and the options that every shard runs with, as the runner serializes them.
    pub planned: toml::Table,
}

/// One line of `shards.csv`.
#[derive(Debug, Serialize, Deserialize)]
struct ShardRow {
    shard: u32,
    question: String,
    samples: u64,
    seconds: f64,
}

/// One line of `jobs.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmittedArray {
    /// The scheduler's number of the array.
    pub job: u64,
    /// The shard of its task 0.
    pub first: u32,
}

/// A campaign that is divided into shards.
#[derive(Debug, Clone)]
pub struct Divided {
    /// The folder, absolute.
    pub root: PathBuf,
    /// The content of `campaign.toml`.
    pub about: About,
    /// The questions of each shard, from 1.
    shards: BTreeMap<u32, Vec<ShardQuestion>>,
}

/// Refuses links, pipes and devices in place of the files and folders of a campaign.
fn check_own(folder: &Path) -> Result<()> {
    for name in [ABOUT, SHARDS, JOBS, "shards"] {
        let path = folder.join(name);
        let kind = path.symlink_metadata().map(|about| about.file_type());
        if kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir()) {
            bail!(
                "{}: is a link, a pipe or a device, expected a folder that holds only its own files",
                path.display()
            );
        }
    }
    Ok(run_file::check_kinds(&folder.join("shards"))?)
}

/// The folders of a campaign, made before its files.
const FOLDERS: [&str; 2] = ["shards", "logs"];

/// Refuses a folder that holds files of another origin: a campaign writes files of many names.
fn check_unused(folder: &Path) -> Result<()> {
    let has_begun = FOLDERS.iter().all(|name| folder.join(name).is_dir());
    let is_own = |name: &OsStr| {
        let is_folder = FOLDERS.iter().any(|own| name == *own);
        is_folder || (has_begun && name == SHARDS) || whole::is_hidden(name)
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name());
    if let Some(name) = names.find(|name| !is_own(name)) {
        let (folder, name) = (folder.display(), name.to_string_lossy());
        bail!("{folder} holds other files, such as {name}; expected a new folder or an empty one");
    }
    Ok(())
}

impl Divided {
    /// Returns whether the folder holds a divided campaign.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(ABOUT).exists()
    }

    /// Writes a new campaign.
    ///
    /// # Errors
    /// A folder that holds one already, or cannot be written.
    pub fn create(folder: &Path, about: About, shards: Vec<Vec<ShardQuestion>>) -> Result<Self> {
        if Self::is_at(folder) {
            bail!(
                "{} holds a campaign already; --resume goes on with it",
                folder.display()
            );
        }
        check_unused(folder)?;
        let unwritten = || format!("{}: cannot be written", folder.display());
        for name in FOLDERS {
            std::fs::create_dir_all(folder.join(name)).with_context(unwritten)?;
        }
        let divided = Self {
            root: folder.canonicalize().with_context(unwritten)?,
            about,
            shards: (1..).zip(shards).collect(),
        };
        divided.write_shards().with_context(unwritten)?;
        let text = toml::to_string(&divided.about).with_context(unwritten)?;
        // This file is written last: a folder with it is complete.
        whole::write(&folder.join(ABOUT), text).with_context(unwritten)?;
        Ok(divided)
    }

    fn write_shards(&self) -> Result<()> {
        let mut writer = csv::Writer::from_path(self.root.join(SHARDS))?;
        for (shard, questions) in &self.shards {
            for question in questions {
                writer.serialize(ShardRow {
                    shard: *shard,
                    question: question.question.to_string(),
                    samples: question.samples,
                    seconds: question.expected.as_secs_f64(),
                })?;
            }
        }
        Ok(writer.flush()?)
    }

    /// Reads the campaign of a folder.
    ///
    /// # Errors
    /// A folder without a campaign; a file that is wrong, with its line.
    pub fn read(folder: &Path) -> Result<Self> {
        check_own(folder)?;
        let path = folder.join(ABOUT);
        let text = std::fs::read_to_string(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => anyhow!(
                "{}: no divided campaign (no {ABOUT}); `ikeru cluster emit` or `ikeru cluster submit` makes one",
                folder.display()
            ),
            _ => anyhow!("{}: {error}", path.display()),
        })?;
        let about: About = toml::from_str(&text).map_err(|error| {
            let line = error
                .span()
                .map_or(1, |at| 1 + text[..at.start].matches('\n').count());
            let message = error.message().replace('\n', "; ");
            anyhow!("{}:{line}: {message}", path.display())
        })?;
        let path = folder.join(SHARDS);
        let place = || path.display().to_string();
        let mut shards: BTreeMap<u32, Vec<ShardQuestion>> = BTreeMap::new();
        for (line, number) in csv::Reader::from_path(&path)
            .with_context(place)?
            .deserialize()
            .zip(2..)
        {
            let at = || format!("{}:{number}", path.display());
            let line: ShardRow = line.with_context(at)?;
            if !(1..=about.shards).contains(&line.shard) {
                bail!(
                    "{}: shard {}, expected 1 to {}",
                    at(),
                    line.shard,
                    about.shards
                );
            }
            let expected = Duration::try_from_secs_f64(line.seconds).with_context(at)?;
            shards.entry(line.shard).or_default().push(ShardQuestion {
                question: line.question.parse().with_context(at)?,
                samples: line.samples,
                expected,
            });
        }
        if shards.len() != about.shards as usize {
            bail!(
                "{}: {} shards, expected {} as in {ABOUT}",
                path.display(),
                shards.len(),
                about.shards
            );
        }
        let found: usize = shards.values().map(Vec::len).sum();
        if about.questions != 0 && found != about.questions {
            bail!(
                "{}: {found} questions, expected {}: the file was cut or changed",
                path.display(),
                about.questions
            );
        }
        let root = folder
            .canonicalize()
            .with_context(|| folder.display().to_string())?;
        Ok(Self {
            root,
            about,
            shards,
        })
    }

    /// Each shard's number and questions.
    pub fn shards(&self) -> impl Iterator<Item = (u32, &[ShardQuestion])> {
        self.shards
            .iter()
            .map(|(shard, questions)| (*shard, questions.as_slice()))
    }

    /// The questions of one shard.
    ///
    /// # Errors
    /// A number that no shard has.
    pub fn questions(&self, shard: u32) -> Result<HashSet<ContentHash>> {
        let questions = self.shards.get(&shard).with_context(|| {
            let place = self.root.display();
            format!(
                "{place}: no shard {shard}; expected 1 to {}",
                self.about.shards
            )
        })?;
        Ok(questions.iter().map(|one| one.question).collect())
    }

    /// Refuses a plan whose questions are not those that were divided: another program or changed files.
    ///
    /// # Errors
    /// The first question that only one of the two has.
    pub fn check(&self, planned: &BTreeSet<ContentHash>) -> Result<()> {
        let divided: BTreeSet<ContentHash> = self
            .shards
            .values()
            .flatten()
            .map(|one| one.question)
            .collect();
        let only =
            |a: &BTreeSet<ContentHash>, b: &BTreeSet<ContentHash>| a.difference(b).next().copied();
        let (question, place) = match (only(planned, &divided), only(&divided, planned)) {
            (Some(question), _) => (question, "is not in shards.csv"),
            (None, Some(question)) => (question, "of shards.csv is not asked any more"),
            (None, None) => return Ok(()),
        };
        bail!(
            "{}: the question {question} {place}: the experiment, its files or the program changed since it was divided",
            self.root.display()
        )
    }

    /// The run folder of a shard.
    pub fn shard_folder(&self, shard: u32) -> PathBuf {
        self.root.join("shards").join(format!("{shard:04}"))
    }

    /// The run folder of all shards together.
    pub fn merged(&self) -> PathBuf {
        self.root.join("merged")
    }

    /// The command of one shard, for a shell; `shard` is its number, or the shell's word for it.
    pub fn command(&self, shard: &str) -> String {
        format!("{} {shard}", self.command_of("shard"))
    }

    /// The command that merges the shards, for a shell.
    pub fn merge_command(&self) -> String {
        self.command_of("merge")
    }

    fn command_of(&self, word: &str) -> String {
        let (program, root) = (quoted(&self.about.program), self.quoted_root());
        format!("{program} cluster {word} {root}")
    }

    /// The folder as a word of a shell.
    pub fn quoted_root(&self) -> String {
        quoted(&self.root.to_string_lossy())
    }

    /// Writes a file of the folder and returns its path.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.root.join(name);
        whole::write(&path, text)
            .with_context(|| format!("{}: cannot be written", path.display()))?;
        Ok(path)
    }

    /// Notes a submitted array.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn note_job(&self, job: SubmittedArray) -> Result<()> {
        let mut jobs = self.jobs()?;
        jobs.push(job);
        let mut writer = csv::Writer::from_writer(Vec::new());
        for job in jobs {
            writer.serialize(job)?;
        }
        let text = String::from_utf8(writer.into_inner().map_err(|error| anyhow!("{error}"))?)?;
        self.write(JOBS, &text).map(drop)
    }

    /// The arrays that were submitted.
    ///
    /// # Errors
    /// A file that is wrong, with its line.
    pub fn jobs(&self) -> Result<Vec<SubmittedArray>> {
        let path = self.root.join(JOBS);
        if !path.exists() {
            return Ok(Vec::new());
        }
        let place = || path.display().to_string();
        let jobs = csv::Reader::from_path(&path)
            .with_context(place)?
            .into_deserialize();
        jobs.collect::<Result<_, _>>().with_context(place)
    }
}

#[cfg(test)]
pub(crate) mod tests;
