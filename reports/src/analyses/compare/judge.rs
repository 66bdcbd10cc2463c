//! Two questions to a row of the table, each with its own answer.
//!
//! *On these instances*: do B's samples differ from A's on the very questions that were asked? The
//! repeats of each question decide. *On instances like these*: would they differ on others of the
//! kind? The instances are the sample, and each counts once.

use std::collections::BTreeMap;

use ikeru_core::Better;

use super::CompareTerms;
use super::join::{ComparedRow, Pair};
use super::state::disturbance;
use crate::statistics::contrast::Contrast;
use crate::statistics::decision::{Decision, LEVEL};
use crate::statistics::stratified::{Stratum, least_p, swapped, upper_end, van_elteren};
use crate::statistics::{Bound, Estimate, Interval, mean};

/// A row's ratio and both answers.
pub(super) struct JudgedRow {
    /// B ÷ A: the geometric mean over the instances of the ratios of medians.
    pub(super) ratio: Option<Estimate>,
    /// Whether it is known without a test: nothing scatters, and all of it moved one way.
    pub(super) is_fact: bool,
    /// On these instances.
    pub(super) here: Contrast,
    /// That B is worse than A by more than the bound, on these instances.
    pub(super) worse: Contrast,
    /// On instances like these.
    pub(super) alike: Contrast,
    /// What makes the machine of one side another, so that nothing is decided.
    pub(super) disturbed: Option<String>,
    /// How many instances there are.
    pub(super) instances: usize,
}

/// Judges every row, and corrects the p values of each question by Holm.
pub(super) fn judged(table: &[ComparedRow], terms: &CompareTerms) -> Vec<JudgedRow> {
    let mut judged: Vec<JudgedRow> = table.iter().map(|row| judge(row, terms)).collect();
    Contrast::correct(judged.iter_mut().map(|row| &mut row.here).collect());
    Contrast::correct(judged.iter_mut().map(|row| &mut row.worse).collect());
    Contrast::correct(judged.iter_mut().map(|row| &mut row.alike).collect());
    judged
}

fn judge(row: &ComparedRow, terms: &CompareTerms) -> JudgedRow {
    let by_instance = by_instance(row);
    let ratio = geometric_mean(&by_instance);
    let is_fact = ratio.is_some() && is_fact(row, terms);
    let disturbed = disturbance(row, terms);
    let (here, worse) = if row.is_independent || is_fact || disturbed.is_some() {
        (Contrast::NONE, Contrast::NONE)
    } else {
        (on_these(row), worse(row, terms))
    };
    JudgedRow {
        ratio,
        is_fact,
        here: widened(here, ratio),
        worse,
        alike: if disturbed.is_some() {
            Contrast::NONE
        } else if row.is_independent {
            // Each side's medians are independent samples of instances.
            on_these(row)
        } else {
            widened(alike(&by_instance), ratio)
        },
        disturbed,
        instances: if row.is_independent {
            0
        } else {
            by_instance.len()
        },
    }
}

/// The answer with an interval that holds the ratio: the test's own estimate of it is another one.
fn widened(answer: Contrast, ratio: Option<Estimate>) -> Contrast {
    let wide = |interval: Interval, ratio: Estimate| Interval {
        low: interval.low.min(ratio.value),
        high: interval.high.max(ratio.value),
    };
    Contrast {
        interval: answer
            .interval
            .zip(ratio)
            .map(|(interval, ratio)| wide(interval, ratio)),
        ..answer
    }
}

/// The mean logarithm of each instance's ratios.
fn by_instance(row: &ComparedRow) -> Vec<Estimate> {
    let mut logs: BTreeMap<&str, Vec<Estimate>> = BTreeMap::new();
    for pair in &row.pairs {
        if let Some(ratio) = pair.cut.ratio() {
            logs.entry(&pair.hash).or_default().push(ratio.map(f64::ln));
        }
    }
    logs.values().filter_map(|logs| mean_of(logs)).collect()
}

fn mean_of(logs: &[Estimate]) -> Option<Estimate> {
    let values: Vec<f64> = logs.iter().map(|log| log.value).collect();
    Some(Estimate {
        bound: logs
            .iter()
            .fold(Bound::Exact, |bound, log| bound.and(log.bound)),
        ..Estimate::plain(mean(&values)?)
    })
}

fn geometric_mean(logs: &[Estimate]) -> Option<Estimate> {
    mean_of(logs).map(|mean| mean.map(f64::exp))
}

/// Whether nothing scatters, and what moved moved one way: counters, scores and measures of variants
/// that do the same each time.
fn is_fact(row: &ComparedRow, terms: &CompareTerms) -> bool {
    let is_fixed =
        |pair: &Pair| pair.is_deterministic && pair.cut.is_constant() && !pair.cut.is_cut();
    let ratios = || row.pairs.iter().map(|pair| pair.cut.ratio());
    let all =
        |is: fn(f64) -> bool| ratios().all(|ratio| ratio.is_some_and(|ratio| is(ratio.value)));
    !terms.metric.is_time()
        && !row.is_independent
        && row.pairs.iter().all(is_fixed)
        && (all(|ratio| ratio >= 1.0) || all(|ratio| ratio <= 1.0))
}

