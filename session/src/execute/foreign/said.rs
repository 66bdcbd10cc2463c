//! What a foreign solver writes: lines of JSON.

use std::collections::BTreeMap;

use ikeru_core::{Failure, Score, in_plain_words};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

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

/// `null` is an answer too, although a wrong one.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(from).map(Some)
}

impl Said {
    pub fn read(line: &[u8]) -> Result<Self, Failure> {
        let is_object = line.trim_ascii_start().starts_with(b"{");
        let said = match is_object {
            true => {
                serde_json::from_slice(line).map_err(|error| in_plain_words(&error.to_string()))
            }
            false => Err("no object".to_owned()),
        };
        said.map_err(|why| {
            let line = String::from_utf8_lossy(line);
            let line = line.trim_end().escape_debug();
            Failure::Crashed(format!(
                "wrote `{}`, expected an object in one line of JSON with `answer`, `best`, `bound`, `count` or \
                 `skip` ({why})",
                line.take(80).collect::<String>()
            ))
        })
    }
}
