//! Smaller first: after a cell was over its limit of time or memory, larger cells of its family are skipped.
//!
//! A family is one variant with one method, bound policy and number of threads, on one question and on
//! instances of one generator. Along a setting it is one instance. Along `param_X` it is the instances whose other parameters are
//! all equal. Along `size` it is the instances that are equal in every parameter observed not to change the size; the
//! other parameters make an instance larger.

use std::collections::{BTreeSet, HashMap};

use ikeru_core::Settings;
use ikeru_core::sync::Mutex;
use ikeru_reports::records::Family;

use super::journal::Finished;
use crate::execute::Outcome;
use crate::plan::{Cell, Stage};

/// The cells of one stage that were over their limit.
#[derive(Default)]
pub(crate) struct Hopeless<'a> {
    column: Option<&'a str>,
    /// Generators with their parameters that do not change the size.
    neutral: BTreeSet<(&'a str, &'a str)>,
    /// The smallest value that was over its limit, by family.
    over: Mutex<HashMap<String, f64>>,
}

impl<'a> Hopeless<'a> {
    /// The hopeless cells of `stage`, given what earlier sessions `finished`.
    pub fn new(stage: &'a Stage, finished: &Finished) -> Self {
        let column = stage.hopeless_along.as_deref();
        let hopeless = Self {
            column,
            neutral: match column {
                Some("size") => neutral(stage),
                _ => BTreeSet::new(),
            },
            over: Mutex::default(),
        };
        if column.is_some() && !finished.is_empty() {
            for cell in &stage.cells {
                for repeat in 0..stage.repeats {
                    let key = (stage.experiment.clone(), cell.sample(repeat).to_string());
                    if let Some((outcome, has_score)) = finished.get(&key) {
                        hopeless.note(cell, *outcome, *has_score);
                    }
                }
            }
        }
        hopeless
    }

    /// Notes how a sample of `cell` ended. A score that a command has at its limit is an answer, unless it would have proven
    /// it.
    pub fn note(&self, cell: &Cell, outcome: Outcome, has_score: bool) {
        let is_over = matches!(outcome, Outcome::Timeout | Outcome::OutOfMemory);
        let takes_late = cell.solver.foreign().is_some_and(|it| !it.foreign.exact);
        if !is_over || (has_score && takes_late) {
            return;
        }
        if let Some(column) = self.column
            && let Some(value) = cell.along(column)
            && let Ok(mut over) = self.over.lock()
        {
            let least = over.entry(self.family(cell, column)).or_insert(value);
            *least = least.min(value);
        }
    }

    /// The reason why `cell` is hopeless; `None` if it is not.
    pub fn why(&self, cell: &Cell) -> Option<String> {
        let column = self.column?;
        let value = cell.along(column)?;
        let least = *self.over.lock().ok()?.get(&self.family(cell, column))?;
        (value > least).then(|| format!("hopeless: over its limit at {column} = {least} already"))
    }

    /// The key of the family of `cell`.
    fn family(&self, cell: &Cell, column: &str) -> String {
        let but = |settings: &Settings, left_out: Option<&str>| {
            settings.filtered(|name| Some(name) != left_out)
        };
        let family = Family::of(column);
        let setting = family.map(|(_, name)| name);
        let input = &cell.input;
        let instances = match family {
            Some((Family::Setting | Family::Method, _)) => input.hash.to_string(),
            Some((Family::Parameter, name)) => {
                format!("{} {}", input.origin, but(&input.chosen(), Some(name)))
            }
            _ => {
                let known = |name: &str| self.neutral.contains(&(input.origin.as_str(), name));
                format!("{} {}", input.origin, input.parameters.filtered(known))
            }
        };
        format!(
            "{instances}|{}|{}|{}|{}|{}|{}",
            cell.solver.name(),
            cell.label,
            but(&cell.question, setting),
            but(&cell.method, setting),
            cell.bound_policy.name(),
            cell.threads
        )
    }
}

/// Parameters that do not change the size: two values, with all other parameters equal, gave instances of one size.
fn neutral(stage: &Stage) -> BTreeSet<(&str, &str)> {
    let mut neutral = BTreeSet::new();
    let mut seen: HashMap<String, Vec<(String, u64)>> = HashMap::new();
    for cell in &stage.cells {
        let input = &cell.input;
        for (varied, value) in input.parameters.iter() {
            let others = input.parameters.filtered(|name| name != varied);
            let key = format!("{} {varied} {:?} {others}", input.origin, input.seed);
            let (value, sizes) = (value.to_string(), seen.entry(key).or_default());
            let is_other = |(other, size): &(String, u64)| *other != value && *size == input.size;
            if sizes.iter().any(is_other) {
                neutral.insert((input.origin.as_str(), varied));
            }
            if !sizes.iter().any(|(other, _)| *other == value) {
                sizes.push((value, input.size));
            }
        }
    }
    neutral
}
