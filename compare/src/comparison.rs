//! One comparison, as every output shows it: text, page, CSV, JSON and exit codes take the same object.

use ikeru_core::Better;
use ikeru_records::whole::{CsvTable, number};
use ikeru_statistics::{Estimate, Interval};
use serde::{Serialize, Serializer};

use crate::center::EffectScale;
use crate::decide::{Difference, Leveled, Question, factor};

ikeru_core::names! {
    /// The decision of a comparison.
    pub enum ComparisonDecision {
        /// B is better: the whole interval is on that side.
        Better = "better",
        /// B is worse.
        Worse = "worse",
        /// The whole interval is within the margin.
        Same = "same",
        /// The interval holds both.
        Undecided = "undecided",
        /// The sides did not answer the same questions in the same way.
        NotComparable = "not comparable",
    }
}

ikeru_core::names! {
    /// The scope of a comparison.
    pub enum ComparedScope {
        /// The measured instances: their repeats are the sample.
        These = "these instances",
        /// Others of their kind: the instances are the sample.
        Alike = "instances like these",
    }
}

impl Serialize for ComparisonDecision {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl Serialize for ComparedScope {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// The reason of a row whose values do not scatter.
const EXACT: &str = "exact";

/// The samples of instances of one name, or of one declared group.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// What they have in common: `instance=NAME`, or `COLUMN=VALUE` of a group.
    pub over: String,
    /// The questions of each instance.
    pub instances: Vec<Vec<Question>>,
}

/// The terms of a comparison: names, metric, direction, margin and level.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The name of A.
    pub a: String,
    /// The name of B.
    pub b: String,
    /// The metric, as a word of the command line.
    pub metric: String,
    /// The direction that is better.
    pub better: Better,
    /// True if values are divided, false if their differences are divided by the larger one.
    pub is_ratio: bool,
    /// The share up to which the sides are the same.
    pub margin: f64,
    /// The probability of any false decision in these rows.
    pub level: f64,
    /// The reason why nothing may be decided, for any samples.
    pub withheld: Option<String>,
}

impl Terms {
    /// The terms of two sides with these names: the differences of values of which the higher is better, without a margin.
    pub fn of([a, b]: [String; 2], metric: String, level: f64) -> Self {
        Self {
            a,
            b,
            metric,
            better: Better::Higher,
            is_ratio: false,
            margin: 0.0,
            level,
            withheld: None,
        }
    }

    /// The terms of factors, of which the lower is better.
    pub fn of_ratios(names: [String; 2], metric: String, level: f64) -> Self {
        Self {
            better: Better::Lower,
            is_ratio: true,
            ..Self::of(names, metric, level)
        }
    }

    /// The clock of times; empty for other metrics.
    fn clock(&self) -> &str {
        match &*self.metric {
            clock @ ("wall" | "cpu") => clock,
            _ => "",
        }
    }
}

/// One row of comparisons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The name of A.
    pub a: String,
    /// The name of B.
    pub b: String,
    /// The metric, as a word of the command line.
    pub metric: String,
    /// The scope.
    pub scope: ComparedScope,
    /// `all`, or the part of the instances: `instance=NAME`.
    pub over: String,
    /// The factor by which B is better (0.5: half as good), or the difference as a share of the larger value.
    pub estimate: Option<f64>,
    /// The lower end of its interval; none if it is open or if nothing scatters.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The decision.
    pub decision: ComparisonDecision,
    /// Why nothing is decided, or that the values are exact.
    pub why: String,
    /// The samples that would decide it.
    pub needs: String,
    /// The size of the sample: values of both sides, or instances.
    pub n: usize,
    /// The questions with a value on both sides.
    pub pairs: usize,
    /// The probability that the interval misses.
    pub level: f64,
    /// The clock of times; empty for other metrics.
    pub clock: String,
    /// True if the estimate is a factor, false if it is a difference.
    #[serde(skip)]
    pub is_ratio: bool,
}

impl Comparison {
    /// A row that says why nothing is compared.
    pub fn refused(terms: &Terms, why: String) -> Self {
        Self {
            a: terms.a.clone(),
            b: terms.b.clone(),
            metric: terms.metric.clone(),
            scope: ComparedScope::These,
            over: "all".to_owned(),
            estimate: None,
            low: None,
            high: None,
            decision: ComparisonDecision::NotComparable,
            why,
            needs: String::new(),
            n: 0,
            pairs: 0,
            level: terms.level,
            clock: terms.clock().to_owned(),
            is_ratio: terms.is_ratio,
        }
    }

    /// Returns whether the decision is `decision`.
    pub fn is(&self, decision: ComparisonDecision) -> bool {
        self.decision == decision
    }

    /// Returns whether it is about all instances.
    pub fn is_of_all(&self) -> bool {
        self.over == "all"
    }

    /// Returns whether the values do not scatter.
    pub fn is_exact(&self) -> bool {
        self.why == EXACT
    }

