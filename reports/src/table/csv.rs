//! Tables as CSV: bare numbers in the unit that the head names. The ends of intervals, the signs of bounds and
//! details are in separate columns.

use ikeru_compare::comparison::Comparison;
use ikeru_records::whole::number;

use super::cell::sign;
use super::{Cell, Content, Table};
use crate::units::Quantity;

pub(super) fn csv(table: &Table) -> String {
    let mut columns: Vec<Vec<String>> = Vec::new();
    for (head, cells) in table.columns() {
        if cells.iter().any(|cell| cell.comparison().is_some()) {
            columns.extend(compared(head, &cells));
            continue;
        }
        let quantity = common_quantity(&cells);
        let head = name(head, quantity);
        let is_interval = |cell: &&Cell| matches!(cell.content, Content::Interval(..));
        if !cells.iter().any(is_interval) {
            let fields = cells.iter().map(|cell| field(cell, quantity.is_some()));
            columns.push(std::iter::once(head.clone()).chain(fields).collect());
        }
        let bounds: Vec<&str> = cells.iter().map(|cell| bound(cell)).collect();
        if quantity.is_some() && bounds.iter().any(|bound| !bound.is_empty()) {
            let head = std::iter::once(format!("{head} bound"));
            columns.push(head.chain(bounds.into_iter().map(str::to_owned)).collect());
        }
        let details = || cells.iter().map(|cell| cell.detail.clone());
        if quantity.is_some() && details().any(|detail| !detail.is_empty()) {
            let head = std::iter::once(format!("{head} detail"));
            columns.push(head.chain(details()).collect());
        }
        let wholes = cells.iter().map(|cell| match cell.content {
            Content::Part(_, whole) => whole.to_string(),
            _ => String::new(),
        });
        if wholes.clone().any(|whole| !whole.is_empty()) {
            columns.push(
                std::iter::once(format!("{head} of"))
                    .chain(wholes)
                    .collect(),
            );
        }
        if cells.iter().any(|cell| cell.interval().is_some()) {
            for (name, end) in [("low", 0), ("high", 1)] {
                let ends = cells.iter().map(|cell| {
                    let ends = cell.interval().map(|ends| [ends.low, ends.high]);
                    ends.map_or(String::new(), |ends| ends[end].to_string())
                });
                let head = std::iter::once(format!("{head} {name}"));
                columns.push(head.chain(ends).collect());
            }
        }
    }
    let line = |row: usize| {
        let fields: Vec<String> = columns.iter().map(|column| quoted(&column[row])).collect();
        fields.join(",") + "\n"
    };
    (0..=table.rows.len()).map(line).collect()
}

/// The columns of comparisons; any other text is in the column of the decision.
fn compared(head: &str, cells: &[&Cell]) -> [Vec<String>; 5] {
    let column = |name: &str, of: fn(&Comparison) -> String, is_word: bool| {
        let field = |cell: &&Cell| match cell.comparison() {
            Some(row) => of(row),
            None if is_word => field(cell, false),
            None => String::new(),
        };
        let head = self::name(format!("{head} {name}").trim(), None);
        std::iter::once(head)
            .chain(cells.iter().map(field))
            .collect()
    };
    [
        column("", |row| number(row.estimate), false),
        column("low", |row| number(row.low), false),
        column("high", |row| number(row.high), false),
        column("scope", |row| row.scope.name().to_owned(), false),
        column("decision", |row| row.decision.name().to_owned(), true),
    ]
}

/// The head of a column for other programs: a name without commas, with its unit.
pub(super) fn name(head: &str, quantity: Option<Quantity>) -> String {
    let head = head.replace(',', "");
    match quantity.map_or("", Quantity::unit) {
        "" => head,
        unit => format!("{head}_{unit}"),
    }
}

/// The common quantity of all numbers of a column; `None` if they differ.
fn common_quantity(cells: &[&Cell]) -> Option<Quantity> {
    let mut quantities = cells.iter().filter_map(|cell| match cell.content {
        Content::Number(_, quantity) | Content::Interval(_, quantity) => Some(quantity),
        Content::Part(..) => Some(Quantity::Count),
        _ => None,
    });
    let first = quantities.next()?;
    quantities.all(|other| other == first).then_some(first)
}

/// A number without its unit if `is_bare`; a dash is an empty field.
fn field(cell: &Cell, is_bare: bool) -> String {
    match &cell.content {
        Content::Empty => String::new(),
        Content::Number(estimate, _) if is_bare => estimate.value.to_string(),
        Content::Part(part, _) => part.to_string(),
        _ if cell.detail.is_empty() => cell.to_string(),
        _ => cell.line(),
    }
}

/// The sign of a bound: `≥`, `≤`, `≈`; empty for an exact value.
fn bound(cell: &Cell) -> &'static str {
    match cell.content {
        Content::Number(estimate, _) => sign(estimate.bound),
        _ => "",
    }
}

/// The field, in quotation marks if it needs them.
pub(crate) fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
