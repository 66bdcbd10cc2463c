//! The results of a run for the terminal: an answer per experiment, and one experiment's variants side by side.

use std::collections::BTreeSet;
use std::iter;

use ikeru_bench_data::{Experiment, Pairing};
use ikeru_compare::pairing::{Side, differs_in, shared_column};
use serde::Serialize;

use crate::charts::claim::decision;
use crate::charts::{Wording, clock, with_clock};
use crate::factor::Factor;
use crate::page::Section;
use crate::records::Outcome;
use crate::rows::TIME;
use crate::statistics::Estimate;
use crate::summary::baseline_label;
use crate::table::{Cell, Table};
use crate::units::{self, Quantity, THIN};
use crate::{Rows, Statistic, row};

/// The result of one experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExperimentAnswer {
    /// The experiment.
    pub experiment: String,
    /// The answer in one sentence.
    pub text: String,
    /// The number of its wrong answers, answers in dispute, and crashes.
    pub alarms: usize,
}

/// The answers of `sections`, in their order.
pub fn answers<'s>(sections: impl Iterator<Item = &'s Section>) -> Vec<ExperimentAnswer> {
    let answer = |section: &Section| ExperimentAnswer {
        experiment: section.name.clone(),
        text: section.answer.clone(),
        alarms: section.alarms,
    };
    sections.map(answer).collect()
}

/// A preparation is shown if it takes more than this many times the time of an answer, which does not include it.
const LONG_PREPARATION: f64 = 1000.0;

/// A first answer is shown if it takes more than this many times the time of a repeated one, and 10 µs more.
const LONG_FIRST: f64 = 4.0;
const LEAST_NS: f64 = 10_000.0;

/// The variants of one experiment side by side, compared by the y column of its first plot, or by time. `is_sequential` is true
/// of a run that took repeats until pairs were decided.
pub fn variants(rows: &Rows, experiment: &Experiment, is_sequential: bool) -> Table {
    let own = rows.with("experiment", &experiment.name);
    let compared = ComparedVariants::of(rows, experiment, &own);
    let (column, groups) = (&*compared.column, &compared.variants);
    let base = compared.baseline();
    let mut table = Table::new(String::new(), "variant");
    let clocked = with_clock(&Wording::of(rows, &own).column(column), column);
    let sizes = extreme_sizes(rows, &own);
    table.heads.push(match &sizes {
        Some([low, high]) => format!("median {clocked} of size {low} … {high}"),
        None => format!("median {clocked}"),
    });
    let against = |(label, _): &(String, _)| format!("against {label}");
    table.heads.extend(base.map(against));
    let typical = |column: &str, own: &[u32]| Statistic::Median.of(rows, column, own);
    let prepared = |own: &[u32]| typical("prepare_ns", own).zip(typical(TIME, own));
    let is_long = |(_, own): &(String, Vec<u32>)| {
        prepared(own).is_some_and(|(before, time)| before.value > LONG_PREPARATION * time.value)
    };
    let is_prepared = groups.iter().any(is_long);
    if is_prepared {
        table.heads.push("prepared in".to_owned());
    }
    let first = |own: &[u32]| {
        let (first, time) = typical("first_ns", own).zip(typical(TIME, own))?;
        let least = (LONG_FIRST * time.value).max(time.value + LEAST_NS);
        (first.value > least).then(|| first.bare())
    };
    let has_first = groups.iter().any(|(_, own)| first(own).is_some());
    if has_first {
        table.heads.push("first answer".to_owned());
    }
    table.heads.push("solved".to_owned());
    table.given_up_first = "solved | first answer | prepared in | median …";
    let mut factors = Vec::new();
    for (label, rows_of_label) in groups {
        let mut line = row![label, medians(rows, column, sizes.as_ref(), rows_of_label)];
        line.extend(base.map(|(name, base)| {
            let base = (name != label).then_some(base.as_slice());
            // Each pair has the clock that both sides have.
            let sides = [rows_of_label, base.unwrap_or(rows_of_label)];
            let of_pair = shared_column(compared.asked, sides.map(|own| Side { rows, own }));
            let (mut said, factor) = against_baseline(rows, &of_pair, rows_of_label, base);
            let clock = clock(&of_pair).filter(|_| factor.is_some() && of_pair != *column);
            said.extend(clock.map(|clock| format!(" ({clock})")));
            factors.extend(factor);
            Cell::from(said)
        }));
        if is_prepared {
            let took = typical("prepare_ns", rows_of_label);
            line.push((took.map(Estimate::bare), Quantity::Time).into());
        }
        if has_first {
            line.push((first(rows_of_label), Quantity::Time).into());
        }
        line.push(solved(rows, rows_of_label).into());
        table.rows.push(line);
    }
    table.notes.extend(fewer_questions(rows, groups));
    table.notes.extend(scope_note(&factors, is_sequential));
    table
}

