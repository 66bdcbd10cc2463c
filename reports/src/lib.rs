//! The reports of a run: records, statistics, plots, and the page of its experiments.
//!
//! A report reads only the run folder; this crate runs no solver.
//!
//! | module | owns |
//! |---|---|
//! | [`additions`] | what a crate above this one adds to the experiments' language |
//! | [`analyses`] | the analyses that experiments name |
//! | [`charts`] | charts as SVG and PNG |
//! | [`check`] | checks an experiment's plots, tables and analyses before anything is measured |
//! | [`comparisons`] | the comparisons of a run, `comparisons.csv` |
//! | [`closing`] | the last line of a run: checked and wrong rows |
//! | [`decisions`] | sequential comparisons of variants with the baseline |
//! | [`factor`] | the ratio of one label's values to another's |
//! | [`disagreements`] | answers of two runs that contradict each other |
//! | [`failures`] | the failures of a run, worst first |
//! | `frames` | the pictures of answers as frames on the page |
//! | [`metric`] | the metrics of comparisons, and the direction that is better |
//! | [`page`] | the contents of the page, and its HTML |
//! | [`picture`] | pictures of instances and answers as SVG and PNG |
//! | [`mod@report`] | a run folder's tables, plots and page |
//! | [`sampled`] | the statistics that experiments name, and the units of their samples |
//! | [`sheet`] | a drawing of strokes, areas and text, as SVG and PNG |
//! | [`summary`] | `summary.csv`: every cell's median, speed-up and counters |
//! | [`table`] | tables of typed cells, as text, Markdown, CSV, HTML and LaTeX |
#![forbid(unsafe_code)]

pub mod additions;
pub mod analyses;
pub mod charts;
pub mod check;
pub mod closing;
pub mod comparisons;
pub mod decisions;
pub mod disagreements;
pub mod factor;
pub mod failures;
mod frames;
pub mod metric;
pub mod page;
pub mod picture;
pub mod report;
pub mod sampled;
pub mod sheet;
pub mod summary;
pub mod table;

pub use frames::write_pictures;
pub use ikeru_records as records;
pub(crate) use ikeru_records::error;
pub use ikeru_records::{ReportError, Result, Rows, merge, rows, run_file, units, visible, whole};
pub use ikeru_statistics as statistics;
pub use report::{ExperimentAnswer, Folder, Report, contested, decisions_table, uncounted};
pub use sampled::Statistic;
pub use statistics::Estimate;

#[cfg(test)]
pub(crate) fn rows_of(text: &str) -> Rows {
    Rows::of_table(text)
}

/// The experiment `e` with these variants, and `more` tables.
#[cfg(test)]
pub(crate) fn experiment_of(variants: &str, more: &str) -> ikeru_bench_data::Experiment {
    let text = format!(
        "name='e'\ntitle='t'\nabout='a'\nproblem='reach'\nvariants=[{variants}]\ninstances=[{{generator='g'}}]\n{more}"
    );
    ikeru_bench_data::Experiment::read("e.toml", &text).expect("an experiment")
}
