//! The inputs of an experiment: generated, or read from files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use ikeru_bench_data::experiment::filled;
use ikeru_bench_data::{Experiment, InstanceSpec};
use ikeru_core::{AnyInstance, AnyProblem, ContentHash, Settings};
use rayon::prelude::*;

use super::{MOST_CELLS, Selection};
use crate::interrupt;
use crate::{files, input, output, progress, registry};

/// One input with its metadata; questions are put to `base`.
pub struct PlannedInstance {
    /// The name in tables.
    pub name: String,
    /// The generator's name, or `file`.
    pub origin: String,
    /// The generator's seed.
    pub seed: Option<u64>,
    /// The generator's parameters, defaults filled in, and the features that it printed.
    pub parameters: Settings,
    /// The identity of its content.
    pub hash: ContentHash,
    /// The size in the problem's natural unit.
    pub size: u64,
    /// The input with its original question.
    pub base: Arc<dyn AnyInstance>,
}

impl PlannedInstance {
    /// The parameters without the features that the generator printed, which differ by seed.
    pub fn chosen(&self) -> Settings {
        let features = self.base.features();
        let is_chosen = |name: &str| features.value(name).is_none();
        self.parameters.filtered(is_chosen)
    }
}

/// A name for each file: its name without the ending. The ending, or folders before the name, are added if several
/// files have that name.
fn distinct_names(files: &BTreeSet<PathBuf>) -> HashMap<PathBuf, String> {
    let name = |file: &Path, depth: usize| {
        let (folders, with_ending) = (depth / 2, depth % 2 == 1);
        let last = match with_ending {
            true => file.file_name(),
            false => file.file_stem(),
        };
        let above = file.parent().into_iter().flat_map(Path::components);
        let above = above.map(|part| part.as_os_str().to_string_lossy());
        let mut parts: Vec<_> = above.collect();
        parts.drain(..parts.len().saturating_sub(folders));
        parts.push(last.unwrap_or_default().to_string_lossy());
        parts.join("/")
    };
    let deepest = files.iter().map(|file| 2 * file.components().count()).max();
    let deepest = deepest.unwrap_or(0);
    let mut groups: BTreeMap<String, Vec<&PathBuf>> = BTreeMap::new();
    for file in files {
        groups.entry(name(file, 0)).or_default().push(file);
    }
    let mut names = HashMap::new();
    // Files of one name get longer names together, so that they look alike.
    for own in groups.values() {
        let are_distinct = |depth: &usize| {
            let names = own.iter().map(|file| name(file, *depth));
            names.collect::<BTreeSet<_>>().len() == own.len()
        };
        let depth = (0..deepest).find(are_distinct).unwrap_or(deepest);
        names.extend(own.iter().map(|file| ((*file).clone(), name(file, depth))));
    }
    names
}

/// A label of files with `{name}`, `{file}` and `{folder}` replaced.
fn labelled(label: &str, file: &Path, names: &HashMap<PathBuf, String>) -> Result<String> {
    let last = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    let value = |key: &str| match key {
        "name" => names.get(file).cloned(),
        "file" => Some(last(file)),
        "folder" => {
            let above = Path::new(".").join(file.parent()?);
            // A path that ends in `.` or `..` does not say the name.
            let named = above.file_name().is_some();
            let whole = (!named).then(|| above.canonicalize().ok()).flatten();
            Some(last(&whole.unwrap_or(above)))
        }
        _ => None,
    };
    filled(label, &["name", "file", "folder"], value).map_err(|error| anyhow!(error))
}

/// Names the first pairs of files or seeds with the same content, and counts the others.
fn warn_of_equals(pairs: &[[String; 2]]) {
    const NAMED: usize = 3;
    for [one, other] in pairs.iter().take(NAMED) {
        output::warn(&format!(
            "{one} and {other} are one instance: their content is the same"
        ));
    }
    if let more @ 1.. = pairs.len().saturating_sub(NAMED) {
        output::warn(&format!("and {more} more files or seeds of known content"));
    }
}

