//! The best-known score of each instance: `bests.csv` beside an experiment, a file for version control.
//!
//! Each line is one accepted answer. A file may have several lines of an instance, as after two people's files were
//! joined line by line; the best counts. Lines are sorted, so that equal ledgers are equal files. A score is written with
//! the decimal digits of its problem, so that it keeps its value if their number changes.

use std::collections::BTreeMap;
use std::path::Path;

use ikeru_bench_data::text_file;
use ikeru_core::{Direction, Score};
use serde::Deserialize;

use crate::error::{ReportError, Result};
use crate::whole::CsvTable;

/// The name of the file, in the folder of the experiment and in run folders.
pub const FILE: &str = "bests.csv";

/// The folder of the answers, by their hashes, beside the file and in run folders.
pub const ANSWERS: &str = "answers";
/// The folder of the standard error of failed samples in a run folder.
pub const FAILED: &str = "failed";

/// The best-known answer of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestKnown {
    /// The hash of the instance.
    pub instance: String,
    /// Which way its score is better.
    pub direction: Direction,
    /// Its score, which a referee confirmed, in units of the last of `decimals` digits.
    pub score: Score,
    /// The number of decimal digits of the score.
    pub decimals: u32,
    /// The variant that found it.
    pub variant: String,
    /// The day on which it was found.
    pub date: String,
    /// The hash of the answer, which is its file's name; empty if the answer was not kept.
    pub answer: String,
}

/// A line of the file.
#[derive(Debug, Deserialize)]
struct LedgerLine {
    instance: String,
    direction: Direction,
    score: String,
    variant: String,
    date: String,
    #[serde(default)]
    answer: String,
}

impl LedgerLine {
    fn known(self) -> Result<BestKnown, String> {
        let (score, decimals) = of_decimal(&self.score)
            .ok_or_else(|| format!("the score `{}` is no number", self.score))?;
        if !self.answer.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(format!("the answer `{}` is no hash", self.answer));
        }
        Ok(BestKnown {
            instance: self.instance,
            direction: self.direction,
            score,
            decimals,
            variant: self.variant,
            date: self.date,
            answer: self.answer,
        })
    }
}

/// A score in units of its last decimal digit as people write it: 1250 with two digits is `12.50`.
pub fn decimal(score: Score, decimals: u32) -> String {
    let digits = decimals as usize;
    let text = format!("{:0>width$}", score.unsigned_abs(), width = digits + 1);
    let (whole, fraction) = text.split_at(text.len() - digits);
    let sign = if score < 0 { "-" } else { "" };
    let point = if digits > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

/// A score that [`decimal`] wrote, and its number of decimal digits.
pub(crate) fn of_decimal(text: &str) -> Option<(Score, u32)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = fraction.bytes().all(|byte| byte.is_ascii_digit());
    let score = format!("{whole}{fraction}").parse().ok()?;
    let decimals = u32::try_from(fraction.len()).ok()?;
    is_digits.then_some((score, decimals))
}

impl BestKnown {
    /// The same with another number of decimal digits, rounded to the nearest; `None` if the number is too large.
    pub fn with_decimals(&self, decimals: u32) -> Option<Self> {
        let factor = 10_i64.checked_pow(decimals.abs_diff(self.decimals))?;
        let half = self.score.signum() * (factor / 2);
        let score = match decimals >= self.decimals {
            true => self.score.checked_mul(factor)?,
            false => self.score.checked_add(half)? / factor,
        };
        let known = self.clone();
        Some(Self {
            score,
            decimals,
            ..known
        })
    }
}

/// The best-known answers of many instances, by the hash of the instance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    /// The known answers of each instance, the better one first among those of one direction.
    best: BTreeMap<String, Vec<BestKnown>>,
}

