//! Two runs, or two variants, side by side: what became faster, slower, or stayed as it was.
//!
//! Cells are joined on what both sides know of them: instance, question, how the machine is shared,
//! and the label where whole runs are compared. Questions of one instance's name stand in one row, and
//! two questions are answered for it: whether B differs from A on these instances, and whether it would
//! on others like them.

mod cut;
mod join;
mod judge;
mod sides;
mod state;
mod table;

use ikeru_core::Better;

use crate::error::ReportError;
use crate::metric::Metric;
use crate::records::Outcome;
use crate::table::Table;
use crate::units::{number, plural};
use join::{ComparedRow, rows_of_table};
use judge::JudgedRow;
pub use sides::ComparedSide;

/// How two sides are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareTerms {
    /// What is compared.
    pub metric: Metric,
    /// Ratios this near to 1 make no difference: 0.05 for 5 %.
    pub bound: f64,
    /// Whether sides that may not be compared are compared nevertheless, and labelled.
    pub force: bool,
    /// Which way the metric is better.
    pub better: Better,
}

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The table.
    pub table: Table,
    /// Rows in which B is decided to be worse by more than the bound, and questions of which it fails samples that A solved.
    pub regressions: Vec<String>,
    /// Wrong answers on both sides.
    pub wrong: usize,
    /// Why no row could have been decided to be a regression, whatever the samples, and what to run
    /// instead; `None` where one could.
    pub undecidable: Option<String>,
}

/// Compares B with A.
///
/// # Errors
/// Sides that may not be compared (unless forced), an unknown variant, or nothing in common.
pub fn compare(
    a: &ComparedSide,
    b: &ComparedSide,
    terms: &CompareTerms,
) -> Result<Comparison, ReportError> {
    let mut caveats = sides::check(a, b, terms)?;
    let mut joined = join::join(a, b, terms)?;
    caveats.append(&mut joined.caveats);
    let pairs = std::mem::take(&mut joined.pairs);
    let rows = rows_of_table(pairs, joined.is_independent);
    let judged = judge::judged(&rows, terms);
    let mut regressions = joined.lost.clone();
    // What did not change beside what did is no regression.
    let is_changed = terms.metric.is_time() && rows.iter().any(|row| !row.is_placebo());
    let worse = rows
        .iter()
        .zip(&judged)
        .filter(|(row, judged)| judged.is_regression(terms) && !(is_changed && row.is_placebo()));
    regressions.extend(worse.map(|(row, _)| format!("{} on {}", row.variant, row.place)));
    let mut table = table::table(&rows, &judged, terms);
    let sides = format!("A is {}, B is {}.", a.name, b.name);
    table.notes.insert(0, sides);
    table.notes.append(&mut caveats);
    table
        .notes
        .extend(table::named("B lost answers", &joined.lost));
    let gained = table::named("B answered what A did not", &joined.gained);
    table.notes.extend(gained);
    let shaky = table::named(
        "B failed more samples than A, which chance explains too",
        &joined.shaky,
    );
    table.notes.extend(shaky.clone());
    let wrong = [a, b].map(|side| side.count(Outcome::Wrong));
    for (name, wrong) in ["A", "B"]
        .into_iter()
        .zip(wrong)
        .filter(|(_, wrong)| *wrong > 0)
    {
        let answers = plural(wrong, "answer");
        table.notes.push(format!(
            "{answers} of {name} wrong: the referee refused them."
        ));
    }
    Ok(Comparison {
        table,
        regressions,
        wrong: wrong.iter().sum(),
        undecidable: shaky.or_else(|| undecidable(&rows, &judged, terms)),
    })
}

/// Why no row could be decided to be a regression, in one line.
fn undecidable(rows: &[ComparedRow], judged: &[JudgedRow], terms: &CompareTerms) -> Option<String> {
    if terms.better == Better::Neither {
        return Some(format!(
            "{} is neither better nor worse where it is higher; compare another metric",
            terms.metric.word()
        ));
    }
    if judged.iter().any(JudgedRow::could_regress) {
        return None;
    }
    if let Some(why) = judged.iter().find_map(|row| row.disturbed.as_ref()) {
        return Some(format!(
            "the machine was in another state ({why}); run both sides again, or take turns with `ikeru ab`"
        ));
    }
    if rows.iter().any(|row| row.is_independent) {
        return Some(
            "no question stands on both sides; run the same experiment with the same seeds"
                .to_owned(),
        );
    }
    let tested = judged.iter().filter(|row| row.worse.p.is_some());
    let (count, least) = (
        tested.clone().count(),
        tested.map(|row| row.worse.least).fold(1.0, f64::min),
    );
    let questions = rows.iter().map(|row| row.pairs.len()).max()?;
    let repeats = match judge::repeats_needed(questions, count) {
        Some(repeats) => format!("run both sides with --repeats {repeats} or more"),
        None => "compare fewer rows with --where".to_owned(),
    };
    Some(format!(
        "the smallest p that so few samples can reach is {}, corrected for {count} row{}; {repeats}",
        number(least),
        if count == 1 { "" } else { "s" }
    ))
}

#[cfg(test)]
mod tests;
