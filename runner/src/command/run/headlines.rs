//! The last lines of a reproduction: a line for each source, the names of figures that differ, and the number of
//! figures by verdict.

use ikeru_book::BookReport;
use ikeru_book::page::SourceCard;
use ikeru_reports::table::{Tone, filled};

use crate::output;

/// A line for each source: verdict, source, our number with its interval, claim.
pub fn headlines(report: &BookReport) -> Vec<(Tone, String, String)> {
    let number = |card: &SourceCard| match card.row.interval.as_str() {
        "" => card.row.ours.clone(),
        interval => format!("{} ({interval})", card.row.ours),
    };
    let cards = report.cards.iter();
    let widest = |of: &dyn Fn(&SourceCard) -> usize| cards.clone().map(of).max().unwrap_or(0);
    let letters = |text: &str| text.chars().count();
    let verdict = widest(&|card| letters(card.row.verdict));
    let source = widest(&|card| letters(&card.source));
    let ours = widest(&|card| letters(&number(card)));
    let line = |card: &SourceCard| {
        let (name, number) = (&card.source, number(card));
        let line = format!("  {name:source$}  {number:ours$}  “{}”", card.quote);
        // A long claim is cut at the width of the terminal; the page has all of it.
        let room = output::width().map_or(usize::MAX, |width| width.saturating_sub(verdict + 1));
        let line = match letters(&line) > room {
            true => line.chars().take(room).chain(['…']).collect(),
            false => line,
        };
        (
            card.row.tone,
            format!("{:verdict$}", card.row.verdict),
            line,
        )
    };
    report.cards.iter().map(line).collect()
}

/// The names of figures that differ and of errors in the sources, and the number of figures by verdict.
pub fn named(report: &BookReport) -> String {
    let width = output::width();
    let mut text = "\n".to_owned();
    for (verdict, words) in [
        ("differs", "Differ"),
        ("erratum in the source", "Errors in the sources"),
    ] {
        let own = report.figures.iter().filter(|one| one.verdict == verdict);
        let names: Vec<&str> = own.map(|one| one.id.as_str()).collect();
        if !names.is_empty() {
            text += &(filled(&format!("{words}: {}.", names.join(", ")), width) + "\n");
        }
    }
    text + &counted(report, width)
        + "With --verbose: an answer for each experiment, and what each open figure needs.\n\n"
}

/// The number of figures by verdict.
pub fn counted(report: &BookReport, width: Option<usize>) -> String {
    let counted = report.verdicts.iter().map(|one| one.text.as_str());
    let counted: Vec<&str> = counted.collect();
    match counted.is_empty() {
        true => String::new(),
        false => {
            filled(
                &format!("Published figures: {}.", counted.join(" · ")),
                width,
            ) + "\n"
        }
    }
}
