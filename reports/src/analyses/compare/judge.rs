//! The two tests of a table row.
//!
//! *On these instances*: do B's samples differ from A's on the measured questions? The repeats of each question are the
//! sample. *On instances like these*: would they differ on other instances of the same kind? The instances are the
//! sample, and each counts once.

use std::collections::BTreeMap;

use ikeru_core::Better;

use super::join::{ComparedRow, Pair};
use super::terms::CompareTerms;
use crate::statistics::contrast::Contrast;
use crate::statistics::decision::{Decision, LEVEL};
use crate::statistics::stratified::{
    Stratum, common_difference, least_p, swapped, upper_end, van_elteren,
};
use crate::statistics::{Bound, Estimate, Interval, mean};
use crate::units::number;

/// The largest error of a ratio that was computed from logarithms.
const ROUNDING: f64 = 1e-9;

/// The ratio of a row and the results of its tests.
pub(super) struct JudgedRow {
    /// B ÷ A: the geometric mean over the instances of the ratios of medians. Where values are compared by difference,
    /// 1 plus the mean difference divided by [`level`](Self::level).
    pub(super) ratio: Option<Estimate>,
    /// The absolute mean of A's medians (1 if it is 0) where values are compared by difference: scores, measures, and
    /// counters of which some are 0.
    pub(super) level: Option<f64>,
    /// True if the decision needs no test: no value scatters, and all effects have one sign.
    pub(super) is_fact: bool,
    /// The test on these instances.
    pub(super) here: Contrast,
    /// The test whether B is worse than A by more than the bound, on these instances.
    pub(super) worse: Contrast,
    /// The test on instances like these.
    pub(super) alike: Contrast,
    /// The placebo that differs, in words; nothing is decided then.
    pub(super) disturbed: Option<String>,
    /// The number of instances with a ratio or a difference.
    pub(super) instances: usize,
}

/// Judges every row, and applies Holm's correction to the p values of each test.
pub(super) fn judged(table: &[ComparedRow], terms: &CompareTerms) -> Vec<JudgedRow> {
    let mut judged: Vec<JudgedRow> = table.iter().map(|row| judge(row, terms)).collect();
    Contrast::correct(judged.iter_mut().map(|row| &mut row.here).collect());
    Contrast::correct(judged.iter_mut().map(|row| &mut row.worse).collect());
    Contrast::correct(judged.iter_mut().map(|row| &mut row.alike).collect());
    if let Some(why) = moved_placebo(table, &judged, terms) {
        let others = judged.iter_mut().zip(table);
        for (row, _) in others.filter(|(_, row)| !row.is_placebo()) {
            row.withhold(&why);
        }
    }
    judged
}

/// Describes a placebo row (same version and program on both sides) that is decided to be higher or lower: the machine
/// has changed. `None` for metrics other than times.
pub(super) fn moved_placebo(
    table: &[ComparedRow],
    judged: &[JudgedRow],
    terms: &CompareTerms,
) -> Option<String> {
    let mut placebos = table.iter().zip(judged).filter(|(row, judged)| {
        let decision = judged.decision_here(terms);
        row.is_placebo() && matches!(decision, Decision::Higher | Decision::Lower)
    });
    let (row, judged) = placebos.find(|_| terms.metric.is_time())?;
    let (variant, place, moved) = (&row.variant, &row.place, number(judged.ratio?.value));
    Some(format!(
        "{variant} on {place} has the same version and program on both sides, and B took {moved}× the time of A"
    ))
}

fn judge(row: &ComparedRow, terms: &CompareTerms) -> JudgedRow {
    let level = level(row, terms);
    let by_instance = by_instance(row, level.is_some());
    let ratio = mean_of(&by_instance).map(|mean| mean.map(|mean| as_ratio(mean, level)));
    let is_fact = ratio.is_some() && is_fact(row, terms, level.is_some());
    let (here, worse) = match is_fact {
        true => (Contrast::NONE, Contrast::NONE),
        false => (on_these(row, level), worse(row, terms, level)),
    };
    JudgedRow {
        ratio,
        level,
        is_fact,
        here: widened(here, ratio, level),
        worse,
        alike: widened(alike(&by_instance, level), ratio, level),
        disturbed: None,
        instances: by_instance.len(),
    }
}

