//! What `emit` and `submit` share: an experiment, divided into shards, in a folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use ikeru_bench_data::Mode;
use ikeru_bench_data::experiment::parse_duration;

use super::scope::Scope;
use crate::campaign::{Campaign, Source};
use crate::cluster::Divided;
use crate::cluster::division::{Earlier, Tasks, divide, questions};
use crate::cluster::folder::About;
use crate::output;

/// The experiments and what decides their samples.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct Planned {
    /// Built-in experiments (ikeru list experiments) or paths of TOML files
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<String>,
    /// Which part of it runs
    #[command(flatten)]
    pub scope: Scope,
}

impl Planned {
    /// The experiments.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one, or a file that is wrong.
    pub fn sources(&self) -> Result<Vec<Source>> {
        self.experiments
            .iter()
            .map(|name| Source::read(name))
            .collect()
    }

    /// As words of a command line, with paths that hold in every folder.
    fn words(&self) -> Vec<String> {
        let absolute = |name: &String| {
            let path = PathBuf::from(name).canonicalize();
            let is_file = path.as_ref().is_ok_and(|path| path.is_file());
            path.ok()
                .filter(|_| is_file)
                .map_or_else(|| name.clone(), |path| path.to_string_lossy().into_owned())
        };
        let mut words = self.scope.words();
        words.push("--".to_owned());
        words.extend(self.experiments.iter().map(absolute));
        words
    }
}

/// How a campaign is divided.
#[derive(Debug, Clone, Args)]
pub struct Division {
    /// How many shards, as far as there are questions
    #[arg(long, value_name = "N", default_value_t = 16, conflicts_with = "task_time",
          value_parser = clap::value_parser!(u32).range(1..))]
    tasks: u32,
    /// As many shards as take about this time each, like 20m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    task_time: Option<Duration>,
    /// A run folder whose times say how long cells take; otherwise the experiment's own expectation does
    #[arg(long, value_name = "DIR")]
    like: Option<PathBuf>,
    /// After so many starts in a row that add no sample a shard gives up: what it lacks becomes rows that say so
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    give_up_after: u32,
    /// Times isolated cells on nodes that other jobs may use; the report says so
    #[arg(long)]
    share_nodes: bool,
    /// The program as the nodes find it [default: this one]
    #[arg(long, value_name = "PATH")]
    program: Option<String>,
}

/// Plans the experiments and writes them, divided, into a new folder.
///
/// # Errors
/// An input error, what `check` refuses, or a folder that holds a campaign or cannot be written.
pub fn create(
    planned: &Planned,
    division: &Division,
    folder: &Path,
    check: &dyn Fn(&About, &Path) -> Result<()>,
) -> Result<Divided> {
    let sources = planned.sources()?;
    let Some(first) = sources.first() else {
        bail!("no experiment; `ikeru list experiments` names them");
    };
    let name = first.experiment.name.clone();
    let campaign = Campaign::new(&name, sources, planned.scope.options())?;
    let earlier = division.like.as_deref().map(Earlier::read).transpose()?;
    let tasks = division
        .task_time
        .map_or(Tasks::Count(division.tasks), Tasks::Time);
    let shards = divide(questions(&campaign, earlier.as_ref()), tasks)?;
    let mut stages = campaign.plan.stages.iter();
    let about = About {
        name,
        program: match &division.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()?.to_string_lossy().into_owned(),
        },
        words: planned.words(),
        shards: u32::try_from(shards.len())?,
        give_up_after: division.give_up_after as usize,
        isolated: stages.any(|stage| stage.mode == Mode::Isolated),
        share_nodes: division.share_nodes,
    };
    check(&about, &std::path::absolute(folder)?)?;
    Divided::create(folder, about, shards)
}

/// Refuses words that differ from those of the campaign, if any are given.
///
/// # Errors
/// Both command lines.
pub fn check_same(planned: &Planned, divided: &Divided) -> Result<()> {
    let words = planned.words();
    if *planned == Planned::default() || words == divided.about.words {
        return Ok(());
    }
    let line = |words: &[String]| {
        let words = words
            .iter()
            .filter(|word| *word != "--")
            .map(|word| output::quoted(word));
        words.collect::<Vec<_>>().join(" ")
    };
    bail!(
        "{} was divided for `{}`, not for `{}`; choose another --out",
        divided.root.display(),
        line(&divided.about.words),
        line(&words)
    )
}

/// What was divided, in a sentence.
pub fn told(divided: &Divided) -> String {
    let questions: Vec<_> = divided
        .shards()
        .flat_map(|(_, questions)| questions)
        .collect();
    let samples: u64 = questions.iter().map(|one| one.samples).sum();
    let loads = divided
        .shards()
        .map(|(_, own)| own.iter().map(|one| one.expected).sum::<Duration>());
    let longest = loads.max().unwrap_or_default();
    format!(
        "{}: {} questions with {samples} samples in {} shards, the longest expected to take {}\n",
        divided.root.display(),
        questions.len(),
        divided.about.shards,
        ikeru_reports::units::duration(longest.as_nanos() as f64)
    )
}
