//! Tables of typed cells, and their forms: text, Markdown, CSV, JSON, HTML, LaTeX and Bencher's.
//!
//! The type of a cell's content determines its alignment and form. Each form is one file.

mod bmf;
mod cell;
mod csv;
pub(crate) mod html;
mod json;
mod latex;
mod markdown;
mod text;

use ikeru_compare::comparison::Comparison;
use serde::Serialize;

pub use cell::sign;
pub use cell::{Cell, Content, Tone};
pub(crate) use csv::quoted;
pub use text::filled;

/// A table with its title and notes. The first column names the row.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(into = "html::Fragment")]
pub struct Table {
    /// The title.
    pub title: String,
    /// The notes on the method and the result.
    pub notes: Vec<String>,
    /// The command that makes it; empty if it is not printed.
    pub command: String,
    /// The head of each column; empty if there is no table.
    pub heads: Vec<String>,
    /// The cell of each row, for the command that measures it again; empty if the rows are no cells.
    pub cells: Vec<String>,
    /// The rows, each as long as `heads`.
    pub rows: Vec<Vec<Cell>>,
    /// The comparisons that its sentences tell, for programs.
    pub comparisons: Vec<Comparison>,
    /// The heads of the columns that a narrow terminal drops first, the least important first: `a | b …`, where `b …` is
    /// every head that begins so. After them it drops the last columns.
    pub given_up_first: &'static str,
}

ikeru_core::names! {
    /// A form of tables, with its name on the command line.
    pub enum Form {
        /// Aligned columns for a terminal.
        Text = "text",
        /// A pipe table.
        Markdown = "markdown",
        /// The table alone: bare numbers, with the ends of intervals in separate columns.
        Csv = "csv",
        /// One object: bare numbers with unit, bound and interval.
        Json = "json",
        /// A fragment of a page.
        Html = "html",
        /// A `tabular` with the rules of booktabs.
        Latex = "latex",
        /// JSON in the form of Bencher: benchmarks with measures.
        Bmf = "bmf",
    }
}

impl Table {
    /// A table without rows; `heads` are written as `one | another`.
    pub fn new(title: impl Into<String>, heads: &str) -> Self {
        let heads = heads.split(" | ").filter(|head| !head.is_empty());
        Self {
            title: title.into(),
            heads: heads.map(str::to_owned).collect(),
            ..Self::default()
        }
    }

    /// Adds a note.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Adds a first column that is equal in all rows.
    pub fn name_rows(&mut self, head: &str, name: &str) {
        self.heads.insert(0, head.to_owned());
        self.rows
            .iter_mut()
            .for_each(|row| row.insert(0, name.into()));
    }

    /// The table in a form.
    pub fn to(&self, form: Form) -> String {
        match form {
            Form::Text => self.within(None),
            Form::Markdown => markdown::markdown(self),
            Form::Csv => csv::csv(self),
            Form::Json => format!("{:#}\n", self.json()),
            Form::Html => html::html(self),
            Form::Latex => latex::latex(self),
            Form::Bmf => format!("{:#}\n", self.bmf()),
        }
    }

    /// Each column's head and cells.
    fn columns(&self) -> impl Iterator<Item = (&str, Vec<&Cell>)> {
        let cells = |column| self.rows.iter().map(move |row| &row[column]).collect();
        let heads = self.heads.iter().enumerate();
        heads.map(move |(column, head)| (head.as_str(), cells(column)))
    }

    /// Returns for each column whether it holds numbers, which are aligned right.
    fn numeric(&self) -> Vec<bool> {
        let is_numeric = |cells: &[&Cell]| {
            let mut known = cells.iter().filter(|cell| cell.content != Content::Empty);
            known.clone().next().is_some() && known.all(|cell| cell.is_number())
        };
        self.columns()
            .map(|(_, cells)| is_numeric(&cells))
            .collect()
    }
}

