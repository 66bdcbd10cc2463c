//! `ikeru-console-fit`: the costs from the counts, and their errors on questions that were held out.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Parser;
use ikeru_console_fit::written::written;
use ikeru_console_fit::{SHIPPED, costs, counts, kept};
use ikeru_consoles::Consoles;
use ikeru_consoles::cost::{CONFIDENT, CounterCost};

/// Fits the costs to the counts, and prints how well they predict questions that were held out.
#[derive(Debug, Parser)]
#[command(after_help = "\
Example: ikeru-console-fit --counts consoles/workshop/counts.csv --out consoles/costs.csv --kept consoles/counts.csv")]
struct Arguments {
    /// The counts [default: those of consoles/workshop/counts.csv when this program was built]
    #[arg(long, value_name = "FILE")]
    counts: Option<PathBuf>,
    /// Writes the costs there
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Writes the counts that the program keeps to this file: the reference questions, and the questions that it has
    #[arg(long, value_name = "FILE")]
    kept: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let (file, text) = match &arguments.counts {
        None => ("counts.csv".to_owned(), SHIPPED.to_owned()),
        Some(path) => (path.display().to_string(), read(path)?),
    };
    let consoles = Consoles::built_in()?.consoles;
    let costs = costs::costs(&counts(&file, &text, &consoles)?, &consoles);
    if costs.is_empty() {
        bail!("{file}: no count of a modelled console");
    }
    if let Some(path) = &arguments.out {
        write(path, &written(&costs)?)?;
    }
    if let Some(path) = &arguments.kept {
        let before = read(path)?;
        write(path, &kept(&file, &text, &before)?)?;
    }
    print!("{}", accuracy(&costs));
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("{}: cannot be written", path.display()))
}

/// The errors of the costs on the held-out questions, as a table in CSV and a sentence.
fn accuracy(costs: &[CounterCost]) -> String {
    let mut text =
        "problem,variant,console,trained,held_out,work_p90,all_p50,all_p90,worst\n".to_owned();
    for cost in costs {
        let (work, all) = (cost.work.residual, cost.misses.residual);
        text += &format!(
            "{},{},{},{},{},{:.3},{:.3},{:.3},{:.3}\n",
            cost.problem,
            cost.variant,
            cost.console,
            cost.trained,
            cost.tested,
            work.p90,
            all.p50,
            all.p90,
            all.max
        );
    }
    let confident = costs.iter().filter(|cost| cost.is_confident()).count();
    text + &format!(
        "{confident} of {} rows are within ×{CONFIDENT} on nine in ten held-out questions; the others have low confidence.\n",
        costs.len()
    )
}
