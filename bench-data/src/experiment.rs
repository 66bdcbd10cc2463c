//! The schema of an experiment: what runs, how often, and what is drawn.
//!
//! `examples/every-key.toml` of the repository has every key with its meaning. An unknown key is an error that names its
//! line. The top level is the quick scale; the table `full` replaces parts of it at the articles' scale.

mod commands;
mod expanded;
mod overrides;
mod shown;
mod taken;
mod variants;

use std::collections::BTreeMap;
use std::time::Duration;

use ikeru_core::unknown;
use serde::{Deserialize, Serialize};

pub use commands::{CommandProblem, ProblemEntry, SCORE, ScoreStream, VerdictForm};
pub use expanded::{InstanceSpec, MOST_SHIFT, filled};
pub use overrides::Overrides;
pub use shown::{Analysis, AskedTable, GuideAxis, GuideLine, Pairing, Plot, Scale};
pub(crate) use shown::{median, time_ns};
pub use taken::{Expected, Mode, Run, parse_duration};
pub use variants::{
    LAYOUT, Placeholder, Protocol, UNKNOWN, VariantEntry, VariantSpec, VariantTable, at_layout,
};

use crate::matrix::{Matrix, Values};
use crate::{DataError, PublishedSource};

/// One experiment, as in its file.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The file's name without its ending: lower case with hyphens.
    pub name: String,
    /// One line.
    pub title: String,
    /// A short paragraph on how it was measured and how to read it.
    #[serde(default)]
    pub about: String,
    /// The reason for the result, in up to three sentences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The published source to which it belongs, by the word before the `/` of its figures; by default the source of
    /// the first of `answers`.
    pub source: Option<String>,
    /// The answer in one sentence; by default the title of the first plot. It may contain that plot's ratios.
    pub answer: Option<String>,
    /// True if `reproduce` runs it only when it is named, because it needs another build or files of the user.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_name: bool,
    /// True if `reproduce` runs it after the first page, if time is left: it is expensive for the figures that it
    /// decides.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub later: bool,
    /// The name of a registered problem, or a problem of commands.
    pub problem: ProblemEntry,
    /// The variants that run; `"*"` means all variants of the problem.
    pub variants: Vec<VariantEntry>,
    /// The label of the variant to which speed-ups are relative; by default the first one.
    pub baseline: Option<String>,
    /// The instances.
    #[serde(default)]
    pub instances: Vec<InstanceEntry>,
    /// Settings of the question and of the methods; lists and ranges multiply.
    #[serde(default, skip_serializing_if = "Matrix::is_empty")]
    pub settings: Matrix,
    /// Words that `--set` may replace in `files`, as in `files = "{maps}/*.scen"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// The way in which samples are taken.
    #[serde(default)]
    pub run: Run,
    /// The replacements of `--full`.
    pub full: Option<Full>,
    /// The plots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<Plot>,
    /// The tables on the page, in addition to the summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<AskedTable>,
    /// Named analyses in addition to plots and tables: `consoles`, `growth`, `anytime`, `elo`, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub analyses: Vec<Analysis>,
    /// The number of cells whose answers are drawn on the page.
    #[serde(default)]
    pub pictures: usize,
    /// Identifiers of the published figures that this experiment answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    /// The claims of a text, in the form of a file of `published/`; `claims.toml` in the same folder is read into it.
    pub claims: Option<PublishedSource>,
}

impl Experiment {
    /// The experiment without what changes no sample: its words, tables, plots and analyses.
    #[must_use]
    pub fn without_words(self) -> Self {
        Self {
            title: String::new(),
            about: String::new(),
            why: String::new(),
            answer: None,
            baseline: None,
            plots: Vec::new(),
            tables: Vec::new(),
            analyses: Vec::new(),
            answers: Vec::new(),
            claims: None,
            ..self
        }
    }

