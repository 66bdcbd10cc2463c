//! The verdict of a declared problem's referee, read from its output.

use std::sync::atomic::{AtomicU8, Ordering};

use ikeru_bench_data::experiment::{CommandProblem, SCORE, ScoreStream, VerdictForm};
use ikeru_core::{Checked, Measure, Refereed, Rejection, Score, Wrong, in_plain_words};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use super::command::Spoken;
use crate::execute::lines::last_line;

/// The exit codes of Kattis' output validators.
const ACCEPTED: i32 = 42;
const REJECTED: i32 = 43;

/// Scores beyond this have no room for sums.
const SCORE_LIMIT: Score = Score::MAX / 16;

/// The last line of a referee.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    score: Option<Box<RawValue>>,
    wrong: Option<String>,
    /// Why it is no answer.
    none: Option<String>,
    #[serde(default)]
    measures: Map<String, Json>,
}

/// Returns whether the referee is an output validator of Kattis.
pub fn is_validator(problem: &CommandProblem) -> bool {
    problem.verdict == VerdictForm::Kattis
}

/// The verdict in what the referee printed. A referee that failed, or said what cannot be read, is broken: that is no
/// fault of the solver.
pub fn verdict(
    problem: &CommandProblem,
    measures: &'static [Measure],
    seen: &AtomicU8,
    spoken: &Spoken,
) -> Refereed {
    if is_validator(problem) {
        return validated(problem, seen, spoken);
    }
    if let Err(trouble) = spoken.succeeded() {
        return Err(broken(&trouble.to_string()));
    }
    if problem.score.is_some() {
        return printed(problem, seen, [&spoken.text(), &spoken.last_words]);
    }
    let output = spoken.text();
    let last = output.lines().rfind(|line| !line.trim().is_empty());
    let expected = r#"expected {"score": …}, {"wrong": …} or {"none": …}"#;
    let last = last.ok_or_else(|| broken(&format!("printed nothing; {expected}")))?;
    let line: Line = serde_json::from_str(last).map_err(|error| {
        let why = in_plain_words(&error.to_string());
        broken(&format!("printed `{last:.80}`; {expected} ({why})"))
    })?;
    if let Some(why) = line.wrong {
        return Err(Wrong(why).into());
    }
    if let Some(why) = line.none {
        return Err(Rejection::NoAnswer(why));
    }
    let Some(score) = line.score else {
        return Err(broken("gave neither `score` nor `wrong` nor `none`"));
    };
    let mut checked = Checked::score(read(problem, score.get())?);
    for (name, value) in line.measures {
        let known = measures.iter().find(|known| known.name == name);
        match (known, value.as_f64()) {
            (Some(known), Some(value)) => checked.measures.push((known.name, value)),
            (None, _) => {
                let why = format!("measures `{name}`; expected it among `measures` of the problem");
                return Err(broken(&why));
            }
            (_, None) => return Err(broken(&format!("has no number in the measure `{name}`"))),
        }
    }
    Ok(checked)
}

/// The verdict of an output validator of Kattis.
fn validated(problem: &CommandProblem, seen: &AtomicU8, spoken: &Spoken) -> Refereed {
    match spoken.status.code() {
        Some(ACCEPTED) => {}
        Some(REJECTED) => {
            let why = spoken.feedback("judgemessage.txt").unwrap_or_default();
            let why = last_line(&why).or_else(|| last_line(&spoken.last_words));
            return Err(Wrong(why.unwrap_or("rejected".to_owned())).into());
        }
        _ => {
            let why = format!("{}, expected exit code 42 or 43", spoken.ended());
            return Err(broken(&why));
        }
    }
    if let Some(text) = spoken.feedback("score.txt") {
        return read(problem, text.trim()).map(Checked::score);
    }
    if problem.score.is_some() {
        return printed(problem, seen, [&spoken.text(), &spoken.last_words]);
    }
    match problem.direction {
        ikeru_core::Direction::Equal => Ok(Checked::default()),
        _ => Err(broken(
            "accepted the answer without a score; expected `score.txt` in the feedback folder",
        )),
    }
}

