//! `records.csv` as a journal: appended and flushed sample by sample, and resumed.
//!
//! A kill loses no finished sample. A torn last line is cut off and all lines before it are kept. No other line is
//! ever cut: a file that does not begin with the header of a run is refused.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hasher};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ikeru_reports::records::{Columns, Outcome, Reader, Record, RowText, bests, whole};

use crate::system;

/// The outcomes of the samples in the file, and whether they have a score, by experiment and sample.
pub type Finished = HashMap<(String, String), (Outcome, bool)>;

/// The interval at which the journal checks that its file still exists.
const LOOK: Duration = Duration::from_millis(5);

/// An open `records.csv`.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Bytes of whole rows.
    length: u64,
    /// The columns of the file.
    pub columns: Columns,
    /// The time of the last check that the file exists.
    looked: Instant,
    /// Cells with an answer that the referee accepted.
    pub answered: HashSet<String>,
    /// The hash of all bytes of the file, as they were when this program read or wrote them.
    content: DefaultHasher,
}

/// The file for the standard error of a failed sample, relative to the run folder.
pub fn failed_file(sample: &str) -> PathBuf {
    Path::new(bests::FAILED).join(format!("{sample}.txt"))
}

impl Journal {
    /// Creates a new file, which must not exist.
    ///
    /// # Errors
    /// When the file exists already or cannot be written.
    pub fn create(path: &Path, columns: Columns) -> Result<Self> {
        let mut journal = Self::of(path, create(path)?, columns);
        journal.write(&journal.columns.header_line())?;
        Ok(journal)
    }

    fn of(path: &Path, file: File, columns: Columns) -> Self {
        Self {
            path: path.to_owned(),
            file,
            length: 0,
            columns,
            looked: Instant::now(),
            answered: HashSet::new(),
            content: DefaultHasher::new(),
        }
    }

    /// Opens the file of an earlier run, cuts off a torn last line, and returns the finished samples.
    ///
    /// # Errors
    /// A file that is no journal, other columns, or an invalid row; the file is then unchanged.
    pub fn resume(path: &Path, columns: Columns) -> Result<(Self, Finished)> {
        if !path.exists() {
            return Ok((Self::create(path, columns)?, Finished::new()));
        }
        let before = match is_torn_header(path, &columns)? {
            true => Before::default(),
            false => read(path)?,
        };
        if before.whole > 0 && !before.header.iter().eq(columns.header()) {
            let Some(wide) = columns.with(&before.header) else {
                let file = path.display();
                bail!("{file}:1: the columns are those of another version; choose another --out");
            };
            if !before.header.iter().eq(wide.header()) {
                widen(path, &before, &wide)?;
            }
            return Self::resume(path, wide);
        }
        let file = OpenOptions::new().append(true).read(true).open(path);
        let file = file.with_context(|| format!("{}: cannot be written", path.display()))?;
        file.set_len(before.whole)?;
        let mut journal = Self::of(path, file, columns);
        (journal.length, journal.answered) = (before.whole, before.answered);
        journal.content = journal.read_content()?;
        if before.whole == 0 {
            journal.write(&journal.columns.header_line())?;
        }
        Ok((journal, before.finished))
    }

    /// Appends a row and hands it to the system.
    ///
    /// # Errors
    /// When the file cannot be written, as on a full disk.
    pub fn append(&mut self, record: &Record) -> Result<()> {
        self.keep_texts(record)?;
        self.write(&self.columns.line(record))?;
        let taken = &record.taken;
        if is_answered(taken.outcome, taken.score.is_some())
            && !self.answered.contains(&record.cell)
        {
            self.answered.insert(record.cell.clone());
        }
        // PERF: the check takes as long as half a write.
        if self.looked.elapsed() < LOOK {
            return Ok(());
        }
        self.looked = Instant::now();
        self.look()
    }

