//! What comes out of a run: reading records, statistics, plots, and the page.
//!
//! A report reads only what lies in the run folder; nothing here runs a solver.
//!
//! | module | owns |
//! |---|---|
//! | [`records`] | the columns of `records.csv`, writing and reading them |
#![forbid(unsafe_code)]

pub mod records;