impl Ledger {
    /// Reads the ledger of a folder; it is empty if the folder has none.
    ///
    /// # Errors
    /// A file that cannot be read; a line without the six columns, or with a wrong value, with its number.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let (mut ledger, mut read) = (Self::default(), 1);
        if !path.exists() {
            return Ok(ledger);
        }
        let text = text_file::read(&path).map_err(|error| ReportError::io(&path, error))?;
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        for row in reader.deserialize::<LedgerLine>() {
            let expected = "expected instance, direction, score, variant, date, answer";
            let wrong =
                |line, message| ReportError::row(&path, line, format!("{message}; {expected}"));
            let row = row.map_err(|error| {
                let line = error.position().map_or(1, csv::Position::line);
                match error.kind() {
                    csv::ErrorKind::Deserialize { err, .. } => wrong(line, err.kind().to_string()),
                    _ => wrong(line, error.to_string()),
                }
            })?;
            read += 1;
            let known = row.known().map_err(|message| wrong(read, message))?;
            ledger.add(known);
        }
        Ok(ledger)
    }

    /// Adds a line of a file, in the place of its score.
    fn add(&mut self, found: BestKnown) {
        let known = self.best.entry(found.instance.clone()).or_default();
        let place = known.iter().position(|known| {
            let before = known.with_decimals(found.decimals);
            let is_better =
                |before: BestKnown| found.direction.is_better(found.score, before.score);
            known.direction == found.direction && before.is_none_or(is_better)
        });
        known.insert(place.unwrap_or(known.len()), found);
    }

    /// Adds an answer if it is better than the best known one of the same direction; returns whether it is.
    pub fn improve(&mut self, found: BestKnown) -> bool {
        let before = self.best(&found.instance, found.direction);
        let before = before.and_then(|before| before.with_decimals(found.decimals));
        let is_better =
            before.is_none_or(|before| found.direction.is_better(found.score, before.score));
        if is_better {
            self.add(found);
        }
        is_better
    }

    /// Takes an instance's best answer of a direction out. The next best of the file takes its place, and is returned.
    pub fn take_out(&mut self, instance: &str, direction: Direction) -> Option<&BestKnown> {
        let known = self.best.get_mut(instance)?;
        let place = known.iter().position(|it| it.direction == direction)?;
        known.remove(place);
        self.best(instance, direction)
    }

    /// The best-known answer of an instance, of the scores of one direction.
    pub fn best(&self, instance: &str, direction: Direction) -> Option<&BestKnown> {
        let mut known = self.best.get(instance)?.iter();
        known.find(|known| known.direction == direction)
    }

    /// The best-known answers, by instance and direction.
    pub fn iter(&self) -> impl Iterator<Item = &BestKnown> {
        self.best.keys().flat_map(|instance| {
            let best = |way| self.best(instance, way);
            Direction::ALL.into_iter().filter_map(best)
        })
    }

    /// The best-known answers of one direction, by instance. Other experiments may share the file.
    pub fn of(&self, direction: Direction) -> impl Iterator<Item = &BestKnown> {
        let instances = self.best.keys();
        instances.filter_map(move |instance| self.best(instance, direction))
    }

    /// Writes the ledger into a folder.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        CsvTable::<&BestKnown>::default()
            .column("instance", |known| known.instance.clone())
            .column("direction", |known| known.direction.name().to_owned())
            .column("score", |known| decimal(known.score, known.decimals))
            .column("variant", |known| known.variant.clone())
            .column("date", |known| known.date.clone())
            .column("answer", |known| known.answer.clone())
            .write(&folder.join(FILE), self.iter())
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
            decimals: 0,
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
        let [up, down] = [Direction::Maximize, Direction::Minimize];
        let score = |of: &Ledger, instance, way| of.best(instance, way).map(|known| known.score);
        assert_eq!(
            ["a", "b", "c"].map(|it| score(&both, it, up)),
            [Some(6), Some(7), None]
        );
        // Experiments of both directions share a file, and take nothing from each other.
        let turned = std::fs::read_to_string(&path).expect("text") + "a,minimize,1,w,d,\n";
        std::fs::write(&path, turned).expect("written");
        let shared = Ledger::read(folder.path()).expect("read");
        shared.write(folder.path()).expect("written");
        let again = Ledger::read(folder.path()).expect("read");
        for (way, expected) in [
            (up, [Some(6), Some(7), None]),
            (down, [Some(1), None, Some(3)]),
        ] {
            assert_eq!(["a", "b", "c"].map(|it| score(&again, it, way)), expected);
            assert_eq!(again.of(way).count(), 2);
        }
        // A refused line leaves the next best one of its direction.
        let mut checked = shared;
        let next = checked.take_out("a", up).map(|known| known.score);
        assert_eq!(next, Some(5));
        assert_eq!(checked.take_out("a", up), None);
        let left = [("a", up), ("a", down), ("b", up)].map(|(it, way)| score(&checked, it, way));
        assert_eq!(left, [None, Some(1), Some(7)]);
    }

    #[test]
    fn scores_keep_their_value_when_the_number_of_digits_changes() {
        for (score, decimals, text) in [
            (1250, 2, "12.50"),
            (-5, 2, "-0.05"),
            (0, 1, "0.0"),
            (7, 0, "7"),
            (i64::MIN, 0, "-9223372036854775808"),
        ] {
            assert_eq!(decimal(score, decimals), text);
            assert_eq!(of_decimal(text), Some((score, decimals)));
        }
        for text in ["", "1.x", "1.-2", ".-2", "1e5", "many"] {
            assert_eq!(of_decimal(text), None, "{text}");
        }
        let with = |score, decimals| BestKnown {
            decimals,
            ..known("a", score)
        };
        let mut ledger = Ledger::default();
        assert!(ledger.improve(with(2000, 2)), "20.00 is the first");
        assert!(!ledger.improve(with(20, 0)), "20 is not better than 20.00");
        assert!(ledger.improve(with(21, 0)), "21 is better than 20.00");
        assert_eq!(
            ledger.iter().map(|known| known.score).collect::<Vec<_>>(),
            [21]
        );
        let mut next = || ledger.take_out("a", Direction::Maximize).cloned();
        assert_eq!([next(), next()], [Some(with(2000, 2)), None]);
        assert_eq!(with(-1250, 2).with_decimals(1), Some(with(-125, 1)));
        assert_eq!(with(-1255, 2).with_decimals(1), Some(with(-126, 1)));
        assert_eq!(with(12, 0).with_decimals(2), Some(with(1200, 2)));
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        for (line, why) in [
            ("a,maximize,many,v,d,", "the score `many` is no number"),
            ("a,maximize,1,v,d,../x", "the answer `../x` is no hash"),
            ("a,upwards,1,v,d,", "upwards"),
        ] {
            let text = format!(
                "instance,direction,score,variant,date,answer\nb,maximize,1,v,d,\n{line}\n"
            );
            std::fs::write(folder.path().join(FILE), text).expect("written");
            let error = Ledger::read(folder.path()).expect_err(why).to_string();
            assert!(
                error.contains("bests.csv:3: ") && error.contains(why),
                "{error}"
            );
        }
    }
}
