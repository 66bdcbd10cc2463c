//! Tables for a terminal: numbers are aligned right, words left, and columns that do not fit are wrapped or dropped.

use unicode_width::UnicodeWidthStr;

use super::{Cell, Table};
use crate::sheet::shortened_until;

impl Table {
    /// The table as text in a terminal of `width` columns, if that is known: notes are wrapped at words; columns
    /// without room are left out and named.
    pub fn within(&self, width: Option<usize>) -> String {
        let (lines, dropped) = fitted(self, width);
        let mut text = match self.title.as_str() {
            "" => lines,
            title => format!("{}\n\n{lines}", filled(title, width)),
        };
        let missing = (!dropped.is_empty()).then(|| {
            format!(
                "Too wide for this terminal: {}; --verbose shows them.",
                dropped.join(", ")
            )
        });
        for note in self.notes.iter().chain(&missing) {
            text += &format!("\n{}\n", filled(note, width));
        }
        if !self.command.is_empty() {
            text += &format!("\nMade by {}\n", self.command);
        }
        text
    }

    /// Heads and rows as aligned text, and nothing else.
    pub fn lines(&self) -> String {
        fitted(self, None).0
    }

    /// The rows as aligned text, without heads, in a terminal of `width` columns.
    pub fn body(&self, width: Option<usize>) -> String {
        let mut table = self.clone();
        table.heads.iter_mut().for_each(String::clear);
        let lines = fitted(&table, width).0;
        lines.trim_start_matches('\n').to_owned()
    }
}

/// A last column of words is wrapped instead of dropped if it has room for at least this many terminal columns.
const LEAST: usize = 24;

/// Names are not shortened below this number of terminal columns.
const SHORTEST: usize = 12;

/// The lines, and the heads of the columns that were dropped.
fn fitted(table: &Table, width: Option<usize>) -> (String, Vec<String>) {
    let is_number = table.numeric();
    let (mut lines, mut widths) = lines(table, Cell::line);
    let mut chosen = match width {
        Some(width) => chosen(table, &is_number, &mut widths, width, false),
        None => Some(((0..widths.len()).collect(), None)),
    };
    let mut given_up = None;
    if let (None, Some(width)) = (&chosen, width) {
        given_up = Some("intervals".to_owned());
        (lines, widths) = self::lines(table, Cell::without_interval);
        chosen = self::chosen(table, &is_number, &mut widths, width, true);
    }
    let (kept, room) = chosen.unwrap_or_default();
    let mut text = String::new();
    for line in lines.iter().filter(|line| !line.is_empty()) {
        let mut row = String::new();
        for column in &kept {
            let indent = row.width();
            let word = shortened(&line[*column], widths[*column]);
            let padding = " ".repeat(widths[*column].saturating_sub(word.width()));
            row += &match room.filter(|_| kept.last() == Some(column)) {
                Some(room) => {
                    wrapped(&line[*column], room).join(&format!("\n{}", " ".repeat(indent)))
                }
                None if is_number[*column] => format!("{padding}{word}  "),
                None => format!("{word}{padding}  "),
            };
        }
        text += row.trim_end();
        text.push('\n');
    }
    let dropped = (0..widths.len()).filter(|column| !kept.contains(column));
    let dropped = dropped.map(|column| table.heads[column].clone());
    (text, dropped.chain(given_up).collect())
}

/// Heads and rows as text, and the width of each column.
fn lines(table: &Table, text: impl Fn(&Cell) -> String) -> (Vec<Vec<String>>, Vec<usize>) {
    let rows = table.rows.iter();
    let rows = rows.map(|row| row.iter().map(&text).collect());
    let lines: Vec<Vec<String>> = std::iter::once(table.heads.clone()).chain(rows).collect();
    let widest = |column: usize| lines.iter().map(|line| line[column].width()).max();
    let widths = (0..table.heads.len()).map(|column| widest(column).unwrap_or(0));
    let widths = widths.collect();
    (lines, widths)
}

