//! Tables of an experiment: every cell, and those that its file asks for.

use ikeru_bench_data::experiment::Table as Asked;

use crate::decisions::{Comparison, end};
use crate::factor::Factor;
use crate::page::{Cell, Table, Tone};
use crate::records::Family;
use crate::statistics::decision::Decision;
use crate::statistics::{Bound, Estimate, Interval, Statistic};
use crate::summary::{Summary, gap};
use crate::{ReportError, Rows, units};

/// Most rows of the summary on the page; `summary.csv` has them all.
const MOST: usize = 500;

/// A value with its interval small under it, where it has one; `≥` or `≤` where timeouts make it a bound.
pub fn measured(value: Option<Estimate>, form: impl Fn(f64) -> String) -> Cell {
    let Some(value) = value else {
        return Cell::number("–");
    };
    let cell = Cell::number(signed(value.bound, form(value.value)));
    match value.interval {
        Some(Interval { low, high }) if low < high => {
            let [low, high] = [low, high].map(|end| units::end(end, &form));
            cell.with_detail(format!("{} … {high}", without_unit_of(&high, &low)))
        }
        _ => cell,
    }
}

fn signed(bound: Bound, word: String) -> String {
    match bound {
        Bound::Exact => word,
        _ => format!("{}\u{202f}{word}", bound.sign()),
    }
}

/// `low` without its unit, if `high` has the same.
fn without_unit_of<'a>(high: &str, low: &'a str) -> &'a str {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '−' | '\u{202f}');
    let bare = low
        .trim_end_matches(|c| !is_number(c))
        .trim_end_matches('\u{202f}');
    let unit = &low[bare.len()..];
    if high.ends_with(unit) { bare } else { low }
}

/// The columns of settings and parameters that differ between cells.
fn varying<'a>(rows: &'a Rows, own: &[u32]) -> Vec<&'a str> {
    let asked = |name: &&str| {
        rows.settings().any(|setting| setting == *name)
            || matches!(*name, "seed" | "bound_policy" | "threads")
    };
    rows.columns()
        .filter(asked)
        .filter(|name| rows.distinct(name, own).len() > 1)
        .collect()
}

/// One row per cell: time with interval, speed-up against the baseline, score.
pub fn summary(rows: &Rows, cells: &[&Summary], baseline: Option<&str>, command: &str) -> Table {
    let firsts: Vec<u32> = cells.iter().map(|cell| cell.row).collect();
    let varying = varying(rows, &firsts);
    let row = |cell: &&Summary| {
        let text = |column: &str| Cell::text(rows.text(column, cell.row));
        let mut fields = vec![text("label"), text("instance")];
        fields.extend(varying.iter().map(|name| text(name)));
        fields.extend([
            Cell::text(cell.outcome(rows)),
            Cell::number(units::count(cell.n as u64)),
            measured(cell.time, units::duration),
        ]);
        fields.extend(baseline.map(|_| measured(cell.speed_up, units::ratio)));
        fields.push(score(cell));
        fields
    };
    let mut heads = vec![Cell::text("variant"), Cell::text("instance")];
    let names = varying.iter().map(|name| column_name(name));
    heads.extend(names.chain(["outcome".to_owned()]).map(Cell::text));
    heads.push(Cell::number("samples"));
    heads.push(Cell::number("median time").with_detail("95 % interval"));
    heads.extend(baseline.map(|name| Cell::number(format!("speed-up over {name}"))));
    heads.push(Cell::number("score"));
    let shown = cells.len().min(MOST);
    let all = units::count(cells.len() as u64);
    Table {
        title: format!("Summary of {}", units::plural(cells.len(), "cell")),
        note: if shown < cells.len() {
            format!(
                "The first {shown} of {all} cells; all of them, with their counters, are in summary.csv."
            )
        } else {
            "With counters also in summary.csv.".to_owned()
        } + NONE_BELOW,
        command: command.to_owned(),
        heads,
        rows: cells[..shown].iter().map(row).collect(),
    }
}

