//! Tables of an experiment: every cell, and those that its file asks for.

use ikeru_bench_data::experiment::AskedTable;

use crate::analyses::compare::table;
use crate::charts::{Wording, clock, with_clock};
use crate::comparisons::FILE;
use crate::decisions::AgainstBaseline;
use ikeru_bench_data::Pairing;
use ikeru_compare::comparison::{Comparison, ComparisonDecision};
use ikeru_compare::words::Words;

use crate::factor::Factor;
use crate::rows::TIME;
use crate::sampled::{Statistic, comparable};
use crate::statistics::{Bound, Estimate};
use crate::summary::{Summary, gap};
use crate::table::{Cell, Table};
use crate::units::Quantity;
use crate::{Result, Rows, row, units};

/// The largest number of rows of a table or of comparisons on the page.
pub const MOST: usize = 500;

/// Leaves out the rows of a table after the first [`MOST`], with a note.
pub(super) fn shorten(table: &mut Table) {
    let rows = table.rows.len();
    if rows > MOST {
        table.rows.truncate(MOST);
        let all = units::count(rows);
        table.note(format!(
            "The first {MOST} of {all} rows; records.csv has all of them."
        ));
    }
}

/// The largest number of cells of a summary on the page; `summary.csv` has all of them.
const MOST_CELLS: usize = 8;

/// The most lines of a table that its note on failed samples names.
const MOST_NAMED: usize = 8;

/// The number of digits of a cell's identity that distinguish it from all others of an experiment.
pub(super) const CELL: usize = 8;

/// One row per cell: time with interval, speed-up against the baseline, score.
pub fn summary(rows: &Rows, cells: &[&Summary], baseline: Option<&str>) -> Table {
    let firsts: Vec<u32> = cells.iter().map(|cell| cell.row).collect();
    let varying = rows.varying(&["seed"], &firsts);
    let row = |cell: &&Summary| {
        let text = |column: &str| rows.text(column, cell.row);
        let mut fields = row![text("label"), text("instance")];
        fields.extend(varying.iter().map(|name| Cell::from(text(name))));
        let measured = row![cell.outcome(rows), cell.n, (cell.time, Quantity::Time)];
        fields.extend(measured);
        fields.extend(baseline.map(|_| {
            let speed_up = Cell::from((cell.speed_up, Quantity::Ratio));
            let own = cell.speed_up_clock.as_deref();
            match own.filter(|own| *own != cell.clock).and_then(clock) {
                Some(clock) => speed_up.with_detail(clock.to_owned()),
                None => speed_up,
            }
        }));
        fields.push(score(cell, rows.quantity("score", &cell.rows)));
        fields
    };
    let wording = Wording::of(rows, &firsts);
    let mut heads = vec!["variant".to_owned(), "instance".to_owned()];
    heads.extend(varying.iter().map(|name| wording.column(name)));
    let shown = cells.first().map_or(TIME, |cell| &cell.clock);
    let time = with_clock("median time (95 % interval)", shown);
    heads.extend(["outcome".to_owned(), "samples".to_owned(), time]);
    heads.extend(baseline.map(|name| format!("speed-up over {name}")));
    heads.push("score".to_owned());
    let shown = cells.len().min(MOST_CELLS);
    let cell = |cell: &&Summary| {
        let id = rows.text("cell", cell.row);
        id.get(..CELL).unwrap_or(id).to_owned()
    };
    let all = units::count(cells.len());
    let rest = match shown < cells.len() {
        true => format!(
            "The first {shown} of {all} cells; all of them, with their counters, are in summary.csv."
        ),
        false => "With counters also in summary.csv.".to_owned(),
    };
    Table {
        title: format!("Summary of {}", units::plural(cells.len(), "cell")),
        notes: vec![rest, NONE_BELOW.to_owned()],
        heads,
        cells: cells[..shown].iter().map(cell).collect(),
        rows: cells[..shown].iter().map(row).collect(),
        ..Table::default()
    }
}