fn sizes(row: &ComparedRow) -> impl Iterator<Item = (usize, usize)> + '_ {
    row.pairs.iter().map(|pair| pair.cut.sizes())
}

fn strata(row: &ComparedRow, of: impl Fn(&Pair) -> Stratum) -> Vec<Stratum> {
    row.pairs.iter().map(of).collect()
}

/// Whether the samples differ on the same questions. Where samples were cut, the ends of the interval are those of the
/// furthest and the nearest values that they may have.
fn on_these(row: &ComparedRow) -> Contrast {
    let contrast = Contrast::of_strata(&strata(row, |pair| pair.cut.stratum()));
    if contrast.interval.is_none() || row.pairs.iter().all(|pair| !pair.cut.is_cut()) {
        return contrast;
    }
    let ends = || {
        Some(Interval {
            low: 1.0 / upper_end(&strata(row, |pair| swapped(&pair.cut.nearest())))?,
            high: upper_end(&strata(row, |pair| pair.cut.furthest()))?,
        })
    };
    Contrast {
        interval: ends(),
        ..contrast
    }
}

/// Whether B is worse by more than the bound: the same test, with the worse side divided by it.
fn worse(row: &ComparedRow, terms: &CompareTerms) -> Contrast {
    // The higher side first, as low as it may be; the other as high as it may be.
    let shifted = |high: &[f64], low: &[f64]| Stratum {
        a: low.to_vec(),
        b: high
            .iter()
            .map(|value| value / (1.0 + terms.bound))
            .collect(),
    };
    let is_positive = row.pairs.iter().all(|pair| pair.cut.is_positive());
    let strata = match terms.better {
        Better::Neither => return Contrast::NONE,
        _ if !is_positive => return Contrast::NONE,
        Better::Lower => strata(row, |pair| {
            let Stratum { a, b } = pair.cut.nearest();
            shifted(&b, &a)
        }),
        Better::Higher => strata(row, |pair| {
            let Stratum { a, b } = pair.cut.furthest();
            shifted(&a, &b)
        }),
    };
    let test = van_elteren(&strata);
    Contrast {
        interval: None,
        p: Some(test.map_or(1.0, |test| if test.statistic > 0.0 { test.p } else { 1.0 })),
        least: least_p(sizes(row)),
    }
}

/// Whether the instances' ratios differ from 1.
fn alike(logs: &[Estimate]) -> Contrast {
    let values: Vec<f64> = logs.iter().map(|log| log.value).collect();
    Contrast::of_pairs(&values)
}

impl JudgedRow {
    /// What the repeats say of these very instances.
    pub(super) fn decision_here(&self, terms: &CompareTerms) -> Decision {
        match self.ratio {
            Some(ratio) if self.is_fact => match ratio.value {
                value if value > 1.0 => Decision::Higher,
                value if value < 1.0 => Decision::Lower,
                _ => Decision::Same,
            },
            _ => self.decided(self.here, terms),
        }
    }

    /// What the instances say of others like them.
    pub(super) fn decision_alike(&self, terms: &CompareTerms) -> Decision {
        self.decided(self.alike, terms)
    }

    fn decided(&self, answer: Contrast, terms: &CompareTerms) -> Decision {
        let Some(ratio) = self.ratio else {
            return Decision::Open;
        };
        answer.decision(ratio, terms.bound)
    }

    /// Whether B is decided to be worse than A on these instances by more than the bound.
    pub(super) fn is_regression(&self, terms: &CompareTerms) -> bool {
        let worst = match terms.better {
            Better::Lower => Decision::Higher,
            Better::Higher => Decision::Lower,
            Better::Neither => return false,
        };
        let limit = 1.0 + terms.bound;
        self.decision_here(terms) == worst
            && match self.ratio {
                Some(ratio) if self.is_fact => ratio.value > limit || ratio.value < 1.0 / limit,
                _ => self.worse.p.is_some_and(|p| p < LEVEL),
            }
    }

    /// Whether some samples of this size would be decided to be a regression.
    pub(super) fn could_regress(&self) -> bool {
        self.is_fact || (self.worse.p.is_some() && self.worse.least < LEVEL)
    }
}

/// The fewest samples a side on each question with which one of `rows` tests of so many questions could
/// be decided; `None` if more than 1,000 would be needed.
pub(super) fn repeats_needed(questions: usize, rows: usize) -> Option<usize> {
    let least = |repeats: usize| least_p(vec![(repeats, repeats); questions]) * rows as f64;
    (1..=1_000).find(|repeats| least(*repeats) < LEVEL)
}