    /// The experiment with the claims of a text. Without `answers` of its file it answers those about it; a claim that nothing
    /// measures follows the one before it.
    #[must_use]
    pub fn with_claims(mut self, claims: PublishedSource) -> Self {
        let is_asked = self.answers.is_empty();
        let mut is_own = false;
        for figure in claims.figures.iter().filter(|_| is_asked) {
            is_own = figure
                .ours
                .as_ref()
                .map_or(is_own, |ours| ours.experiment == self.name);
            self.answers.extend(is_own.then(|| figure.id.clone()));
        }
        self.claims = Some(claims);
        self
    }
}

/// The replacements of `--full`. Keys that are absent stay as at the quick scale.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Full {
    /// Replaces the list of variants.
    pub variants: Option<Vec<VariantEntry>>,
    /// Replaces the list of instances.
    pub instances: Option<Vec<InstanceEntry>>,
    /// Replaces these settings, key by key.
    #[serde(skip_serializing_if = "Matrix::is_empty")]
    pub settings: Matrix,
    /// Replaces these keys of `run`.
    pub run: Run,
}

/// The source of instances: a generator or files.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceEntry {
    /// A generator's name.
    pub generator: Option<String>,
    /// Seeds of the generator; 1 by default.
    pub seeds: Option<Values>,
    /// Parameters of the generator; lists and ranges multiply.
    #[serde(default, skip_serializing_if = "Matrix::is_empty")]
    pub set: Matrix,
    /// A pattern of files, relative to the experiment's file (a user's) or the working folder (built in).
    pub files: Option<String>,
    /// The name of the instances in tables; by default made from the parameters.
    pub label: Option<String>,
}

/// The analysis that every problem of commands has.
pub const SCORES: &str = "scores";

impl Experiment {
    /// The name of a plot's files. Two experiments of one run may both declare a plot `time`.
    pub fn file_of(&self, plot: &Plot) -> String {
        if plot.name.starts_with(&self.name) {
            return plot.name.clone();
        }
        format!("{}-{}", self.name, plot.name)
    }

    /// Reads an experiment from a file's text; `file` is its name in errors.
    ///
    /// # Errors
    /// Names the file, the line and the expected content.
    pub fn read(file: &str, text: &str) -> Result<Self, DataError> {
        let mut experiment: Self =
            toml::from_str(text).map_err(|error| DataError::from_toml(file, text, &error))?;
        if let Some(claims) = experiment.claims.take() {
            claims.check(file, text)?;
            experiment = experiment.with_claims(claims);
        }
        let refused = |word: &str, message: String| DataError::new(file, message).at(word, text);
        let completed = experiment.complete_commands();
        completed.map_err(|(word, message)| refused(&word, message))?;
        let plots = experiment.plots.iter().map(|plot| &plot.name);
        for name in plots.chain([&experiment.name]) {
            check_name(name).map_err(|message| refused(&format!("\"{name}\""), message))?;
        }
        for (list, is_empty) in [
            ("variants", experiment.variants.is_empty()),
            ("instances", experiment.instances.is_empty()),
        ] {
            if is_empty {
                let message = format!("`{list}` is empty; expected at least one of them");
                return Err(refused(list, message));
            }
        }
        let of_full = experiment.full.as_ref();
        let of_full = of_full.and_then(|full| full.variants.as_deref());
        for list in [&experiment.variants[..]].into_iter().chain(of_full) {
            variants::check(list).map_err(|(word, message)| refused(&word, message))?;
        }
        let full = experiment.full.as_ref().map(|full| &full.run);
        for run in [&experiment.run].into_iter().chain(full) {
            let (zero, no_time) = ("is 0; expected at least 1", Some(Duration::ZERO));
            let none = "has no value; expected at least one";
            let faults = [
                ("repeats", run.repeats == Some(0), zero),
                ("memory_mib", run.memory_mib == Some(0), zero),
                (
                    "limit",
                    run.limit == no_time,
                    "is 0; expected a longer time",
                ),
                ("threads", run.threads == Some(vec![]), none),
                ("bound_policy", run.bound_policy == Some(vec![]), none),
            ];
            if let Some((key, _, why)) = faults.iter().find(|(_, is_fault, _)| *is_fault) {
                return Err(refused(key, format!("`{key}` {why}")));
            }
        }
        let mut lines = experiment.plots.iter().flat_map(|plot| &plot.lines);
        if let Some(line) = lines.find(|line| !line.at.is_finite()) {
            let message = format!("`lines`: one is at {}; expected a number", line.at);
            return Err(refused("lines", message));
        }
        let of_full = experiment.full.iter();
        let of_full = of_full.filter_map(|full| full.instances.as_ref());
        for entry in experiment.instances.iter().chain(of_full.flatten()) {
            let message = match (&entry.generator, &entry.files) {
                (Some(_), None) => continue,
                (None, Some(_)) if entry.seeds.is_none() && entry.set.is_empty() => continue,
                (None, Some(_)) => {
                    "`seeds` and `set` are a generator's, expected neither beside `files`"
                }
                (None, None)
                    if entry.seeds.is_some() && experiment.problem.commands().is_some() =>
                {
                    let message =
                        "`generate` is missing: `seeds` of `instances` are numbers for a generator";
                    return Err(refused("[problem]", message.to_owned()));
                }
                _ => "each of `instances` needs either `generator` or `files`",
            };
            return Err(refused("instances", message.to_owned()));
        }
        Ok(experiment)
    }

