//! Fills the blanks of titles and readings from the rows, so that a sentence claims only what was measured.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::blank::{Blank, BlankAsked, Name, SentencePart, parts};
use super::chart::Point;
use super::claim::{
    DecidedClaim, PERCENT, TitleClaim, in_percent, percent, times, undecided, within_margin,
};
use super::question::{MOST_NAMED, PlotQuestion, capital, described};
use super::words::{clock, with_clock};
use crate::error::Result;
use ikeru_bench_data::Pairing;
use ikeru_compare::LEVEL;
use ikeru_compare::comparison::ComparedScope;

use crate::factor::Factor;
use crate::sampled::Statistic;
use crate::statistics::Bound;
use crate::units::{Quantity, count, few, plural, rounded};

/// A sentence with its blanks filled, and a note on each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// One sentence per blank with an interval or a mean: the method of averaging, and the interval.
    pub notes: Vec<String>,
    /// What its intervals speak of: `on these instances`.
    pub scopes: BTreeSet<&'static str>,
}

/// A blank filled.
#[derive(Default)]
struct Filled {
    text: String,
    note: Option<String>,
    /// The value with its interval.
    interval: Option<String>,
    /// A replacement for the whole title, if its own words would claim more than was found.
    instead: Option<String>,
    /// The scope of its interval.
    scope: Option<&'static str>,
}

/// What [`filled`] returns.
type Filling = (Sentence, Option<Vec<String>>, Option<Sentence>);

/// The plot's title. If the run has no rows for one of its blanks, e.g. without one of the variants, the title
/// describes the plot instead of its result, and says what is missing. If a ratio in it is not supported, the title states
/// what the rows support.
///
/// # Errors
/// An invalid blank, or an impossible range in a filter.
pub(super) fn title(question: &PlotQuestion) -> Result<Sentence> {
    let (mut sentence, missing, instead) = filled(&question.plot.title, question)?;
    if let Some(missing) = missing {
        let text = described(&question.plot, question.wording());
        let mut text = with_clock(&text, &question.plot.y);
        let rows = question.rows;
        // Other experiments of the run may have the name too.
        let experiment = question
            .drawn
            .first()
            .map(|row| rows.text("experiment", *row));
        let own = rows.with("experiment", experiment.unwrap_or_default());
        let has = |name: &String| {
            let column = question.column_of(name);
            own.iter().any(|row| rows.text(column, *row) == name)
        };
        let is_there = |name: &String| rows.is_part || has(name);
        let (hidden, missing): (Vec<_>, Vec<_>) = missing.into_iter().partition(is_there);
        for (why, names) in [
            ("left out by `where`", hidden),
            ("not measured in this run", missing),
        ] {
            if !names.is_empty() {
                text += &format!("; {why}: {}", few(&names, MOST_NAMED, ", "));
            }
        }
        return Ok(Sentence {
            text,
            ..Sentence::default()
        });
    }
    sentence.text = raised(&sentence.text);
    Ok(instead.unwrap_or(sentence))
}

/// A reading with its blanks filled. A blank for which the run has no rows becomes a question mark.
///
/// # Errors
/// An invalid blank, or an impossible range in a filter.
pub(super) fn reading(text: &str, question: &PlotQuestion) -> Result<Sentence> {
    Ok(filled(text, question)?.0)
}

/// The text with its blanks filled, or with a question mark where the run has no rows for one; the names without a row in
/// such blanks, if there is one; and a sentence in its place.
fn filled(text: &str, question: &PlotQuestion) -> Result<Filling> {
    let mut sentence = Sentence::default();
    let (mut intervals, mut missing, mut instead) = (Vec::new(), None, None);
    for part in parts(text)? {
        let blank = match part {
            SentencePart::Text(text) => {
                push(&mut sentence.text, &text);
                continue;
            }
            SentencePart::Blank(blank) => blank,
        };
        let Some(filled) = fill(&blank, question)? else {
            sentence.text.push('?');
            let mut names: Vec<String> = blank.names.into_iter().map(|name| name.series).collect();
            let missing = missing.get_or_insert_with(Vec::new);
            names.retain(|name| !question.has(name) && !missing.contains(name));
            missing.extend(names);
            continue;
        };
        // The first letter is a capital one, unless it is that of a variant.
        let begun = |text: String| {
            let is = |it: &Name| it.words == it.series && text.starts_with(&it.words);
            let is_name = blank.names.iter().any(is);
            if is_name { text } else { capital(&text) }
        };
        sentence.text = match sentence.text.is_empty() {
            true => begun(filled.text),
            false => sentence.text + &filled.text,
        };
        // The notes on the other blanks are of a sentence that is gone.
        let notes = filled.note.iter().cloned().collect();
        let replaced = filled.instead.map(|text| Sentence {
            text: begun(text),
            notes,
            scopes: filled.scope.into_iter().collect(),
        });
        instead = instead.or(replaced);
        sentence.scopes.extend(filled.scope);
        sentence.notes.extend(filled.note);
        intervals.extend(filled.interval);
    }
    sentence.notes.extend(in_one(&intervals));
    Ok((sentence, missing, instead))
}

