//! The schema of an experiment: what is run, how often, and what is drawn of it.
//!
//! `experiments/README.md` explains every key with an example. Unknown keys are errors that name
//! their line. The top level says the quick scale; what the table `full` says replaces it at the
//! articles' scale.

use std::collections::BTreeMap;
use std::time::Duration;

use ikeru_core::{BoundPolicy, Settings, nearest};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::DataError;
use crate::matrix::{Matrix, Scalar, Values, product};

/// One experiment, as its file says.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Lower case with hyphens; the file's name.
    pub name: String,
    /// One line.
    pub title: String,
    /// How to read the result: a short paragraph.
    pub about: String,
    /// The word of a registered problem.
    pub problem: String,
    /// Which variants run; `"*"` stands for all of the problem.
    pub variants: Vec<VariantEntry>,
    /// The label of the variant that speed-ups are relative to; the first one if not said.
    pub baseline: Option<String>,
    /// What they run on.
    pub instances: Vec<InstanceEntry>,
    /// Settings of the question and of the methods; lists and ranges multiply.
    #[serde(default, skip_serializing_if = "Matrix::is_empty")]
    pub settings: Matrix,
    /// Words that `--set` may replace in `files`, as in `files = "{maps}/*.scen"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// How they run.
    #[serde(default)]
    pub run: Run,
    /// What `--full` replaces.
    pub full: Option<Full>,
    /// What is drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<Plot>,
    /// Which tables stand on the page besides the summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
    /// Named analyses that need more than a plot: `consoles`, `growth`, `significance`, `elo`, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub analyses: Vec<Analysis>,
    /// Whether the first answers' pictures stand on the page, and how many.
    #[serde(default)]
    pub pictures: usize,
    /// Identifiers of the published figures that it answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
}

/// What `--full` replaces; what is not said stays as it is at the quick scale.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Full {
    /// Replaces the list of variants.
    pub variants: Option<Vec<VariantEntry>>,
    /// Replaces the list of instances.
    pub instances: Option<Vec<InstanceEntry>>,
    /// Replaces these settings, key by key.
    #[serde(default, skip_serializing_if = "Matrix::is_empty")]
    pub settings: Matrix,
    /// Replaces these keys of `run`.
    #[serde(default)]
    pub run: Run,
}

/// A variant by its name, or with a label and settings of its own.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum VariantEntry {
    /// `"memo"`
    Name(String),
    /// `{ name = "template", label = "stairs", set = { set = "stairs" } }`
    Table(VariantTable),
}

/// A variant with a label and settings of its own.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VariantTable {
    /// The variant's word.
    pub name: String,
    /// What it is called in tables and plots; the name if not said.
    pub label: Option<String>,
    /// Settings for this entry alone; lists and ranges multiply (then say `label` with `{key}`).
    #[serde(default, skip_serializing_if = "Matrix::is_empty")]
    pub set: Matrix,
}

/// Where instances come from: a generator or files.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceEntry {
    /// A generator's name.
    pub generator: Option<String>,
    /// Seeds for the generator; 1 if not said.
    pub seeds: Option<Values>,
    /// Parameters for the generator; lists and ranges multiply.
    #[serde(default, skip_serializing_if = "Matrix::is_empty")]
    pub set: Matrix,
    /// A glob of files, relative to the experiment's file (a user's) or the working folder (built in).
    pub files: Option<String>,
    /// What the instances are called in tables; made from the parameters if not said.
    pub label: Option<String>,
}

/// How samples are taken. All keys are optional; the defaults are those of the methods below.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Samples per cell.
    pub repeats: Option<u32>,
    /// Time limit of one sample: `"60s"`, `"500ms"`, `"2m"`.
    #[serde(default, with = "duration")]
    pub limit: Option<Duration>,
    /// Whether cells run in processes of their own, with hard limits.
    pub isolate: Option<bool>,
    /// Memory limit of one cell in MiB, where cells run in processes of their own.
    pub memory_mib: Option<u64>,
    /// `isolated` (timing) or `contended` (throughput).
    pub mode: Option<Mode>,
    /// Bound policies; several multiply.
    pub bound_policy: Option<Vec<BoundPolicyName>>,
    /// Threads that a variant may use; several multiply. 0 stands for all cores.
    pub threads: Option<Vec<u32>>,
    /// A sample repeats a short answer until it lasts at least this long.
    #[serde(default, with = "duration")]
    pub sample: Option<Duration>,
    /// Warm-up before the first sample of a cell.
    #[serde(default, with = "duration")]
    pub warm_up: Option<Duration>,
    /// A column along which a larger value is harder: after a timeout the rest of the row is skipped.
    pub hopeless_along: Option<String>,
}

