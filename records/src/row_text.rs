//! One row of a CSV file: its text, and the end of each field.
// PERF: with a record of the crate `csv` in its place, `compare` of two labels of 600,000 rows (360 MB) takes 2.83 instead of 1.90
// CPU seconds.

use std::io::{self, BufRead};

/// The fields of a row.
#[derive(Debug, Default)]
pub struct RowText {
    /// The fields, each followed by one byte.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// True if a field contains a comma.
    has_commas: bool,
}

/// A word of eight equal bytes.
const fn eight(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

impl RowText {
    /// Reads the next row. Returns the number of lines read, preceding empty lines included; 0 at the end.
    pub(crate) fn read(&mut self, source: &mut impl BufRead) -> io::Result<u64> {
        let mut lines = 0;
        self.ends.clear();
        while self.ends.is_empty() {
            self.text.clear();
            self.has_commas = false;
            if source.read_until(b'\n', &mut self.text)? == 0 {
                return Ok(0);
            }
            lines += 1;
            if self.text.contains(&b'"') || self.text.ends_with(b"\r\n") {
                lines += self.read_quoted(source)?;
            } else if self.text.len() > 1 {
                self.split();
            }
        }
        Ok(lines)
    }

    /// The fields as texts.
    pub(crate) fn owned(&self) -> Vec<String> {
        let texts = self.iter().map(String::from_utf8_lossy);
        texts.map(Into::into).collect()
    }

    /// Finds the ends of the fields.
    // PERF: eight bytes at once; the `csv` crate's automaton takes four times as long for a row of 215 short fields.
    fn split(&mut self) {
        let words = self.text.chunks_exact(8);
        let rest = self.text.len() - words.remainder().len();
        for (at, word) in words.enumerate() {
            let apart = u64::from_le_bytes(word.try_into().unwrap_or_default()) ^ eight(b',');
            let mut commas = !(((apart & eight(0x7f)) + eight(0x7f)) | apart | eight(0x7f));
            while commas != 0 {
                self.ends
                    .push(8 * at + commas.trailing_zeros() as usize / 8);
                commas &= commas - 1;
            }
        }
        let commas = (rest..self.text.len()).filter(|at| self.text[*at] == b',');
        self.ends.extend(commas);
        let is_whole = self.text.ends_with(b"\n");
        self.ends.push(self.text.len() - usize::from(is_whole));
    }

    /// Reads a row with quotes, which may extend over further lines. Returns the number of further lines.
    fn read_quoted(&mut self, source: &mut impl BufRead) -> io::Result<u64> {
        let is_quote = |byte: &&u8| **byte == b'"';
        let mut lines = 0;
        while self.text.iter().filter(is_quote).count() % 2 == 1
            && source.read_until(b'\n', &mut self.text)? > 0
        {
            lines += 1;
        }
        let raw = std::mem::take(&mut self.text);
        let line = raw.strip_suffix(b"\n").unwrap_or(&raw);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (mut is_quoted, mut start) = (false, 0);
        let mut bytes = line.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' if is_quoted && bytes.next_if_eq(&b'"').is_none() => is_quoted = false,
                b'"' if !is_quoted && self.text.len() == start => is_quoted = true,
                b',' if !is_quoted => {
                    self.ends.push(self.text.len());
                    self.text.push(byte);
                    start = self.text.len();
                }
                b'\n' if !is_quoted => {
                    let message = "a line ends within a field that has a quotation mark; expected it twice, in a field between such";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                _ => {
                    self.has_commas |= byte == b',';
                    self.text.push(byte);
                }
            }
        }
        self.ends.push(self.text.len());
        Ok(lines)
    }

    /// The content by which rows are compared. The text alone distinguishes `1,23` from `12,3`; if a field contains a
    /// comma, the ends of the fields belong to the content too.
    pub(crate) fn content(&self) -> (&[u8], &[usize]) {
        let end = self.ends.last().copied().unwrap_or_default();
        let borders = if self.has_commas { &self.ends } else { &[][..] };
        (&self.text[..end], borders)
    }

    /// The number of fields.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether the row has no fields.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All fields, each followed by one byte.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The range of a field in [`RowText::text`].
    pub(crate) fn place(&self, at: usize) -> std::ops::Range<usize> {
        at.checked_sub(1).map_or(0, |before| self.ends[before] + 1)..self.ends[at]
    }

    /// The field at an index.
    pub fn get(&self, at: usize) -> Option<&[u8]> {
        (at < self.len()).then(|| &self.text[self.place(at)])
    }

    /// The fields at `places` as text; empty for `None`.
    pub fn texts<const N: usize>(&self, places: [Option<usize>; N]) -> [String; N] {
        places.map(|place| {
            let field = place.and_then(|at| self.get(at)).unwrap_or_default();
            String::from_utf8_lossy(field).into_owned()
        })
    }

    /// The fields.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|at| &self.text[self.place(at)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_the_crate_csv_reads_them() {
        let mut text = "a,b,c\n".to_owned();
        // Every row of four of these letters, some of which need quotation marks.
        for number in 0..5_u32.pow(4) {
            let letters = (0..4).map(|at| {
                ["x,", "\"", "-,-", "\r\n\ny", "long word,"][(number / 5_u32.pow(at)) as usize % 5]
            });
            let fields: Vec<String> = letters.map(str::to_owned).collect();
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(&fields).expect("written");
            text += &String::from_utf8(writer.into_inner().expect("in memory")).expect("text");
            text += "plain,,-1,word\n\nz\nwithout,quotes\r\n";
        }
        text += "the last line may lack,its break";
        let mut builder = csv::ReaderBuilder::new();
        let mut theirs = builder
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let (mut source, mut row) = (text.as_bytes(), RowText::default());
        let mut lines = 0;
        for expected in theirs.byte_records() {
            lines += row.read(&mut source).expect("read");
            assert!(
                row.iter().eq(expected.expect("a row").iter()),
                "line {lines}"
            );
        }
        let of_rows = text.trim_end().lines().count() as u64;
        assert_eq!(lines, of_rows);
    }

    #[test]
    fn borders_of_fields_tell_rows_apart() {
        let content = |text: &str| {
            let mut row = RowText::default();
            row.read(&mut text.as_bytes()).expect("read");
            let (text, borders) = row.content();
            (text.to_vec(), borders.to_vec())
        };
        assert_ne!(content("1,23\n"), content("12,3\n"));
        assert_ne!(content("\"1,2\",3\n"), content("1,\"2,3\"\n"));
        assert_eq!(content("\"1\",23\n"), content("1,23\n"));
        let mut row = RowText::default();
        assert!(row.read(&mut "a\"\"\"b\nc,d\n\"e\n".as_bytes()).is_err());
    }

    #[test]
    fn a_row_does_not_depend_on_the_row_before() {
        let mut source = "1,23\n\"1,2\",3\n1,23\n\"unclosed".as_bytes();
        let mut row = RowText::default();
        let [first, _, third, last] = std::array::from_fn(|_| {
            row.read(&mut source).expect("a row");
            (row.content().1.to_vec(), row.owned())
        });
        assert_eq!(first, third);
        assert_eq!(last.1, ["unclosed"]);
        assert_eq!([row.get(0), row.get(1)], [Some(&b"unclosed"[..]), None]);
    }
}