/// The text with each `10^23` as `10²³`, and each `10^5.77` as the number that it is.
fn raised(text: &str) -> String {
    let mut parts = text.split("10^");
    let mut raised = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != '.');
        let digits = part[..end.unwrap_or(part.len())].trim_end_matches('.');
        match digits.parse::<f64>() {
            Ok(exponent) => raised += &rounded(10_f64.powf(exponent), 2),
            Err(_) => raised += "10^",
        }
        raised += &part[digits.len()..];
    }
    raised
}

/// One note for the values of a sentence.
fn in_one(intervals: &[String]) -> Option<String> {
    (!intervals.is_empty()).then(|| format!("With 95 % intervals: {}.", intervals.join(", ")))
}

/// Adds text without its leading `×` if the sentence already ends with one.
fn push(sentence: &mut String, text: &str) {
    let rest = text.strip_prefix('×').filter(|_| sentence.ends_with('×'));
    sentence.push_str(rest.unwrap_or(text));
}

/// Fills a blank; `None` if the run has no rows for it.
fn fill(blank: &Blank, question: &PlotQuestion) -> Result<Option<Filled>> {
    // The ratio of two sides pairs their questions; other values are those of marks.
    let of_blank = match (&blank.asked, blank.names.as_slice()) {
        (BlankAsked::Statistic(Statistic::Solved), _) => &question.with_hopeless()?,
        (_, [_]) => &question.drawn,
        _ => &question.selection,
    };
    let mut selection = question.rows.narrow(of_blank, &blank.only)?;
    let mut left_out = 0;
    if let (BlankAsked::Statistic(statistic), [one]) = (&blank.asked, blank.names.as_slice())
        && *statistic != Statistic::Solved
    {
        let common = question.common_of(*statistic, &one.series, &selection);
        left_out = selection.len() - common.len();
        selection = common;
    }
    let of = |name: &Name| -> Vec<u32> {
        let mut own = selection.clone();
        let column = question.column_of(&name.series);
        own.retain(|row| question.rows.text(column, *row) == name.series);
        own
    };
    match (&blank.asked, blank.names.as_slice()) {
        (BlankAsked::Statistic(statistic), [one]) => {
            let filled = value(*statistic, question, &of(one));
            let samples = plural(left_out, "sample");
            let note = format!("The sentence leaves out {samples} on questions that not all have.");
            let note = (left_out > 0).then_some(note);
            Ok(filled.map(|filled| Filled { note, ..filled }))
        }
        (BlankAsked::Along, [one]) => Ok(along(question, &of(one))),
        (BlankAsked::Crossing, [a, b]) => Ok(crossing(question, [a, b], [&of(a), &of(b)])),
        (asked, [a, b]) => {
            let (above, below) = (of(b), of(a));
            // A pair has its own clock. A ratio alone, which names none, has that of the marks.
            let (rows, shown) = (question.rows, &question.plot.y);
            let of_pair = rows.compared(&question.y, &[&above[..], &below].concat());
            let y = if *asked == BlankAsked::Ratio {
                shown
            } else {
                &*of_pair
            };
            // Series other than labels (e.g. kinds of maps) may have no question in common; labels without one are not
            // compared.
            let apart = || {
                let is_kind = question.series != "label";
                let factor = is_kind.then(|| Factor::apart(rows, y, &above, &below));
                factor.flatten().map(|(factor, _)| factor)
            };
            // Series other than labels differ in what they were asked.
            let is_asked = question.plot.pair_by == Pairing::Question && question.series == "label";
            let pairing = if is_asked {
                Pairing::Question
            } else {
                Pairing::Instance
            };
            let factor = Factor::between(rows, y, [&above, &below], pairing).or_else(apart);
            Ok(factor.map(|factor| compared(asked, y, (question, &selection), [a, b], &factor)))
        }
        _ => Ok(None),
    }
}

