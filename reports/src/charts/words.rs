//! The names of columns and values in words: on axes, above panels, in titles.

use crate::records::Family;
use crate::rows::{Rows, TIME, intervals};

/// The words for columns of every problem whose names are not clear enough.
const COLUMNS: [(&str, &str); 6] = [
    ("time_ns", "time"),
    ("wall_ns", "wall time"),
    ("cpu_ns", "CPU time"),
    ("label", "variant"),
    ("generator", "kind of instance"),
    ("bound_policy", "best score"),
];

/// The words of one problem for the columns of its rows.
#[derive(Clone, Copy)]
pub(crate) struct Wording<'a> {
    rows: &'a Rows,
    problem: &'a str,
}

/// The words of an axis along `column` of the rows `own`.
pub fn axis_word(rows: &Rows, own: &[u32], column: &str) -> String {
    Wording::of(rows, own).column(column)
}

impl<'a> Wording<'a> {
    /// The words of the problem of the first of `own`.
    pub(crate) fn of(rows: &'a Rows, own: &[u32]) -> Self {
        let problem = own.first().map_or("", |row| rows.text("problem", *row));
        Self { rows, problem }
    }

    /// A column's name as words: `counter_nodes` is `nodes`, `time_ns` is `time`.
    pub(crate) fn column(self, column: &str) -> String {
        let column = intervals(column).map_or(column, |(column, _)| column);
        let generic = COLUMNS.iter().find(|(name, _)| *name == column);
        let own = || {
            let word = self.rows.word(self.problem, column);
            word.filter(|_| column != "size")
        };
        if let Some(word) = generic.map(|(_, word)| *word).or_else(own) {
            return word.to_owned();
        }
        if let Some((above, below)) = column.split_once('/') {
            let below = self.column(below);
            let one = below.strip_suffix("ies").map(|stem| format!("{stem}y"));
            return format!("{} per {}", self.column(above), one.unwrap_or(below));
        }
        let bare = Family::of(column).map_or(column, |(_, name)| name);
        bare.strip_suffix("_ns").unwrap_or(bare).replace('_', " ")
    }

    /// The words of [`column`](Self::column), except that the size of an instance is named by its unit.
    pub(super) fn axis(self, column: &str) -> String {
        let unit = self.rows.word(self.problem, column);
        match (column, unit) {
            ("size", Some(unit)) => unit.to_owned(),
            _ => self.column(column),
        }
    }

    /// The title of the panel of one value of a column: `maze`, `900 vertices`, `2 threads`, `seed 3`, `costs: unit`.
    pub(super) fn panel_title(self, column: &str, value: &str) -> String {
        let word = self.axis(column);
        match column {
            "generator" => spoken(value, column),
            "instance" => {
                let bare = value.strip_prefix(&format!("{}.", self.problem));
                bare.unwrap_or(value).to_owned()
            }
            "label" | "variant" => value.to_owned(),
            "seed" => format!("{word} {value}"),
            "threads" if value == "1" => "1 thread".to_owned(),
            "size" | "threads" => format!("{} {word}", spoken(value, column)),
            _ => format!("{word}: {}", spoken(value, column)),
        }
    }
}

/// The clock of a column of times, as [`Rows::compared`](crate::Rows::compared) chooses it.
pub(crate) fn clock(column: &str) -> Option<&'static str> {
    match column.split('/').next() {
        Some(TIME) => Some("CPU time"),
        Some("wall_ns") => Some("wall time"),
        _ => None,
    }
}

/// Returns whether the text names the clock, also as its first word.
pub(crate) fn has_clock(text: &str, clock: &str) -> bool {
    text.to_lowercase().contains(&clock.to_lowercase())
}

/// `word`, which names the times in `column`, with their clock: `CPU time per entry`.
pub(crate) fn with_clock(word: &str, column: &str) -> String {
    match clock(column) {
        Some(clock) if has_clock(word, clock) => word.to_owned(),
        Some(clock) if word.contains("time") => word.replacen("time", clock, 1),
        Some(clock) => format!("{word} ({clock})"),
        None => word.to_owned(),
    }
}

/// A value in words: `yes`, `12,000`, and a generator without its problem.
pub(super) fn spoken(value: &str, column: &str) -> String {
    match value {
        // Names, even if they look like numbers.
        _ if ["label", "variant", "instance", "seed"].contains(&column) => value.to_owned(),
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        other if column == "generator" => {
            let bare = other.split_once('.').map_or(other, |(_, bare)| bare);
            bare.replace('-', " ")
        }
        other => match other.parse::<usize>() {
            Ok(number) if number.to_string() == other => crate::units::count(number),
            _ => other.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_said_as_they_are_and_settings_in_words() {
        let said = |column: &str| ["01", "1000", "true"].map(|value| spoken(value, column));
        assert_eq!(said("label"), ["01", "1000", "true"]);
        let thousand = crate::units::count(1000);
        assert_eq!(said("param_map"), ["01", &thousand, "yes"]);
    }

    #[test]
    fn no_column_s_name_stands_on_a_plot() {
        let mut rows = crate::rows_of("schema,problem,outcome\n1,mine,solved\n1,yours,solved\n");
        let words = [("size", "vertices"), ("counter_cuts", "branches cut")];
        let words = words.map(|(column, word)| (column.to_owned(), word.to_owned()));
        rows.words = [("mine".to_owned(), words.into())].into();
        let [mine, yours] = [0, 1].map(|row| Wording::of(&rows, &[row]));
        assert_eq!(mine.column("time_ns/measure_entries"), "time per entry");
        assert_eq!(mine.column("counter_nodes"), "nodes");
        assert_eq!(mine.column("counter_cuts"), "branches cut");
        assert_eq!(yours.column("counter_cuts"), "cuts");
        assert_eq!(
            [mine.axis("size"), mine.column("size")],
            ["vertices", "size"]
        );
        assert_eq!(yours.axis("size"), "size");
        assert_eq!(
            mine.panel_title("generator", "mine.open-ground"),
            "open ground"
        );
        assert_eq!(mine.panel_title("size", "12000"), "12,000 vertices");
        assert_eq!(mine.panel_title("seed", "3"), "seed 3");
        assert_eq!(mine.panel_title("setting_costs", "unit"), "costs: unit");
    }

    #[test]
    fn a_time_has_its_clock() {
        assert_eq!(with_clock("time per entry", TIME), "CPU time per entry");
        assert_eq!(with_clock("Wall time", "wall_ns"), "Wall time");
        assert_eq!(
            with_clock("one answer", "wall_ns/size"),
            "one answer (wall time)"
        );
        assert_eq!(with_clock("nodes", "counter_nodes"), "nodes");
    }
}
