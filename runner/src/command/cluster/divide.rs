//! The common part of `emit` and `submit`: an experiment, divided into shards, in a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use ikeru_bench_data::experiment::parse_duration;
use ikeru_bench_data::{Mode, builtin};
use ikeru_cluster::Divided;
use ikeru_cluster::division::{Earlier, ShardQuestion, Tasks, divide};
use ikeru_cluster::folder::About;
use ikeru_core::ContentHash;
use ikeru_core::shell_quoted as quoted;
use serde::{Deserialize, Serialize};

use crate::campaign::{Campaign, CampaignOptions, ExperimentSource};
use crate::command::scope::Scope;
use crate::command::typed::Typed;

/// The experiments to divide and the flags that decide their samples.
#[derive(Debug, Clone, Default, Args)]
pub struct Divisible {
    /// Built-in experiments (ikeru list experiments) or paths of TOML files
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<String>,
    #[command(flatten)]
    scope: Typed<Scope>,
}

impl Divisible {
    /// The experiments and options of each shard.
    fn planned(&self) -> Planned {
        Planned {
            experiments: self.experiments.iter().map(absolute).collect(),
            words: self.scope.words.clone(),
            options: self.scope.flags.options(),
        }
    }
}

/// The absolute path of a file; any other name as it is.
fn absolute(name: &String) -> String {
    let path = PathBuf::from(name).canonicalize();
    let path = path.ok().filter(|path| path.is_file());
    path.map_or_else(|| name.clone(), |path| path.to_string_lossy().into_owned())
}

/// The experiments and options that each shard runs with, as `campaign.toml` keeps them.
#[derive(Debug, Serialize, Deserialize)]
pub struct Planned {
    experiments: Vec<String>,
    /// The flags as they were typed, for messages and commands.
    pub words: Vec<String>,
    /// The options of every shard.
    pub options: CampaignOptions,
}

impl Planned {
    /// The experiments and options of a divided campaign.
    ///
    /// # Errors
    /// A `campaign.toml` of another version.
    pub fn of(divided: &Divided) -> Result<Self> {
        let table = divided.about.planned.clone();
        let place = || format!("{}/campaign.toml: [planned]", divided.root.display());
        table.try_into().with_context(place)
    }

    /// The experiments.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one, or a file that is wrong.
    pub fn sources(&self) -> Result<Vec<ExperimentSource>> {
        let names = self.experiments.iter();
        names.map(|name| ExperimentSource::read(name)).collect()
    }

    fn line(&self) -> String {
        let words = self.words.iter().chain(&self.experiments);
        words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// The flags that divide a campaign.
#[derive(Debug, Clone, Args)]
pub struct Division {
    /// Number of shards, at most one per question
    #[arg(long, value_name = "N", default_value_t = 16, conflicts_with = "task_time",
          value_parser = clap::value_parser!(u32).range(1..))]
    tasks: u32,
    /// Shards of about this expected time, e.g. 20m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    task_time: Option<Duration>,
    /// A run folder to estimate times from [default: the experiment's own expectation]
    #[arg(long, value_name = "DIR")]
    like: Option<PathBuf>,
    /// A shard gives up after K starts in a row without a new sample; its missing samples become rows that say so
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    give_up_after: u32,
    /// Time isolated cells on nodes that other jobs may use; the report says so
    #[arg(long)]
    share_nodes: bool,
    /// Path of the program on the nodes [default: this one]
    #[arg(long, value_name = "PATH")]
    program: Option<String>,
}

