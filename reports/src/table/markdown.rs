//! Tables in Markdown: a pipe table below its title.

use super::Table;

pub(super) fn markdown(table: &Table) -> String {
    let mut text = String::new();
    if !table.title.is_empty() {
        text += &format!("### {}\n\n", escaped(&table.title));
    }
    if !table.heads.is_empty() {
        let line = |fields: Vec<String>| format!("| {} |\n", fields.join(" | "));
        let rule = |is_number| if is_number { "---:" } else { "---" }.to_owned();
        text += &line(table.heads.iter().map(|head| escaped(head)).collect());
        text += &line(table.numeric().into_iter().map(rule).collect());
        for row in &table.rows {
            text += &line(row.iter().map(|cell| escaped(&cell.line())).collect());
        }
    }
    for note in &table.notes {
        text += &format!("\n{}\n", no_block(escaped(note)));
    }
    if !table.command.is_empty() {
        let fence = "`".repeat(1 + longest_run(&table.command, '`'));
        text += &format!("\nMade by {fence}{}{fence}.\n", table.command);
    }
    text
}

/// Text escaped so that Markdown shows it unchanged.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '~' | '$' => escaped.extend(['\\', letter]),
            '\n' | '\r' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Escaped text that begins no heading and no list: a note may begin with a label.
fn no_block(text: String) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => format!("{}\\{}", &text[..digits], &text[digits..]),
        Some(b'#' | b'-' | b'+') if digits == 0 => format!("\\{text}"),
        _ => text,
    }
}

/// The length of the longest run of `letter`.
fn longest_run(text: &str, letter: char) -> usize {
    let runs = text.split(|other| other != letter);
    runs.map(str::len).max().unwrap_or(0)
}
