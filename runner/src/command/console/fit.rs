//! `ikeru console fit`: the costs from the counts, and their errors on questions that were held out.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use ikeru_bench_data::text_file;
use ikeru_consoles::Basis;
use ikeru_consoles::cost::{self, CONFIDENT, CounterCost};
use ikeru_consoles::{counts, fit};
use ikeru_reports::row;
use ikeru_reports::table::{Cell, Table, Tone};
use ikeru_reports::units::Quantity;
use ikeru_reports::whole;

use crate::output::{self, Format};

/// The arguments of `console fit`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ikeru console fit
  ikeru console fit --counts counts.csv --out costs.csv")]
pub struct Arguments {
    /// The counts [default: those of this program]
    #[arg(long, value_name = "FILE")]
    counts: Option<PathBuf>,
    /// Writes the costs there
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

/// Fits, writes if asked to, and prints the accuracy.
///
/// # Errors
/// Counts that do not read or name no modelled console; a file that cannot be written.
pub fn run(arguments: &Arguments, basis: &Basis) -> Result<()> {
    let counts = match &arguments.counts {
        None => basis.counts.clone(),
        Some(path) => {
            let text = text_file::read(path)
                .with_context(|| format!("{}: cannot be read", path.display()))?;
            let counts = counts::read(&path.display().to_string(), &text)?;
            counts::for_all(counts, &basis.consoles.consoles)
        }
    };
    let costs = fit::costs(&counts, &basis.consoles.consoles);
    if costs.is_empty() {
        bail!("no count of a modelled console; `ikeru console list` names those");
    }
    if let Some(path) = &arguments.out {
        let text = cost::written(&costs)?;
        whole::write(path, text)
            .with_context(|| format!("{}: cannot be written", path.display()))?;
    }
    output::print_table(accuracy(&costs), arguments.format)
}

/// The errors of the costs on the held-out questions.
fn accuracy(costs: &[CounterCost]) -> Table {
    let heads = "variant | console | trained | held out | work, 9 in 10 | all, median | all, 9 in 10 | worst";
    let mut table = Table::new(
        "How well counters predict cycles on held-out questions",
        heads,
    );
    for cost in costs {
        let factor = |factor: f64| Cell::from((factor, Quantity::Ratio));
        let all = cost.misses.residual;
        let word = if cost.is_confident() {
            ""
        } else {
            "low confidence"
        };
        let name = format!("{} {}", cost.problem, cost.variant);
        table.rows.push(row![
            if word.is_empty() {
                Cell::from(name)
            } else {
                Cell::badge(name, Tone::Warn).with_detail(word)
            },
            &cost.console,
            cost.trained,
            cost.tested,
            factor(cost.work.residual.p90),
            factor(all.p50),
            factor(all.p90),
            factor(all.max),
        ]);
    }
    let confident = costs.iter().filter(|cost| cost.is_confident()).count();
    table.notes.push(format!(
        "{confident} of {} rows are within ×{CONFIDENT} on nine in ten held-out questions; the others have low confidence.",
        costs.len()
    ));
    table
}
