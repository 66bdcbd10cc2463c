//! Errors in input that a person wrote: a map, a puzzle, a setting.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use thiserror::Error;

/// An error in an input: the line, what was found, and what was expected. The caller that opened the file adds its
/// name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct InputError {
    /// The line of the input text, from 1; `None` if the error is not in one line.
    pub line: Option<usize>,
    /// One line, lower case: what was found and what was expected.
    pub message: String,
}

/// The fields of a JSON answer as a type.
///
/// # Errors
/// Names the key and what was expected.
pub fn read_json<T: DeserializeOwned>(answer: &Json) -> Result<T, InputError> {
    T::deserialize(answer).map_err(|error| InputError::new(format!("the answer's JSON: {error}")))
}

impl InputError {
    /// An error of the whole input.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            line: None,
            message: message.into(),
        }
    }

    /// An error of one line, counted from 1.
    pub fn at(line: usize, message: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            message: message.into(),
        }
    }

    /// `FILE:LINE: message`, or `FILE: message` if the error is not in one line.
    pub fn in_file(&self, file: &str) -> String {
        match self.line {
            Some(line) => format!("{file}:{line}: {}", self.message),
            None => format!("{file}: {}", self.message),
        }
    }
}

/// The error for a `name` that is not among the `known` names; `what` is the kind of thing that it should name.
pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> InputError {
    let known: Vec<&str> = known.into_iter().collect();
    let near = nearest(name, known.iter().copied());
    let hint = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
    let list = match known.len() {
        0 => " (there is none)".to_owned(),
        // A long list hides the hint.
        25.. if near.is_some() => String::new(),
        _ => format!(" (known: {})", known.join(", ")),
    };
    InputError::new(format!("unknown {what} `{name}`{hint}{list}"))
}

/// The candidate nearest to `name` by edit distance, if `name` may be a misspelling of it.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 2).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_is_silent_about_strangers() {
        assert_eq!(nearest("memmo", ["brute", "memo"]), Some("memo"));
        assert_eq!(nearest("zzzzzz", ["brute", "memo"]), None);
        assert_eq!(nearest("jsp", ["jps", "hash"]), Some("jps"));
        assert_eq!(nearest("foo", ["god", "job"]), None);
    }
}
