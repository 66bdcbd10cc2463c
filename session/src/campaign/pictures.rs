//! Pictures of the first answers of a run, drawn after the run, in this process.
//!
//! A stage whose cells run in separate processes has no pictures, because its variants are not trusted in this
//! process. Cells of foreign solvers have none either.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use anyhow::Result;
use ikeru_core::{Deadline, Incumbent, Picture, Search};

use crate::execute::said;
use crate::output;
use crate::plan::{Cell, Stage};

/// Draws the answers of the first cells that have pictures, and reports on stderr the pictures that cannot be drawn.
/// Cells that crashed or timed out without an answer are not solved again.
///
/// # Errors
/// A file that cannot be written.
pub fn draw(folder: &Path, stage: &Stage, most: usize, answered: &HashSet<String>) -> Result<()> {
    if stage.isolate {
        if most > 0 {
            output::tell(&format!(
                "{}: no pictures, since its variants run in processes of their own only",
                stage.experiment
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
        let label = format!("{} on {}", cell.label, cell.input.name);
        match catch_unwind(AssertUnwindSafe(|| pictures(stage, cell))) {
            Ok(pictures) if pictures.is_empty() => {}
            Ok(pictures) => {
                ikeru_reports::write_pictures(folder, &stage.experiment, &label, &pictures)?;
                drawn += 1;
            }
            Err(panic) => output::tell(&format!(
                "no picture of {label}: it panicked: {}",
                said(&*panic)
            )),
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
