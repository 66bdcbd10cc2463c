//! Compares two runs or two variants: which rows became faster or slower, and which did not change.
//!
//! Cells are joined on the columns that both sides have: instance, question, execution mode, and the label where whole
//! runs are compared. Questions whose instances have the same name form one row. Each row has two tests: whether B
//! differs from A on these instances, and whether B differs from A on other instances like them.

mod cut;
mod join;
mod judge;
mod sides;
mod table;
mod terms;

use ikeru_core::Better;

use super::disputed_note;
use super::scores::{ScorePair, between, decisions, too_few};
use crate::error::Result;
use crate::metric::Metric;
use crate::records::Outcome;
use crate::rows::Rows;
use crate::table::Table;
use crate::units::{number, plural};
use join::{ComparedRow, rows_of_table};
use judge::JudgedRow;
pub use sides::ComparedSide;
pub(super) use sides::forced;
pub use terms::CompareTerms;

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The table with its notes.
    pub table: Table,
    /// The rows in which B is decided to be worse than A by more than the bound, and the questions of which B lost
    /// answers.
    pub regressions: Vec<String>,
    /// The number of answers of both sides that are wrong or in dispute.
    pub wrong: usize,
    /// The notes on questions that the rows of the table do not have.
    pub apart: Vec<String>,
    /// Why the comparison cannot rule out a regression: B failed more samples than A, but not significantly more; a row
    /// that is worse than the bound is withheld; or no row could be decided. `None` otherwise.
    pub undecidable: Option<String>,
}

/// Compares B with A.
///
/// # Errors
/// Sides that are not comparable (unless forced), or no question with a value on both sides.
pub fn compare(a: &ComparedSide, b: &ComparedSide, terms: &CompareTerms) -> Result<Comparison> {
    let mut caveats = sides::check(a, b, terms)?;
    let scored = scored(a, b, terms);
    let mut joined = join::join(a, b, terms, !scored.is_empty())?;
    caveats.append(&mut joined.caveats);
    // Tests of single instances would be second verdicts on what the bet on paired scores decides, which leaves no
    // failure out.
    let (mut rows, mut apart) = (Vec::new(), Vec::new());
    if scored.is_empty() {
        apart = joined.left_out();
        rows = rows_of_table(std::mem::take(&mut joined.pairs), terms);
    }
    let judged = judge::judged(&rows, terms);
    let mut regressions = joined.lost.clone();
    let is_control = controls(&rows, terms);
    let worse = rows
        .iter()
        .zip(&judged)
        .filter(|(row, judged)| judged.is_regression(terms) && !is_control(row));
    regressions.extend(worse.map(|(row, _)| format!("{} on {}", row.variant, row.place)));
    let worse = scored.iter().filter(|pair| pair.is_worse_by(terms.bound));
    regressions.extend(worse.map(ScorePair::sentence));
    let mut table = match decisions(&scored) {
        Some(decided) => *decided,
        None => table::table(&rows, &judged, terms),
    };
    let sides = format!("A is {}, B is {}.", a.name, b.name);
    let sides = std::iter::once(sides).chain(scored.iter().map(ScorePair::sentence));
    table.notes.splice(0..0, sides);
    table.notes.append(&mut caveats);
    let lost = table::named("B does worse", &joined.lost);
    let gained = table::named("B does better", &joined.gained);
    let shaky = "B failed more samples than A, which chance explains too";
    let shaky = table::named(shaky, &joined.shaky);
    apart.extend(lost.into_iter().chain(gained).chain(shaky.clone()));
    table.notes.extend(apart.clone());
    let disputed = [a, b].map(|side| side.count(Outcome::Disputed));
    let wrong = [a, b].map(|side| side.count(Outcome::Wrong));
    for ((name, side), wrong) in [("A", a), ("B", b)].into_iter().zip(wrong) {
        table.notes.extend(disputed_note(side.rows, &side.unjudged));
        if let count @ 1.. = side.unjudged.len() - side.count(Outcome::Disputed) {
            let said = plural(count, "answer");
            table.note(format!(
                "The referee failed on {said} of {name}, which count for no solver."
            ));
        }
        if wrong > 0 {
            let said = plural(wrong, "answer");
            table.note(format!("{said} of {name} wrong: refused or refuted."));
        }
    }
    Ok(Comparison {
        table,
        regressions,
        apart,
        wrong: wrong.iter().chain(&disputed).sum(),
        undecidable: shaky.or_else(|| match scored.is_empty() {
            true => undecidable(&rows, &judged, terms),
            false => too_few(&scored),
        }),
    })
}

/// The scores of problems of commands, compared by the relative difference on each instance: a mean over the scores of
/// instances would be that of the largest ones.
fn scored(a: &ComparedSide, b: &ComparedSide, terms: &CompareTerms) -> Vec<ScorePair> {
    let sides = [a, b].map(|side| (side.rows, side.selection.as_slice()));
    let are_commands =
        |(rows, own): (&Rows, &[u32])| own.iter().all(|row| rows.is_of_commands(*row));
    if terms.metric == Metric::Score && sides.into_iter().all(are_commands) {
        return between(sides[0], sides[1]);
    }
    Vec::new()
}

/// Returns a test for rows whose times can only show that the machine changed: version and program are equal on both
/// sides of the row, and differ in other rows.
fn controls(rows: &[ComparedRow], terms: &CompareTerms) -> impl Fn(&ComparedRow) -> bool + use<> {
    let is_changed = terms.metric.is_time() && rows.iter().any(|row| !row.is_placebo());
    move |row| is_changed && row.is_placebo()
}

/// The reason why a regression cannot be ruled out, in one line; `None` if it can.
fn undecidable(rows: &[ComparedRow], judged: &[JudgedRow], terms: &CompareTerms) -> Option<String> {
    if terms.better == Better::Neither {
        let word = terms.metric.word();
        return Some(format!(
            "{word} is neither better nor worse where it is higher; compare another metric"
        ));
    }
    let is_control = controls(rows, terms);
    let changed = || {
        let both = rows.iter().zip(judged);
        both.filter(|(row, _)| !is_control(row))
    };
    if changed().any(|(_, judged)| judged.could_regress()) {
        return None;
    }
    if rows.is_empty() {
        return Some("no question was compared: samples failed or were stopped".to_owned());
    }
    if !judged.is_empty() && judged.iter().all(|row| row.ratio.is_none()) {
        return Some(
            "no question has a ratio: its samples were stopped or failed on one side".to_owned(),
        );
    }
    if let Some(why) = judged.iter().find_map(|row| row.disturbed.as_ref()) {
        return Some(format!(
            "the machine was in another state ({why}); run both sides again, or take turns with `ikeru ab`"
        ));
    }
    let tested = judged.iter().filter(|row| row.worse.p.is_some());
    let count = tested.clone().count();
    let least = tested.map(|row| row.worse.least).fold(1.0, f64::min);
    let questions = rows.iter().map(|row| row.pairs.len()).max()?;
    let repeats = match judge::repeats_needed(questions, count) {
        Some(repeats) => format!("run both sides with --repeats {repeats} or more"),
        None => "compare fewer rows with --where".to_owned(),
    };
    let rows = if count == 1 { "row" } else { "rows" };
    let (least, rows) = (number(least), format!("{count} {rows}"));
    Some(format!(
        "the smallest p that so few samples can reach is {least}, corrected for {rows}; {repeats}"
    ))
}

#[cfg(test)]
mod tests;
