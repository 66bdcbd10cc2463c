//! What comes out of a run: reading records, statistics, plots, and the page.
//!
//! A report reads only what lies in the run folder; nothing here runs a solver.
//!
//! | module | owns |
//! |---|---|
//! | [`page`] | what stands on the page, and its HTML |
//! | [`records`] | the columns of `records.csv`, writing and reading them |
//! | [`units`] | numbers as a person reads them |
#![forbid(unsafe_code)]

pub mod page;
pub mod records;
pub mod units;
