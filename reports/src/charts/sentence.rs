//! Ratios in sentences: `{ratio:A/B}` becomes how many times B's values are A's, as it was measured.

use std::collections::BTreeMap;

use ikeru_bench_data::matrix::Values;

use super::question::{Question, described};
use crate::error::ReportError;
use crate::factor::Factor;
use crate::statistics::{Bound, Interval};
use crate::units::{Quantity, rounded};

/// A sentence with its ratios, and how each was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// One sentence per ratio: what was averaged, and its interval.
    pub notes: Vec<String>,
}

/// The plot's title with its ratios. Where this run does not know one of them, as without one of the
/// variants, the title says what is drawn rather than what it shows.
///
/// # Errors
/// An impossible range in a filter.
pub(super) fn title(question: &Question) -> Result<Sentence, ReportError> {
    let title = &question.plot.title;
    let sentence = filled(title, question)?;
    if title.matches("{ratio:").count() == sentence.notes.len() {
        return Ok(sentence);
    }
    Ok(Sentence {
        text: described(question.plot),
        notes: Vec::new(),
    })
}

/// `text` with each `{ratio:A/B}` of two of the plot's series replaced, as in [`Factor`]; over its rows, or
/// over some of them with `{ratio:A/B where setting_god=false}`.
///
/// # Errors
/// An impossible range in a filter.
pub(super) fn filled(text: &str, question: &Question) -> Result<Sentence, ReportError> {
    let mut sentence = Sentence::default();
    let mut rest = text;
    while let Some((before, (ratio, after))) = rest
        .split_once("{ratio:")
        .and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        sentence.text.push_str(before);
        match factor(ratio, question)? {
            Some(factor) => {
                let number = word(factor);
                sentence.notes.push(note(&number, factor));
                sentence.text.push_str(&number);
            }
            None => sentence.text.push('?'),
        }
        if !after.starts_with('×') {
            sentence.text.push('×');
        }
        rest = after;
    }
    sentence.text.push_str(rest);
    Ok(sentence)
}

fn factor(ratio: &str, question: &Question) -> Result<Option<Factor>, ReportError> {
    let rows = question.rows;
    let (pair, only) = ratio.split_once(" where ").unwrap_or((ratio, ""));
    let (below, above) = pair.split_once('/').unwrap_or((pair, ""));
    let conditions = only.split(',').filter_map(|part| part.split_once('='));
    let only: BTreeMap<String, Values> = conditions
        .map(|(column, value)| (column.trim().to_owned(), Values::parse(value.trim())))
        .collect();
    let selection = rows.narrow(&question.selection, &only)?;
    let with = |name: &str| -> Vec<u32> {
        let mut own = selection.clone();
        own.retain(|row| rows.text(question.series, *row) == name.trim());
        own
    };
    let (above, below) = (with(above), with(below));
    Ok(Factor::between(rows, &question.plot.y, &above, &below))
}

fn word(factor: Factor) -> String {
    let bound = match factor.estimate.bound {
        Bound::Exact => "",
        Bound::AtLeast => "at least ",
        Bound::AtMost => "at most ",
        Bound::Either => "about ",
    };
    format!("{bound}{}", rounded(factor.estimate.value, 2))
}

fn note(number: &str, factor: Factor) -> String {
    let what = match (factor.questions, factor.instances) {
        (1, _) => "the ratio of the medians on one question".to_owned(),
        (many, 1) => {
            format!("the geometric mean of {many} questions' ratios of medians, on one instance")
        }
        (many, instances) if many == instances => {
            format!("the geometric mean of {many} instances' ratios of medians")
        }
        (many, instances) => format!(
            "the geometric mean of {many} questions' ratios of medians, over {instances} instances"
        ),
    };
    match factor.estimate.interval {
        None => format!("{number}× is {what}; too few for an interval."),
        Some(Interval { low, high }) => {
            let range = Quantity::Ratio.range(low, high);
            format!("{number}× is {what}, 95 % interval {range}.")
        }
    }
}
