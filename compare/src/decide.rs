//! The decision whether two sides differ, at two scopes.
//!
//! *On these instances*: the repeats of each question are the sample. The estimate is the geometric mean over the instances of
//! A ÷ B (or the mean of A − B); its interval is Welch's t of the questions' trimmed means, which also covers it where the
//! factors of the instances differ. A single question has the interval of Mann and Whitney's test instead: the t interval of
//! few values is too narrow where these have two modes. *On instances like these*: each instance counts once, and the interval is Student's t over
//! the instances.
//!
//! A decision is an interval without 0 on the logarithmic scale; there is no second criterion. The level of a comparison is
//! divided so that any false decision of all its intervals has that probability (Bretz, Maurer, Brannath and Posch 2009):
//! [`OF_WHOLE`] belongs to all instances together, the rest to the single instances. If all instances together are decided,
//! their share passes on to *instances like these*, and if that is decided too, to the single instances.
//!
//! A user who looks, and takes further repeats or instances in a later session, looks twice. The first look, at the samples that
//! were planned, has the whole level; the later ones share [`OF_LATER`] of it more, so that any number of them has a sum.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use ikeru_records::Rows;
use ikeru_statistics::interval::{student, t_mean_at};
use ikeru_statistics::sample::CensoredSample;
use ikeru_statistics::{Bound, Estimate, Interval, mean, to_forty_bits};

use crate::LEVEL;
use crate::center::{Center, EffectScale};
use crate::pairing::{Additions, Pair};
use crate::ranks::{constants_apart, shift};

/// The part of the level that belongs to all instances together.
pub const OF_WHOLE: f64 = 0.8;

/// All looks at added samples share this part of the level, in addition to that of the first look.
pub const OF_LATER: f64 = 0.2;

/// The largest number of pairs of values of which a rank interval is computed; more values have Welch's interval.
const MOST_PAIRS: usize = 40_000;

/// The samples of one question.
#[derive(Debug, Clone)]
pub struct Question {
    /// The side A.
    pub a: CensoredSample,
    /// The side B.
    pub b: CensoredSample,
    /// True if the values of both sides are reproducible, like the counters of a search on one thread.
    pub is_exact: bool,
    /// The samples that were planned, if later sessions added some.
    pub planned: Option<Planned>,
}

/// The planned samples of a question to which later sessions added some.
#[derive(Debug, Clone)]
pub struct Planned {
    /// Those of A and B.
    pub sides: [CensoredSample; 2],
    /// The sessions that added samples.
    pub additions: Additions,
}

impl Question {
    /// The values of a column of a pair of rows.
    pub fn of(pair: &Pair, [a, b]: [&Rows; 2], is_exact: bool, column: &str) -> Self {
        let of = |pair: &Pair| {
            let a = a.sample_with_hopeless(column, &pair.a);
            [a, b.sample_with_hopeless(column, &pair.b)]
        };
        let planned = pair.planned([a, b]);
        let planned = planned.map(|(planned, additions)| Planned {
            sides: of(&planned),
            additions,
        });
        let [a, b] = of(pair);
        Self {
            a,
            b,
            is_exact,
            planned,
        }
    }
}

/// An estimate, with its interval at a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leveled {
    /// A − B on the scale of the comparison.
    pub estimate: Estimate,
    /// The probability that the interval misses the true value.
    pub level: f64,
}

impl Leveled {
    fn inverse(self) -> Self {
        let ends = |ends: Interval| Interval {
            low: -ends.high,
            high: -ends.low,
        };
        Self {
            estimate: Estimate {
                value: -self.estimate.value,
                interval: self.estimate.interval.map(ends),
                bound: Bound::Exact.over(self.estimate.bound),
            },
            ..self
        }
    }

    /// The estimate with the interval that both looks allow, widened to it; two looks that contradict each other allow all
    /// between them.
    fn within(self, first: Self) -> Self {
        let value = self.estimate.value;
        let ends = [first.estimate.interval, self.estimate.interval];
        let both = |own: Interval, other: Interval| {
            let (low, high) = (own.low.max(other.low), own.high.min(other.high));
            Interval {
                low: low.min(high),
                high: high.max(low),
            }
        };
        let interval = ends
            .into_iter()
            .flatten()
            .reduce(both)
            .map(|ends| Interval {
                low: ends.low.min(value),
                high: ends.high.max(value),
            });
        Self {
            estimate: Estimate {
                interval,
                ..self.estimate
            },
            level: self.level + first.level,
        }
    }