/// Plans the experiments and writes them, divided, into a new folder.
///
/// # Errors
/// An input error, what `check` refuses, or a folder that holds a campaign or cannot be written.
pub fn create(
    divisible: &Divisible,
    division: &Division,
    folder: &Path,
    check: &dyn Fn(&About, &Path) -> Result<()>,
) -> Result<Divided> {
    let planned = divisible.planned();
    let sources = planned.sources()?;
    let Some(first) = sources.first() else {
        bail!("no experiment; `ikeru list experiments` names them");
    };
    let name = first.experiment.name.clone();
    let campaign = Campaign::new(&name, sources, planned.options.clone())?;
    let earlier = division.like.as_deref().map(Earlier::read).transpose()?;
    let count = Tasks::Count(division.tasks);
    let tasks = division.task_time.map_or(count, Tasks::Time);
    let shards = divide(questions(&campaign, earlier.as_ref()), tasks)?;
    let mut stages = campaign.plan.stages.iter();
    let about = About {
        name,
        program: match &division.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()?.to_string_lossy().into_owned(),
        },
        shards: u32::try_from(shards.len())?,
        questions: shards.iter().map(Vec::len).sum(),
        give_up_after: division.give_up_after as usize,
        isolated: stages.any(|stage| stage.mode == Mode::Isolated),
        share_nodes: division.share_nodes,
        data: builtin::added_folder()
            .map(std::path::absolute)
            .transpose()?,
        planned: toml::Table::try_from(&planned)?,
    };
    check(&about, &std::path::absolute(folder)?)?;
    Divided::create(folder, about, shards)
}

/// Reads the campaign of a folder, and adds the user's data that it was divided with.
///
/// # Errors
/// A folder without a campaign, or a file that is wrong.
pub fn read(folder: &Path) -> Result<Divided> {
    let divided = Divided::read(folder)?;
    let is_first = builtin::added_folder().is_none();
    if let Some(data) = divided.about.data.as_ref().filter(|_| is_first) {
        builtin::add(data)?;
    }
    Ok(divided)
}

/// Refuses experiments or options that differ from those of the campaign, if any are given.
///
/// # Errors
/// Both command lines.
pub fn check_same(divisible: &Divisible, divided: &Divided) -> Result<()> {
    let planned = divisible.planned();
    let is_empty = planned.experiments.is_empty() && planned.words.is_empty();
    if is_empty || toml::Table::try_from(&planned)? == divided.about.planned {
        return Ok(());
    }
    let (root, before) = (divided.root.display(), Planned::of(divided)?.line());
    let now = planned.line();
    bail!("{root} was divided for `{before}`, not for `{now}`; choose another --out")
}

/// The questions of a campaign with their expected times.
fn questions(campaign: &Campaign, earlier: Option<&Earlier>) -> Vec<ShardQuestion> {
    let mut all: BTreeMap<ContentHash, (u64, Duration)> = BTreeMap::new();
    for (stage, expected) in campaign.plan.stages.iter().zip(&campaign.expected) {
        let cells = u32::try_from(stage.cells.len()).unwrap_or(u32::MAX).max(1);
        for cell in &stage.cells {
            let id = cell.id.to_string();
            let (label, size) = (&cell.label, cell.input.size);
            let measured = earlier.and_then(|it| it.sample_of(&stage.experiment, &id, label, size));
            let each = expected.time() / cells;
            let time = measured.map_or(each, |sample| sample.saturating_mul(stage.repeats));
            let own = all.entry(cell.asked).or_default();
            own.0 += u64::from(stage.repeats);
            own.1 = own.1.saturating_add(time);
        }
    }
    let question = |(question, (samples, expected))| ShardQuestion {
        question,
        samples,
        expected,
    };
    all.into_iter().map(question).collect()
}

/// The size of the division in a sentence.
pub fn summary(divided: &Divided) -> String {
    let (root, shards) = (divided.root.display(), divided.about.shards);
    let questions: Vec<_> = divided.shards().flat_map(|(_, own)| own).collect();
    let (count, samples) = (questions.len(), questions.iter().map(|one| one.samples));
    let samples: u64 = samples.sum();
    let load = |own: &[ShardQuestion]| own.iter().map(|one| one.expected).sum::<Duration>();
    let longest = divided.shards().map(|(_, own)| load(own)).max();
    let longest = longest.unwrap_or_default().as_nanos() as f64;
    let longest = ikeru_reports::units::about(longest);
    format!(
        "{root}: {count} questions with {samples} samples in {shards} shards, the longest expected to take {longest}\n"
    )
}
