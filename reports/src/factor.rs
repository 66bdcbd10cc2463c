//! The ratio of one label's values to another's, as tables and titles tell it.
//!
//! A median over pooled different questions is meaningless: half of its samples may come from easy questions. Therefore
//! the values of each question are divided first. `ikeru_compare` decides on which side of 1 the ratio is, on these instances and
//! on instances like these.

use std::cmp::Ordering;

use ikeru_bench_data::Pairing;
use ikeru_compare::LEVEL;
use ikeru_compare::center::EffectScale;
use ikeru_compare::comparison::ComparedScope;
use ikeru_compare::decide::{Difference, Effect, Question, factor, on_others, on_these, ratio};
use ikeru_compare::pairing::{self, Side};

use crate::Rows;
use crate::statistics::sample::CensoredSample;
use crate::statistics::{Bound, Estimate};
use crate::units::Quantity;

/// A geometric mean of ratios.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    /// The geometric mean over the instances with its 95 % interval on instances like these: the statistic that sources print.
    /// Of a single question on its instance, and of sides without a common instance on those of their kinds. A bound if one
    /// side has timeouts, with the end that depends on them unknown.
    pub estimate: Estimate,
    /// The decision; `None` if the sides have no instance in common.
    pub difference: Option<Difference>,
    /// The number of questions; 0 if the sides have no instance in common.
    pub questions: usize,
    /// The number of instances; that of the smaller side if the sides have no instance in common.
    pub instances: usize,
    /// The ratio of each question, grouped by instance.
    pub ratios: Vec<Ratio>,
    /// True of times of two sessions, one after the other: a change of the machine is part of the ratio, and nothing is
    /// decided.
    pub is_withheld: bool,
}

/// A ratio beyond this factor is far from 1.
const FAR: f64 = 1.5;

/// The ratio on one question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The ratio, without an interval.
    pub estimate: Estimate,
    /// The side of 1 on which the instances of its name are decided to be, unless it may be on the other.
    pub side: Option<Ordering>,
    /// The number of samples of the smaller side.
    pub samples: usize,
    /// A row of the instance.
    pub row: u32,
    /// The logarithm of how far chance may have moved the ratio: four standard errors. 0 for values that are reproducible,
    /// infinite for single ones.
    pub(crate) scatter: f64,
    /// The ratio, or the end of what the samples allow where it is a bound: half of a sample that was stopped does not bound
    /// the true value.
    pub(crate) certain: f64,
}

impl Ratio {
    /// The ratio of an effect; `is_exact` means that a single value is reproducible, like the counters of a search on one
    /// thread.
    fn of(effect: &Effect, row: u32, is_exact: bool) -> Self {
        let [(least, most), (lowest, highest)] = effect.values.each_ref().map(|own| {
            let ends = own.iter().copied();
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
                (it.min(low), it.max(high))
            })
        });
        let samples = effect.values[0].len().min(effect.values[1].len());
        let certain = match effect.bound {
            Bound::AtLeast => least - highest,
            Bound::AtMost => most - lowest,
            Bound::Exact | Bound::Either => effect.value,
        };
        Self {
            estimate: Estimate::bounded(factor(effect.value), effect.bound),
            certain: factor(certain),
            side: None,
            samples,
            row,
            scatter: match samples {
                1 if !(is_exact && effect.bound == Bound::Exact) => f64::INFINITY,
                _ => 4.0 * effect.variance().sqrt(),
            },
        }
    }

    /// Returns whether the ratio is further from 1 than [`FAR`] and than chance may have moved it. This decides nothing: it is
    /// how the questions of a mean that is decided lie around it.
    pub(crate) fn is_far_from_1(&self) -> bool {
        let distance = self.estimate.value.ln().abs();
        // A single value is on either side by chance, also one that is reproducible: its instance was drawn.
        self.samples > 1 && distance > FAR.ln() && distance > self.scatter
    }

    fn inverse(&self) -> Self {
        Self {
            estimate: self.estimate.inverse(),
            side: self.side.map(Ordering::reverse),
            certain: 1.0 / self.certain,
            ..*self
        }
    }
}

