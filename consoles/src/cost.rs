//! Tier 1: what the counters of a run cost on a console, by a table that was fitted to counted answers.
//!
//! A cost has three rows, each a sum of counters times coefficients: *work* (instructions and branches), *misses* (caches
//! and memory) and *memory* (bytes of the tables).

use crate::facts::Cycles;
use serde::{Deserialize, Serialize};

use super::counts::{at, wrong};
use super::cycles::CycleParts;
use ikeru_records::ReportError;

/// Above this 90 % quantile of its residual a cost has low confidence.
pub const CONFIDENT: f64 = 1.5;

/// The factor by which the band widens for a distance beyond the training: its power of 3/16, by roots that are rounded
/// alike on every machine.
pub(crate) fn widening(beyond: f64) -> f64 {
    let eighth = beyond.sqrt().sqrt().sqrt();
    eighth * eighth.sqrt()
}

/// The counter that is 1 for every answer.
pub const ONE: &str = "one";

/// What a variant costs on a console.
#[derive(Debug, Clone, PartialEq)]
pub struct CounterCost {
    /// The problem.
    pub problem: String,
    /// The variant.
    pub variant: String,
    /// The variant's version that was counted.
    pub version: u32,
    /// The console.
    pub console: String,
    /// Cycles of instructions and branches.
    pub work: CostSum,
    /// Cycles of caches and memory. Its residual is that of work and misses together: what matters is how far the sum
    /// is off, and misses alone may be nearly none.
    pub misses: CostSum,
    /// Bytes of the tables.
    pub memory: CostSum,
    /// Questions that it was fitted to.
    pub trained: usize,
    /// Questions that it was tested with.
    pub tested: usize,
}

/// A sum of terms with its ends and its residual.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CostSum {
    /// The terms.
    pub terms: Vec<Term>,
    /// The low end by the middle, the median of the training questions.
    pub low: f64,
    /// The high end by the middle, the median of the training questions.
    pub high: f64,
    /// By which factor it is off on the held-out questions.
    pub residual: Residual,
}

/// One counter's part of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// A counter, `measure_NAME`, `one`, or several of these with `*` between them.
    pub counter: String,
    /// The part of the counter that counts: what lies beyond a cache.
    pub beyond: Option<Beyond>,
    /// Cycles or bytes per unit.
    pub coefficient: f64,
    /// The smallest and the largest value of the counter in training.
    pub range: (f64, f64),
}

/// The share of a working set that a cache does not hold: `max(0, 1 − bytes / (share · memory))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beyond {
    /// Size of the cache.
    pub bytes: f64,
    /// The working set's share of the tables.
    pub share: f64,
}

/// Quantiles of the factor by which a prediction is off, at least 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// The median.
    pub p50: f64,
    /// Nine in ten are off by at most this.
    pub p90: f64,
    /// The worst.
    pub max: f64,
}

impl Default for Residual {
    fn default() -> Self {
        Self {
            p50: 1.0,
            p90: 1.0,
            max: 1.0,
        }
    }
}

impl Beyond {
    /// The share of a working set that lies outside the cache.
    pub fn of(self, memory: f64) -> f64 {
        let set = self.share * memory;
        if set <= self.bytes {
            return 0.0;
        }
        1.0 - self.bytes / set
    }
}

/// A counter of an answer by its name; `None` where it is not known.
pub trait CounterValues {
    /// The value.
    fn value(&self, name: &str) -> Option<f64>;

    /// The product of the counters of a term.
    fn product(&self, names: &str) -> Option<f64> {
        let each = |name| {
            if name == ONE {
                Some(1.0)
            } else {
                self.value(name)
            }
        };
        names
            .split('*')
            .try_fold(1.0, |product, name| Some(product * each(name)?))
    }
}

impl<F: Fn(&str) -> Option<f64>> CounterValues for F {
    fn value(&self, name: &str) -> Option<f64> {
        self(name)
    }
}

impl CostSum {
    /// The sum for an answer whose tables take `memory` bytes; `None` where a counter is not known.
    pub fn value(&self, counters: &dyn CounterValues, memory: f64) -> Option<f64> {
        self.terms.iter().try_fold(0.0, |sum, term| {
            let part = term.beyond.map_or(1.0, |beyond| beyond.of(memory));
            Some(sum + term.coefficient * counters.product(&term.counter)? * part)
        })
    }

    /// The same with its ends.
    fn cycles(&self, counters: &dyn CounterValues, memory: f64) -> Option<Cycles> {
        let ends = Cycles {
            low: self.low,
            mid: 1.0,
            high: self.high,
        };
        Some(ends * self.value(counters, memory)?)
    }
}

/// What a cost says of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The cycles; their ends hold the residual.
    pub modelled: Cycles,
    /// Bytes of the tables.
    pub memory: f64,
    /// The counter that lies furthest outside the training, and by which factor; `None` where all lie inside.
    pub beyond_training: Option<(String, f64)>,
}

impl CounterCost {
    /// What an answer with these counters costs; `None` where a counter is not known.
    pub fn predict(&self, counters: &dyn CounterValues) -> Option<Prediction> {
        let memory = self.memory.value(counters, 0.0)?;
        let parts = CycleParts {
            work: self.work.cycles(counters, memory)?,
            misses: self.misses.cycles(counters, memory)?,
        };
        let mut modelled = parts.sum();
        let beyond_training = self.beyond_training(counters);
        let beyond = beyond_training.as_ref().map_or(1.0, |(_, factor)| *factor);
        let off = self.misses.residual.p90.max(1.0) * widening(beyond);
        modelled.low /= off;
        modelled.high *= off;
        Some(Prediction {
            modelled,
            memory,
            beyond_training,
        })
    }

