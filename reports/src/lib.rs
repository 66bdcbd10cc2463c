//! What comes out of a run: reading records, statistics, plots, and the page.
//!
//! A report reads only what lies in the run folder; nothing here runs a solver.
//!
//! | module | owns |
//! |---|---|
//! | [`picture`] | instances and answers as SVG and PNG |
//! | [`plots`] | charts as SVG and PNG |
//! | [`records`] | the columns of `records.csv` and writing them |
//! | [`rows`] | `records.csv` in memory: filters, groups, numbers |
//! | [`statistics`] | medians with intervals, shares, tests |
#![forbid(unsafe_code)]

pub mod error;
pub mod picture;
pub mod plots;
pub mod records;
pub mod rows;
mod sheet;
pub mod statistics;

pub use error::ReportError;
pub use rows::Rows;
pub use statistics::{Interval, Statistic};
