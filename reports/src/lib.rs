//! What comes out of a run: reading records, statistics, plots, and the page.
//!
//! A report reads only what lies in the run folder; nothing here runs a solver.
//!
//! | module | owns |
//! |---|---|
//! | [`records`] | the columns of `records.csv` and writing them |
//! | [`rows`] | `records.csv` in memory: filters, groups, numbers |
//! | [`statistics`] | medians with intervals, shares, tests |
#![forbid(unsafe_code)]

pub mod error;
pub mod records;
pub mod rows;
pub mod statistics;

pub use error::ReportError;
pub use rows::Rows;
pub use statistics::{Interval, Statistic};
