//! What comes out of a run: reading records, statistics, plots, and the page.
//!
//! A report reads only what lies in the run folder; nothing here runs a solver.
//!
//! | module | owns |
//! |---|---|
//! | [`against`] | the verdicts of a run beside those of another |
//! | [`analyses`] | the analyses that experiments name |
//! | [`anytime`] | searches over time: rises, gaps, primal integrals |
//! | [`charts`] | charts as SVG and PNG |
//! | [`check`] | what an experiment asks to be shown, before anything is measured |
//! | [`closing`] | how many rows were checked, the last line of a run |
//! | [`decisions`] | each variant against the baseline, pair by pair |
//! | [`factor`] | how many times one label's values are another's |
//! | [`failures`] | what went wrong, the worst first |
//! | `frames` | the pictures of answers as frames of the page |
//! | [`metric`] | what a comparison compares, and which way is better |
//! | [`page`] | what stands on the page, and its HTML |
//! | [`paper`] | a run folder for a paper's authors and reviewers |
//! | [`picture`] | instances and answers as SVG and PNG |
//! | [`mod@report`] | a run folder's tables, plots and page |
//! | [`sampled`] | what is sampled of rows, and the statistics that experiments name |
//! | [`settle`] | the published figures that are open, and what each needs |
//! | [`side_by_side`] | two searches of one instance, step by step |
//! | [`summary`] | `summary.csv`: every cell's median, speed-up and counters |
//! | [`table`] | tables of typed cells, as text, Markdown, CSV, HTML and LaTeX |
//! | [`verdicts`] | published figures beside ours |
#![forbid(unsafe_code)]

pub mod against;
pub mod analyses;
pub mod anytime;
pub mod charts;
pub mod check;
pub mod closing;
pub mod decisions;
pub mod factor;
pub mod failures;
mod frames;
pub mod metric;
pub mod page;
pub mod paper;
pub mod picture;
pub mod report;
pub mod sampled;
pub mod settle;
mod sheet;
pub mod side_by_side;
pub mod summary;
pub mod table;
pub mod verdicts;

pub use frames::write_pictures;
pub use ikeru_consoles as consoles;
pub use ikeru_records as records;
pub(crate) use ikeru_records::error;
pub use ikeru_records::{ReportError, Rows, merge, rows, run_file, units, visible, whole};
pub use ikeru_statistics as statistics;
pub use report::{ExperimentAnswer, Report, decisions_table, report, uncounted};
pub use sampled::Statistic;
pub use statistics::Estimate;

#[cfg(test)]
pub(crate) fn rows_of(text: &str) -> Rows {
    Rows::of_table(text)
}