impl Run {
    /// Samples per cell: 5.
    #[must_use]
    pub fn repeats(&self) -> u32 {
        self.repeats.unwrap_or(5)
    }
    /// Time limit of one sample: 10 s.
    #[must_use]
    pub fn limit(&self) -> Duration {
        self.limit.unwrap_or(Duration::from_secs(10))
    }
    /// How samples share the machine: isolated.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode.unwrap_or(Mode::Isolated)
    }
    /// Bound policies: shared.
    #[must_use]
    pub fn bound_policies(&self) -> Vec<BoundPolicyName> {
        self.bound_policy
            .clone()
            .unwrap_or(vec![BoundPolicyName::Shared])
    }
    /// Threads: one.
    #[must_use]
    pub fn threads(&self) -> Vec<u32> {
        self.threads.clone().unwrap_or(vec![1])
    }
    /// The shortest sample: 2 ms.
    #[must_use]
    pub fn sample(&self) -> Duration {
        self.sample.unwrap_or(Duration::from_millis(2))
    }
    /// Warm-up: 5 ms where times are taken, none in contended mode.
    #[must_use]
    pub fn warm_up(&self) -> Duration {
        let usual = match self.mode() {
            Mode::Isolated => Duration::from_millis(5),
            Mode::Contended => Duration::ZERO,
        };
        self.warm_up.unwrap_or(usual)
    }

    fn replaced_by(&mut self, other: Self) {
        let Self {
            repeats,
            limit,
            isolate,
            memory_mib,
            mode,
            bound_policy,
            threads,
            sample,
            warm_up,
            hopeless_along,
        } = other;
        self.repeats = repeats.or(self.repeats);
        self.limit = limit.or(self.limit);
        self.isolate = isolate.or(self.isolate);
        self.memory_mib = memory_mib.or(self.memory_mib);
        self.mode = mode.or(self.mode);
        self.bound_policy = bound_policy.or(self.bound_policy.take());
        self.threads = threads.or(self.threads.take());
        self.sample = sample.or(self.sample);
        self.warm_up = warm_up.or(self.warm_up);
        self.hopeless_along = hopeless_along.or(self.hopeless_along.take());
    }
}

/// How samples share the machine. Times of different modes are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Timing: one cell at a time, pinned, interleaved in random order.
    Isolated,
    /// Throughput: all cores busy with cells.
    Contended,
}

impl Mode {
    /// The word in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Isolated => "isolated",
            Self::Contended => "contended",
        }
    }
}

/// [`BoundPolicy`] as the word in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BoundPolicyName {
    /// Every worker knows only its own best score.
    Private,
    /// All workers share one incumbent.
    Shared,
}

impl From<BoundPolicyName> for BoundPolicy {
    fn from(name: BoundPolicyName) -> Self {
        match name {
            BoundPolicyName::Private => Self::Private,
            BoundPolicyName::Shared => Self::Shared,
        }
    }
}

/// One plot: one question, whose answer is the title.
///
/// A column is one of `records.csv`: `wall_ns`, `score`, `size`, `setting_steps`, `param_vertices`,
/// `counter_nodes`, `measure_chains`, `variant`, `label`, `instance`, `seed`, …
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// The file's name without its ending.
    pub name: String,
    /// What is drawn.
    pub kind: PlotKind,
    /// The answer's sentence. `{ratio:A/B}` is replaced by how many times B's values are A's, question
    /// by question; `{ratio:A/B where setting_god=false}` looks at some questions only.
    pub title: String,
    /// One sentence on how to read it.
    #[serde(default)]
    pub reading: String,
    /// The column along x (of a `line`, `scatter`, `pareto`); of `bar` the groups.
    pub x: Option<String>,
    /// The column along y.
    #[serde(default = "wall_ns")]
    pub y: String,
    /// One colour for each value of this column; `label` if not said.
    pub series: Option<String>,
    /// Only rows whose column has this value (or one of these).
    #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<String, Values>,
    /// One panel for each value of this column.
    pub panels: Option<String>,
    /// `linear` or `log`.
    #[serde(default)]
    pub x_scale: Scale,
    /// `linear` or `log`.
    #[serde(default)]
    pub y_scale: Scale,
    /// What stands on the x axis, with its unit; made from the column if not said.
    pub x_label: Option<String>,
    /// What stands on the y axis, with its unit; made from the column if not said.
    pub y_label: Option<String>,
    /// Dashed, labelled lines across the plot, in the unit of the y column (or x with `axis = "x"`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<GuideLine>,
    /// Fits a growth rate to each series and writes it at its label: `power` or `exponential`.
    pub fit: Option<Fit>,
}

fn wall_ns() -> String {
    "wall_ns".to_owned()
}

