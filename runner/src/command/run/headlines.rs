//! The last lines of a reproduction: a line for each source, the names of figures that differ, the number of figures by
//! verdict, and what each open figure needs.

use std::collections::BTreeMap;

use ikeru_book::BookReport;
use ikeru_book::figures::most_interesting_first;
use ikeru_book::page::{FigureRow, SourceCard};
use ikeru_reports::row;
use ikeru_reports::table::{Table, Tone, filled};
use ikeru_reports::units::plural;

use crate::output;

/// Two lines for each source: verdict, source and our number with its interval, then the claim.
pub fn headlines(report: &BookReport) -> Vec<(Tone, String, String)> {
    let number = |card: &SourceCard| {
        let between = if card.row.modelled.is_empty() {
            ""
        } else {
            ", "
        };
        let ours = format!("{}{between}{}", card.row.ours, card.row.modelled);
        match card.row.interval.as_str() {
            "" => ours,
            interval => format!("{ours} ({interval})"),
        }
    };
    let cards = report.cards.iter();
    let widest = |of: &dyn Fn(&SourceCard) -> usize| cards.clone().map(of).max().unwrap_or(0);
    let letters = |text: &str| text.chars().count();
    let verdict = widest(&|card| letters(card.row.verdict));
    let source = widest(&|card| letters(&card.source));
    let ours = widest(&|card| letters(&number(card)));
    // A wide terminal, or none, has the claim in the same line.
    let longest = verdict + source + ours + 8 + widest(&|card| letters(&card.quote));
    let is_narrow = output::width().is_some_and(|width| longest > width);
    let line = |card: &SourceCard| {
        let (name, number) = (&card.source, number(card));
        let line = match is_narrow {
            true => format!("  {name:source$}  {number}\n    “{}”", card.quote),
            false => format!("  {name:source$}  {number:ours$}  “{}”", card.quote),
        };
        let word = format!("{:verdict$}", card.row.verdict);
        (card.row.tone, word, line)
    };
    report.cards.iter().map(line).collect()
}

/// The facts that differ, the number of errors in the sources, and the number of facts by verdict.
pub fn named(report: &BookReport) -> String {
    let width = output::width();
    let mut text = "\n".to_owned();
    let differ = report.figures.iter().filter(|one| one.verdict == "differs");
    let differ: BTreeMap<&str, &str> = differ
        .map(|one| (one.fact.as_str(), one.direction.as_str()))
        .collect();
    let names = differ.iter().map(|(fact, side)| match *side {
        "" => (*fact).to_owned(),
        side => format!("{fact} ({side})"),
    });
    let names: Vec<String> = names.collect();
    if !names.is_empty() {
        text += &(filled(&format!("Differ: {}.", names.join(", ")), width) + "\n");
    }
    let is_error = |row: &&FigureRow| row.verdict == "erratum in the source";
    let errors = report.figures.iter().filter(is_error).count();
    if errors > 0 {
        let (errors, page) = (plural(errors, "error"), report.run.folder.page_path());
        text += &format!("{errors} found in the texts: {}#errata\n", page.display());
    }
    text + &counted(report, width)
        + "With --verbose: an answer for each experiment, and what each open figure needs.\n\n"
}

/// The number of facts by verdict; several figures may state one.
pub fn counted(report: &BookReport, width: Option<usize>) -> String {
    if report.verdicts.is_empty() {
        return String::new();
    }
    let counted = report.verdicts.iter().map(|one| one.text.as_str());
    let counted = counted.collect::<Vec<_>>().join(" · ");
    let figures = plural(report.figures.len(), "published figure");
    filled(&format!("{figures}; by fact: {counted}."), width) + "\n"
}

/// The claims of a text about the experiments of the run, the most interesting verdicts first, and what the open ones need.
pub(super) fn claims(report: &BookReport, width: Option<usize>) -> String {
    let mut table = Table::new("", "verdict | claim | printed (agrees within) | ours");
    let mut rows = most_interesting_first(report.figures.clone());
    rows.retain(|one| !one.link.is_empty());
    for one in rows {
        let printed = match (one.printed.as_str(), one.band.as_str()) {
            (printed, "") => printed.to_owned(),
            ("", band) => band.to_owned(),
            (printed, band) => format!("{printed} ({band})"),
        };
        let ours = match one.interval.as_str() {
            "" if one.ours.is_empty() => one.reason.clone(),
            "" => one.ours.clone(),
            interval => format!("{} ({interval})", one.ours),
        };
        table.rows.push(row![one.verdict, &one.id, printed, ours]);
    }
    let (open, counted) = (open_figures(report, width), counted(report, width));
    format!("{}{open}\n{counted}\n", table.within(width))
}

/// The figures that are open, and what each needs.
pub(super) fn open_figures(report: &BookReport, width: Option<usize>) -> String {
    let mut table = Table::new("", "open | ours | needs");
    let open = report.figures.iter().filter(|one| !one.needs.is_empty());
    let rows = open.map(|one| row![&one.id, &one.ours, &one.needs]);
    table.rows.extend(rows);
    match table.rows.as_slice() {
        [] => String::new(),
        _ => format!("\n{}", table.within(width)),
    }
}
