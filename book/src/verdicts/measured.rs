//! Our measurement of a published figure: a statistic of rows, a ratio, sum or difference of two selections, a rate of
//! growth, or a modelled time on a console.

use std::collections::HashMap;

use ikeru_bench_data::published::{FigureKind, Filter, Growth, Ours};

use ikeru_bench_data::Pairing;
use ikeru_compare::comparison::ComparedScope;
use ikeru_consoles::Basis;
use ikeru_consoles::throughput::slowest;
use ikeru_records::Outcome;
use ikeru_records::Result;
use ikeru_records::rows::{Rows, TIME};
use ikeru_reports::analyses::elo;
use ikeru_reports::factor::Factor;
use ikeru_reports::sampled::{Statistic, StatisticKind, is_share, ran};
use ikeru_statistics::interval::{geometric_mean, t_mean};
use ikeru_statistics::regression::{exponential, power};
use ikeru_statistics::{Bound, Estimate, Interval, mean, median};

use crate::evidence::Evidence;

/// Our measurement of a figure, in the published unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The value with its interval, if there is one.
    pub estimate: Estimate,
    /// The smallest and the largest value of a row; for a ratio or a difference, of a pair.
    pub extent: Interval,
    /// The smallest and the largest value of a solved row; of a difference, on an instance whose rows are all solved. A
    /// ratio has none.
    pub solved: Option<Interval>,
    /// How the value is related to those of the rows or pairs.
    pub kind: StatisticKind,
    /// The sample size of the interval: the number of instances, or of the samples of a single instance.
    pub sampled: usize,
    /// The number of solved rows of the selection without a value, as a lost game has no last move. For a difference,
    /// the number of instances.
    pub without: usize,
    /// The sampling distribution of the value, in the unit of the rows; `None` for a modelled value or without a
    /// sample.
    pub evidence: Option<Evidence>,
    /// What the interval of a ratio speaks of.
    pub scope: Option<&'static str>,
    /// True if the interval is the error band of a model.
    pub is_modelled: bool,
    /// The number of failed rows, in words; empty if none failed.
    pub failed: String,
    unit: FigureUnit,
}

impl Measured {
    /// A value in the unit of the rows whose evidence is that of a mean; of logarithms if it is a ratio. The counts are
    /// `sampled` and `without`.
    fn of_mean(
        estimate: Estimate,
        extent: Interval,
        (sampled, without): (usize, usize),
        is_ratio: bool,
    ) -> Self {
        Self {
            estimate,
            extent,
            solved: None,
            kind: StatisticKind::Location,
            sampled,
            without,
            evidence: Evidence::of_mean(estimate, sampled, is_ratio),
            scope: None,
            is_modelled: false,
            failed: String::new(),
            unit: FigureUnit::ROWS,
        }
    }

    /// The probability of a value at least this high (or low) if the true value is `end`, in the published unit.
    pub(super) fn chance(&self, is_above: bool, end: f64) -> f64 {
        let Some(evidence) = &self.evidence else {
            return if end.is_finite() { 1.0 } else { 0.0 };
        };
        // What a failed row leaves open is no evidence.
        let [below, above] = self.estimate.bound.open_sides();
        let is_open = if is_above { below } else { above };
        match (end.is_finite(), is_above) {
            (false, _) => 0.0,
            _ if is_open => 1.0,
            (true, true) => evidence.chance_above(self.unit.as_rows(end)),
            (true, false) => evidence.chance_below(self.unit.as_rows(end)),
        }
    }

    /// The probability that all samples are on the observed side of `end` if both sides are equally likely; 1 if
    /// there are samples on both sides.
    pub(super) fn chance_of_signs(&self, end: f64) -> f64 {
        let is_open = match self.estimate.bound {
            Bound::Exact => false,
            Bound::AtLeast => self.extent.low < end,
            Bound::AtMost => self.extent.high > end,
            Bound::Either => true,
        };
        let is_one_side = self.extent.low >= end || self.extent.high <= end;
        if self.kind == StatisticKind::Location && is_one_side && !is_open {
            0.5_f64.powi(i32::try_from(self.sampled).unwrap_or(i32::MAX))
        } else {
            1.0
        }
    }
}

