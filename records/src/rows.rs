//! `records.csv` in memory, column by column, with the queries of tables, plots and analyses.
//!
//! A column of times, counters or measures holds one number per row; most others hold one symbol per row and each
//! word once. The empty end of a column takes no memory. The samples' identities are not kept. The rows of a cell follow
//! each other, in the order of the file.

mod bins;
mod claims;
mod column;
mod complete;
mod contents;
mod meaning;
mod packed;
mod runs;
mod sampled;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use ikeru_bench_data::matrix::Values;
use ikeru_core::{Direction, Value};

use crate::bests::Ledger;
use crate::error::{ReportError, Result};
use crate::hash::{FastMap, FastSet};
use crate::{Family, Outcome, Reader, RowText, is_suspect};
pub use bins::intervals;
pub use claims::Claim;
pub use column::natural;
use column::{StoredColumn, WordColumn};
pub use complete::has_other_threads;
use runs::Runs;

/// Two rows that are equal in these columns answer the same question under the same conditions. The question's hash
/// covers the instance and the settings of the question.
pub const QUESTION: [&str; 5] = [
    "question",
    "instance_hash",
    "mode",
    "bound_policy",
    "threads",
];

/// The columns of the ways to run a question.
pub const WAYS: [&str; 3] = ["mode", "bound_policy", "threads"];

/// The column of the time that tables, plots and verdicts compare. No file has it: [`Rows`] computes it from `wall_ns`
/// and `cpu_ns`.
pub const TIME: &str = "time_ns";

/// The rows of one `records.csv`.
#[derive(Debug, Default)]
pub struct Rows {
    names: Vec<String>,
    columns: Vec<StoredColumn>,
    place: FastMap<String, usize>,
    outcome: Option<usize>,
    /// The outcome of each symbol of the column `outcome`.
    outcomes: Vec<Option<Outcome>>,
    /// The rows of each experiment and of each problem, by its symbol: a cache, as most queries select one of these.
    kept: [OnceLock<Vec<Vec<u32>>>; 2],
    /// The index of the column `sample`, which is not kept.
    samples: Option<usize>,
    runs: Runs,
    len: usize,
    /// The number of rows that were skipped because they repeat an earlier row.
    pub repeated: usize,
    /// True if the file ends in a line without a line break, which was not read.
    pub is_torn: bool,
    /// The rows that were not replaced by a later attempt; `None` if all rows are first attempts.
    count: Option<Vec<u32>>,
    /// The row that each later attempt replaces.
    replaced: BTreeMap<u32, u32>,
    /// True if [`Rows::keep`] left some out.
    pub is_part: bool,
    /// The rows of earlier contents of labels.
    earlier: BTreeMap<String, Vec<Vec<u32>>>,
    /// For each row, true if its [`TIME`] is CPU time; empty if the file has no times.
    has_cpu_time: Vec<bool>,
    /// The refused samples of cells that have other samples that ran.
    refused_late: FastSet<u32>,
    /// The longest wall time of an answer in the file.
    longest: Option<f64>,
    /// The number of decimal digits of the scores of each problem of commands.
    digits: BTreeMap<String, u32>,
    /// The rows of such problems whose answer came after the limit and has a score.
    late: FastSet<u32>,
    /// The optimization direction of each problem, where known.
    directions: BTreeMap<String, Direction>,
    /// The best-known scores.
    pub bests: Ledger,
    /// The problems of commands without a referee.
    pub unrefereed: BTreeSet<String>,
    /// For each session but the first of its folder, the number of repeats that the first one planned, by experiment.
    pub first_repeats: BTreeMap<u32, BTreeMap<String, u32>>,
    /// The questions of each experiment that later sessions added to those that the first one planned.
    pub added_questions: BTreeMap<String, BTreeSet<String>>,
    /// The names of the variants that are commands.
    pub commands: BTreeSet<String>,
    /// The defaults of the settings of each problem and of the parameters of each generator, where known.
    pub defaults: BTreeMap<String, BTreeMap<String, String>>,
    /// The words for the columns of each problem, where known.
    pub words: BTreeMap<String, BTreeMap<String, String>>,
    /// The column whose values are the independent units, by problem; elsewhere these are the instances.
    pub clusters: BTreeMap<String, String>,
    /// The column that counts the questions of an instance, by problem.
    pub batches: BTreeMap<String, String>,
}