/// The columns that are shown, and the width of the last one if it is to be wrapped.
type Chosen = (Vec<usize>, Option<usize>);

/// The columns that fit into `width`. Columns without any value are dropped first, then those of `given_up_first`, of which come
/// back those that fit after all. Before a table that has them drops other columns, it shortens the names of its rows, unless
/// `shortens` is false: then `None`. If it is true, none of them comes back. A narrower table therefore shows only what a wider one
/// shows too, or less important columns in the room of one that is dropped.
fn chosen(
    table: &Table,
    is_number: &[bool],
    widths: &mut [usize],
    width: usize,
    shortens: bool,
) -> Option<Chosen> {
    let mut kept: Vec<usize> = (0..widths.len()).collect();
    if kept.iter().map(|column| widths[*column] + 2).sum::<usize>() > width + 2 {
        kept.retain(|column| *column == 0 || !is_empty(table, *column));
    }
    let mut given_up = given_up(table);
    if shortens {
        let gone = std::mem::take(&mut given_up).concat();
        kept.retain(|column| !gone.contains(column));
    }
    let mut given_up = given_up.into_iter();
    let mut dropped = Vec::new();
    loop {
        let Some((last, others)) = kept.split_last() else {
            return Some((kept, None));
        };
        let before: usize = others.iter().map(|column| widths[*column] + 2).sum();
        if before + widths[*last] <= width {
            let mut room = width - before - widths[*last];
            while let Some(column) = dropped.pop() {
                let needed: usize = widths[column] + 2;
                if needed <= room {
                    room -= needed;
                    kept.push(column);
                }
            }
            kept.sort_unstable();
            return Some((kept, None));
        }
        if let Some(own) = given_up.next() {
            dropped.extend(kept.extract_if(.., |column| own.contains(column)));
            continue;
        }
        if !is_number[*last] && before + LEAST <= width {
            return Some((kept, Some(width - before)));
        }
        if !shortens && !table.given_up_first.is_empty() {
            return None;
        }
        let over = before + widths[*last] - width;
        let names = others.iter().copied().take(2).rev();
        let name = names.max_by_key(|column| widths[*column]);
        match name.filter(|name| widths[*name] > SHORTEST && !table.given_up_first.is_empty()) {
            Some(name) => widths[name] = widths[name].saturating_sub(over).max(SHORTEST),
            None if kept.len() <= 2 => return Some((kept, None)),
            None => dropped.extend(kept.pop()),
        }
    }
}

/// Returns whether no row has a value in the column.
fn is_empty(table: &Table, column: usize) -> bool {
    let is_blank = |row: &Vec<Cell>| matches!(&*row[column].line(), "" | "–");
    !table.rows.is_empty() && table.rows.iter().all(is_blank)
}

/// The columns that each head of `given_up_first` names.
fn given_up(table: &Table) -> Vec<Vec<usize>> {
    let heads = table.given_up_first.split(" | ");
    let named = heads.map(|head| {
        let begins = head.strip_suffix(" …");
        let is_gone = |own: &str| begins.map_or(own == head, |it| own.starts_with(it));
        let columns = 0..table.heads.len();
        columns.filter(|at| is_gone(&table.heads[*at])).collect()
    });
    named.collect()
}

/// The text, or its ends with `…` between them if it is wider than `width` columns.
fn shortened(text: &str, width: usize) -> String {
    shortened_until(text, |text| text.width() <= width)
}

/// Text wrapped at words.
pub fn filled(text: &str, width: Option<usize>) -> String {
    width.map_or_else(|| text.to_owned(), |width| wrapped(text, width).join("\n"))
}