/// What a plot draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PlotKind {
    /// Median of y against x, a band for its interval, one line per series.
    Line,
    /// Median of y as a bar per series, grouped by x.
    Bar,
    /// One point per sample (or per instance): y against x.
    Scatter,
    /// Each series' values of y in ascending order, as the thesis draws its games.
    Sorted,
    /// Share of cells solved within a time.
    Cactus,
    /// Dolan–Moré performance profile.
    Profile,
    /// Raw samples of each series, with median and interval.
    Strip,
    /// Median of y against median of x, one point per series, the non-dominated ones joined.
    Pareto,
}

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal ratios.
    Log,
}

/// A growth rate to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// y = a·xᵇ
    Power,
    /// y = a·bˣ
    Exponential,
}

/// A dashed line across a plot.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GuideLine {
    /// Where it crosses the axis, in the column's unit.
    pub at: f64,
    /// What it is.
    pub label: String,
    /// `y` (a horizontal line, the default) or `x`.
    #[serde(default)]
    pub axis: GuideAxis,
}

/// Which axis a guide line crosses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GuideAxis {
    /// A vertical line.
    X,
    /// A horizontal line.
    #[default]
    Y,
}

/// A table: one statistic of one column, by rows and columns.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// One line above it.
    pub title: String,
    /// The column whose values are the rows.
    pub rows: String,
    /// The column whose values are the columns.
    pub columns: Option<String>,
    /// The column that is summarized.
    #[serde(default = "wall_ns")]
    pub value: String,
    /// `median`, `mean`, `minimum`, `maximum`, `sum`, `solved` (share), `over:30` (share above).
    #[serde(default = "median")]
    pub statistic: String,
    /// Only rows whose column has this value (or one of these).
    #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<String, Values>,
    /// A value of `rows` that all others are divided by, shown beside.
    pub relative_to: Option<String>,
}

fn median() -> String {
    "median".to_owned()
}

/// A named analysis with its parameters.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// Which one.
    pub kind: String,
    /// One line above it.
    pub title: Option<String>,
    /// What it needs to know.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, Scalar>,
    /// Only rows whose column has this value (or one of these).
    #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<String, Values>,
}

/// A variant as it runs: one entry of the expanded list.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantSpec {
    /// The variant's word, or `*` for all of the problem.
    pub name: String,
    /// What it is called in tables and plots.
    pub label: String,
    /// Settings for this entry alone.
    pub settings: Settings,
}

/// An instance as it runs: one entry of the expanded list.
#[derive(Debug, Clone, PartialEq)]
pub enum InstanceSpec {
    /// Made by a generator.
    Generated {
        /// The generator's name.
        generator: String,
        /// Its parameters.
        parameters: Settings,
        /// Its seed.
        seed: u64,
        /// What it is called in tables, without the seed.
        label: String,
    },
    /// Read from the files of a glob.
    Files {
        /// The glob, parameters filled in.
        glob: String,
        /// What they are called; the file's name if not said.
        label: Option<String>,
    },
}

impl Experiment {
    /// Reads an experiment from a file's text; `file` is its name in errors.
    ///
    /// # Errors
    /// Names the file, the line and what was expected.
    pub fn read(file: &str, text: &str) -> Result<Self, DataError> {
        let experiment: Self =
            toml::from_str(text).map_err(|error| DataError::from_toml(file, text, &error))?;
        if experiment.variants.is_empty() {
            return Err(DataError::new(
                file,
                "`variants` is empty; expected at least one name",
            ));
        }
        for entry in experiment.all_instances() {
            if entry.generator.is_some() == entry.files.is_some() {
                return Err(DataError::new(
                    file,
                    "each of `instances` needs either `generator` or `files`",
                ));
            }
        }
        Ok(experiment)
    }

    /// The experiment as a file's text, which [`Experiment::read`] reads back.
    ///
    /// # Errors
    /// When a value has no form in TOML: none of these.
    pub fn text(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    fn all_instances(&self) -> impl Iterator<Item = &InstanceEntry> {
        let full = self
            .full
            .iter()
            .filter_map(|full| full.instances.as_ref())
            .flatten();
        self.instances.iter().chain(full)
    }

    /// The experiment at the articles' scale: what `full` says in its place.
    #[must_use]
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

    /// Puts `all` variants of the problem in the place of a plain `"*"`.
    pub fn name_variants(&mut self, all: &[&str]) {
        let star = VariantEntry::Name("*".to_owned());
        while let Some(place) = self.variants.iter().position(|entry| *entry == star) {
            let named = all
                .iter()
                .map(|name| VariantEntry::Name((*name).to_owned()));
            self.variants.splice(place..=place, named);
        }
    }

    /// `--set key=value`: replaces the key wherever the experiment has it (settings, parameters of
    /// generators, words of `files`), and adds it to the settings if `is_setting` knows it.
    ///
    /// # Errors
    /// When nothing has that key; suggests the nearest.
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
        let hint = nearest(key, known.iter().map(String::as_str))
            .map_or(String::new(), |near| format!(", did you mean `{near}`?"));
        let file = format!("experiment {}", self.name);
        let list = known.join(", ");
        Err(DataError::new(
            &file,
            format!("has no parameter `{key}`{hint} (it has: {list})"),
        ))
    }

