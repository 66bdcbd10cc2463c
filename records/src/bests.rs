//! The best-known score of each instance: `bests.csv` beside an experiment, a file for version control.
//!
//! Each line is one accepted answer. A file may have several lines of an instance, as after two people's files were
//! joined line by line; the best counts. Lines are sorted, so that equal ledgers are equal files.

use std::collections::BTreeMap;
use std::path::Path;

use ikeru_core::{Direction, Score};
use serde::Deserialize;

use crate::error::ReportError;
use crate::whole::CsvTable;

/// The name of the file, in the folder of the experiment and in run folders.
pub const FILE: &str = "bests.csv";

/// The folder of the answers, by their hashes, beside the file and in run folders.
pub const ANSWERS: &str = "answers";

/// The best-known answer of an instance.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct BestKnown {
    /// The hash of the instance.
    pub instance: String,
    /// Which way its score is better.
    pub direction: Direction,
    /// Its score, which a referee confirmed.
    pub score: Score,
    /// The variant that found it.
    pub variant: String,
    /// The day on which it was found.
    pub date: String,
    /// The hash of the answer, which is its file's name; empty if the answer was not kept.
    #[serde(default)]
    pub answer: String,
}

/// The best-known answers of many instances, by the hash of the instance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    best: BTreeMap<String, BestKnown>,
}

impl Ledger {
    /// Reads the ledger of a folder; it is empty if the folder has none.
    ///
    /// # Errors
    /// A file that cannot be read; a line without the six columns, with its number.
    pub fn read(folder: &Path) -> Result<Self, ReportError> {
        let path = folder.join(FILE);
        let mut ledger = Self::default();
        if !path.exists() {
            return Ok(ledger);
        }
        let text = std::fs::read_to_string(&path).map_err(|error| ReportError::io(&path, error))?;
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        for row in reader.deserialize::<BestKnown>() {
            let known = row.map_err(|error| ReportError::Row {
                path: path.clone(),
                line: error.position().map_or(1, csv::Position::line),
                message: format!(
                    "{error}; expected instance, direction, score, variant, date, answer"
                ),
            })?;
            ledger.improve(known);
        }
        Ok(ledger)
    }

    /// Adds an answer if it is better than the best known one; returns whether it is.
    pub fn improve(&mut self, found: BestKnown) -> bool {
        let before = self.best.get(&found.instance);
        // A problem whose direction was turned begins again.
        let before = before.filter(|before| before.direction == found.direction);
        let is_better =
            before.is_none_or(|before| found.direction.is_better(found.score, before.score));
        if is_better {
            self.best.insert(found.instance.clone(), found);
        }
        is_better
    }

    /// Takes an instance's best answer out.
    pub fn take_out(&mut self, instance: &str) {
        self.best.remove(instance);
    }

    /// The best-known score of an instance.
    pub fn score(&self, instance: &str) -> Option<Score> {
        self.best.get(instance).map(|known| known.score)
    }

    /// The best-known answers, by instance.
    pub fn iter(&self) -> impl Iterator<Item = &BestKnown> {
        self.best.values()
    }

    /// The best-known scores, by instance.
    pub fn scores(&self) -> BTreeMap<String, Score> {
        let best = self.best.iter();
        best.map(|(instance, known)| (instance.clone(), known.score))
            .collect()
    }

    /// Writes the ledger into a folder.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), ReportError> {
        CsvTable::<&BestKnown>::new()
            .column("instance", |known| known.instance.clone())
            .column("direction", |known| known.direction.name().to_owned())
            .column("score", |known| known.score.to_string())
            .column("variant", |known| known.variant.clone())
            .column("date", |known| known.date.clone())
            .column("answer", |known| known.answer.clone())
            .write(&folder.join(FILE), self.best.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(instance: &str, score: Score) -> BestKnown {
        BestKnown {
            instance: instance.to_owned(),
            direction: Direction::Maximize,
            score,
            variant: "v".to_owned(),
            date: "2026-01-01".to_owned(),
            answer: String::new(),
        }
    }

    #[test]
    fn joined_lines_keep_the_better_score_of_each_instance() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut mine = Ledger::default();
        assert!(mine.improve(known("a", 5)) && mine.improve(known("b", 7)));
        assert!(!mine.improve(known("a", 5)), "an equal score is not better");
        mine.write(folder.path()).expect("written");
        let path = folder.path().join(FILE);
        let theirs = "a,maximize,6,w,2026-02-01,ff\nb,maximize,2,w,2026-02-01,\nc,minimize,4,w,d,\nc,minimize,3,w,d,\n";
        let joined = std::fs::read_to_string(&path).expect("text") + theirs;
        std::fs::write(&path, joined).expect("written");
        let both = Ledger::read(folder.path()).expect("read");
        let scores = ["a", "b", "c"].map(|instance| both.score(instance));
        assert_eq!(scores, [Some(6), Some(7), Some(3)]);
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "instance,direction,score,variant,date,answer\na,maximize,many,v,d,\n";
        std::fs::write(folder.path().join(FILE), text).expect("written");
        let error = Ledger::read(folder.path()).expect_err("no number");
        assert!(error.to_string().contains("bests.csv:2: "), "{error}");
    }
}
