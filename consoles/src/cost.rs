//! Tier 1: the cycles of a run's counters on a console, by a table that was fitted to counted answers.
//!
//! A cost has three sums of counters times coefficients: *work* (instructions and branches), *misses* (caches and
//! memory) and *memory* (bytes of the tables).

use crate::facts::Cycles;
use serde::Deserialize;

use super::counts::wrong;
use super::cycles::CycleParts;
use ikeru_records::{ReportError, Result};

/// A cost has low confidence if the 90 % quantile of its residual is above this.
pub const CONFIDENT: f64 = 1.5;

/// The factor by which the band widens for a counter `beyond` times outside the training: the fourth root of `beyond`.
/// Square roots are rounded alike on every machine.
pub fn widening(beyond: f64) -> f64 {
    beyond.sqrt().sqrt()
}

/// The counter that is 1 for every answer.
pub const ONE: &str = "one";

/// The costs of a variant on a console.
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
    /// Cycles of caches and memory. Its residual is that of the sum of work and misses, because misses alone may be
    /// close to 0.
    pub misses: CostSum,
    /// Bytes of the tables.
    pub memory: CostSum,
    /// The number of training questions.
    pub trained: usize,
    /// The number of held-out questions.
    pub tested: usize,
}

/// A sum of terms with the ends of its band and its residual.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CostSum {
    /// The terms.
    pub terms: Vec<Term>,
    /// The low end divided by the middle, the median of the training questions.
    pub low: f64,
    /// The high end divided by the middle, the median of the training questions.
    pub high: f64,
    /// The error factors on the held-out questions; on the training questions if none are held out.
    pub residual: Residual,
}

/// One counter's part of a sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// A counter, `measure_NAME`, `one`, or several of these with `*` between them.
    pub counter: String,
    /// The factor for the share of the tables that a cache does not hold; `None` is 1.
    pub beyond: Option<Beyond>,
    /// Cycles or bytes per unit.
    pub coefficient: f64,
    /// The smallest and the largest value of the counter in training.
    pub range: (f64, f64),
}

/// The share of a working set that a cache does not hold: `max(0, 1 − bytes / (share · memory))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beyond {
    /// The cache's size in bytes.
    pub bytes: f64,
    /// The working set's share of the tables.
    pub share: f64,
}

/// Quantiles of the factor between prediction and true value; at least 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// The median.
    pub p50: f64,
    /// The 90 % quantile.
    pub p90: f64,
    /// The maximum.
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
    /// The share of the working set that the cache does not hold, for tables of `memory` bytes.
    pub fn of(self, memory: f64) -> f64 {
        let set = self.share * memory;
        if set <= self.bytes {
            return 0.0;
        }
        1.0 - self.bytes / set
    }
}

/// The counters of an answer by name.
pub trait CounterValues {
    /// The counter's value; `None` if it is unknown.
    fn value(&self, name: &str) -> Option<f64>;

    /// The product of the counters of a term; `None` if one is unknown.
    fn product(&self, names: &str) -> Option<f64> {
        let each = |name| match name {
            ONE => Some(1.0),
            counter => self.value(counter),
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
    /// The sum for an answer whose tables take `memory` bytes; `None` if a counter is unknown.
    pub fn value(&self, counters: &dyn CounterValues, memory: f64) -> Option<f64> {
        self.terms.iter().try_fold(0.0, |sum, term| {
            let part = term.beyond.map_or(1.0, |beyond| beyond.of(memory));
            Some(sum + term.coefficient * counters.product(&term.counter)? * part)
        })
    }

    /// The sum with the ends of its band.
    fn cycles(&self, counters: &dyn CounterValues, memory: f64) -> Option<Cycles> {
        let ends = Cycles {
            low: self.low,
            mid: 1.0,
            high: self.high,
        };
        Some(ends * self.value(counters, memory)?)
    }
}

/// The predicted cost of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The cycles; the band includes the residual.
    pub modelled: Cycles,
    /// Bytes of the tables.
    pub memory: f64,
    /// The counter that is furthest outside the training, with the factor; `None` if all are inside.
    pub beyond_training: Option<(String, f64)>,
}

impl CounterCost {
    /// Predicts the cost of an answer with these counters; `None` if a counter is unknown. `most` bytes are the tables that it
    /// had on the machine of the run, whose words are no narrower: counters of work beyond the training say little about tables.
    pub fn predict(&self, counters: &dyn CounterValues, most: f64) -> Option<Prediction> {
        let memory = self.memory.value(counters, 0.0)?.min(most);
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

    /// The counter that is furthest outside the training, with the factor.
    fn beyond_training(&self, counters: &dyn CounterValues) -> Option<(String, f64)> {
        let terms = self.work.terms.iter().chain(&self.misses.terms);
        let mut furthest: Option<(String, f64)> = None;
        for term in terms {
            let value = counters.product(&term.counter)?;
            let (low, high) = term.range;
            let factor = (value / high).max(low / value);
            let is_further = furthest.as_ref().is_none_or(|(_, known)| factor > *known);
            if value > 0.0 && factor > 1.0 && factor.is_finite() && is_further {
                furthest = Some((term.counter.clone(), factor));
            }
        }
        furthest
    }

    /// Returns whether the 90 % quantile of the residual on held-out questions is at most [`CONFIDENT`].
    pub fn is_confident(&self) -> bool {
        self.tested > 0 && self.misses.residual.p90 <= CONFIDENT
    }
}

/// The three sums of a cost, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SumKind {
    Work,
    Misses,
    Memory,
}

/// One line of `costs.csv`: a term, or a sum without terms. The workshop writes it.
#[derive(Debug, Deserialize)]
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
    fn row_mut(&mut self, kind: SumKind) -> &mut CostSum {
        match kind {
            SumKind::Work => &mut self.work,
            SumKind::Misses => &mut self.misses,
            SumKind::Memory => &mut self.memory,
        }
    }
}

/// Reads `costs.csv`; `file` is its name in errors. The lines of one variant on one console must be consecutive.
///
/// # Errors
/// Names the file, the line and the expected content.
pub fn read(file: &str, text: &str) -> Result<Vec<CounterCost>> {
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
                let message = "the lines of a variant on a console stand together";
                return Err(ReportError::row(file, number, message));
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
