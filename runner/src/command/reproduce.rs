//! `ikeru reproduce`: the articles' experiments, into one run folder with one page.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use ikeru_bench_data::builtin;
use ikeru_book::against::{self, Against};

use super::run::{Common, TableWidth, carry_out, measure, summary};
use crate::campaign::ExperimentSource;
use crate::output;

/// The arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: ikeru reproduce ikerukana-table challeran-example --out results/first"
)]
pub struct Arguments {
    /// Built-in experiments and those of --data; without a name all that need no files of yours and no other build
    experiments: Vec<String>,
    /// Stop after the first pass: take no further samples for figures that are open
    #[arg(long, conflicts_with = "budget")]
    quick: bool,
    /// Compare the verdicts with those of another run folder, or with the `reference`; one that moved exits with 1
    #[arg(long, value_name = "DIR|reference")]
    against: Option<String>,
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
        if Path::new(name).is_file() {
            bail!(
                "{name}: a file of one's own; `ikeru run {name}` runs it, `--data DIR` adds a folder of experiments"
            );
        }
        let source = ExperimentSource::known(name)?;
        let experiment = &source.experiment;
        let is_left_out = experiment.by_name || (arguments.quick && experiment.later);
        if !(named.is_empty() && is_left_out) {
            sources.push(source);
        }
    }
    let mut common = arguments.common.clone();
    if !arguments.quick {
        common.settle();
    }
    let Some(against) = &arguments.against else {
        return carry_out("reproduce", sources, &common, arguments.wide);
    };
    // A reference that cannot be read is refused before minutes are spent.
    Against::read(against, &[])?;
    let Some((folder, late)) = measure("reproduce", sources, &common)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let report = ikeru_book::report(&folder)?;
    let code = summary::print(&report, common.output(), arguments.wide)?;
    let verdicts = Against::read(against, &report.figures)?;
    let of = match against.as_str() {
        against::REFERENCE => "the reference",
        folder => folder,
    };
    output::tell(verdicts.in_lines(of).trim_end());
    if let Some(late) = late {
        return Err(late);
    }
    Ok(match verdicts.moved.is_empty() {
        true => code,
        false => output::REGRESSION.into(),
    })
}