    /// The side of 0 on which the whole interval is.
    pub fn side(&self) -> Option<Ordering> {
        let ends = self.estimate.interval?;
        match (ends.low > 0.0, ends.high < 0.0) {
            (true, _) => Some(Ordering::Greater),
            (_, true) => Some(Ordering::Less),
            _ => None,
        }
    }
}

/// The difference between two sides, at both scopes and for each instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// On these instances, all together; without an interval if the repeats are too few.
    pub these: Leveled,
    /// On instances like these; without an interval of a single instance.
    pub alike: Leveled,
    /// Each part on its own, in the order of the parts; none of a single part.
    pub parts: Vec<Option<Leveled>>,
}

impl Difference {
    /// Compares the questions of the instances of each part; `level` is the probability of any false decision. `None` if no
    /// question has a value on both sides.
    pub fn of(parts: &[&[Vec<Question>]], scale: EffectScale, level: f64) -> Option<Self> {
        let effects = |own: &Vec<Question>| -> Vec<Effect> {
            own.iter().filter_map(|it| Effect::of(it, scale)).collect()
        };
        let effects = |part: &&[Vec<Question>]| -> Vec<Vec<Effect>> {
            let mut own: Vec<Vec<Effect>> = part.iter().map(effects).collect();
            own.retain(|own| !own.is_empty());
            own
        };
        let effects: Vec<Vec<Vec<Effect>>> = parts.iter().map(effects).collect();
        Self::of_effects(&effects, level)
    }

    /// The same of the effects of the questions of each instance of each part.
    pub fn of_effects(effects: &[Vec<Vec<Effect>>], level: f64) -> Option<Self> {
        let all = || effects.iter().flatten().flat_map(|own| own.iter());
        let additions: BTreeSet<_> = all().flat_map(|effect| &effect.additions).collect();
        if additions.is_empty() {
            return Self::of_look(effects, level);
        }
        let share = OF_LATER * 0.5_f64.powi(additions.len() as i32);
        let last = Self::of_look(effects, level * share)?;
        let has_new = all().any(|effect| effect.as_planned().is_none());
        let planned = |own: &Vec<Effect>| -> Vec<Effect> {
            own.iter().filter_map(Effect::as_planned).collect()
        };
        let planned = |part: &Vec<Vec<Effect>>| -> Vec<Vec<Effect>> {
            let own = part.iter().map(planned);
            own.filter(|own| !own.is_empty()).collect()
        };
        let planned: Vec<Vec<Vec<Effect>>> = effects.iter().map(planned).collect();
        let Some(first) = Self::of_look(&planned, level) else {
            return Some(last);
        };
        let these = last.these;
        let both = last.within(&first);
        // Their mean is another number than that of the planned instances.
        let these = if has_new { these } else { both.these };
        Some(Self { these, ..both })
    }

    /// The difference that both this look and an earlier one allow.
    fn within(self, first: &Self) -> Self {
        let part = |(at, last): (usize, Option<Leveled>)| {
            let first = first.parts.get(at).copied().flatten();
            Some(first.map_or(last?, |first| last.map_or(first, |last| last.within(first))))
        };
        Self {
            these: self.these.within(first.these),
            alike: self.alike.within(first.alike),
            parts: self.parts.into_iter().enumerate().map(part).collect(),
        }
    }

    /// Compares all samples at once, as for a single look.
    fn of_look(effects: &[Vec<Vec<Effect>>], level: f64) -> Option<Self> {
        let with_value: Vec<&[Effect]> = effects.iter().flatten().map(Vec::as_slice).collect();
        let is_one = effects.iter().filter(|part| !part.is_empty()).count() < 2;
        let whole = if is_one { level } else { OF_WHOLE * level };
        let these = Leveled {
            estimate: on_these(&with_value, whole)?,
            level: whole,
        };
        let has_repeats = these.estimate.interval.is_some();
        let alike = Leveled {
            estimate: on_others(&with_value, whole)?,
            level: whole,
        };
        // Without repeats the instances are the only sample.
        let is_decided = alike.side().is_some() && (!has_repeats || these.side().is_some());
        let of_parts = if is_decided { level } else { level - whole };
        let level = of_parts / effects.iter().filter(|part| !part.is_empty()).count() as f64;
        let part = |own: &Vec<Vec<Effect>>| {
            let own: Vec<&[Effect]> = own.iter().map(Vec::as_slice).collect();
            let estimate = on_these(&own, level).filter(|_| !own.is_empty())?;
            Some(Leveled { estimate, level })
        };
        let parts = match is_one {
            true => Vec::new(),
            false => effects.iter().map(part).collect(),
        };
        Some(Self {
            these,
            alike,
            parts,
        })
    }

