//! Tables for a terminal: numbers at the right, words at the left, no line wider than the terminal.

use super::{Cell, Table};

/// Title, table, notes and command; within `width` columns, if one is given.
pub(super) fn text(table: &Table, width: Option<usize>) -> String {
    let (lines, dropped) = fitted(table, width);
    let mut text = match table.title.as_str() {
        "" => lines,
        title => format!("{}\n\n{lines}", filled(title, width)),
    };
    let missing = (!dropped.is_empty()).then(|| {
        format!(
            "Too wide for this terminal: {}; --verbose shows them.",
            dropped.join(", ")
        )
    });
    for note in table.notes.iter().chain(&missing) {
        text += &format!("\n{}\n", filled(note, width));
    }
    if !table.command.is_empty() {
        text += &format!("\nMade by {}\n", table.command);
    }
    text
}

/// Heads and rows in aligned columns.
pub(super) fn lines(table: &Table, width: Option<usize>) -> String {
    fitted(table, width).0
}

/// A last column of words is wrapped rather than dropped if it has this many columns of its own.
const LEAST: usize = 24;

/// The lines, and the heads of the columns that have no room, which are the last ones.
fn fitted(table: &Table, width: Option<usize>) -> (String, Vec<String>) {
    let cells = table.rows.iter();
    let cells = cells.map(|row| row.iter().map(Cell::line).collect());
    let lines: Vec<Vec<String>> = std::iter::once(table.heads.clone()).chain(cells).collect();
    let is_number = table.numeric();
    let widths: Vec<usize> = (0..table.heads.len())
        .map(|column| {
            lines
                .iter()
                .map(|line| columns(&line[column]))
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut kept = widths.len();
    let mut room = None;
    while let Some(width) = width {
        let before: usize = widths[..kept.saturating_sub(1)]
            .iter()
            .map(|own| own + 2)
            .sum();
        let last = widths[..kept].last().copied().unwrap_or(0);
        let is_words = kept > 0 && !is_number[kept - 1];
        if before + last <= width {
            break;
        }
        if is_words && before + LEAST <= width {
            room = Some(width - before);
            break;
        }
        if kept <= 2 {
            break;
        }
        kept -= 1;
    }
    let mut text = String::new();
    for line in lines.iter().filter(|line| !line.is_empty()) {
        let mut row = String::new();
        for column in 0..kept {
            let indent = columns(&row);
            let padding = " ".repeat(widths[column].saturating_sub(columns(&line[column])));
            row += &match room.filter(|_| column + 1 == kept) {
                Some(room) => {
                    wrapped(&line[column], room).join(&format!("\n{}", " ".repeat(indent)))
                }
                None if is_number[column] => format!("{padding}{}  ", line[column]),
                None => format!("{}{padding}  ", line[column]),
            };
        }
        text += row.trim_end();
        text.push('\n');
    }
    (text, table.heads[kept..].to_vec())
}

/// How many columns of a terminal a text takes: one for each letter.
fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Text wrapped at words.
pub fn filled(text: &str, width: Option<usize>) -> String {
    match width {
        Some(width) => wrapped(text, width).join("\n"),
        None => text.to_owned(),
    }
}

/// Lines of at most `width` letters; a longer word stands alone.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines
            .last_mut()
            .filter(|line| line.is_empty() || columns(line) + 1 + columns(word) <= width);
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row;
    use crate::units::Quantity;

    fn table() -> Table {
        let number = |value: f64| (value, Quantity::Plain);
        Table {
            notes: vec!["A note of six words here.".to_owned()],
            rows: vec![row!["memo", number(1.5), number(1234.0), number(7.0)]],
            ..Table::new("What came out of it", "variant | first | second | third")
        }
    }

    #[test]
    fn columns_without_room_are_dropped_from_the_right_and_named() {
        let text = text(&table(), Some(24));
        let widest = text.lines().map(columns).max();
        assert!(widest <= Some(24), "{text}");
        assert!(text.contains("variant  first  second\nmemo"), "{text}");
        assert!(
            text.replace('\n', " ")
                .contains("terminal: third; --verbose"),
            "{text}"
        );
        assert!(lines(&table(), None).contains("third"));
    }

    #[test]
    fn words_in_the_last_column_wrap_under_their_head() {
        let mut table = table();
        table.heads.truncate(2);
        table.rows = vec![row!["memo", "one two three four five six seven eight"]];
        let expected =
            "variant  first\nmemo     one two three four five\n         six seven eight\n";
        assert_eq!(lines(&table, Some(34)), expected);
    }
}
