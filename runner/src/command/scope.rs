//! The flags that select samples: the part of the experiments that runs, and its limits.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ikeru_bench_data::experiment::{MOST_SHIFT, Run, parse_duration};
use ikeru_bench_data::{Mode, Overrides, builtin};

use crate::campaign::{CampaignOptions, ExperimentSource};
use crate::output::quoted;
use crate::plan::Selection;

/// The flags of questions and their limit, which `ab` has too.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct Asked {
    /// Only this variant, by name or label; may be repeated
    #[arg(long, value_name = "V")]
    pub variant: Vec<String>,
    /// Only instances whose name contains this, with whole numbers (`seed 1` is not `seed 10`); may be repeated
    #[arg(long, value_name = "I")]
    pub instance: Vec<String>,
    /// Replace a parameter or a setting; a,b,c is a list, 'KEY="a,b"' one value with a comma; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Time limit of one answer, like 60s
    #[arg(long, value_parser = parse_duration)]
    pub limit: Option<Duration>,
    /// Shift all generated instances to other seeds, by a million for each, and the order of samples
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=MOST_SHIFT))]
    pub seed: u64,
}

/// The flags that decide which samples a run has.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct Scope {
    #[command(flatten)]
    asked: Asked,
    /// Samples per cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: Option<u32>,
    /// Draw N times as many instances, with further seeds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    draw: Option<u32>,
    /// Use the articles' scale instead of the quick one
    #[arg(long)]
    full: bool,
    /// Only this cell, by the beginning of its `cell` in records.csv; may be repeated
    #[arg(long, value_name = "ID", hide_short_help = true, help_heading = SAMPLES)]
    cell: Vec<String>,
    /// How samples share the machine
    #[arg(long, value_parser = mode(), hide_short_help = true, help_heading = SAMPLES)]
    mode: Option<Mode>,
    /// Worker threads in contended mode [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true, help_heading = SAMPLES)]
    jobs: Option<u32>,
    /// Run each cell in a child process, with hard limits of time and memory
    #[arg(long, hide_short_help = true, help_heading = SAMPLES)]
    isolate: bool,
    /// Memory limit per process, like 256MiB; child processes of it each get the same limit, unless run.toml says
    /// `isolation = "cgroup"`
    #[arg(long, value_name = "SIZE", value_parser = parse_mebibytes, hide_short_help = true, help_heading = SAMPLES)]
    memory: Option<u64>,
    /// After a timeout, skip larger instances of the same family, by COLUMN [default: the experiment's, else `size`]
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, require_equals = true, default_missing_value = "",
          hide_short_help = true, help_heading = SAMPLES)]
    skip_hopeless: Option<String>,
    /// Log each rise of the incumbent: column `rises`
    #[arg(long, hide_short_help = true, help_heading = SAMPLES)]
    anytime: bool,
}

/// The heading of the flags that few runs need.
const SAMPLES: &str = "How samples are taken";

impl Asked {
    /// The options of a campaign with these questions.
    pub fn options(&self) -> CampaignOptions {
        CampaignOptions {
            overrides: Overrides {
                sets: self.sets.clone(),
                run: Run {
                    limit: self.limit,
                    ..Run::default()
                },
                ..Overrides::default()
            },
            choice: Selection {
                variants: self.variant.clone(),
                instances: self.instance.clone(),
                seed: self.seed,
                ..Selection::default()
            },
            ..CampaignOptions::default()
        }
    }
}

impl Scope {
    /// The options of a campaign with this scope.
    pub fn options(&self) -> CampaignOptions {
        let mut options = self.asked.options();
        options.choice.cells = self.cell.clone();
        options.jobs = self.jobs.and_then(|jobs| NonZero::new(jobs as usize));
        options.overrides = Overrides {
            full: self.full,
            draw: self.draw,
            skip_hopeless: self.skip_hopeless.clone(),
            run: Run {
                repeats: self.repeats,
                isolate: self.isolate.then_some(true),
                anytime: self.anytime.then_some(true),
                memory_mib: self.memory,
                mode: self.mode,
                ..options.overrides.run
            },
            ..options.overrides
        };
        options
    }
}

/// The command that `--cell` follows to measure a cell again, for each experiment; `words` are the flags of the scope.
pub fn again(sources: &[ExperimentSource], words: &[String]) -> BTreeMap<String, String> {
    let flags = words.iter().filter(|word| !word.starts_with("--cell="));
    let flags: String = flags.map(|word| format!(" {}", quoted(word))).collect();
    let data = builtin::data_option();
    let command = |source: &ExperimentSource| {
        let name = &source.experiment.name;
        let typed = source.file.as_ref().map_or(name, |(path, _)| path);
        let typed = quoted(typed);
        (name.clone(), format!("ikeru run {typed}{flags}{data}"))
    };
    sources.iter().map(command).collect()
}

/// Reads the word of a mode.
fn mode() -> impl TypedValueParser<Value = Mode> {
    let words = Mode::ALL.map(|mode| PossibleValue::new(mode.name()).help(mode.about()));
    PossibleValuesParser::new(words).map(|typed| Mode::named(&typed).unwrap_or_default())
}

/// `256MiB` or `2GiB` in MiB.
///
/// # Errors
/// The expected form.
pub fn parse_mebibytes(text: &str) -> Result<u64, String> {
    let number = |unit| text.strip_suffix(unit)?.trim().parse::<u64>().ok();
    let mebibytes = number("MiB").or_else(|| number("GiB")?.checked_mul(1024));
    let mebibytes = mebibytes.filter(|n| (1..=1 << 30).contains(n));
    mebibytes.ok_or_else(|| "expected a size like 256MiB or 2GiB".to_owned())
}