/// Returns whether a label is that of the placebo of `ab`.
pub fn is_placebo(label: &str) -> bool {
    label.ends_with("@base again")
}

impl Rows {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// A file that cannot be read, a row of another schema, a field that does not have its column's type; with the
    /// line.
    pub fn read(path: &Path) -> Result<Self> {
        Self::from_reader(Reader::open(path)?, path)
    }

    /// Reads `text`; `path` is the file that errors name.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read).
    pub fn read_text(text: &str, path: &Path) -> Result<Self> {
        Self::from_reader(Reader::of_text(text, path)?, path)
    }

    /// Rows of a text with a header of any columns: a table of the program itself, or of a test.
    ///
    /// # Panics
    /// If the text is not such a table.
    pub fn of_table(text: &str) -> Self {
        let (mut text, mut row) = (text.as_bytes(), RowText::default());
        row.read(&mut text).expect("a header");
        let header = row.owned();
        let mut rows = Self::with_columns(header.iter().map(String::as_str));
        while row.read(&mut text).expect("a row") > 0 {
            assert_eq!(row.len(), header.len(), "a field for each column");
            rows.push(&row).expect("a good row");
        }
        rows.complete();
        rows
    }

    fn from_reader(mut reader: Reader, path: &Path) -> Result<Self> {
        let mut rows = Self::with_columns(reader.header.iter().map(String::as_str));
        let mut record = RowText::default();
        while let Some(line) = reader.next(&mut record)? {
            rows.push(&record)
                .map_err(|message| ReportError::row(path, line, message))?;
        }
        rows.repeated = reader.repeated;
        rows.is_torn = reader.is_torn;
        rows.sort_by_cell();
        rows.complete();
        Ok(rows)
    }

