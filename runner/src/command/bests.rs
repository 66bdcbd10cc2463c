//! `ikeru bests`: the best-known scores of an experiment, checked again, and joined with those of another folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ikeru_core::{AnyInstance, Deadline, Rejection};
use ikeru_reports::records::bests::{ANSWERS, BestKnown, Ledger};
use ikeru_reports::row;
use ikeru_reports::table::Table;
use ikeru_reports::units::plural;
use serde_json::Value as Json;

use crate::bests::{ScoredExperiment, copy};
use crate::campaign::{Campaign, CampaignOptions, ExperimentSource};
use crate::output::{self, Format};

/// The arguments of `bests`.
#[derive(Debug, Args)]
#[command(after_help = "Example: ikeru bests knapsack.toml --check")]
pub struct Arguments {
    /// The file of an experiment with a problem of commands
    experiment: String,
    /// Let the referee check every kept answer again; a score that it refuses is named and taken out (exit code 3)
    #[arg(long)]
    check: bool,
    /// First take over the better scores of another folder with a bests.csv
    #[arg(long, value_name = "DIR")]
    join: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

/// The time that a referee may take for one answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Prints the ledger beside an experiment, after joining and checking it.
///
/// # Errors
/// An experiment without a ledger, or a file that cannot be read or written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let source = ExperimentSource::read(&arguments.experiment)?;
    let Some(scored) = ScoredExperiment::of(&source) else {
        bail!(
            "{}: has no best scores; expected a problem of commands with a referee, to maximize or to minimize",
            arguments.experiment
        );
    };
    let mut ledger = Ledger::read(&scored.folder)?;
    if let Some(other) = &arguments.join {
        let theirs = Ledger::read(other)?;
        for known in theirs.iter() {
            if ledger.improve(known.clone()) {
                copy(other, &scored.folder, &known.answer)?;
            }
        }
    }
    let names = instances(source)?;
    let mut refused = 0;
    if arguments.check {
        let all: Vec<BestKnown> = ledger.iter().cloned().collect();
        for known in all {
            let Some((name, instance)) = names.get(&known.instance) else {
                continue;
            };
            let who = format!("{name}, {} by {}", known.score, known.variant);
            match check(&scored.folder, &known, instance.as_ref()) {
                Ok(None) => {}
                Ok(Some(why)) => {
                    output::tell(&format!("taken out: {who}: {why}"));
                    ledger.take_out(&known.instance);
                    refused += 1;
                }
                // Nobody refused it: an answer that is not there, or a referee that failed.
                Err(why) => output::tell(&format!("warning: not checked: {who}: {why:#}")),
            }
        }
    }
    if arguments.join.is_some() || refused > 0 {
        ledger.write(&scored.folder)?;
    }
    let mut table = Table::new("", "instance | best score | variant | date");
    let known = ledger.iter();
    table.rows.extend(known.map(|known| {
        let name = names
            .get(&known.instance)
            .map_or(&known.instance, |(name, _)| name);
        row![name, known.score.to_string(), &known.variant, &known.date]
    }));
    output::print_table(table, arguments.format)?;
    if refused > 0 {
        output::tell(&format!(
            "{} refused by the referee",
            plural(refused, "score")
        ));
        return Ok(output::WRONG_ANSWER.into());
    }
    Ok(ExitCode::SUCCESS)
}

/// Instances by their hashes, each with its name.
type NamedInstances = BTreeMap<String, (String, Arc<dyn AnyInstance>)>;

/// The instances of an experiment.
fn instances(source: ExperimentSource) -> Result<NamedInstances> {
    let name = source.experiment.name.clone();
    let campaign = Campaign::new(&name, vec![source], CampaignOptions::default())?;
    let cells = campaign.plan.stages.iter().flat_map(|stage| &stage.cells);
    let named = cells.map(|cell| {
        let input = &cell.input;
        (
            input.hash.to_string(),
            (input.name.clone(), input.base.clone()),
        )
    });
    Ok(named.collect())
}

/// Why the referee refuses the kept answer of a best-known score; `None` if it confirms the score.
///
/// # Errors
/// An answer that was not kept, or a referee that failed.
fn check(folder: &Path, known: &BestKnown, instance: &dyn AnyInstance) -> Result<Option<String>> {
    let path = folder.join(ANSWERS).join(&known.answer);
    if known.answer.is_empty() {
        bail!("its answer was not kept");
    }
    let text =
        fs::read_to_string(&path).with_context(|| format!("{}: cannot read it", path.display()))?;
    let judged = instance.judge(&Json::from(text), Deadline::after(PATIENCE))?;
    match judged.verdict {
        Ok(checked) if checked.score == Some(known.score) => Ok(None),
        Ok(checked) => {
            let score = checked
                .score
                .map_or("no score".to_owned(), |score| score.to_string());
            Ok(Some(format!("the referee finds {score}")))
        }
        Err(Rejection::Wrong(wrong)) => Ok(Some(wrong.to_string())),
        Err(rejection) => Err(anyhow!("{rejection}")),
    }
}
