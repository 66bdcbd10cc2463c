//! `ikeru shards`: the progress of the shards in a folder.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ikeru_reports::records::shard::progress;
use ikeru_reports::row;
use ikeru_reports::table::{Cell, Table};
use ikeru_reports::units::Quantity;

use crate::campaign::lock::Lock;
use crate::output::{self, Format};

/// The arguments of `shards`.
#[derive(Debug, Args)]
#[command(after_help = "\
The plan of a shard that has not begun is not known. The exit code is 75 while samples are missing.

Example: ikeru shards results/shards")]
pub struct Arguments {
    /// The folder with a run folder for each shard
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    format: Format,
}

/// Prints the progress of the shards.
///
/// # Errors
/// A folder without shards, or a run folder that cannot be read.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let folder = &arguments.folder;
    let shards = progress(folder)?;
    let mut table = Table::new(
        "The samples of each shard",
        "shard | planned | there | missing | still written",
    );
    for one in &shards {
        let is_written = one.samples.is_some() && Lock::is_held(&folder.join(&one.folder));
        let written = if is_written { "yes" } else { "no" };
        let [planned, there] = [|(planned, _)| planned, |(_, there)| there];
        let counts = [
            one.samples.map(planned),
            one.samples.map(there),
            one.missing(),
        ];
        let [planned, there, missing] = counts.map(count);
        table.rows.push(row![
            one.shard.to_string(),
            planned,
            there,
            missing,
            written
        ]);
    }
    let open = shards.iter().filter(|one| one.missing() != Some(0)).count();
    let (all, begun) = (shards.len(), shards.iter().filter_map(|one| one.samples));
    table.note(format!(
        "{} of {all} shards have begun, {} have every sample.",
        begun.count(),
        all - open
    ));
    output::print_table(table, arguments.format)?;
    Ok(match open {
        0 => ExitCode::SUCCESS,
        _ => output::UNFINISHED.into(),
    })
}

/// The cell of a count that may not be known.
fn count(count: Option<u64>) -> Cell {
    (count.map(|count| count as f64), Quantity::Count).into()
}