fn value(statistic: Statistic, question: &PlotQuestion, own: &[u32]) -> Option<Filled> {
    let estimate = statistic.of(question.rows, &question.plot.y, own)?;
    let quantity = match statistic {
        Statistic::Solved | Statistic::Over(_) => Quantity::Share,
        _ => question.rows.quantity(&question.plot.y, own),
    };
    let note = estimate.interval.filter(|ends| ends.low < ends.high);
    let bounded = match (quantity, estimate.bound) {
        (Quantity::Share, Bound::AtLeast) => "at least ",
        (Quantity::Share, Bound::AtMost) => "at most ",
        (_, bound) => bounded(bound),
    };
    let text = format!("{bounded}{}", quantity.spoken_beside(estimate.value, note));
    let note = note.map(|ends| format!("{text} ({})", quantity.range(ends.low, ends.high)));
    let ends = estimate.interval.filter(|_| quantity == Quantity::Share);
    Some(Filled {
        text: text + &ends.map_or(String::new(), in_percent),
        interval: note,
        ..Filled::default()
    })
}

fn bounded(bound: Bound) -> &'static str {
    match bound {
        Bound::Exact => "",
        Bound::AtLeast => "more than ",
        Bound::AtMost => "less than ",
        Bound::Either => "about ",
    }
}

/// The medians at both ends of x.
fn along(question: &PlotQuestion, own: &[u32]) -> Option<Filled> {
    let points = question.medians(own);
    let (first, last) = (points.first()?, points.last()?);
    if points.len() < 2 {
        return None;
    }
    let (x, y) = question.axes();
    let word = |point: &Point| {
        let bound = match point.bound {
            Bound::AtLeast => "over ",
            other => bounded(other),
        };
        format!("{bound}{}", y.quantity.spoken(point.mid))
    };
    let place = |point: &Point| match x.name(point.x) {
        Some(name) => name.clone(),
        None => x.quantity.trimmed(point.x),
    };
    let [from, to] = [first, last].map(|point| format!("{} at {}", word(point), place(point)));
    Some(Filled {
        text: format!("from {from} to {to}"),
        ..Filled::default()
    })
}

/// The values of x between which the decided order of two series changes: smaller values are ahead.
fn crossing(
    question: &PlotQuestion,
    [a, b]: [&Name; 2],
    [of_a, of_b]: [&[u32]; 2],
) -> Option<Filled> {
    let (rows, y, pairing) = (question.rows, &question.plot.y, question.plot.pair_by);
    let of_b = rows.group(&question.x, of_b);
    let side = |(x, of_a): (String, Vec<u32>)| {
        let (_, of_b) = of_b.iter().find(|(known, _)| *known == x)?;
        let factor = Factor::between(rows, y, [of_b, &of_a], pairing)?;
        Some((x, factor.side()))
    };
    let all: Vec<_> = (rows.group(&question.x, of_a).into_iter())
        .filter_map(side)
        .collect();
    let decided: Vec<_> = (all.iter())
        .filter_map(|(x, side)| Some((x, (*side)?)))
        .collect();
    let word = question.wording().column(&question.x);
    let changes = || decided.windows(2).filter(|pair| pair[0].1 != pair[1].1);
    let ahead = |side: Ordering| match side {
        Ordering::Greater => [&a.words, &b.words],
        _ => [&b.words, &a.words],
    };
    let [first, second] = ahead(decided.first().map_or(Ordering::Greater, |(_, side)| *side));
    let text = match (changes().count(), changes().next()) {
        _ if all.is_empty() => return None,
        (0, _) if decided.is_empty() => {
            format!("which of {first} and {second} is ahead is not decided at any {word}")
        }
        (0, _) => {
            let extent = match decided.len() {
                count if count == all.len() => format!("every {word}"),
                count => format!(
                    "{count} of {} values of {word}, the others are open",
                    all.len()
                ),
            };
            format!("{first} is ahead of {second} at {extent}: they do not cross")
        }
        (1, Some([last, next])) => {
            format!(
                "{second} overtakes {first} between {word} {} and {}",
                last.0, next.0
            )
        }
        (count, Some([last, next, ..])) => format!(
            "{first} and {second} change places {count} times, first between {word} {} and {}",
            last.0, next.0
        ),
        _ => return None,
    };
    let note = "The order at each value is decided on its own, at 95 %; smaller values are ahead.";
    Some(Filled {
        text,
        note: Some(note.to_owned()),
        ..Filled::default()
    })
}

