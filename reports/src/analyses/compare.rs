//! Two runs, or two variants, side by side: what became faster, slower, or stayed as it was.
//!
//! Cells are joined on what both sides know of them: instance, question, how the machine is shared,
//! and the label where whole runs are compared. Questions of one instance's name stand in one row and
//! are tested as pairs where there are enough of them; otherwise each stands in a row of its own and
//! its samples are tested.

mod join;
mod sides;

use ikeru_core::Direction;

use super::{Finding, short};
use crate::error::ReportError;
use crate::metric::Metric;
use crate::statistics::decision::{Decision, LEVEL, decide};
use crate::statistics::hypothesis::{holm, mann_whitney, wilcoxon};
use crate::statistics::{Interval, bootstrap_geometric_mean, bootstrap_ratio_of_medians, median};
use crate::units;
use join::{Pair, Row, rows_of_table};
pub use sides::Side;

/// Fewer pairs than this cannot be told apart by ranks: 2 of the 2⁵ signs of five are above 0.05.
const PAIRS: usize = 6;

/// How two sides are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// What is compared.
    pub metric: Metric,
    /// Ratios this near to 1 make no difference: 0.05 for 5 %.
    pub bound: f64,
    /// Whether sides that may not be compared are compared nevertheless, and labelled.
    pub force: bool,
    /// Which way a score is better.
    pub direction: Direction,
}

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The table.
    pub finding: Finding,
    /// Rows in which B is decided to be worse by more than the bound, and what it solves no more.
    pub regressions: Vec<String>,
}

/// Compares B with A.
///
/// # Errors
/// Sides that may not be compared (unless forced), an unknown variant, or nothing in common.
pub fn compare(a: &Side, b: &Side, terms: &Terms) -> Result<Comparison, ReportError> {
    let caveats = sides::check(a, b, terms)?;
    let joined = join::join(a, b, terms)?;
    let table = rows_of_table(joined.pairs);
    let judged: Vec<Judged> = table.iter().map(|row| judge(row, &terms.metric)).collect();
    let p: Vec<f64> = judged.iter().filter_map(|row| row.test?.1).collect();
    let mut corrected = holm(&p).into_iter();
    let mut finding = Finding::with_header(&[
        "variant",
        "instance",
        "n",
        "A",
        "B",
        "B ÷ A",
        "95 % interval",
        "test",
        "p (Holm)",
        "decision",
    ]);
    let mut regressions = joined.lost.clone();
    for (row, judged) in table.iter().zip(&judged) {
        let p = judged
            .test
            .and_then(|(_, p)| p)
            .and_then(|_| corrected.next());
        let (decision, regressed) = decided(judged, p, terms);
        if regressed {
            regressions.push(format!("{} on {}", row.variant, row.place));
        }
        finding
            .rows
            .push(fields(row, judged, p, decision, &terms.metric));
    }
    finding.title = format!("{}: B against A", terms.metric.word());
    finding.paragraphs = vec![format!("A is {}, B is {}.", a.name, b.name)];
    finding.paragraphs.extend(explanation(&table, terms));
    finding
        .paragraphs
        .extend(caveats.into_iter().chain(joined.caveats));
    finding.paragraphs.extend(losses(&joined.lost));
    Ok(Comparison {
        finding,
        regressions,
    })
}