    /// Fills in what a problem of commands determines: names, the protocol of its solvers, its generator, a single
    /// repeat, and its table of scores. The error is a word to look for in the file, and what was expected.
    fn complete_commands(&mut self) -> Result<(), (String, String)> {
        let ProblemEntry::Commands(problem) = &mut self.problem else {
            return Ok(());
        };
        problem.name.clone_from(&self.name);
        problem.check()?;
        let generator = format!("{}.generate", self.name);
        let can_generate = !problem.generate.is_empty();
        let (instances, variants) = match &mut self.full {
            Some(full) => (full.instances.as_mut(), full.variants.as_mut()),
            None => (None, None),
        };
        let own = self.instances.iter_mut();
        for entry in own.chain(instances.into_iter().flatten()) {
            if entry.files.is_none() && can_generate {
                let named = entry.generator.get_or_insert_with(|| generator.clone());
                if *named != generator {
                    let message = format!(
                        "`generator` is `{named}`; expected none: the problem has `generate`"
                    );
                    return Err((format!("\"{named}\""), message));
                }
                let keys = entry.set.keys().map(|key| format!("{key}={{{key}}}, "));
                let keys: String = keys.collect();
                entry.label.get_or_insert(format!("{keys}seed {{seed}}"));
            }
        }
        let own = self.variants.iter_mut();
        for entry in own.chain(variants.into_iter().flatten()) {
            match entry {
                VariantEntry::Table(table) if table.command.is_some() => {
                    table.protocol.get_or_insert(Protocol::Text);
                }
                VariantEntry::Name(name) => {
                    let message = format!(
                        "`{name}` has no command; expected {{ name = \"{name}\", command = [\"./{name}\"] }}"
                    );
                    return Err((format!("\"{name}\""), message));
                }
                VariantEntry::Table(table) => {
                    let message = format!(
                        "`{0}` has no `command`; a problem of commands has no variants of its own",
                        table.name
                    );
                    return Err((format!("\"{}\"", table.name), message));
                }
            }
        }
        self.run.repeats.get_or_insert(1);
        let has_scores = self.analyses.iter().any(|one| one.kind == SCORES);
        if !has_scores && problem.direction != ikeru_core::Direction::Equal {
            let scores = Analysis {
                kind: SCORES.to_owned(),
                ..Analysis::default()
            };
            self.analyses.insert(0, scores);
            // Both sides of a pair play under the same load, and all cores work. Proofs are compared by their times.
            let mut own = self.variants.iter();
            if !own.all(VariantEntry::is_exact) {
                self.run.mode.get_or_insert(Mode::Contended);
            }
        }
        Ok(())
    }