/// Warns if a generated instance and a file have one name: tables and plots put them together.
fn warn_of_mixed_names(all: &[(String, InputSource)]) {
    let (files, others): (Vec<_>, Vec<_>) =
        (all.iter()).partition(|(_, source)| matches!(source, InputSource::File(_)));
    let files: BTreeSet<&String> = files.into_iter().map(|(name, _)| name).collect();
    if let Some((name, _)) = others.into_iter().find(|(name, _)| files.contains(name)) {
        output::warn(&format!(
            "a file and a generated instance are called `{name}`: tables put them together; `label` tells them apart"
        ));
    }
}

/// Equal inputs of all experiments, held once.
pub(super) type Shared = HashMap<ContentHash, Arc<dyn AnyInstance>>;

/// Where an instance comes from.
enum InputSource {
    /// The generator's name, parameters and seed.
    Generator(String, Settings, u64),
    File(PathBuf),
}

impl InputSource {
    /// The file, or the name of a generated instance with its seed, which it may have already.
    fn origin(&self, name: &str) -> String {
        match self {
            Self::File(file) => file.display().to_string(),
            Self::Generator(.., seed) if name.ends_with(&format!("seed {seed}")) => name.to_owned(),
            Self::Generator(.., seed) => format!("{name}, seed {seed}"),
        }
    }

    fn instance(&self, problem: &dyn AnyProblem, name: &str) -> Result<Box<dyn AnyInstance>> {
        match self {
            Self::File(file) => input::read_instance(problem, file),
            Self::Generator(generator, parameters, seed) => problem
                .generate(generator, parameters, *seed)
                .map_err(|error| anyhow!("instance {}: {error}", self.origin(name))),
        }
    }
}

/// Returns whether `name` contains `part` without cutting a number: `seed 1` is no part of `seed 10`.
fn holds(name: &str, part: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let [first, last] = [part.chars().next(), part.chars().last()].map(is_digit);
    name.match_indices(part).any(|(at, _)| {
        let (before, after) = (&name[..at], &name[at + part.len()..]);
        let is_cut_before = first && is_digit(before.chars().last());
        !(is_cut_before || last && is_digit(after.chars().next()))
    })
}

/// Collects the chosen inputs of one experiment.
pub(super) struct Gathering<'a> {
    pub problem: &'static dyn AnyProblem,
    pub choice: &'a Selection,
    pub shared: &'a mut Shared,
}

