//! Reads and writes the text of fields and pieces.
//!
//! The rows of a field are written from the top, with `.` for empty, `O` for garbage, and a letter for each colour:
//! from `R G B Y P C` or from `A B C D E F`, not from both. Missing rows are empty rows at the top. Everything else
//! is in lines `key: value` (`board: 7x11`, `pieces: RG BB`). Blank lines and lines that start with `#` are ignored.

use ikeru_core::{InputError, input_error, refuse, unknown};

use crate::board::{Board, Cell, PuyoColour, Size};
use crate::placement::Piece;

/// The colours of a game whose text gives only a seed.
pub const DRAWN_COLOURS: usize = 4;

/// A parsed text: the rows of a field and the entries, each with its line number from 1.
#[derive(Debug)]
pub struct Sections<'a> {
    rows: Vec<(usize, &'a str)>,
    entries: Vec<SectionEntry<'a>>,
    alphabet: Alphabet,
}

/// A line `key: value`.
#[derive(Debug, Clone, Copy)]
pub struct SectionEntry<'a> {
    /// Its line number, from 1.
    pub line: usize,
    /// The text before the colon.
    pub key: &'a str,
    /// The text after the colon.
    pub value: &'a str,
}

impl<'a> Sections<'a> {
    /// Parses `lines` (with their numbers); `letters` are the keys whose values contain colours.
    ///
    /// # Errors
    /// An unknown letter, or letters of both alphabets.
    pub fn of(
        lines: impl Iterator<Item = (usize, &'a str)>,
        letters: &[&str],
    ) -> Result<Self, InputError> {
        let mut rows = Vec::new();
        let mut entries: Vec<SectionEntry> = Vec::new();
        for (line, text) in lines {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            match text.split_once(':') {
                Some((key, value)) => entries.push(SectionEntry {
                    line,
                    key: key.trim(),
                    value: value.trim(),
                }),
                None => rows.push((line, text)),
            }
        }
        let pieces = entries.iter().filter(|entry| letters.contains(&entry.key));
        let mut lettered = rows.clone();
        lettered.extend(pieces.map(|entry| (entry.line, entry.value)));
        // `seed:` draws from four colours unless the text says how many.
        let mut said = entries.iter().filter(|entry| entry.key == "colours");
        let said = said.next().map(|entry| entry.value.parse().ok());
        let is_drawn = entries.iter().any(|entry| entry.key == "seed");
        let colours = said.unwrap_or(is_drawn.then_some(DRAWN_COLOURS));
        let alphabet = Alphabet::of(&lettered, colours)?;
        Ok(Self {
            rows,
            entries,
            alphabet,
        })
    }

    /// The letters of the text's colours.
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// Refuses entries whose key is not among `known`.
    ///
    /// # Errors
    /// Names the first unknown key and the nearest known one.
    pub fn check_keys(&self, known: &[&str]) -> Result<(), InputError> {
        match self
            .entries
            .iter()
            .find(|entry| !known.contains(&entry.key))
        {
            None => Ok(()),
            Some(SectionEntry { line, key, .. }) => {
                let error = unknown("key", key, known.iter().copied());
                Err(InputError::at(*line, error.message))
            }
        }
    }

    /// The entries of `key`, in order.
    pub fn entries(&self, key: &str) -> impl Iterator<Item = SectionEntry<'a>> {
        self.entries
            .iter()
            .copied()
            .filter(move |entry| entry.key == key)
    }