    /// The experiment as TOML, which [`Experiment::read`] reads back.
    pub fn text(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    /// The word of the published source to which it belongs.
    pub fn source(&self) -> Option<&str> {
        let answered = self.answers.first().and_then(|id| id.split('/').next());
        let claimed = self.claims.as_ref().map(PublishedSource::word);
        self.source.as_deref().or(answered).or(claimed)
    }

    /// The experiment at the articles' scale, with the replacements of `full`.
    pub fn at_full_scale(mut self) -> Self {
        if let Some(full) = self.full.take() {
            if let Some(variants) = full.variants {
                self.variants = variants;
            }
            if let Some(instances) = full.instances {
                self.instances = instances;
            }
            self.settings.extend(full.settings);
            self.run.replaced_by(full.run);
        }
        self
    }

    /// Replaces a plain `"*"` by `all` variants of the problem.
    pub fn name_variants(&mut self, all: &[&str]) {
        let star = VariantEntry::Name("*".to_owned());
        while let Some(place) = self.variants.iter().position(|entry| *entry == star) {
            let named = all
                .iter()
                .map(|name| VariantEntry::Name((*name).to_owned()));
            self.variants.splice(place..=place, named);
        }
    }

    /// `--set key=value`: replaces the key wherever the experiment has it (settings, also those of a variant,
    /// parameters of generators, placeholders of `files`). If `is_setting` knows the key, it is added to the
    /// settings.
    ///
    /// # Errors
    /// A key that the experiment does not have; the error suggests the nearest.
    pub fn set(
        &mut self,
        key: &str,
        typed: &str,
        is_setting: impl Fn(&str) -> bool,
    ) -> Result<(), DataError> {
        let values = Values::parse(typed);
        let mut found = false;
        if let Some(parameter) = self.parameters.get_mut(key) {
            typed.clone_into(parameter);
            found = true;
        }
        let instances = self.instances.iter_mut().map(|entry| &mut entry.set);
        let variants = self.variants.iter_mut().filter_map(|entry| match entry {
            VariantEntry::Table(table) => Some(&mut table.set),
            VariantEntry::Name(_) => None,
        });
        for matrix in instances.chain(variants) {
            if let Some(slot) = matrix.get_mut(key) {
                *slot = values.clone();
                found = true;
            }
        }
        if is_setting(key) || self.settings.contains_key(key) {
            self.settings.insert(key.to_owned(), values);
            found = true;
        }
        if found {
            return Ok(());
        }
        let known = self.keys();
        let error = unknown("parameter", key, known.iter().map(String::as_str));
        let file = format!("experiment {}", self.name);
        Err(DataError::new(&file, error.message))
    }

    /// The keys of `files`, settings and generators that `--set` may replace.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.parameters.keys().cloned().collect();
        keys.extend(self.settings.keys().cloned());
        keys.extend(
            self.instances
                .iter()
                .flat_map(|entry| entry.set.keys().cloned()),
        );
        keys.sort();
        keys.dedup();
        keys
    }
}

/// The maximum length of a name in bytes: a file name, with additions, has at most 255.
const LONGEST_NAME: usize = 100;

/// Refuses a name that is not a plain file name. Names become file names or words on the command line.
///
/// # Errors
/// States which characters a name may have.
pub fn check_name(name: &str) -> Result<(), String> {
    let is_fine = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let begins_well = name.starts_with(char::is_alphanumeric);
    if name.len() <= LONGEST_NAME && begins_well && name.chars().all(is_fine) {
        return Ok(());
    }
    Err(format!(
        "the name `{}` is no file name; expected letters, digits, `-`, `_` and `.`, a letter or digit \
         first, at most {LONGEST_NAME} bytes",
        name.escape_debug().take(LONGEST_NAME).collect::<String>()
    ))
}
