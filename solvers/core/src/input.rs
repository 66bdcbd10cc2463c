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
/// Names the key, what was found and what was expected.
pub fn read_json<T: DeserializeOwned>(answer: &Json) -> Result<T, InputError> {
    serde_path_to_error::deserialize(answer).map_err(|error| {
        let at = match error.path().iter().next() {
            Some(_) => format!(" at `{}`", error.path()),
            None => String::new(),
        };
        let message = in_plain_words(&error.inner().to_string());
        InputError::new(format!("the answer's JSON{at}: {message}"))
    })
}

/// A message of the libraries that read TOML and JSON, without the types of the program: `invalid type: sequence, expected
/// u64` becomes `found a list, expected a whole number of 0 or more`.
pub fn in_plain_words(message: &str) -> String {
    const PHRASES: &[(&str, &str)] = &[
        ("unknown field `", "unknown key `"),
        ("missing field `", "missing key `"),
        ("duplicate field `", "a second key `"),
        ("unknown variant `", "unknown value `"),
        ("unexpected keys in table: ", "unknown key "),
        ("wanted exactly 1 element", "expected one key"),
        ("invalid type: unit variant", "found a word alone"),
        ("invalid type: string \"", "found the text \""),
        ("invalid type: integer `", "found the number `"),
        ("invalid type: floating point `", "found the number `"),
        ("invalid type: sequence", "found a list"),
        ("invalid type: map", "found a table of keys"),
        ("invalid type: boolean `", "found `"),
        ("invalid type: ", "found "),
        ("invalid value: integer `", "found the number `"),
        ("invalid value: ", "found "),
        ("invalid length ", "the number of values is "),
    ];
    let start = PHRASES
        .iter()
        .find(|(theirs, _)| message.starts_with(theirs));
    let found = start.map_or(message.to_owned(), |(theirs, ours)| {
        message.replacen(theirs, ours, 1)
    });
    let Some((found, expected)) = found.rsplit_once("expected ") else {
        return found;
    };
    // A whole number of more digits than a value has.
    let (found, expected) = match found.strip_suffix(" as i128, ") {
        Some(found) => (format!("{found}, "), "a smaller number"),
        None => (found.to_owned(), expected),
    };
    let (expected, place) = match expected.find(" at line ") {
        Some(at) => expected.split_at(at),
        None => (expected, ""),
    };
    let expected = match expected {
        "a sequence" => "a list such as `[\"one\", \"two\"]`",
        "a map" => "a table of keys and values",
        "newtype variant" | "struct variant" => "a key with its value",
        "a boolean" => "`true` or `false`",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        type_name if type_name.starts_with("struct ") => "a table of keys and values",
        other => other,
    };
    format!("{found}expected {expected}{place}")
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
        let line = self.line.map_or(String::new(), |line| format!(":{line}"));
        format!("{file}{line}: {}", self.message)
    }
}

/// A word, quoted for a shell if it needs quotes.
pub fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The error for a `name` that is not among the `known` names; `what` is the kind of thing that it should name.
pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> InputError {
    let mut known: Vec<&str> = known.into_iter().collect();
    known.dedup();
    let near = nearest(name, known.iter().copied());
    let hint = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
    let list = match known.len() {
        0 => " (there is none)".to_owned(),
        // A long list hides the hint.
        25.. if near.is_some() => String::new(),
        many @ 25.. => format!(
            " (known: {} and {} more)",
            known[..12].join(", "),
            many - 12
        ),
        _ => format!(" (known: {})", known.join(", ")),
    };
    InputError::new(format!("unknown {what} `{name}`{hint}{list}"))
}

/// The candidate nearest to `name` by edit distance, if `name` may be a misspelling of it, or of its start.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 2).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The edit distance of a name from a candidate, or from its start, which counts one more.
pub fn distance(name: &str, candidate: &str) -> usize {
    let start: String = candidate.chars().take(name.chars().count() + 1).collect();
    strsim::osa_distance(name, candidate).min(1 + strsim::osa_distance(name, &start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_does_not_fit_is_refused_with_its_key_and_without_types() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only the errors are looked at")]
        struct Claim {
            fields: Vec<Field>,
        }
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only the errors are looked at")]
        struct Field {
            chains: u32,
        }
        for (json, expected) in [
            (
                r#"{"fields": 3}"#,
                " at `fields`: found the number `3`, expected a list such as `[\"one\", \"two\"]`",
            ),
            (
                r#"{"fields": [{"chains": 1}, {"chains": -1}]}"#,
                " at `fields[1].chains`: found the number `-1`, expected a whole number of 0 or more",
            ),
            (
                r#"{"fields": [{"chains": "x"}]}"#,
                " at `fields[0].chains`: found the text \"x\", expected a whole number of 0 or more",
            ),
            (
                r#"{"fields": [{}]}"#,
                " at `fields[0]`: missing key `chains`",
            ),
            (
                r#"{"fields": [{"chain": 1}]}"#,
                " at `fields[0].chain`: unknown key `chain`, expected `chains`",
            ),
            (
                "7",
                ": found the number `7`, expected a table of keys and values",
            ),
        ] {
            let answer = serde_json::from_str(json).expect("JSON");
            let refused = read_json::<Claim>(&answer).expect_err(json);
            assert_eq!(refused.message, format!("the answer's JSON{expected}"));
        }
        let refused = serde_json::from_str::<Field>("{\"chains\": 0.5}").expect_err("a half");
        let expected =
            "found the number `0.5`, expected a whole number of 0 or more at line 1 column 14";
        assert_eq!(in_plain_words(&refused.to_string()), expected);
    }

    #[test]
    fn nearest_is_silent_about_strangers() {
        let names = ["reach.rail", "reach.spanning-grid"];
        assert_eq!(nearest("reach.spaning", names), Some("reach.spanning-grid"));
        assert_eq!(nearest("memmo", ["brute", "memo"]), Some("memo"));
        assert_eq!(nearest("zzzzzz", ["brute", "memo"]), None);
        assert_eq!(nearest("jsp", ["jps", "hash"]), Some("jps"));
        assert_eq!(nearest("foo", ["god", "job"]), None);
    }
}
