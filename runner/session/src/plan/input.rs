//! The inputs of an experiment: generated, or read from files.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
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
        let mut known = HashMap::new();
        let specs = experiment.instance_specs(self.choice.seed)?;
        let questions = experiment.questions()?;
        // Before any of them is built; exactly, with variants and what was chosen, once they are.
        if self.choice.instances.is_empty() && specs.len().saturating_mul(questions) > MOST_CELLS {
            bail!(
                "{} instances × {questions} questions, expected at most {MOST_CELLS} cells",
                specs.len()
            );
        }
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
                        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
                        let name = label.clone().unwrap_or_else(|| stem.into_owned());
                        if self.is_chosen(&name, &mut names) {
                            let input = self.file(name, &file)?;
                            if let Some(equal) = known.insert(input.hash, file.clone())
                                && equal != file
                            {
                                output::tell(&format!(
                                    "warning: {} and {} are one instance: their content is the same",
                                    equal.display(),
                                    file.display()
                                ));
                            }
                            inputs.push(Arc::new(input));
                        }
                    }
                }
            }
        }
        if inputs.is_empty() {
            let wanted = self.choice.instances.join("`, `");
            bail!("has no instance `{wanted}` (it has: {})", names.join(", "));
        }
        Ok(inputs)
    }

    /// Whether the run uses this instance; `names` collects the names that were asked about.
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