/// The score in the last line with the pattern `score` on one of `streams`, output and standard error: the one that the
/// problem names, or else the output if it has one; `seen` gets it. What a tester's solver writes on the other one is no
/// score. Without such a line the answer is wrong.
pub fn printed(problem: &CommandProblem, seen: &AtomicU8, streams: [&str; 2]) -> Refereed {
    let pattern = problem.score.as_deref().unwrap_or(SCORE);
    let scores = streams.map(|text| text.lines().rev().find_map(|line| found(pattern, line)));
    let first = match scores {
        [None, Some(_)] => ScoreStream::Error,
        _ => ScoreStream::Output,
    };
    let named = problem.score_from;
    let place = usize::from(named.unwrap_or(first) == ScoreStream::Error);
    if let Some(text) = scores[place] {
        seen.store(first as u8, Ordering::SeqCst);
        return read(problem, text).map(Checked::score);
    }
    if scores[0].is_some() && !problem.is_unchecked() {
        return Err(broken(
            "printed a score on its output, and others on standard error; expected another `score_from` in [problem]",
        ));
    }
    let last = streams.iter().rev().find_map(|text| last_line(text));
    let last = last.map_or(String::new(), |line| format!("; last line: {line}"));
    let place = match named {
        None => "",
        Some(ScoreStream::Output) => " on its output",
        Some(ScoreStream::Error) => " on standard error",
    };
    Err(Wrong(format!("no line like `{pattern}` was printed{place}{last}")).into())
}

/// Reads the score as [`printed`] does, if there is no referee. If the solver itself printed a score that cannot be read,
/// its answer is wrong.
pub fn printed_by_solver(
    problem: &CommandProblem,
    seen: &AtomicU8,
    streams: [&str; 2],
) -> Refereed {
    printed(problem, seen, streams).map_err(|rejection| match rejection {
        Rejection::Broken(why) if problem.tester.is_empty() => {
            Wrong(why.replacen("the referee", "the solver", 1)).into()
        }
        other => other,
    })
}

/// The number at the place of `{score}` in a line. Blanks in the pattern stand for any number of blanks, also none.
fn found<'l>(pattern: &str, line: &'l str) -> Option<&'l str> {
    let (before, after) = pattern.split_once(SCORE)?;
    // PERF: blanks at the beginning may be none, and would be searched through at every place.
    let (before, mut from) = (before.trim_start(), 0);
    // The text before the number may stand anywhere in the line.
    loop {
        let end = fits(before, &line[from..]).map(|end| from + end);
        let mut length = 0;
        if let Some(end) = end {
            let rest = &line[end..];
            let is_letter = |letter: char| letter.is_ascii_alphabetic();
            // The end of `conan` is no number.
            let is_cut = rest.starts_with(is_letter) && line[..end].ends_with(is_letter);
            length = number_length(rest, after);
            if length > 0 && !is_cut && fits(after, &rest[length..]).is_some() {
                return Some(&rest[..length]);
            }
        }
        // PERF: no other number begins within this one.
        from = match end.filter(|_| length > 0 && before.is_empty()) {
            Some(end) => end + length,
            None => from + line[from..].chars().next()?.len_utf8(),
        };
    }
}

/// The length of the number with which a text begins, such as `-12.5` or `1.5e6`; 0 if there is none. `1,234` and `1.2.3`
/// are taken whole, so that they are refused and not cut, unless the pattern goes on with that sign; so are words like `0x10` and `nan`.
fn number_length(text: &str, after: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let bytes = bytes[from..].iter();
        bytes.take_while(|byte| byte.is_ascii_digit()).count()
    };
    let signed = |from: usize| from + usize::from(matches!(bytes.get(from), Some(b'-' | b'+')));
    let first = signed(0);
    let mut end = first + digits(first);
    if bytes.get(end) == Some(&b'.') && !after.starts_with('.') {
        end += 1 + digits(end + 1);
    }
    if !bytes[..end].iter().any(u8::is_ascii_digit) {
        let letters = bytes[first..].iter().take("infinity".len() + 1);
        let word = letters.take_while(|it| it.is_ascii_alphabetic()).count();
        let is = |name: &&str| text[first..first + word].eq_ignore_ascii_case(name);
        let is_word = ["nan", "inf", "infinity"].iter().any(is);
        return if is_word { first + word } else { 0 };
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let exponent = signed(end + 1);
        if digits(exponent) > 0 {
            end = exponent + digits(exponent);
        }
    }
    while let Some(sign @ (b',' | b'.' | b'_' | b'\'')) = bytes.get(end) {
        let more = digits(end + 1);
        if more == 0 || after.starts_with(char::from(*sign)) {
            break;
        }
        end += 1 + more;
    }
    // A unit may follow, but `0x10`, `1:30` and `10/20` are no numbers.
    let goes_on = |letter: char| letter.is_ascii_alphabetic() || "-/:".contains(letter);
    if text[end..].starts_with(goes_on) && !after.starts_with(&text[end..=end]) {
        let word = text[end..].split_whitespace().next().unwrap_or_default();
        if word.contains(|c: char| c.is_ascii_digit()) {
            return end + word.len();
        }
    }
    end
}

