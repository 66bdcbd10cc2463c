//! What comes out of a run: reading records, statistics, plots, and the page.
//!
//! A report reads only what lies in the run folder; nothing here runs a solver.
//!
//! | module | owns |
//! |---|---|
//! | [`picture`] | instances and answers as SVG and PNG |
//! | [`plots`] | charts as SVG and PNG |
//! | [`records`] | the columns of `records.csv`, writing and reading them |
#![forbid(unsafe_code)]

pub mod picture;
pub mod plots;
pub mod records;
mod sheet;
