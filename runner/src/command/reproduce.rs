//! `ikeru reproduce`: the articles' experiments, into one run folder with one page.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use ikeru_bench_data::{PublishedSource, builtin};

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
    #[arg(long, conflicts_with_all = ["budget", "full"])]
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
    // All experiments, or those of a source, that need nothing of the user's.
    let all = |of: Option<&str>| -> Result<Vec<ExperimentSource>> {
        let known = builtin::experiment_texts().map(|(name, _)| ExperimentSource::known(name));
        let mut known = known.collect::<Result<Vec<ExperimentSource>>>()?;
        known.retain(|ExperimentSource { experiment, .. }| {
            let is_left_out = experiment.by_name || (arguments.quick && experiment.later);
            !is_left_out && of.is_none_or(|word| experiment.source() == Some(word))
        });
        Ok(known)
    };
    let mut sources = match named.is_empty() {
        true => all(None)?,
        false => Vec::new(),
    };
    for name in named {
        if Path::new(name).is_file() {
            bail!(
                "{name}: a file of one's own; `ikeru run {name}` runs it, `--data DIR` adds a folder of experiments"
            );
        }
        let is_named = |source: &&PublishedSource| {
            source.word().eq_ignore_ascii_case(name) || source.source.eq_ignore_ascii_case(name)
        };
        match published.iter().find(is_named) {
            Some(source) => sources.extend(all(Some(source.word()))?),
            None => sources.push(ExperimentSource::known(name)?),
        }
    }
    let mut common = arguments.common.clone();
    common.settles = !arguments.quick;
    carry_out("reproduce", sources, &common, arguments.wide)
}