/// Where the reader looks for an interval and finds none.
const NONE_BELOW: &str = " Medians of fewer than six samples have no 95 % interval, speed-ups none below seven on each side.";

/// What pairs of repeats decided of each variant against its baseline; `None` without comparisons.
pub fn decisions(comparisons: &[&Comparison], command: &str) -> Option<Table> {
    let shown = comparisons.len().min(MOST);
    let rest = if shown < comparisons.len() {
        format!(" The first {shown}; all of them are in decisions.csv.")
    } else {
        String::new()
    };
    (shown > 0).then(|| Table {
        title: format!(
            "{} decided pair by pair",
            units::plural(comparisons.len(), "comparison")
        ),
        note: format!(
            "Repeats went to what was open. The intervals hold whenever one looks, and for all comparisons of the run together at 95 %. No other interval or p value of this experiment holds under such stopping: those of summary.csv and of the tables and plots here are for a number of samples that was fixed beforehand.{rest}"
        ),
        command: command.to_owned(),
        heads: vec![
            Cell::text("variant"),
            Cell::text("baseline"),
            Cell::text("instance"),
            Cell::text("seed"),
            Cell::text("settings"),
            Cell::text("decision"),
            Cell::number("speed-up").with_detail("interval"),
            Cell::number("pairs"),
        ],
        rows: comparisons[..shown]
            .iter()
            .map(|comparison| decision(comparison))
            .collect(),
    })
}

fn decision(comparison: &Comparison) -> Vec<Cell> {
    let tone = match comparison.sequence.decision() {
        Decision::Higher => Tone::Good,
        Decision::Lower => Tone::Bad,
        Decision::Same | Decision::Open => Tone::Still,
    };
    let speed_up = comparison
        .sequence
        .ratio()
        .map_or(Cell::number("–"), |ratio| {
            let ends = format!("{} … {}", end(ratio.low), end(ratio.high));
            Cell::number(units::ratio(ratio.mid)).with_detail(ends)
        });
    vec![
        Cell::text(&comparison.label),
        Cell::text(&comparison.baseline),
        Cell::text(&comparison.instance),
        Cell::text(&comparison.seed),
        Cell::text(&comparison.settings),
        Cell::badge(comparison.decision(), tone),
        speed_up,
        Cell::number(units::count(comparison.sequence.pairs() as u64)),
    ]
}

/// A column's name in a table's head.
fn column_name(column: &str) -> String {
    match Family::of(column).map_or(column, |(_, name)| name) {
        "label" => "variant".to_owned(),
        bare => bare.replace('_', " "),
    }
}

/// A score, and of a search that was stopped what its bound leaves open.
fn score(cell: &Summary) -> Cell {
    let words = |score: Estimate| signed(score.bound, units::number(score.value));
    let number = Cell::number(cell.score.map_or("–".to_owned(), words));
    let Some(bound) = cell.bound else {
        return number;
    };
    let open = format!("bound {}", units::number(bound));
    let value = cell.score.map(|score| score.value);
    number.with_detail(match gap(value, Some(bound)) {
        Some(gap) => format!("{open}, gap {} %", units::number(100.0 * gap)),
        None => open,
    })
}

/// A table that the experiment asks for.
///
/// # Errors
/// An unknown statistic or an impossible filter.
pub fn asked(rows: &Rows, own: &[u32], asked: &Asked, command: &str) -> Result<Table, ReportError> {
    let statistic: Statistic = asked.statistic.parse()?;
    let own = rows.narrow(own, &asked.only)?;
    let lines = rows.group(&asked.rows, &own);
    let columns = match &asked.columns {
        Some(column) => rows.distinct(column, &own),
        None => vec![String::new()],
    };
    let base = asked
        .relative_to
        .as_ref()
        .and_then(|name| lines.iter().find(|(value, _)| value == name));
    let question = Question {
        rows,
        asked,
        statistic,
        columns: &columns,
    };
    Ok(Table {
        title: asked.title.clone(),
        note: question.note(base.is_some()),
        command: command.to_owned(),
        heads: question.heads(base.map(|(name, _)| name.as_str())),
        rows: lines
            .iter()
            .map(|(name, own)| question.line(name, own, base.map(|(_, rows)| rows.as_slice())))
            .collect(),
    })
}

