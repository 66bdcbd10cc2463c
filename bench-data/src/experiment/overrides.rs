//! Replacements that the command line makes in an experiment before it runs.

use std::collections::BTreeSet;

use ikeru_core::AnyProblem;

use super::{Experiment, Run};
use crate::DataError;

/// Replacements of an experiment's scale, settings and way of running.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// True if the experiment runs at the articles' scale.
    pub full: bool,
    /// The factor by which the number of instances grows, by further seeds.
    pub draw: Option<u32>,
    /// `KEY=VALUE`, as typed: replaces a parameter or a setting.
    pub sets: Vec<String>,
    /// Replaces the keys of the experiment's `run` that are set here.
    pub run: Run,
    /// The column along which instances larger than a hopeless one are skipped; an empty text means the experiment's
    /// column, or `size` if it has none.
    pub skip_hopeless: Option<String>,
}

impl Overrides {
    /// Applies all replacements: scale, instances, settings, way of running. `"*"` becomes the variants of `problem`.
    ///
    /// # Errors
    /// A replacement of a key that the experiment does not have; a memory limit without `isolate`.
    pub fn apply(
        &self,
        mut experiment: Experiment,
        problem: &dyn AnyProblem,
    ) -> Result<Experiment, DataError> {
        if self.full {
            experiment = experiment.at_full_scale();
        }
        experiment.full = None;
        experiment.draw(0, self.draw.unwrap_or(1))?;
        let variants = problem.variants();
        let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
        experiment.name_variants(&names);
        let is_setting = |key: &str| {
            let of_variants = variants.iter().flat_map(|variant| variant.settings);
            let mut settings = problem.settings().iter().chain(of_variants);
            settings.any(|setting| setting.name == key)
        };
        let mut given = BTreeSet::new();
        for set in &self.sets {
            let wrong = |message: &str| DataError::new(&format!("--set {set}"), message);
            let Some((key, value)) = set.split_once('=') else {
                return Err(wrong("expected key=value"));
            };
            if !given.insert(key.trim()) {
                return Err(wrong("this key is given twice; expected one list, KEY=A,B"));
            }
            experiment.set(key.trim(), value.trim(), is_setting)?;
        }
        let run = &mut experiment.run;
        let along = match &self.skip_hopeless {
            Some(column) if column.is_empty() => {
                run.hopeless_along.take().or(Some("size".to_owned()))
            }
            Some(column) => Some(column.clone()),
            None => run.hopeless_along.take(),
        };
        run.replaced_by(self.run.clone());
        run.hopeless_along = along;
        if self.run.memory_mib.is_some() && run.isolate != Some(true) {
            let message = "limits processes of their own: it needs --isolate";
            return Err(DataError::new("--memory", message));
        }
        if run.limit().is_zero() {
            return Err(DataError::new("--limit", "is 0; expected a longer time"));
        }
        Ok(experiment)
    }
}
