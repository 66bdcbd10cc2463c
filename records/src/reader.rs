//! Reads `records.csv` row by row and checks the columns, the schema, the outcome of every row, and that no sample
//! occurs twice with different values.
//!
//! Text after the last newline is the torn row of a killed run and is not read.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use super::{COLUMNS, Outcome, SCHEMA};
use crate::RowText;
use crate::error::{ReportError, Result};
use crate::hash::{FastMap, hash};

/// Files with more columns are refused: a run has a few hundred.
const MOST_COLUMNS: usize = 4096;

/// The maximum length of a field in bytes: the layout of tables and plots depends on names of variants and instances.
pub const LONGEST_FIELD: usize = 4096;

/// A file, or a text in memory.
trait Source: Read + Seek {}

impl<S: Read + Seek> Source for S {}

/// An open `records.csv`.
pub struct Reader {
    path: PathBuf,
    inner: BufReader<Take<Box<dyn Source>>>,
    line: u64,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The length of the file up to its last newline, in bytes.
    pub whole: u64,
    experiment: usize,
    sample: usize,
    outcome: usize,
    rises: usize,
    /// Content hash and line of each sample that was read, by the hash of its identity.
    seen: FastMap<u64, (u64, u64)>,
    /// The number of rows that were skipped because they repeat an earlier row.
    pub repeated: usize,
    /// True if something follows the last newline. It is not read.
    pub is_torn: bool,
}

impl Reader {
    /// Opens the file and checks its header.
    ///
    /// # Errors
    /// A file that cannot be read, has no complete line, too many columns, or lacks a fixed column.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| ReportError::io(path, error))?;
        Self::of(Box::new(file), path)
    }

    /// Reads `text`; `path` is the file that errors name.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    pub fn of_text(text: &str, path: &Path) -> Result<Self> {
        Self::of(Box::new(io::Cursor::new(text.to_owned())), path)
    }

    fn of(mut source: Box<dyn Source>, path: &Path) -> Result<Self> {
        let unread = |error: io::Error| ReportError::io(path, error);
        let length = source.seek(SeekFrom::End(0)).map_err(unread)?;
        let whole = whole_lines(&mut source).map_err(unread)?;
        let is_torn = whole < length;
        let wrong = |message: String| ReportError::row(path, 1, message);
        if whole == 0 {
            return Err(wrong(
                "no whole line; expected `schema` and the other columns of a run".to_owned(),
            ));
        }
        let mut inner = BufReader::with_capacity(whole.min(1 << 16) as usize, source.take(whole));
        let mut header = RowText::default();
        let line = header.read(&mut inner);
        let line = line.map_err(|error| wrong(error.to_string()))?;
        let mut header = header.owned();
        // Spreadsheets write a byte order mark.
        if let Some(rest) = header.first().and_then(|it| it.strip_prefix('\u{feff}')) {
            header[0] = rest.to_owned();
        }
        if header.len() > MOST_COLUMNS {
            let message = format!("{} columns; expected at most {MOST_COLUMNS}", header.len());
            return Err(wrong(message));
        }
        if header.first().is_none_or(|first| first != "schema") {
            let found = header.first().map_or("", String::as_str);
            let message = format!("the first column is `{found}`; expected `schema`");
            return Err(wrong(message));
        }
        let place = |name: &str| {
            let found = header.iter().position(|column| column == name);
            found.ok_or_else(|| wrong(format!("the column `{name}` is missing")))
        };
        // Earlier files of this schema do not have `first_ns`.
        for column in COLUMNS.iter().filter(|column| column.name != "first_ns") {
            place(column.name)?;
        }
        Ok(Self {
            path: path.to_owned(),
            inner,
            line,
            experiment: place("experiment")?,
            sample: place("sample")?,
            outcome: place("outcome")?,
            rises: place("rises")?,
            header,
            whole,
            seen: FastMap::default(),
            repeated: 0,
            is_torn,
        })
    }

    /// The places of the columns of these names, for [`RowText::texts`]; `None` for one that is not there.
    pub fn places<const N: usize>(&self, names: [&str; N]) -> [Option<usize>; N] {
        names.map(|name| self.header.iter().position(|column| column == name))
    }

    /// Reads the next row into `row` and returns its line number; `None` after the last row. A row that repeats an
    /// earlier one is skipped.
    ///
    /// # Errors
    /// A row of another schema, with another number of fields, with a field longer than [`LONGEST_FIELD`], with an
    /// unknown outcome, or with the sample of an earlier row and other values.
    pub fn next(&mut self, row: &mut RowText) -> Result<Option<u64>> {
        loop {
            let line = self.line + 1;
            let read = row.read(&mut self.inner);
            let lines =
                read.map_err(|error| ReportError::row(&self.path, line, error.to_string()))?;
            if lines == 0 {
                return Ok(None);
            }
            self.line += lines;
            let is_new = self.check(row, line);
            if is_new.map_err(|message| ReportError::row(&self.path, line, message))? {
                return Ok(Some(line));
            }
            self.repeated += 1;
        }
    }

    /// Returns whether the sample of the row is new; an error if the row is invalid.
    fn check(&mut self, row: &RowText, line: u64) -> Result<bool, String> {
        if row.len() != self.header.len() {
            let (found, expected) = (row.len(), self.header.len());
            return Err(format!("{found} fields; expected {expected}"));
        }
        if row.text().len() > LONGEST_FIELD {
            self.check_lengths(row)?;
        }
        let field = |place: usize| row.get(place).unwrap_or_default();
        let word = |place: usize| String::from_utf8_lossy(field(place));
        check_schema(&word(0))?;
        let outcome = word(self.outcome);
        if Outcome::named(&outcome).is_none() {
            let known = Outcome::ALL.map(Outcome::name).join(", ");
            return Err(format!(
                "the outcome `{outcome}` is unknown; expected one of {known}"
            ));
        }
        if self.seen.is_empty() {
            self.seen.reserve(self.whole as usize / row.text().len());
        }
        let content = hash(row.content());
        let sample = (field(self.experiment), field(self.sample));
        let (first, first_line) = *self.seen.entry(hash(sample)).or_insert((content, line));
        if first != content {
            let sample = word(self.sample);
            return Err(format!(
                "the sample {sample} stands in line {first_line} with other values"
            ));
        }
        Ok(first_line == line)
    }

    /// Refuses fields longer than [`LONGEST_FIELD`], except `rises`, which is a list.
    fn check_lengths(&self, row: &RowText) -> Result<(), String> {
        let mut fields = self.header.iter().zip(row.iter()).enumerate();
        let long =
            fields.find(|(place, (_, field))| *place != self.rises && field.len() > LONGEST_FIELD);
        let Some((_, (column, field))) = long else {
            return Ok(());
        };
        let bytes = field.len();
        Err(format!(
            "`{column}` has {bytes} bytes; expected at most {LONGEST_FIELD}"
        ))
    }
}

