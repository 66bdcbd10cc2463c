//! Tables in Markdown: a pipe table below its title.

use super::Table;

pub(super) fn markdown(table: &Table) -> String {
    let mut text = format!("### {}\n\n", table.title);
    if !table.heads.is_empty() {
        let line = |fields: Vec<String>| format!("| {} |\n", fields.join(" | ").replace('\n', " "));
        let escaped = |text: &String| text.replace('|', "\\|");
        let rule = |is_number| if is_number { "---:" } else { "---" }.to_owned();
        text += &line(table.heads.iter().map(escaped).collect());
        text += &line(table.numeric().into_iter().map(rule).collect());
        for row in &table.rows {
            text += &line(row.iter().map(|cell| escaped(&cell.line())).collect());
        }
    }
    for note in &table.notes {
        text += &format!("\n{note}\n");
    }
    if !table.command.is_empty() {
        text += &format!("\nMade by `{}`.\n", table.command);
    }
    text
}
