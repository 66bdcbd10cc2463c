//! `ikeru reproduce`: the articles' experiments, into one run folder with one page.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ikeru_bench_data::builtin;

use super::run::{Common, TableWidth, carry_out};
use crate::campaign::ExperimentSource;

/// What `reproduce` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: ikeru reproduce ikerukana-table challeran-example --out results/first"
)]
pub struct Arguments {
    /// Built-in experiments and those of --data; without a name all that need no files of yours and no other build
    experiments: Vec<String>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    wide: TableWidth,
}

/// Runs the built-in experiments.
///
/// # Errors
/// An input error, or a failed read or write.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let named = &arguments.experiments;
    let names: Vec<&str> = if named.is_empty() {
        builtin::experiment_texts().map(|(name, _)| name).collect()
    } else {
        named.iter().map(String::as_str).collect()
    };
    let mut sources = Vec::new();
    for name in names {
        let source = ExperimentSource::known(name)?;
        if !(named.is_empty() && source.experiment.by_name) {
            sources.push(source);
        }
    }
    carry_out("reproduce", sources, &arguments.common, arguments.wide)
}