    /// Returns whether it has an end of an interval, or values that are exact.
    pub fn has_interval(&self) -> bool {
        self.low.is_some() || self.high.is_some() || self.is_exact()
    }

    /// Returns whether the whole interval is within `margin` of no difference.
    pub fn is_within(&self, margin: f64) -> bool {
        let (Some(low), Some(high)) = (self.low, self.high) else {
            return self.is(ComparisonDecision::Same);
        };
        match self.is_ratio {
            true => low * (1.0 + margin) >= 1.0 && high <= 1.0 + margin,
            false => low >= -margin && high <= margin,
        }
    }

    /// Returns whether B is decided to be worse by more than `margin`, a share.
    pub fn is_worse_by(&self, margin: f64) -> bool {
        // Exact values have no interval.
        let end = self.high.or(self.estimate).unwrap_or(0.0);
        self.is(ComparisonDecision::Worse) && {
            let rounding = 1e-9;
            match self.is_ratio {
                true => end * (1.0 + margin) < 1.0 - rounding,
                false => end < -margin - rounding,
            }
        }
    }

    /// The row of the factor by which B is better, from pairs that were taken in turns. The interval is valid after every
    /// pair, and is widened to the estimate; `None` without a pair.
    pub fn of_pairs(
        terms: &Terms,
        over: String,
        factor: Option<Estimate>,
        (pairs, level): (usize, f64),
    ) -> Self {
        let Some(factor) = factor else {
            return Self {
                over,
                level,
                decision: ComparisonDecision::Undecided,
                ..Self::refused(terms, "no pair of one round".to_owned())
            };
        };
        let is_known = |ends: &Interval| ends.low > 0.0 || ends.high.is_finite();
        let wide = |ends: Interval| Interval {
            low: ends.low.min(factor.value),
            high: ends.high.max(factor.value),
        };
        let interval = factor.interval.filter(is_known).map(wide);
        let one = Leveled {
            estimate: Estimate::of(factor.value, interval).map(f64::ln),
            level,
        };
        let row = Self::of(terms, (ComparedScope::These, over), &one, None);
        Self {
            n: pairs,
            pairs,
            ..row
        }
    }

    /// A row from an interval on the scale of the comparison, positive where B is better. `gate` is the interval that has to
    /// be decided first, if there is one.
    pub fn of(
        terms: &Terms,
        (scope, over): (ComparedScope, String),
        one: &Leveled,
        gate: Option<&Leveled>,
    ) -> Self {
        let margin = if terms.is_ratio {
            terms.margin.ln_1p()
        } else {
            terms.margin
        };
        let mut ends = one.estimate.interval;
        let first = gate.and_then(|gate| gate.estimate.interval);
        let is_first_open =
            first.is_some_and(|ends| ends.low <= 0.0 && ends.high >= 0.0 && ends.low < ends.high);
        if let Some(ends) = ends.as_mut().filter(|_| is_first_open) {
            // A side that is open on these instances is open on others too.
            ends.low = ends.low.min(0.0);
            ends.high = ends.high.max(0.0);
        }
        let is_exact = ends.is_some_and(|ends| ends.low == ends.high);
        let decision = match (ends, &terms.withheld) {
            _ if terms.better == Better::Neither => ComparisonDecision::Undecided,
            (None, _) | (_, Some(_)) => ComparisonDecision::Undecided,
            (Some(ends), _) if ends.low > 0.0 => ComparisonDecision::Better,
            (Some(ends), _) if ends.high < 0.0 => ComparisonDecision::Worse,
            (Some(ends), _) if ends.low >= -margin && ends.high <= margin => {
                ComparisonDecision::Same
            }
            _ => ComparisonDecision::Undecided,
        };
        let why = match (&terms.withheld, ends) {
            (Some(why), _) => why.clone(),
            _ if terms.better == Better::Neither => "neither lower nor higher is better".to_owned(),
            (None, None) => "too few samples".to_owned(),
            (None, Some(_)) if is_exact => EXACT.to_owned(),
            (None, Some(ends))
                if decision == ComparisonDecision::Undecided
                    && (ends.low.is_infinite() || ends.high.is_infinite()) =>
            {
                "stopped or failed samples leave an end open".to_owned()
            }
            _ => String::new(),
        };
        let shown = |value: f64| {
            if terms.is_ratio { factor(value) } else { value }
        };
        let end = |end: f64| Some(shown(end)).filter(|_| end.is_finite() && !is_exact);
        Self {
            scope,
            over,
            estimate: Some(shown(one.estimate.value)),
            low: ends.and_then(|ends| end(ends.low)),
            high: ends.and_then(|ends| end(ends.high)),
            decision,
            why,
            level: one.level,
            ..Self::refused(terms, String::new())
        }
    }
}