/// The note on values without an interval.
const NONE_BELOW: &str = "Medians of fewer than six samples have no 95 % interval, speed-ups none below four on each side.";

/// The decisions on each variant against its baseline, pair by pair: the first `most` comparisons.
pub fn decisions(comparisons: &[&AgainstBaseline], most: usize) -> Table {
    let words = Words {
        better: "faster",
        worse: "slower",
        margin: 0.0,
    };
    let shown = comparisons.len().min(most);
    let mut rows: Vec<Comparison> = comparisons.iter().map(|it| it.row()).collect();
    let is_decided = |row: &&Comparison| !row.is(ComparisonDecision::Undecided);
    let decided = rows.iter().filter(is_decided).count();
    rows.truncate(shown);
    let count = units::plural(comparisons.len(), "comparison");
    let mut table = table(
        format!("Pair by pair: {decided} of {count} decided"),
        &rows,
        words,
    );
    table.comparisons.clear();
    table.note("Repeats went to what was open. The intervals hold whenever one looks, and for all comparisons of the run together at 95 %. Other intervals of this experiment (summary.csv, the other tables and the plots) are for a number of samples that was fixed beforehand, which this was not.".to_owned());
    let is_unclear = |one: &&&AgainstBaseline| one.baseline_cell.is_none();
    if let Some(one) = comparisons.iter().find(is_unclear) {
        table.note(format!(
            "{} is not compared where {} has several settings under this label; `{{KEY}}` in a label names the setting.",
            one.label, one.baseline
        ));
    }
    if shown < comparisons.len() {
        let note = format!("The first {shown}; all of them are in {FILE}.");
        table.note(note);
    }
    table
}

/// A score, with the bound of its search and the remaining gap if there is a bound.
fn score(cell: &Summary, quantity: Quantity) -> Cell {
    let number = Cell::from((cell.score, quantity));
    let Some(bound) = cell.bound else {
        return number;
    };
    let open = format!("bound {}", units::number(bound));
    let value = cell.score.map(|score| score.value);
    number.with_detail(match gap(value, Some(bound)) {
        Some(gap) => format!("{open}, gap {}", Quantity::Share.word(gap)),
        None => open,
    })
}

/// A table that the experiment asks for.
///
/// # Errors
/// An unknown statistic or an impossible filter.
pub fn asked(rows: &Rows, own: &[u32], asked: &AskedTable) -> Result<Table> {
    let statistic: Statistic = asked.statistic.parse()?;
    let all = rows.narrow(own, &asked.only)?;
    // The fields of a column are compared, and those of a line.
    let column = asked.columns.as_deref().unwrap_or_default();
    let shown = (statistic, asked.value.as_str());
    let own = comparable(rows, &all, &[column], &asked.rows, shown);
    let own = comparable(rows, &own, &[asked.rows.as_str()], column, shown);
    let asked = &AskedTable {
        value: rows.compared(&asked.value, &own).into_owned(),
        ..asked.clone()
    };
    let lines = rows.group(&asked.rows, &own);
    let columns = match &asked.columns {
        Some(column) => rows.distinct(column, &own),
        None => vec![String::new()],
    };
    let base = asked.relative_to.as_ref();
    let base = base.and_then(|name| lines.iter().find(|(value, _)| value == name));
    let question = TableQuestion {
        rows,
        wording: Wording::of(rows, &own),
        asked,
        statistic,
        columns: &columns,
    };
    let mut note = question.note(base.map(|(name, _)| name.as_str()));
    if let (Some(name), None) = (&asked.relative_to, base) {
        note += &format!(" No row is `{name}`: nothing is divided by it.");
    }
    if own.len() < all.len() {
        let left_out = units::plural(all.len() - own.len(), "sample");
        note += &format!(" Left out on questions that not all fields have: {left_out}.");
    }
    let failed = lines.iter().filter_map(|(name, own)| {
        let failed = rows.failed_in_words(own);
        (!failed.is_empty()).then(|| format!("{name}: {failed}"))
    });
    let failed: Vec<String> = failed.collect();
    if !failed.is_empty() {
        note += &format!(" Failed: {}.", units::few(&failed, MOST_NAMED, "; "));
    }
    let line = |(name, own): &(String, Vec<u32>)| {
        question.line(name, own, base.map(|(_, rows)| rows.as_slice()))
    };
    Ok(Table {
        title: asked.title.clone(),
        notes: vec![note],
        heads: question.heads(base.map(|(name, _)| name.as_str())),
        rows: lines.iter().map(line).collect(),
        ..Table::default()
    })
}

