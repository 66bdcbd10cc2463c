//! Compares the verdicts of a run with those of a reference, or of another run folder.

use std::collections::BTreeMap;
use std::path::Path;

use ikeru_bench_data::builtin;
use serde::Deserialize;

use crate::page::FigureRow;
use ikeru_records::units::plural;
use ikeru_records::{ReportError, Result};

/// The word for the built-in verdicts.
pub const REFERENCE: &str = "reference";

/// The comparison of the verdicts of two runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Against {
    /// The number of figures that both runs decided equally.
    pub same: usize,
    /// The figures that they decided differently: identifier, verdict there, verdict here.
    pub moved: Vec<[String; 3]>,
    /// The figures that only the other run decided.
    pub open: Vec<String>,
    /// The number of figures that only this run decided.
    pub new: usize,
}

/// A row of `figures.csv`.
#[derive(Deserialize)]
struct VerdictRow {
    id: String,
    verdict: String,
}

/// The verdicts that count as decided.
const DECIDED: [&str; 4] = [
    "reproduced",
    "calibrated",
    "differs",
    "erratum in the source",
];

impl Against {
    /// Compares `figures` with the reference, or with `figures.csv` of a run folder.
    ///
    /// # Errors
    /// A folder without a readable `figures.csv`.
    pub fn read(of: &str, figures: &[FigureRow]) -> Result<Self> {
        if of == REFERENCE {
            let path = Path::new("bench-data/reference/figures.csv");
            return Self::of(builtin::REFERENCE, path, figures);
        }
        let path = Path::new(of).join("figures.csv");
        let text = std::fs::read_to_string(&path).map_err(|error| ReportError::io(&path, error))?;
        Self::of(&text, &path, figures)
    }

    fn of(text: &str, path: &Path, figures: &[FigureRow]) -> Result<Self> {
        let mut theirs = BTreeMap::new();
        for row in csv::Reader::from_reader(text.as_bytes()).deserialize() {
            let VerdictRow { id, verdict } = row.map_err(|error| wrong(path, &error))?;
            theirs.insert(id, verdict);
        }
        let is_decided = |verdict: &str| DECIDED.contains(&verdict);
        let mut against = Self::default();
        for figure in figures {
            let Some(there) = theirs.get(&figure.id) else {
                continue;
            };
            match (is_decided(there), is_decided(figure.verdict)) {
                (true, true) if there == figure.verdict => against.same += 1,
                (true, true) => {
                    let words = [&figure.id, there, figure.verdict];
                    against.moved.push(words.map(str::to_owned));
                }
                (true, false) => against.open.push(figure.id.clone()),
                (false, true) => against.new += 1,
                (false, false) => {}
            }
        }
        Ok(against)
    }

    /// The comparison as text: the counts, then a line for each verdict that changed.
    pub fn in_lines(&self, of: &str) -> String {
        let Self {
            same,
            moved,
            open,
            new,
        } = self;
        let all = same + moved.len() + open.len();
        let mut text = format!("{same} of {} as in {of}", plural(all, "verdict"));
        for (count, what) in [
            (moved.len(), "moved"),
            (open.len(), "open here"),
            (*new, "decided only here"),
        ] {
            if count > 0 {
                text += &format!("; {count} {what}");
            }
        }
        text.push('\n');
        for [id, there, here] in moved {
            text += &format!("moved: {id}, {there} there, {here} here\n");
        }
        if !open.is_empty() {
            text += &format!("open here: {}\n", open.join(", "));
        }
        text
    }
}

fn wrong(path: &Path, error: &csv::Error) -> ReportError {
    let message = match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.to_string(),
        _ => error.to_string(),
    };
    ReportError::Row {
        path: path.to_owned(),
        line: error.position().map_or(1, csv::Position::line),
        message: format!("{message}; expected the columns `id` and `verdict`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_both_decided_can_move() {
        let text = "id,verdict\na,reproduced\nb,differs\nc,calibrated\nd,undecided\n";
        let figure = |id: &str, verdict: &'static str| FigureRow {
            id: id.to_owned(),
            verdict,
            ..FigureRow::default()
        };
        let figures = [
            figure("a", "reproduced"),
            figure("b", "reproduced"),
            figure("c", "undecided"),
            figure("d", "differs"),
            figure("e", "differs"),
        ];
        let against = Against::of(text, Path::new("f.csv"), &figures).expect("a table");
        assert_eq!(
            against.in_lines("the reference"),
            "1 of 3\u{202f}verdicts as in the reference; 1 moved; 1 open here; 1 decided only here\n\
             moved: b, differs there, reproduced here\nopen here: c\n"
        );
        let error = Against::of("id\na\n", Path::new("f.csv"), &figures);
        let error = error.expect_err("no verdicts").to_string();
        assert!(error.contains("f.csv:2: "), "{error}");
    }
}