    fn with_columns<'a>(header: impl Iterator<Item = &'a str>) -> Self {
        let mut rows = Self::default();
        for name in header {
            rows.place.insert(name.to_owned(), rows.columns.len());
            rows.columns.push(StoredColumn::named(name));
            rows.names.push(name.to_owned());
        }
        // Every sample has a different identity, and no report needs it.
        rows.samples = rows.place.remove("sample");
        rows.outcome = rows.place.get("outcome").copied();
        rows
    }

    fn push(&mut self, row: &RowText) -> Result<(), String> {
        // PERF: the whole row is checked as UTF-8 at once.
        let whole = std::str::from_utf8(row.text()).ok();
        let columns = self.names.iter().zip(&mut self.columns).enumerate();
        for (at, (name, column)) in columns.take(row.len()) {
            let place = row.place(at);
            if place.is_empty() || Some(at) == self.samples {
                continue;
            }
            let field = whole.and_then(|whole| whole.get(place));
            field
                .ok_or_else(|| "not UTF-8".to_owned())
                .and_then(
                    |field| match field.starts_with('-') && name.ends_with("_ns") {
                        true => Err(format!("`{field}` is below 0; expected a time")),
                        false => column.push(self.len, field),
                    },
                )
                .map_err(|message| format!("{name}: {message}"))?;
        }
        self.len += 1;
        Ok(())
    }

    /// The number of rows, including those that a later attempt replaced.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether the column exists.
    pub fn has(&self, column: &str) -> bool {
        self.place.contains_key(column)
    }

    /// The columns' names in the file's order.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// All rows except those that a later attempt replaced.
    pub fn all(&self) -> Vec<u32> {
        self.count
            .clone()
            .unwrap_or_else(|| (0..self.len as u32).collect())
    }

    /// Leaves out all rows but these.
    pub fn keep(&mut self, rows: Vec<u32>) {
        self.count = Some(rows);
        self.kept = Default::default();
        self.is_part = true;
    }

    fn column(&self, name: &str) -> Option<&StoredColumn> {
        self.place.get(name).map(|place| &self.columns[*place])
    }

    /// The field as text; empty if the column or the value is missing.
    pub fn text(&self, column: &str, row: u32) -> &str {
        self.column(column).map_or("", |column| {
            let words = column.words();
            words.word(words.symbol(row))
        })
    }

    /// The field as a number; `None` if it is missing or not a number. The column `A/B` is the quotient of the
    /// columns A and B.
    pub fn number(&self, column: &str, row: u32) -> Option<f64> {
        match self.column(column) {
            Some(known) => known.number(row),
            None => self.field(column).number(row),
        }
    }

    /// The column `name` or the quotient `A/B`, to be looked up once for many rows.
    fn field(&self, name: &str) -> Field<'_> {
        match name.split_once('/') {
            None => Field::Column(self.column(name)),
            Some((a, b)) => Field::Quotient(Box::new([self.field(a), self.field(b)])),
        }
    }

    /// The numbers of `rows` in `column`, without missing ones.
    pub fn numbers(&self, column: &str, rows: &[u32]) -> Vec<f64> {
        let field = self.field(column);
        // PERF: most columns of counters belong to other problems and are empty.
        if let Field::Column(Some(column)) = &field
            && column.is_empty()
        {
            return Vec::new();
        }
        rows.iter().filter_map(|row| field.number(*row)).collect()
    }

    /// The outcome of the sample; `None` if the file has none. An answer that a command gave after its limit counts as
    /// solved if it has a score: it had its time.
    pub fn outcome(&self, row: u32) -> Option<Outcome> {
        if self.late.contains(&row) {
            return Some(Outcome::Solved);
        }
        let symbol = self.columns[self.outcome?].words().symbol(row);
        self.outcomes.get(symbol).copied().flatten()
    }

    /// The solved rows among `rows`.
    pub fn solved(&self, rows: &[u32]) -> Vec<u32> {
        self.ended(rows, Outcome::Solved)
    }

    /// The rows among `rows` with this outcome.
    pub fn ended(&self, rows: &[u32], outcome: Outcome) -> Vec<u32> {
        let mut ended = rows.to_vec();
        ended.retain(|row| self.outcome(*row) == Some(outcome));
        ended
    }

    /// The columns of a family, in the file's order.
    pub fn family(&self, family: Family) -> impl Iterator<Item = &str> {
        self.columns().filter(move |column| family.holds(column))
    }

    /// The values of `columns` in a row without the family's prefix, as `god=true steps=48`; empty values are left out.
    pub fn described<'a>(&self, columns: impl IntoIterator<Item = &'a str>, row: u32) -> String {
        let words = columns.into_iter().filter_map(|column| {
            let name = Family::of(column).map_or(column, |(_, name)| name);
            let value = self.text(column, row);
            (!value.is_empty()).then(|| format!("{name}={value}"))
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// The columns among `first`, the ways to run and the settings that have several values in `rows`.
    pub fn varying<'a>(&'a self, first: &'a [&str], rows: &[u32]) -> Vec<&'a str> {
        let names = first.iter().copied().chain(WAYS).chain(self.settings());
        names
            .filter(|name| self.distinct(name, rows).len() > 1)
            .collect()
    }

    /// The columns that distinguish the cells of one label: settings of question and method.
    pub fn settings(&self) -> impl Iterator<Item = &str> {
        self.family(Family::Setting)
            .chain(self.family(Family::Method))
    }

    /// The number of suspect samples among `rows`.
    pub fn suspect(&self, rows: &[u32]) -> usize {
        let ratios = self.numbers("canary", rows).into_iter();
        ratios.filter(|ratio| is_suspect(*ratio)).count()
    }

    /// The rows that pass every filter, ascending. No row passes a filter on a column that the file lacks; numbers are
    /// compared as numbers (48 and 48.0 are equal).
    ///
    /// # Errors
    /// An impossible range.
    pub fn select(&self, only: &BTreeMap<String, Values>) -> Result<Vec<u32>> {
        self.narrow(&self.all(), only)
    }

    /// The rows whose text in `column` is `word`, ascending.
    pub fn with(&self, column: &str, word: &str) -> Vec<u32> {
        let Some(words) = self.column(column).map(StoredColumn::words) else {
            return Vec::new();
        };
        let Some(wanted) = words.symbol_of(word) else {
            return Vec::new();
        };
        let mut kept = ["experiment", "problem"].iter();
        if let Some(at) = kept.position(|name| *name == column) {
            let groups = self.kept[at].get_or_init(|| {
                let mut groups = vec![Vec::new(); words.len()];
                for row in self.all() {
                    groups[words.symbol(row)].push(row);
                }
                groups
            });
            return groups[wanted].clone();
        }
        let mut rows = self.all();
        rows.retain(|row| words.symbol(*row) == wanted);
        rows
    }

    /// Returns whether the text in `column` of at least one row is `word`.
    pub fn some(&self, column: &str, word: &str) -> bool {
        !self.with(column, word).is_empty()
    }

    /// The rows among `rows` that pass every filter, as in [`Rows::select`].
    ///
    /// # Errors
    /// An impossible range.
    pub fn narrow(&self, rows: &[u32], only: &BTreeMap<String, Values>) -> Result<Vec<u32>> {
        let mut rows = rows.to_vec();
        for (name, values) in only {
            let values = values
                .list()
                .map_err(|error| ReportError::Question(format!("{name}: {error}")))?;
            let Some(column) = self.column(name) else {
                return Ok(Vec::new());
            };
            let words = column.words();
            let wanted: Vec<bool> = (0..words.len())
                .map(|symbol| {
                    let word = (words.word(symbol), words.number(symbol));
                    values.iter().any(|value| is(word, value))
                })
                .collect();
            rows.retain(|row| wanted[words.symbol(*row)]);
        }
        Ok(rows)
    }

    /// Replaces the fields of a column for which `other` has a text.
    fn rewrite(&mut self, column: &str, other: impl Fn(&Self, u32, &str) -> Option<String>) {
        let Some(place) = self.place.get(column).copied() else {
            return;
        };
        let mut written = WordColumn::default();
        for row in 0..self.len as u32 {
            let text = self.text(column, row);
            let other = other(self, row, text);
            written.push(row as usize, other.as_deref().unwrap_or(text));
        }
        self.columns[place] = StoredColumn::Words(written);
    }

    /// Sets the order of the words of `column`; words that are not named follow. The order of the rows in the file
    /// has no meaning: it is random.
    pub fn set_order<'a>(&mut self, column: &str, words: impl IntoIterator<Item = &'a str>) {
        let place = self.place.get(column);
        if let Some(StoredColumn::Words(column)) = place.map(|at| &mut self.columns[*at]) {
            column.set_order(words);
        }
    }

    /// The words of the columns that the file has.
    fn words_of(&self, names: &[&str]) -> Vec<&WordColumn> {
        let columns = names.iter().filter_map(|name| self.column(name));
        columns.map(StoredColumn::words).collect()
    }

    /// Compares rows by one column after the other, each in the order of [`Rows::distinct`].
    pub fn comparing(&self, columns: &[&str]) -> impl Fn(u32, u32) -> Ordering + '_ {
        let words = self.words_of(columns);
        move |a, b| {
            let mut pairs = words.iter().map(|of| (of.symbol(a), of.symbol(b), of));
            let first = pairs.find(|(a, b, _)| a != b);
            first.map_or(Ordering::Equal, |(a, b, words)| words.compare(a, b))
        }
    }

    /// The different values of `column` in `rows`: ascending if all are numbers, otherwise in the order of
    /// [`Rows::set_order`], then in natural order. Rows without a value are left out.
    pub fn distinct(&self, column: &str, rows: &[u32]) -> Vec<String> {
        let known = self.column(column).filter(|column| !column.is_empty());
        let Some(column) = known else {
            return Vec::new();
        };
        let words = column.words();
        let mut is_there = vec![false; words.len()];
        if self.is_of_cells(words) {
            let parts = self.runs.parts(rows);
            parts.for_each(|part| is_there[words.symbol(part[0])] = true);
        } else {
            rows.iter()
                .for_each(|row| is_there[words.symbol(*row)] = true);
        }
        let symbols = (1..words.len()).filter(|symbol| is_there[*symbol]);
        let sorted = words.sorted(symbols.collect()).into_iter();
        sorted.map(|symbol| words.word(symbol).to_owned()).collect()
    }

    /// The rows without those of the placebo of `ab`, which answers some questions of base once more: a question of which
    /// it was not asked is still compared.
    pub fn without_placebo<'a>(&self, rows: &'a [u32]) -> Cow<'a, [u32]> {
        if self.distinct("label", rows).iter().any(|it| is_placebo(it)) {
            let own = rows.iter().copied();
            own.filter(|row| !is_placebo(self.text("label", *row)))
                .collect()
        } else {
            rows.into()
        }
    }

    /// The rows grouped by their value of `column`, in the order of [`Rows::distinct`]. Rows without a value are left
    /// out.
    pub fn group(&self, column: &str, rows: &[u32]) -> Vec<(String, Vec<u32>)> {
        let Some(column) = self.column(column) else {
            return Vec::new();
        };
        let words = column.words();
        let mut place = vec![u32::MAX; words.len()];
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for &row in rows {
            let symbol = words.symbol(row);
            if symbol == 0 {
                continue;
            }
            if place[symbol] == u32::MAX {
                place[symbol] = groups.len() as u32;
                groups.push(Vec::new());
            }
            groups[place[symbol] as usize].push(row);
        }
        let symbols = groups.iter().map(|rows| words.symbol(rows[0])).collect();
        let sorted = words.sorted(symbols).into_iter();
        sorted
            .map(|symbol| {
                let rows = std::mem::take(&mut groups[place[symbol] as usize]);
                (words.word(symbol).to_owned(), rows)
            })
            .collect()
    }

    /// The rows grouped by their values of several columns, in the order of [`Rows::comparing`]. Missing values are
    /// equal.
    pub fn group_by(&self, columns: &[&str], rows: &[u32]) -> Vec<Vec<u32>> {
        let mut words = self.words_of(columns);
        words.retain(|words| words.len() > 1);
        let (of_cells, of_rows): (Vec<_>, Vec<_>) =
            words.into_iter().partition(|words| self.is_of_cells(words));
        // PERF: statistics of a cell ask for its instances.
        let first = self.runs.parts(rows).next();
        if of_rows.is_empty() && first.is_some_and(|part| part.len() == rows.len()) {
            return vec![rows.to_vec()];
        }
        // PERF: most columns have one value in a cell: one row of each run of rows of a cell is looked at.
        let parts: Vec<&[u32]> = self.runs.parts(rows).collect();
        let firsts: Vec<u32> = parts.iter().map(|part| part[0]).collect();
        let (of, count) = split(&of_cells, &firsts, vec![0; firsts.len()]);
        let mut groups = vec![Vec::new(); count];
        if of_rows.is_empty() {
            for (group, part) in of.into_iter().zip(parts) {
                groups[group as usize].extend_from_slice(part);
            }
        } else {
            let each = of.into_iter().zip(parts);
            let each = each.flat_map(|(group, part)| std::iter::repeat_n(group, part.len()));
            let (of, count) = split(&of_rows, rows, each.collect());
            groups.resize(count, Vec::new());
            for (group, row) in of.into_iter().zip(rows) {
                groups[group as usize].push(*row);
            }
        }
        let order = self.comparing(columns);
        groups.sort_by(|a, b| order(a[0], b[0]));
        groups
    }
}