/// The end of the text's beginning that is `pattern`.
fn fits(pattern: &str, text: &str) -> Option<usize> {
    let mut rest = text;
    let mut pattern = pattern;
    while let Some(letter) = pattern.chars().next() {
        if letter.is_whitespace() {
            (pattern, rest) = (pattern.trim_start(), rest.trim_start());
            continue;
        }
        rest = rest.strip_prefix(letter)?;
        pattern = &pattern[letter.len_utf8()..];
    }
    Some(text.len() - rest.len())
}

/// A score as it is printed, such as `-12.5` or `1.23457e+06`, in units of its last decimal digit. Digits beyond that one
/// are rounded, unless the problem has no decimal digits.
fn read(problem: &CommandProblem, text: &str) -> Result<Score, Rejection> {
    let refuse = |why: &str| Err(broken(&format!("gave the score `{text:.80}`, {why}")));
    let bare = text.trim().trim_matches('"');
    let (sign, digits) = match bare.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, bare.strip_prefix('+').unwrap_or(bare)),
    };
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, decimal) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{decimal}");
    let exponent = exponent.parse().ok().filter(|it: &i32| it.abs() <= 400);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (Some(exponent), true) = (exponent, is_number) else {
        return refuse("expected a number");
    };
    let last = i64::from(exponent) + i64::from(problem.decimals) + whole.len() as i64;
    let place = usize::try_from(last).unwrap_or(0);
    let (kept, beyond) = digits.split_at(place.min(digits.len()));
    if problem.decimals == 0 && beyond.bytes().any(|byte| byte != b'0') {
        let hint = "`decimals = 2` in [problem] keeps two decimal digits";
        return refuse(&format!("expected a whole number; {hint}"));
    }
    let up = last >= 0 && beyond.as_bytes().first().is_some_and(|byte| *byte >= b'5');
    let zeros = "0".repeat(place - kept.len());
    match format!("0{kept}{zeros}").parse::<Score>() {
        Ok(score) if score < SCORE_LIMIT => match sign * (score + Score::from(up)) {
            none if problem.is_none(none) => {
                let least = problem.least.unwrap_or_default();
                Err(Wrong(format!("the score {bare:.80} is none; `least` is {least}")).into())
            }
            score => Ok(score),
        },
        _ => refuse("which is too large"),
    }
}