/// The unit of a published figure.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FigureUnit {
    /// The factor of the rows' values.
    scale: f64,
    is_elo: bool,
}

impl FigureUnit {
    const ROWS: Self = Self {
        scale: 1.0,
        is_elo: false,
    };

    fn of_rows(self, value: f64) -> f64 {
        if self.is_elo {
            return elo::difference(value * self.scale);
        }
        value * self.scale
    }

    fn as_rows(self, value: f64) -> f64 {
        if self.is_elo {
            return elo::share(value) / self.scale;
        }
        value / self.scale
    }
}

/// Our measurement of a figure in the published unit; `None` if the run has no rows for it.
///
/// # Errors
/// An unknown statistic or an impossible range.
pub fn measure(rows: &Rows, ours: &Ours) -> Result<Option<Measured>> {
    let of_experiment = rows.with("experiment", &ours.experiment);
    let selection = rows.narrow(&of_experiment, &ours.only)?;
    let other = |only: &Filter| rows.narrow(&of_experiment, only);
    // Both sides have one clock, and the failures of each count.
    let all = super::rows_of(rows, ours)?;
    let column = &*rows.compared(&ours.column, &all);
    let on = |name: &str| Basis::built_in().map(|basis| slowest(rows, &selection, basis, name));
    let modelled = |time| modelled(rows, &selection, time);
    let measured = match &ours.is {
        FigureKind::Statistic(statistic) => plain(rows, statistic.parse()?, column, &selection),
        FigureKind::Elo => points(rows, column, &selection),
        FigureKind::RatioTo(only) => ratio(rows, column, &selection, &other(only)?),
        FigureKind::DifferenceTo(only) => difference(rows, column, &selection, &other(only)?),
        FigureKind::Sum { with, statistic } => {
            let statistic = statistic.parse()?;
            let [one, other] = [&selection, &other(with)?]
                .map(|selection| plain(rows, statistic, column, selection));
            one.zip(other).map(sum)
        }
        FigureKind::Order(order) => {
            let part = |only: &Filter| rows.narrow(&selection, only);
            let parts: Vec<_> = order.iter().map(part).collect::<Result<_, _>>()?;
            let pairs = parts.windows(2);
            weakest(pairs.map(|pair| ratio(rows, column, &pair[1], &pair[0])))
        }
        FigureKind::Rate { along, law, minus } => {
            let of = |selection: &[u32]| rates(rows, [along, column], *law, selection);
            let minus = minus.as_ref().map(other).transpose()?;
            let minus = minus.map(|minus| of(&minus).into_iter().collect::<HashMap<_, _>>());
            let rates = of(&selection).into_iter();
            let rates = rates.filter_map(|(instance, rate)| match &minus {
                None => Some(rate),
                Some(minus) => Some(rate - minus.get(&instance)?),
            });
            mean_of(&rates.collect::<Vec<_>>(), 0)
        }
        FigureKind::Console(name) => modelled(on(name)?),
        FigureKind::ConsoleRatio(both) => modelled(on(&both[0])?.zip(on(&both[1])?).map(over)),
        FigureKind::ConsoleToHere(name) => {
            modelled(on(name)?.zip(here(rows, &selection)).map(over))
        }
    };
    let unit = FigureUnit {
        scale: 1.0 / ours.divide_by.unwrap_or(1.0),
        is_elo: ours.is == FigureKind::Elo,
    };
    let failed = rows.failed_in_words(&all);
    // Differences and rates do not treat failed rows as censored: a failed row leaves them open. A stopped search leaves a
    // rate open, too: most often it has one of the sizes that would raise the rate.
    let is_rate = matches!(ours.is, FigureKind::Rate { .. });
    let is_stopped = is_rate && !rows.ended(&all, Outcome::Timeout).is_empty();
    let is_difference = is_rate || ours.is.is_difference();
    let is_open = is_stopped || is_difference && !failed.is_empty();
    let of_rows = |value| unit.of_rows(value);
    Ok(measured.map(|measured| {
        let estimate = measured.estimate.map(of_rows);
        let bound = [estimate.bound, Bound::Either][usize::from(is_open)];
        Measured {
            failed,
            estimate: Estimate { bound, ..estimate },
            extent: measured.extent.map(of_rows),
            solved: measured.solved.map(|solved| solved.map(of_rows)),
            unit,
            ..measured
        }
    }))
}