/// A row of a table, from values that convert to a [`Cell`].
#[macro_export]
macro_rules! row {
    ($($cell:expr),* $(,)?) => { vec![$($crate::table::Cell::from($cell)),*] };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Bound, Estimate, Interval};
    use crate::units::Quantity;

    fn table() -> Table {
        let interval = Interval {
            low: 1.1e6,
            high: 1.5e6,
        };
        let ratio = Interval {
            low: 1.0,
            high: 2.5,
        };
        let time = Estimate {
            bound: Bound::AtLeast,
            interval: Some(interval),
            ..Estimate::plain(1.25e6)
        };
        Table {
            notes: vec!["Nobody knows <why> 5 %.".to_owned()],
            command: "ikeru rank x_y".to_owned(),
            rows: vec![
                row![
                    "memo|flat",
                    5_usize,
                    (time, Quantity::Time),
                    (Some(ratio), Quantity::Ratio)
                ],
                row!["<a_b>", 1234_usize, Cell::EMPTY, Cell::EMPTY],
            ],
            ..Table::new("Which one?", "variant | n | time | 95 % interval")
        }
    }

    fn plain(form: Form) -> String {
        table().to(form).replace('\u{202f}', " ")
    }

    #[test]
    fn text_is_aligned_by_the_type_of_its_cells() {
        let expected = "\
Which one?

variant        n                       time  95 % interval
memo|flat      5  ≥1.25 ms (1.10 … 1.50 ms)   1.00 … 2.50×
<a_b>      1,234                          –              –

Nobody knows <why> 5 %.

Made by ikeru rank x_y
";
        assert_eq!(plain(Form::Text), expected);
    }

    #[test]
    fn markdown_keeps_pipes_apart() {
        let expected = "\
### Which one?

| variant | n | time | 95 % interval |
| --- | ---: | ---: | ---: |
| memo\\|flat | 5 | ≥1.25 ms (1.10 … 1.50 ms) | 1.00 … 2.50× |
| &lt;a\\_b&gt; | 1,234 | – | – |

Nobody knows &lt;why&gt; 5 %.

Made by `ikeru rank x_y`.
";
        assert_eq!(plain(Form::Markdown), expected);
        let mut table = table();
        table.rows[0][0] = Cell::from("*[x](y)* `z` ~$1$");
        table.notes = ["# a: 1", "- b", "12. c", "2.5 d", "e"]
            .map(str::to_owned)
            .to_vec();
        let markdown = table.to(Form::Markdown);
        let escaped = r"| \*\[x\](y)\* \`z\` \~\$1\$ |";
        assert!(markdown.contains(escaped), "{markdown}");
        let notes = "\n\\# a: 1\n\n\\- b\n\n12\\. c\n\n2\\.5 d\n\ne\n";
        assert!(markdown.contains(notes), "{markdown}");
    }

    #[test]
    fn csv_has_bare_numbers_and_the_ends_of_intervals_apart() {
        let expected = "\
variant,n,time_ns,time_ns bound,time_ns low,time_ns high,95 % interval low,95 % interval high
memo|flat,5,1250000,≥,1100000,1500000,1,2.5
<a_b>,1234,,,,,,
";
        assert_eq!(plain(Form::Csv), expected);
    }

    #[test]
    fn json_has_bare_numbers_beside_what_is_known_of_them() {
        let json = table().json();
        assert_eq!(
            json["columns"],
            serde_json::json!(["variant", "n", "time", "95 % interval"])
        );
        let time = serde_json::json!({ "value": 1.25e6, "unit": "ns", "bound": "≥", "low": 1.1e6, "high": 1.5e6 });
        let row = serde_json::json!({
            "variant": "memo|flat",
            "n": { "value": 5.0 },
            "time": time,
            "95 % interval": { "low": 1.0, "high": 2.5 },
        });
        assert_eq!(json["rows"][0], row);
        assert!(json["rows"][1]["time"].is_null(), "{json}");
        let read: serde_json::Value = serde_json::from_str(&table().to(Form::Json)).expect("JSON");
        assert_eq!(read, json);
    }

    #[test]
    fn bmf_has_a_benchmark_for_each_row_with_numbers() {
        let json: serde_json::Value = serde_json::from_str(&table().to(Form::Bmf)).expect("JSON");
        let time =
            serde_json::json!({ "value": 1.25e6, "lower_value": 1.1e6, "upper_value": 1.5e6 });
        assert_eq!(json["memo|flat"]["time_ns"], time);
        assert_eq!(
            json["<a_b>"],
            serde_json::json!({ "n": { "value": 1234.0 } })
        );
    }

    #[test]
    fn html_escapes_text_and_classes_follow_the_type() {
        let html = plain(Form::Html);
        for part in [
            "<strong>Which one?</strong>Nobody knows &lt;why&gt; 5 %.",
            "<th scope=\"col\">variant</th><th scope=\"col\" class=\"number\">n</th>",
            "<tr><th scope=\"row\">&lt;a_b&gt;</th><td class=\"number\">1,234</td>",
            "<td class=\"number\" data-v=\"1250000\">≥1.25 ms <small>1.10 … 1.50 ms</small></td>",
            "Made by <code>ikeru rank x_y</code>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn a_power_of_ten_is_sorted_by_its_value() {
        let mut table = table();
        table.rows[0][2] = Cell::from((3.85e-4, Quantity::Ratio));
        let html = table.to(Form::Html);
        assert!(html.contains("data-v=\"0.000385\""), "{html}");
    }

    #[test]
    fn latex_spells_out_what_it_reads_as_commands() {
        let latex = plain(Form::Latex);
        for part in [
            "\\begin{tabular}{lrrr}\n\\toprule\nvariant & n & time & 95 \\% interval \\\\\n\\midrule\n",
            "memo$|$flat & 5 & $\\geq$1.25 ms (1.10 \\dots{} 1.50 ms) & 1.00 \\dots{} 2.50$\\times$ \\\\\n",
            "$<$a\\_b$>$ & 1,234 & \\textendash{} & \\textendash{} \\\\\n",
            "\n\n% Nobody knows <why> 5 %.\n\n% Made by ikeru rank x_y",
        ] {
            assert!(latex.replace("\\,", " ").contains(part), "{part}: {latex}");
        }
        let mut table = table();
        table.rows[0][0] = Cell::from("[fast] arrivals");
        table.heads[1] = "a --- b -- 'c''".to_owned();
        table.rows[1][0] = Cell::from("*best*");
        let latex = table.to(Form::Latex);
        for row in [
            "\n{}[fast] arrivals & ",
            "\n{}*best* & ",
            "a -{}-{}- b -{}- 'c'{}'",
        ] {
            assert!(latex.contains(row), "{latex}");
        }
    }
}
