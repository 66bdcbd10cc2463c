//! Fits the costs of the consoles to the counted answers.
//!
//! | module | owns |
//! |---|---|
//! | [`costs`] | the cost table from the counts, with the error of its predictions |
//! | [`nonnegative`] | least squares with nonnegative coefficients, and selection of few columns |
//!
//! It uses no function whose last digit depends on the machine, so every machine fits the same costs.

#![forbid(unsafe_code)]

pub mod costs;
pub mod nonnegative;

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

/// The header and the rows of the reference questions in a table of counts: those that the program keeps.
///
/// # Errors
/// Names the file, the line and the expected content.
pub fn reference(file: &str, text: &str) -> Result<String, ReportError> {
    let counts = counts::read(file, text)?;
    let mut lines = text.split_inclusive('\n');
    let header = lines.next().unwrap_or_default().to_owned();
    let kept = lines
        .zip(counts)
        .filter(|(_, count)| count.set == counts::Set::Reference);
    Ok(kept.fold(header, |table, (line, _)| table + line))
}
