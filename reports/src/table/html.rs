//! Tables as a fragment of a page. A wide table scrolls horizontally, a table of many rows also vertically.

use serde::Serialize;

use super::{Cell, Content, Table};
use crate::units::Quantity;

/// A table in the form that the page's template expects.
#[derive(Serialize)]
pub(super) struct Fragment {
    title: String,
    rows: usize,
    html: String,
}

impl From<Table> for Fragment {
    fn from(table: Table) -> Self {
        Self {
            html: html(&table),
            rows: table.rows.len(),
            title: table.title,
        }
    }
}

/// The largest number of rows of a table without separate vertical scrolling.
const TALL: usize = 18;

pub(super) fn html(table: &Table) -> String {
    let cells = if table.cells.is_empty() {
        String::new()
    } else {
        format!(" data-cells=\"{}\"", escaped(&table.cells.join(" ")))
    };
    let mut html = format!(
        "<div class=\"scroll{}\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">\n<table{cells}>\n<caption><div>\
         <strong>{}</strong>{}",
        if table.rows.len() > TALL { " tall" } else { "" },
        escaped(&table.title),
        escaped(&table.title),
        escaped(&table.notes.join(" ")),
    );
    if !table.command.is_empty() {
        let command = escaped(&table.command);
        html += &format!("<span class=\"made\">Made by <code>{command}</code></span>");
    }
    html += "</div></caption>\n<thead><tr>";
    for (head, is_number) in table.heads.iter().zip(table.numeric()) {
        let class = if is_number { " class=\"number\"" } else { "" };
        // Text in parentheses is small and below the name.
        let head = match head.split_once(" (") {
            Some((name, below)) => format!("{} <small>({}</small>", escaped(name), escaped(below)),
            None => escaped(head),
        };
        html += &format!("<th scope=\"col\"{class}>{head}</th>");
    }
    html += "</tr></thead>\n<tbody>\n";
    for row in &table.rows {
        html += "<tr>";
        for (column, cell) in row.iter().enumerate() {
            html += &match column {
                0 => format!("<th scope=\"row\"{}</th>", inner(cell)),
                _ => format!("<td{}</td>", inner(cell)),
            };
        }
        html += "</tr>\n";
    }
    html + "</tbody>\n</table>\n</div>"
}

/// The rest of a cell's opening tag, and its content.
fn inner(cell: &Cell) -> String {
    let class = match cell.content {
        Content::Prose(_) => " class=\"prose\"",
        Content::Text(_) | Content::Badge(..) | Content::Compared(..) => "",
        Content::Empty
        | Content::Printed(_)
        | Content::Number(..)
        | Content::Part(..)
        | Content::Interval(..) => " class=\"number\"",
    };
    let word = cell.to_string();
    let class = format!("{class}{}", sorted_by(cell, &word));
    let word = escaped(&word);
    let word = match cell.content {
        Content::Badge(_, tone) => {
            let class = format!("{tone:?}").to_lowercase();
            format!("<span class=\"badge {class}\">{word}</span>")
        }
        _ => word,
    };
    match cell.beside() {
        beside if beside.is_empty() => format!("{class}>{word}"),
        beside => format!("{class}>{word} <small>{}</small>", escaped(&beside)),
    }
}

/// The attribute with the bare number by which the page sorts, if the text has a unit or a power of ten.
fn sorted_by(cell: &Cell, word: &str) -> String {
    let (value, quantity) = match cell.content {
        Content::Number(estimate, quantity) => (estimate.value, quantity),
        Content::Interval(ends, quantity) => (ends.low, quantity),
        _ => return String::new(),
    };
    match quantity {
        Quantity::Time | Quantity::Bytes => format!(" data-v=\"{value}\""),
        _ if word.contains('·') => format!(" data-v=\"{value}\""),
        _ => String::new(),
    }
}

/// Text escaped for HTML and its attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            other => escaped.push(other),
        }
    }
    escaped
}