/// A modelled time, or its ratio to another time.
fn modelled(rows: &Rows, selection: &[u32], time: Option<Estimate>) -> Option<Measured> {
    let instances = rows.distinct("instance_hash", &rows.solved(selection));
    let estimate = time?;
    let point = Interval::around(estimate.value, 0.0);
    let extent = estimate.interval.unwrap_or(point);
    Some(Measured {
        evidence: None,
        is_modelled: true,
        ..Measured::of_mean(estimate, extent, (instances.len(), 0), false)
    })
}

/// The median time on the machine of the run. Without an interval it is taken as exact: the band of the model is much
/// wider.
fn here(rows: &Rows, selection: &[u32]) -> Option<Estimate> {
    let here = Statistic::Median.of(rows, TIME, selection)?;
    let interval = here.interval.or(Some(Interval::around(here.value, 0.0)));
    (here.bound == Bound::Exact).then_some(Estimate { interval, ..here })
}

/// The quotient of two times whose intervals are independent.
fn over((time, other): (Estimate, Estimate)) -> Estimate {
    let ends = time.interval.zip(other.interval);
    Estimate {
        value: time.value / other.value,
        interval: ends.map(|(time, other)| time.over(other)),
        ..time
    }
}

fn plain(rows: &Rows, statistic: Statistic, column: &str, selection: &[u32]) -> Option<Measured> {
    let estimate = statistic.of(rows, column, selection)?;
    let values = rows.sample(column, selection).values;
    let solved = rows.solved(selection);
    let without = solved.len().saturating_sub(values.len());
    let sampled = rows.medians(column, selection).sample.values.len();
    let extent = extent(&values).unwrap_or(Interval::around(estimate.value, 0.0));
    Some(Measured {
        solved: self::extent(&rows.numbers(column, &solved)),
        kind: statistic.kind(rows, column, selection),
        evidence: evidence(statistic, rows, column, selection),
        ..Measured::of_mean(estimate, extent, (sampled, without), false)
    })
}

/// The sampling distribution of a statistic; `None` if its values are no sample, and for an extreme or a sum.
fn evidence(
    statistic: Statistic,
    rows: &Rows,
    column: &str,
    selection: &[u32],
) -> Option<Evidence> {
    let share = |of: usize| {
        let estimate = statistic.of(rows, column, selection)?;
        estimate.interval?;
        let share = estimate.value;
        (estimate.bound == Bound::Exact).then_some(Evidence::Share { share, of })
    };
    match statistic {
        Statistic::Median => {
            let units = rows.medians(column, selection);
            units.are_a_sample.then_some(Evidence::Median(units.sample))
        }
        Statistic::Mean if !is_share(rows, column, selection) => {
            let units = rows.means(column, selection);
            Evidence::of_mean(units.mean()?, units.sample.values.len(), false)
        }
        Statistic::Mean | Statistic::Over(_) => {
            share(rows.means(column, selection).sample.ranked().len())
        }
        Statistic::Solved => share(ran(rows, selection).1),
        Statistic::Minimum | Statistic::Maximum | Statistic::Sum => None,
    }
}