/// The comparison of a label with the baseline, `None` for the baseline itself, in words, and its factor.
fn against_baseline(
    rows: &Rows,
    column: &str,
    own: &[u32],
    base: Option<&[u32]>,
) -> (String, Option<Factor>) {
    if !rows.ended(own, Outcome::Wrong).is_empty() {
        return ("wrong answers".to_owned(), None);
    }
    if rows.sample(column, own).failed_mostly() {
        return (rows.failed_in_words(own), None);
    }
    let Some(base) = base else {
        return ("baseline".to_owned(), None);
    };
    let factor = Factor::between(rows, column, [own, base], Pairing::Question);
    let is_time = Quantity::of_column(column) == Quantity::Time;
    let mut values = [own, base]
        .into_iter()
        .flat_map(|own| rows.numbers(column, own));
    let said = match &factor {
        Some(factor) => decision(factor, is_time),
        None if values.any(|it| it <= 0.0) => "no ratio: some values are not above 0".to_owned(),
        None => match differs_in(Side { rows, own }, Side { rows, own: base }) {
            Some(column) => format!("not comparable: {column} differs"),
            None => "not comparable: no value on both sides".to_owned(),
        },
    };
    (said, factor)
}

/// What the intervals in brackets speak of; `None` if there is none.
fn scope_note(factors: &[Factor], is_sequential: bool) -> Option<String> {
    let with_interval = factors.iter().filter(|it| it.shown().interval.is_some());
    let scopes: BTreeSet<&str> = with_interval
        .map(|it| it.scope().place(it.instances))
        .collect();
    let scopes = scopes.into_iter().collect::<Vec<_>>().join(", ");
    let but = match is_sequential {
        true => {
            " if the number of samples had been fixed beforehand; the comparisons pair by pair hold as they are"
        }
        false => "",
    };
    (!scopes.is_empty())
        .then(|| format!("Intervals: {scopes}, 95{THIN}% for all rows together{but}."))
}

/// The median of a label, or those on the instances of two sizes.
fn medians(rows: &Rows, column: &str, sizes: Option<&[String; 2]>, own: &[u32]) -> Cell {
    let median = |own: &[u32]| {
        let has_failed = rows.sample(column, own).failed_mostly();
        let median = Statistic::Median.of(rows, column, own);
        let median = median.filter(|_| !has_failed).map(Estimate::bare);
        Cell::from((median, Quantity::of_column(column)))
    };
    let of_size = |size: &String| {
        let mut own = own.to_vec();
        own.retain(|row| rows.text("size", *row) == size);
        median(&own).line()
    };
    match sizes {
        Some(sizes) => sizes.each_ref().map(of_size).join(" … ").into(),
        None => median(own),
    }
}

/// The smallest and the largest size of the rows' instances; `None` if there is one alone.
pub(crate) fn extreme_sizes(rows: &Rows, own: &[u32]) -> Option<[String; 2]> {
    let mut sizes = rows.distinct("size", own);
    sizes.sort_by(|a, b| {
        let [a, b] = [a, b].map(|size| size.parse().unwrap_or(f64::NAN));
        a.total_cmp(&b)
    });
    (sizes.len() > 1).then(|| [sizes[0].clone(), sizes[sizes.len() - 1].clone()])
}

/// A note on variants that were not asked all questions; `None` if all were asked equally many.
fn fewer_questions(rows: &Rows, groups: &[(String, Vec<u32>)]) -> Option<String> {
    let asked = |(_, own): &(String, Vec<u32>)| {
        let mut ran = own.clone();
        ran.retain(|row| rows.outcome(*row) != Some(Outcome::Skipped));
        [own, &ran].map(|rows_of| rows.distinct("question", rows_of).len())
    };
    // Settings of a variant may make the same number of other questions.
    let counts: Vec<[usize; 2]> = groups.iter().map(asked).collect();
    let most = counts.iter().map(|[_, asked]| *asked).max();
    let is_fewer = |[all, asked]: [usize; 2]| asked < all || Some(asked) < most;
    let fewer = groups
        .iter()
        .zip(&counts)
        .filter(|(_, count)| is_fewer(**count));
    let names: Vec<&str> = fewer.map(|((label, _), _)| label.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "The median of {} is over fewer questions, because some were skipped or not asked; the factor is over those of both.",
            names.join(", ")
        )
    })
}