/// Returns whether the medians have no ratio: one is negative, or one is 0 and the other is not. Without it the ratios of
/// the other questions tell half.
fn are_without_ratio(sides: [&CensoredSample; 2]) -> bool {
    let [one, other] = sides.map(CensoredSample::middle);
    one.zip(other).is_some_and(|((one, _), (other, _))| {
        one.min(other) < 0.0 || (one == 0.0) != (other == 0.0)
    })
}

/// The level of a comparison of two labels: that of their experiment's table, divided by the labels beside the baseline.
pub(crate) fn level(rows: &Rows, row: u32) -> f64 {
    let all = rows.with("experiment", rows.text("experiment", row));
    let labels = rows.distinct("label", &rows.without_placebo(&all)).len();
    LEVEL / labels.saturating_sub(1).max(1) as f64
}

impl Factor {
    /// `above`'s values of `column` divided by those of `below`, over the questions that both answered. `None` if
    /// there is no such question, or if one side of a question is negative or alone 0. Where timeouts leave both directions
    /// open, the mean ratio is unknown ([`Bound::Either`]).
    pub fn between(
        rows: &Rows,
        column: &str,
        [above, below]: [&[u32]; 2],
        pairing: Pairing,
    ) -> Option<Self> {
        let both = [above, below].concat();
        let is_exact = rows.repeats_exactly(column, &both);
        let [a, b] = [above, below].map(|own| Side { rows, own });
        let column = pairing::shared_column(column, [a, b]);
        let mut instances: Vec<(u32, Vec<(Ratio, Effect)>)> = Vec::new();
        let is_time = Quantity::of_column(&column) == Quantity::Time;
        let columns = match is_time {
            true => pairing::columns_of_times(pairing, a, b),
            false => pairing::columns(pairing, a, b),
        };
        for questions in pairing::join(a, b, &columns).instances {
            let (row, mut own) = (questions[0].b[0], Vec::new());
            for pair in questions {
                let question = Question::of(&pair, [rows; 2], is_exact, &column);
                if are_without_ratio([&question.a, &question.b]) {
                    return None;
                }
                let effect = Effect::of(&question, EffectScale::Logarithm);
                own.extend(effect.map(|effect| (Ratio::of(&effect, pair.a[0], is_exact), effect)));
            }
            if !own.is_empty() {
                instances.push((row, own));
            }
        }
        let (mut ratios, mut parts) = (Vec::new(), Vec::new());
        for (_, own) in pairing::by_part(rows, instances) {
            let own = own.into_iter().map(|own| own.into_iter().unzip());
            let (of_ratios, effects): (Vec<Vec<Ratio>>, Vec<Vec<Effect>>) = own.unzip();
            ratios.push(of_ratios);
            parts.push(effects);
        }
        let effects: Vec<&[Effect]> = parts.iter().flatten().map(Vec::as_slice).collect();
        let estimate = match effects.as_slice() {
            [[_]] => on_these(&effects, LEVEL)?,
            _ => on_others(&effects, LEVEL)?,
        };
        let difference = Difference::of_effects(&parts, level(rows, *above.first()?));
        let instances = ratios.iter().map(Vec::len).sum();
        let ratios = with_sides(ratios, difference.as_ref());
        Some(Self {
            estimate: estimate.map(factor),
            difference,
            questions: ratios.len(),
            instances,
            is_withheld: is_time && a.is_apart(&b),
            ratios,
        })
    }

    /// The ratio with the interval of the decision: on these instances, or on instances like these if the repeats are too few.
    pub fn shown(&self) -> Estimate {
        if self.is_withheld {
            return self.estimate.bare();
        }
        let difference = self.difference.as_ref();
        difference.map_or(self.estimate, |it| it.shown().estimate.map(factor))
    }