/// Widens the interval so that it contains `ratio`: the test estimates the ratio differently, and a bound leaves one end
/// open.
fn widened(answer: Contrast, ratio: Option<Estimate>, level: Option<f64>) -> Contrast {
    let least = level.map_or(0.0, |_| f64::NEG_INFINITY);
    let wide = |(interval, ratio): (Interval, Estimate)| {
        let [below, above] = ratio.bound.open_sides();
        let low = if below { least } else { ratio.value };
        let high = if above { f64::INFINITY } else { ratio.value };
        Interval {
            low: interval.low.min(low),
            high: interval.high.max(high),
        }
    };
    let interval = answer.interval.zip(ratio).map(wide);
    Contrast { interval, ..answer }
}

/// The absolute mean of A's medians, or 1 if it is 0; `None` where the sides are compared by ratio.
fn level(row: &ComparedRow, terms: &CompareTerms) -> Option<f64> {
    let is_positive = row.pairs.iter().all(|pair| pair.cut.is_positive());
    if is_positive && !terms.metric.is_by_difference() {
        return None;
    }
    let levels = row.pairs.iter().filter_map(|pair| pair.cut.level());
    let level = mean(&levels.collect::<Vec<_>>())?.abs();
    Some(if level > 0.0 { level } else { 1.0 })
}

/// Converts a mean logarithm, or a mean difference relative to `level`, to a ratio.
fn as_ratio(effect: f64, level: Option<f64>) -> f64 {
    level.map_or_else(|| effect.exp(), |level| 1.0 + effect / level)
}

/// The mean logarithm of each instance's ratios, or the mean of its differences.
fn by_instance(row: &ComparedRow, by_difference: bool) -> Vec<Estimate> {
    let mut effects: BTreeMap<&str, Vec<Estimate>> = BTreeMap::new();
    for pair in &row.pairs {
        if let Some(effect) = pair.cut.effect(by_difference) {
            effects.entry(&pair.hash).or_default().push(effect);
        }
    }
    effects.values().filter_map(|own| mean_of(own)).collect()
}

fn mean_of(logs: &[Estimate]) -> Option<Estimate> {
    let values: Vec<f64> = logs.iter().map(|log| log.value).collect();
    let bounds = logs.iter().map(|log| log.bound);
    let bound = bounds.fold(Bound::Exact, Bound::and);
    Some(Estimate::bounded(mean(&values)?, bound))
}

/// Returns whether the decision needs no test: the counters, scores or measures do not scatter, and all effects have
/// one sign.
fn is_fact(row: &ComparedRow, terms: &CompareTerms, by_difference: bool) -> bool {
    let is_fixed =
        |pair: &Pair| pair.is_deterministic && pair.cut.is_constant() && !pair.cut.is_cut();
    let all = |is: fn(f64) -> bool| {
        let mut effects = row.pairs.iter().map(|pair| pair.cut.effect(by_difference));
        effects.all(|effect| effect.is_some_and(|effect| is(effect.value)))
    };
    !terms.metric.is_time()
        && row.pairs.iter().all(is_fixed)
        && (all(|effect| effect >= 0.0) || all(|effect| effect <= 0.0))
}

fn strata(row: &ComparedRow, of: impl Fn(&Pair) -> Stratum) -> Vec<Stratum> {
    row.pairs.iter().map(of).collect()
}

/// Tests whether the samples differ on the same questions. The interval of the ratio spans the nearest and the furthest
/// possible values of samples that were cut; a difference of cut samples has no interval.
fn on_these(row: &ComparedRow, level: Option<f64>) -> Contrast {
    let values = strata(row, |pair| pair.cut.stratum());
    let contrast = Contrast::of_strata(&values);
    if level.is_some() {
        let is_cut = row.pairs.iter().any(|pair| pair.cut.is_cut());
        let ends = common_difference(&values).filter(|_| !is_cut);
        let interval = ends.map(|ends| ends.map(|end| as_ratio(end, level)));
        let ranges = values.iter().filter_map(Stratum::ends);
        let range = ranges.map(|(least, most)| most - least).fold(0.0, f64::max);
        return Contrast {
            interval,
            spread: as_ratio(range, level),
            ..contrast
        };
    }
    if contrast.interval.is_none() || row.pairs.iter().all(|pair| !pair.cut.is_cut()) {
        return contrast;
    }
    let low = upper_end(&strata(row, |pair| swapped(&pair.cut.nearest()))).map(|end| 1.0 / end);
    let high = upper_end(&strata(row, |pair| pair.cut.furthest()));
    let interval = low.zip(high).map(|(low, high)| Interval { low, high });
    Contrast {
        interval,
        ..contrast
    }
}

