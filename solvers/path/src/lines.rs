//! The lines of a text with their numbers.

use ikeru_core::{InputError, input_error};

/// Lines with their numbers from 1, without trailing white space.
pub struct MapLines<'a> {
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    last: usize,
    /// The rest of a line that was cut.
    rest: Option<(usize, &'a str)>,
}

impl<'a> MapLines<'a> {
    pub fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines().enumerate().peekable(),
            last: 0,
            rest: None,
        }
    }

    pub fn next(&mut self) -> Option<(usize, &'a str)> {
        if let Some(rest) = self.rest.take() {
            return Some(rest);
        }
        let (index, line) = self.lines.next()?;
        self.last = index + 1;
        Some((index + 1, line.trim_end()))
    }

    /// The next line that is not blank.
    pub fn next_filled(&mut self) -> Option<(usize, &'a str)> {
        loop {
            let (number, line) = self.next()?;
            if !line.is_empty() {
                return Some((number, line));
            }
        }
    }

    /// The first `width` letters of a line, if the next part of the text stands behind them: the line before it ended the
    /// file that another one was joined to, without a newline.
    pub fn cut(&mut self, (number, line): (usize, &'a str), width: usize) -> &'a str {
        let end = line.char_indices().nth(width).map_or(line.len(), |it| it.0);
        let (row, rest) = line.split_at(end);
        let word = rest
            .trim_start_matches('\u{feff}')
            .split_whitespace()
            .next();
        if !matches!(word, Some("version" | "question")) {
            return line;
        }
        self.rest = Some((number, rest));
        row
    }

    pub fn expect(&mut self, what: &str) -> Result<(usize, &'a str), InputError> {
        let after = self.last + 1;
        self.next()
            .ok_or_else(|| input_error!(after, "the text ends here, expected {what}"))
    }
}