    /// Writes the answer of a sample, and the standard error of a failed one, into their files beside the journal. They
    /// are there before the row that names them.
    fn keep_texts(&self, record: &Record) -> Result<()> {
        let taken = &record.taken;
        let answer = taken.answer.as_ref().zip(taken.answer_hash());
        let answer = answer.map(|(text, hash)| (PathBuf::from(bests::ANSWERS).join(hash), text));
        let said = taken.said.as_ref();
        let said = said.map(|text| (failed_file(&record.sample), text));
        let folder = self.path.parent().unwrap_or(Path::new(""));
        for (file, text) in answer.into_iter().chain(said) {
            let path = folder.join(file);
            if path.exists() {
                continue;
            }
            let inside = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(inside)
                .and_then(|()| whole::write(&path, text))
                .with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        Ok(())
    }

    /// Checks that the file was not removed; [`append`](Self::append) does so at intervals.
    ///
    /// # Errors
    /// The file was removed; further rows would be lost.
    pub fn look(&self) -> Result<()> {
        if self.is_removed() {
            bail!("{}: was removed while the run went on", self.path.display());
        }
        Ok(())
    }

    /// Returns whether the file was removed since it was opened.
    pub fn is_removed(&self) -> bool {
        system::is_removed(&self.file)
    }

    /// Returns whether another program changed the file since this one opened it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn is_changed(&mut self) -> Result<bool> {
        Ok(self.read_content()?.finish() != self.content.finish())
    }

    fn read_content(&mut self) -> Result<DefaultHasher> {
        let unread = || format!("{}: cannot be read", self.path.display());
        let mut content = DefaultHasher::new();
        let mut chunk = [0; 1 << 16];
        self.file.rewind().with_context(unread)?;
        loop {
            match self.file.read(&mut chunk).with_context(unread)? {
                0 => return Ok(content),
                read => content.write(&chunk[..read]),
            }
        }
    }

    /// Writes a removed file again at its place, and returns its number of rows.
    ///
    /// # Errors
    /// Another file is there now, or none can be written.
    pub fn restore(&mut self) -> Result<usize> {
        let mut rows = Vec::new();
        self.file.rewind()?;
        self.file.read_to_end(&mut rows)?;
        create(&self.path)?.write_all(&rows)?;
        let lines = rows.iter().filter(|byte| **byte == b'\n').count();
        Ok(lines.saturating_sub(1))
    }

    /// Writes whole lines. If a full disk takes only a part, that part is cut off here, or at the latest when the run
    /// is resumed: no row follows half a row.
    fn write(&mut self, lines: &str) -> Result<()> {
        if let Err(error) = self.file.write_all(lines.as_bytes()) {
            let _ = self.file.set_len(self.length);
            let place = self.path.display();
            return Err(error).with_context(|| format!("{place}: cannot be written"));
        }
        self.length += lines.len() as u64;
        self.content.write(lines.as_bytes());
        Ok(())
    }
}

fn create(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    let file = options.append(true).read(true).create_new(true).open(path);
    file.with_context(|| format!("{}: cannot be created", path.display()))
}

/// Returns whether the file holds only the beginning of the header, as after a kill at the first write.
fn is_torn_header(path: &Path, columns: &Columns) -> Result<bool> {
    let header = columns.header_line();
    let unread = || format!("{}: cannot be read", path.display());
    let length = std::fs::metadata(path).with_context(unread)?.len();
    if length >= header.len() as u64 {
        return Ok(false);
    }
    let content = std::fs::read(path).with_context(unread)?;
    Ok(header.as_bytes().starts_with(&content))
}

/// Returns whether a sample has an answer that the referee accepted.
fn is_answered(outcome: Outcome, has_score: bool) -> bool {
    outcome == Outcome::Solved || has_score
}

/// The contents of the file.
#[derive(Default)]
struct Before {
    finished: Finished,
    answered: HashSet<String>,
    /// Bytes of whole lines.
    whole: u64,
    header: Vec<String>,
}

/// Writes the rows of the file again, under a header with further columns.
fn widen(path: &Path, before: &Before, columns: &Columns) -> Result<()> {
    let place = || path.display().to_string();
    let text = std::fs::read(path).with_context(place)?;
    let mut reader = csv::Reader::from_reader(&text[..before.whole as usize]);
    let of = |name: &str| before.header.iter().position(|column| column == name);
    let places: Vec<Option<usize>> = columns.header().map(of).collect();
    let mut writer = csv::Writer::from_writer(columns.header_line().into_bytes());
    for row in reader.records() {
        let row = row.with_context(place)?;
        let field = |at: &Option<usize>| at.and_then(|at| row.get(at)).unwrap_or_default();
        writer.write_record(places.iter().map(field))?;
    }
    let text = writer.into_inner().context("in memory")?;
    whole::write(path, text).with_context(place)
}

/// The samples that a file has; a file that is not there has none.
///
/// # Errors
/// A file that is no journal, or an invalid row.
pub fn finished(path: &Path) -> Result<Finished> {
    match path.exists() {
        true => Ok(read(path)?.finished),
        false => Ok(Finished::new()),
    }
}