/// Splits groups by one column after the other: each pair (group so far, symbol) becomes a group. `of` is the group of each
/// row; the number of groups is returned too.
fn split(columns: &[&WordColumn], rows: &[u32], mut of: Vec<u32>) -> (Vec<u32>, usize) {
    let mut count = of.iter().max().map_or(0, |last| *last as usize + 1);
    for words in columns {
        // The group of each pair is kept in a table if that is small, otherwise in a map.
        let pairs = count * words.len();
        let mut fresh = 0;
        let mut next = |known: &mut u32| {
            if *known == u32::MAX {
                *known = fresh;
                fresh += 1;
            }
            *known
        };
        if pairs <= 4 * rows.len() + 1024 {
            let mut table = vec![u32::MAX; pairs];
            for (group, row) in of.iter_mut().zip(rows) {
                let pair = *group as usize * words.len() + words.symbol(*row);
                *group = next(&mut table[pair]);
            }
        } else {
            let mut map: FastMap<(u32, usize), u32> = FastMap::default();
            for (group, row) in of.iter_mut().zip(rows) {
                let pair = (*group, words.symbol(*row));
                *group = next(map.entry(pair).or_insert(u32::MAX));
            }
        }
        count = fresh as usize;
    }
    (of, count)
}

/// A column, or a quotient of columns.
enum Field<'a> {
    Column(Option<&'a StoredColumn>),
    Quotient(Box<[Self; 2]>),
}

impl Field<'_> {
    fn number(&self, row: u32) -> Option<f64> {
        match self {
            Self::Column(column) => (*column)?.number(row),
            Self::Quotient(parts) => {
                let [above, below] = &**parts;
                let divisor = below.number(row).filter(|divisor| *divisor != 0.0)?;
                Some(above.number(row)? / divisor)
            }
        }
    }
}

/// Returns whether a field, as word and as number, equals a filter's value.
fn is((word, number): (&str, f64), value: &Value) -> bool {
    match value {
        Value::Int(value) => number == *value as f64,
        Value::Float(value) => number == *value,
        Value::Bool(value) => word == if *value { "true" } else { "false" },
        Value::Text(value) => word == value,
    }
}

#[cfg(test)]
mod tests;
