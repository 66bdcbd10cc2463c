//! Published figures beside ours.

use ikeru_bench_data::published::{FixedVerdict, Ours};
use ikeru_bench_data::{Figure, PublishedSource};

use crate::error::ReportError;
use crate::rows::Rows;
use crate::statistics::interval::ratio_of_medians;
use crate::statistics::sample::Sample;
use crate::statistics::{Bound, Estimate, Interval, Statistic};

/// What our measurement says of a published figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Our interval meets the value within the tolerance.
    Reproduced,
    /// It does not.
    Differs,
    /// The article contradicts itself.
    Erratum,
    /// Another machine, another input, or nothing that can be rerun.
    NotComparable,
    /// No row of this run answers it.
    NotMeasured,
}

impl Verdict {
    /// The verdict in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Differs => "differs",
            Self::Erratum => "erratum in the article",
            Self::NotComparable => "not comparable",
            Self::NotMeasured => "not measured in this run",
        }
    }

    /// So many verdicts in few words: `2 differ`.
    #[must_use]
    pub fn counted(self, count: usize) -> String {
        let word = match (self, count) {
            (Self::Differs, 2..) => "differ",
            (Self::Erratum, 1) => "erratum",
            (Self::Erratum, _) => "errata",
            (Self::NotMeasured, _) => "not measured",
            _ => self.name(),
        };
        format!("{count} {word}")
    }
}

/// A published figure, ours, and the verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged<'a> {
    /// Where the figure was printed.
    pub source: &'a PublishedSource,
    /// The figure.
    pub figure: &'a Figure,
    /// Ours in the published unit, where this run measured it.
    pub ours: Option<Estimate>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, wherever the verdict is not "reproduced"; may be empty.
    pub reason: &'a str,
}

/// Relative distance within which a figure is reproduced, if it says none.
const TOLERANCE: f64 = 0.1;

/// Judges one figure by the rows of a run.
///
/// # Errors
/// A figure that names an unknown statistic or an impossible range.
pub fn judge<'a>(
    rows: &Rows,
    source: &'a PublishedSource,
    figure: &'a Figure,
) -> Result<Judged<'a>, ReportError> {
    let ours = match &figure.ours {
        Some(ours) => measure(rows, ours)?,
        None => None,
    };
    let verdict = verdict(figure, ours);
    let reason = match verdict {
        Verdict::Reproduced => "",
        _ => figure.reason.as_str(),
    };
    Ok(Judged {
        source,
        figure,
        ours,
        verdict,
        reason,
    })
}

fn verdict(figure: &Figure, ours: Option<Estimate>) -> Verdict {
    match (figure.verdict, figure.value, ours) {
        (Some(FixedVerdict::Erratum), ..) => Verdict::Erratum,
        (Some(FixedVerdict::NotComparable), ..) => Verdict::NotComparable,
        (None, Some(value), Some(ours)) if meets(ours, value, figure.tolerance) => {
            Verdict::Reproduced
        }
        (None, Some(_), Some(_)) => Verdict::Differs,
        (None, ..) if figure.ours.is_some() => Verdict::NotMeasured,
        (None, ..) => Verdict::NotComparable,
    }
}

/// Whether the interval meets the value within the tolerance. A lower bound only shows that a
/// smaller value differs; it reproduces nothing.
fn meets(ours: Estimate, value: f64, tolerance: Option<f64>) -> bool {
    let reach = value.abs() * tolerance.unwrap_or(TOLERANCE);
    let rounding = 1e-9 * value.abs();
    let Interval { low, high } = ours.interval.unwrap_or(Interval::around(ours.value, 0.0));
    let meets = low <= value + reach + rounding && high >= value - reach - rounding;
    ours.bound == Bound::Exact && meets
}

/// Our figure in the published unit; `None` where the run has no row for it.
fn measure(rows: &Rows, ours: &Ours) -> Result<Option<Estimate>, ReportError> {
    let statistic: Statistic = ours.statistic.parse()?;
    let of_experiment = rows.with("experiment", &ours.experiment);
    let selection = rows.narrow(&of_experiment, &ours.only)?;
    let value = match &ours.relative_to {
        None => statistic.of(rows, &ours.column, &selection),
        Some(only) => {
            let other = rows.narrow(&of_experiment, only)?;
            ratio(rows, statistic, &ours.column, &selection, &other)
        }
    };
    Ok(value.map(|value| value.scaled(1.0 / ours.divide_by.unwrap_or(1.0))))
}

fn ratio(
    rows: &Rows,
    statistic: Statistic,
    column: &str,
    above: &[u32],
    below: &[u32],
) -> Option<Estimate> {
    let (whole, part) = (
        statistic.of(rows, column, above)?,
        statistic.of(rows, column, below)?,
    );
    let bound = whole.bound.over(part.bound);
    let ratio = if statistic == Statistic::Median {
        let sample = |rows_of| Sample::of(rows, column, rows_of).values;
        ratio_of_medians(&sample(above), &sample(below))?
    } else if part.value != 0.0 {
        let ends = whole.interval.zip(part.interval);
        let ends = ends.filter(|(whole, part)| part.low > 0.0 && whole.low >= 0.0);
        Estimate {
            interval: ends.map(|(whole, part)| Interval {
                low: whole.low / part.high,
                high: whole.high / part.low,
            }),
            ..Estimate::plain(whole.value / part.value)
        }
    } else {
        return None;
    };
    Some(Estimate { bound, ..ratio })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::rows;

    fn judged(figure: &str) -> Verdict {
        let rows = rows(
            "schema,experiment,label,outcome,wall_ns\n\
             1,e,a,solved,1000000\n1,e,b,solved,2000000\n1,other,a,solved,7\n1,e,c,timeout,9000000\n",
        );
        let text = format!(
            "source='s'\nreference='r'\n[[figures]]\nid='s/x'\nplace='p'\nclaim='c'\n{figure}"
        );
        let source = PublishedSource::read("s.toml", &text).expect("a source");
        judge(&rows, &source, &source.figures[0])
            .expect("a good figure")
            .verdict
    }

    #[test]
    fn the_interval_decides_within_the_tolerance() {
        let ours = "ours = { experiment='e', where={label='a'}, divide_by=1e6";
        assert_eq!(
            judged(&format!("value=1.05\n{ours} }}")),
            Verdict::Reproduced
        );
        assert_eq!(judged(&format!("value=1.2\n{ours} }}")), Verdict::Differs);
        assert_eq!(
            judged(&format!("value=1.2\nverdict='erratum'\n{ours} }}")),
            Verdict::Erratum
        );
        assert_eq!(
            judged("value=2\nours={experiment='e',where={label='b'},relative_to={label='a'}}"),
            Verdict::Reproduced
        );
        assert_eq!(
            judged("value=9\nours={experiment='e',where={label='c'},divide_by=1e6}"),
            Verdict::Differs
        );
        assert_eq!(
            judged("value=2\nours={experiment='gone'}"),
            Verdict::NotMeasured
        );
        assert_eq!(judged("value=2"), Verdict::NotComparable);
    }
}
