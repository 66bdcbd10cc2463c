//! Run folders: the only reader and writer of them. `records.csv` has one row per sample, `run.toml` says what was run.
//!
//! | module | owns |
//! |---|---|
//! | `columns` | the table of columns: names, types, how they are kept and written, their descriptions |
//! | [`error`] | what can be wrong with a run folder |
//! | `hash` | a fast hash of short words |
//! | [`merge`] | several run folders of one experiment as one |
//! | `outcome` | how a sample ended |
//! | [`pictures`] | the pictures of answers in a run folder |
//! | `reader` | reads the file and checks each row |
//! | `record` | one row as it is written |
//! | [`rows`] | `records.csv` in memory: filters, groups, numbers |
//! | [`run_file`] | `run.toml`: what was run, where and by which command |
//! | `sample` | one measured run of a cell |
//! | [`units`] | numbers as a person reads them |
//! | `visible` | text without control characters |
//! | [`whole`] | files that are replaced as a whole |
//!
//! An absent value is an empty field.
#![forbid(unsafe_code)]

mod columns;
pub mod error;
mod hash;
pub mod merge;
mod outcome;
pub mod pictures;
mod reader;
mod record;
mod row_text;
pub mod rows;
pub mod run_file;
mod sample;
pub mod units;
mod visible;
pub mod whole;

pub use columns::{
    COLUMNS, Column, Columns, DICTIONARY, Extra, Family, RowFields, SCHEMA, Storage, Type, rank,
    storage,
};
pub use error::ReportError;
pub use outcome::Outcome;
pub use reader::{LONGEST_FIELD, Reader};
pub use record::{Place, Record};
pub use row_text::RowText;
pub use rows::{Rows, has_other_threads};
pub use sample::Sample;
pub use visible::visible;

/// A sample is suspect if the canary beside it took longer than its usual time by more than this
/// factor, or less by as much: then the machine was not the one that the other samples saw.
pub const CANARY_LIMIT: f64 = 1.1;

/// How the `detail` of a sample begins that the run did not ask for because it gave up.
pub const GIVEN_UP: &str = "given up: ";

/// Whether a canary of this ratio makes its sample suspect.
pub fn is_suspect(canary: f64) -> bool {
    !(1.0 / CANARY_LIMIT..=CANARY_LIMIT).contains(&canary)
}
