//! The inputs of an experiment: generated, or read from files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use ikeru_bench_data::experiment::filled;
use ikeru_bench_data::{Experiment, InstanceSpec};
use ikeru_core::{AnyInstance, AnyProblem, ContentHash, Settings};

use super::{MOST_CELLS, ReadInstance, Selection};
use crate::{files, output};

/// One input with its metadata; questions are put to `base`.
pub struct PlannedInstance {
    /// The name in tables.
    pub name: String,
    /// The generator's name, or `file`.
    pub origin: String,
    /// The generator's seed.
    pub seed: Option<u64>,
    /// The generator's parameters, defaults filled in.
    pub parameters: Settings,
    /// The identity of its content.
    pub hash: ContentHash,
    /// The size in the problem's natural unit.
    pub size: u64,
    /// The input with its original question.
    pub base: Arc<dyn AnyInstance>,
}

/// A name for each file: its name without the ending. The ending, or folders before the name, are added if several
/// files have that name.
fn distinct_names(files: &BTreeSet<PathBuf>) -> HashMap<PathBuf, String> {
    let name = |file: &Path, depth: usize| {
        let (folders, with_ending) = (depth / 2, depth % 2 == 1);
        let last = if with_ending {
            file.file_name()
        } else {
            file.file_stem()
        };
        let parts: Vec<_> = file.parent().map_or(Vec::new(), |above| {
            above.components().rev().take(folders).collect()
        });
        let parts = parts
            .iter()
            .rev()
            .map(|part| part.as_os_str().to_string_lossy());
        let last = last.unwrap_or_default().to_string_lossy();
        parts.chain([last]).collect::<Vec<_>>().join("/")
    };
    let deepest = files.iter().map(|file| 2 * file.components().count()).max();
    let mut names = HashMap::new();
    let mut same: Vec<Vec<&PathBuf>> = vec![files.iter().collect()];
    for depth in 0..deepest.unwrap_or(0) {
        let mut groups: BTreeMap<(usize, String), Vec<&PathBuf>> = BTreeMap::new();
        for (group, own) in same.iter().enumerate() {
            for file in own {
                let group = (group, name(file, depth));
                groups.entry(group).or_default().push(file);
            }
        }
        same.clear();
        // Files of one name get longer names together, so that they look alike.
        let whole = groups
            .keys()
            .map(|(group, _)| *group)
            .collect::<BTreeSet<_>>();
        for group in whole {
            let own = groups.iter().filter(|((of, _), _)| *of == group);
            let own: Vec<(&String, &Vec<&PathBuf>)> =
                own.map(|((_, name), files)| (name, files)).collect();
            if depth == 0 || own.iter().all(|(_, files)| files.len() == 1) {
                for (name, files) in own {
                    match files.as_slice() {
                        [one] => drop(names.insert((*one).clone(), name.clone())),
                        several => same.push(several.to_vec()),
                    }
                }
            } else {
                same.push(
                    own.into_iter()
                        .flat_map(|(_, files)| files.clone())
                        .collect(),
                );
            }
        }
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

/// Names the first pairs of files with the same content, and counts the others.
fn warn_of_equals(pairs: &[[PathBuf; 2]]) {
    const NAMED: usize = 3;
    for [one, other] in pairs.iter().take(NAMED) {
        output::tell(&format!(
            "warning: {} and {} are one instance: their content is the same",
            one.display(),
            other.display()
        ));
    }
    if let more @ 1.. = pairs.len().saturating_sub(NAMED) {
        output::tell(&format!("warning: and {more} more files of known content"));
    }
}

/// Equal inputs of all experiments, held once.
pub(super) type Shared = HashMap<ContentHash, Arc<dyn AnyInstance>>;

/// Collects the chosen inputs of one experiment.
pub(super) struct Gathering<'a> {
    pub problem: &'static dyn AnyProblem,
    pub choice: &'a Selection,
    pub read: ReadInstance<'a>,
    pub shared: &'a mut Shared,
}

impl Gathering<'_> {
    /// The inputs of `experiment`, whose patterns of files are relative to `folder`.
    ///
    /// # Errors
    /// An input that cannot be generated or read; a pattern without files; no input that is chosen.
    pub fn of(
        mut self,
        experiment: &Experiment,
        folder: &Path,
    ) -> Result<Vec<Arc<PlannedInstance>>> {
        let (mut inputs, mut names) = (Vec::new(), Vec::new());
        let (mut known, mut equals) = (HashMap::new(), Vec::new());
        let specs = experiment.instance_specs(self.choice.seed)?;
        let questions = experiment.questions()?;
        // A first check before any instance is built. The exact check, with variants and selection, follows after
        // they are built.
        if self.choice.instances.is_empty() && specs.len().saturating_mul(questions) > MOST_CELLS {
            bail!(
                "{} instances × {questions} questions, expected at most {MOST_CELLS} cells",
                specs.len()
            );
        }
        let mut files = BTreeSet::new();
        for spec in &specs {
            if let InstanceSpec::Files { glob, .. } = spec {
                files.extend(files::of(folder, glob)?);
            }
        }
        let file_names = distinct_names(&files);
        for spec in specs {
            match spec {
                InstanceSpec::Generated {
                    generator,
                    parameters,
                    seed,
                    label,
                } => {
                    if self.is_chosen(&label, &mut names) {
                        let input = self.generated(label, generator, &parameters, seed)?;
                        inputs.push(Arc::new(input));
                    }
                }
                InstanceSpec::Files { glob, label } => {
                    for file in files::of(folder, &glob)? {
                        let name = match &label {
                            Some(label) => labelled(label, &file, &file_names)?,
                            None => file_names[&file].clone(),
                        };
                        if self.is_chosen(&name, &mut names) {
                            let input = self.file(name, &file)?;
                            if let Some(equal) = known.insert(input.hash, file.clone())
                                && equal != file
                            {
                                equals.push([equal, file]);
                            }
                            inputs.push(Arc::new(input));
                        }
                    }
                }
            }
        }
        warn_of_equals(&equals);
        if inputs.is_empty() {
            let wanted = self.choice.instances.join("`, `");
            bail!("has no instance `{wanted}` (it has: {})", names.join(", "));
        }
        Ok(inputs)
    }

    /// Returns whether the run uses this instance, and adds the name to `names`.
    fn is_chosen(&self, name: &str, names: &mut Vec<String>) -> bool {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        let wanted = &self.choice.instances;
        wanted.is_empty() || wanted.iter().any(|part| name.contains(part))
    }

    fn generated(
        &mut self,
        name: String,
        generator: String,
        given: &Settings,
        seed: u64,
    ) -> Result<PlannedInstance> {
        let base = self
            .problem
            .generate(&generator, given, seed)
            .map_err(|error| anyhow!("instance {name}, seed {seed}: {error}"))?;
        let generators = self.problem.generators();
        let known = generators.iter().find(|known| known.name == generator);
        let declared = known.map_or(&[][..], |known| known.parameters);
        Ok(PlannedInstance {
            origin: generator,
            seed: Some(seed),
            parameters: given.only(declared).with_defaults(declared),
            ..self.input(name, base)
        })
    }

    fn file(&mut self, name: String, file: &Path) -> Result<PlannedInstance> {
        let base = (self.read)(self.problem, file)?;
        Ok(self.input(name, base))
    }

    /// An input from a file.
    fn input(&mut self, name: String, base: Box<dyn AnyInstance>) -> PlannedInstance {
        let hash = base.hash();
        let base = self.shared.entry(hash).or_insert_with(|| Arc::from(base));
        PlannedInstance {
            name,
            origin: "file".to_owned(),
            seed: None,
            parameters: Settings::new(),
            hash,
            size: base.size(),
            base: Arc::clone(base),
        }
    }
}
