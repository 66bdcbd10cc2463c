//! The protocol `text`: all that a process prints until its end is its answer.

use std::collections::BTreeMap;
use std::time::Instant;

use ikeru_core::{Attempt, Failure, Proof, Search};
use serde_json::Value as Json;

use super::{Call, Heard, MOST_OUTPUT, Running, flood, unheard};
use crate::declared::spoken_answer;
use crate::execute::lines::last_line;
use crate::system::{self, Death, Ending};

/// The answer of a process that was just started, with the counters of its standard error.
///
/// # Errors
/// It failed, or printed too much.
pub(super) fn answer(
    call: &Call,
    counters: &[&'static str],
    running: &mut Running,
    search: &mut Search,
) -> Result<Attempt<Json>, Failure> {
    let mut until = call.limit.map(|limit| Instant::now() + limit);
    let (mut is_late, mut output) = (false, Vec::new());
    loop {
        match running.lines.next(until).map_err(|error| unheard(&error))? {
            Heard::Line(line) => output.extend(line),
            Heard::Closed => break output.extend(running.lines.rest()),
            Heard::Late if !is_late => {
                is_late = true;
                until = Some(Instant::now() + call.grace());
                system::send(Ending::Asked, running.recipient());
            }
            Heard::Late | Heard::Interrupted => {
                return Ok(Attempt::Timeout {
                    best: None,
                    bound: None,
                });
            }
            Heard::TooLong => return Err(flood()),
        }
        if output.len() > MOST_OUTPUT {
            return Err(flood());
        }
    }
    let status = running.end(call.grace()).map_err(|error| unheard(&error))?;
    let said = running.lines.last_words();
    count(counters, &said, search);
    let Ok(text) = std::str::from_utf8(&output) else {
        return Err(Failure::Crashed(
            "its answer is no text in UTF-8".to_owned(),
        ));
    };
    let answer = spoken_answer(text, &said);
    if is_late {
        let best = (!text.trim().is_empty()).then_some(answer);
        return Ok(Attempt::Timeout { best, bound: None });
    }
    if !status.success() {
        return Err(running.failed(status, &said));
    }
    let proof = match call.program.foreign.exact {
        true => Proof::Proven,
        false => Proof::None,
    };
    Ok(Attempt::Solved { answer, proof })
}

impl Running {
    /// Why a process that ended with `status` has no answer.
    fn failed(&self, status: std::process::ExitStatus, said: &str) -> Failure {
        let last = last_line(said).map_or(String::new(), |line| format!(": {line}"));
        let why = format!("ended with {status}{last}");
        let is_starved =
            self.memory.is_some() && super::OUT_OF_MEMORY.iter().any(|sign| said.contains(sign));
        match system::death(status) {
            Some(Death::CpuTime) => {
                Failure::Crashed(format!("used more CPU time than its limit allows: {why}"))
            }
            _ if is_starved => Failure::OutOfMemory(why),
            _ => Failure::Crashed(why),
        }
    }
}

/// Adds the counters that lines of standard error give: `{"count": {"nodes": 5}}`, `[DATA] nodes = 5` or
/// `#s nodes 5`. Names that the experiment does not declare are left out: a solver may print what it likes.
fn count(counters: &[&'static str], said: &str, search: &mut Search) {
    let last: BTreeMap<String, u64> = said
        .lines()
        .flat_map(|line| named_values(line, "count"))
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect();
    for known in counters {
        if let Some(value) = last.get(*known) {
            search.counters.add(known, *value);
        }
    }
}

/// The values of one line: `[DATA] nodes = 5`, `#s nodes 5`, or the object `key` of a JSON object.
pub fn named_values(line: &str, key: &str) -> Vec<(String, String)> {
    let line = line.trim();
    let of_words = |rest: &str, between: char| {
        let (name, value) = rest.trim().split_once(between)?;
        Some(vec![(name.trim().to_owned(), value.trim().to_owned())])
    };
    if let Some(rest) = line.strip_prefix("[DATA]") {
        return of_words(rest, '=').unwrap_or_default();
    }
    if let Some(rest) = line.strip_prefix("#s ") {
        return of_words(rest, ' ').unwrap_or_default();
    }
    let said = line
        .starts_with('{')
        .then(|| serde_json::from_str::<Json>(line).ok())
        .flatten();
    let values = said.as_ref().and_then(|said| said.get(key)?.as_object());
    let values = values.into_iter().flatten();
    let word = |value: &Json| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    values
        .map(|(name, value)| (name.clone(), word(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_in_three_forms() {
        for (line, expected) in [
            ("[DATA] nodes = 12", Some(("nodes", "12"))),
            ("#s nodes 7", Some(("nodes", "7"))),
            (r#"{"count": {"nodes": 3}}"#, Some(("nodes", "3"))),
            (r#"{"count": {"kind": "dense"}}"#, Some(("kind", "dense"))),
            (r#"{"other": {"nodes": 3}}"#, None),
            ("[DATA]", None),
            ("nodes = 4", None),
            ("{", None),
        ] {
            let found = named_values(line, "count");
            let found = found
                .first()
                .map(|(name, value)| (name.as_str(), value.as_str()));
            assert_eq!(found, expected, "{line}");
        }
    }
}
