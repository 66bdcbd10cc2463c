//! The blanks in titles and readings, as an experiment's file writes them: `{faster:A/B where column=value}`.
//!
//! | blank | becomes |
//! |---|---|
//! | `{ratio:A/B}` | B's values divided by A's: `12×`, `3 to 1,100×` |
//! | `{faster:A/B}` | `A is 12× faster than B`, slower, or no difference found |
//! | `{VERB fewer:A/B}`, `{VERB less:A/B}`, `{VERB more:A/B}` | `A VERB 12× fewer nodes than B`, the reverse, or none |
//! | `{crossing:A/B}` | the values of x between which the decided order changes: `A overtakes B between size 24 and 31` |
//! | `{along:A}` | the medians at the ends of x: `from 1.2 ms at 100 to 3.4 ms at 100,000` |
//! | `{STATISTIC:A}` | a statistic of A's values: `median mean minimum maximum sum solved over:30` |

use std::collections::BTreeMap;

use ikeru_bench_data::matrix::Values;
use ikeru_records::refuse;

use crate::error::{ReportError, Result};
use crate::sampled::Statistic;

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SentencePart {
    Text(String),
    Blank(Blank),
}

/// A blank: its content, its series and the filter of its rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Blank {
    pub(crate) asked: BlankAsked,
    /// The series that it names.
    pub(crate) names: Vec<Name>,
    /// The filter: each column must have one of these values.
    pub(crate) only: BTreeMap<String, Values>,
}

/// A series, and its name in the sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) series: String,
    pub(crate) words: String,
}

/// The content of a blank.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BlankAsked {
    Ratio,
    Faster,
    /// `uses 3× fewer nodes than`: the verb, and the word for smaller values. The word for larger ones is `more`.
    Compared {
        verb: String,
        smaller: &'static str,
    },
    Crossing,
    Along,
    Statistic(Statistic),
}

/// The words of comparison, each with the word for smaller values.
const WORDS: [(&str, &str); 3] = [("fewer", "fewer"), ("less", "less"), ("more", "fewer")];

/// The parts of a sentence.
///
/// # Errors
/// A brace without its partner, an unknown word, a comparison without two series, a condition without `=`.
pub(crate) fn parts(text: &str) -> Result<Vec<SentencePart>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inside, after)) = after.split_once('}') else {
            refuse!("`{{{after}` without its `}}`");
        };
        parts.push(SentencePart::Text(before.to_owned()));
        parts.push(SentencePart::Blank(blank(inside)?));
        rest = after;
    }
    parts.push(SentencePart::Text(rest.to_owned()));
    Ok(parts)
}

fn blank(inside: &str) -> Result<Blank> {
    let (asked, rest) = asked(inside)?;
    let (names, only) = rest.split_once(" where ").unwrap_or((rest, ""));
    let names: Vec<Name> = match asked {
        BlankAsked::Ratio
        | BlankAsked::Faster
        | BlankAsked::Crossing
        | BlankAsked::Compared { .. } => {
            let Some((a, b)) = names.split_once('/') else {
                refuse!("`{names}` names one series, expected A/B");
            };
            vec![name(a), name(b)]
        }
        BlankAsked::Along | BlankAsked::Statistic(_) => vec![name(names)],
    };
    let conditions = only.split(',').filter(|part| !part.trim().is_empty());
    let mut only = BTreeMap::new();
    for condition in conditions {
        let Some((column, value)) = condition.split_once('=') else {
            refuse!("`{condition}` is no condition, expected column=value");
        };
        let values = Values::parse(value.trim());
        if only.insert(column.trim().to_owned(), values).is_some() {
            refuse!("`{condition}`: the column is given twice");
        }
    }
    Ok(Blank { asked, names, only })
}

/// Returns the content of a blank, and the text after its colon.
fn asked(inside: &str) -> Result<(BlankAsked, &str)> {
    let Some((mut word, mut rest)) = inside.split_once(':') else {
        refuse!("`{{{inside}}}` is no blank, expected {{word:series}}");
    };
    if word == "over" {
        let limit = rest.split_once(':').map_or(rest, |(limit, _)| limit);
        word = &inside[..word.len() + 1 + limit.len()];
        rest = rest.split_once(':').map_or("", |(_, rest)| rest);
    }
    let (verb, last) = word.rsplit_once(' ').unwrap_or(("needs", word));
    let compared = WORDS.into_iter().find(|(known, _)| *known == last);
    let asked = match (word, compared) {
        ("ratio", _) => BlankAsked::Ratio,
        ("faster", _) => BlankAsked::Faster,
        ("crossing", _) => BlankAsked::Crossing,
        ("along", _) => BlankAsked::Along,
        (_, Some((_, smaller))) => BlankAsked::Compared {
            verb: verb.to_owned(),
            smaller,
        },
        _ => BlankAsked::Statistic(word.parse().map_err(|_| {
            let known = [
                "ratio", "faster", "fewer", "less", "more", "crossing", "along",
            ];
            ReportError::unknown("blank", word, known.into_iter().chain(Statistic::words()))
        })?),
    };
    Ok((asked, rest))
}

/// `dfs+bound as the last rung`
fn name(text: &str) -> Name {
    let (series, words) = text.split_once(" as ").unwrap_or((text, text));
    Name {
        series: series.trim().to_owned(),
        words: words.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_names_its_question_series_and_rows() {
        let parts =
            parts("On maps {expands fewer:jps as jump points/hash where size=9} {over:30:a, b}.");
        let parts = parts.expect("it reads");
        let [
            _,
            SentencePart::Blank(first),
            _,
            SentencePart::Blank(second),
            SentencePart::Text(end),
        ] = parts.as_slice()
        else {
            panic!("{parts:?}");
        };
        let BlankAsked::Compared { verb, smaller } = &first.asked else {
            panic!("{first:?}");
        };
        assert_eq!((verb.as_str(), *smaller), ("expands", "fewer"));
        assert_eq!(first.names[0].words, "jump points");
        assert_eq!(first.names[1].series, "hash");
        assert!(first.only.contains_key("size"));
        assert_eq!(second.asked, BlankAsked::Statistic(Statistic::Over(30.0)));
        assert_eq!(second.names[0].series, "a, b");
        assert_eq!(end, ".");
    }

    #[test]
    fn a_blank_that_is_none_is_refused() {
        for (text, expected) in [
            ("{ration:a/b}", "did you mean `ratio`?"),
            ("{ratio:a}", "expected A/B"),
            ("{ratio:a/b", "without its `}`"),
            ("{ratio:a/b where size}", "expected column=value"),
            ("{a}", "is no blank"),
        ] {
            let error = parts(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
