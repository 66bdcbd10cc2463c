//! The columns of `records.csv`: name, type, storage in memory, how a row is written, and description.
//!
//! The table [`COLUMNS`] has one entry per fixed column. A run adds a column for each setting, generator parameter,
//! counter and measure of its plan; the prefix of the name gives the [`Family`] of such a column.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::{Display, Write};
use std::path::Path;

use super::{Family, Outcome, Record, Storage, Type};
use crate::error::Result;
use crate::visible;
use crate::whole::CsvTable;

/// The schema's version, in the first column of every row. Files of another version are refused. The version rises when
/// a column that is read is removed or changes its meaning, or when one is added whose absence is not the same as an empty field.
pub const SCHEMA: u32 = 3;

/// The maximum number of characters of a `detail`.
const LONGEST_DETAIL: usize = 1000;

/// The data dictionary: the file next to `records.csv` that describes each of its columns.
pub const DICTIONARY: &str = "columns.csv";

use Storage::{Numbers, Words};
use Type::{Decimal, Flag, Hash, Text, Whole};

/// A fixed column: every file has it.
pub struct Column {
    /// The name in the header.
    pub name: &'static str,
    /// The type of its fields.
    pub holds: Type,
    /// Its form in memory.
    pub kept: Storage,
    /// A description with the unit, and when a field is empty.
    pub doc: &'static str,
    write: fn(&Record<'_>, &mut RowFields),
}

const fn column(
    name: &'static str,
    holds: Type,
    kept: Storage,
    write: fn(&Record<'_>, &mut RowFields),
    doc: &'static str,
) -> Column {
    Column {
        name,
        holds,
        kept,
        doc,
        write,
    }
}

/// The fixed columns, in their order.
#[rustfmt::skip]
pub const COLUMNS: &[Column] = &[
    column("schema", Whole, Words, |_, row| row.number(SCHEMA), "version of this table of columns"),
    column("experiment", Text, Words, |of, row| row.text(of.experiment), "name of the experiment"),
    column("sample", Hash, Words, |of, row| row.text(&of.sample), "identity of the sample: the hash of its cell, repeat and attempt"),
    column("cell", Hash, Words, |of, row| row.text(&of.cell), "identity of the cell: the hash of instance, question, variant with version and settings, bound policy, threads and mode"),
    column("problem", Text, Words, |of, row| row.text(of.problem), "name of the problem"),
    column("instance", Text, Words, |of, row| row.text(of.instance), "name of the instance: its generator with parameters, or its file"),
    column("instance_hash", Hash, Words, |of, row| row.text(&of.instance_hash), "hash of the instance's content, without the question"),
    column("question", Hash, Words, |of, row| row.text(&of.question), "hash of the instance and the question's settings: equal for all variants that answer the same question"),
    column("size", Whole, Words, |of, row| row.number(of.size), "size of the instance in the problem's natural unit"),
    column("generator", Text, Words, |of, row| row.text(of.generator), "name of the generator, or `file`"),
    column("seed", Whole, Words, |of, row| row.optional(of.seed), "seed of the generator; empty for a file"),
    column("variant", Text, Words, |of, row| row.text(of.variant), "name of the variant"),
    column("variant_version", Whole, Words, |of, row| row.number(of.variant_version), "version of the variant, raised when its times or counters may have changed"),
    column("label", Text, Words, |of, row| row.text(of.label), "name of the variant in tables and plots"),
    column("exact", Flag, Words, |of, row| row.number(of.taken.proven), "whether the answer is claimed to be proven"),
    column("repeat", Whole, Words, |of, row| row.number(of.repeat), "number of the repeat of the cell, from 0"),
    column("mode", Text, Words, |of, row| row.text(of.mode.name()), "`isolated`: one cell at a time; `contended`: all cores busy"),
    column("bound_policy", Text, Words, |of, row| row.text(of.bound_policy.name()), "`shared`: parallel workers prune with each other's best score; `private`: they do not"),
    column("threads", Whole, Words, |of, row| row.number(of.threads), "threads that the variant may use"),
    column("outcome", Text, Words, |of, row| row.text(of.taken.outcome.name()), Outcome::DOC),
    column("asked", Flag, Words, |of, row| row.number(!of.taken.is_unasked), "false where the run did not ask because a smaller question was hopeless"),
    column("detail", Text, Words, |of, row| row.beginning(&of.taken.detail), "why the sample is not solved; of a solved one why its time is doubtful, else empty"),
    column("score", Whole, Words, |of, row| row.optional(of.taken.score), "score that the referee confirmed, of the best answer at a timeout; in units of the last decimal digit of the problem; empty if there is none"),
    column("claimed", Whole, Numbers, |of, row| row.optional(of.taken.claimed), "best score, in the unit of score, that a variant had reported before its process was ended; no referee saw it"),
    column("bound", Whole, Numbers, |of, row| row.optional(of.taken.bound), "no answer can be better than this score, in the unit of score; empty if no bound is known"),
    column("wall_ns", Decimal, Numbers, |of, row| row.optional(of.taken.each(of.taken.batch)), "nanoseconds of one answer, batch_ns / iterations rounded to a thousandth; a lower bound at a timeout; empty if no answer was timed"),
    column("cpu_ns", Decimal, Numbers, |of, row| row.optional(of.taken.each(of.taken.cpu)), "CPU nanoseconds of one answer: of the process in isolated mode, of the thread for one thread in contended mode; empty where other work would be in it"),
    column("limit_ns", Whole, Numbers, |of, row| row.duration(of.limit), "time limit of one answer in nanoseconds: a sample that failed counts as one that reached it"),
    column("batch_ns", Whole, Numbers, |of, row| row.duration(of.taken.batch), "nanoseconds of all answers of the sample, as measured"),
    column("iterations", Whole, Numbers, |of, row| row.number(of.taken.iterations), "answers of the sample"),
    column("prepare_ns", Whole, Numbers, |of, row| row.duration(of.taken.prepare), "nanoseconds of the variant's preparation for the instance"),
    column("first_ns", Whole, Numbers, |of, row| row.duration(of.taken.first), "nanoseconds of the first answer after the preparation, the smaller of wall and CPU time; empty if the sample itself is that answer, or if an earlier sample of the solver has it"),
    column("table_bytes", Whole, Numbers, |of, row| row.number(of.taken.table_bytes), "bytes of the tables that the preparation keeps or a question fills anew"),
    column("peak_bytes", Whole, Numbers, |of, row| row.optional(of.taken.peak_bytes), "bytes of the largest resident memory of the process that took the sample, program, instance and referee included; of a command, the largest of its processes; empty if that is the run's own process (--isolate makes others)"),
    column("process_cpu_ns", Whole, Numbers, |of, row| row.duration(of.taken.process_cpu), "CPU nanoseconds of a command's process and of those that it waited for; empty for a variant of the program, and for a process that runs on after its answer"),
    column("answer_hash", Hash, Words, |of, row| row.text(&of.taken.answer_hash().unwrap_or_default()), "hash of a text answer: the name of its file in `answers`; empty for other answers"),
    column("rises", Text, Words, |of, row| row.text(&rises(of)), "with --anytime, each rise of the last answer's incumbent as `NANOSECONDS:SCORE@WORKER`, separated by blanks; workers are numbered by their first rise"),
    column("started_ns", Whole, Numbers, |of, row| row.optional(of.started_ns), "nanoseconds since 1970-01-01 UTC when the sample began; empty if the clock was before that"),
    column("attempt", Whole, Words, |of, row| row.number(of.attempt), "0, or the number of the attempt that replaces an earlier sample of the same repeat; the last attempt counts"),
    column("canary", Decimal, Words, |of, row| row.optional(of.canary.map(|ratio| format!("{ratio:.3}"))), "time of the canary beside the sample by its usual time in the run; empty where no canary ran"),
    column("session", Whole, Words, |of, row| row.number(of.session), "session of run.toml that took the sample, from 1"),
    column("node", Text, Words, |of, row| row.text(of.node()), "name of the machine that took the sample: the cluster's name of it, else the host name"),
    column("job", Text, Words, |of, row| row.text(of.place.map_or("", |place| &place.job)), "job of the cluster's scheduler; empty outside one"),
    column("task", Text, Words, |of, row| row.text(of.place.map_or("", |place| &place.task)), "task of the job's array; empty outside one"),
    column("core", Whole, Words, |of, row| row.optional(of.taken.core), "core on which the sample ended"),
    column("round", Whole, Words, |of, row| row.optional(of.round), "round of the session, from 0: its samples were taken next to each other in random order; empty in contended mode"),
];

/// The field `rises`: every rise of a sample's incumbent.
fn rises(of: &Record) -> String {
    let rises = of.taken.rises.iter();
    let words = rises.map(|rise| {
        let nanoseconds = rise.after.as_nanos();
        format!("{nanoseconds}:{}@{}", rise.score, rise.worker)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The storage of the column of this name; [`Storage::Words`] for an unknown one.
pub fn storage(column: &str) -> Storage {
    let fixed = COLUMNS.iter().find(|known| known.name == column);
    match fixed {
        Some(known) => known.kept,
        None => Family::of(column).map_or(Words, |(family, _)| family.holding().0),
    }
}

/// The sort key of a column in a header: fixed columns first, the others by family.
pub fn rank(column: &str) -> impl Ord + use<> {
    let fixed = COLUMNS.iter().position(|known| known.name == column);
    let family = Family::of(column).map(|(family, _)| family);
    (fixed.is_none(), fixed, family)
}

/// A column that a run adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extra {
    family: Family,
    name: String,
    doc: String,
}

impl Extra {
    /// The column of `name` in its family; `doc` describes its values.
    pub fn new(family: Family, name: &str, doc: impl Into<String>) -> Self {
        Self {
            family,
            name: family.column(name),
            doc: doc.into(),
        }
    }
}

/// The header of one run: the fixed columns and the columns that its plan adds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    extra: Vec<Extra>,
    place: BTreeMap<String, usize>,
}

impl Columns {
    /// The fixed columns, followed by `extra` sorted by family (stable), without repeated names.
    pub fn new(extra: impl IntoIterator<Item = Extra>) -> Self {
        let mut all: Vec<Extra> = extra.into_iter().collect();
        all.sort_by_key(|extra| extra.family);
        let mut columns = Self::default();
        for extra in all {
            if let Entry::Vacant(new) = columns.place.entry(extra.name.clone()) {
                new.insert(columns.extra.len());
                columns.extra.push(extra);
            }
        }
        columns
    }

    /// These columns and `more`.
    #[must_use]
    pub fn and(&self, more: impl IntoIterator<Item = Extra>) -> Self {
        Self::new(self.extra.iter().cloned().chain(more))
    }

    /// These columns, and after them those of `header` that they lack; `None` if the fixed columns differ.
    pub fn with(&self, header: &[String]) -> Option<Self> {
        let fixed = COLUMNS.iter().map(|column| column.name);
        let (first, more) = header.split_at_checked(COLUMNS.len())?;
        if !first.iter().map(String::as_str).eq(fixed) {
            return None;
        }
        let extra = |column: &String| {
            let (family, name) = Family::of(column)?;
            Some(Extra::new(family, name, "of an earlier session"))
        };
        let more: Vec<Extra> = more.iter().map(extra).collect::<Option<_>>()?;
        Some(self.and(more))
    }

    /// The header row.
    pub fn header(&self) -> impl Iterator<Item = &str> {
        let fixed = COLUMNS.iter().map(|column| column.name);
        fixed.chain(self.extra.iter().map(|extra| extra.name.as_str()))
    }

    /// The header as the first line of a file.
    pub fn header_line(&self) -> String {
        let mut row = RowFields::default();
        self.header().for_each(|name| row.text(name));
        row.line()
    }

    /// One record as a line, its fields in the header's order. A name that the header lacks is left out: the plan
    /// declares every column beforehand.
    // PERF: fields are appended to the line directly. With a string per field and a `csv` writer per row, a sample cost
    // the runner 8.7 µs instead of 6.4 while other cores computed (bench `overhead`).
    pub fn line(&self, record: &Record<'_>) -> String {
        let mut row = RowFields::default();
        for column in COLUMNS {
            (column.write)(record, &mut row);
        }
        let mut extra = vec![String::new(); self.extra.len()];
        let mut column = String::new();
        let mut set = |family: Family, name: &str, value: &dyn Display| {
            column.clear();
            column.extend([family.name(), name]);
            if let Some(place) = self.place.get(&column) {
                // Writing to a string never fails.
                let _ = write!(extra[*place], "{value}");
            }
        };
        for (family, name, value) in &record.settings {
            set(*family, name, value);
        }
        for (name, value) in &record.taken.counters {
            set(Family::Counter, name, value);
        }
        for (name, value) in &record.taken.measures {
            set(Family::Measure, name, value);
        }
        extra.iter().for_each(|value| row.text(value));
        row.line()
    }

    /// Writes the data dictionary: a line per column with its name, type and description.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write_dictionary(&self, path: &Path) -> Result<()> {
        let fixed = COLUMNS.iter();
        let fixed = fixed.map(|column| [column.name, column.holds.name(), column.doc]);
        let extra = self.extra.iter();
        let extra = extra.map(|extra| [&extra.name, extra.family.holding().1.name(), &extra.doc]);
        write_lines(path, fixed.chain(extra).map(|line| line.map(str::to_owned)))
    }
}

/// Writes the lines of a data dictionary.
pub(crate) fn write_lines(path: &Path, lines: impl IntoIterator<Item = [String; 3]>) -> Result<()> {
    CsvTable::<[String; 3]>::default()
        .column("column", |line| line[0].clone())
        .column("type", |line| line[1].clone())
        .column("about", |line| line[2].clone())
        .write(path, lines)
}

/// A line of the file, to which fields are appended.
pub struct RowFields(String);

impl Default for RowFields {
    fn default() -> Self {
        Self(String::with_capacity(1 << 10))
    }
}

impl RowFields {
    /// Appends `text`, quoted if necessary. Line breaks become spaces, so that a torn row is recognised.
    fn text(&mut self, text: &str) {
        let is_plain = |byte| matches!(byte, b' '..=b'~') && !matches!(byte, b',' | b'"');
        if text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
            self.0.push_str(text);
        } else {
            let text = visible(text).replace('\n', " ");
            let is_quoted = text.contains([',', '"']);
            let quote = if is_quoted { "\"" } else { "" };
            self.0.extend([quote, &text.replace('"', "\"\""), quote]);
        }
        self.0.push(',');
    }

    /// The whole line.
    fn line(mut self) -> String {
        self.0.pop();
        self.0.push('\n');
        self.0
    }

    /// Appends the first [`LONGEST_DETAIL`] characters: the text may come from a foreign program.
    fn beginning(&mut self, text: &str) {
        let end = text.char_indices().nth(LONGEST_DETAIL);
        self.text(end.map_or(text, |(end, _)| &text[..end]));
    }

    fn number(&mut self, number: impl Display) {
        // Writing to a string never fails.
        let _ = write!(self.0, "{number},");
    }

    /// Appends `number`, or an empty field for `None`.
    fn optional(&mut self, number: Option<impl Display>) {
        match number {
            Some(number) => self.number(number),
            None => self.text(""),
        }
    }

    /// Nanoseconds.
    fn duration(&mut self, time: Option<std::time::Duration>) {
        self.optional(time.map(|time| time.as_nanos() as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sample;

    /// The fields of a line, as the `csv` crate reads them.
    fn fields(columns: &Columns, record: &Record) -> csv::StringRecord {
        let line = columns.line(record);
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.has_headers(false).from_reader(line.as_bytes());
        let fields = reader.records().next().expect("a line").expect("whole");
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&fields).expect("written");
        let written = writer.into_inner().expect("in memory");
        assert_eq!(line.as_bytes(), written, "as the crate writes it");
        fields
    }

    #[test]
    fn a_row_has_a_field_for_every_column() {
        let extra = [
            Extra::new(Family::Counter, "nodes", "nodes of the search"),
            Extra::new(Family::Setting, "steps", "number of steps"),
            Extra::new(Family::Measure, "length", "cells"),
            Extra::new(Family::Setting, "steps", "of another variant"),
        ];
        let columns = Columns::new(extra);
        let record = Record {
            settings: vec![(Family::Setting, "steps", "48".to_owned())],
            taken: Sample {
                counters: vec![("nodes".into(), 7), ("undeclared".into(), 1)],
                measures: vec![("length".into(), 2.5)],
                ..Sample::default()
            },
            ..Record::default()
        };
        let fields = fields(&columns, &record);
        assert_eq!(fields.len(), columns.header().count());
        let last: Vec<&str> = fields.iter().skip(COLUMNS.len()).collect();
        assert_eq!(last, ["48", "7", "2.5"]);
        assert_eq!(columns.header().last(), Some("measure_length"));
    }

    #[test]
    fn every_text_is_quoted_as_the_crate_csv_quotes_it() {
        let columns = Columns::new([]);
        let field = |detail: &str, name: &str| {
            let record = Record {
                place: Some(&crate::Place {
                    node: "n".to_owned(),
                    job: "j".to_owned(),
                    task: "t".to_owned(),
                }),
                taken: Sample {
                    detail: detail.to_owned(),
                    answer: Some("text".to_owned()),
                    rises: vec![
                        ikeru_core::Rise {
                            after: std::time::Duration::from_nanos(7),
                            score: -5,
                            worker: 2,
                        };
                        2
                    ],
                    node: (detail == "ü").then(|| "other".to_owned()),
                    ..Sample::default()
                },
                ..Record::default()
            };
            let place = columns.header().position(|column| column == name);
            fields(&columns, &record)[place.expect("a column")].to_owned()
        };
        for detail in ["", ",", "\"", "a b", "ü", "a,\"b"] {
            assert_eq!(field(detail, "detail"), detail);
        }
        assert_eq!(field("", "rises"), "7:-5@2 7:-5@2");
        let hash = ikeru_core::ContentHash::of(&[b"text"]).to_string();
        assert_eq!(field("", "answer_hash"), hash);
        assert_eq!(
            ["", "ü"].map(|detail| field(detail, "node")),
            ["n", "other"]
        );
        assert_eq!(["job", "task"].map(|name| field("", name)), ["j", "t"]);
    }

    #[test]
    fn a_detail_is_short_and_nothing_in_it_is_obeyed() {
        let record = Record {
            taken: Sample {
                detail: format!("\u{1b}[2J\r\n\"ü\", {}", "x".repeat(5000)),
                ..Sample::default()
            },
            ..Record::default()
        };
        let columns = Columns::new([]);
        let row = fields(&columns, &record);
        let place = columns.header().position(|name| name == "detail");
        let detail = &row[place.expect("a column")];
        assert!(detail.starts_with("␛[2J␍ \"ü\", x"), "{detail}");
        assert_eq!(detail.chars().count(), LONGEST_DETAIL);
    }

    #[test]
    fn the_dictionary_has_a_line_for_every_column() {
        let columns = Columns::new([Extra::new(
            Family::Measure,
            "length",
            "cells, commas included",
        )]);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("columns.csv");
        columns.write_dictionary(&path).expect("written");
        let mut reader = csv::Reader::from_path(&path).expect("read");
        let lines = reader.records().collect::<Result<Vec<_>, _>>();
        let lines = lines.expect("whole lines");
        let names: Vec<&str> = lines.iter().map(|line| &line[0]).collect();
        assert_eq!(names, columns.header().collect::<Vec<_>>());
        let last = lines.last().expect("a line");
        assert_eq!(
            last,
            vec!["measure_length", "decimal number", "cells, commas included"]
        );
    }
}