/// Lines of at most `width` columns; a longer word is a separate line.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines
            .last_mut()
            .filter(|line| line.is_empty() || line.width() + 1 + word.width() <= width);
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
    fn a_column_that_fits_after_all_comes_back() {
        let wide = "a name of thirty letters, here";
        let table = Table {
            rows: vec![row!["memo", "1.5", wide, "slower"]],
            given_up_first: "ratio | long",
            ..Table::new("", "variant | ratio | long | verdict")
        };
        let text = table.within(Some(40));
        assert!(text.starts_with("variant  ratio  verdict\n"), "{text}");
        assert!(text.contains("Too wide for this terminal: long"), "{text}");
    }

    #[test]
    fn columns_without_a_value_are_dropped_first_and_a_narrower_table_never_shows_more() {
        let folder = "ab-ab-20261129T231917";
        let times = crate::statistics::Estimate::within(1_000.0, 1_234.0, 1_400.0);
        let heads = "run | started | comment | experiments | variants | samples | failed | time | of the best known";
        let row = row![
            folder,
            "2026-11-29 23:19",
            "",
            "ab",
            "base@base, base@head, base@placebo",
            "60",
            "",
            (times, Quantity::Plain),
            Cell::EMPTY
        ];
        let table = Table {
            rows: vec![row],
            given_up_first: "experiments | samples | variants",
            ..Table::new("", heads)
        };
        let shown = |width: usize| {
            let text = table.within(Some(width));
            let line = text.lines().next().expect("heads").to_owned();
            // The most important first.
            let heads = "run | started | time | variants | samples | experiments | comment | failed | of the";
            let heads = heads.split(" | ");
            heads.map(|head| line.contains(head)).collect::<Vec<_>>()
        };
        let all = [true; 9];
        assert_eq!(shown(200), all);
        let is_shown = [true, true, true, true, true, false, false, false, false];
        assert_eq!(shown(110), is_shown);
        for width in 41..200 {
            assert!(shown(width - 1) <= shown(width), "{width}");
        }
    }

    #[test]
    fn columns_without_room_are_dropped_from_the_right_and_named() {
        let text = table().within(Some(24));
        let widest = text.lines().map(UnicodeWidthStr::width).max();
        assert!(widest <= Some(24), "{text}");
        assert!(text.contains("variant  first  second\nmemo"), "{text}");
        assert!(
            text.replace('\n', " ")
                .contains("terminal: third; --verbose"),
            "{text}"
        );
        assert!(table().lines().contains("third"));
    }

    #[test]
    fn what_a_table_gives_up_first_is_dropped_first_and_names_are_shortened() {
        let mut table = table();
        table.given_up_first = "first";
        let text = table.within(Some(24));
        assert!(text.contains("variant  second  third\nmemo"), "{text}");
        assert!(text.contains("terminal: first;"), "{text}");
        table.rows[0][0] = "a variant of a long name".into();
        let text = table.within(Some(30));
        assert!(text.contains("a varia…ng name   1,234      7"), "{text}");
        // Intervals go before a name is shortened.
        let ends = crate::statistics::Estimate::within(1_000.0, 1_234.0, 1_400.0);
        table.rows[0][2] = (ends, Quantity::Plain).into();
        assert!(table.within(Some(60)).contains("1,234 (1,000 … 1,400)"));
        let text = table.within(Some(43));
        assert!(
            text.contains("a variant of a long name   1,234      7"),
            "{text}"
        );
        assert!(text.contains("terminal: first,\nintervals;"), "{text}");
        // A Japanese character takes two columns.
        table.rows[0][0] = "貧乏神あり".into();
        assert!(
            table.lines().contains("\n貧乏神あり   1.50"),
            "{}",
            table.lines()
        );
    }

    #[test]
    fn words_in_the_last_column_wrap_under_their_head() {
        let mut table = table();
        table.heads.truncate(2);
        table.rows = vec![row!["memo", "one two three four five six seven eight"]];
        let expected =
            "variant  first\nmemo     one two three four five\n         six seven eight\n";
        assert_eq!(fitted(&table, Some(34)).0, expected);
    }
}