    /// The difference B − A.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self {
            these: self.these.inverse(),
            alike: self.alike.inverse(),
            parts: self
                .parts
                .iter()
                .map(|part| part.map(Leveled::inverse))
                .collect(),
        }
    }

    /// The side that is decided on these instances, or on instances like these if the repeats are too few for the former.
    pub fn side(&self) -> Option<Ordering> {
        self.shown().side()
    }

    /// The side that is decided on instances like these: only after it is decided on these instances.
    pub fn side_alike(&self) -> Option<Ordering> {
        let side = self.side()?;
        self.alike.side().filter(|alike| *alike == side)
    }

    /// The estimate that answers first: on these instances, if there is an interval. Values that are known exactly on these
    /// instances have no interval there; if others like these are decided, the estimate is that of these.
    pub fn shown(&self) -> &Leveled {
        let of_these = self.these.estimate.interval;
        let is_exact = of_these.is_some_and(|ends| ends.low == ends.high);
        let has_other = match is_exact {
            true => self.alike.side().is_some(),
            false => of_these.is_none() && self.alike.estimate.interval.is_some(),
        };
        if has_other { &self.alike } else { &self.these }
    }
}

/// The difference of one question.
#[derive(Debug, Clone)]
pub struct Effect {
    /// A − B on the scale of the comparison.
    pub value: f64,
    /// The side of `value` on which the true difference is, if stopped samples determine it.
    pub bound: Bound,
    sides: [Center; 2],
    /// The values of both sides on the scale.
    pub values: [Vec<f64>; 2],
    /// The same, infinite where they are bounds.
    ranks: [Vec<f64>; 2],
    /// The probability of values as constant and as far apart as these, if both sides have one distribution.
    chance: f64,
    /// The sessions that added samples, and the effect of those that were planned.
    additions: Additions,
    planned: Option<Box<Effect>>,
}

impl Effect {
    /// The effect of the samples that were planned; `None` if all were added.
    fn as_planned(&self) -> Option<Self> {
        if self.additions.is_empty() {
            return Some(self.clone());
        }
        self.planned.as_deref().cloned()
    }

    /// `None` if a side has no value, or if both are bounds.
    pub fn of(question: &Question, scale: EffectScale) -> Option<Self> {
        let effect = Self::of_sides([&question.a, &question.b], question.is_exact, scale)?;
        let Some(Planned { sides, additions }) = &question.planned else {
            return Some(effect);
        };
        let planned = Self::of_sides(sides.each_ref(), question.is_exact, scale);
        Some(Self {
            additions: additions.clone(),
            planned: planned.map(Box::new),
            ..effect
        })
    }

    fn of_sides(of: [&CensoredSample; 2], is_exact: bool, scale: EffectScale) -> Option<Self> {
        let sides = of.map(|side| Center::of(side, scale));
        let [Some(a), Some(b)] = sides else {
            return None;
        };
        let sizes = of.map(|side| side.values.len());
        let bound = match (a.bound, b.bound) {
            (Bound::Exact, _) | (_, Bound::Exact) => a.bound.over(b.bound),
            _ => return None,
        };
        // A difference is a share of the larger value.
        let unit = match scale {
            EffectScale::Logarithm => 1.0,
            EffectScale::Relative => a.mean.abs().max(b.mean.abs()),
        };
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let [a, b] = [a, b].map(|side| side.over(unit));
        let value = a.mean - b.mean;
        let chance = match is_exact {
            true => 0.0,
            false if sizes.contains(&1) => 1.0,
            false => (2.0 * constants_apart(sizes[0], sizes[1])).min(1.0),
        };
        Some(Self {
            value: if value.abs() > 1e-12 * a.mean.abs() {
                value
            } else {
                0.0
            },
            bound,
            sides: [a, b],
            values: of.map(|side| {
                let ranked = side.ranked();
                ranked.iter().map(|value| scale.of(*value) / unit).collect()
            }),
            ranks: of.map(|side| {
                let rank = |value: &f64| match side.bound_at(*value) {
                    Bound::Exact => scale.of(*value) / unit,
                    Bound::AtMost => f64::NEG_INFINITY,
                    Bound::AtLeast | Bound::Either => f64::INFINITY,
                };
                side.ranked().iter().map(rank).collect()
            }),
            chance,
            additions: Additions::new(),
            planned: None,
        })
    }