    /// The ratio with the interval on instances like these, as marks have it, at the level of [`shown`](Self::shown); of a
    /// single instance, on that. `None` if timeouts of both sides leave it open.
    pub fn alike(&self) -> Option<Estimate> {
        let is_one = self.instances < 2 || self.is_withheld;
        let difference = self.difference.as_ref().filter(|_| !is_one);
        let alike = difference.map(|it| it.alike.estimate.map(factor));
        self.known().map(|shown| alike.unwrap_or(shown))
    }

    /// What [`shown`](Self::shown) speaks of.
    pub fn scope(&self) -> ComparedScope {
        match &self.difference {
            Some(difference) if std::ptr::eq(difference.shown(), &raw const difference.these) => {
                ComparedScope::These
            }
            _ => ComparedScope::Alike,
        }
    }

    /// What [`estimate`](Self::estimate) speaks of.
    pub fn scope_of_estimate(&self) -> ComparedScope {
        match self.questions {
            1 => ComparedScope::These,
            _ => ComparedScope::Alike,
        }
    }

    /// The side of 1 that is decided: the interval is on it. An end that timeouts leave open is infinite.
    pub fn side(&self) -> Option<Ordering> {
        let ends = self.shown().interval?;
        match (ends.low > 1.0, ends.high < 1.0) {
            (true, _) => Some(Ordering::Greater),
            (_, true) => Some(Ordering::Less),
            _ => None,
        }
    }

    /// Returns whether the side is decided for other instances like these too.
    pub fn is_alike(&self) -> bool {
        match &self.difference {
            Some(difference) => difference.side_alike().is_some(),
            None => self.side().is_some(),
        }
    }

    /// Returns whether the values of all questions are known and equal.
    pub fn is_equal(&self) -> bool {
        let is_constant = |ratio: &Ratio| ratio.scatter == 0.0 || ratio.samples == 1;
        let is_equal = |ratio: &Ratio| ratio.estimate == Estimate::plain(1.0) && is_constant(ratio);
        self.estimate == Estimate::exact(1.0)
            || (!self.ratios.is_empty() && self.ratios.iter().all(is_equal))
    }

    /// Returns whether the samples are too few for an interval.
    pub(crate) fn is_of_few(&self) -> bool {
        self.shown().interval.is_none() && !self.is_equal()
    }

    /// The ratio, unless timeouts of both sides leave it open.
    pub fn known(&self) -> Option<Estimate> {
        Some(self.shown()).filter(|shown| shown.bound != Bound::Either)
    }

    /// The ratios on the side on which the instances of their name are decided to be.
    pub fn decided(&self) -> Vec<Ratio> {
        let mut decided = self.ratios.clone();
        decided.retain(|ratio| ratio.side.is_some() && !self.is_withheld);
        decided
    }

    /// The other label's values divided by this one's.
    pub(crate) fn inverse(&self) -> Self {
        Self {
            estimate: self.estimate.inverse(),
            difference: self.difference.as_ref().map(Difference::inverse),
            ratios: self.ratios.iter().map(Ratio::inverse).collect(),
            ..*self
        }
    }

    /// The factor of two sides without a common instance, e.g. maps of two kinds: their instances are independent
    /// samples. `None` if a side has no value, or one that is not above 0.
    pub fn apart(
        rows: &Rows,
        column: &str,
        above: &[u32],
        below: &[u32],
    ) -> Option<(Self, [CensoredSample; 2])> {
        let column = rows.compared(column, &[above, below].concat());
        let sides = [above, below].map(|side| rows.medians(&column, side).sample);
        let [numerator, denominator] = &sides;
        let mut values = sides.iter().flat_map(|side| &side.values);
        if values.any(|value| *value <= 0.0) {
            return None;
        }
        let estimate = ratio(numerator, denominator, false)?;
        let factor = Self {
            estimate,
            difference: None,
            questions: 0,
            instances: numerator.values.len().min(denominator.values.len()),
            is_withheld: false,
            ratios: Vec::new(),
        };
        Some((factor, sides))
    }
}