    /// Every key that `--set` may replace.
    #[must_use]
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

    /// The variants with their settings expanded.
    ///
    /// # Errors
    /// An impossible range.
    pub fn variant_specs(&self) -> Result<Vec<VariantSpec>, DataError> {
        let mut specs = Vec::new();
        for entry in &self.variants {
            match entry {
                VariantEntry::Name(name) => specs.push(VariantSpec {
                    name: name.clone(),
                    label: name.clone(),
                    settings: Settings::new(),
                }),
                VariantEntry::Table(table) => {
                    for settings in self.product(&table.set)? {
                        let label = match &table.label {
                            Some(label) => filled(label, &settings),
                            None if settings.is_empty() => table.name.clone(),
                            None => format!("{} {settings}", table.name),
                        };
                        specs.push(VariantSpec {
                            name: table.name.clone(),
                            label,
                            settings,
                        });
                    }
                }
            }
        }
        Ok(specs)
    }

    /// The instances with their parameters and seeds expanded; `seed` moves all of them elsewhere.
    ///
    /// # Errors
    /// An impossible range, or a seed that is no whole number from 0.
    pub fn instance_specs(&self, seed: u64) -> Result<Vec<InstanceSpec>, DataError> {
        let mut specs = Vec::new();
        for entry in &self.instances {
            if let Some(files) = &entry.files {
                let glob = self
                    .parameters
                    .iter()
                    .fold(files.clone(), |glob, (key, value)| {
                        glob.replace(&format!("{{{key}}}"), value)
                    });
                specs.push(InstanceSpec::Files {
                    glob,
                    label: entry.label.clone(),
                });
            }
            let Some(generator) = &entry.generator else {
                continue;
            };
            for parameters in self.product(&entry.set)? {
                let label = match &entry.label {
                    Some(label) => filled(label, &parameters),
                    None if parameters.is_empty() => generator.clone(),
                    None => format!("{generator} {parameters}"),
                };
                for own in self.seeds(entry)? {
                    specs.push(InstanceSpec::Generated {
                        generator: generator.clone(),
                        parameters: parameters.clone(),
                        seed: moved_seed(own, seed),
                        label: label.clone(),
                    });
                }
            }
        }
        Ok(specs)
    }

    /// Every combination of the settings.
    ///
    /// # Errors
    /// An impossible range.
    pub fn setting_specs(&self) -> Result<Vec<Settings>, DataError> {
        self.product(&self.settings)
    }

    fn product(&self, matrix: &Matrix) -> Result<Vec<Settings>, DataError> {
        product(matrix).map_err(|error| DataError::new(&self.name, error))
    }

    fn seeds(&self, entry: &InstanceEntry) -> Result<Vec<u64>, DataError> {
        let Some(seeds) = &entry.seeds else {
            return Ok(vec![1]);
        };
        let refuse = |message: String| DataError::new(&self.name, message);
        let list = seeds
            .list()
            .map_err(|error| refuse(format!("`seeds`: {error}")))?;
        list.into_iter()
            .map(|value| match value {
                ikeru_core::Value::Int(seed) if seed >= 0 => Ok(seed as u64),
                other => Err(refuse(format!("seed `{other}` is no whole number from 0"))),
            })
            .collect()
    }
}

/// Seeds of different `--seed N` never meet: each N moves them by a million.
fn moved_seed(own: u64, by: u64) -> u64 {
    own.wrapping_add(by.wrapping_mul(1_000_000))
}

/// `{key}` replaced by the value.
fn filled(label: &str, settings: &Settings) -> String {
    settings
        .iter()
        .fold(label.to_owned(), |text, (key, value)| {
            text.replace(&format!("{{{key}}}"), &value.to_string())
        })
}

/// Reads `60s`, `500ms`, `2m`, `1h`.
///
/// # Errors
/// Says what was expected.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong =
        || format!("`{text}` is no time; expected a number with a unit, like 500ms, 60s or 2m");
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .ok_or_else(wrong)?;
    let number: f64 = text[..digits].parse().map_err(|_| wrong())?;
    let unit = match &text[digits..] {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(number * unit).map_err(|_| wrong())
}

/// A time as `parse_duration` reads it.
mod duration {
    use super::{Deserialize, Deserializer, Duration, Serialize, Serializer, parse_duration};

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        let text = String::deserialize(from)?;
        parse_duration(&text)
            .map(Some)
            .map_err(serde::de::Error::custom)
    }

    pub fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        let text = time.map(|time| format!("{}s", time.as_secs_f64()));
        text.serialize(to)
    }
}