    /// The only entry of `key`, if there is one.
    ///
    /// # Errors
    /// When there are several.
    pub fn entry(&self, key: &str) -> Result<Option<SectionEntry<'a>>, InputError> {
        let mut all = self.entries(key);
        match (all.next(), all.next()) {
            (_, Some(second)) => Err(input_error!(second.line, "a second `{key}:`, expected one")),
            (first, None) => Ok(first),
        }
    }

    /// The value of `key` as a number, if there is one.
    ///
    /// # Errors
    /// When the value is not a number of this type, or the key occurs twice.
    pub fn number<T: std::str::FromStr>(&self, key: &str) -> Result<Option<T>, InputError> {
        let Some(entry) = self.entry(key)? else {
            return Ok(None);
        };
        entry.value.parse().map(Some).map_err(|_| {
            input_error!(
                entry.line,
                "`{key}` is `{}`, expected a whole number",
                entry.value
            )
        })
    }

    /// The field that the rows draw, on a board of the size that `board:` gives, by default the thesis's size; empty if
    /// there are no rows.
    ///
    /// # Errors
    /// A wrong size, or a puyo that floats.
    pub fn field(&self) -> Result<Board, InputError> {
        let size = match self.entry("board")? {
            Some(entry) => read_size(entry)?,
            None => Size::THESIS,
        };
        if let Some(&(line, _)) = self.rows.get(size.height()) {
            refuse!(
                line,
                "row {} of the field, expected at most {}",
                size.height() + 1,
                size.height()
            );
        }
        let mut board = Board::empty(size);
        for (row, &(line, text)) in self.rows.iter().rev().enumerate() {
            let width = text.chars().count();
            if width != size.width() {
                refuse!(line, "a row of {width} cells, expected {}", size.width());
            }
            for (column, letter) in text.chars().enumerate() {
                if letter.is_whitespace() {
                    let column = column + 1;
                    refuse!(
                        line,
                        "a blank in column {column}, expected `.` for an empty cell"
                    );
                }
                let cell = self.alphabet.cell(letter);
                if cell == Cell::Empty {
                    continue;
                }
                if row > usize::from(board.heights()[column]) {
                    refuse!(
                        line,
                        "puyo `{letter}` in column {} floats: the cell below it is empty",
                        column + 1
                    );
                }
                board.set(column, row, cell);
            }
        }
        Ok(board)
    }

    /// The pieces of an entry: two letters each, the axis's letter first.
    ///
    /// # Errors
    /// A word that is not two letters of colours.
    pub fn pieces(&self, entry: SectionEntry) -> Result<Vec<Piece>, InputError> {
        let piece = |word: &str| {
            let cells: Vec<Cell> = word
                .chars()
                .map(|letter| self.alphabet.cell(letter))
                .collect();
            match cells[..] {
                [Cell::Puyo(axis), Cell::Puyo(child)] => Ok(Piece { axis, child }),
                _ => Err(input_error!(
                    entry.line,
                    "`{word}` is no piece, expected two colours as in `RG`"
                )),
            }
        };
        entry.value.split_whitespace().map(piece).collect()
    }
}

/// The lines of a text, numbered from 1.
pub fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    (1..).zip(text.lines())
}

/// Reads a text that contains only a field.
///
/// # Errors
/// Names the line and what was expected.
pub fn read_field(text: &str) -> Result<Board, InputError> {
    let field = read_field_lines(&numbered(text).collect::<Vec<_>>());
    field.map(|(board, _)| board)
}

/// Reads numbered lines that contain only a field; returns the field and its letters.
///
/// # Errors
/// Names the line and what was expected.
pub fn read_field_lines(lines: &[(usize, &str)]) -> Result<(Board, Alphabet), InputError> {
    let sections = Sections::of(lines.iter().copied(), &[])?;
    sections.check_keys(&["board"])?;
    if sections.rows.is_empty() {
        let line = lines.first().map_or(1, |(line, _)| *line);
        refuse!(line, "no field: expected rows of `.`, `O` and colours");
    }
    Ok((sections.field()?, sections.alphabet))
}

/// Writes a field so that [`read_field`] reads it: its size, unless it is the thesis's, and all its rows.
pub fn write_field(board: &Board) -> String {
    if board.size() == Size::THESIS {
        board.to_string()
    } else {
        format!("board: {}\n{board}", board.size())
    }
}

/// Writes pieces separated by spaces.
pub fn write_pieces(pieces: &[Piece]) -> String {
    let words: Vec<String> = pieces.iter().map(ToString::to_string).collect();
    words.join(" ")
}

fn read_size(entry: SectionEntry) -> Result<Size, InputError> {
    let number = |word: &str| word.trim().parse::<usize>().ok();
    let (width, height) = entry
        .value
        .split_once('x')
        .and_then(|(width, height)| Some((number(width)?, number(height)?)))
        .ok_or_else(|| {
            input_error!(
                entry.line,
                "`{}` is no size, expected one as in `6x13`",
                entry.value
            )
        })?;
    Size::new(width, height).map_err(|error| InputError::at(entry.line, error.message))
}

/// The letters of the colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alphabet([char; PuyoColour::COUNT]);

impl Alphabet {
    const COLOURS: Self = Self(PuyoColour::LETTERS);
    const PLAIN: Self = Self(['A', 'B', 'C', 'D', 'E', 'F']);

    /// The alphabet that has all letters of `lines`. The game has only the first `colours` of it, if that is known: B and C
    /// are the second and the third of three, not the third and the sixth.
    fn of(lines: &[(usize, &str)], colours: Option<usize>) -> Result<Self, InputError> {
        let letters = || {
            let letters = |&(line, text): &(usize, _)| str::chars(text).map(move |c| (line, c));
            lines
                .iter()
                .flat_map(letters)
                .filter(|(_, letter)| !letter.is_whitespace())
        };
        let foreign = |alphabet: Self| letters().find(|&(_, letter)| !alphabet.knows(letter));
        let fits = |alphabet: Self| {
            let known = alphabet.0.iter().take(colours.unwrap_or(PuyoColour::COUNT));
            let is_known =
                |letter| matches!(letter, '.' | 'O') || known.clone().any(|it| *it == letter);
            letters().all(|(_, letter)| is_known(letter))
        };
        if !fits(Self::COLOURS) && fits(Self::PLAIN) {
            return Ok(Self::PLAIN);
        }
        let Some((line, letter)) = foreign(Self::COLOURS) else {
            return Ok(Self::COLOURS);
        };
        if foreign(Self::PLAIN).is_none() {
            return Ok(Self::PLAIN);
        }
        let expected = "expected `.`, `O` and colours, either R G B Y P C or A B C D E F";
        // The error names a letter that is in neither alphabet, or else a letter that is not in the alphabet of the
        // others.
        let stranger = |&(_, letter): &(usize, char)| {
            !Self::COLOURS.knows(letter) && !Self::PLAIN.knows(letter)
        };
        let (line, letter, why) = match letters().find(stranger) {
            Some((line, letter)) => (line, letter, ""),
            None => (line, letter, " beside letters of the other alphabet"),
        };
        Err(input_error!(
            line,
            "unknown letter `{letter}`{why}, {expected}"
        ))
    }