/// The variants of an experiment in numbers: the median with its interval. Scores are followed by times. The title is the
/// experiment.
pub fn variant_results(rows: &Rows, experiment: &Experiment) -> Table {
    let own = rows.with("experiment", &experiment.name);
    let ComparedVariants {
        column, variants, ..
    } = ComparedVariants::of(rows, experiment, &own);
    let time = rows.compared(TIME, &own).into_owned();
    let time = Some(time).filter(|time| column == "score" && rows.has(time));
    let mut table = Table::new(
        &experiment.name,
        "variant | column | clock | median | solved | samples",
    );
    let columns = iter::once(&column).chain(&time);
    let both = columns.flat_map(|column| variants.iter().map(move |group| (column, group)));
    for (column, (label, of_label)) in both {
        let has_failed = rows.sample(column, of_label).failed_mostly();
        let median = Statistic::Median.of(rows, column, of_label);
        table.rows.push(row![
            label,
            column,
            clock(column).unwrap_or_default(),
            (median.filter(|_| !has_failed), Quantity::of_column(column)),
            rows.solved(of_label).len(),
            of_label.len(),
        ]);
    }
    table
}

/// The variants of an experiment, and what they are compared by.
struct ComparedVariants<'a> {
    /// The y column of the first plot, or the time.
    asked: &'a str,
    /// The same with the clock of all rows.
    column: String,
    /// The label and the rows of each variant.
    variants: Vec<(String, Vec<u32>)>,
    /// The label of the baseline.
    baseline: Option<String>,
}

impl<'a> ComparedVariants<'a> {
    fn of(rows: &Rows, experiment: &'a Experiment, own: &[u32]) -> Self {
        let asked = experiment.plots.first().map_or(TIME, |plot| &plot.y);
        let is_known = asked.split('/').all(|part| rows.has(part));
        let asked = if is_known { asked } else { TIME };
        Self {
            asked,
            column: rows.compared(asked, own).into_owned(),
            variants: rows.group("label", own),
            baseline: baseline_label(experiment),
        }
    }

    /// The label and the rows of the baseline, if it has some.
    fn baseline(&self) -> Option<&(String, Vec<u32>)> {
        let baseline = self.baseline.as_ref()?;
        self.variants.iter().find(|(label, _)| label == baseline)
    }
}