/// The share of points of matches; a drawn match is half a point.
fn points(rows: &Rows, column: &str, selection: &[u32]) -> Option<Measured> {
    let estimate = elo::share_of_points(rows, [column, elo::DRAW], selection).ok()??;
    let measured = plain(rows, Statistic::Mean, column, selection)?;
    let (share, of) = (estimate.value, measured.sampled);
    Some(Measured {
        evidence: Some(Evidence::Share { share, of }),
        estimate,
        ..measured
    })
}

/// The sum of two parts; the ends of their intervals are added too.
fn sum((one, other): (Measured, Measured)) -> Measured {
    let ends = |one: Interval, other: Interval| Interval {
        low: one.low + other.low,
        high: one.high + other.high,
    };
    let intervals = one.estimate.interval.zip(other.estimate.interval);
    let estimate = Estimate {
        value: one.estimate.value + other.estimate.value,
        interval: intervals.map(|(one, other)| ends(one, other)),
        bound: one.estimate.bound.and(other.estimate.bound),
    };
    let counts = (one.sampled.min(other.sampled), one.without + other.without);
    Measured::of_mean(estimate, ends(one.extent, other.extent), counts, false)
}

/// The mean over the instances of the difference of both sides' means. It is open where a sample was stopped or failed.
fn difference(rows: &Rows, column: &str, above: &[u32], below: &[u32]) -> Option<Measured> {
    let other: HashMap<_, _> = rows.group("instance_hash", below).into_iter().collect();
    let mut bound = Bound::Exact;
    let (mut differences, mut known, mut without) = (Vec::new(), Vec::new(), 0);
    for (instance, own) in rows.group("instance_hash", above) {
        let same = other.get(&instance).map_or(&[][..], Vec::as_slice);
        let sides = [own.as_slice(), same].map(|side| rows.sample(column, side));
        let is_exact = sides.iter().all(|side| side.bound == Bound::Exact);
        let difference = mean(&sides[0].values).zip(mean(&sides[1].values));
        let difference = difference.map(|(own, same)| own - same);
        without += usize::from(difference.is_none());
        differences.extend(difference);
        if !is_exact {
            bound = Bound::Either;
        } else if !own.iter().chain(same).any(|row| rows.is_failed(*row)) {
            known.extend(difference);
        }
    }
    let mut measured = mean_of(&differences, without)?;
    (measured.estimate.bound, measured.solved) = (bound, extent(&known));
    Some(measured)
}

/// The ratio of two selections, paired by question, or else by instance. If the sides have no instance in common, they
/// are independent samples.
pub fn ratio(rows: &Rows, column: &str, above: &[u32], below: &[u32]) -> Option<Measured> {
    let factor = Factor::between(rows, column, [above, below], Pairing::Instance);
    if let Some(factor) = factor.filter(|factor| factor.estimate.bound != Bound::Either) {
        let ratios: Vec<f64> = factor.ratios.iter().map(|one| one.estimate.value).collect();
        let extent = extent(&ratios)?;
        return Some(ratio_of(&factor, extent));
    }
    if let Some(paired) = by_instance(rows, column, above, below) {
        return Some(paired);
    }
    let (factor, [numerator, denominator]) = Factor::apart(rows, column, above, below)?;
    let extent = extent(&numerator.values)?.over(extent(&denominator.values)?);
    Some(ratio_of(&factor, extent))
}

fn ratio_of(factor: &Factor, extent: Interval) -> Measured {
    // The sample size is the number of repeats of a single question, or the number of instances.
    let sampled = match factor.ratios.as_slice() {
        [one] => one.samples,
        _ => factor.instances,
    };
    Measured {
        scope: Some(factor.scope_of_estimate().place(factor.instances)),
        ..Measured::of_mean(factor.estimate, extent, (sampled, 0), true)
    }
}

