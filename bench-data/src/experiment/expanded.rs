//! Expands an experiment: multiplies the lists and ranges of its variants, instances and settings.

use ikeru_core::{Settings, Value, unknown};

use super::{Experiment, InstanceEntry, VariantEntry, VariantSpec, VariantTable};
use crate::DataError;
use crate::matrix::{Matrix, Range, Values, combinations, product};

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
        /// The name in tables. It contains the seed only if the entry's label has `{seed}`.
        label: String,
    },
    /// Read from the files that match a pattern.
    Files {
        /// The pattern, parameters filled in.
        glob: String,
        /// The name of the instances; by default the file's name.
        label: Option<String>,
    },
}

impl Experiment {
    /// The variants with their settings expanded.
    ///
    /// # Errors
    /// An impossible range.
    pub fn variant_specs(&self) -> Result<Vec<VariantSpec>, DataError> {
        let mut specs = Vec::new();
        for entry in &self.variants {
            let table = match entry {
                VariantEntry::Name(name) => &VariantTable {
                    name: name.clone(),
                    ..VariantTable::default()
                },
                VariantEntry::Table(table) => table,
            };
            for settings in self.product(&table.set)? {
                let label = match &table.label {
                    Some(label) => self.filled(label, &settings)?,
                    None if settings.is_empty() => table.name.clone(),
                    None => format!("{} {settings}", table.name),
                };
                specs.push(VariantSpec {
                    name: table.name.clone(),
                    label,
                    settings,
                    foreign: table.foreign().cloned().map(|foreign| self.tested(foreign)),
                });
            }
        }
        Ok(specs)
    }

    /// The foreign solver, started by the problem's tester if it has one.
    fn tested(&self, foreign: VariantTable) -> VariantTable {
        let problem = self.problem.commands();
        match problem.filter(|problem| !problem.tester.is_empty()) {
            Some(problem) => VariantTable {
                command: Some(problem.started_by_tester(foreign.program())),
                ..foreign
            },
            None => foreign,
        }
    }

    /// The instances with their parameters and seeds expanded; `seed` shifts all of them to other seeds.
    ///
    /// # Errors
    /// An impossible range, or a seed that is not a non-negative integer.
    pub fn instance_specs(&self, seed: u64) -> Result<Vec<InstanceSpec>, DataError> {
        let mut specs = Vec::new();
        for entry in &self.instances {
            if let Some(files) = &entry.files {
                let mut glob = files.clone();
                for (key, value) in &self.parameters {
                    glob = glob.replace(&format!("{{{key}}}"), value);
                }
                let label = entry.label.clone();
                specs.push(InstanceSpec::Files { glob, label });
            }
            let Some(generator) = &entry.generator else {
                continue;
            };
            let seeds = self.seeds(entry)?;
            let products = combinations(&entry.set);
            let products = products.map_err(|error| DataError::new(&self.name, error))?;
            let made = products.saturating_mul(seeds.len());
            if specs.len().saturating_add(made) > Values::MOST {
                let message = format!("more than {} instances", Values::MOST);
                return Err(DataError::new(&self.name, message));
            }
            for parameters in self.product(&entry.set)? {
                for &own in &seeds {
                    // Each `--seed N` adds a million, so that seeds of different N are disjoint.
                    let seed = own.wrapping_add(seed.wrapping_mul(1_000_000));
                    let label = match &entry.label {
                        Some(label) => {
                            let mut known = parameters.clone();
                            known.set("seed", Value::Int(seed.cast_signed()));
                            self.filled(label, &known)?
                        }
                        None if parameters.is_empty() => generator.clone(),
                        None => format!("{generator} {parameters}"),
                    };
                    specs.push(InstanceSpec::Generated {
                        generator: generator.clone(),
                        parameters: parameters.clone(),
                        seed,
                        label,
                    });
                }
            }
        }
        Ok(specs)
    }

    /// Replaces each `{key}` by its value.
    fn filled(&self, label: &str, known: &Settings) -> Result<String, DataError> {
        let keys: Vec<&str> = known.iter().map(|(key, _)| key).collect();
        let value = |key: &str| known.value(key).map(ToString::to_string);
        filled(label, &keys, value).map_err(|error| DataError::new(&self.name, error))
    }

    /// Multiplies the number of instances by `times`: further seeds follow the last one of every generator. The generated
    /// instances of the first `made` times are left out.
    ///
    /// # Errors
    /// An impossible range of seeds.
    pub fn draw(&mut self, made: u32, times: u32) -> Result<(), DataError> {
        if times < 2 {
            return Ok(());
        }
        for at in 0..self.instances.len() {
            let entry = &self.instances[at];
            let seeds = self.seeds(entry)?;
            let further = seeds.len() as u64 * u64::from(times - 1);
            let last = seeds.iter().copied().max().unwrap_or(0);
            let to = i64::try_from(last.saturating_add(further)).map_err(|_| {
                let message = format!("{further} seeds after {last}: expected seeds below 2^63");
                DataError::new(&self.name, message)
            })?;
            self.instances[at].seeds = match &entry.seeds {
                _ if entry.generator.is_none() => continue,
                Some(Values::Range(range))
                    if made == 0 && range.step.is_none() && range.factor.is_none() =>
                {
                    Some(Values::Range(Range { to, ..*range }))
                }
                _ => {
                    let all = seeds.iter().copied().chain(last + 1..=last + further);
                    let all = all.skip(seeds.len() * made as usize);
                    let values = all.map(|seed| Value::Int(seed.cast_signed()));
                    Some(Values::List(values.collect()))
                }
            };
        }
        Ok(())
    }

    /// The number of combinations of the settings, without building one.
    ///
    /// # Errors
    /// An impossible range.
    pub fn questions(&self) -> Result<usize, DataError> {
        combinations(&self.settings).map_err(|error| DataError::new(&self.name, error))
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
        let list = seeds.list();
        let list = list.map_err(|error| refuse(format!("`seeds`: {error}")))?;
        let seed = |value| match value {
            Value::Int(seed) if seed >= 0 => Ok(seed as u64),
            other => Err(refuse(format!("seed `{other}` is no whole number from 0"))),
        };
        list.into_iter().map(seed).collect()
    }
}

/// The largest N of `--seed N`: no shift of it and of another N gives the same seeds.
pub const MOST_SHIFT: u64 = 1_000_000_000_000;

/// Fills each blank `{key}` of the label with `value`.
///
/// # Errors
/// A blank with an unknown name, with the nearest of the `known` names.
pub fn filled(
    label: &str,
    known: &[&str],
    value: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    if label.trim().is_empty() {
        return Err("the label is empty".to_owned());
    }
    let (mut text, mut rest) = (String::new(), label);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((key, behind)) = after.split_once('}') else {
            break;
        };
        let blank = || unknown("blank", key, known.iter().copied());
        text += before;
        text += &value(key).ok_or_else(|| format!("label `{label}`: {}", blank()))?;
        rest = behind;
    }
    Ok(text + rest)
}
