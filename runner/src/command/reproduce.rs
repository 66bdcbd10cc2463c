//! `ikeru reproduce`: the articles' experiments, into one run folder with one page.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use ikeru_bench_data::builtin;

use super::run::{Common, TableWidth, carry_out};
use crate::campaign::ExperimentSource;

/// The arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: ikeru reproduce ikerukana-table challeran-example --out results/first"
)]
pub struct Arguments {
    /// Built-in experiments, those of --data, or all of a source (`challeran`); without a name all that need no files of
    /// yours and no other build
    experiments: Vec<String>,
    /// Stop after the first pass: take no further samples for figures that are open
    #[arg(long, conflicts_with = "budget")]
    quick: bool,
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
    let published = builtin::published()?;
    let all = || builtin::experiment_texts().map(|(name, _)| name);
    let mut sources = Vec::new();
    // The experiments that are named stay; of all, and of a source, those are taken that need nothing of the user's.
    let mut take = |name: &str, is_named: bool, of: Option<&str>| -> Result<()> {
        if Path::new(name).is_file() {
            bail!(
                "{name}: a file of one's own; `ikeru run {name}` runs it, `--data DIR` adds a folder of experiments"
            );
        }
        let source = ExperimentSource::known(name)?;
        let experiment = &source.experiment;
        let is_left_out = experiment.by_name || (arguments.quick && experiment.later);
        let is_of_source = of.is_none_or(|word| experiment.source() == Some(word));
        if is_named || (is_of_source && !is_left_out) {
            sources.push(source);
        }
        Ok(())
    };
    for name in named {
        match published.iter().find(|source| source.word() == name) {
            Some(source) => all().try_for_each(|one| take(one, false, Some(source.word())))?,
            None => take(name, true, None)?,
        }
    }
    if named.is_empty() {
        all().try_for_each(|name| take(name, false, None))?;
    }
    let mut common = arguments.common.clone();
    if !arguments.quick {
        common.settle();
    }
    carry_out("reproduce", sources, &common, arguments.wide)
}
