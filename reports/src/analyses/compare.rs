//! Compares two runs or two variants: joins their rows, and hands each pair of labels to `ikeru_compare`, which decides.

mod labels;
mod sides;
mod table;

use ikeru_compare::comparison::{Comparison, ComparisonDecision};
use ikeru_compare::failures::LostAnswers;
use ikeru_compare::words::Words;
use ikeru_core::Better;

use crate::comparisons::SAME;
use crate::error::Result;
use crate::metric::Metric;
use crate::records::Outcome;
use crate::rows::Rows;
use crate::run_file::RunFile;
use crate::table::Table;
use crate::units::{few, plural};
pub use sides::ComparedSide;
pub(super) use sides::forced;
pub use table::table;

/// The settings of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareTerms {
    /// The metric that is compared.
    pub metric: Metric,
    /// True if the clock may be another one for each pair of labels: CPU time where both have it.
    pub is_any_clock: bool,
    /// The relative difference up to which two sides count as the same: 0.05 for 5 %.
    pub bound: f64,
    /// The number of sides that are compared with A: they share the level.
    pub sides: usize,
    /// True if all sides are of A's run: then each has the level of the run's own table.
    pub are_of_one_run: bool,
    /// True if sides that are not comparable are compared anyway; the notes then list the reasons.
    pub force: bool,
    /// The direction in which the metric is better.
    pub better: Better,
}

impl CompareTerms {
    /// The terms of two sides. Values other than scores count as the same within [`SAME`].
    pub fn of(metric: Metric, better: Better) -> Self {
        Self {
            is_any_clock: false,
            bound: if metric == Metric::Score { 0.0 } else { SAME },
            sides: 1,
            are_of_one_run: true,
            force: false,
            better,
            metric,
        }
    }
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ComparedSides {
    /// The table with its sentences, notes and comparisons.
    pub table: Table,
    /// The rows in which B is decided to be worse than A by more than the bound, and the questions of which B lost
    /// answers.
    pub regressions: Vec<String>,
    /// The notes on samples and experiments that one side lacks.
    pub missing: Vec<String>,
    /// True if a run lacks planned samples.
    pub is_unfinished: bool,
    /// The labels of which the order turns by question: `memo: 2× slower to 3× faster`.
    pub turns: Vec<String>,
    /// The notes on questions that the rows of the table do not have.
    pub apart: Vec<String>,
    /// Why the comparison cannot rule out a regression: B failed more samples than A, but not decidedly more; nothing may
    /// be decided; or the samples are too few. `None` otherwise.
    pub undecidable: Option<String>,
}

impl ComparedSides {
    /// Why the sides are not comparable, if nothing was compared at all.
    pub fn refusal(&self) -> Option<&str> {
        let rows = &self.table.comparisons;
        let is_nothing = self.regressions.is_empty() && self.apart.is_empty();
        let is_refused = rows
            .iter()
            .all(|row| row.is(ComparisonDecision::NotComparable))
            && is_nothing;
        is_refused.then(|| {
            rows.first()
                .map_or("no label is on both sides", |row| row.why.as_str())
        })
    }

