//! Pairs of scores: a variant against the baseline of one run, or a run against another, on the same questions.

use std::cmp::Ordering;
use std::collections::HashMap;

use ikeru_compare::LEVEL;
use ikeru_compare::comparison::{Comparison, ComparisonDecision, Terms};
use ikeru_compare::decide::Leveled;
use ikeru_compare::mean::mean_of;
use ikeru_compare::paired::{PairedBet, mean_difference};
use ikeru_compare::pairing::{Side, join, question_columns};
use ikeru_compare::scores::{ScoreDifferences, difference};
use ikeru_statistics::{Estimate, Interval, mean};

use crate::records::Family;
use crate::rows::Rows;
use crate::units::Quantity;

/// One variant compared with the baseline.
#[derive(Debug, Clone)]
pub struct ScorePair {
    /// The variant.
    pub label: String,
    /// The baseline.
    pub baseline: String,
    /// The paired differences; positive ones are better than the baseline.
    pub scores: PairedBet,
    /// The share up to which the sides are the same.
    pub(super) margin: f64,
    mean: Option<Leveled>,
}

/// Compares the scores of each label with those of `baseline`, in the order in which the questions were answered. The label
/// with the best mean difference is first. There are no pairs if the baseline was not chosen.
pub fn pairs(rows: &Rows, selection: &[u32], baseline: &str) -> Vec<ScorePair> {
    let mut labels = rows.group("label", selection);
    let Some(base) = labels.iter().position(|(label, _)| label == baseline) else {
        return Vec::new();
    };
    let (_, base) = labels.remove(base);
    let level = LEVEL / labels.len().max(1) as f64;
    let pair = |(label, own): (String, Vec<u32>)| {
        let sides = [&base, &own].map(|own| Side { rows, own });
        ScorePair::between([baseline.to_owned(), label], sides, level)
    };
    let mut pairs: Vec<ScorePair> = labels.into_iter().map(pair).collect();
    let mean = |pair: &ScorePair| mean(pair.scores.differences()).unwrap_or(f64::NEG_INFINITY);
    pairs.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
    pairs
}

/// The mean difference between the scores of two labels on each question that both have, with a row of it: within a way that
/// both have, of each sample of one and each of the other. Repeats are no further pairs: a solver may answer in the same way
/// every time. The method settings of both labels are ways. The order of the pairs is that in which both samples were begun, so
/// that every command has the same one.
pub(super) fn by_question(base: Side, own: Side) -> Vec<(u32, f64)> {
    // A repeat that a later session added would change a pair that was shown before.
    let planned = |Side { rows, own }: Side| -> Vec<u32> {
        let planned = own.iter().filter(|row| !rows.is_added(**row));
        planned.copied().collect()
    };
    let [of_base, of_own] = [base, own].map(planned);
    let [base, own] = [(base, &of_base), (own, &of_own)].map(|(side, own)| Side { own, ..side });
    let direction = of_base.first().and_then(|row| base.rows.direction(*row));
    let Some(direction) = direction else {
        return Vec::new();
    };
    let mut columns = question_columns(base, own);
    if base.distinct("label") == own.distinct("label") {
        // Samples of one variant are compared with those of equal settings.
        let has = |side: Side, name| !side.distinct(name).is_empty();
        let methods = own.rows.family(Family::Method);
        columns.extend(methods.filter(|name| has(base, name) && has(own, name)));
    }
    // When both sides of a question were begun, and a row of it.
    let mut questions: HashMap<&str, ([f64; 2], u32)> = HashMap::new();
    let mut differences = ScoreDifferences::default();
    for pair in join(base, own, &columns).instances.into_iter().flatten() {
        let sides = [(base.rows, &pair.a), (own.rows, &pair.b)];
        let began = sides.map(|(rows, own)| {
            let times = rows.numbers("started_ns", own).into_iter();
            times.fold(f64::INFINITY, f64::min)
        });
        let [before, now] = sides.map(|(rows, own)| {
            let counted = own.iter().filter(|row| rows.counts(**row));
            counted.map(|row| rows.confirmed(*row)).collect::<Vec<_>>()
        });
        let question = own.rows.text("question", pair.b[0]);
        differences.add(question, [&before, &now], |own, base| {
            difference(direction, Some(own), Some(base))
        });
        let known = questions.entry(question);
        let known = known.or_insert(([f64::INFINITY; 2], pair.b[0]));
        known.0 = [0, 1].map(|at| known.0[at].min(began[at]));
    }
    let all = differences.means();
    let mut all: Vec<_> = all
        .map(|(question, mean)| (questions[question], mean))
        .collect();
    all.sort_by(|((a, _), _), ((b, _), _)| a[0].max(a[1]).total_cmp(&b[0].max(b[1])));
    let settings: Vec<&str> = own.rows.family(Family::Setting).collect();
    let instance = |row: u32| {
        let columns = settings.iter().copied().chain(["instance_hash"]);
        columns
            .map(|name| own.rows.text(name, row))
            .collect::<Vec<_>>()
    };
    let mut all: Vec<(u32, f64)> = all
        .into_iter()
        .map(|((_, row), mean)| (row, mean))
        .collect();
    let last: HashMap<Vec<&str>, u32> = all.iter().map(|(row, _)| (instance(*row), *row)).collect();
    // A question with another referee is the same pair, judged anew.
    all.retain(|(row, _)| last[&instance(*row)] == *row);
    all
}