/// What one table asks of the rows.
struct Question<'a> {
    rows: &'a Rows,
    asked: &'a Asked,
    statistic: Statistic,
    /// The values of the column that makes the columns; one empty word where there is none.
    columns: &'a [String],
}

impl Question<'_> {
    fn note(&self, is_relative: bool) -> String {
        let statistic = match self.statistic {
            Statistic::Solved => "Share of samples solved".to_owned(),
            Statistic::Over(limit) => format!(
                "Share of samples with {} above {}",
                column_name(&self.asked.value),
                units::number(limit)
            ),
            _ => format!("The {} of {}", self.asked.statistic, self.asked.value),
        };
        let ratio = match (is_relative, self.statistic) {
            (false, _) => "",
            (_, Statistic::Median) => {
                "; factors are geometric means of the questions' ratios of medians"
            }
            _ => "; factors are ratios of these values",
        };
        format!(
            "{statistic}, each instance counted once, with 95 % intervals where there are enough instances (or repeats of one) for them{ratio}."
        )
    }

    fn heads(&self, base: Option<&str>) -> Vec<Cell> {
        let mut heads = vec![Cell::text(column_name(&self.asked.rows))];
        let name = self
            .asked
            .columns
            .as_deref()
            .map_or(String::new(), column_name);
        for column in self.columns {
            let head = match column.as_str() {
                "" => self.asked.statistic.clone(),
                at if name == "variant" => at.to_owned(),
                at => format!("{name} {at}"),
            };
            heads.push(Cell::number(head));
            heads.extend(base.map(|base| Cell::number(format!("over {base}"))));
        }
        heads
    }

    fn line(&self, name: &str, own: &[u32], base: Option<&[u32]>) -> Vec<Cell> {
        let mut cells = vec![Cell::text(name)];
        for column in self.columns {
            let here = self.field(own, column);
            cells.push(measured(self.value(&here), |value| self.form(value)));
            if let Some(base) = base {
                cells.push(self.ratio(&self.field(base, column), &here));
            }
        }
        cells
    }

    /// The rows of one field of the table.
    fn field(&self, own: &[u32], value: &str) -> Vec<u32> {
        let Some(column) = &self.asked.columns else {
            return own.to_vec();
        };
        let mut groups = self.rows.group(column, own).into_iter();
        groups
            .find(|(at, _)| at == value)
            .map_or(Vec::new(), |(_, rows)| rows)
    }

    fn value(&self, own: &[u32]) -> Option<Estimate> {
        self.statistic.of(self.rows, &self.asked.value, own)
    }

    fn ratio(&self, base: &[u32], here: &[u32]) -> Cell {
        if self.statistic == Statistic::Median {
            // A variant is as fast as itself, however its samples scatter.
            if base == here {
                return Cell::number(units::ratio(1.0));
            }
            let factor = Factor::between(self.rows, &self.asked.value, base, here);
            return measured(factor.map(|factor| factor.estimate), units::ratio);
        }
        let ratio = self.value(base).zip(self.value(here));
        // Of a divisor that is itself cut at the limit nothing is known.
        let ratio = ratio.filter(|(_, here)| here.bound == Bound::Exact && here.value != 0.0);
        let ratio = ratio.map(|(base, here)| Estimate {
            bound: base.bound,
            ..Estimate::plain(base.value / here.value)
        });
        measured(ratio, units::ratio)
    }

    fn form(&self, value: f64) -> String {
        match self.statistic {
            Statistic::Solved | Statistic::Over(_) => {
                format!("{}\u{202f}%", units::number(100.0 * value))
            }
            _ => units::of_column(&self.asked.value, value),
        }
    }
}
