//! Answers with one change: a number by one, a word by one letter, a flag negated, or a list with one element removed,
//! repeated or swapped with another.

use serde_json::Value as Json;

use crate::Random;

/// `answer` with one random change; `None` if it has no place that can be changed.
pub fn corrupted(answer: &Json, random: &mut Random) -> Option<Json> {
    let places = count(answer);
    if places == 0 {
        return None;
    }
    let mut changed = answer.clone();
    let mut place = random.index(places);
    change(&mut changed, &mut place, random);
    Some(changed)
}

/// The number of places of `json` that can be changed: each number, word and flag, and each list that is not empty.
fn count(json: &Json) -> usize {
    match json {
        Json::Null => 0,
        Json::Bool(_) | Json::Number(_) | Json::String(_) => 1,
        Json::Array(items) => {
            usize::from(!items.is_empty()) + items.iter().map(count).sum::<usize>()
        }
        Json::Object(fields) => fields.values().map(count).sum(),
    }
}

/// Changes the place with the index `left`, counted from the start of `json`; returns whether `json` has this place.
fn change(json: &mut Json, left: &mut usize, random: &mut Random) -> bool {
    let is_here = match json {
        Json::Null | Json::Object(_) => false,
        Json::Array(items) => !items.is_empty(),
        Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    };
    if is_here && *left == 0 {
        alter(json, random);
        return true;
    }
    *left -= usize::from(is_here);
    match json {
        Json::Array(items) => items.iter_mut().any(|item| change(item, left, random)),
        Json::Object(fields) => fields.values_mut().any(|field| change(field, left, random)),
        _ => false,
    }
}

fn alter(json: &mut Json, random: &mut Random) {
    match json {
        Json::Null | Json::Object(_) => {}
        Json::Bool(flag) => *flag = !*flag,
        Json::Number(number) => {
            let step = if random.chance(0.5) { 1 } else { -1 };
            *json = match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => Json::from(whole.saturating_add(step)),
                (None, Some(decimal)) => Json::from(decimal + step as f64),
                (None, None) => Json::Null,
            };
        }
        Json::String(text) => *text = with_another_letter(text, random),
        Json::Array(items) => {
            let at = random.index(items.len());
            match random.below(3) {
                0 => {
                    items.remove(at);
                }
                1 => {
                    let again = items[at].clone();
                    items.insert(at, again);
                }
                _ => {
                    let other = random.index(items.len());
                    items.swap(at, other);
                }
            }
        }
    }
}

/// `text` with one character replaced by another of the same text or by its successor in Unicode.
fn with_another_letter(text: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return "0".to_owned();
    }
    let (at, other) = (random.index(letters.len()), random.index(letters.len()));
    letters[at] = if letters[at] == letters[other] {
        char::from_u32(letters[at] as u32 + 1).unwrap_or('0')
    } else {
        letters[other]
    };
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_place_of_an_answer_is_changed() {
        let answer = json!({ "list": [1, 2], "word": "ab", "none": null, "flag": true });
        assert_eq!(count(&answer), 5);
        let random = &mut Random::new("test", 1);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let changed = corrupted(&answer, random).expect("it has places");
            let differing = ["list", "word", "none", "flag"]
                .iter()
                .filter(|key| changed[**key] != answer[**key]);
            assert!(differing.count() <= 1, "{changed}");
            seen.insert(changed.to_string());
        }
        assert!(seen.len() > 8, "{seen:?}");
        assert_eq!(
            corrupted(&json!({ "none": null, "list": [] }), random),
            None
        );
    }
}
