//! Fits the costs of the consoles to the counted answers.
//!
//! | module | owns |
//! |---|---|
//! | [`costs`] | the cost table from the counts, with the error of its predictions |
//! | [`nonnegative`] | least squares with nonnegative coefficients, and selection of few columns |
//! | [`written`](mod@written) | the text of `costs.csv` |
//!
//! It uses no function whose last digit depends on the machine, so every machine fits the same costs.

#![forbid(unsafe_code)]

pub mod costs;
pub mod nonnegative;
pub mod written;

use std::collections::BTreeSet;

use ikeru_consoles::Console;
use ikeru_consoles::counts::{self, Count};
use ikeru_records::ReportError;

/// The counts of the training questions and of the reference questions.
pub const SHIPPED: &str = include_str!("../../counts.csv");

/// Reads counts, with those of consoles that are counted alike; `file` is their name in errors.
///
/// # Errors
/// Names the file, the line and the expected content.
pub fn counts(file: &str, text: &str, consoles: &[Console]) -> Result<Vec<Count>, ReportError> {
    Ok(counts::for_all(counts::read(file, text)?, consoles))
}

/// The counts that the program keeps: the reference questions, and the further questions of `before`, which are those
/// that the quick scale of the built-in experiments asks.
///
/// # Errors
/// Names the file, the line and the expected content.
pub fn kept(file: &str, text: &str, before: &str) -> Result<String, ReportError> {
    let known = counts::read("the counts of before", before)?;
    let known: BTreeSet<_> = known.iter().map(question).collect();
    let counts = counts::read(file, text)?;
    let mut lines = text.split_inclusive('\n');
    let header = lines.next().unwrap_or_default().to_owned();
    let kept = lines.zip(&counts).filter(|(_, count)| {
        count.set == counts::Set::Reference || known.contains(&question(count))
    });
    Ok(kept.fold(header, |table, (line, _)| table + line))
}

fn question(count: &Count) -> [&str; 4] {
    [
        &count.problem,
        &count.variant,
        &count.instance,
        &count.settings,
    ]
    .map(String::as_str)
}
