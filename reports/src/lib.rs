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
//! | [`summary`] | `summary.csv`: every cell's median, speed-up and counters |
//! | [`failures`] | what went wrong, the worst first |
//! | [`verdicts`] | published figures beside ours |
//! | [`consoles`] | times on consoles, modelled |
//! | [`analyses`] | the analyses that experiments name |
//! | [`statistics`] | medians with intervals, shares, tests |
#![forbid(unsafe_code)]

pub mod analyses;
pub mod consoles;
pub mod error;
pub mod failures;
pub mod picture;
pub mod plots;
pub mod records;
pub mod rows;
mod sheet;
pub mod statistics;
pub mod summary;
pub mod verdicts;

pub use error::ReportError;
pub use rows::Rows;
pub use statistics::{Interval, Statistic};
