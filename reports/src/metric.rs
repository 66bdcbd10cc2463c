//! The metrics of comparisons: times, counters, measures or scores, and the direction that is better.

use ikeru_core::{AnyProblem, Better, Direction, Measure};

use crate::error::{ReportError, Result};
use crate::records::Family;
use crate::rows::{Rows, TIME};
use crate::units::Quantity;
use ikeru_records::refuse;

/// The column of CPU times of commands' processes.
const PROCESS_TIME: &str = "process_cpu_ns";

/// A column of numbers that can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Metric {
    /// Wall time of one answer.
    Wall,
    /// CPU time of one answer.
    Cpu,
    /// CPU time of a command's processes.
    ProcessCpu,
    /// A counter of a variant's work.
    Counter(String),
    /// A value that the referee measured.
    Measure(String),
    /// The confirmed score.
    Score,
}

impl Metric {
    /// Reads `time`, `wall`, `cpu`, `counter:NAME`, `measure:NAME` or `score`; the first side's rows must have the
    /// column. `cpu` of commands is that of their processes. `time` is CPU time if all solved rows of all `sides` have it, otherwise wall time: a comparison uses
    /// one clock.
    ///
    /// # Errors
    /// An unknown word or name, with the nearest known one; `cpu` if a solved row has no CPU time.
    pub fn read(text: &str, sides: &[(&Rows, &[u32])]) -> Result<Self> {
        let Some((rows, _)) = sides.first() else {
            return Ok(Self::Wall);
        };
        let has_cpu_time = |(rows, own): &(&Rows, &[u32])| rows.compared(TIME, own) == TIME;
        let have_cpu_time = || sides.iter().all(has_cpu_time);
        let have = |column: &str| {
            let has = |rows: &Rows, row: &u32| rows.number(column, *row).is_some();
            let all =
                |(rows, own): &(&Rows, &[u32])| rows.solved(own).iter().all(|row| has(rows, row));
            sides.iter().all(all)
        };
        let metric = match text.split_once(':') {
            None if text == "wall" => Self::Wall,
            None if text == "time" && have_cpu_time() => Self::Cpu,
            None if text == "time" => Self::Wall,
            None if text == "cpu" && have_cpu_time() => Self::Cpu,
            None if text == "cpu" && have(PROCESS_TIME) => Self::ProcessCpu,
            None if text == "cpu" => {
                refuse!("some rows have no CPU time of an answer; compare `wall`");
            }
            None if text == "score" => Self::Score,
            Some(("counter", name)) => Self::Counter(name.to_owned()),
            Some(("measure", name)) => Self::Measure(name.to_owned()),
            _ => return Err(unknown(text, rows)),
        };
        let known = rows.has(&metric.column()).then_some(metric);
        known.ok_or_else(|| unknown(text, rows))
    }

    /// The column of `records.csv`.
    pub fn column(&self) -> String {
        match self {
            Self::Wall => "wall_ns".to_owned(),
            Self::Cpu => TIME.to_owned(),
            Self::ProcessCpu => PROCESS_TIME.to_owned(),
            Self::Counter(name) => Family::Counter.column(name),
            Self::Measure(name) => Family::Measure.column(name),
            Self::Score => "score".to_owned(),
        }
    }

    /// The word for [`Metric::read`].
    pub fn word(&self) -> String {
        match self {
            Self::Wall => "wall".to_owned(),
            Self::Cpu | Self::ProcessCpu => "cpu".to_owned(),
            Self::Counter(name) => format!("counter:{name}"),
            Self::Measure(name) => format!("measure:{name}"),
            Self::Score => "score".to_owned(),
        }
    }

    /// The name in a sentence.
    pub fn noun(&self) -> &str {
        match self {
            Self::Wall => "wall time",
            Self::Cpu | Self::ProcessCpu => "CPU time",
            Self::Counter(name) | Self::Measure(name) => name,
            Self::Score => "score",
        }
    }

    /// The name in the title of a table: the word for [`Metric::read`], but the noun of a time.
    pub(crate) fn title(&self) -> String {
        if self.is_time() {
            return self.noun().to_owned();
        }
        self.word()
    }

    /// Returns whether the metric is a time, which depends on the machine and its load.
    pub fn is_time(&self) -> bool {
        matches!(self, Self::Wall | Self::Cpu | Self::ProcessCpu)
    }

    /// Returns whether two values are compared by their difference: scores and measures may be 0 or negative, so that a
    /// ratio is meaningless.
    pub fn is_by_difference(&self) -> bool {
        matches!(self, Self::Measure(_) | Self::Score)
    }

    /// The direction that is better: of scores that of `direction`. Without a declaration of the problem, lower counters are
    /// better, and measures and scores are not judged.
    pub fn better(&self, problem: Option<&dyn AnyProblem>, direction: Option<Direction>) -> Better {
        let declared = |measures: &[Measure], name: &str| {
            let known = measures.iter().find(|measure| measure.name == name);
            known.map(|measure| measure.better)
        };
        match self {
            Self::Wall | Self::Cpu | Self::ProcessCpu => Better::Lower,
            Self::Counter(name) => problem
                .and_then(|problem| declared(problem.counters(), name))
                .unwrap_or(Better::Lower),
            Self::Measure(name) => problem
                .and_then(|problem| declared(problem.measures(), name))
                .unwrap_or(Better::Neither),
            Self::Score => direction.map_or(Better::Neither, Better::from),
        }
    }

    /// The words for a ratio below and above 1.
    pub fn words(&self, better: Better) -> (&'static str, &'static str) {
        match (self, better) {
            (Self::Wall | Self::Cpu | Self::ProcessCpu, _) => ("faster", "slower"),
            (Self::Counter(_), _) => ("fewer", "more"),
            (Self::Measure(_), _) | (Self::Score, Better::Neither) => ("lower", "higher"),
            (Self::Score, Better::Lower) => ("better", "worse"),
            (Self::Score, Better::Higher) => ("worse", "better"),
        }
    }

    /// The quantity of its values.
    pub fn quantity(&self) -> Quantity {
        Quantity::of_column(&self.column())
    }
}

fn unknown(text: &str, rows: &Rows) -> ReportError {
    let mut known = ["time", "wall", "cpu", "score"].map(str::to_owned).to_vec();
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
        let read = |word: &str| Metric::read(word, &[(&rows, &rows.all())]);
        for word in ["wall", "score", "counter:nodes", "measure:cost"] {
            assert_eq!(read(word).expect(word).word(), word);
        }
        let error = read("counter:node").expect_err("unknown");
        assert!(
            error.to_string().contains("did you mean `counter:nodes`?"),
            "{error}"
        );
        assert!(read("times").is_err());
    }

    #[test]
    fn one_comparison_has_one_clock() {
        let header = "schema,threads,mode,outcome,wall_ns,cpu_ns\n";
        let both = rows(&format!("{header}1,1,isolated,solved,5,4\n"));
        let wall = rows(&format!("{header}1,1,isolated,solved,5,\n"));
        let read = |word: &str, other: &Rows| {
            Metric::read(word, &[(&both, &both.all()), (other, &other.all())])
        };
        assert_eq!(read("time", &both).expect("a clock"), Metric::Cpu);
        assert_eq!(read("time", &wall).expect("a clock"), Metric::Wall);
        assert!(read("cpu", &wall).is_err());
        let command = rows("schema,outcome,wall_ns,process_cpu_ns\n1,solved,5,4\n");
        let read = Metric::read("cpu", &[(&command, &command.all())]);
        assert_eq!(read.expect("a clock"), Metric::ProcessCpu);
    }
}
