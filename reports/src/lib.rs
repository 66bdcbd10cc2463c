//! The reports of a run: records, statistics, plots, and the page.
//!
//! A report reads only the run folder; this crate runs no solver.
//!
//! | module | owns |
//! |---|---|
//! | [`against`] | compares the verdicts of a run with those of another |
//! | [`analyses`] | the analyses that experiments name |
//! | [`anytime`] | searches over time: rises, gaps, primal integrals |
//! | [`charts`] | charts as SVG and PNG |
//! | [`check`] | checks an experiment's plots, tables and analyses before anything is measured |
//! | [`closing`] | the last line of a run: checked and wrong rows |
//! | [`decisions`] | sequential comparisons of variants with the baseline |
//! | [`factor`] | the ratio of one label's values to another's |
//! | [`failures`] | the failures of a run, worst first |
//! | `frames` | the pictures of answers as frames on the page |
//! | [`metric`] | the metrics of comparisons, and the direction that is better |
//! | [`page`] | the contents of the page, and its HTML |
//! | [`paper`] | exports a run folder for a paper: LaTeX and data |
//! | [`picture`] | pictures of instances and answers as SVG and PNG |
//! | [`mod@report`] | a run folder's tables, plots and page |
//! | [`sampled`] | the statistics that experiments name, and the units of their samples |
//! | [`settle`] | the published figures that are open, and the cost of deciding them |
//! | `sheet` | a drawing of strokes, areas and text, as SVG and PNG |
//! | [`side_by_side`] | two searches of one instance, step by step |
//! | [`summary`] | `summary.csv`: every cell's median, speed-up and counters |
//! | [`table`] | tables of typed cells, as text, Markdown, CSV, HTML and LaTeX |
//! | [`verdicts`] | compares published figures with our measurements |
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
