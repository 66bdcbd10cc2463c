//! The data of the benchmarks: experiments and published figures.
//!
//! The data are TOML files in this crate's folder (`experiments/`, `published/`), embedded in the binary. This crate
//! reads them and expands their matrices. It runs and draws nothing.
//!
//! | module | owns |
//! |---|---|
//! | [`experiment`] | the schema of an experiment, and its reader |
//! | [`matrix`] | ranges and lists of values, and their product |
//! | [`published`] | figures printed in the articles, and the rows that give our values |
//! | [`builtin`] | the embedded files and those of the user's folder |
//! | [`text_file`] | text files of bounded length |
#![forbid(unsafe_code)]

pub mod builtin;
pub mod experiment;
pub mod matrix;
pub mod published;
pub mod text_file;

pub use experiment::{
    Experiment, InstanceSpec, Mode, Overrides, Pairing, Plot, Scale, VariantSpec,
};
pub use matrix::Matrix;
pub use published::{Figure, PublishedSource};

use ikeru_core::in_plain_words;

/// An error in a data file: its name, the line, and what was expected, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", line.map_or(String::new(), |line| format!(":{line}")))]
pub struct DataError {
    /// The file's name as given by the user.
    pub file: String,
    /// The line, from 1, if the error has one.
    pub line: Option<usize>,
    /// The text that was found and the text that was expected.
    pub message: String,
}

impl DataError {
    /// An error in `file`.
    pub fn new(file: &str, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            message: message.into(),
        }
    }

    /// Converts an error of the TOML library. Its span gives the line, and the message is in plain words with a hint.
    pub fn from_toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let line = error.span();
        let line = line.map(|span| 1 + text[..span.start].matches('\n').count());
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        let found = line.and_then(|line| text.lines().nth(line - 1));
        let hint = hint(&message, found.unwrap_or_default());
        Self {
            file: file.to_owned(),
            line,
            message: in_plain_words(&message) + &hint,
        }
    }

    /// Sets the line to the first line of `text` that contains `word`.
    #[must_use]
    pub fn at(mut self, word: &str, text: &str) -> Self {
        let place = text.lines().position(|line| line.contains(word));
        self.line = place.map(|place| place + 1);
        self
    }
}

/// A hint to the intended text: the nearest known key, or `[[…]]` for a list of tables. Empty if there is none.
fn hint(message: &str, line: &str) -> String {
    if let Some((_, rest)) = message.split_once("unknown field `") {
        let mut words = rest.split('`').step_by(2);
        let found = words.next().unwrap_or_default();
        let near = ikeru_core::nearest(found, words);
        return near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    }
    let key = line.split('=').next().unwrap_or_default().trim();
    if message.contains("expected a string") && ["limit", "grace"].contains(&key) {
        return "; a time has a unit, like `\"500ms\"`".to_owned();
    }
    let is_table = line.trim_start().starts_with('[') && !line.trim_start().starts_with("[[");
    if message.contains("expected a sequence") && is_table {
        let name = line.trim().trim_matches(['[', ']']);
        return format!("; a list of tables is written as `[[{name}]]`");
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let good = "name='e'\ntitle='t'\nabout='a'\nproblem='reach'\nvariants=['memo']\n";
        let read = Experiment::read("e.toml", &(good.to_owned() + text));
        read.expect_err("refused").to_string()
    }

    #[test]
    fn a_slip_in_a_file_has_its_line_and_what_may_be_meant() {
        let instances = "[[instances]]\ngenerator='g'\n";
        for (text, words) in [
            (
                "[instances]\ngenerator='g'\n".to_owned(),
                &["e.toml:6", "`[[instances]]`"][..],
            ),
            (
                "instanses=[]\n".to_owned(),
                &["e.toml:6", "did you mean `instances`?"],
            ),
            (
                format!("{instances}[run]\nrepeats=0\n"),
                &["e.toml:9", "`repeats` is 0"],
            ),
            (
                format!("{instances}[run]\nthreads=[]\n"),
                &["e.toml:9", "`threads` has no value"],
            ),
            (
                format!(
                    "{instances}[[plots]]\nname='p'\ntitle='t'\nkind='strip'\nx='label'\ny='score'\nlines=[{{at=nan,label='l'}}]\n"
                ),
                &["e.toml:14", "one is at NaN; expected a number"],
            ),
            (
                format!("{instances}[run]\nlimit=5\n"),
                &["e.toml:9", "found the number `5`", "a time has a unit"],
            ),
            (
                format!("{instances}[run]\nlimit='0s'\n"),
                &["e.toml:9", "`limit` is 0; expected a longer time"],
            ),
            (
                format!(
                    "{instances}[[full.variants]]\nname='o'\ncommand=['o','{{stdin}}']\nexit_codes=[300]\n"
                ),
                &["e.toml:11", "300 is none; expected 1 to 255"],
            ),
            (
                format!("{instances}[full.run]\nrepeats=0\n"),
                &["e.toml:9", "`repeats` is 0"],
            ),
            (
                format!("{instances}[run]\nmemory_mib=0\n"),
                &["e.toml:9", "`memory_mib` is 0"],
            ),
            (
                format!("{instances}seeds={{from=1, to=18446744073709551615}}\n"),
                &[
                    "e.toml:8",
                    "expected a value, a list",
                    "9223372036854775807",
                ],
            ),
            (
                format!("{instances}[[plots]]\nname=\"\"\nkind='line'\ntitle='t'\n"),
                &["e.toml:9", "is no file name"],
            ),
            (
                format!("{instances}[run]\nrepeets=3\n"),
                &["e.toml:9", "did you mean `repeats`?"],
            ),
        ] {
            let error = refused(&text);
            for word in words {
                assert!(error.contains(word), "{word}: {error}");
            }
        }
    }
}