/// The ratios of all instances of each part, each with the side on which its part is decided to be.
fn with_sides(parts: Vec<Vec<Vec<Ratio>>>, difference: Option<&Difference>) -> Vec<Ratio> {
    let side_of = |at: usize| {
        let difference = difference?;
        match difference.parts.get(at) {
            Some(part) => part.as_ref()?.side(),
            None => difference.side(),
        }
    };
    let is_one = parts.iter().flatten().count() < 2;
    let mut ratios = Vec::new();
    for (at, part) in parts.into_iter().enumerate() {
        // The mean of several instances is decided, and not each of them.
        let is_shared = part.len() > 1;
        for own in part {
            // An instance that was chosen for its single values is on either side by chance.
            let is_single = own.iter().any(|ratio| ratio.samples < 2);
            let side = side_of(at).filter(|_| !is_single || is_one);
            ratios.extend(own.into_iter().map(|ratio| {
                let is_on = ratio.estimate.value.total_cmp(&1.0);
                let is_clear = !is_shared || ratio.is_far_from_1();
                Ratio {
                    side: side.filter(|side| is_on == *side && is_clear),
                    ..ratio
                }
            }));
        }
    }
    ratios
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows_of as rows;

    fn between(rows: &Rows, column: &str) -> Option<Factor> {
        let [slow, fast] = ["slow", "fast"].map(|label| rows.with("label", label));
        Factor::between(rows, column, [&slow, &fast], Pairing::Instance)
    }

    fn factor(text: &str) -> Option<Factor> {
        // The name of an instance is its hash.
        let mut named =
            "schema,label,instance,instance_hash,setting_god,setting_width,outcome,wall_ns\n"
                .to_owned();
        for line in text.lines() {
            let mut fields: Vec<&str> = line.split(',').collect();
            fields.insert(2, fields[2]);
            named += &(fields.join(",") + "\n");
        }
        between(&rows(&named), "wall_ns")
    }

    #[test]
    fn samples_that_are_apart_decide_an_instance_however_many_there_are() {
        // Six samples a side are apart by chance in 1 of 462 instances; the level is 1 in 800.
        for repeats in [8, 20] {
            let mut text = String::new();
            for instance in 0..8 {
                for at in 0..repeats {
                    let [slow, fast] = if instance < 4 {
                        [1000, 100]
                    } else {
                        [100, 1000]
                    };
                    text += &format!("1,slow,h{instance},,,solved,{}\n", slow + at);
                    text += &format!("1,fast,h{instance},,,solved,{}\n", fast + at);
                }
            }
            let decided = factor(&text).expect("ratios").decided();
            assert_eq!(decided.len(), 8, "{repeats}");
        }
    }

    #[test]
    fn questions_are_divided_before_they_are_averaged() {
        // 100 without the god and 400 with it: the geometric mean is 200, not the 250 of pooled medians.
        let text = "1,slow,h,false,,solved,1000\n1,slow,h,true,,solved,4000\n\
             1,fast,h,false,7,solved,10\n1,fast,h,true,7,solved,10\n1,fast,other,true,7,solved,1\n";
        let found = factor(text).expect("two questions");
        assert_eq!((found.questions, found.instances), (2, 1));
        assert!((found.estimate.value - 200.0).abs() < 1e-9, "{found:?}");
        assert_eq!(found.estimate.interval, None, "two questions of one map");
    }

    #[test]
    fn a_method_setting_pairs_only_where_both_sides_have_its_values() {
        let text = "schema,label,instance_hash,method_k,outcome,wall_ns\n\
             1,slow,a,1,solved,10\n1,slow,a,1,solved,10\n1,slow,a,2,solved,20\n1,fast,a,2,solved,20\n1,fast,a,K,solved,90\n";
        let of = |other: &str| {
            let rows = rows(&text.replace('K', other));
            let found = between(&rows, "wall_ns");
            found.expect("a factor").estimate.value
        };
        // The ratio has all samples of the question.
        assert!((of("3") - 2_000_f64.cbrt() / 1_800_f64.sqrt()).abs() < 1e-9);
        assert!((of("1") - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn sides_with_the_same_labels_are_compared_label_by_label() {
        let mut text = "schema,label,instance_hash,setting_god,outcome,wall_ns\n".to_owned();
        for (label, without, with) in [("a", 10, 80), ("b", 20, 20), ("c", 30, 30)] {
            text +=
                &format!("1,{label},h,false,solved,{without}\n1,{label},h,true,solved,{with}\n");
        }
        let rows = rows(&text);
        let of = |god| rows.with("setting_god", god);
        let found = Factor::between(
            &rows,
            "wall_ns",
            [&of("true"), &of("false")],
            Pairing::Instance,
        );
        assert!((found.expect("a factor").estimate.value - 2.0).abs() < 1e-9);
    }

    #[test]
    fn zeros_and_negative_values_have_no_ratio() {
        let of = |slow: u32, fast: u32| {
            factor(&format!(
                "1,slow,a,,,solved,20\n1,fast,a,,,solved,10\n1,slow,b,,,solved,{slow}\n1,fast,b,,,solved,{fast}\n"
            ))
        };
        assert_eq!(of(30, 10).map(|factor| factor.instances), Some(2));
        assert_eq!((of(0, 10), of(20, 0)), (None, None));
        // Two zeros say nothing.
        assert_eq!(of(0, 0).map(|factor| factor.instances), Some(1));
        let side = |value| {
            let mut side = CensoredSample::default();
            side.push(value, Bound::Exact);
            side
        };
        for (one, other, expected) in [
            (-20.0, -10.0, true),
            (-20.0, 10.0, true),
            (20.0, 10.0, false),
        ] {
            assert_eq!(
                are_without_ratio([&side(one), &side(other)]),
                expected,
                "{one} {other}"
            );
        }
    }

    #[test]
    fn instances_are_the_sample_and_not_their_questions() {
        // Three maps with factors of 2, 4 and 8, each asked two questions.
        let mut text = String::new();
        for (map, factor) in [("a", 2), ("b", 4), ("c", 8)] {
            for god in [false, true] {
                text += &format!(
                    "1,slow,{map},{god},,solved,{}\n1,fast,{map},{god},,solved,10\n",
                    10 * factor
                );
            }
        }
        let found = factor(&text).expect("three maps");
        assert_eq!((found.questions, found.instances), (6, 3));
        assert!((found.estimate.value - 4.0).abs() < 1e-9, "{found:?}");
        // t with 2 degrees of freedom is 4.302653: exp(ln 4 ± 4.302653 · ln 2 / √3).
        let interval = found.estimate.interval.expect("three maps");
        assert!((interval.low - 0.714_87).abs() < 1e-3, "{interval:?}");
        assert!((interval.high - 22.381_7).abs() < 1e-2, "{interval:?}");
    }

    #[test]
    fn instances_that_part_are_decided_each_by_its_questions() {
        // On one map, `fast` is 100 times as fast for every question; on the other, there is no difference. Three
        // samples per question decide no single question.
        let mut text = String::new();
        for width in 0..10 {
            for repeat in 0..3 {
                let near = 100 + repeat;
                let far = if width % 2 == 0 { near + 1 } else { near - 1 };
                text += &format!("1,slow,maze,false,{width},solved,{}\n", 10_000 + repeat);
                text += &format!("1,fast,maze,false,{width},solved,{near}\n");
                text += &format!("1,slow,noise,false,{width},solved,{near}\n");
                text += &format!("1,fast,noise,false,{width},solved,{far}\n");
            }
        }
        let found = factor(&text).expect("two maps");
        let ends = found.estimate.interval.expect("two maps");
        assert!(ends.low < 1.0 && ends.high > 1.0, "{ends:?}");
        let decided = found.decided();
        assert_eq!(decided.len(), 10, "the questions on the maze alone");
        let is_far =
            |ratio: &Ratio| ratio.side == Some(Ordering::Greater) && ratio.estimate.value > 90.0;
        assert!(decided.iter().all(is_far));
    }

    #[test]
    fn counts_of_one_thread_need_no_second_sample() {
        let rows = rows(
            "schema,label,threads,instance_hash,outcome,counter_nodes\n\
             1,slow,1,h,solved,90\n1,fast,1,h,solved,30\n",
        );
        let found = between(&rows, "counter_nodes");
        assert_eq!(found.expect("a question").estimate, Estimate::exact(3.0));
    }

    #[test]
    fn samples_that_overlap_decide_two_instances_if_they_are_many() {
        // Slower by half on one map and faster by half on the other; the values scatter by a factor of 2.
        let decided = |repeats: u32| {
            let mut text = String::new();
            for at in 0..repeats {
                let [low, high] =
                    [1.0, 1.5].map(|by| by * (1000.0 + f64::from(at * 1000 / repeats)));
                text += &format!("1,slow,a,,,solved,{high}\n1,fast,a,,,solved,{low}\n");
                text += &format!("1,slow,b,,,solved,{low}\n1,fast,b,,,solved,{high}\n");
            }
            factor(&text).expect("two maps").decided().len()
        };
        assert_eq!([8, 40].map(decided), [0, 2]);
    }

    #[test]
    fn single_samples_of_three_questions_decide_nothing() {
        let line =
            |label: &str, width: u32, time: u32| format!("1,{label},h,,{width},solved,{time}\n");
        let lines = [(1, 100), (2, 200), (3, 300)].map(|(width, time)| {
            line("slow", width, time + time / 10) + &line("fast", width, time)
        });
        assert!(
            factor(&lines.concat())
                .expect("three questions")
                .decided()
                .is_empty()
        );
    }

    #[test]
    fn equal_counts_of_several_threads_are_decided_by_the_repeats_of_their_question() {
        let decided = |questions: u32, repeats: usize| {
            let line = |label: &str, at: u32, nodes: u32| {
                format!("1,{label},2,h{at},h{at},solved,{nodes}\n").repeat(repeats)
            };
            let lines = (0..questions).map(|at| match at % 2 {
                0 => line("slow", at, 90) + &line("fast", at, 30),
                _ => line("slow", at, 30) + &line("fast", at, 90),
            });
            let head = "schema,label,threads,instance,instance_hash,outcome,counter_nodes\n";
            let rows = rows(&format!("{head}{}", lines.collect::<String>()));
            let found = between(&rows, "counter_nodes");
            found.expect("questions").decided().len()
        };
        assert_eq!([2, 3].map(|repeats| decided(1, repeats)), [0, 1]);
        assert_eq!([4, 5].map(|repeats| decided(4, repeats)), [0, 4]);
    }

    #[test]
    fn the_end_of_an_interval_that_depends_on_stopped_runs_is_unknown() {
        let text = "1,slow,g,true,,timeout,900\n1,fast,g,true,,solved,9\n\
             1,slow,h,true,,solved,800\n1,fast,h,true,,solved,9\n";
        let found = factor(text).expect("two maps").estimate;
        let ends = found.interval.expect("two maps");
        assert!(found.bound == Bound::AtLeast && ends.low > 1.0, "{ends:?}");
        assert!(ends.high.is_infinite(), "{ends:?}");
        let inverse = text.replace("slow", "x").replace("fast", "slow");
        let found = factor(&inverse.replace('x', "fast")).expect("two maps");
        let ends = found.estimate.interval.expect("two maps");
        assert!(ends.low == 0.0 && ends.high < 1.0, "{ends:?}");
    }

    #[test]
    fn stopped_runs_bound_the_factor() {
        let above = "1,slow,h,true,,timeout,900\n1,fast,h,true,,solved,9\n";
        let found = factor(above).expect("one question").estimate;
        assert_eq!((found.value, found.bound), (100.0, Bound::AtLeast));
        let below = "1,slow,g,true,,solved,900\n1,fast,g,true,,timeout,9\n";
        let found = factor(below).expect("one question").estimate;
        assert_eq!(found.bound, Bound::AtMost);
        let open = factor(&format!("{above}{below}")).expect("two questions");
        assert_eq!((open.known(), open.ratios.len()), (None, 2));
        assert_eq!(
            factor("1,slow,h,true,,timeout,9\n1,fast,h,true,,timeout,9\n"),
            None
        );
    }
}