fn check_schema(field: &str) -> Result<(), String> {
    match field.parse::<u32>() {
        Ok(SCHEMA) => Ok(()),
        Ok(schema) => Err(format!(
            "schema {schema}; this program reads {SCHEMA}, and another version of it reads this file"
        )),
        Err(_) => Err(format!("`schema` is `{field}`; expected {SCHEMA}")),
    }
}

/// The length of the file up to its last newline. Rewinds the file.
fn whole_lines(file: &mut dyn Source) -> io::Result<u64> {
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut block = vec![0; end.min(1 << 16) as usize];
    while end > 0 {
        let length = end.min(block.len() as u64);
        file.seek(SeekFrom::Start(end - length))?;
        let block = &mut block[..length as usize];
        file.read_exact(block)?;
        if let Some(last) = block.iter().rposition(|byte| *byte == b'\n') {
            end = end - length + last as u64 + 1;
            break;
        }
        end -= length;
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use crate::{Columns, Record, Sample};

    /// The text of a file with a row for each pair of sample and time.
    fn text(rows: &[(&str, u64)]) -> String {
        let columns = Columns::new([]);
        let mut text = columns.header_line();
        for (sample, time) in rows {
            let record = Record {
                experiment: "e",
                sample: (*sample).to_owned(),
                taken: Sample {
                    batch: Some(Duration::from_nanos(*time)),
                    iterations: 1,
                    ..Sample::default()
                },
                ..Record::default()
            };
            text += &columns.line(&record);
        }
        text
    }

    /// The line numbers of the rows, and the number of skipped rows.
    fn read(text: &str) -> Result<(Vec<u64>, usize), String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("records.csv");
        std::fs::write(&path, text).expect("written");
        let mut reader = Reader::open(&path).map_err(|error| error.to_string())?;
        let (mut lines, mut row) = (Vec::new(), RowText::default());
        while let Some(line) = reader.next(&mut row).map_err(|error| error.to_string())? {
            lines.push(line);
        }
        Ok((lines, reader.repeated))
    }

    #[test]
    fn a_repeated_row_is_passed_over_and_counted_and_a_differing_one_refused() {
        let repeated = text(&[("a", 1), ("b", 2), ("a", 1)]);
        assert_eq!(read(&repeated), Ok((vec![2, 3], 1)));
        let rows = crate::Rows::read_text(&repeated, Path::new("records.csv")).expect("rows");
        assert_eq!((rows.len(), rows.repeated), (2, 1));
        let error = read(&text(&[("a", 1), ("b", 2), ("a", 3)])).expect_err("differs");
        let words = "records.csv:4: the sample a stands in line 2 with other values";
        assert!(error.ends_with(words), "{error}");
    }

    #[test]
    fn a_torn_last_line_is_not_read_and_a_torn_line_within_refused() {
        let whole = text(&[("a", 1), ("b", 2)]);
        assert_eq!(read(&format!("{whole}1,mem")), Ok((vec![2, 3], 0)));
        assert_eq!(read(&whole[..whole.len() - 1]), Ok((vec![2], 0)));
        // The last newline may be far from the end.
        let long = format!("{whole}1,{}", "m".repeat(200_000));
        assert_eq!(read(&long), Ok((vec![2, 3], 0)));
        for (text, is_torn) in [(&whole, false), (&long, true)] {
            let reader = Reader::of_text(text, Path::new("records.csv")).expect("a header");
            assert_eq!(
                (reader.is_torn, reader.whole),
                (is_torn, whole.len() as u64)
            );
            let rows = crate::Rows::read_text(text, Path::new("records.csv")).expect("rows");
            assert_eq!((rows.len(), rows.repeated, rows.is_torn), (2, 0, is_torn));
            assert_eq!(rows.outcome(0), Some(Outcome::Solved));
            assert_eq!(reader.places(["experiment", "none"]), [Some(1), None]);
        }
        let error = read(&format!("{whole}1,mem\n")).expect_err("too short");
        assert!(
            error.contains("records.csv:4: 2 fields; expected"),
            "{error}"
        );
    }

    #[test]
    fn what_is_no_record_is_refused_with_its_line() {
        let whole = text(&[("a", 1)]);
        assert_eq!(read(&format!("\u{feff}{whole}")), read(&whole));
        assert_eq!(read(&whole.replace("first_ns", "other")), read(&whole));
        let longest = format!("\n3,{},", "e".repeat(LONGEST_FIELD));
        assert_eq!(read(&whole.replace("\n3,e,", &longest)), Ok((vec![2], 0)));
        for (text, words) in [
            (
                "a,b\n1,2\n".to_owned(),
                "records.csv:1: the first column is `a`; expected `schema`",
            ),
            (
                String::new(),
                "records.csv:1: no whole line; expected `schema`",
            ),
            (
                "\u{1}binary".to_owned(),
                "records.csv:1: no whole line; expected `schema`",
            ),
            (
                whole.replace("outcome", "end"),
                "records.csv:1: the column `outcome` is missing",
            ),
            (
                whole.replace("experiment", "e"),
                "records.csv:1: the column `experiment` is missing",
            ),
            (
                whole.replace("peak_bytes", "peak"),
                "records.csv:1: the column `peak_bytes` is missing",
            ),
            (
                whole.replace("solved", "gibberish"),
                "records.csv:2: the outcome `gibberish` is unknown",
            ),
            (
                whole.replace("\n3,", "\n99,"),
                "records.csv:2: schema 99; this program reads 3",
            ),
            (
                whole.replace("\n3,", "\n1,"),
                "records.csv:2: schema 1; this program reads 3",
            ),
            (
                whole.replace("\n3,", "\nx,"),
                "records.csv:2: `schema` is `x`; expected 3",
            ),
            (
                whole.replace("\n3,e,", &format!("\n3,{},", "e".repeat(5000))),
                "records.csv:2: `experiment` has 5000 bytes; expected at most 4096",
            ),
            (
                whole.replacen('\n', &format!("{}\n", ",x".repeat(5000)), 1),
                "columns; expected at most 4096",
            ),
        ] {
            let error = read(&text).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }
}
