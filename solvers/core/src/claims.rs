//! Checks the claims of a command's answer: each key must be one that the problem writes, and its value must follow
//! from the witness.

use serde_json::{Map, Value as Json};

/// The tolerance of decimal numbers: relative from 1 on, absolute below. Numbers may be rounded to six significant
/// digits.
const ROUNDED: f64 = 5e-6;

/// Describes the first contradiction between the `claimed` answer and the same answer as `written` by the problem;
/// `None` if they agree. Arrays of numbers and texts are witnesses, which the referee checks.
pub(crate) fn contradiction(claimed: &Json, written: &Json) -> Option<String> {
    match (claimed, written) {
        (Json::Object(claimed), Json::Object(written)) => in_object(claimed, written),
        // One answer may be written as an array of one.
        (Json::Array(claimed), Json::Object(_)) => match claimed.as_slice() {
            [one @ Json::Object(_)] => contradiction(one, written),
            _ => Some("expected an object, found an array".to_owned()),
        },
        (Json::Array(claimed), Json::Array(written)) if claimed.len() == written.len() => {
            let pairs = claimed.iter().zip(written);
            let objects = pairs.filter(|(_, written)| written.is_object());
            objects
                .map(|(claimed, written)| contradiction(claimed, written))
                .find(Option::is_some)?
        }
        (Json::Array(_), Json::Array(_)) => None,
        (_, Json::Object(_)) => Some("expected an object".to_owned()),
        _ => None,
    }
}

fn in_object(claimed: &Map<String, Json>, written: &Map<String, Json>) -> Option<String> {
    let mut claims = claimed.iter().filter(|(_, value)| !value.is_null());
    claims.find_map(|(key, claimed)| match written.get(key) {
        None => {
            let known: Vec<&str> = written.keys().map(String::as_str).collect();
            Some(format!("unknown key `{key}`; known: {}", known.join(", ")))
        }
        Some(true_value) if is_same(claimed, true_value) => None,
        Some(true_value @ (Json::Array(_) | Json::Object(_))) => {
            contradiction(claimed, true_value).map(|why| format!("`{key}`: {why}"))
        }
        Some(true_value) => Some(format!("claims `{key}` {claimed}, it is {true_value}")),
    })
}

fn is_same(claimed: &Json, written: &Json) -> bool {
    let number = |value: &Json| match value {
        // Numbers beyond what a JSON reader keeps are written as text.
        Json::String(text) => text.parse().ok(),
        other => other.as_f64(),
    };
    match (claimed, written) {
        _ if claimed == written => true,
        (Json::Number(_), Json::Number(_) | Json::String(_)) => {
            let (Some(a), Some(b)) = (number(claimed), number(written)) else {
                return false;
            };
            let is_whole = claimed.is_u64() || claimed.is_i64();
            match is_whole && (written.is_u64() || written.is_i64()) {
                true => false,
                false => (a - b).abs() <= ROUNDED * f64::max(1.0, b.abs()),
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_key_is_held_to_what_is_true() {
        let written = json!({
            "chains": 2, "cost": 4.414_213_562, "routes": "12", "goal": "chains", "path": [[0, 0], [1, 1]],
            "fields": [{ "chains": 2, "rest": ["......"] }], "word": null,
        });
        let said = |claimed: Json| contradiction(&claimed, &written);
        for right in [
            json!({ "chains": 2 }),
            json!({ "cost": 4.41421, "path": [[0, 0]] }),
            json!({ "routes": 12, "goal": "chains", "fields": [{ "chains": 2 }] }),
            json!([{ "chains": 2 }]),
            json!({ "other": null }),
        ] {
            assert_eq!(said(right.clone()), None, "{right}");
        }
        for (wrong, words) in [
            (json!({ "chains": 3 }), "claims `chains` 3, it is 2"),
            (json!({ "cost": 4 }), "claims `cost` 4"),
            (json!({ "cost": 4.42 }), "claims `cost` 4.42"),
            (json!({ "routes": 13 }), "claims `routes` 13"),
            (json!({ "goal": "attack" }), "claims `goal`"),
            (
                json!({ "chain": 2 }),
                "unknown key `chain`; known: chains, cost",
            ),
            (
                json!({ "fields": [{ "chains": 1 }] }),
                "`fields`: claims `chains` 1",
            ),
            (
                json!({ "fields": [[2, ["......"]]] }),
                "`fields`: expected an object",
            ),
            (json!({ "word": "w" }), "claims `word`"),
            (json!([[2]]), "expected an object"),
            (json!(2), "expected an object"),
        ] {
            let found = said(wrong.clone()).unwrap_or_default();
            assert!(found.contains(words), "{wrong}: {found}");
        }
    }
}
