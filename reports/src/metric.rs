//! What a comparison compares: times, counters, measures or scores, and which way is better.

use ikeru_core::{AnyProblem, Better, Measure};

use crate::error::ReportError;
use crate::records::Family;
use crate::rows::Rows;
use crate::units::Quantity;

/// One column of numbers that comparisons know how to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Metric {
    /// Wall time of one answer.
    Wall,
    /// A variant's own deterministic work.
    Counter(String),
    /// A value that the referee measured.
    Measure(String),
    /// The confirmed score.
    Score,
}

impl Metric {
    /// Reads `wall`, `counter:NAME`, `measure:NAME` or `score`, as far as `rows` have it.
    ///
    /// # Errors
    /// An unknown word or name, with the nearest known one.
    pub fn read(text: &str, rows: &Rows) -> Result<Self, ReportError> {
        let metric = match text.split_once(':') {
            None if text == "wall" => Self::Wall,
            None if text == "score" => Self::Score,
            Some(("counter", name)) => Self::Counter(name.to_owned()),
            Some(("measure", name)) => Self::Measure(name.to_owned()),
            _ => return Err(unknown(text, rows)),
        };
        if rows.has(&metric.column()) {
            Ok(metric)
        } else {
            Err(unknown(text, rows))
        }
    }

    /// The column of `records.csv`.
    pub fn column(&self) -> String {
        match self {
            Self::Wall => "wall_ns".to_owned(),
            Self::Counter(name) => Family::Counter.column(name),
            Self::Measure(name) => Family::Measure.column(name),
            Self::Score => "score".to_owned(),
        }
    }

    /// The word that [`Metric::read`] reads.
    pub fn word(&self) -> String {
        match self {
            Self::Wall => "wall".to_owned(),
            Self::Counter(name) => format!("counter:{name}"),
            Self::Measure(name) => format!("measure:{name}"),
            Self::Score => "score".to_owned(),
        }
    }

    /// What it is called in a sentence.
    pub fn noun(&self) -> &str {
        match self {
            Self::Wall => "time",
            Self::Counter(name) | Self::Measure(name) => name,
            Self::Score => "score",
        }
    }

    /// Whether it depends on the machine and on how its cores are shared.
    pub fn is_time(&self) -> bool {
        *self == Self::Wall
    }

    /// Which way it is better. What an unknown problem measures is not judged; its counters count work.
    pub fn better(&self, problem: Option<&dyn AnyProblem>) -> Better {
        let declared = |measures: &[Measure], name: &str| {
            let known = measures.iter().find(|measure| measure.name == name);
            known.map(|measure| measure.better)
        };
        match self {
            Self::Wall => Better::Lower,
            Self::Counter(name) => problem
                .and_then(|problem| declared(problem.counters(), name))
                .unwrap_or(Better::Lower),
            Self::Measure(name) => problem
                .and_then(|problem| declared(problem.measures(), name))
                .unwrap_or(Better::Neither),
            Self::Score => problem.map_or(Better::Neither, |problem| problem.direction().into()),
        }
    }

    /// The words for a ratio below and above 1.
    pub fn words(&self, better: Better) -> (&'static str, &'static str) {
        match (self, better) {
            (Self::Wall, _) => ("faster", "slower"),
            (Self::Counter(_), _) => ("fewer", "more"),
            (Self::Measure(_), _) | (Self::Score, Better::Neither) => ("lower", "higher"),
            (Self::Score, Better::Lower) => ("better", "worse"),
            (Self::Score, Better::Higher) => ("worse", "better"),
        }
    }

    /// What its values count.
    pub fn quantity(&self) -> Quantity {
        Quantity::of_column(&self.column())
    }
}

fn unknown(text: &str, rows: &Rows) -> ReportError {
    let mut known = vec!["wall".to_owned(), "score".to_owned()];
    for name in rows.columns() {
        match Family::of(name) {
            Some((Family::Counter, name)) => known.push(format!("counter:{name}")),
            Some((Family::Measure, name)) => known.push(format!("measure:{name}")),
            _ => continue,
        }
    }
    ReportError::unknown("metric", text, known.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows_of as rows;

    #[test]
    fn a_metric_is_read_where_the_rows_have_it() {
        let rows = rows("schema,wall_ns,score,counter_nodes,measure_cost\n1,5,3,7,1.5\n");
        for word in ["wall", "score", "counter:nodes", "measure:cost"] {
            assert_eq!(Metric::read(word, &rows).expect(word).word(), word);
        }
        let error = Metric::read("counter:node", &rows).expect_err("unknown");
        assert!(
            error.to_string().contains("did you mean `counter:nodes`?"),
            "{error}"
        );
        assert!(Metric::read("time", &rows).is_err());
    }
}