    /// The variance of the difference; 0 if no value scatters.
    pub fn variance(&self) -> f64 {
        self.sides.iter().map(|side| side.variance).sum()
    }

    /// The interval of Mann and Whitney's test, widened to hold the difference of the centers; `None` of too few values. An end
    /// that depends on stopped or failed samples is infinite.
    fn by_ranks(&self, level: f64) -> Option<Interval> {
        let [a, b] = &self.ranks;
        let ends = shift(a, b, level)?;
        Some(Interval {
            low: ends.low.min(self.value),
            high: ends.high.max(self.value),
        })
    }
}

/// The factor of which this is the logarithm: 3 of counts of 90 and 30.
pub fn factor(logarithm: f64) -> f64 {
    to_forty_bits(logarithm.exp())
}

/// A ÷ B of one question, with its 95 % interval; `None` if a side has no positive value, or if both are bounds.
pub fn ratio(a: &CensoredSample, b: &CensoredSample, is_exact: bool) -> Option<Estimate> {
    let effect = Effect::of_sides([a, b], is_exact, EffectScale::Logarithm)?;
    Some(on_these(&[&[effect]], LEVEL)?.map(factor))
}

/// The mean over the instances of the mean of each instance's effects, with the interval on these instances.
pub fn on_these(instances: &[&[Effect]], level: f64) -> Option<Estimate> {
    let means = instances.iter().map(|own| mean_of(own));
    let value = mean(&means.collect::<Option<Vec<_>>>()?)?;
    let all = || instances.iter().flat_map(|own| own.iter());
    let bound = all().map(|it| it.bound).fold(Bound::Exact, Bound::and);
    let interval = if all().all(|effect| effect.variance() == 0.0) {
        let chance: f64 = all().map(|effect| effect.chance).product();
        (chance < level).then(|| Interval::around(value, 0.0))
    } else {
        match instances {
            [[one]] if one.values[0].len() * one.values[1].len() <= MOST_PAIRS => {
                one.by_ranks(level)
            }
            _ => welch(instances, level).map(|half| Interval::around(value, half)),
        }
    };
    Some(opened(Estimate::of(value, interval), bound))
}

/// Half of the width of Welch's interval; `None` if a side of a question has a single value.
fn welch(instances: &[&[Effect]], level: f64) -> Option<f64> {
    let (mut variance, mut squares) = (0.0, 0.0);
    for own in instances {
        let weight = 1.0 / (instances.len() * own.len()) as f64;
        for side in own.iter().flat_map(|effect| effect.sides) {
            if side.freedom < 1.0 {
                return None;
            }
            let part = weight * weight * side.variance;
            variance += part;
            squares += part * part / side.freedom;
        }
    }
    Some(student(level, variance * variance / squares)? * variance.sqrt())
}

/// The same mean, with the interval on instances like these.
pub fn on_others(instances: &[&[Effect]], level: f64) -> Option<Estimate> {
    let means = instances.iter().map(|own| mean_of(own));
    let means: Vec<f64> = means.collect::<Option<_>>()?;
    let all = instances.iter().flat_map(|own| own.iter());
    let bound = all.map(|it| it.bound).fold(Bound::Exact, Bound::and);
    let mut estimate = t_mean_at(&means, level)?;
    // Instances with one difference have no scatter: that all of them are on one side has this chance.
    let chance = 2.0 * 0.5_f64.powi(means.len() as i32);
    if estimate.interval.is_none() && chance <= level {
        estimate.interval = Some(Interval::around(estimate.value, 0.0));
    }
    Some(opened(estimate, bound))
}

fn mean_of(effects: &[Effect]) -> Option<f64> {
    mean(&effects.iter().map(|it| it.value).collect::<Vec<_>>())
}

/// The estimate with an endless interval on the side that `bound` leaves open.
fn opened(estimate: Estimate, bound: Bound) -> Estimate {
    let [below, above] = bound.open_sides();
    let open = |ends: Interval| Interval {
        low: if below { f64::NEG_INFINITY } else { ends.low },
        high: if above { f64::INFINITY } else { ends.high },
    };
    Estimate {
        interval: estimate
            .interval
            .map(open)
            .filter(|_| bound != Bound::Either),
        bound,
        ..estimate
    }
}

#[cfg(test)]
mod tests;
