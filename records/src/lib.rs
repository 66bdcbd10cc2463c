//! The only reader and writer of run folders. `records.csv` has one row per sample; `run.toml` describes the run.
//!
//! | module | owns |
//! |---|---|
//! | `column_kind` | the types of columns, their storage in memory, the families that a run adds |
//! | `columns` | the table of columns: names, how they are written, their descriptions |
//! | [`error`] | the errors of a run folder |
//! | `hash` | a fast hash of short words |
//! | [`held`] | folders that are removed when their program ends |
//! | [`merge`] | merges several run folders of one experiment into one |
//! | `outcome` | the outcomes of a sample |
//! | [`pictures`] | the pictures of answers in a run folder |
//! | `reader` | reads `records.csv` and checks each row |
//! | `record` | one row as it is written |
//! | `row_text` | one row of a CSV file as it is read |
//! | [`rows`] | `records.csv` in memory: filters, groups, numbers |
//! | [`run_file`] | `run.toml`: experiments, sessions and commands of a run |
//! | `sample` | one measured run of a cell |
//! | `session` | one session of a run, with its machine and programs |
//! | [`shard`] | the parts of a run's questions and their progress |
//! | [`units`] | numbers as a person reads them |
//! | `visible` | text without control characters |
//! | [`bests`] | the best-known score of each instance: `bests.csv` |
//! | [`whole`] | files that are replaced atomically |
//!
//! An absent value is an empty field.
#![forbid(unsafe_code)]

pub mod bests;
mod column_kind;
mod columns;
pub mod error;
mod hash;
pub mod held;
pub mod merge;
mod outcome;
pub mod pictures;
mod reader;
mod record;
mod row_text;
pub mod rows;
pub mod run_file;
mod sample;
mod session;
pub mod shard;
pub mod units;
mod visible;
pub mod whole;

pub use column_kind::{Family, Storage, Type};
pub use columns::{COLUMNS, Column, Columns, DICTIONARY, Extra, RowFields, SCHEMA, rank, storage};
pub use error::{ReportError, Result};
pub use outcome::Outcome;
pub use reader::{LONGEST_FIELD, Reader};
pub use record::{Place, Record};
pub use row_text::RowText;
pub use rows::{Rows, has_other_threads};
pub use sample::Sample;
pub use visible::visible;

/// A sample is suspect if the time of its canary is more than this factor above or below the canary's usual time: the
/// machine then ran at another speed than for the other samples.
pub const CANARY_LIMIT: f64 = 1.1;

/// Returns whether a sample is suspect whose canary took `canary` times its usual time.
pub fn is_suspect(canary: f64) -> bool {
    !(1.0 / CANARY_LIMIT..=CANARY_LIMIT).contains(&canary)
}
