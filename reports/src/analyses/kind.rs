//! What an analysis returns, and how a kind of analysis is declared.

use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::Analysis;

use crate::charts::Chart;
use crate::error::Result;
use crate::rows::Rows;
use crate::table::Table;

/// The result of an analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The table, with notes on the method and the result.
    pub table: Table,
    /// The chart of the table for the page.
    pub chart: Option<Chart>,
    /// The answer in one sentence, for an experiment without plots.
    pub answer: Option<String>,
}

impl From<Table> for Finding {
    fn from(table: Table) -> Self {
        Self {
            table,
            chart: None,
            answer: None,
        }
    }
}

/// The input of an analysis.
#[derive(Clone, Copy)]
pub struct Analyzed<'a> {
    /// The rows of the run.
    pub rows: &'a Rows,
    /// The rows that the analysis selects.
    pub selection: &'a [u32],
    /// The analysis, as the experiment declares it.
    pub analysis: &'a Analysis,
    /// The experiment.
    pub experiment: &'a Experiment,
}

/// A kind of analysis.
#[derive(Debug, Clone, Copy)]
pub struct AnalysisKind {
    /// Its name in an experiment's file.
    pub name: &'static str,
    /// The names of its parameters that name a column.
    pub parameters: &'static [&'static str],
    /// The names of its other parameters.
    pub words: &'static [&'static str],
    /// Runs it over some rows of its experiment.
    pub run: fn(Analyzed) -> Result<Finding>,
}

impl AnalysisKind {
    /// A kind of this name.
    pub const fn new(
        name: &'static str,
        parameters: &'static [&'static str],
        run: fn(Analyzed) -> Result<Finding>,
    ) -> Self {
        Self {
            name,
            parameters,
            words: &[],
            run,
        }
    }
}