impl Gathering<'_> {
    /// The inputs of `experiment`, whose patterns of files are relative to `folder`, and the number of instances for
    /// which each stands.
    ///
    /// # Errors
    /// An input that cannot be generated or read; a pattern without files; no input that is chosen.
    pub fn of(
        self,
        experiment: &Experiment,
        folder: &Path,
    ) -> Result<(Vec<Arc<PlannedInstance>>, usize)> {
        let specs = experiment.instance_specs(self.choice.seed)?;
        let questions = experiment.questions()?;
        // A first check before any instance is built. The exact check, with variants and selection, follows after
        // they are built.
        if self.choice.instances.is_empty() && specs.len().saturating_mul(questions) > MOST_CELLS {
            let specs = specs.len();
            bail!("{specs} instances × {questions} questions, expected at most {MOST_CELLS} cells");
        }
        let files = specs.iter().map(|spec| match spec {
            InstanceSpec::Files { glob, .. } => files::of(folder, glob),
            InstanceSpec::Generated { .. } => Ok(Vec::new()),
        });
        let files = files.collect::<Result<Vec<_>>>()?;
        let file_names = distinct_names(&files.iter().flatten().cloned().collect());
        let mut all = Vec::new();
        for (spec, own) in specs.into_iter().zip(files) {
            match spec {
                InstanceSpec::Generated {
                    generator,
                    parameters,
                    seed,
                    label,
                } => all.push((label, InputSource::Generator(generator, parameters, seed))),
                InstanceSpec::Files { label, .. } => {
                    for file in own {
                        let name = match &label {
                            Some(label) => labelled(label, &file, &file_names)?,
                            None => file_names[&file].clone(),
                        };
                        all.push((name, InputSource::File(file)));
                    }
                }
            }
        }
        let wanted = &self.choice.instances;
        let is_chosen =
            |name: &str| wanted.is_empty() || wanted.iter().any(|part| holds(name, part));
        if !all.iter().any(|(name, _)| is_chosen(name)) {
            const MOST: usize = 10;
            let names: BTreeSet<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
            let mut known: Vec<&str> = names.into_iter().collect();
            let from = |name| move |part: &String| ikeru_core::distance(part, name);
            known.sort_by_cached_key(|name| wanted.iter().map(from(name)).min());
            let more = match known.len().saturating_sub(MOST) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            known.truncate(MOST);
            let (wanted, known) = (wanted.join("`, `"), known.join("`, `"));
            bail!("has no instance `{wanted}` (it has: `{known}`{more})");
        }
        all.retain(|(name, _)| is_chosen(name));
        warn_of_mixed_names(&all);
        let is_generated = |(_, source): &_| matches!(source, InputSource::Generator(..));
        let instances = match self.choice.counts && all.iter().all(is_generated) {
            true => all.drain(1..).len() + 1,
            false => 1,
        };
        Ok((self.made(&all)?, instances))
    }

    /// The inputs of these names and sources. They are made on all cores: 10,000 commands of a millisecond took 13 s one
    /// after another.
    fn made(mut self, all: &[(String, InputSource)]) -> Result<Vec<Arc<PlannedInstance>>> {
        /// So few instances wait for their place among the shared ones.
        const AT_ONCE: usize = 64;
        const SILENT: Duration = Duration::from_secs(1);
        let (mut inputs, mut known, mut equals) = (Vec::new(), HashMap::new(), Vec::new());
        let (problem, began) = (self.problem, Instant::now());
        let is_declared = registry::declared(problem.name()).is_some();
        if is_declared {
            // A generator leads a process group, which the signal of a terminal does not reach.
            interrupt::listen()?;
        }
        let bar = (
            all.len() as u64,
            "instances {wide_bar} {pos}/{len}, about {eta} left",
        );
        progress::under_bar(bar, false, |bar| {
            for part in all.chunks(AT_ONCE) {
                let bases = part.par_iter();
                let bases = bases.map(|(name, source)| source.instance(problem, name));
                let bases: Vec<_> = bases.collect();
                interrupt::check()?;
                for ((name, source), base) in part.iter().zip(bases) {
                    let input = self.planned(name.clone(), source, base?);
                    // A built-in generator may well draw one small instance twice.
                    let is_told = is_declared || matches!(source, InputSource::File(_));
                    let origin = source.origin(name);
                    if let Some(equal) = known.insert(input.hash, origin.clone())
                        && (is_told && equal != origin)
                    {
                        equals.push([equal, origin]);
                    }
                    inputs.push(Arc::new(input));
                }
                if began.elapsed() > SILENT {
                    bar.set_position(inputs.len() as u64);
                }
            }
            anyhow::Ok(())
        })?;
        if let (true, Some((name, source))) = (is_declared, all.first())
            && source.instance(problem, name)?.hash() != inputs[0].hash
        {
            let origin = source.origin(name);
            bail!(
                "instance {origin}: made twice, it is not the same; expected a generator that depends on its seed and parameters alone, or `files`"
            );
        }
        warn_of_equals(&equals);
        Ok(inputs)
    }

    fn planned(
        &mut self,
        name: String,
        source: &InputSource,
        base: Box<dyn AnyInstance>,
    ) -> PlannedInstance {
        let (origin, seed, parameters) = match source {
            InputSource::File(_) => ("file", None, Settings::new()),
            InputSource::Generator(name, given, seed) => {
                let generators = self.problem.generators();
                let known = generators.iter().find(|known| known.name == *name);
                let declared = known.map_or(&[][..], |known| known.parameters);
                let parameters = given.only(declared).with_defaults(declared);
                (name.as_str(), Some(*seed), parameters)
            }
        };
        let hash = base.hash();
        let parameters = parameters.with(&base.features());
        let base = self.shared.entry(hash).or_insert_with(|| Arc::from(base));
        PlannedInstance {
            name,
            origin: origin.to_owned(),
            seed,
            parameters,
            hash,
            size: base.size(),
            base: Arc::clone(base),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_name_cuts_no_number() {
        for (name, part, expected) in [
            ("items=20, seed 1", "seed 1", true),
            ("items=20, seed 10", "seed 1", false),
            ("items=20, seed 10", "items=2", false),
            ("items=20, seed 10", "items", true),
            ("64x48", "4", false),
            ("64x48, 4 colours", "4", true),
            ("64x48", "x48", true),
            ("arena2", "arena", true),
        ] {
            assert_eq!(holds(name, part), expected, "{part} in {name}");
        }
    }
}