fn read(path: &Path) -> Result<Before> {
    let mut before = Before::default();
    let mut reader = Reader::open(path)?;
    let places = reader.places(["experiment", "sample", "outcome", "cell", "score"]);
    let mut row = RowText::default();
    while reader.next(&mut row)?.is_some() {
        let [experiment, sample, outcome, cell, score] = row.texts(places);
        // The reader refuses unknown outcomes.
        let outcome = Outcome::named(&outcome).unwrap_or_default();
        let has_score = !score.is_empty();
        if is_answered(outcome, has_score) {
            before.answered.insert(cell);
        }
        let ended = (outcome, has_score);
        before.finished.insert((experiment, sample), ended);
    }
    before.header.clone_from(&reader.header);
    before.whole = reader.whole;
    Ok(before)
}

#[cfg(test)]
mod tests {
    use ikeru_reports::records::{Extra, Family, Sample};

    use super::*;

    fn row(sample: &str) -> Record<'static> {
        Record {
            experiment: "e",
            sample: sample.into(),
            taken: Sample {
                detail: "two\nlines".into(),
                score: Some(7),
                ..Sample::default()
            },
            ..Record::default()
        }
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_the_rest_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("records.csv");
        let columns = Columns::new([Extra::new(Family::Setting, "steps", "")]);
        let mut journal = Journal::create(&path, columns.clone()).expect("created");
        journal.append(&row("a")).expect("written");
        journal.append(&row("b")).expect("written");
        let whole = std::fs::read(&path).expect("read");
        for torn in [0, 5, whole.len() - 1, whole.len()] {
            std::fs::write(&path, &whole[..torn]).expect("torn");
            let (mut journal, finished) = Journal::resume(&path, columns.clone()).expect("resumed");
            for sample in ["a", "b"] {
                if !finished.contains_key(&("e".into(), sample.into())) {
                    journal.append(&row(sample)).expect("written");
                }
            }
            assert_eq!(std::fs::read(&path).expect("read"), whole, "torn at {torn}");
        }
    }

    #[test]
    fn a_change_by_another_program_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("records.csv");
        let mut journal = Journal::create(&path, Columns::new([])).expect("created");
        journal.append(&row("a")).expect("written");
        assert!(!journal.is_changed().expect("read"));
        drop(journal);
        let (mut journal, _) = Journal::resume(&path, Columns::new([])).expect("resumed");
        journal.append(&row("b")).expect("written");
        assert!(!journal.is_changed().expect("read"));
        let text = std::fs::read_to_string(&path).expect("text");
        std::fs::write(&path, text.replace(",7,", ",8,")).expect("written");
        assert!(journal.is_changed().expect("read"));
    }

    #[test]
    fn a_file_that_is_no_journal_is_refused_and_not_emptied() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("records.csv");
        let columns = Columns::new([]);
        for text in [
            "\u{1}\u{2}binary",
            "schema;experiment",
            "notes\nof mine\nto be kept",
            "\n",
        ] {
            std::fs::write(&path, text).expect("written");
            let error = Journal::resume(&path, columns.clone())
                .err()
                .expect("refused");
            assert!(error.to_string().contains("records.csv:1: "), "{error}");
            assert_eq!(std::fs::read_to_string(&path).expect("read"), text);
        }
    }

    #[test]
    fn a_newer_schema_is_refused_and_other_columns_are_added() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("records.csv");
        let columns = Columns::new([]);
        let mut journal = Journal::create(&path, columns.clone()).expect("created");
        journal.append(&row("a")).expect("written");
        let text = std::fs::read_to_string(&path).expect("read");
        let newer = text.replace("\n3,", "\n99,");
        std::fs::write(&path, &newer).expect("written");
        let error = Journal::resume(&path, columns).err().expect("refused");
        assert!(
            error
                .to_string()
                .contains("schema 99; this program reads 3"),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(&path).expect("read"), newer);
        std::fs::write(&path, &text).expect("written");
        // Further columns are empty in earlier rows, and columns that no session needs any more stay.
        for name in ["width", "height"] {
            let other = Columns::new([Extra::new(Family::Parameter, name, "")]);
            let (mut journal, finished) = Journal::resume(&path, other).expect("resumed");
            assert!(finished.contains_key(&("e".into(), "a".into())));
            journal.append(&row(name)).expect("written");
        }
        let wide = std::fs::read_to_string(&path).expect("read");
        let lines: Vec<&str> = wide.lines().collect();
        let first = text.lines().nth(1).expect("a row");
        assert_eq!(lines.len(), 4);
        assert!(lines[0].ends_with(",param_height,param_width"), "{wide}");
        assert_eq!(lines[1], format!("{first},,"));
    }
}
