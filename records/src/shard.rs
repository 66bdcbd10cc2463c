//! Shards: the parts of a run's questions, each in a run folder that one program writes.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::num::NonZero;
use std::path::Path;
use std::str::FromStr;

use ikeru_core::ContentHash;
use serde::{Deserialize, Serialize};

use crate::error::{ReportError, Result};
use crate::refuse;
use crate::run_file::RunFile;
use crate::{Reader, RowText};

/// One of several parts of about equally many questions. A question is in the same part everywhere, with all its
/// variants, so that they run on one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Its number, from 1.
    pub number: u32,
    /// The number of shards.
    pub of: NonZero<u32>,
}

impl Shard {
    /// Returns whether the question belongs to this shard.
    pub fn holds(self, question: ContentHash) -> bool {
        question.part_of(self.of) + 1 == self.number
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (number, of) = text.split_once('/')?;
            let (number, of): (u32, NonZero<u32>) = (number.parse().ok()?, of.parse().ok()?);
            (1..=of.get())
                .contains(&number)
                .then_some(Self { number, of })
        };
        read().ok_or_else(|| "expected which of how many, like 2/5".to_owned())
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// The progress of a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardProgress {
    /// The shard.
    pub shard: Shard,
    /// The name of its folder; empty if it has not begun.
    pub folder: String,
    /// The number of planned samples and of those that are there; `None` if it has not begun.
    pub samples: Option<(u64, u64)>,
}

impl ShardProgress {
    /// The number of missing samples; `None` if the shard has not begun.
    pub fn missing(&self) -> Option<u64> {
        let (planned, there) = self.samples?;
        Some(planned.saturating_sub(there))
    }
}

/// The progress of every shard whose folder is in `folder`, and of those that have none.
///
/// # Errors
/// No shard; shards of different divisions; two folders of one shard; a run folder that cannot be read.
pub fn progress(folder: &Path) -> Result<Vec<ShardProgress>> {
    let unread = |error| ReportError::io(folder, error);
    let mut begun: Vec<ShardProgress> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unread)? {
        let entry = entry.map_err(unread)?;
        let path = entry.path();
        if !path.join("run.toml").is_file() {
            continue;
        }
        let run = RunFile::read(&path)?;
        let Some(shard) = run.shard() else {
            continue;
        };
        let there = taken(&path.join("records.csv"))?;
        begun.push(ShardProgress {
            shard,
            folder: entry.file_name().to_string_lossy().into_owned(),
            samples: Some((run.planned.values().sum(), there)),
        });
    }
    begun.sort_by(|a, b| (a.shard, &a.folder).cmp(&(b.shard, &b.folder)));
    let Some(first) = begun.first() else {
        refuse!(
            "{}: no shard; expected the folders of `ikeru run EXPERIMENT --shard I/N -o DIR/I`",
            folder.display()
        );
    };
    for pair in begun.windows(2) {
        let is_of_one = pair[0].shard.of == pair[1].shard.of;
        if !is_of_one || pair[0].shard == pair[1].shard {
            let [a, b] = [&pair[0], &pair[1]].map(|one| format!("{} in {}", one.shard, one.folder));
            refuse!(
                "{}: shard {a} and shard {b}; expected different shards of one division",
                folder.display()
            );
        }
    }
    let of = first.shard.of;
    let mut begun = begun.into_iter().peekable();
    let all = (1..=of.get()).map(|number| {
        let own = begun.next_if(|one| one.shard.number == number);
        own.unwrap_or(ShardProgress {
            shard: Shard { number, of },
            folder: String::new(),
            samples: None,
        })
    });
    Ok(all.collect())
}

/// The number of samples in a journal, without further attempts at a sample. A journal without a whole line is empty.
fn taken(path: &Path) -> Result<u64> {
    let mut header = Vec::new();
    if let Ok(file) = File::open(path) {
        let read = BufReader::new(file).read_until(b'\n', &mut header);
        read.map_err(|error| ReportError::io(path, error))?;
    }
    if !header.ends_with(b"\n") {
        return Ok(0);
    }
    let mut reader = Reader::open(path)?;
    let places = reader.places(["attempt"]);
    let (mut row, mut count) = (RowText::default(), 0);
    while reader.next(&mut row)?.is_some() {
        let [attempt] = row.texts(places);
        count += u64::from(attempt == "0");
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_is_in_exactly_one_shard() {
        let shards: Vec<Shard> = (1..=3)
            .map(|number| format!("{number}/3").parse().expect("a shard"))
            .collect();
        let mut counts = [0; 3];
        for question in 0_u32..300 {
            let question = ContentHash::of(&[&question.to_le_bytes()]);
            let holds: Vec<usize> = (0..3).filter(|at| shards[*at].holds(question)).collect();
            assert_eq!(holds.len(), 1);
            counts[holds[0]] += 1;
        }
        assert!(counts.iter().all(|count| *count > 70), "{counts:?}");
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for text in ["0/3", "4/3", "1/0", "1", "/", "1/3/5", "a/b", "-1/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        assert!("1/1".parse::<Shard>().is_ok());
    }

    #[test]
    fn a_journal_that_has_not_begun_is_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("records.csv");
        assert_eq!(taken(&path).expect("nothing"), 0);
        std::fs::write(&path, "schema,exp").expect("written");
        assert_eq!(taken(&path).expect("torn"), 0);
    }
}