/// The number of solved samples, and of failed ones: `66 of 66`, `0 of 2, 2 wrong`.
fn solved(rows: &Rows, own: &[u32]) -> String {
    let [solved, all] = [rows.solved(own).len(), own.len()].map(units::count);
    let mut text = format!("{solved} of {all}");
    for (outcome, failed) in rows.failures(own) {
        text += &format!(", {} {}", units::count(failed), outcome.failure());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows_of as rows;
    use crate::statistics::Bound;
    use crate::{experiment_of, rows_of};

    #[test]
    fn a_factor_is_told_in_one_direction() {
        let told = |(low, value, high): (f64, f64, f64), bound, is_time| {
            let factor = Factor {
                difference: None,
                estimate: match bound {
                    // An interval that is open at both ends is none.
                    Bound::Either => Estimate::bounded(value, bound),
                    _ => Estimate {
                        bound,
                        ..Estimate::within(low, value, high)
                    },
                },
                questions: 0,
                instances: 8,
                is_withheld: false,
                ratios: Vec::new(),
            };
            decision(&factor, is_time)
        };
        let exact = Bound::Exact;
        assert_eq!(
            told((0.008, 0.01, 0.0125), exact, true),
            "100× (80–130×) faster"
        );
        assert_eq!(
            told((0.4, 0.5, 0.625), exact, false),
            "2.0× (1.6–2.5×) lower"
        );
        assert_eq!(told((2.0, 3.0, 4.0), exact, true), "3× (2–4×) slower");
        // The variant, the baseline, or both were stopped.
        assert_eq!(
            told((2.0, 3.0, 4.0), Bound::AtLeast, true),
            "on average at least 2× slower"
        );
        assert_eq!(
            told((0.2, 0.3, 0.5), Bound::AtMost, true),
            "on average at least 2× faster"
        );
        assert_eq!(
            told((0.2, 0.3, 0.5), Bound::Either, true),
            "undecided: timeouts of both sides"
        );
        let near = told((0.995, 0.997, 0.999), exact, false);
        assert_eq!(near.replace('\u{202f}', " "), "0.3 % (0.1–0.5 %) lower");
        let nothing = "undecided: 1.25× faster to 1.1× slower";
        assert_eq!(told((0.8, 0.9, 1.1), exact, true), nothing);
    }

    #[test]
    fn a_pair_is_compared_on_the_clock_that_both_sides_have() {
        let experiment = experiment_of(
            "'a','b'",
            "[[plots]]\nname='p'\nkind='bar'\ntitle='{faster:b/a}'\ny='time_ns'",
        );
        let mut text =
            "schema,experiment,instance_hash,question,label,outcome,threads,mode,wall_ns,cpu_ns\n"
                .to_owned();
        for at in 0..10 {
            for (label, wall, cpu) in [("a", 9000, "8000"), ("b", 5000, "1000"), ("c", 18_000, "")]
            {
                let wall = wall + 10 * at;
                text += &format!("1,e,h,q,{label},solved,1,isolated,{wall},{cpu}\n");
            }
        }
        let rows = rows_of(&text);
        let table = variants(&rows, &experiment, false);
        assert_eq!(table.heads[1], "median wall time");
        let said: Vec<String> = table.rows.iter().map(|row| row[2].to_string()).collect();
        assert_eq!(said, ["baseline", "8× faster (CPU time)", "2× slower"]);
        let looks = crate::charts::Looks::of_experiment(&rows, &rows.all(), Some("a"));
        let title = crate::charts::answer(&experiment.plots[0], &rows, &looks, &[]);
        let title = title.expect("an answer").title.text;
        assert_eq!(title, "b is 8× faster than a (CPU time)");
    }

    #[test]
    fn a_first_answer_is_shown_where_it_takes_more_than_four_times_a_repeated_one() {
        let experiment = experiment_of("'a','b'", "");
        let of = |first: u32| {
            let head = "schema,experiment,instance_hash,question,label,outcome,wall_ns,first_ns\n";
            let rows = format!("{head}1,e,h,q,a,solved,28000,{first}\n1,e,h,q,b,solved,50,9000\n");
            let table = variants(&rows_of(&rows), &experiment, false);
            let cells = |row: &Vec<Cell>| row.iter().map(Cell::to_string).collect::<Vec<_>>();
            (
                table.heads.clone(),
                table.rows.iter().map(cells).collect::<Vec<_>>(),
            )
        };
        let (heads, rows) = of(2_550_000);
        assert_eq!(heads[3..], ["first answer", "solved"]);
        assert_eq!([&rows[0][3], &rows[1][3]], ["2.55\u{202f}ms", "–"]);
        assert_eq!(of(112_000).0[3..], ["solved"]);
    }

    #[test]
    fn medians_of_several_sizes_are_those_of_the_smallest_and_the_largest() {
        let experiment = experiment_of("'a'", "");
        let of = |sizes: [u32; 4]| {
            let head = "schema,experiment,instance_hash,question,label,outcome,wall_ns,size\n";
            let line = |(at, size)| format!("1,e,{at},{at},a,solved,{size}000,{size}\n");
            let lines: String = (0..4).zip(sizes).map(line).collect();
            let table = variants(&rows_of(&format!("{head}{lines}")), &experiment, false);
            let shown = table.rows[0][1].to_string().replace('\u{202f}', " ");
            (table.heads[1].clone(), shown)
        };
        let words = |(head, shown): (&str, &str)| (head.to_owned(), shown.to_owned());
        let two = ("median wall time of size 8 … 16", "8 µs … 16 µs");
        assert_eq!(of([8, 16, 8, 16]), words(two));
        assert_eq!(of([8; 4]), words(("median wall time", "8 µs")));
    }

    #[test]
    fn a_result_names_each_variant_with_its_decision() {
        let experiment = experiment_of("'slow','fast','same','few'", "");
        let mut text =
            "schema,experiment,instance_hash,question,label,outcome,wall_ns\n".to_owned();
        for repeat in 0..20 {
            for (label, time) in [("slow", 100_000), ("fast", 1_000), ("same", 100_000)] {
                let time = time + repeat * time / 100;
                text += &format!("1,e,h,q,{label},solved,{time}\n");
            }
        }
        text += "1,e,h,q,few,solved,9000\n1,e,h,q,few,timeout,9000\n";
        text += "1,e,h,q,liar,wrong,10\n1,e,h,q,liar,wrong,10\n";
        let mut rows = rows(&text);
        rows.set_order("label", ["slow", "fast", "same", "few", "liar"]);
        let table = variants(&rows, &experiment, false);
        let word = |cell: &Cell| cell.to_string().replace('\u{202f}', " ");
        let seen: Vec<Vec<String>> = table
            .rows
            .iter()
            .map(|row| row.iter().map(word).collect())
            .collect();
        let decisions: Vec<&str> = seen.iter().map(|row| row[2].as_str()).collect();
        assert_eq!(
            decisions,
            [
                "baseline",
                "100× (95–100×) faster",
                "same within 5 % (0.954–1.05×)",
                "undecided",
                "wrong answers"
            ]
        );
        assert_eq!([&seen[1][3], &seen[3][3]], ["20 of 20", "1 of 2"]);
        assert_eq!(seen[4][3], "0 of 2, 2 wrong");
        // A narrow terminal keeps the decision, and drops less important columns.
        for (width, dropped) in [(60, "solved"), (44, "median wall time, solved")] {
            let narrow = table.within(Some(width));
            assert!(narrow.contains("100× (95–100×) faster"), "{narrow}");
            let words = narrow.replace('\n', " ");
            assert!(
                words.contains(&format!("this terminal: {dropped};")),
                "{narrow}"
            );
        }
    }
}
