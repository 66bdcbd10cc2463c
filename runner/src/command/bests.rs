//! `ikeru bests`: the best-known scores of an experiment, checked again.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ikeru_bench_data::text_file;
use ikeru_core::{AnyInstance, Deadline, Rejection, Score};
use ikeru_reports::records::bests::{ANSWERS, BestKnown, Ledger, decimal};
use ikeru_reports::row;
use ikeru_reports::table::Table;
use ikeru_reports::units::plural;
use serde_json::Value as Json;

use crate::bests::{ScoredExperiment, lock};
use crate::campaign::{Campaign, CampaignOptions, ExperimentSource};
use crate::interrupt::{self, Interrupted};
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
    #[command(flatten)]
    format: Format,
}

/// The time that a referee may take for one answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Prints the ledger of an experiment, after checking it.
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
    // A check that confirms everything needs no lock, so it works in a folder that is read-only.
    let held = arguments.check.then(|| lock(&scored.folder)).transpose();
    let mut ledger = Ledger::read(&scored.folder)?;
    let known: Vec<&BestKnown> = ledger.of(scored.direction).collect();
    let names = instances(&source, &known)?;
    let [confirmed, refused] = match arguments.check {
        true => check_all(&mut ledger, &scored, &names),
        false => [0; 2],
    };
    if refused > 0 {
        let _lock = held?;
        ledger.write(&scored.folder)?;
    }
    if arguments.check {
        interrupt::check()?;
    }
    let mut table = Table::new("", "instance | best score | variant | date");
    // The rows have the order of the experiment.
    let mut known: Vec<&BestKnown> = ledger.of(scored.direction).collect();
    let place = |known: &&BestKnown| names.get(&known.instance).map_or(usize::MAX, |one| one.at);
    known.sort_by_key(place);
    table.rows.extend(known.into_iter().map(|known| {
        let named = names.get(&known.instance);
        let name = named.map_or(&known.instance, |one| &one.name);
        let score = decimal(known.score, known.decimals);
        row![name, score, &known.variant, &known.date]
    }));
    output::print_table(table, arguments.format)?;
    let tell = |count, what: &str| {
        output::tell(&format!("{} {what} by the referee", plural(count, "score")));
    };
    if arguments.check {
        tell(confirmed, "confirmed");
    }
    if refused > 0 {
        tell(refused, "refused");
        return Ok(output::WRONG_ANSWER.into());
    }
    Ok(ExitCode::SUCCESS)
}

/// An instance with its name and its place in the experiment.
struct NamedInstance {
    at: usize,
    name: String,
    base: Arc<dyn AnyInstance>,
}

/// Instances by their hashes.
type NamedInstances = BTreeMap<String, NamedInstance>;

/// The instances of an experiment, with further seeds as long as they bring instances that the ledger has.
fn instances(source: &ExperimentSource, known: &[&BestKnown]) -> Result<NamedInstances> {
    let name = source.experiment.name.clone();
    let (mut named, mut made, mut times, mut left) = (NamedInstances::new(), 0, 1_u32, None);
    loop {
        let mut drawn = source.clone();
        drawn.experiment.draw(made, times)?;
        let campaign = match Campaign::new(&name, vec![drawn], CampaignOptions::default()) {
            Err(error) if made > 0 && !error.is::<Interrupted>() => {
                output::warn(&format!("no further seeds: {error:#}"));
                return Ok(named);
            }
            other => other?,
        };
        for cell in campaign.plan.stages.iter().flat_map(|stage| &stage.cells) {
            let input = &cell.input;
            let at = named.len();
            let instance = || NamedInstance {
                at,
                name: input.name.clone(),
                base: input.base.clone(),
            };
            named.entry(input.hash.to_string()).or_insert_with(instance);
        }
        let is_missing = |known: &&&BestKnown| !named.contains_key(&known.instance);
        let missing = known.iter().filter(is_missing).count();
        // The missing ones are of other experiments in this folder, or the generator makes them no more.
        if missing == 0 || left.replace(missing) == Some(missing) {
            return Ok(named);
        }
        made = times;
        times += (times / 2).max(1);
    }
}

