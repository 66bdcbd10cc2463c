//! Which part of experiments runs, and under which limits: the flags that `run`, `emit` and `submit` share.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::time::Duration;

use clap::{Args, ValueEnum};
use ikeru_bench_data::experiment::{Run, parse_duration};
use ikeru_bench_data::{Mode, Overrides};

use crate::campaign::{Options, Source};
use crate::output::quoted;
use crate::plan::Choice;

/// What decides which samples there are.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct Scope {
    /// Only this variant, by name or label; may be given several times
    #[arg(long, value_name = "V")]
    variant: Vec<String>,
    /// Only instances whose name contains this; may be given several times
    #[arg(long, value_name = "I")]
    instance: Vec<String>,
    /// Only this cell, by the beginning of its `cell` in records.csv; may be given several times
    #[arg(long, value_name = "ID")]
    cell: Vec<String>,
    /// Worker threads in contended mode [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// Time limit of one sample, like 60s
    #[arg(long, value_parser = parse_duration)]
    limit: Option<Duration>,
    /// Each cell in a process of its own, with hard limits of time and memory
    #[arg(long)]
    isolate: bool,
    /// Logs each rise of the incumbent: column `rises`, anytime.csv
    #[arg(long)]
    anytime: bool,
    /// Memory of such a process, like 256MiB; of its children each may have as much again, unless run.toml says
    /// `isolation = "cgroup"` and the system lets memory be limited there
    #[arg(long, value_name = "SIZE", value_parser = parse_mebibytes)]
    memory: Option<u64>,
    /// Skips what is larger than an instance of its family that was over its limit; along the experiment's column if
    /// none is said here, and along `size` if it has none
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, require_equals = true)]
    skip_hopeless: Option<Option<String>>,
    /// Samples per cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: Option<u32>,
    /// How samples share the machine
    #[arg(long)]
    mode: Option<ModeName>,
    /// Moves all generated instances to other seeds
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Replaces a parameter or a setting; a,b,c is a list
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// The articles' scale instead of the quick one
    #[arg(long)]
    full: bool,
}

impl Scope {
    /// Takes the variants of `--variant`; they no longer narrow the plan.
    pub fn take_variants(&mut self) -> Vec<String> {
        std::mem::take(&mut self.variant)
    }

    /// The options of a campaign with this scope.
    pub fn options(&self) -> Options {
        let mode = self.mode.map(|mode| match mode {
            ModeName::Isolated => Mode::Isolated,
            ModeName::Contended => Mode::Contended,
            ModeName::Modelled => Mode::Modelled,
        });
        Options {
            overrides: Overrides {
                full: self.full,
                sets: self.sets.clone(),
                run: Run {
                    limit: self.limit,
                    repeats: self.repeats,
                    isolate: self.isolate.then_some(true),
                    anytime: self.anytime.then_some(true),
                    memory_mib: self.memory,
                    mode,
                    ..Run::default()
                },
                skip_hopeless: self.skip_hopeless.clone(),
            },
            choice: Choice {
                variants: self.variant.clone(),
                instances: self.instance.clone(),
                seed: self.seed,
                cells: self.cell.clone(),
                part: None,
                ranks: Vec::new(),
            },
            jobs: self.jobs,
            ..Options::default()
        }
    }

    /// The commands that `--cell` follows to measure a cell of the experiments again, by their names.
    pub fn again(&self, sources: &[Source]) -> BTreeMap<String, String> {
        let plan = Self {
            cell: Vec::new(),
            ..self.clone()
        };
        let flags = plan.words();
        let command = |source: &Source| {
            let name = &source.experiment.name;
            let typed = source.file.as_ref().map_or(name, |(path, _)| path);
            let words = ["ikeru", "run", typed].into_iter();
            let words = words.chain(flags.iter().map(String::as_str)).map(quoted);
            (name.clone(), words.collect::<Vec<_>>().join(" "))
        };
        sources.iter().map(command).collect()
    }

    /// The flags that a command line would give for this scope.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut say = |flag: &str, value: &dyn ToString| {
            words.push(format!("--{flag}={}", value.to_string()));
        };
        self.variant.iter().for_each(|name| say("variant", name));
        self.instance.iter().for_each(|name| say("instance", name));
        self.cell.iter().for_each(|cell| say("cell", cell));
        self.jobs.iter().for_each(|jobs| say("jobs", jobs));
        let limit = self.limit.map(|limit| format!("{}ns", limit.as_nanos()));
        limit.iter().for_each(|limit| say("limit", limit));
        let memory = self.memory.map(|mebibytes| format!("{mebibytes}MiB"));
        memory.iter().for_each(|memory| say("memory", memory));
        self.repeats
            .iter()
            .for_each(|repeats| say("repeats", repeats));
        let mode = self.mode.and_then(|mode| mode.to_possible_value());
        mode.iter().for_each(|mode| say("mode", &mode.get_name()));
        if self.seed != 0 {
            say("seed", &self.seed);
        }
        self.sets.iter().for_each(|set| say("set", set));
        if let Some(Some(column)) = &self.skip_hopeless {
            say("skip-hopeless", column);
        }
        let alone = [
            (self.isolate, "--isolate"),
            (self.anytime, "--anytime"),
            (self.skip_hopeless == Some(None), "--skip-hopeless"),
            (self.full, "--full"),
        ];
        words.extend(
            alone
                .into_iter()
                .filter(|(given, _)| *given)
                .map(|(_, flag)| flag.to_owned()),
        );
        words
    }
}

/// A mode as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// One sample at a time, timed
    Isolated,
    /// All cores busy
    Contended,
    /// Searches over --ranks ranks, worked out by an event model
    Modelled,
}

/// `256MiB` or `2GiB` in MiB.
///
/// # Errors
/// What was expected.
pub fn parse_mebibytes(text: &str) -> Result<u64, String> {
    let number = |unit| {
        text.strip_suffix(unit)
            .and_then(|n| n.trim().parse::<u64>().ok())
    };
    let mebibytes = number("MiB").or_else(|| number("GiB")?.checked_mul(1024));
    let mebibytes = mebibytes.filter(|n| (1..=1 << 30).contains(n));
    mebibytes.ok_or_else(|| "expected a size like 256MiB or 2GiB".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        scope: Scope,
    }

    fn read(words: &[String]) -> Scope {
        let line = ["ikeru".to_owned()]
            .into_iter()
            .chain(words.iter().cloned());
        Line::try_parse_from(line).expect("a command line").scope
    }

    #[test]
    fn a_scope_is_read_back_from_its_words() {
        assert_eq!(read(&[]), Scope::default());
        let full = Scope {
            variant: vec!["memo".to_owned(), "flat 2".to_owned()],
            instance: vec!["room".to_owned()],
            cell: vec!["0a".to_owned()],
            jobs: NonZero::new(3),
            limit: Some(Duration::from_millis(1500)),
            isolate: true,
            anytime: true,
            memory: Some(256),
            skip_hopeless: Some(Some("setting_steps".to_owned())),
            repeats: Some(7),
            mode: Some(ModeName::Contended),
            seed: 9,
            sets: vec!["steps=1,2".to_owned()],
            full: true,
        };
        assert_eq!(read(&full.words()), full);
        let plain = Scope {
            skip_hopeless: Some(None),
            ..Scope::default()
        };
        assert_eq!(read(&plain.words()), plain);
    }
}
