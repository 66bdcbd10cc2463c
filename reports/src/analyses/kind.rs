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

/// A kind of analysis.
#[derive(Debug, Clone, Copy)]
pub struct AnalysisKind {
    /// Its name in an experiment's file.
    pub name: &'static str,
    /// The names of its parameters. The first [`columns`](Self::columns) of them name columns.
    pub parameters: &'static [&'static str],
    /// The number of its parameters that name columns.
    pub columns: usize,
    /// Runs it over some rows of its experiment.
    pub run: fn(&Rows, &[u32], &Analysis, &Experiment) -> Result<Finding>,
}

impl AnalysisKind {
    /// A kind whose parameters name no columns.
    pub const fn new(
        name: &'static str,
        parameters: &'static [&'static str],
        run: fn(&Rows, &[u32], &Analysis, &Experiment) -> Result<Finding>,
    ) -> Self {
        Self {
            name,
            parameters,
            columns: 0,
            run,
        }
    }
}
