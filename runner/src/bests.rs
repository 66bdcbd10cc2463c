//! Best-known scores: read before a run of a problem of commands, and updated after it.
//!
//! The ledger ([`records::bests`](ikeru_reports::records::bests)) is in the folder of the experiment's file, next to a
//! folder of the answers. Only answers that the referee accepted enter it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use ikeru_core::{ContentHash, Direction};
use ikeru_reports::Rows;
use ikeru_reports::records::bests::{ANSWERS, BestKnown, Ledger};
use ikeru_reports::records::whole;
use ikeru_reports::run_file::RunFile;

use crate::campaign::ExperimentSource;
use crate::campaign::lock::Lock;

/// The file that a program locks while it reads and writes the ledger of the same folder. It remains, empty.
const LOCK: &str = "bests.lock";

/// The time for which a program waits for another that changes the ledger, as for a check of many answers.
const PATIENCE: Duration = Duration::from_secs(600);

/// Locks the ledger of a folder, so that no other program changes it between its reading and its writing.
///
/// # Errors
/// Another program holds the lock for too long, or the file cannot be created.
pub fn lock(folder: &Path) -> Result<Lock> {
    let path = folder.join(LOCK);
    Lock::of_file(&path, PATIENCE)?
        .with_context(|| format!("{}: another program changes the ledger", path.display()))
}

/// The experiment of a problem of commands whose scores have a ledger.
#[derive(Debug, Clone)]
pub struct ScoredExperiment {
    name: String,
    /// The folder of its file.
    pub folder: PathBuf,
    /// Which way a score is better.
    pub direction: Direction,
    /// The number of decimal digits of a score.
    pub decimals: u32,
    /// A score below this is none.
    pub least: Option<f64>,
    /// True if a tester gives the score while the solver runs: an answer alone cannot be checked again.
    pub has_tester: bool,
}

impl ScoredExperiment {
    /// The experiment of `source`, if it has a ledger: scores that are better one way and confirmed by a referee.
    pub fn of(source: &ExperimentSource) -> Option<Self> {
        let problem = source.experiment.problem.commands()?;
        let is_scored = problem.direction != Direction::Equal && !problem.is_unchecked();
        is_scored.then(|| Self {
            name: source.experiment.name.clone(),
            folder: source.folder.clone(),
            direction: problem.direction,
            decimals: problem.decimals,
            least: problem.least,
            has_tester: !problem.tester.is_empty(),
        })
    }

    /// Returns whether a known score is none, as one from before the problem had `least`.
    pub fn is_none(&self, known: &BestKnown) -> bool {
        let score = known.score as f64 / 10_f64.powi(known.decimals.cast_signed());
        self.least.is_some_and(|least| score < least)
    }

    /// The ledger without scores that are none.
    fn ledger(&self) -> Result<Ledger> {
        let mut ledger = Ledger::read(&self.folder)?;
        loop {
            let none = ledger.of(self.direction).find(|known| self.is_none(known));
            let Some(instance) = none.map(|known| known.instance.clone()) else {
                return Ok(ledger);
            };
            ledger.take_out(&instance, self.direction);
        }
    }

    /// Adds the better scores of a run to the ledger, with their answers, and the ledger to that of the run folder.
    /// Returns the number of new best scores.
    ///
    /// # Errors
    /// A ledger or an answer that cannot be read or written.
    pub fn update(&self, run_folder: &Path) -> Result<usize> {
        let rows = RunFile::read(run_folder)?.present_rows(run_folder)?;
        let mut ledger = self.ledger()?;
        let mut news = self.improve(&mut ledger, &rows);
        // Without a better score nothing is written, as into a folder that cannot be.
        if !news.is_empty() {
            let _lock = lock(&self.folder)?;
            // Another run may have ended meanwhile.
            ledger = self.ledger()?;
            news = self.improve(&mut ledger, &rows);
            for answer in news.values() {
                copy(run_folder, &self.folder, answer)?;
            }
            ledger.write(&self.folder)?;
        }
        let mut of_run = Ledger::read(run_folder)?;
        for known in ledger.of(self.direction) {
            // Reports compare it with the scores of the run.
            if let Some(mut known) = known.with_decimals(self.decimals) {
                // A number without its answer refutes no proof.
                if !self.folder.join(ANSWERS).join(&known.answer).is_file() {
                    known.answer.clear();
                }
                of_run.improve(known);
            }
        }
        of_run.write(run_folder)?;
        Ok(news.len())
    }