/// The geometric mean over the instances of the ratio of both sides' means, for sides with the same instances but
/// different questions, e.g. one search with two sets and two searches with one set each.
fn by_instance(rows: &Rows, column: &str, above: &[u32], below: &[u32]) -> Option<Measured> {
    let column = rows.compared(column, &[above, below].concat());
    let is_stopped =
        |row: &u32| rows.outcome(*row) == Some(Outcome::Timeout) || rows.is_failed(*row);
    if above.iter().chain(below).any(is_stopped) {
        return None;
    }
    let below = rows.group("instance_hash", &rows.solved(below));
    let other: HashMap<_, _> = below.into_iter().collect();
    let mean_of = |selection: &[u32]| mean(&rows.numbers(&column, selection));
    let sides = |(instance, own): (String, Vec<u32>)| {
        let sides = (mean_of(&own)?, mean_of(other.get(&instance)?)?);
        // Two zeros say nothing.
        (sides != (0.0, 0.0)).then_some(sides)
    };
    let own = rows.group("instance_hash", &rows.solved(above));
    let sides: Vec<(f64, f64)> = own.into_iter().filter_map(sides).collect();
    // Any other zero and any negative value has no ratio.
    if sides.iter().any(|(above, below)| above.min(*below) <= 0.0) {
        return None;
    }
    let ratios: Vec<f64> = sides.iter().map(|(above, below)| above / below).collect();
    let (mean, extent) = (geometric_mean(&ratios)?, extent(&ratios)?);
    Some(Measured {
        scope: Some(ComparedScope::Alike.place(ratios.len())),
        ..Measured::of_mean(mean, extent, (ratios.len(), 0), true)
    })
}

/// The ratio of neighbours in an order that supports the order least: the one with the lowest interval among those that
/// are wholly below 1, or else among all. `None` if a pair was not measured.
fn weakest(pairs: impl Iterator<Item = Option<Measured>>) -> Option<Measured> {
    let mut pairs: Vec<Measured> = pairs.collect::<Option<_>>()?;
    let end = |pair: &Measured, is_high: bool| match pair.estimate.interval {
        Some(ends) if is_high => ends.high,
        Some(ends) => ends.low,
        None if is_high => f64::INFINITY,
        None => f64::NEG_INFINITY,
    };
    pairs.sort_by(|one, other| {
        let refutes = |pair| end(pair, true) >= 1.0;
        let reaches = || end(one, false).total_cmp(&end(other, false));
        refutes(one).cmp(&refutes(other)).then_with(reaches)
    });
    pairs.into_iter().next()
}

/// The mean of the instances' values.
fn mean_of(values: &[f64], without: usize) -> Option<Measured> {
    let (mean, extent) = (t_mean(values)?, extent(values)?);
    Some(Measured::of_mean(
        mean,
        extent,
        (values.len(), without),
        false,
    ))
}

/// The fitted rate of each instance with at least three points.
fn rates(
    rows: &Rows,
    [along, column]: [&str; 2],
    law: Growth,
    selection: &[u32],
) -> Vec<(String, f64)> {
    let instances = rows.group("instance_hash", &rows.solved(selection));
    let rate = |(instance, own): (String, Vec<u32>)| {
        let points = rows.group_by(&[along], &own).into_iter();
        let points: Vec<(f64, f64)> = points
            .filter_map(|group| {
                let x = rows.number(along, *group.first()?)?;
                Some((x, median(&rows.numbers(column, &group))?))
            })
            .collect();
        let rate = match law {
            Growth::Power => power(&points)?.slope,
            Growth::Exponential => exponential(&points)?.slope.exp(),
        };
        Some((instance, rate))
    };
    instances.into_iter().filter_map(rate).collect()
}

fn extent(values: &[f64]) -> Option<Interval> {
    Some(Interval {
        low: values.iter().copied().reduce(f64::min)?,
        high: values.iter().copied().reduce(f64::max)?,
    })
}