fn compared(
    asked: &BlankAsked,
    column: &str,
    (question, selection): (&PlotQuestion, &[u32]),
    [a, b]: [&Name; 2],
    factor: &Factor,
) -> Filled {
    // A sentence has the mean before a range, a ratio alone has the range.
    let found = match asked {
        BlankAsked::Ratio => TitleClaim::of(factor).map(|(side, claim)| DecidedClaim {
            side,
            claim,
            range: String::new(),
        }),
        _ => TitleClaim::with_range(factor),
    };
    let claim = found.as_ref().map(|found| (found.side, found.claim));
    let is_undecided = question.is_undecided(selection, [&a.series, &b.series]);
    let noun = question.noun(column);
    let both = format!("{} and {}", a.words, b.words);
    let mut clause = match found {
        None if factor.known().is_none() => {
            format!("timeouts of both sides leave the {noun} of {both} open")
        }
        None if factor.is_of_few() => {
            format!("the samples are too few to compare the {noun} of {both}")
        }
        None if factor.is_equal() => format!("there is no difference in {noun} between {both}"),
        None if factor.is_withheld => {
            format!(
                "the difference in {noun} between {both} is undecided: measured one after the other"
            )
        }
        None => {
            let shown = factor.shown().inverse();
            match within_margin(shown) {
                Some(within) => format!("there is no difference in {noun} between {both} {within}"),
                None => {
                    let open = undecided(shown, words(asked, &noun));
                    format!("the difference in {noun} between {both} is {open}")
                }
            }
        }
        _ if is_undecided => format!("the difference in {noun} between {both} is undecided"),
        Some(DecidedClaim { side, claim, range }) => {
            let clause = clause(asked, &noun, [&a.words, &b.words], (side, claim));
            match factor.is_alike() || factor.instances < 2 {
                true => clause + &range,
                false => format!("{clause} {}", ComparedScope::These.place(factor.instances)),
            }
        }
    };
    let claim = claim.filter(|_| !is_undecided);
    let has_interval = matches!(claim, Some((_, TitleClaim::One(_, Some(_)))));
    let scope = factor.scope().place(factor.instances);
    let clock = clock(column).filter(|_| column != question.plot.y);
    clause.extend(clock.map(|clock| format!(" ({clock})")));
    // A failed sample has a time, its limit, and no other value: its question has no ratio.
    let is_missing = |row: &u32| {
        let name = question.rows.text(&question.series, *row);
        [&a.series, &b.series].iter().any(|own| *own == name) && question.is_missing(*row)
    };
    let clause = match question.is_of_time() || !selection.iter().any(is_missing) {
        true => clause,
        false => clause + " where both have one",
    };
    let (text, instead) = match (asked, claim) {
        (BlankAsked::Ratio, Some((Ordering::Greater, claim))) if !claim.is_both() => {
            (claim.words(), None)
        }
        (BlankAsked::Ratio, _) => (times(factor.shown().value), Some(clause)),
        _ => (clause, None),
    };
    Filled {
        note: Some(note(claim, factor, [&a.words, &b.words], is_undecided)),
        text,
        instead,
        scope: (has_interval && factor.instances > 1).then_some(scope),
        ..Filled::default()
    }
}

/// `A is 12× faster than B`
fn clause(
    asked: &BlankAsked,
    noun: &str,
    [a, b]: [&str; 2],
    (side, claim): (Ordering, TitleClaim),
) -> String {
    let (verb, smaller) = match asked {
        BlankAsked::Compared { verb, smaller } => (verb.as_str(), *smaller),
        _ => ("takes", "less"),
    };
    let is_less = side == Ordering::Greater;
    let of_side = |[less, more]: [_; 2]| if is_less { [less, more] } else { [more, less] };
    match claim {
        TitleClaim::One(factor, ends) if factor < PERCENT => {
            let amount = percent(factor, ends, is_less);
            let word = of_side([smaller, "more"])[0];
            format!("{a} {verb} {amount} {word} {noun} than {b}")
        }
        _ => {
            let compared = claim.beside(of_side(words(asked, noun)));
            match is_of_time(asked, noun) {
                true => format!("{a} is {compared} than {b}"),
                false => format!("{a} {verb} {compared} {noun} than {b}"),
            }
        }
    }
}

