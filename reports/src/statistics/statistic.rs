//! The statistics that tables, plots and published figures name, over rows.
//!
//! A run that stopped at its limit counts with the value that it had then, which the true value is
//! not below; a statistic that such rows decide is flagged as a lower bound. Rows that are wrong,
//! crashed, out of memory or skipped have no value.

use std::str::FromStr;

use super::bootstrap::{bootstrap_mean, bootstrap_median, normal_quantile};
use super::{Interval, median};
use crate::error::ReportError;
use crate::rows::Rows;

/// One number of many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statistic {
    /// The median with its bootstrap interval.
    Median,
    /// The mean with its bootstrap interval.
    Mean,
    /// The smallest value.
    Minimum,
    /// The largest value.
    Maximum,
    /// The sum.
    Sum,
    /// The share of solved rows among those that ran, with Wilson's interval.
    Solved,
    /// The share of values above a limit, with Wilson's interval.
    Over(f64),
}

impl FromStr for Statistic {
    type Err = ReportError;

    fn from_str(text: &str) -> Result<Self, ReportError> {
        let over = text
            .strip_prefix("over:")
            .and_then(|limit| limit.parse().ok());
        match (text, over) {
            ("median", _) => Ok(Self::Median),
            ("mean", _) => Ok(Self::Mean),
            ("minimum", _) => Ok(Self::Minimum),
            ("maximum", _) => Ok(Self::Maximum),
            ("sum", _) => Ok(Self::Sum),
            ("solved", _) => Ok(Self::Solved),
            (_, Some(limit)) => Ok(Self::Over(limit)),
            _ => Err(ReportError::Question(format!(
                "`{text}` is no statistic; expected median, mean, minimum, maximum, sum, solved or over:NUMBER"
            ))),
        }
    }
}

/// The values of rows that ended or were stopped.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// Values of solved and stopped rows.
    pub values: Vec<f64>,
    /// The smallest value of a stopped row.
    pub stopped_at: Option<f64>,
}

impl Sample {
    /// The values of `column`: one per solved or stopped row that has one.
    #[must_use]
    pub fn of(rows: &Rows, column: &str, selection: &[u32]) -> Self {
        let mut sample = Self::default();
        for &row in selection {
            let stopped = match rows.text("outcome", row) {
                "solved" => false,
                "timeout" => true,
                _ => continue,
            };
            let Some(value) = rows.number(column, row) else {
                continue;
            };
            sample.values.push(value);
            if stopped {
                let least = sample.stopped_at.unwrap_or(f64::INFINITY);
                sample.stopped_at = Some(least.min(value));
            }
        }
        sample
    }

    /// Whether stopped rows decide a median.
    #[must_use]
    pub fn median_is_bound(&self) -> bool {
        let median = median(&self.values);
        self.stopped_at
            .zip(median)
            .is_some_and(|(stopped, median)| median >= stopped)
    }
}

impl Statistic {
    /// The statistic of `column` over `selection`; `None` where no row has a value.
    #[must_use]
    pub fn of(self, rows: &Rows, column: &str, selection: &[u32]) -> Option<Interval> {
        if self == Self::Solved {
            let ran = selection
                .iter()
                .filter(|row| !matches!(rows.text("outcome", **row), "skipped" | ""));
            let solved = ran
                .clone()
                .filter(|row| rows.text("outcome", **row) == "solved");
            return share(solved.count(), ran.count());
        }
        let sample = Sample::of(rows, column, selection);
        let values = &sample.values;
        let mut interval = match self {
            Self::Median => bootstrap_median(values),
            Self::Mean => bootstrap_mean(values),
            Self::Minimum => values.iter().copied().reduce(f64::min).map(Interval::exact),
            Self::Maximum => values.iter().copied().reduce(f64::max).map(Interval::exact),
            Self::Sum => (!values.is_empty()).then(|| Interval::exact(values.iter().sum())),
            Self::Over(limit) => share(
                values.iter().filter(|value| **value > limit).count(),
                values.len(),
            ),
            Self::Solved => None,
        }?;
        interval.at_least = match self {
            Self::Median => sample.median_is_bound(),
            Self::Minimum => sample.stopped_at == Some(interval.mid),
            _ => sample.stopped_at.is_some(),
        };
        Some(interval)
    }
}

/// `part / whole` with Wilson's 95 % interval (1927).
fn share(part: usize, whole: usize) -> Option<Interval> {
    if whole == 0 {
        return None;
    }
    let (n, share) = (whole as f64, part as f64 / whole as f64);
    let z = normal_quantile(0.975);
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    Some(Interval::new(
        (middle - half).clamp(0.0, share),
        share,
        (middle + half).clamp(share, 1.0),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::rows;

    const TEXT: &str = "schema,outcome,wall_ns\n1,solved,10\n1,timeout,60\n1,timeout,60\n1,skipped,\n1,crashed,5\n1,solved,20\n1,timeout,60\n";

    fn of(statistic: &str) -> Interval {
        let rows = rows(TEXT);
        let statistic: Statistic = statistic.parse().expect("a statistic");
        statistic.of(&rows, "wall_ns", &rows.all()).expect("values")
    }

    #[test]
    fn stopped_runs_count_at_their_limit_and_are_flagged() {
        assert_eq!((of("median").mid, of("median").at_least), (60.0, true));
        assert_eq!((of("minimum").mid, of("minimum").at_least), (10.0, false));
        assert_eq!((of("sum").mid, of("sum").at_least), (210.0, true));
        assert_eq!(of("over:15").mid, 0.8);
    }

    #[test]
    fn a_share_has_wilsons_interval() {
        let solved = of("solved");
        assert_eq!(solved.mid, 2.0 / 6.0);
        // Wilson's interval of 2 of 6, by R's binom::binom.confint.
        assert!(
            (solved.low - 0.0968).abs() < 1e-3 && (solved.high - 0.7000).abs() < 1e-3,
            "{solved:?}"
        );
        assert!("middle".parse::<Statistic>().is_err());
    }
}