/// Lets the referee check the best answer of each instance. A refused score is taken out; the one that the referee finds
/// for its answer is kept, and the best of the file is checked. Returns the number of confirmed and of refused ones.
fn check_all(ledger: &mut Ledger, scored: &ScoredExperiment, names: &NamedInstances) -> [usize; 2] {
    let [mut confirmed, mut refused] = [0; 2];
    for (hash, NamedInstance { name, base, .. }) in names {
        if interrupt::check().is_err() {
            break;
        }
        let mut best = ledger.best(hash, scored.direction).cloned();
        let mut is_found = false;
        while let Some(known) = best.take() {
            let score = decimal(known.score, known.decimals);
            let who = format!("{name}, {score} by {}", known.variant);
            match check(scored, &known, base.as_ref()) {
                Ok(None) => confirmed += 1,
                Ok(Some((why, found))) => {
                    output::tell(&format!("taken out: {who}: {why}"));
                    ledger.take_out(hash, scored.direction);
                    // Once: a referee may find another score each time.
                    if let Some(score) = found.filter(|_| !is_found) {
                        is_found = true;
                        let decimals = scored.decimals;
                        ledger.improve(BestKnown {
                            score,
                            decimals,
                            ..known
                        });
                    }
                    best = ledger.best(hash, scored.direction).cloned();
                    refused += 1;
                }
                // Nobody refused it: an answer that is not there, or a referee that failed.
                Err(why) => output::warn(&format!("not checked: {who}: {why:#}")),
            }
        }
    }
    let known = ledger.of(scored.direction);
    let unknown = known.filter(|known| !names.contains_key(&known.instance));
    if let count @ 1.. = unknown.count() {
        let scores = plural(count, "score");
        output::warn(&format!(
            "not checked: {scores} of instances that the experiment does not have"
        ));
    }
    [confirmed, refused]
}

/// The kept answer of a best-known score.
///
/// # Errors
/// An answer that was not kept, or is no text.
fn kept(folder: &Path, known: &BestKnown) -> Result<String> {
    if known.answer.is_empty() {
        bail!("its answer was not kept");
    }
    let path = folder.join(ANSWERS).join(&known.answer);
    let bytes = text_file::bytes(&path);
    let text = bytes.map(String::from_utf8);
    let text = text.with_context(|| format!("{}: cannot read it", path.display()))?;
    text.with_context(|| format!("{}: cannot read it", path.display()))
}

/// Why the referee refuses the kept answer of a best-known score, and the score that it finds; `None` if it confirms the
/// score.
///
/// # Errors
/// An answer that was not kept, or a referee that failed.
fn check(
    scored: &ScoredExperiment,
    known: &BestKnown,
    instance: &dyn AnyInstance,
) -> Result<Option<(String, Option<Score>)>> {
    if scored.is_none(known) {
        let least = scored.least.unwrap_or_default();
        return Ok(Some((format!("it is none; `least` is {least}"), None)));
    }
    let text = kept(&scored.folder, known)?;
    if scored.has_tester {
        bail!("the tester gave it while the solver ran");
    }
    let decimals = scored.decimals;
    let judged = instance.judge(&Json::from(text), Deadline::after(PATIENCE))?;
    match judged.verdict {
        Ok(checked) => {
            let known = known.with_decimals(decimals).map(|known| known.score);
            let found = checked.score.map(|score| decimal(score, decimals));
            let found = found.unwrap_or("no score".to_owned());
            let is_same = checked.score.is_some() && checked.score == known;
            Ok((!is_same).then(|| (format!("the referee finds {found}"), checked.score)))
        }
        Err(none @ (Rejection::Wrong(_) | Rejection::NoAnswer(_))) => {
            Ok(Some((none.to_string(), None)))
        }
        Err(rejection) => Err(anyhow!("{rejection}")),
    }
}
