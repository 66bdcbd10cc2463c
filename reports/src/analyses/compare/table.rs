//! The table of a comparison and its notes.

use std::collections::BTreeMap;

use super::join::{ComparedRow, Pair};
use super::judge::JudgedRow;
use super::{CompareTerms, judge};
use crate::metric::Metric;
use crate::row;
use crate::statistics::contrast::Contrast;
use crate::statistics::decision::{Decision, LEVEL};
use crate::statistics::interval::geometric_mean;
use crate::statistics::sample::CensoredSample;
use crate::statistics::{Bound, Estimate, Interval, mean};
use crate::table::{Cell, Table};
use crate::units::{Quantity, few, number, plural};

/// The columns that a narrow table drops: at last the decisions. *B against A*, which stays, has the ratio with its
/// interval.
const GIVEN_UP_FIRST: &str = "samples | instances | p for others | 95 % for others | p (Holm) | 95 % interval | intervals of | B ÷ A | B − A | A | B | on instances like these | on these instances";

/// The table with its notes.
pub(super) fn table(rows: &[ComparedRow], judged: &[JudgedRow], terms: &CompareTerms) -> Table {
    // Rows of which some value is 0 are compared by their difference.
    let by_difference = judged.iter().filter(|row| row.level.is_some()).count();
    let are_mixed = (1..judged.len()).contains(&by_difference);
    let effect = match by_difference {
        0 => "B ÷ A",
        _ if are_mixed => "B ÷ A | B − A | intervals of",
        _ => "B − A",
    };
    let has_failed = rows.iter().any(|row| !failed(row).is_empty());
    let of_failed = if has_failed { "failed | " } else { "" };
    let heads = format!(
        "variant | instance | B against A | {of_failed}A | B | {effect} | 95 % interval | p (Holm) | on these instances | on instances like these | 95 % for others | p for others | instances | samples"
    );
    let fields = |(row, judged): (&ComparedRow, &JudgedRow)| {
        let mut fields = fields(row, judged, terms);
        if are_mixed {
            let is_ratio = judged.level.is_none();
            fields.insert(5 + usize::from(is_ratio), Cell::EMPTY);
            fields.insert(7, if is_ratio { "B ÷ A" } else { "B − A" }.into());
        }
        if has_failed {
            fields.insert(3, failed(row).into());
        }
        fields
    };
    Table {
        rows: rows.iter().zip(judged).map(fields).collect(),
        notes: explanation(rows, judged, terms),
        given_up_first: GIVEN_UP_FIRST,
        ..Table::new(format!("{}: B against A", terms.metric.title()), &heads)
    }
}

fn fields(row: &ComparedRow, judged: &JudgedRow, terms: &CompareTerms) -> Vec<Cell> {
    let samples = |of: fn(&Pair) -> &CensoredSample| {
        let count = row.pairs.iter().map(|pair| of(pair).values.len());
        count.sum::<usize>()
    };
    let (of_a, of_b) = (samples(|pair| &pair.a), samples(|pair| &pair.b));
    let p = |answer: Contrast| Cell::from((answer.p, Quantity::Real));
    let here = match judged.is_fact {
        true => Cell::from("exact"),
        false => p(judged.here),
    };
    let shown = |ratio: f64| judged.shown(ratio);
    let effect = judged.ratio.map(|ratio| ratio.map(shown).bare());
    let quantity = judged.quantity(&terms.metric);
    let ends = |ends: Option<Interval>| (ends.map(|ends| ends.map(shown)), quantity);
    let instances = Some(judged.instances).filter(|count| *count > 0);
    row![
        &row.variant,
        &row.place,
        in_words(judged, terms),
        side((row, judged), |pair| &pair.a, terms),
        side((row, judged), |pair| &pair.b, terms),
        (effect, quantity),
        ends(judged.here.interval),
        here,
        word_here(judged, terms),
        word(judged.decision_alike(terms), terms),
        ends(judged.alike.interval),
        p(judged.alike),
        instances.map_or(Cell::EMPTY, Cell::from),
        format!("{of_a} and {of_b}"),
    ]
}