    /// Translates a text from the default alphabet to this one.
    pub fn written(self, text: &str) -> String {
        let own = |letter| exchanged(letter, Self::COLOURS, self);
        text.chars().map(own).collect()
    }

    /// Translates a text from this alphabet to the default one.
    pub fn read(self, text: &str) -> String {
        let colour = |letter| exchanged(letter, self, Self::COLOURS);
        text.chars().map(colour).collect()
    }

    fn knows(self, letter: char) -> bool {
        matches!(letter, '.' | 'O') || self.0.contains(&letter)
    }

    /// The cell of a letter; empty for `.` and for unknown letters.
    fn cell(self, letter: char) -> Cell {
        let index = self.0.iter().position(|&known| known == letter);
        match index.and_then(PuyoColour::new) {
            Some(colour) => Cell::Puyo(colour),
            None if letter == 'O' => Cell::Garbage,
            None => Cell::Empty,
        }
    }
}

impl Default for Alphabet {
    fn default() -> Self {
        Self::COLOURS
    }
}

/// Translates a letter from one alphabet to another; a letter that is not a colour is not changed.
fn exchanged(letter: char, from: Alphabet, to: Alphabet) -> char {
    let index = from.0.iter().position(|known| *known == letter);
    index.map_or(letter, |index| to.0[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        read_field(text).expect_err("refused").in_file("f")
    }

    #[test]
    fn a_field_reads_back_what_was_written() {
        let text = "# two rows\nRG..OY\n\nRBPCOY\n";
        let board = read_field(text).expect("a field");
        assert!(board.to_string().ends_with("......\nRG..OY\nRBPCOY\n"));
        assert_eq!(read_field(&write_field(&board)), Ok(board));
        let small = read_field("board: 3x4\nR..\nGOB").expect("a small field");
        assert_eq!(read_field(&write_field(&small)), Ok(small));
    }

    #[test]
    fn both_alphabets_name_the_same_colours() {
        assert_eq!(read_field("ABCDEF"), read_field("RGBYPC"));
    }

    #[test]
    fn a_text_goes_from_one_alphabet_to_the_other_and_back() {
        let (field, plain) = read_field_lines(&[(1, "ABCDEF")]).expect("a field");
        assert_eq!(plain.written("board: 6x2\nR.O\n"), "board: 6x2\nA.O\n");
        assert_eq!(
            plain.read(&plain.written(&write_field(&field))),
            write_field(&field)
        );
        let colours = Alphabet::default();
        assert_eq!(colours.written("RGBYPC"), "RGBYPC");
    }

    #[test]
    fn bad_fields_are_refused_with_their_line() {
        let expected = "expected `.`, `O` and colours, either R G B Y P C or A B C D E F";
        assert_eq!(
            refusal("......\nRGBX.."),
            format!("f:2: unknown letter `X`, {expected}")
        );
        assert_eq!(
            refusal("RRRR..\nRGAB.."),
            format!("f:2: unknown letter `A` beside letters of the other alphabet, {expected}")
        );
        assert_eq!(
            refusal("R.....\n......"),
            "f:1: puyo `R` in column 1 floats: the cell below it is empty"
        );
        assert_eq!(refusal("RRRRRRR"), "f:1: a row of 7 cells, expected 6");
        assert_eq!(
            refusal("R RRRR"),
            "f:1: a blank in column 2, expected `.` for an empty cell"
        );
        assert_eq!(
            refusal(&"RGRGRG\n".repeat(14)),
            "f:14: row 14 of the field, expected at most 13"
        );
        assert_eq!(
            refusal("# none\n"),
            "f:1: no field: expected rows of `.`, `O` and colours"
        );
        assert_eq!(
            refusal("bord: 6x13\n......"),
            "f:1: unknown key `bord`, did you mean `board`? (known: board)"
        );
        assert_eq!(
            refusal("board: 9x13\n"),
            "f:1: no field: expected rows of `.`, `O` and colours"
        );
        assert!(refusal("board: 9x13\n......").starts_with("f:1: a board of 9x13 cells, expected"));
    }
}
