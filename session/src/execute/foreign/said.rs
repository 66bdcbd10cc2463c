//! What a foreign solver writes: lines of JSON.

use std::collections::BTreeMap;

use ikeru_core::{Failure, Score, in_plain_words};
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;
use serde_json::value::RawValue;

/// A line of a foreign solver.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Said {
    /// The score of its best answer so far.
    pub best: Option<Score>,
    /// No answer can be better than this.
    pub bound: Option<Score>,
    /// The present values of counters.
    #[serde(default)]
    pub count: BTreeMap<String, u64>,
    /// The answer: the last line.
    #[serde(default, deserialize_with = "present")]
    pub answer: Option<Json>,
    /// True if no answer can be better.
    pub proven: Option<bool>,
    /// It has read its instance.
    #[serde(default)]
    pub ready: bool,
    /// It does not take this instance, because …
    pub skip: Option<String>,
}

/// The kind of failure of a line, and its reason.
type Unread = (fn(String) -> Failure, String);

/// `null` is an answer too, although a wrong one.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Json>, D::Error> {
    let text = Box::<RawValue>::deserialize(from)?;
    exact(text.get()).map(Some).map_err(Error::custom)
}

/// An answer in which a key's whole number of more than 64 bits is a text of its digits: a [`Json`] number would round it.
fn exact(text: &str) -> serde_json::Result<Json> {
    let Ok(keys) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) else {
        return serde_json::from_str(text);
    };
    let values = keys.into_iter().map(|(key, value)| {
        let value = value.get();
        let is_long = value.parse::<u64>().is_err() && value.bytes().all(|c| c.is_ascii_digit());
        Ok(match is_long {
            true => (key, Json::from(value)),
            false => (key, serde_json::from_str(value)?),
        })
    });
    values.collect()
}

impl Said {
    /// Reads a line. An object of another form is wrong; anything else is a crash.
    pub fn read(line: &[u8]) -> Result<Self, Unread> {
        let wrong = |error: serde_json::Error| in_plain_words(&error.to_string());
        let is_object = line.trim_ascii_start().starts_with(b"{");
        let said = match is_object {
            true => serde_json::from_slice(line).map_err(wrong),
            false => Err("no object".to_owned()),
        };
        said.map_err(|why| {
            let is_json = is_object && serde_json::from_slice::<IgnoredAny>(line).is_ok();
            let line = String::from_utf8_lossy(line);
            let line: String = line.trim_end().escape_debug().take(80).collect();
            let why = format!(
                "wrote `{line}`, expected an object in one line of JSON with `answer`, `best`, `bound`, `count` or \
                 `skip` ({why})"
            );
            let failure = if is_json { Failure::Wrong } else { Failure::Crashed };
            (failure, why)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_of_an_answer_keep_their_digits() {
        let long = "109904023256799005185534";
        let keys = format!("{{\"routes\": {long}, \"score\": -7, \"cost\": [0.5, \"a\\\"1\"]}}");
        for (answer, expected) in [
            (
                &*keys,
                json!({ "routes": long, "score": -7, "cost": [0.5, "a\"1"] }),
            ),
            ("{\"a\": 18446744073709551615}", json!({ "a": u64::MAX })),
            ("{\"a\": -9223372036854775808}", json!({ "a": i64::MIN })),
            ("{\"a\": 1e30}", json!({ "a": 1e30 })),
            ("[{\"a\": 1}]", json!([{ "a": 1 }])),
            ("{\"a\": 1e}", Json::Null),
            ("null", Json::Null),
        ] {
            let line = format!("{{\"answer\": {answer}, \"best\": 7}}");
            let read = Said::read(line.as_bytes()).map(|said| said.answer);
            let found = read.ok().flatten().unwrap_or_default();
            assert_eq!(found, expected, "{answer}");
        }
    }
}