/// The mean difference on each independent unit: a question, or the declared group of instances.
fn differences(base: Side, own: Side) -> Vec<f64> {
    let rows = own.rows;
    let unit = |row: u32| match rows.clusters.is_empty() {
        true => rows.text("question", row),
        false => rows.unit(row),
    };
    let mut units: Vec<Vec<f64>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (row, difference) in by_question(base, own) {
        let at = *places.entry(unit(row)).or_insert(units.len());
        if at == units.len() {
            units.push(Vec::new());
        }
        units[at].push(difference);
    }
    units
        .iter()
        .filter_map(|all| mean_difference(all))
        .collect()
}

impl ScorePair {
    /// The number of pairs with such a difference.
    pub fn count(&self, is: fn(f64) -> bool) -> usize {
        let differences = self.scores.differences().iter();
        differences.filter(|it| is(**it)).count()
    }

    /// Pairs the scores of two sides, whose names are the baseline and the variant.
    pub fn between([baseline, label]: [String; 2], [a, b]: [Side; 2], level: f64) -> Self {
        Self::of([baseline, label], level, differences(a, b))
    }

    /// The pairs with these differences.
    pub fn of([baseline, label]: [String; 2], level: f64, differences: Vec<f64>) -> Self {
        let scores = PairedBet::of(level, differences);
        let mean = mean_of(&scores, 0.0);
        Self {
            label,
            baseline,
            scores,
            margin: 0.0,
            mean,
        }
    }

    /// The same pairs with a margin: an interval that a bet does not keep on one side of it goes to its other side.
    #[must_use]
    pub fn within(self, margin: f64) -> Self {
        let mean = mean_of(&self.scores, margin);
        Self {
            margin,
            mean,
            ..self
        }
    }

    /// Returns whether the whole interval is within the margin, on both sides of 0.
    pub(super) fn is_same(&self) -> bool {
        let ends = self.mean().and_then(|mean| mean.interval);
        let is_within = |ends: Interval| ends.low >= -self.margin && ends.high <= self.margin;
        self.side().is_none() && ends.is_some_and(is_within)
    }

    /// The mean difference with its interval.
    pub(super) fn mean(&self) -> Option<Estimate> {
        self.mean.map(|mean| mean.estimate)
    }

    /// Returns whether further pairs may decide it: nothing is decided, and a difference of `margin` may exist unseen.
    pub fn is_open(&self, margin: f64) -> bool {
        let finds = self.scores.sensitivity();
        self.side().is_none() && finds.is_none_or(|finds| finds >= margin)
    }

    /// The probability of a decision although there is no difference.
    pub fn level(&self) -> f64 {
        self.scores.level()
    }

    /// The side of 0 on which the interval is.
    pub fn side(&self) -> Option<Ordering> {
        self.mean?.side()
    }

    /// The comparison of the values of `metric`.
    pub fn comparison(&self, metric: &str) -> Comparison {
        let names = [&self.baseline, &self.label].map(String::clone);
        self.by(&Terms {
            margin: self.margin,
            ..Terms::of(names, metric.to_owned(), self.level())
        })
    }