    /// Adds the comparison of a further side with A.
    pub fn append(&mut self, other: Self) {
        let table = other.table;
        self.table.rows.extend(table.rows);
        self.table.given_up_first = table::GIVEN_UP_FIRST[0];
        if let Some((_, b)) = table.title.split_once(", B is ") {
            let so_far = self.table.title.trim_end_matches(')');
            self.table.title = format!("{so_far} or {b}");
        }
        self.table.comparisons.extend(table.comparisons);
        for note in table.notes {
            if !self.table.notes.contains(&note) {
                self.table.note(note);
            }
        }
        self.regressions.extend(other.regressions);
        self.apart.extend(other.apart);
        self.turns.extend(other.turns);
        self.missing.extend(other.missing);
        self.is_unfinished |= other.is_unfinished;
        self.undecidable = self.undecidable.take().or(other.undecidable);
    }
}

/// The largest number of questions in a list.
const NAMED: usize = 5;

/// Compares B with A.
///
/// # Errors
/// Sides that are not comparable (unless forced), or no question with a value on both sides.
pub fn compare(a: &ComparedSide, b: &ComparedSide, terms: &CompareTerms) -> Result<ComparedSides> {
    let mut notes = sides::check(a, b, terms)?;
    let labels = labels::of([a, b], terms, &mut notes)?;
    let (mut found, mut sentences) = (ComparedSides::default(), Vec::new());
    let mut all: Vec<Vec<Comparison>> = Vec::new();
    let withheld = labels::withheld(&labels, terms);
    let words = words(terms);
    let mut lost = LostAnswers::default();
    for (pair, why) in labels.iter().zip(withheld) {
        let column = pair.metric.column();
        let place = |row| pair.place(row);
        let own = LostAnswers::of(pair.sides(), &pair.joined, &column, pair.level, place);
        found.apart.extend(own.left_out());
        lost.append(own);
        if why.is_none() {
            found.turns.extend(pair.turn(terms));
        }
        let own = pair.terms(terms, why);
        let scored = pair.scored(terms);
        let rows = match &scored {
            Some(scored) => vec![scored.by(&own)],
            None => pair.comparisons(&own),
        };
        let sentence = scored.map(|it| it.sentence());
        sentences.extend(sentence.or_else(|| words.sentence(&rows)));
        all.push(rows);
    }
    found.regressions.extend(lost.lost.iter().cloned());
    for rows in &all {
        found.regressions.extend(regressions(rows, terms, words));
    }
    let title = terms.metric.title();
    let title = format!("{title}: B against A (A is {}, B is {})", a.name, b.name);
    found.table = table(title, &all.concat(), words);
    let turns = turns_note(&found.turns);
    found.table.notes = sentences.into_iter().chain(turns).chain(notes).collect();
    let shaky = "B failed more samples than A, which chance explains too";
    let shaky = named(shaky, &lost.shaky);
    let told = [
        named("B does worse", &lost.lost),
        named("B does better", &lost.gained),
        shaky.clone(),
    ];
    found.apart.extend(told.into_iter().flatten());
    found.table.notes.extend(found.apart.clone());
    let of_a = unjudged("A", a);
    found.table.notes.extend(of_a.chain(unjudged("B", b)));
    found.undecidable = match terms.better {
        Better::Neither => Some(format!(
            "{} is neither better nor worse where it is higher; compare another metric",
            terms.metric.word()
        )),
        _ => shaky.or_else(|| undecidable(&all, terms.bound)),
    };
    Ok(found)
}

/// Compares the labels A and B among some rows of one run.
///
/// # Errors
/// Those of [`compare`], and an unknown label.
pub fn compare_labels(
    run: (&Rows, &RunFile),
    selection: &[u32],
    labels: [&str; 2],
    terms: &CompareTerms,
) -> Result<ComparedSides> {
    let [a, b] = labels.map(|label| {
        ComparedSide::new(
            label.to_owned(),
            run,
            selection.to_vec(),
            Some(label.to_owned()),
        )
    });
    compare(&a?, &b?, terms)
}

/// The rows in which B is decided to be worse by more than the bound, in words: all instances, or else the parts.
fn regressions(rows: &[Comparison], terms: &CompareTerms, words: Words) -> Vec<String> {
    // Without repeats the instances are the only sample.
    let whole = rows.iter().filter(|row| row.is_of_all());
    let whole = whole.take(if rows.first().is_some_and(Comparison::has_interval) {
        1
    } else {
        2
    });
    let is_worse = |row: &&Comparison| row.is_worse_by(terms.bound);
    let mut told: Vec<&Comparison> = whole.filter(is_worse).collect();
    if told.is_empty() {
        let parts = rows.iter().filter(|row| !row.is_of_all());
        told.extend(parts.filter(is_worse));
    }
    let told = told
        .iter()
        .map(|row| format!("{} on {}: {}", row.b, row.over, words.decision(row)));
    told.collect()
}

/// Notes on answers of a side that count for no solver or are wrong.
fn unjudged(name: &str, side: &ComparedSide) -> impl Iterator<Item = String> + use<> {
    let [unjudged, wrong] = [side.unjudged.len(), side.count(Outcome::Wrong)];
    let answers = |count| plural(count, "answer");
    let failed = (unjudged > 0).then(|| {
        let said = answers(unjudged);
        format!("The referee failed on {said} of {name}, which count for no solver.")
    });
    let wrong = (wrong > 0).then(|| {
        format!(
            "{} of {name} wrong: the referee refused them.",
            answers(wrong)
        )
    });
    failed.into_iter().chain(wrong)
}

/// The note on labels of which the order turns by question.
pub(super) fn turns_note(turns: &[String]) -> Option<String> {
    named("The order turns by question", turns)
}

/// The text `what` followed by the first of `questions`; `None` without questions.
fn named(what: &str, questions: &[String]) -> Option<String> {
    let named = few(questions, NAMED, "; ");
    (!questions.is_empty()).then(|| format!("{what}: {named}."))
}

/// The words of the metric.
pub(super) fn words(terms: &CompareTerms) -> Words {
    let (below, above) = terms.metric.words(terms.better);
    let [better, worse] = match terms.better {
        Better::Higher => [above, below],
        Better::Lower | Better::Neither => [below, above],
    };
    Words {
        better,
        worse,
        margin: terms.bound,
    }
}

/// Why the rows of each pair of labels do not rule out a regression by more than `bound`, in one line; `None` if they do.
pub fn undecidable(all: &[Vec<Comparison>], bound: f64) -> Option<String> {
    let of_all = |rows: &'_ Vec<Comparison>| {
        let mut of_all = rows.iter().filter(|row| row.is_of_all());
        let first = of_all.next().cloned();
        let second = of_all.next().filter(|row| row.has_interval()).cloned();
        let is_of_second = !first.as_ref().is_some_and(Comparison::has_interval);
        second.filter(|_| is_of_second).or(first)
    };
    let whole: Vec<Comparison> = all.iter().filter_map(of_all).collect();
    if let Some(row) = whole
        .iter()
        .find(|row| row.is(ComparisonDecision::NotComparable))
    {
        return Some(format!("{}: {}", row.b, row.why));
    }
    let is_open = |row: &Comparison| !(row.low.is_some() && row.high.is_some());
    let is_blind = |row: &&Comparison| match row.decision {
        ComparisonDecision::Undecided => is_open(row) || !row.why.is_empty(),
        // The interval does not say how much worse B is.
        ComparisonDecision::Worse => {
            row.low.is_none() && row.high.is_some() && !row.is_worse_by(bound)
        }
        _ => false,
    };
    let row = whole.iter().find(is_blind)?;
    let why = match row.why.as_str() {
        "" => "stopped or failed samples leave open how much worse it is",
        why => why,
    };
    let needs = match row.needs.as_str() {
        "" => String::new(),
        needs => format!("; it needs {needs}"),
    };
    Some(format!("{}: {why}{needs}", row.b))
}

#[cfg(test)]
mod tests;