fn broken(why: &str) -> Rejection {
    Rejection::Broken(format!("the referee {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(decimals: u32) -> CommandProblem {
        let text =
            format!("direction = 'maximize'\ndecimals = {decimals}\nscore = 'Score = {SCORE}'");
        toml::from_str(&text).expect("a problem")
    }

    #[test]
    fn a_score_is_found_in_a_line() {
        for (pattern, line, expected) in [
            ("Score = {score}", "Score = 123", Some("123")),
            ("Score = {score}", "  Score=  -7 (best)", Some("-7")),
            (
                "score: {score} points",
                "final score: 1.50 points",
                Some("1.50"),
            ),
            ("score: {score} points", "score: 1.50 p", None),
            ("{score}", "12", Some("12")),
            ("Score = {score}", "Score = none, Score = 4", Some("4")),
            ("Score = {score}", "", None),
            ("Score = {score}", "Score = 1.5e6", Some("1.5e6")),
            ("Score = {score}", "Score = 2E-3s", Some("2E-3")),
            ("Score = {score}", "Score = 7.", Some("7.")),
            ("Score = {score}", "Score = 1,234,567", Some("1,234,567")),
            ("Score = {score}", "Score = 5, time = 3", Some("5")),
            ("({score},", "(5,6)", Some("5")),
            ("Score = {score}", "Score = 0x10", Some("0x10")),
            ("Score = {score}", "Score = 1:30 h", Some("1:30")),
            ("Score = {score}", "Score = 5-3", Some("5-3")),
            ("Score = {score}", "Score = 10/20", Some("10/20")),
            ("Score = {score}", "Score = 5pt, time 3", Some("5")),
            ("{score}h", "1h30", Some("1")),
            ("{score}/10", "3.5/10", Some("3.5")),
            ("Score = {score}", "Score = -", None),
            ("Score = {score}", "Score = -nan (best)", Some("-nan")),
            ("Score = {score}", "Score = INF", Some("INF")),
            ("Score = {score}", "Score = nano", None),
            ("{score}", "conan 12 points", Some("12")),
        ] {
            assert_eq!(found(pattern, line), expected, "{pattern}: {line}");
        }
    }

    /// Each line would take minutes if a pattern were tried again at every letter of what it has passed.
    #[test]
    fn a_long_line_is_searched_once() {
        let began = std::time::Instant::now();
        for (pattern, line) in [
            ("{score} points", "7".repeat(300_000)),
            ("{score} points", "1-".repeat(150_000)),
            ("{score} points", "a".repeat(300_000)),
            ("{score} points", "1,a".repeat(100_000)),
            (" = {score}", " ".repeat(300_000)),
        ] {
            assert_eq!(found(pattern, &line), None, "{pattern}");
        }
        assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    }

    #[test]
    fn scores_are_whole_numbers_of_their_last_digit() {
        for (decimals, text, expected) in [
            (0, "12", Some(12)),
            (0, "-12.00", Some(-12)),
            (3, "1.5", Some(1500)),
            (3, "\"0.125\"", Some(125)),
            (0, "1.5", None),
            (0, "1e5", Some(100_000)),
            (0, "1.23457e+06", Some(1_234_570)),
            (0, "1.5e-1", None),
            (2, "475.4187", Some(47_542)),
            (2, "-475.4149", Some(-47_541)),
            (1, "0.30000000000000004", Some(3)),
            (3, "1e-05", Some(0)),
            (3, "6e-04", Some(1)),
            (3, "6e-05", Some(0)),
            (3, "0e9", Some(0)),
            (3, "1e300", None),
            (3, "1e", None),
            (1, ".5", Some(5)),
            (1, "-.5", Some(-5)),
            (0, ".", None),
            (3, "nan", None),
            (3, "1.2.3", None),
            (0, "1,234,567", None),
            (0, "0x10", None),
            (0, "5-3", None),
            (0, "", None),
            (0, "99999999999999999999", None),
            (2, "900719925474099.31", Some(90_071_992_547_409_931)),
            (2, "-93451475584557.785", Some(-9_345_147_558_455_779)),
            (0, &"5".repeat(70_000), None),
            (2, &"0".repeat(70_000), Some(0)),
            (2, &format!("{}7.5", "0".repeat(70_000)), Some(750)),
        ] {
            assert_eq!(read(&problem(decimals), text).ok(), expected, "{text}");
            let line: Option<Line> = serde_json::from_str(&format!("{{\"score\": {text}}}")).ok();
            if let Some(score) = line.and_then(|line| line.score) {
                let read = read(&problem(decimals), score.get());
                assert_eq!(read.ok(), expected, "{text} in JSON");
            }
        }
    }

    #[test]
    fn without_a_score_the_answer_is_wrong_and_the_last_line_says_why() {
        let streams = ["1 2 3\n", "Score = 5\nScore = 9\n"];
        let seen = AtomicU8::new(0);
        assert_eq!(printed(&problem(0), &seen, streams), Ok(Checked::score(9)));
        let wrong = printed(&problem(0), &seen, ["", "item 3 is taken twice\n"]);
        let why = wrong.expect_err("no score").to_string();
        assert!(why.contains("item 3 is taken twice"), "{why}");
    }

    #[test]
    fn what_a_solver_writes_on_standard_error_is_not_the_score_that_its_tester_prints() {
        let mut judged = problem(0);
        judged.tester = vec!["{command}".to_owned()];
        let of = |judged: &CommandProblem, streams| printed(judged, &AtomicU8::new(0), streams);
        let scored = |judged: &CommandProblem, streams| of(judged, streams).ok()?.score;
        let first = ["done\n", "Score = 1\nScore = 7\n"];
        let both = ["Score = 8\n", "Score = 123456\n"];
        assert_eq!(scored(&judged, first), Some(7));
        assert_eq!(scored(&judged, both), Some(8));
        assert_eq!(scored(&judged, ["done\n", "\n"]), None);
        judged.score_from = Some(ScoreStream::Error);
        assert_eq!(scored(&judged, both), Some(123_456));
        let changed = of(&judged, ["Score = 8\n", "done\n"]);
        assert!(matches!(changed, Err(Rejection::Broken(_))), "{changed:?}");
        judged.score_from = Some(ScoreStream::Output);
        let claimed = of(&judged, ["illegal\n", "Score = 5000\n"]);
        assert!(matches!(claimed, Err(Rejection::Wrong(_))), "{claimed:?}");
    }

    #[test]
    fn a_score_below_the_least_is_none() {
        let mut problem = problem(2);
        problem.least = Some(0.5);
        for (text, expected) in [("0.5", Some(50)), ("0.49", None), ("0", None), ("-3", None)] {
            let read = read(&problem, text);
            assert_eq!(read.as_ref().ok().copied(), expected, "{text}");
            let is_wrong = matches!(&read, Err(Rejection::Wrong(_)));
            assert_eq!(is_wrong, expected.is_none(), "{text}");
        }
    }
}