/// A row's ratio and test.
struct Judged {
    ratio: Option<Interval>,
    /// The test's name and its p; no p where nothing scatters and none is needed. `None` where
    /// nothing can be tested.
    test: Option<(&'static str, Option<f64>)>,
}

fn judge(row: &Row, metric: &Metric) -> Judged {
    let medians: Vec<(f64, f64)> = row.pairs.iter().filter_map(Pair::medians).collect();
    let ratios: Option<Vec<f64>> = medians.iter().map(|(a, b)| ratio(*a, *b)).collect();
    let one_way = |ratios: &Vec<f64>| {
        ratios.iter().all(|ratio| *ratio >= 1.0) || ratios.iter().all(|ratio| *ratio <= 1.0)
    };
    let exact = !metric.is_time()
        && row.pairs.iter().all(Pair::is_constant)
        && ratios.as_ref().is_some_and(one_way);
    if row.pairs.len() == 1 {
        let pair = &row.pairs[0];
        let test = || Some(("Mann–Whitney", Some(mann_whitney(&pair.a, &pair.b)?.p)));
        let ratio = if exact {
            ratios
                .and_then(|ratios| ratios.first().copied())
                .map(Interval::exact)
        } else {
            bootstrap_ratio_of_medians(&pair.b, &pair.a)
        };
        return Judged {
            ratio: pair.flagged(ratio),
            test: if exact { Some(("exact", None)) } else { test() },
        };
    }
    let ratio = ratios.and_then(|ratios| bootstrap_geometric_mean(&ratios));
    // Differences of logarithms, so that a large instance weighs as much as a small one.
    let logs: Vec<(f64, f64)> = medians
        .iter()
        .filter(|(a, b)| *a > 0.0 && *b > 0.0)
        .map(|(a, b)| (a.ln(), b.ln()))
        .collect();
    let test = || Some(("Wilcoxon", Some(wilcoxon(&logs)?.p)));
    Judged {
        ratio: ratio.map(|ratio| Interval {
            at_least: row
                .pairs
                .iter()
                .any(|pair| pair.stopped.0 || pair.stopped.1),
            ..ratio
        }),
        test: if exact { Some(("exact", None)) } else { test() },
    }
}

/// B ÷ A; equal values have the ratio 1, even 0 and 0. `None` where it says nothing.
fn ratio(a: f64, b: f64) -> Option<f64> {
    if a == b {
        Some(1.0)
    } else {
        (a > 0.0 && b > 0.0).then(|| b / a)
    }
}

/// The decision's word, and whether it is a regression beyond the bound.
fn decided(judged: &Judged, p: Option<f64>, terms: &Terms) -> (String, bool) {
    let (Some(ratio), Some((_, raw))) = (judged.ratio, judged.test) else {
        let same = judged
            .ratio
            .is_some_and(|ratio| ratio == Interval::exact(1.0));
        return (if same { "same" } else { "cannot tell" }.to_owned(), false);
    };
    let decision = decide(ratio, raw.and(p), terms.bound);
    let (below, above) = terms.metric.words(terms.direction);
    let less_is_better = terms.metric.less_is_better(terms.direction);
    let worse = match decision {
        Decision::Higher => less_is_better && ratio.low > 1.0 + terms.bound,
        Decision::Lower => !less_is_better && ratio.high < 1.0 - terms.bound,
        Decision::Same | Decision::Open => false,
    };
    let word = match decision {
        Decision::Lower => below.to_owned(),
        Decision::Higher => above.to_owned(),
        Decision::Same if ratio == Interval::exact(1.0) => "same".to_owned(),
        Decision::Same => format!("same within {}", percent(terms.bound)),
        Decision::Open => "cannot tell".to_owned(),
    };
    let word = if worse {
        format!("{word} by more than {}", percent(terms.bound))
    } else {
        word
    };
    (word, worse)
}

fn fields(
    row: &Row,
    judged: &Judged,
    p: Option<f64>,
    decision: String,
    metric: &Metric,
) -> Vec<String> {
    let n = match row.pairs.as_slice() {
        [one] => format!("{} and {}", one.a.len(), one.b.len()),
        pairs => format!("{} pairs", pairs.len()),
    };
    let of = |part: fn(&Pair) -> &[f64]| {
        let medians = row.pairs.iter().filter_map(|pair| median(part(pair)));
        let medians: Vec<f64> = medians.collect();
        // One median as it is, also where it is not positive; of several the geometric mean, whose
        // ratio is the table's.
        let middle = match medians.as_slice() {
            [one] => Some(*one),
            several => bootstrap_geometric_mean(several).map(|mean| mean.mid),
        };
        middle.map_or("–".to_owned(), |value| metric.form(value))
    };
    let sign = if judged.ratio.is_some_and(|ratio| ratio.at_least) {
        "≈"
    } else {
        ""
    };
    let (ratio, interval) = judged
        .ratio
        .map_or(("–".to_owned(), "–".to_owned()), |ratio| {
            (
                format!("{sign}{}", short(ratio.mid)),
                format!("{} … {}", short(ratio.low), short(ratio.high)),
            )
        });
    let test = judged.test.map_or("–", |(name, _)| name).to_owned();
    vec![
        row.variant.clone(),
        row.place.clone(),
        n,
        of(|pair| &pair.a),
        of(|pair| &pair.b),
        ratio,
        interval,
        test,
        p.map_or("–".to_owned(), short),
        decision,
    ]
}

fn explanation(table: &[Row], terms: &Terms) -> Vec<String> {
    let mut said = vec![format!(
        "A decision needs an interval of the ratio that leaves 1 out and a p below {LEVEL}, corrected by Holm for all tests of the table; \"same\" needs the whole interval within {} of 1.",
        percent(terms.bound)
    )];
    if table.iter().any(|row| row.pairs.len() > 1) {
        said.push("Pairs are the medians of one question on both sides, A and B their geometric means; Wilcoxon's signed-rank test compares their logarithms, the interval is a bootstrap over the pairs.".to_owned());
    }
    let pairs = || table.iter().flat_map(|row| &row.pairs);
    if pairs().any(|pair| pair.stopped.0 || pair.stopped.1) {
        said.push(
            "≈: samples stopped at their limit count with it, so the true ratio lies further out."
                .to_owned(),
        );
    }
    said
}

/// Most lost questions that are named.
const NAMED: usize = 5;

/// What A solved and B does not.
fn losses(lost: &[String]) -> Option<String> {
    let named: Vec<&str> = lost.iter().take(NAMED).map(String::as_str).collect();
    let more = match lost.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    (!lost.is_empty()).then(|| format!("B lost answers: {}{more}.", named.join("; ")))
}

/// `5 %`.
fn percent(share: f64) -> String {
    format!("{} %", units::number((share * 1e4).round() / 100.0))
}

#[cfg(test)]
mod tests;
