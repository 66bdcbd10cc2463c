//! `records.csv`: one row per sample, the only thing that a run and a report share besides `run.toml`.
//!
//! | module | owns |
//! |---|---|
//! | `columns` | the table of columns: names, types, how they are kept and written, what they say |
//! | `record` | one row as it is written |
//! | `sample` | what came of one measured run |
//! | `outcome` | how a sample ended |
//! | `reader` | reading the file, checking each row |
//!
//! An absent value is an empty field.

mod columns;
mod outcome;
mod reader;
mod record;
mod sample;

pub use columns::{
    COLUMNS, Column, Columns, DICTIONARY, Extra, Family, Fields, Kept, SCHEMA, Type, kept, rank,
};
pub use outcome::Outcome;
pub use reader::{LONGEST_FIELD, Reader};
pub use record::{Place, Record};
pub use sample::Sample;

/// A sample is suspect if the canary beside it took longer than its usual time by more than this
/// factor, or less by as much: then the machine was not the one that the other samples saw.
pub const CANARY_LIMIT: f64 = 1.1;

/// How the `detail` of a skipped sample begins that was not taken because a smaller question was over its limit.
pub const HOPELESS: &str = "hopeless: ";
/// How the `detail` of a skipped sample begins that was not taken because its run gave up.
pub const GIVEN_UP: &str = "given up: ";

/// Whether a skipped sample with this `detail` was refused: not whether nobody asked.
pub fn is_refusal(detail: &str) -> bool {
    !(detail.starts_with(HOPELESS) || detail.starts_with(GIVEN_UP))
}

/// Whether a canary of this ratio makes its sample suspect.
pub fn is_suspect(canary: f64) -> bool {
    !(1.0 / CANARY_LIMIT..=CANARY_LIMIT).contains(&canary)
}