    /// The counter that lies furthest outside of the training.
    fn beyond_training(&self, counters: &dyn CounterValues) -> Option<(String, f64)> {
        let terms = self.work.terms.iter().chain(&self.misses.terms);
        let mut furthest: Option<(String, f64)> = None;
        for term in terms {
            let value = counters.product(&term.counter)?;
            let (low, high) = term.range;
            let factor = if value > high {
                value / high
            } else {
                low / value
            };
            let is_further = furthest.as_ref().is_none_or(|(_, known)| factor > *known);
            if value > 0.0 && factor > 1.0 && factor.is_finite() && is_further {
                furthest = Some((term.counter.clone(), factor));
            }
        }
        furthest
    }

    /// Whether the held-out questions say that it can be trusted.
    pub fn is_confident(&self) -> bool {
        self.tested > 0 && self.misses.residual.p90 <= CONFIDENT
    }
}

/// The kinds of rows, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum SumKind {
    Work,
    Misses,
    Memory,
}

/// One line of `costs.csv`: a term, or a row without any.
#[derive(Debug, Deserialize, Serialize)]
struct CostLine {
    problem: String,
    variant: String,
    version: u32,
    console: String,
    row: SumKind,
    counter: String,
    beyond_bytes: Option<f64>,
    memory_share: Option<f64>,
    coefficient: f64,
    from: f64,
    to: f64,
    low: f64,
    high: f64,
    residual_p50: f64,
    residual_p90: f64,
    residual_max: f64,
    trained: usize,
    tested: usize,
}

impl CounterCost {
    fn rows(&self) -> [(SumKind, &CostSum); 3] {
        [
            (SumKind::Work, &self.work),
            (SumKind::Misses, &self.misses),
            (SumKind::Memory, &self.memory),
        ]
    }

    fn row_mut(&mut self, kind: SumKind) -> &mut CostSum {
        match kind {
            SumKind::Work => &mut self.work,
            SumKind::Misses => &mut self.misses,
            SumKind::Memory => &mut self.memory,
        }
    }

    fn line(&self, kind: SumKind, row: &CostSum, term: Option<&Term>) -> CostLine {
        CostLine {
            problem: self.problem.clone(),
            variant: self.variant.clone(),
            version: self.version,
            console: self.console.clone(),
            row: kind,
            counter: term.map_or(String::new(), |term| term.counter.clone()),
            beyond_bytes: term.and_then(|term| Some(term.beyond?.bytes)),
            memory_share: term.and_then(|term| Some(term.beyond?.share)),
            coefficient: term.map_or(0.0, |term| term.coefficient),
            from: term.map_or(0.0, |term| term.range.0),
            to: term.map_or(0.0, |term| term.range.1),
            low: row.low,
            high: row.high,
            residual_p50: row.residual.p50,
            residual_p90: row.residual.p90,
            residual_max: row.residual.max,
            trained: self.trained,
            tested: self.tested,
        }
    }
}

/// The text of `costs.csv`.
///
/// # Errors
/// A row that CSV cannot hold.
pub fn written(costs: &[CounterCost]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for cost in costs {
        for (kind, row) in cost.rows() {
            for term in &row.terms {
                writer.serialize(cost.line(kind, row, Some(term)))?;
            }
            if row.terms.is_empty() {
                writer.serialize(cost.line(kind, row, None))?;
            }
        }
    }
    let bytes = writer
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads `costs.csv`; `file` is its name in errors. The lines of a variant on a console stand together.
///
/// # Errors
/// Names file, line, and what was expected.
pub fn read(file: &str, text: &str) -> Result<Vec<CounterCost>, ReportError> {
    let mut costs: Vec<CounterCost> = Vec::new();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    for (line, number) in reader.deserialize().zip(2..) {
        let line: CostLine = line.map_err(|error| wrong(file, &error))?;
        let is_same = |cost: &CounterCost| {
            let key = (&cost.problem, &cost.variant, &cost.console);
            key == (&line.problem, &line.variant, &line.console)
        };
        if !costs.last().is_some_and(is_same) {
            if costs.iter().any(is_same) {
                return Err(at(
                    file,
                    number,
                    "the lines of a variant on a console stand together",
                ));
            }
            costs.push(CounterCost {
                problem: line.problem.clone(),
                variant: line.variant.clone(),
                version: line.version,
                console: line.console.clone(),
                work: CostSum::default(),
                misses: CostSum::default(),
                memory: CostSum::default(),
                trained: line.trained,
                tested: line.tested,
            });
        }
        let Some(cost) = costs.last_mut() else {
            continue;
        };
        let row = cost.row_mut(line.row);
        (row.low, row.high) = (line.low, line.high);
        row.residual = Residual {
            p50: line.residual_p50,
            p90: line.residual_p90,
            max: line.residual_max,
        };
        if !line.counter.is_empty() {
            let beyond = line.beyond_bytes.zip(line.memory_share);
            row.terms.push(Term {
                counter: line.counter,
                beyond: beyond.map(|(bytes, share)| Beyond { bytes, share }),
                coefficient: line.coefficient,
                range: (line.from, line.to),
            });
        }
    }
    Ok(costs)
}