/// A table that an experiment asks for, applied to the rows.
struct TableQuestion<'a> {
    rows: &'a Rows,
    wording: Wording<'a>,
    asked: &'a AskedTable,
    statistic: Statistic,
    /// The values of the column that forms the table's columns; one empty text if there is none.
    columns: &'a [String],
}

impl TableQuestion<'_> {
    fn note(&self, base: Option<&str>) -> String {
        let value = self.wording.column(&self.asked.value);
        let clocked = with_clock(&value, &self.asked.value);
        let statistic = match self.statistic {
            Statistic::Solved => "Share of samples solved".to_owned(),
            Statistic::Over(limit) => format!(
                "Share of samples with {value} above {}",
                units::number(limit)
            ),
            _ => format!("The {} of {clocked}", self.asked.statistic),
        };
        let ratio = match (base, self.statistic) {
            (None, _) => String::new(),
            (Some(base), Statistic::Median) => {
                format!(
                    "; factors ({base} ÷ row) are geometric means of the questions' ratios, with intervals on these instances, or without repeats on instances like these"
                )
            }
            (Some(base), _) => format!("; factors ({base} ÷ row) are ratios of these values"),
        };
        let counted = match self.statistic {
            Statistic::Sum => "over the cells, the repeats of a cell counted once",
            Statistic::Minimum | Statistic::Maximum => "over all samples",
            _ => {
                "each instance counted once, with 95 % intervals where there are enough instances (or repeats of one) for them"
            }
        };
        format!("{statistic}, {counted}{ratio}.")
    }

    fn heads(&self, base: Option<&str>) -> Vec<String> {
        let mut heads = vec![self.wording.column(&self.asked.rows)];
        let name = self.asked.columns.as_deref();
        let name = name.map(|name| self.wording.column(name));
        for column in self.columns {
            heads.push(match name.as_deref() {
                None => self.asked.statistic.clone(),
                Some("variant") => column.clone(),
                Some(name) => format!("{name} {column}"),
            });
            heads.extend(base.map(|base| format!("{base} ÷ row")));
        }
        heads
    }

    fn line(&self, name: &str, own: &[u32], base: Option<&[u32]>) -> Vec<Cell> {
        let mut cells = row![name];
        for column in self.columns {
            let here = self.field(own, column);
            let value = self.value(&here);
            cells.push(match self.rows.failed_in_words(&here) {
                failed if value.is_none() && !failed.is_empty() => failed.into(),
                _ => (value, self.quantity(&here)).into(),
            });
            if let Some(base) = base {
                let ratio = self.ratio(&self.field(base, column), &here);
                cells.push((ratio, Quantity::Ratio).into());
            }
        }
        cells
    }

    /// The rows of one field of the table.
    fn field(&self, own: &[u32], value: &str) -> Vec<u32> {
        let mut here = own.to_vec();
        let column = self.asked.columns.as_ref();
        here.retain(|row| column.is_none_or(|name| self.rows.text(name, *row) == value));
        here
    }

    fn value(&self, own: &[u32]) -> Option<Estimate> {
        self.statistic.of(self.rows, &self.asked.value, own)
    }

    fn ratio(&self, base: &[u32], here: &[u32]) -> Option<Estimate> {
        if self.statistic == Statistic::Median {
            // A variant compared with itself has the ratio 1, without an interval.
            if base == here {
                return Some(Estimate::plain(1.0));
            }
            return Factor::between(
                self.rows,
                &self.asked.value,
                [base, here],
                Pairing::Question,
            )?
            .known();
        }
        let (base, here) = self.value(base).zip(self.value(here))?;
        // The ratio is unknown if the divisor was cut at the limit, and has no meaning unless both values are positive.
        (here.bound == Bound::Exact && base.value.min(here.value) > 0.0)
            .then(|| Estimate::bounded(base.value / here.value, base.bound))
    }

    fn quantity(&self, own: &[u32]) -> Quantity {
        match self.statistic {
            Statistic::Solved | Statistic::Over(_) => Quantity::Share,
            _ => self.rows.quantity(&self.asked.value, own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_next_to_each_other_are_of_the_same_instances() {
        let mut text = "schema,label,instance_hash,setting_unit,outcome,measure_steps\n".to_owned();
        for (label, unit, maps) in [
            ("a", "horse", 1..=9),
            ("a", "tank", 1..=3),
            ("b", "horse", 1..=3),
            ("b", "tank", 1..=5),
        ] {
            for map in maps {
                text += &format!("1,{label},h{map},{unit},solved,{map}\n");
            }
        }
        let rows = crate::rows_of(&text);
        let of = |text: &str| {
            let table: AskedTable = toml::from_str(text).expect("a table");
            asked(&rows, &rows.all(), &table).expect("an answer")
        };
        let table = of(
            "title = \"t\"\nrows = \"setting_unit\"\ncolumns = \"label\"\nvalue = \"measure_steps\"",
        );
        let values = table.rows.iter().flat_map(|line| &line[1..]);
        assert!(
            values.map(Cell::line).all(|value| value == "2"),
            "{:?}",
            table.rows
        );
        let note = "Left out on questions that not all fields have: 8\u{202f}samples.";
        assert!(table.notes[0].ends_with(note), "{:?}", table.notes);
        let whole = of(
            "title = \"t\"\nrows = \"instance_hash\"\ncolumns = \"label\"\nvalue = \"measure_steps\"",
        );
        assert!(whole.rows.len() == 9 && !whole.notes[0].contains("Left out"));
    }

    #[test]
    fn the_fields_of_a_table_have_one_clock_which_it_names() {
        let rows = crate::rows_of(
            "schema,label,instance_hash,threads,outcome,wall_ns,cpu_ns\n\
             1,a,h,1,solved,9,3\n1,b,h,2,solved,12,12\n",
        );
        let of = |own: &[u32], clock: &str| {
            let table = toml::from_str("title = \"t\"\nrows = \"label\"").expect("a table");
            let table = asked(&rows, own, &table).expect("an answer");
            let named = format!("The median of {clock}, each");
            assert!(table.notes[0].starts_with(&named), "{:?}", table.notes);
            let values = table.rows.iter().map(|line| line[1].line());
            values
                .collect::<Vec<_>>()
                .join(", ")
                .replace('\u{202f}', " ")
        };
        assert_eq!(of(&rows.all(), "wall time"), "9 ns, 12 ns");
        assert_eq!(of(&[0], "CPU time"), "3 ns");
    }

    #[test]
    fn a_table_names_its_failed_samples() {
        let rows = crate::rows_of(
            "schema,label,size,instance_hash,outcome,counter_n\n\
             1,a,1,h,solved,9\n1,b,1,h,solved,9\n1,a,2,i,solved,9\n1,b,2,i,crashed,\n",
        );
        let text = "title='t'\nrows='label'\ncolumns='size'\nvalue='counter_n'";
        let table = asked(&rows, &rows.all(), &toml::from_str(text).expect("a table"));
        let table = table.expect("an answer");
        assert_eq!(table.rows[1][2].to_string(), "1 of 1 crashed");
        let said = &table.notes[0];
        assert!(said.ends_with(" Failed: b: 1 of 2 crashed."), "{said}");
    }
}
