//! Tables for a terminal: numbers at the right, words at the left.

use super::Table;

/// Title, table, notes and command.
pub(super) fn text(table: &Table) -> String {
    let mut text = format!("{}\n\n{}", table.title, lines(table));
    for note in &table.notes {
        text += &format!("\n{note}\n");
    }
    if !table.command.is_empty() {
        text += &format!("\nMade by {}\n", table.command);
    }
    text
}

/// Heads and rows in aligned columns.
pub(super) fn lines(table: &Table) -> String {
    let cells = table
        .rows
        .iter()
        .map(|row| row.iter().map(super::Cell::line).collect());
    let lines: Vec<Vec<String>> = std::iter::once(table.heads.clone()).chain(cells).collect();
    let width = |text: &String| text.chars().count();
    let mut text = String::new();
    for line in lines.iter().filter(|line| !line.is_empty()) {
        let mut row = String::new();
        for (column, is_number) in table.numeric().into_iter().enumerate() {
            let widest = lines.iter().map(|line| width(&line[column])).max();
            let room = " ".repeat(widest.unwrap_or(0) - width(&line[column]));
            row += &if is_number {
                format!("{room}{}  ", line[column])
            } else {
                format!("{}{room}  ", line[column])
            };
        }
        text += row.trim_end();
        text.push('\n');
    }
    text
}
