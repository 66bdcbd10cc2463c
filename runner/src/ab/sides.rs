//! The variants of both sides where commands are compared: those of base, and those of head with other names.

use std::iter;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ikeru_bench_data::Experiment;
use ikeru_bench_data::experiment::{CommandProblem, LAYOUT, VariantEntry, VariantTable, at_layout};
use ikeru_core::unknown;

use super::build::{files_of, place_in_repository};
use super::{HEAD, of_layout};
use crate::campaign::ExperimentSource;
use crate::plan::absolute;
use crate::{build, output};

/// The same command as a variant of head.
fn head_of(table: &VariantTable) -> VariantTable {
    let label = table.label.as_ref().unwrap_or(&table.name);
    VariantTable {
        name: format!("{}-head", table.name),
        label: Some(format!("{label}{HEAD}")),
        ..table.clone()
    }
}

/// Returns whether the sides are revisions of a repository of solvers: all variants are commands, and no side is a program.
pub fn are_revisions_of_commands(builds: [&str; 2], source: &ExperimentSource) -> bool {
    let mut variants = source.experiment.variants.iter();
    let is_command = |entry: &VariantEntry| entry.table().is_some_and(|it| it.command.is_some());
    source.file.is_some()
        && variants.all(is_command)
        && !builds.iter().any(|build| Path::new(build).is_file())
}

/// Replaces the variants of the experiment by those of two revisions: each has the programs of its revision, which `prepare` of
/// its problem and its own build there. Generator, referee and questions are those of the experiment.
///
/// # Errors
/// No repository or revision, or a variant that a revision does not have.
pub fn with_revisions(
    source: &mut ExperimentSource,
    chosen: &[String],
    revisions: [&str; 2],
    layouts: Option<u32>,
) -> Result<()> {
    let folder = source.folder.canonicalize().unwrap_or_default();
    let place = place_in_repository(&folder)?;
    let file = source
        .file
        .as_ref()
        .map(|(name, _)| Path::new(name).file_name());
    let file = file.flatten().unwrap_or_default().to_owned();
    let mut sides = Vec::new();
    for revision in revisions {
        let own = files_of(revision, &folder)?.join(&place);
        let path = own.join(&file);
        let known = match std::fs::read_to_string(&path) {
            Ok(text) => Experiment::read(&path.display().to_string(), &text)?,
            Err(_) => source.experiment.clone(),
        };
        if let Some(problem) = known.problem.commands() {
            let tables = known.variants.iter().filter_map(VariantEntry::table);
            let words: Vec<String> = tables.flat_map(|it| it.program().to_vec()).collect();
            prepare(problem, &words, &own, layouts)?;
        }
        sides.push((revision, own, known));
    }
    let mut all = Vec::new();
    for table in source
        .experiment
        .variants
        .iter()
        .filter_map(VariantEntry::table)
    {
        let label = table.label.as_ref().unwrap_or(&table.name);
        if !chosen.is_empty() && !chosen.contains(label) && !chosen.contains(&table.name) {
            continue;
        }
        for ((revision, own, known), is_head) in sides.iter().zip([false, true]) {
            let mut tables = known.variants.iter().filter_map(VariantEntry::table);
            let of_side = tables.find(|it| it.name == table.name && it.label == table.label);
            let of_side =
                of_side.with_context(|| format!("{revision} has no variant `{label}`"))?;
            let mut of_side = of_side.clone();
            of_side.folder = Some(own.clone());
            all.push(VariantEntry::Table(match is_head {
                true => head_of(&of_side),
                false => of_side,
            }));
        }
    }
    source.experiment.variants = all;
    alone(&mut source.experiment);
    Ok(())
}

/// Carries out `prepare` of a problem for each layout, unless that was done.
fn prepare(
    problem: &CommandProblem,
    words: &[String],
    folder: &Path,
    layouts: Option<u32>,
) -> Result<()> {
    for layout in 1..=layouts.unwrap_or(1) {
        let words = at_layout(words, layout);
        let prepare = at_layout(&problem.prepare, layout);
        build::once(&problem.name, &prepare, words.iter(), folder)?;
    }
    Ok(())
}

/// Replaces each command by one for each layout. The first has the label of the command, those of the others end in
/// [`of_layout`]. `prepare` of the problem is carried out for each, unless the commands are those of revisions.
///
/// # Errors
/// A command that does not name its layout, or a `prepare` that fails.
pub fn with_layouts(source: &mut ExperimentSource, layouts: u32) -> Result<()> {
    let mut all = Vec::new();
    let tables = source
        .experiment
        .variants
        .iter()
        .filter_map(VariantEntry::table);
    for table in tables {
        if !table.program().iter().any(|word| word.contains(LAYOUT)) {
            let command = table.program().join(" ");
            let name = table.name.trim_end_matches("-head");
            bail!(
                "--layouts: the command of `{name}` has no {LAYOUT}: `{command}`; expected a program of each layout, such as \
                 `./solver-{LAYOUT}`, built by `cc -O2 -ffunction-sections -fuse-ld=lld -Wl,--shuffle-sections='*={LAYOUT}' \
                 solver.c -o solver-{LAYOUT}`"
            );
        }
        for layout in 1..=layouts {
            let mut own = table.at_layout(layout);
            if layout > 1 {
                let label = own.label.as_ref().unwrap_or(&own.name);
                own.label = Some(label.clone() + &of_layout(layout));
                own.name += &format!("-layout-{layout}");
            }
            all.push(own);
        }
    }
    let are_here = all.iter().all(|it| it.folder.is_none());
    if let Some(problem) = source.experiment.problem.commands().filter(|_| are_here) {
        let words: Vec<String> = all.iter().flat_map(|it| it.program().to_vec()).collect();
        prepare(problem, &words, &absolute(&source.folder)?, Some(layouts))?;
    }
    source.experiment.variants = all.into_iter().map(VariantEntry::Table).collect();
    Ok(())
}

/// Leaves the questions of an experiment, without what it shows.
fn alone(experiment: &mut Experiment) {
    experiment.baseline = None;
    experiment.plots.clear();
    experiment.tables.clear();
    experiment.analyses.clear();
}

/// Replaces the variants of the experiment by two copies of one command: with the command of base, and with that of head.
/// The copied entry is `chosen`, or the only one that is a command.
///
/// # Errors
/// No such variant, or several.
pub fn with_commands(
    experiment: &mut Experiment,
    chosen: &[String],
    commands: [&str; 2],
) -> Result<()> {
    let entries = experiment.variants.iter().filter_map(VariantEntry::table);
    let entries = entries.filter(|table| table.command.is_some()).cloned();
    let is_chosen = |table: &VariantTable| {
        let mut names = iter::once(&table.name).chain(&table.label);
        chosen.is_empty() || names.any(|name| chosen.contains(name))
    };
    let known: Vec<VariantTable> = entries.collect();
    let entries: Vec<VariantTable> = known.iter().filter(|it| is_chosen(it)).cloned().collect();
    let [one] = entries.as_slice() else {
        let known = known
            .iter()
            .map(|table| table.label.as_ref().unwrap_or(&table.name).as_str());
        return Err(match (entries.first(), chosen) {
            (None, [wanted, ..]) => unknown("variant that is a command", wanted, known).into(),
            _ => anyhow!("expected one variant that is a command; choose it with --variant NAME"),
        });
    };
    let with = |command: Vec<String>| VariantTable {
        command: Some(command),
        ..one.clone()
    };
    let [base, own] = commands.map(output::split);
    let both = [with(base?), head_of(&with(own?))];
    experiment.variants = both.map(VariantEntry::Table).into();
    alone(experiment);
    Ok(())
}