/// The columns of `comparisons.csv`.
pub fn columns<'a>() -> CsvTable<'a, &'a Comparison> {
    CsvTable::<&Comparison>::default()
        .column("a", |one| one.a.clone())
        .column("b", |one| one.b.clone())
        .column("metric", |one| one.metric.clone())
        .column("scope", |one| one.scope.name())
        .column("over", |one| one.over.clone())
        .column("estimate", |one| number(one.estimate))
        .column("low", |one| number(one.low))
        .column("high", |one| number(one.high))
        .column("decision", |one| one.decision.name())
        .column("why", |one| one.why.clone())
        .column("needs", |one| one.needs.clone())
        .column("n", |one| one.n)
        .column("pairs", |one| one.pairs)
        .column("level", |one| one.level)
        .column("clock", |one| one.clock.clone())
}

/// The comparisons as CSV.
pub fn csv(all: &[Comparison]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // A buffer does not fail.
    let _ = columns().fill(&mut writer, all);
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Compares the samples of `parts`. `None` if no question has a value on both sides.
pub fn compare(parts: &[Part], terms: &Terms) -> Option<Vec<Comparison>> {
    let scale = if terms.is_ratio {
        EffectScale::Logarithm
    } else {
        EffectScale::Relative
    };
    let all: Vec<&[Vec<Question>]> = parts.iter().map(|part| part.instances.as_slice()).collect();
    let difference = Difference::of(&all, scale, terms.level)?;
    // Positive where B is better.
    let difference = match terms.better {
        Better::Higher => difference.inverse(),
        Better::Lower | Better::Neither => difference,
    };
    let sizes: Vec<[usize; 3]> = parts.iter().map(sizes).collect();
    let of = |own: &[[usize; 3]]| {
        own.iter()
            .fold([0; 3], |sum, one| [0, 1, 2].map(|at| sum[at] + one[at]))
    };
    let [instances, pairs, samples] = of(&sizes);
    let mut rows = Vec::new();
    let whole = |scope| (scope, "all".to_owned());
    let of_these = Comparison::of(terms, whole(ComparedScope::These), &difference.these, None);
    rows.push(Comparison {
        n: samples,
        pairs,
        ..of_these
    });
    if instances > 1 {
        let gate = Some(&difference.these);
        let of_alike = Comparison::of(terms, whole(ComparedScope::Alike), &difference.alike, gate);
        rows.push(Comparison {
            n: instances,
            pairs,
            ..of_alike
        });
    }
    let all = parts.iter().zip(&difference.parts).zip(&sizes);
    for ((part, one), [_, pairs, samples]) in all {
        // A part that has no interval cannot be decided.
        let Some(one) = one.filter(|one| one.estimate.interval.is_some()) else {
            continue;
        };
        let place = (ComparedScope::These, part.over.clone());
        let row = Comparison::of(terms, place, &one, None);
        rows.push(Comparison {
            n: *samples,
            pairs: *pairs,
            ..row
        });
    }
    for row in &mut rows {
        row.needs = needs(row, terms);
    }
    Some(rows)
}

/// The instances, the questions with a value on both sides, and their values.
fn sizes(part: &Part) -> [usize; 3] {
    let has_both =
        |question: &&Question| !question.a.values.is_empty() && !question.b.values.is_empty();
    let mut all = [0; 3];
    for instance in &part.instances {
        let own: Vec<&Question> = instance.iter().filter(has_both).collect();
        let values = own.iter().map(|it| it.a.values.len() + it.b.values.len());
        all[0] += usize::from(!own.is_empty());
        all[1] += own.len();
        all[2] += values.sum::<usize>();
    }
    all
}

/// The samples that would decide an undecided row.
fn needs(row: &Comparison, terms: &Terms) -> String {
    if !row.is(ComparisonDecision::Undecided)
        || terms.withheld.is_some()
        || terms.better == Better::Neither
    {
        return String::new();
    }
    let is_alike = row.scope == ComparedScope::Alike;
    match (row.low, row.high) {
        (None, None) if is_alike => "more instances".to_owned(),
        (None, None) if row.pairs == 1 => format!("{} repeats a side", repeats(row.level)),
        (None, None) => "2 repeats a side or more".to_owned(),
        (Some(low), Some(high)) => {
            let scale = |value: f64| if terms.is_ratio { value.ln() } else { value };
            let half = 0.5 * (scale(high) - scale(low));
            let times = (half / row.estimate.map_or(0.0, scale))
                .powi(2)
                .max(1.5)
                .ceil();
            let what = if is_alike { "instances" } else { "repeats" };
            match times {
                few if few < 1_000.0 => format!("about {few} times as many {what}"),
                _ => format!("more than 1,000 times as many {what}"),
            }
        }
        _ => String::new(),
    }
}

/// The fewest repeats a side with which the rank interval of one question exists.
fn repeats(level: f64) -> usize {
    let exists = |n: &usize| crate::ranks::least_p(*n, *n) <= level;
    (2..1_000).find(exists).unwrap_or(1_000)
}
