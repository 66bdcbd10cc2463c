//! What comes out of a run: reading records, statistics, plots, and the page.
//!
//! A report reads only what lies in the run folder; nothing here runs a solver.
//!
//! | module | owns |
//! |---|---|
//! | [`analyses`] | the analyses that experiments name |
//! | [`anytime`] | searches over time: rises, gaps, primal integrals |
//! | [`charts`] | charts as SVG and PNG |
//! | [`check`] | what an experiment asks to be shown, before anything is measured |
//! | [`closing`] | how many rows were checked, the last line of a run |
//! | [`consoles`] | times on consoles: counted, fitted, cross-checked |
//! | [`decisions`] | each variant against the baseline, pair by pair |
//! | [`factor`] | how many times one label's values are another's |
//! | [`failures`] | what went wrong, the worst first |
//! | [`merge`] | several run folders of one experiment as one |
//! | [`metric`] | what a comparison compares, and which way is better |
//! | [`page`] | what stands on the page, and its HTML |
//! | [`paper`] | a run folder for a paper's authors and reviewers |
//! | [`picture`] | instances and answers as SVG and PNG |
//! | [`records`] | the columns of `records.csv` and writing them |
//! | [`mod@report`] | a run folder's tables, plots and page |
//! | [`rows`] | `records.csv` in memory: filters, groups, numbers |
//! | [`run_file`] | `run.toml`: what was run, where and by which command |
//! | [`sampled`] | what is sampled of rows, and the statistics that experiments name |
//! | [`shown`] | the pictures of answers that lie in a run folder |
//! | [`statistics`] | medians with intervals, shares, tests |
//! | [`summary`] | `summary.csv`: every cell's median, speed-up and counters |
//! | [`table`] | tables of typed cells, as text, Markdown, CSV, HTML and LaTeX |
//! | [`units`] | numbers as a person reads them |
//! | [`verdicts`] | published figures beside ours |
//! | `visible` | text of strangers without control characters |
//! | `whole` | files that are whole or as they were before |
#![forbid(unsafe_code)]

pub mod analyses;
pub mod anytime;
pub mod charts;
pub mod check;
pub mod closing;
pub mod consoles;
pub mod decisions;
pub mod error;
pub mod factor;
pub mod failures;
pub mod merge;
pub mod metric;
pub mod page;
pub mod paper;
pub mod picture;
pub mod records;
pub mod report;
pub mod rows;
pub mod run_file;
pub mod sampled;
mod sheet;
pub mod shown;
pub mod summary;
pub mod table;
pub mod units;
pub mod verdicts;
mod visible;
mod whole;

pub use error::ReportError;
pub use ikeru_statistics as statistics;
pub use report::{Answer, Report, decisions_table, repeated, report};
pub use rows::Rows;
pub use sampled::Statistic;
pub use shown::write_pictures;
pub use statistics::Estimate;
pub use visible::visible;
