//! Pictures of the first answers of a run, drawn after it.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Result;
use ikeru_core::{Deadline, Incumbent, Search};

use crate::execute::Outcome;
use crate::plan::Stage;

/// Cells with an answer that the referee let pass.
pub fn answered(records: &Path) -> Result<HashSet<String>> {
    let mut reader = csv::Reader::from_path(records)?;
    let header = reader.headers()?.clone();
    let place = |name: &str| header.iter().position(|column| column == name);
    let (cell, outcome, score) = (place("cell"), place("outcome"), place("score"));
    let mut answered = HashSet::new();
    for row in reader.records() {
        let row = row?;
        let field = |place: Option<usize>| place.and_then(|at| row.get(at)).unwrap_or("");
        if field(outcome) == Outcome::Solved.name() || !field(score).is_empty() {
            answered.insert(field(cell).to_owned());
        }
    }
    Ok(answered)
}

/// Draws the answers of the first cells that have pictures. What crashed or had to be stopped is not
/// asked again, least of all in this process.
pub fn draw(folder: &Path, stage: &Stage, most: usize, answered: &HashSet<String>) -> Result<()> {
    let mut drawn = 0;
    for cell in &stage.cells {
        if drawn == most {
            break;
        }
        if !answered.contains(&cell.id.to_string()) {
            continue;
        }
        let Ok(question) = cell.input.base.ask(&cell.question) else {
            continue;
        };
        let deadline = Deadline::after(stage.limit);
        let Ok(mut solver) = question.prepare(cell.variant.name, &cell.method, deadline) else {
            continue;
        };
        let incumbent = Incumbent::new();
        solver.solve(&mut Search {
            deadline,
            ..Search::new(&incumbent)
        });
        let pictures = solver.pictures();
        if !pictures.is_empty() {
            let label = format!("{} on {}", cell.label, cell.input.name);
            ikeru_reports::write_pictures(folder, &stage.experiment, &label, &pictures)?;
            drawn += 1;
        }
    }
    Ok(())
}
