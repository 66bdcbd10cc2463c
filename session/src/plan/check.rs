//! What a plan refuses before any timing: cells, labels, questions and columns that cannot be meant.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use anyhow::{Result, bail};
use ikeru_bench_data::Experiment;
use ikeru_core::{Settings, Value, unknown};
use ikeru_reports::records::{Columns, LONGEST_FIELD};

use crate::registry;

use super::{LabelledSolver, PlannedInstance, Selection, Stage, columns};

/// Refuses the beginning of a cell's identity that no cell has, or several.
pub(super) fn check_cells(stages: &[Stage], choice: &Selection) -> Result<()> {
    for wanted in &choice.cells {
        let cells = stages.iter().flat_map(|stage| &stage.cells);
        let ids = cells.map(|cell| cell.id.to_string());
        let found: BTreeSet<String> = ids.filter(|id| id.starts_with(wanted)).collect();
        match found.len() {
            1 => {}
            0 => bail!(
                "--cell {wanted}: no cell of this plan; seed, scale, mode, settings and the files of a command are part of a \
                 cell: after a change of them, choose with --variant and --instance"
            ),
            several => bail!("--cell {wanted}: {several} cells begin so, expected one"),
        }
    }
    Ok(())
}

/// Refuses words that a journal cannot hold: too long ones, and names with control characters.
pub(super) fn check_words(
    inputs: &[Arc<PlannedInstance>],
    settings: &[Settings],
    variants: &[LabelledSolver],
) -> Result<()> {
    let is_short = |word: &str| word.len() <= LONGEST_FIELD;
    let names = variants
        .iter()
        .flat_map(|one| [one.solver.name(), &one.label]);
    if let Some(name) = names.clone().find(|name| name.contains(char::is_control)) {
        bail!("the name {name:?} has a control character; expected letters, digits and signs");
    }
    let names = names.chain(inputs.iter().map(|input| input.name.as_str()));
    let of_variants = variants.iter().map(|one| &one.settings);
    let values = settings.iter().chain(of_variants).flat_map(Settings::iter);
    let values = values.filter_map(|(_, value)| match value {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    });
    if let Some(long) = names.chain(values).find(|word| !is_short(word)) {
        let bytes = long.len();
        bail!("`{long:.40}…` has {bytes} bytes; expected at most {LONGEST_FIELD}");
    }
    Ok(())
}

/// Refuses one label for two variants, a variant that is named twice, an empty label, and the label of the placebo of `ab`.
pub(super) fn check_labels(variants: &[LabelledSolver]) -> Result<()> {
    let mut named: HashMap<&str, &str> = HashMap::new();
    let mut seen = HashSet::new();
    for LabelledSolver {
        solver,
        label,
        settings,
    } in variants
    {
        let name = solver.name();
        if !seen.insert((label, name, settings.to_string())) {
            bail!("the variant `{label}` is named twice; expected it once, or two labels");
        }
        if label.trim().is_empty() || ikeru_reports::rows::is_placebo(label) {
            bail!("the label `{label}` of `{name}`: expected another one");
        }
        let first = *named.entry(label).or_insert(name);
        if first != name {
            bail!(
                "the label `{label}` stands for `{first}` and for `{name}`; expected one variant a label"
            );
        }
    }
    Ok(())
}

/// Refuses a log of rises for a problem that cannot have one.
pub(super) fn check_anytime(stage: &Stage) -> Result<()> {
    if stage.anytime && registry::declared(stage.problem.name()).is_some() {
        bail!(
            "`anytime` logs the rises of an incumbent, which a problem of commands does not have"
        );
    }
    Ok(())
}

/// Refuses a `hopeless_along` that names no column.
pub(super) fn check_column(stage: &Stage, experiment: &Experiment) -> Result<()> {
    let Some(column) = &stage.hopeless_along else {
        return Ok(());
    };
    let known = Columns::new(columns(stage, experiment));
    if known.header().any(|name| name == column) {
        return Ok(());
    }
    let unknown = unknown("column", column, known.header());
    bail!("`hopeless_along`: {unknown}")
}

/// Refuses a question that no instance takes, because then the question itself is wrong.
pub(super) fn askable(inputs: &[Arc<PlannedInstance>], question: &Settings) -> Result<()> {
    let mut first = None;
    for input in inputs {
        match input.base.ask(question) {
            Ok(_) => return Ok(()),
            Err(error) => first = first.or(Some(error)),
        }
    }
    first.map_or(Ok(()), |error| Err(error.into()))
}