/// The words for smaller and larger values.
fn words<'a>(asked: &BlankAsked, noun: &str) -> [&'a str; 2] {
    match asked {
        _ if is_of_time(asked, noun) => ["faster", "slower"],
        BlankAsked::Compared { smaller, .. } => [smaller, "more"],
        _ => ["less", "more"],
    }
}

fn is_of_time(asked: &BlankAsked, noun: &str) -> bool {
    matches!(asked, BlankAsked::Faster)
        || (matches!(asked, BlankAsked::Ratio) && noun.contains("time"))
}

fn note(
    claim: Option<(Ordering, TitleClaim)>,
    factor: &Factor,
    [a, b]: [&str; 2],
    is_undecided: bool,
) -> String {
    // The note has the direction and the interval of the sentence.
    let (mean, [above, below]) = match claim {
        Some((Ordering::Less, _)) => (factor.shown().inverse(), [a, b]),
        _ => (factor.shown(), [b, a]),
    };
    let (bound, interval) = (mean.bound, mean.interval);
    let mean = format!("{} ({above} ÷ {below})", times(mean.value));
    let [questions, instances] = [factor.questions, factor.instances].map(count);
    let what = match (factor.questions, factor.instances) {
        (0, _) => format!("the ratio of two samples of {instances} instances or more"),
        (1, _) => "the ratio on one question".to_owned(),
        (_, 1) => format!("the geometric mean of {questions} questions' ratios, on one instance"),
        (many, all) if many == all => {
            format!("the geometric mean of {instances} instances' ratios")
        }
        _ => format!(
            "the geometric mean of {questions} questions' ratios, over {instances} instances"
        ),
    };
    let stopped = match bound {
        Bound::Exact => "",
        _ => ", with runs that failed or were stopped",
    };
    let (is_open, difference) = (!factor.is_alike(), factor.difference.as_ref());
    // Scores are decided by their pairs, of which this interval knows nothing.
    let known = interval.filter(|ends| ends.low < ends.high && !is_undecided);
    let interval = known.map(|ends| {
        let level = difference.map_or(LEVEL, |it| it.shown().level);
        let coverage = Quantity::Share.spoken(1.0 - level);
        let ends = Quantity::Ratio.range(ends.low, ends.high);
        let place = factor.scope().place(factor.instances);
        format!(", {coverage} interval {ends} {place}")
    });
    let interval = interval.unwrap_or_default();
    let range = match claim {
        Some((_, TitleClaim::Range(low, _))) if low.value == 1.0 => {
            "; the sentence has the ends of their range on these instances, where a question that is not decided counts as 1"
        }
        Some((_, TitleClaim::Range(..))) if is_open => {
            "; the sentence has the ends of their range on these instances, and for others nothing is decided"
        }
        Some((_, TitleClaim::Range(..))) => "; the sentence has the ends of their range",
        Some((_, TitleClaim::AtLeast(_))) if is_open => {
            "; the sentence has the smallest that the samples allow on these instances"
        }
        _ => "",
    };
    format!("{mean} is {what}{stopped}{interval}{range}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Estimate;

    #[test]
    fn a_note_counts_its_instances_with_separators() {
        let factor = Factor {
            difference: None,
            estimate: Estimate::plain(1.0),
            questions: 1_600,
            instances: 1_600,
            is_withheld: false,
            ratios: Vec::new(),
        };
        let said = note(None, &factor, ["a", "b"], false);
        let expected = "1.00× (b ÷ a) is the geometric mean of 1,600 instances' ratios.";
        assert_eq!(said, expected);
    }

    #[test]
    fn powers_of_ten_are_written_as_numbers() {
        let text = "Up to 10^23 routes on the full grid, 10^5.77 on the map.";
        assert_eq!(
            raised(text),
            "Up to 10²³ routes on the full grid, 590,000 on the map."
        );
        assert_eq!(raised("10^x, 10^3."), "10^x, 1,000.");
    }
}