/// The decision with its factor, which is above 1 in either direction: `2,690× faster (1,380 … 5,430×)`.
fn in_words(judged: &JudgedRow, terms: &CompareTerms) -> Cell {
    let word = Cell::from(word_here(judged, terms));
    let Some((ratio, ends)) = judged.ratio.zip(judged.here.interval) else {
        return word;
    };
    if judged.level.is_some() {
        let quantity = judged.quantity(&terms.metric);
        let ends = ends.map(|end| judged.shown(end));
        return word.with_detail(quantity.range(ends.low, ends.high));
    }
    let (factor, low, high) = match judged.decision_here(terms) {
        Decision::Higher => (ratio.value, ends.low, ends.high),
        Decision::Lower if ratio.value > 0.0 => {
            (1.0 / ratio.value, 1.0 / ends.high, 1.0 / ends.low)
        }
        _ => return word,
    };
    let range = Quantity::Ratio.range(low, high);
    Cell::from(format!("{} {word}", Quantity::Ratio.spoken(factor))).with_detail(range)
}

/// The failed samples of a row on each side, in words.
fn failed(row: &ComparedRow) -> String {
    let of_side = |side: usize, name: &str| {
        let said = row.pairs.iter().map(|pair| pair.failed[side].as_str());
        let said: Vec<&str> = said.filter(|failed| !failed.is_empty()).collect();
        let more = match said.len() {
            0 | 1 => String::new(),
            all => format!(" (and {} more)", plural(all - 1, "question")),
        };
        said.first().map(|first| format!("{name}: {first}{more}"))
    };
    let sides = [of_side(0, "A"), of_side(1, "B")];
    sides.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

impl JudgedRow {
    /// The quantity of [`shown`](Self::shown).
    fn quantity(&self, metric: &Metric) -> Quantity {
        self.level.map_or(Quantity::Ratio, |_| metric.quantity())
    }

    /// The ratio, or the difference from which it was computed.
    fn shown(&self, ratio: f64) -> f64 {
        // Nine decimals: without the rounding error of a division and its inverse.
        let rounded = |value: f64| (value * 1e9).round() / 1e9;
        let difference = |level| rounded((ratio - 1.0) * level);
        self.level.map_or(ratio, difference)
    }
}

/// The geometric mean of one side's medians, or their mean where the sides are compared by difference.
fn side(
    (row, judged): (&ComparedRow, &JudgedRow),
    of: fn(&Pair) -> &CensoredSample,
    terms: &CompareTerms,
) -> Cell {
    let medians = row.pairs.iter().filter_map(|pair| of(pair).median());
    let medians: Vec<Estimate> = medians.collect();
    let values: Vec<f64> = medians.iter().map(|median| median.value).collect();
    let middle = match values.as_slice() {
        // A single median is shown unchanged, even if it is not positive.
        [one] => Some(*one),
        several if judged.level.is_some() => mean(several),
        several => geometric_mean(several).map(|mean| mean.value),
    };
    let bounds = medians.iter().map(|median| median.bound);
    let bound = bounds.fold(Bound::Exact, Bound::and);
    let estimate = middle.map(|middle| Estimate::bounded(middle, bound));
    (estimate, terms.metric.quantity()).into()
}

fn word_here(judged: &JudgedRow, terms: &CompareTerms) -> String {
    let decision = judged.decision_here(terms);
    match decision {
        _ if judged.disturbed.is_some() => return "withheld".to_owned(),
        Decision::Same if judged.is_fact => return "equal".to_owned(),
        _ => {}
    }
    let word = word(decision, terms);
    if judged.is_regression(terms) {
        return format!("{word} by more than {}", Quantity::Share.word(terms.bound));
    }
    word
}

fn word(decision: Decision, terms: &CompareTerms) -> String {
    let (below, above) = terms.metric.words(terms.better);
    match decision {
        Decision::Lower => below.to_owned(),
        Decision::Higher => above.to_owned(),
        Decision::Same => format!("same within {}", Quantity::Share.word(terms.bound)),
        Decision::Open => "cannot tell".to_owned(),
    }
}

fn explanation(rows: &[ComparedRow], judged: &[JudgedRow], terms: &CompareTerms) -> Vec<String> {
    let bound = Quantity::Share.word(terms.bound);
    let mut said = vec![format!(
        "On these instances: the samples of each question are compared with each other (van Elteren's stratified rank test). On instances like these: each instance counts once (Wilcoxon's signed ranks of the logarithms of the ratios, below six instances Student's t). A and B are geometric means of medians. Of scores and measures, and of counters of which some are 0, they are arithmetic means, compared by differences: B − A, with bounds as parts of A. A decision needs an interval of the ratio that leaves 1 out and a p below {LEVEL}, corrected by Holm for the rows of the table; \"same\" needs the whole interval within {bound} of 1. \"By more than {bound}\" is a test of its own, on samples divided by {}.",
        1.0 + terms.bound
    )];
    said.push(format!(
        "Smallest p that so many samples can reach, corrected: {} on these instances, {} on instances like these.",
        least(judged, |row| row.here),
        least(judged, |row| row.alike)
    ));
    said.extend(notes_of_state(rows, judged, terms));
    let mut pairs = rows.iter().flat_map(|row| &row.pairs);
    if pairs.any(|pair| pair.cut.is_cut()) {
        said.push(
            "≥, ≤: samples were stopped. Both sides are cut where the first of them was, and beyond that nothing is told apart."
                .to_owned(),
        );
    }
    said
}

/// The smallest p that each tested row can reach, as a range in words.
fn least(judged: &[JudgedRow], answer: fn(&JudgedRow) -> Contrast) -> String {
    let tested = judged.iter().map(answer).filter(|it| it.p.is_some());
    let mut least: Vec<f64> = tested.map(|answer| answer.least).collect();
    least.sort_by(f64::total_cmp);
    let Some((first, last)) = least.first().zip(least.last()) else {
        return "no test".to_owned();
    };
    let blind = least.iter().filter(|least| **least >= LEVEL).count();
    let text = match (*first, *last) {
        (_, last) if last <= 0.0 => "no lower limit".to_owned(),
        (first, last) if first < last => format!("{} to {}", number(first), number(last)),
        (first, _) => number(first),
    };
    match blind {
        0 => text,
        _ => format!("{text} ({blind} of {} rows cannot be decided)", least.len()),
    }
}

/// The largest number of questions in a list.
const NAMED: usize = 5;

/// The notes on the disturbed rows, one for each reason.
fn notes_of_state(rows: &[ComparedRow], judged: &[JudgedRow], terms: &CompareTerms) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (row, judged) in rows.iter().zip(judged) {
        if let Some(why) = &judged.disturbed {
            let place = format!("{} on {}", row.variant, row.place);
            reasons.entry(why).or_default().push(place);
        }
    }
    let moved = judge::moved_placebo(rows, judged, terms);
    if let Some(why) = &moved {
        reasons.entry(why).or_default();
    }
    let note = |(why, places): (&str, Vec<String>)| {
        let withheld = named(" Nothing is decided of", &places).unwrap_or_default();
        format!(
            "The machine was in another state: {why}.{withheld} Run both sides again, or take turns with `ikeru ab`."
        )
    };
    reasons.into_iter().map(note).collect()
}

/// The text `what` followed by the first of `questions`; `None` without questions.
pub(super) fn named(what: &str, questions: &[String]) -> Option<String> {
    let named = few(questions, NAMED, "; ");
    (!questions.is_empty()).then(|| format!("{what}: {named}."))
}