    /// The comparison on instances like these; scores that are equal on every pair are equal on these.
    pub fn by(&self, terms: &Terms) -> Comparison {
        let n = self.scores.differences().len();
        let Some(mean) = self.mean else {
            let why = "no question has a score on both sides".to_owned();
            return Comparison::refused(terms, why);
        };
        let place = (self.scope(), "all".to_owned());
        let mut row = Comparison::of(terms, place, &mean, None);
        (row.n, row.pairs) = (n, n);
        let is_same = row.is_exact() || self.is_equal();
        if is_same {
            let (what, other) = match self.is_equal() {
                true => ("equal", "a"),
                false => ("the same difference", "another"),
            };
            row.why = format!(
                "{what} on every pair; {other} difference on up to {} of other instances is not excluded",
                Quantity::Share.word((3.0 / n as f64).min(1.0))
            );
        }
        if self.is_equal() {
            row.decision = ComparisonDecision::Same;
        } else if row.is(ComparisonDecision::Undecided) {
            row.needs = self.needs().unwrap_or_default();
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::Direction;

    use super::super::tests::rows_of;
    use super::super::{asked, first_places};
    use super::*;

    #[test]
    fn pairs_that_are_equal_do_not_outvote_those_that_are_much_worse() {
        let lost = (0..60).map(|at| if at % 5 < 2 { -0.9 } else { 0.0 });
        let lost = PairedBet::of(LEVEL, lost);
        for (bound, expected) in [(0.0, true), (0.01, true), (0.2, true), (0.5, false)] {
            let ends = mean_of(&lost, bound).and_then(|mean| mean.estimate.interval);
            assert_eq!(ends.expect("ends").high < -bound, expected, "{bound}");
        }
    }

    fn between(a: &Rows, of_a: &[u32], b: &Rows, of_b: &[u32]) -> ScorePair {
        let sides = [Side { rows: a, own: of_a }, Side { rows: b, own: of_b }];
        ScorePair::between(["a", "b"].map(str::to_owned), sides, LEVEL)
    }

    fn only_pair(lines: &[(usize, u32, u32, i64, i64)]) -> ScorePair {
        let rows = rows_of(lines);
        pairs(&rows, &rows.all(), "a").remove(0)
    }

    #[test]
    fn repeats_and_threads_of_a_question_are_one_pair() {
        let of_question = |question: usize| {
            (0..20).map(move |repeat| (question, 1 + repeat % 2, repeat / 2, 100, 110))
        };
        let lines: Vec<_> = (0..2).flat_map(of_question).collect();
        let pair = only_pair(&lines);
        assert_eq!(pair.scores.differences().len(), 2);
        assert_eq!(pair.side(), None);
        // Another number of threads is compared with itself.
        let lines = [(0, 1, 0, 100, 100), (0, 2, 0, 150, 150)];
        let equal = only_pair(&lines);
        assert_eq!(equal.scores.differences(), [0.0]);
        assert!(
            equal
                .sentence()
                .contains(" 0 % on this instance, 1\u{202f}pair")
        );
    }

    #[test]
    fn what_a_later_session_adds_to_an_instance_changes_no_pair() {
        let head = "schema,experiment,problem,session,instance_hash,question,label,repeat,started_ns,outcome,score\n";
        let told = |planned, lines: &str| {
            let mut rows = crate::rows_of(&format!("{head}{lines}"));
            rows.set_directions([("p", Direction::Maximize)]);
            rows.first_repeats = [(2, [("e".to_owned(), planned)].into())].into();
            let pair = pairs(&rows, &rows.all(), "a").remove(0);
            pair.scores.differences().to_vec()
        };
        let mut lines = String::new();
        for seed in 1..=3 {
            lines += &format!("1,e,p,1,i{seed},q{seed},a,0,{seed},solved,100\n");
            lines += &format!("1,e,p,1,i{seed},q{seed},b,0,{seed},solved,200\n");
        }
        assert_eq!(told(1, &lines), [0.5; 3]);
        // Further repeats of an instance, and another variant.
        let repeated = format!("{lines}1,e,p,2,i1,q1,b,1,9,solved,10\n");
        assert_eq!(told(1, &repeated), [0.5; 3]);
        // A repeat that the first session planned and a later one took, as after an interruption.
        assert_eq!(told(2, &repeated), [-0.2, 0.5, 0.5]);
        // A further instance, and one that another referee judged again.
        for (side, score) in [("a", 100), ("b", 400)] {
            lines += &format!("1,e,p,2,i4,q4,{side},0,10,solved,{score}\n");
            lines += &format!("1,e,p,2,i1,r1,{side},0,11,solved,{score}\n");
        }
        assert_eq!(told(1, &lines), [0.5, 0.5, 0.75, 0.75]);
    }

    #[test]
    fn each_way_is_compared_with_itself_whatever_the_repeats() {
        let side = |repeats: u32| {
            let of_question = |question: usize| {
                (0..2 * repeats).map(move |at| {
                    let threads = 1 + at % 2;
                    let score = 100 * i64::from(threads);
                    (question, threads, at / 2, score, score)
                })
            };
            rows_of(&(0..30).flat_map(of_question).collect::<Vec<_>>())
        };
        let [few, many] = [side(1), side(3)];
        let found = between(&few, &few.all(), &many, &many.all());
        assert_eq!(found.scores.differences(), [0.0; 30]);
        // Each repeat of one side is compared with each of the other.
        let lines = [(0, 1, 0, 100, 100), (0, 1, 1, 200, 100)];
        let rows = rows_of(&lines);
        let alone = rows_of(&lines[..1]);
        let found = between(&alone, &alone.all(), &rows, &rows.with("label", "a"));
        assert_eq!(found.scores.differences(), [0.25]);
    }

    #[test]
    fn several_settings_under_one_label_are_averaged_in_any_order() {
        let mut text =
            "schema,experiment,problem,instance_hash,question,label,method_width,repeat,outcome,score\n"
                .to_owned();
        for seed in 0..30 {
            let of = format!("1,e,p,i{seed},q{seed}");
            let [first, second] = if seed % 2 == 0 { [50, 150] } else { [150, 50] };
            text += &format!("{of},a,,0,solved,100\n");
            for width in [first, second] {
                text += &format!("{of},mine,{width},0,solved,{width}\n");
            }
        }
        let mut rows = crate::rows_of(&text);
        rows.set_directions([("p", Direction::Maximize)]);
        let pair = pairs(&rows, &rows.all(), "a").remove(0);
        let expected = (-0.5 + 50.0 / 150.0) / 2.0;
        let differences = pair.scores.differences();
        assert_eq!(differences.len(), 30);
        assert!(differences.iter().all(|it| (it - expected).abs() < 1e-12));
        let questions = asked(&rows, &rows.all());
        let places = |label| first_places(&questions, label, Direction::Maximize);
        assert_eq!([places("a"), places("mine")], [[30, 0], [30, 0]]);
    }

    #[test]
    fn settings_that_two_labels_have_are_compared_with_each_other() {
        let mut text = "schema,experiment,problem,instance_hash,question,label,method_width,repeat,outcome,score\n".to_owned();
        for seed in 0..30 {
            for (label, factor) in [("a", 1000), ("b", 1010)] {
                for width in [10, 20, 1000] {
                    let score = width * factor;
                    text += &format!("1,e,p,i{seed},q{seed},{label},{width},0,solved,{score}\n");
                }
            }
        }
        let mut rows = crate::rows_of(&text);
        rows.set_directions([("p", Direction::Maximize)]);
        let [a, b] = ["a", "b"].map(|label| rows.with("label", label));
        for found in [
            pairs(&rows, &rows.all(), "a").remove(0),
            between(&rows, &a, &rows, &b),
        ] {
            let differences = found.scores.differences();
            assert_eq!(differences.len(), 30);
            assert!(
                differences
                    .iter()
                    .all(|it| (it - 10.0 / 1010.0).abs() < 1e-12)
            );
        }
    }

    #[test]
    fn each_setting_of_a_label_is_compared_with_itself() {
        let side = |answers: [i64; 2]| {
            let mut text = "schema,experiment,problem,instance_hash,question,label,threads,method_width,repeat,outcome,score\n"
                .to_owned();
            for seed in 0..30 {
                for (width, score) in [100, 1000].into_iter().zip(answers) {
                    text += &format!("1,e,p,i{seed},q{seed},mine,1,{width},0,solved,{score}\n");
                    text += &format!("1,e,p,i{seed},q{seed},mine,2,{width},0,solved,7\n");
                }
            }
            let mut rows = crate::rows_of(&text);
            rows.set_directions([("p", Direction::Maximize)]);
            rows
        };
        let [before, now] = [side([100, 1000]), side([200, 1000])];
        let one = now.with("threads", "1");
        let found = between(&before, &before.all(), &now, &one);
        // One of two settings doubled its score. Only A has samples on two threads.
        assert_eq!(found.scores.differences(), [0.25; 30]);
    }

    #[test]
    fn a_side_against_the_mean_is_no_decision() {
        let small_gain = |question| match question % 8 {
            7 => (question, 1, 0, 1000, 700),
            _ => (question, 1, 0, 1000, 1001),
        };
        let lines: Vec<_> = (0..120).map(small_gain).collect();
        let pair = only_pair(&lines);
        assert_eq!(pair.scores.decision(), Some(Ordering::Greater));
        assert_eq!(pair.side(), None);
        let said = pair.sentence();
        assert!(
            said.ends_with("undecided: better on most pairs, worse in their mean"),
            "{said}"
        );
    }

    #[test]
    fn runs_are_compared_by_relative_differences() {
        let fallen = |question| match question {
            0 => (0, 1, 0, 100_000_000, 100_000_000),
            _ => (question, 1, 0, 100, 50),
        };
        let rows = rows_of(&(0..40).map(fallen).collect::<Vec<_>>());
        let [a, b] = ["a", "b"].map(|label| rows.with("label", label));
        let said = between(&rows, &a, &rows, &b).sentence();
        assert!(
            said.starts_with("b against a: −49 %") && said.ends_with("decided, worse"),
            "{said}"
        );
    }
}
