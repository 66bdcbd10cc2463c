//! `ikeru list builds DIR`: the contents of each label of a run folder, from the first program to the present one.

use std::path::Path;

use anyhow::Result;
use ikeru_reports::records::Outcome;
use ikeru_reports::row;
use ikeru_reports::run_file::RunFile;
use ikeru_reports::statistics::{mean, median};
use ikeru_reports::table::{Cell, Table};
use ikeru_reports::units::{Quantity, count};
use ikeru_reports::{Rows, report};

/// The builds of every label: how `compare` names it, when it was measured first, the remark of that session, its samples,
/// the mean of its confirmed scores and the median of its wall times.
///
/// # Errors
/// A folder without a run.
pub fn table(folder: &Path) -> Result<Table> {
    let (run, _, rows) = report::read(folder)?;
    let heads = "build | started | comment | samples | solved | mean score | median wall time";
    let mut table = Table::new(folder.display().to_string(), heads);
    for label in rows.distinct("label", &rows.all()) {
        let earlier = rows.earlier(&label);
        for (at, own) in earlier.iter().enumerate() {
            let side = format!("{label}#{}", at + 1);
            table.rows.push(line(&side, &rows, own, &run));
        }
        table
            .rows
            .push(line(&label, &rows, &rows.with("label", &label), &run));
    }
    if let Some((label, _)) = rows.superseded().next() {
        let folder = folder.display();
        table.note(format!(
            "`ikeru compare {folder}:{label}#1 :{label}` compares two builds."
        ));
    }
    Ok(table)
}

/// The line of the rows `own` of one build.
fn line(side: &str, rows: &Rows, own: &[u32], run: &RunFile) -> Vec<Cell> {
    let session = own.iter().filter_map(|row| rows.number("session", *row));
    let first = session.reduce(f64::min).map_or(0, |number| number as usize);
    let session = run.sessions.get(first.wrapping_sub(1));
    let started = session.map_or("", |session| &session.started);
    let is_solved = |row: &&u32| rows.outcome(**row) == Some(Outcome::Solved);
    let scores = own.iter().filter_map(|row| rows.confirmed(*row));
    let scores: Vec<f64> = scores.map(|score| score as f64).collect();
    let times = own.iter().filter(is_solved);
    let times: Vec<f64> = times
        .filter_map(|row| rows.number("wall_ns", *row))
        .collect();
    row![
        side,
        started.get(..16).unwrap_or(started).replace('T', " "),
        session.map_or("", |session| session.comment.as_str()),
        count(own.len()),
        count(own.iter().filter(is_solved).count()),
        (mean(&scores), Quantity::Plain),
        (median(&times), Quantity::Time),
    ]
}
