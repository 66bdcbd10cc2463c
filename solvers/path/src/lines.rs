//! The lines of a text with their numbers.

use ikeru_core::{InputError, input_error};

/// Lines with their numbers from 1, without trailing white space.
pub struct MapLines<'a> {
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    last: usize,
}

impl<'a> MapLines<'a> {
    pub fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines().enumerate().peekable(),
            last: 0,
        }
    }

    pub fn next(&mut self) -> Option<(usize, &'a str)> {
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

    pub fn expect(&mut self, what: &str) -> Result<(usize, &'a str), InputError> {
        let after = self.last + 1;
        self.next()
            .ok_or_else(|| input_error!(after, "the text ends here, expected {what}"))
    }
}
