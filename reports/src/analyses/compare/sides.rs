//! The sides of a comparison, and the check whether they are comparable.

use std::collections::BTreeSet;

use ikeru_core::{Direction, unknown};

use super::CompareTerms;
use crate::error::Result;
use crate::failures::wrong_answers;
use crate::metric::Metric;
use crate::records::Outcome;
use crate::rows::Rows;
use crate::run_file::{RunFile, machines_differ};
use crate::units;
use ikeru_records::refuse;

/// One side of a comparison: a run, or one variant of it.
#[derive(Debug)]
pub struct ComparedSide<'a> {
    /// The name that the user gave.
    pub name: String,
    /// All rows of its run.
    pub rows: &'a Rows,
    /// The `run.toml` of the run.
    pub run: &'a RunFile,
    /// The selected rows.
    pub selection: Vec<u32>,
    /// The selected label or variant; `None` for all.
    pub variant: Option<String>,
    /// The rows that are left out: the referee failed, or the answer is in dispute.
    pub(super) unjudged: Vec<u32>,
}

impl<'a> ComparedSide<'a> {
    /// The rows of `selection` whose label, or else whose variant, is the named one, and that count for their solver.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one.
    pub fn new(
        name: String,
        (rows, run): (&'a Rows, &'a RunFile),
        mut selection: Vec<u32>,
        variant: Option<String>,
    ) -> Result<Self> {
        if let Some(wanted) = &variant {
            let mut columns = ["label", "variant"].into_iter();
            let has = |column: &&str| rows.distinct(column, &selection).contains(wanted);
            let Some(column) = columns.find(has) else {
                let labels = rows.distinct("label", &selection);
                let error = unknown("variant", wanted, labels.iter().map(String::as_str));
                refuse!("{name}: {error}");
            };
            selection.retain(|row| rows.text(column, *row) == wanted);
        }
        let variant = variant.unwrap_or_default();
        let mut side = Self::of_rows(name, (rows, run), selection, &variant);
        side.variant = Some(variant).filter(|variant| !variant.is_empty());
        Ok(side)
    }

    /// These rows, under the name `variant`.
    pub fn of_rows(
        name: String,
        (rows, run): (&'a Rows, &'a RunFile),
        selection: Vec<u32>,
        variant: &str,
    ) -> Self {
        let (selection, unjudged) = selection.into_iter().partition(|row| rows.counts(*row));
        Self {
            name,
            rows,
            run,
            selection,
            variant: Some(variant.to_owned()),
            unjudged,
        }
    }

    /// All rows, also those that are left out.
    pub(super) fn all(&self) -> Vec<u32> {
        [self.selection.as_slice(), &self.unjudged].concat()
    }

    /// The number of samples with this outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.rows.ended(&self.all(), outcome).len()
    }

    /// The wrong answers, and those in dispute: a line for each label.
    pub fn wrong_answers(&self) -> Vec<String> {
        wrong_answers(self.rows, &self.all())
    }

    /// Refuses a side without rows.
    fn check_rows(&self) -> Result<()> {
        let why = match (self.selection.is_empty(), self.unjudged.is_empty()) {
            (false, _) => return Ok(()),
            (true, true) => "",
            (true, false) => ": all are in dispute or without a verdict",
        };
        refuse!("{}: no rows to compare{why}", self.name)
    }

    pub(super) fn distinct(&self, column: &str) -> BTreeSet<String> {
        let words = self.rows.distinct(column, &self.selection);
        words.into_iter().collect()
    }
}

/// Refuses sides that are not comparable, or with `force` returns the reasons as notes. Other caveats are notes, too.
pub(super) fn check(
    a: &ComparedSide,
    b: &ComparedSide,
    terms: &CompareTerms,
) -> Result<Vec<String>> {
    a.check_rows().and(b.check_rows())?;
    let mut wrong = Vec::new();
    let mut differ = |what: &str, a: String, b: String| {
        if a != b {
            wrong.push(format!("{what} differs: A has {a}, B has {b}"));
        }
    };
    let words = |side: &ComparedSide, column| {
        let words: Vec<String> = side.distinct(column).into_iter().collect();
        words.join(" and ")
    };
    for column in ["problem", "bound_policy"] {
        let name = column.replace('_', " ");
        differ(&name, words(a, column), words(b, column));
    }
    if terms.metric == Metric::Score {
        differ("direction", directions(a), directions(b));
    }
    if terms.metric.is_time() {
        differ("mode", words(a, "mode"), words(b, "mode"));
        for (name, a, b) in machines_differ(&a.run.machine, &b.run.machine) {
            differ(&format!("machine ({name})"), a.to_owned(), b.to_owned());
        }
        for side in [a, b] {
            if side.run.mixes_machines() {
                let name = &side.name;
                wrong.push(format!("{name} was merged from runs on different machines"));
            }
        }
    }
    let mut caveats = forced(wrong, terms.force, COMPARES)?;
    if terms.metric.is_time() {
        caveats.extend([a, b].into_iter().filter_map(suspects));
    }
    caveats.extend(limits_differ(a, b));
    Ok(caveats)
}

/// The optimization directions of the side's problems, in the order of their names.
fn directions(side: &ComparedSide) -> String {
    let problems = side.distinct("problem").into_iter();
    let known = problems.filter_map(|problem| side.rows.direction_of(&problem));
    known.map(Direction::name).collect::<Vec<_>>().join(" and ")
}

/// The note on different limits of the two sides.
fn limits_differ(a: &ComparedSide, b: &ComparedSide) -> Option<String> {
    let (of_a, of_b) = (limits(a)?, limits(b)?);
    (of_a != of_b).then(|| {
        format!(
            "Limit differs: A has {of_a}, B has {of_b}. Where a sample was stopped, nothing beyond the smaller one is told apart."
        )
    })
}

/// The limits of the side's experiments that are in its `run.toml`.
fn limits(side: &ComparedSide) -> Option<String> {
    let ran = side.distinct("experiment");
    let experiments = side.run.experiments.iter();
    let own = experiments.filter(|experiment| ran.contains(&experiment.name));
    let limits = own.filter_map(|experiment| Some(experiment.read().ok()?.run.limit()));
    let limits: BTreeSet<_> = limits.collect();
    let nanoseconds = limits.iter().map(|limit| limit.as_nanos() as f64);
    let words = nanoseconds.map(units::duration);
    (!limits.is_empty()).then(|| words.collect::<Vec<_>>().join(" and "))
}

/// The note on the samples whose canary deviated, with their number.
fn suspects(side: &ComparedSide) -> Option<String> {
    let (count, name) = (side.rows.suspect(&side.selection), &side.name);
    let count_in_words = units::plural(count, "sample");
    let note =
        format!("Suspect, because the canary beside them drifted: {count_in_words} of {name}.");
    (count > 0).then_some(note)
}

/// The advice of a comparison that is refused.
pub(super) const COMPARES: &str = "--force compares nevertheless";

/// Returns the reasons `wrong` as one error, which ends with `how` to go on, or with `force` as notes.
pub(in crate::analyses) fn forced(
    wrong: Vec<String>,
    force: bool,
    how: &str,
) -> Result<Vec<String>> {
    if wrong.is_empty() || force {
        let labelled = |wrong| format!("FORCED: {wrong}.");
        return Ok(wrong.into_iter().map(labelled).collect());
    }
    let wrong = wrong.join("; ");
    refuse!("not comparable: {wrong}; {how}")
}
