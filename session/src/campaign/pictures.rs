//! Pictures of the first answers of a run, drawn after the run, in this process.
//!
//! A stage whose cells run in separate processes has no pictures, because its variants are not trusted in this
//! process. Foreign solvers have pictures only of a problem of commands, which names a command that draws.

use std::collections::{BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use anyhow::Result;
use ikeru_core::{Deadline, Incumbent, Picture, Search};
use ikeru_reports::Rows;
use ikeru_reports::records::{self, bests};

use crate::declared::Declared;
use crate::execute::said;
use crate::output;
use crate::plan::{Cell, Stage};
use crate::registry;

/// Draws the answers of the first cells that have pictures, and reports on stderr the pictures that cannot be drawn.
/// Cells that crashed or timed out without an answer are not solved again.
///
/// # Errors
/// A file that cannot be written.
pub fn draw(folder: &Path, stage: &Stage, most: usize, answered: &HashSet<String>) -> Result<()> {
    if let Some(declared) = registry::declared(stage.problem.name()) {
        return draw_by_command(folder, stage, most.max(1), declared);
    }
    if stage.isolate {
        if most > 0 {
            let name = &stage.experiment;
            output::tell(&format!(
                "{name}: no pictures, since its variants run in processes of their own only"
            ));
        }
        return Ok(());
    }
    let mut drawn = 0;
    for cell in &stage.cells {
        if drawn == most {
            break;
        }
        if !answered.contains(&cell.id.to_string()) || cell.solver.foreign().is_some() {
            continue;
        }
        let label = named(stage, cell);
        match catch_unwind(AssertUnwindSafe(|| pictures(stage, cell))) {
            Ok(pictures) if pictures.is_empty() => {}
            Ok(pictures) => {
                ikeru_reports::write_pictures(folder, &stage.experiment, &label, &pictures)?;
                drawn += 1;
            }
            Err(panic) => {
                let said = said(&*panic);
                output::tell(&format!("no picture of {label}: it panicked: {said}"));
            }
        }
    }
    Ok(())
}

/// The label and the instance of a picture, with the seed if other instances have the same name.
fn named(stage: &Stage, cell: &Cell) -> String {
    let (name, hash) = (&cell.input.name, cell.input.hash);
    let mut others = stage.cells.iter().map(|other| &other.input);
    let is_shared = others.any(|other| other.name == *name && other.hash != hash);
    let seed = cell.input.seed.filter(|_| is_shared);
    let seed = seed.map_or(String::new(), |seed| format!(", seed {seed}"));
    format!("{} on {name}{seed}", cell.label)
}

/// Draws the answers of all solvers of a declared problem to the first `most` instances, by the problem's command.
fn draw_by_command(folder: &Path, stage: &Stage, most: usize, declared: &Declared) -> Result<()> {
    if !declared.draws() {
        return Ok(());
    }
    let rows = Rows::read(&folder.join("records.csv"))?;
    let own = rows.with("experiment", &stage.experiment);
    let mut instances = BTreeSet::new();
    for cell in &stage.cells {
        if !instances.contains(&cell.input.hash) && instances.len() == most {
            break;
        }
        instances.insert(cell.input.hash);
        let id = cell.id.to_string();
        let mut answers = own.iter().filter(|row| rows.text("cell", **row) == id);
        let is_drawn =
            |row: &u32| rows.is_answered(*row) && !rows.text("answer_hash", *row).is_empty();
        let Some(row) = answers.find(|row| is_drawn(row)) else {
            continue;
        };
        let answers = folder.join(bests::ANSWERS);
        let answer = answers.join(rows.text("answer_hash", *row));
        let label = named(stage, cell);
        let drawn = std::fs::read_to_string(answer)
            .map_err(anyhow::Error::from)
            .and_then(|answer| declared.draw(&*cell.input.base, &answer));
        match drawn {
            Ok(svg) => {
                let score = rows.score(*row).map(|it| declared.written(it));
                let score = score.map_or(String::new(), |score| format!("score {score}"));
                let drawn = std::iter::once((svg, score));
                records::pictures::write(folder, (&stage.experiment, &label), drawn)?;
            }
            Err(why) => output::tell(&format!("no picture of {label}: {why:#}")),
        }
    }
    Ok(())
}

/// The pictures of one answer; empty if the variant has none or refuses.
fn pictures(stage: &Stage, cell: &Cell) -> Vec<Picture> {
    let Ok(question) = cell.input.base.ask(&cell.question) else {
        return Vec::new();
    };
    let deadline = Deadline::after(stage.limit);
    let Ok(mut solver) = question.prepare(cell.solver.name(), &cell.method, deadline) else {
        return Vec::new();
    };
    let incumbent = Incumbent::new(stage.problem.direction());
    solver.solve(&mut Search {
        deadline,
        ..Search::new(&incumbent)
    });
    solver.pictures()
}
