//! The header of `records.csv` and the order of a row's fields.

use std::collections::BTreeMap;

use super::Record;

/// The schema's version, in the first column of every row. A newer one is refused by an older reader.
/// It rises when a column changes its meaning; a column that is added does not raise it, and a file
/// that lacks one is read as if it were empty.
pub const SCHEMA: u32 = 1;

/// The columns that every file has, in their order.
pub const FIXED: &[&str] = &[
    "schema",
    "experiment",
    "sample",
    "cell",
    "problem",
    "instance",
    "instance_hash",
    "question",
    "size",
    "generator",
    "seed",
    "variant",
    "variant_version",
    "label",
    "exact",
    "repeat",
    "mode",
    "bound_policy",
    "threads",
    "outcome",
    "detail",
    "score",
    "claimed",
    "bound",
    "wall_ns",
    "cpu_ns",
    "batch_ns",
    "iterations",
    "prepare_ns",
    "table_bytes",
    "started_ns",
    "attempt",
    "canary",
];

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
            .copied()
            .chain(self.extra.iter().map(String::as_str))
    }

    /// The fields of one record, in the header's order. A name that the header lacks is left out:
    /// the plan declares every column beforehand.
    #[must_use]
    pub fn fields(&self, record: &Record) -> Vec<String> {
        let text = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
        let score = |value: Option<i64>| value.map_or(String::new(), |value| value.to_string());
        let mut fields = vec![
            SCHEMA.to_string(),
            record.experiment.clone(),
            record.sample.clone(),
            record.cell.clone(),
            record.problem.clone(),
            record.instance.clone(),
            record.instance_hash.clone(),
            record.question.clone(),
            record.size.to_string(),
            record.generator.clone(),
            text(record.seed),
            record.variant.clone(),
            record.variant_version.to_string(),
            record.label.clone(),
            record.exact.to_string(),
            record.repeat.to_string(),
            record.mode.clone(),
            record.bound_policy.clone(),
            record.threads.to_string(),
            record.outcome.clone(),
            record.detail.clone(),
            score(record.score),
            score(record.claimed),
            score(record.bound),
            text(record.wall_ns),
            text(record.cpu_ns),
            text(record.batch_ns),
            record.iterations.to_string(),
            text(record.prepare_ns),
            record.table_bytes.to_string(),
            record.started_ns.to_string(),
            record.attempt.to_string(),
            record
                .canary
                .map_or(String::new(), |ratio| format!("{ratio:.3}")),
        ];
        let fixed = fields.len();
        fields.resize(fixed + self.extra.len(), String::new());
        for (name, value) in &record.extra {
            if let Some(place) = self.place.get(name) {
                fields[fixed + place].clone_from(value);
            }
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_field_for_every_column() {
        let columns = Columns::new(["setting_steps".to_owned(), "counter_nodes".to_owned()]);
        let record = Record {
            extra: vec![("counter_nodes".to_owned(), "7".to_owned())],
            ..Record::default()
        };
        let fields = columns.fields(&record);
        assert_eq!(fields.len(), columns.header().count());
        assert_eq!(fields.last().map(String::as_str), Some("7"));
    }
}
