//! The header of `records.csv` and the order of a row's fields.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use csv::StringRecord;

use super::Record;

/// The schema's version, in the first column of every row. A newer one is refused by an older reader.
/// It rises when a column changes its meaning; a column that is added does not raise it, and a file
/// that lacks one is read as if it were empty.
pub const SCHEMA: u32 = 1;

/// How a reader keeps a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Few different values: each once.
    Words,
    /// Numbers that are nearly all different.
    Numbers,
}
use Kept::{Numbers, Words};

/// The columns that every file has, in their order.
pub const FIXED: &[(&str, Kept)] = &[
    ("schema", Words),
    ("experiment", Words),
    ("sample", Words),
    ("cell", Words),
    ("problem", Words),
    ("instance", Words),
    ("instance_hash", Words),
    ("question", Words),
    ("size", Words),
    ("generator", Words),
    ("seed", Words),
    ("variant", Words),
    ("variant_version", Words),
    ("label", Words),
    ("exact", Words),
    ("repeat", Words),
    ("mode", Words),
    ("bound_policy", Words),
    ("threads", Words),
    ("outcome", Words),
    ("detail", Words),
    ("score", Numbers),
    ("claimed", Numbers),
    ("bound", Numbers),
    ("wall_ns", Numbers),
    ("cpu_ns", Numbers),
    ("batch_ns", Numbers),
    ("iterations", Numbers),
    ("prepare_ns", Numbers),
    ("table_bytes", Numbers),
    ("started_ns", Numbers),
    ("attempt", Words),
    ("canary", Words),
    ("session", Words),
    ("round", Words),
];

/// The fixed columns that a file of an older version may lack; a report does without them.
pub const ADDED: [&str; 4] = ["attempt", "canary", "session", "round"];

/// How a column is kept, of whatever name.
#[must_use]
pub fn kept(column: &str) -> Kept {
    let fixed = FIXED.iter().find(|(name, _)| *name == column);
    let is_counted = column.starts_with("counter_") || column.starts_with("measure_");
    match fixed {
        Some((_, kept)) => *kept,
        None if is_counted => Numbers,
        None => Words,
    }
}

/// The header of one run: the fixed columns and those that its plan adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    extra: Vec<String>,
    place: BTreeMap<String, usize>,
}

impl Columns {
    /// The fixed columns and `extra`, repeats dropped, first come first.
    pub fn new(extra: impl IntoIterator<Item = String>) -> Self {
        let mut columns = Self {
            extra: Vec::new(),
            place: BTreeMap::new(),
        };
        for name in extra {
            if !columns.place.contains_key(&name) {
                columns.place.insert(name.clone(), columns.extra.len());
                columns.extra.push(name);
            }
        }
        columns
    }

    /// The header row.
    pub fn header(&self) -> impl Iterator<Item = &str> {
        FIXED
            .iter()
            .map(|(name, _)| *name)
            .chain(self.extra.iter().map(String::as_str))
    }

    /// The fields of one record, in the header's order. A name that the header lacks is left out:
    /// the plan declares every column beforehand.
    // PERF: one buffer for the whole row instead of a string per field. With names borrowed in `Record` and
    // a look at the file only now and then, a sample costs the runner 4.4 µs instead of 8.0 (bench `overhead`).
    #[must_use]
    pub fn row(&self, record: &Record<'_>) -> StringRecord {
        let mut row = Row {
            fields: StringRecord::with_capacity(512, FIXED.len() + self.extra.len()),
            written: String::new(),
        };
        row.number(SCHEMA);
        row.text(record.experiment);
        row.text(&record.sample);
        row.text(&record.cell);
        row.text(record.problem);
        row.text(record.instance);
        row.text(&record.instance_hash);
        row.text(&record.question);
        row.number(record.size);
        row.text(record.generator);
        row.optional(record.seed);
        row.text(record.variant);
        row.number(record.variant_version);
        row.text(record.label);
        row.number(record.exact);
        row.number(record.repeat);
        row.text(record.mode);
        row.text(record.bound_policy);
        row.number(record.threads);
        row.text(record.outcome);
        row.text(&record.detail);
        row.optional(record.score);
        row.optional(record.claimed);
        row.optional(record.bound);
        row.optional(record.wall_ns);
        row.optional(record.cpu_ns);
        row.optional(record.batch_ns);
        row.number(record.iterations);
        row.optional(record.prepare_ns);
        row.number(record.table_bytes);
        row.number(record.started_ns);
        row.number(record.attempt);
        row.optional(record.canary.map(|ratio| format!("{ratio:.3}")));
        row.number(record.session);
        row.optional(record.round);
        let mut extra = vec![""; self.extra.len()];
        let mut column = String::new();
        for (prefix, name, value) in &record.extra {
            column.clear();
            column.push_str(prefix);
            column.push_str(name);
            if let Some(place) = self.place.get(&column) {
                extra[*place] = value;
            }
        }
        extra.into_iter().for_each(|value| row.text(value));
        row.fields
    }
}

/// A row that grows field by field.
struct Row {
    fields: StringRecord,
    written: String,
}

impl Row {
    fn text(&mut self, text: &str) {
        self.fields.push_field(text);
    }

    fn number(&mut self, number: impl Display) {
        self.written.clear();
        // A string takes whatever is written to it.
        let _ = write!(self.written, "{number}");
        self.fields.push_field(&self.written);
    }

    /// Nothing is an empty field.
    fn optional(&mut self, number: Option<impl Display>) {
        match number {
            Some(number) => self.number(number),
            None => self.text(""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_field_for_every_column() {
        let columns = Columns::new(["setting_steps".to_owned(), "counter_nodes".to_owned()]);
        let record = Record {
            extra: vec![("counter_", "nodes", "7".to_owned())],
            ..Record::default()
        };
        let fields = columns.row(&record);
        assert_eq!(fields.len(), columns.header().count());
        assert_eq!(fields.iter().next_back(), Some("7"));
    }
}