    /// Adds the better scores of a run to `ledger`. Returns their answers by instance.
    fn improve(&self, ledger: &mut Ledger, rows: &Rows) -> BTreeMap<String, String> {
        let mut news = BTreeMap::new();
        // An attempt that was repeated because of its time has a confirmed score nevertheless.
        let mut all: Vec<u32> = (0..rows.len() as u32).collect();
        all.retain(|row| rows.text("experiment", *row) == self.name);
        for row in all {
            let Some(score) = rows.confirmed(row) else {
                continue;
            };
            let found = BestKnown {
                instance: rows.text("instance_hash", row).to_owned(),
                direction: self.direction,
                score,
                decimals: self.decimals,
                variant: rows.text("label", row).to_owned(),
                date: day(rows.number("started_ns", row)),
                answer: rows.text("answer_hash", row).to_owned(),
            };
            let (instance, answer) = (found.instance.clone(), found.answer.clone());
            if ledger.improve(found) {
                news.insert(instance, answer);
            }
        }
        news
    }
}

/// Copies an answer from one folder of answers to another, unless it is there as a whole.
///
/// # Errors
/// A file that cannot be read or written.
fn copy(from: &Path, to: &Path, answer: &str) -> Result<()> {
    let [from, to] = [from, to].map(|folder| folder.join(ANSWERS).join(answer));
    let hash = |path| File::open(path).and_then(|file| ContentHash::of_file(&file));
    let is_whole = hash(&to).is_ok_and(|hash| hash.to_string() == answer);
    if answer.is_empty() || is_whole || !from.exists() {
        return Ok(());
    }
    let inside = to.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(inside)
        .and_then(|()| fs::read(&from))
        .and_then(|text| whole::write(&to, text))
        .with_context(|| format!("{}: cannot be written", to.display()))
}

/// The day of a time in nanoseconds since 1970, in UTC: `2026-01-31`.
fn day(nanoseconds: Option<f64>) -> String {
    let seconds = nanoseconds.map(|time| time / 1e9);
    let time = seconds.and_then(|time| Duration::try_from_secs_f64(time).ok());
    let time = time.map(|time| crate::machine::day(std::time::UNIX_EPOCH + time));
    time.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use ikeru_reports::records::{COLUMNS, SCHEMA};

    use super::*;

    #[test]
    fn scores_that_another_run_adds_meanwhile_are_kept() {
        let [beside, run] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let scored = ScoredExperiment {
            name: "e".to_owned(),
            folder: beside.path().to_owned(),
            direction: Direction::Minimize,
            decimals: 0,
            least: Some(1.0),
            has_tester: false,
        };
        let columns = || COLUMNS.iter().map(|column| column.name);
        let row = |variant: &str, score: &str| {
            let fields = columns().map(|name| match name {
                "schema" => SCHEMA.to_string(),
                "experiment" | "problem" => "e".to_owned(),
                "variant" | "sample" => variant.to_owned(),
                "instance_hash" => "aa".to_owned(),
                "outcome" => "solved".to_owned(),
                "score" => score.to_owned(),
                _ => String::new(),
            });
            fields.collect::<Vec<_>>().join(",")
        };
        let row = row("sound", "5");
        let text = format!("{}\n{row}\n", columns().collect::<Vec<_>>().join(","));
        fs::write(run.path().join("records.csv"), text).expect("written");
        fs::write(run.path().join("run.toml"), "# No key.\n").expect("written");
        let held = lock(beside.path()).expect("free");
        std::thread::scope(|scope| {
            let second = scope.spawn(|| scored.update(run.path()));
            std::thread::sleep(Duration::from_millis(300));
            let theirs = "instance,direction,score,variant,date,answer\naa,minimize,0,illegal,2026-01-01,\nbb,minimize,7,w,2026-01-01,\n";
            fs::write(beside.path().join("bests.csv"), theirs).expect("written");
            drop(held);
            let news = second.join().expect("a thread").expect("updated");
            assert_eq!(news, 1);
        });
        let both = Ledger::read(beside.path()).expect("a ledger");
        let scores = both
            .iter()
            .map(|known| (known.instance.as_str(), known.score));
        assert_eq!(scores.collect::<Vec<_>>(), [("aa", 5), ("bb", 7)]);
    }

    #[test]
    fn an_answer_that_was_copied_in_part_is_copied_again() {
        let [from, to] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let name = ContentHash::of(&[b"an answer"]).to_string();
        let [ours, theirs] = [&from, &to].map(|folder| folder.path().join(ANSWERS));
        for (folder, text) in [(&ours, "an answer"), (&theirs, "an ans")] {
            fs::create_dir(folder).expect("a folder");
            fs::write(folder.join(&name), text).expect("written");
        }
        copy(from.path(), to.path(), &name).expect("copied");
        assert_eq!(
            fs::read_to_string(theirs.join(&name)).expect("read"),
            "an answer"
        );
    }
}