/// Tests whether B is worse by more than the bound: the same test, with the higher side divided by 1 + bound, or
/// lowered by that part of A's level.
fn worse(row: &ComparedRow, terms: &CompareTerms, level: Option<f64>) -> Contrast {
    let within = |value: &f64| match level {
        None => value / (1.0 + terms.bound),
        Some(level) => value - terms.bound * level,
    };
    // `high` has the lowest possible values of the higher side, `low` the highest possible values of the other side.
    let shifted = |high: &[f64], low: &[f64]| Stratum {
        a: low.to_vec(),
        b: high.iter().map(within).collect(),
    };
    let strata = match terms.better {
        Better::Neither => return Contrast::NONE,
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
        p: Some(test.map_or(1.0, |test| if test.statistic > 0.0 { test.p } else { 1.0 })),
        least: least_p(row.pairs.iter().map(|pair| pair.cut.sizes())),
        ..Contrast::NONE
    }
}

/// Tests whether the ratios of the instances differ from 1, or their differences from 0.
fn alike(effects: &[Estimate], level: Option<f64>) -> Contrast {
    let values = effects.iter().map(|effect| effect.value);
    // The test expects logarithms: differences are divided by the largest one.
    let largest = values.clone().map(f64::abs).fold(0.0, f64::max);
    let is_scaled = level.is_some() && largest > 0.0;
    let unit = if is_scaled { largest } else { 1.0 };
    let parts = values.map(|value| value / unit);
    let contrast = Contrast::of_pairs(&parts.collect::<Vec<_>>());
    let bounds = effects.iter().map(|effect| effect.bound);
    let [below, above] = bounds.fold(Bound::Exact, Bound::and).open_sides();
    let of = |is_open: bool, end: f64, beyond: f64| match level {
        _ if is_open => as_ratio(beyond, level),
        None => end,
        Some(_) => as_ratio(end.ln() * unit, level),
    };
    let opened = |ends: Interval| Interval {
        low: of(below, ends.low, f64::NEG_INFINITY),
        high: of(above, ends.high, f64::INFINITY),
    };
    let interval = contrast.interval.map(opened);
    Contrast {
        interval,
        spread: as_ratio(largest, level),
        ..contrast
    }
}

impl JudgedRow {
    /// Withholds all decisions, because a placebo differs.
    fn withhold(&mut self, why: &str) {
        self.disturbed = Some(why.to_owned());
        self.is_fact = false;
        [self.here, self.worse, self.alike] = [Contrast::NONE; 3];
    }

    /// The decision on these instances.
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

    /// The decision on instances like these.
    pub(super) fn decision_alike(&self, terms: &CompareTerms) -> Decision {
        self.decided(self.alike, terms)
    }

    fn decided(&self, answer: Contrast, terms: &CompareTerms) -> Decision {
        let decision = |ratio| answer.decision(ratio, terms.bound);
        self.ratio.map_or(Decision::Open, decision)
    }

    /// Returns whether B is decided to be worse than A on these instances by more than the bound.
    pub(super) fn is_regression(&self, terms: &CompareTerms) -> bool {
        let worst = match terms.better {
            Better::Lower => Decision::Higher,
            Better::Higher => Decision::Lower,
            Better::Neither => return false,
        };
        // The bound of a difference is a part of A's level, as in the test.
        let is_beyond = |ratio: f64| match (self.level, ratio < 1.0) {
            (None, true) => 1.0 / ratio > 1.0 + terms.bound + ROUNDING,
            _ => (ratio - 1.0).abs() > terms.bound + ROUNDING,
        };
        self.decision_here(terms) == worst
            && match self.ratio {
                Some(ratio) if self.is_fact => is_beyond(ratio.value),
                _ => self.worse.p.is_some_and(|p| p < LEVEL),
            }
    }

    /// Returns whether samples of this size can be decided to be a regression at all.
    pub(super) fn could_regress(&self) -> bool {
        self.is_fact || (self.ratio.is_some() && self.worse.p.is_some() && self.worse.least < LEVEL)
    }
}

/// The smallest number of samples per side and question with which one of `rows` tests of `questions` questions can be
/// decided; `None` if it is above 1,000.
pub(super) fn repeats_needed(questions: usize, rows: usize) -> Option<usize> {
    let least = |repeats: usize| least_p(vec![(repeats, repeats); questions]) * rows as f64;
    (1..=1_000).find(|repeats| least(*repeats) < LEVEL)
}
