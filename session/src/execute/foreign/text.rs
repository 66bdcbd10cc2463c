//! The protocol `text`: all that a process prints until its end is its answer.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ikeru_bench_data::experiment::UNKNOWN;
use ikeru_core::{Attempt, Failure, Search};
use serde_json::Value as Json;

use super::call::Call;
use super::running::{Running, TimeLeft, flood, unheard};
use crate::declared::spoken_answer;
use crate::execute::confinement;
use crate::execute::lines::{HeardAll, last_line, named_values};
use crate::interrupt;
use crate::system::{self, Death};

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
    let mut time_left = TimeLeft::start(call);
    let Some(output) = all_output(running, &mut time_left)? else {
        return Ok(Attempt::nothing());
    };
    let status = running.end(Duration::ZERO);
    let status = status.map_err(|error| unheard(&error))?;
    let said = running.lines.all_words();
    let counted = count(counters, &said, search);
    let Ok(text) = std::str::from_utf8(&output) else {
        let why = "its answer is no text in UTF-8";
        return Err(Failure::Crashed(why.to_owned()));
    };
    // A solver that gives up may end with any exit code.
    let unknown = call.program.foreign.unknown.as_deref().unwrap_or(UNKNOWN);
    if status.code().is_some() && text.lines().any(|line| line.trim() == unknown) {
        return match time_left.is_late {
            true => Ok(Attempt::nothing()),
            false => Err(Failure::NoAnswer(unknown.to_owned())),
        };
    }
    let is_answer = |code| call.program.foreign.exit_codes.contains(&code);
    let has_ended_well = status.success() || status.code().is_some_and(is_answer);
    let answer = spoken_answer(text, &said, !has_ended_well);
    if time_left.is_late {
        let best = (!text.trim().is_empty()).then_some(answer);
        return Ok(Attempt::Timeout { best, bound: None });
    }
    if !has_ended_well {
        let last = last_line(&said).map_or(String::new(), |line| format!(": {line}"));
        let hint = match status.code() {
            // The codes of SAT solvers.
            Some(code @ (10 | 20)) if !text.trim().is_empty() => {
                format!(" (an answer with `exit_codes = [{code}]`)")
            }
            _ => String::new(),
        };
        let why = format!("ended with {status}{hint}{last}");
        return Err(match system::death(status) {
            Some(Death::CpuTime) => {
                Failure::Crashed(format!("used more CPU time than `ulimit -t` allows: {why}"))
            }
            _ => running.failure(why, &said),
        });
    }
    counted?;
    Ok(match call.program.foreign.exact {
        true => Attempt::proven(answer),
        false => Attempt::unproven(answer),
    })
}

/// All that a process prints until it ends; `None` if its time is over before it closes its output.
fn all_output(running: &mut Running, time_left: &mut TimeLeft) -> Result<Option<Vec<u8>>, Failure> {
    let recipient = running.recipient();
    let look = || (!time_left.is_over(recipient)).then(|| time_left.next_look());
    let heard = running.lines.all(&running.child, look);
    let output = match heard.map_err(|error| unheard(&error))? {
        HeardAll::Whole(output) => output,
        HeardAll::TooLong => return Err(flood()),
        HeardAll::Late | HeardAll::Interrupted => return Ok(None),
    };
    // A process may close its output and work on.
    while !system::has_ended(&running.child) && !time_left.is_over(recipient) {
        if interrupt::check().is_err() {
            return Ok(None);
        }
        let look = time_left.next_look();
        let left = look.saturating_duration_since(Instant::now());
        confinement::wait_for_end(&running.child, left);
    }
    Ok(Some(output))
}

/// Adds the counters that lines of standard error give: `{"count": {"nodes": 5}}`, `[DATA] nodes = 5` or
/// `#s nodes 5`. Names that the experiment does not declare are left out: a solver may print what it likes.
///
/// # Errors
/// A declared counter whose value is no whole number.
fn count(counters: &[&'static str], said: &str, search: &mut Search) -> Result<(), Failure> {
    let lines = said.lines();
    let last = lines.flat_map(|line| named_values(line, "count"));
    let last: BTreeMap<String, String> = last.collect();
    for known in counters {
        let Some(value) = last.get(*known) else {
            continue;
        };
        let amount = whole(value).ok_or_else(|| {
            let expected = "expected a whole number from 0 on";
            Failure::Wrong(format!(
                "gave the counter `{known}` as `{value:.80}`, {expected}"
            ))
        })?;
        search.counters.add(known, amount);
    }
    Ok(())
}

/// A whole number, also as `1e3` or `12.0`.
fn whole(text: &str) -> Option<u64> {
    let is_exact = |number: &f64| number.fract() == 0.0 && (0.0..=2f64.powi(53)).contains(number);
    let of_decimal = || Some(text.parse().ok().filter(is_exact)? as u64);
    text.parse().ok().or_else(of_decimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_whole_numbers() {
        for (text, expected) in [
            ("12", Some(12)),
            ("18446744073709551615", Some(u64::MAX)),
            ("1e3", Some(1000)),
            ("12.0", Some(12)),
            ("3.5", None),
            ("-1", None),
            ("many", None),
            ("nan", None),
        ] {
            assert_eq!(whole(text), expected, "{text}");
        }
    }

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
