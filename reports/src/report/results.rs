//! What a run came to, as a terminal tells it: an answer per experiment, and one experiment's variants side by side.

use ikeru_bench_data::Experiment;
use serde::Serialize;

use crate::charts::column_word;
use crate::factor::Factor;
use crate::page::Group;
use crate::records::Outcome;
use crate::statistics::{Bound, Estimate};
use crate::summary::baseline_label;
use crate::table::{Cell, Table};
use crate::units::{self, Quantity};
use crate::{Rows, Statistic, row};

/// What one experiment came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The experiment.
    pub experiment: String,
    /// The answer in one sentence.
    pub text: String,
    /// Wrong answers, disagreements and crashes in it.
    pub alarms: usize,
}

/// The answers in the order of the page.
pub fn answers(groups: &[Group]) -> Vec<Answer> {
    let sections = groups.iter().flat_map(|group| &group.sections);
    let answer = |section: &crate::page::Section| Answer {
        experiment: section.name.clone(),
        text: section.answer.clone(),
        alarms: section.alarms,
    };
    sections.map(answer).collect()
}

/// The variants of one experiment side by side, by what its first plot shows: time, or another column.
pub fn variants(rows: &Rows, experiment: &Experiment) -> Table {
    let own = rows.with("experiment", &experiment.name);
    let shown = experiment.plots.first().map_or("wall_ns", |plot| &plot.y);
    let column = if rows.has(shown) { shown } else { "wall_ns" };
    let groups = rows.group("label", &own);
    let baseline = baseline_label(experiment);
    let base = groups
        .iter()
        .find(|(label, _)| Some(label) == baseline.as_ref());
    let mut table = Table::new(String::new(), "variant");
    table.heads.push(format!("median {}", column_word(column)));
    table
        .heads
        .extend(base.map(|(label, _)| format!("× {label} (95 % interval)")));
    table.heads.push("solved".to_owned());
    table.heads.extend(base.map(|_| "decision".to_owned()));
    for (label, rows_of_label) in &groups {
        let median = Statistic::Median.of(rows, column, rows_of_label);
        let mut line = row![
            label,
            (
                median.map(|median| Estimate {
                    interval: None,
                    ..median
                }),
                Quantity::of_column(column)
            )
        ];
        let factor = base.map(|(name, base)| {
            let factor = Factor::between(rows, column, rows_of_label, base);
            (name, factor.map(|factor| factor.estimate))
        });
        let is_time = Quantity::of_column(column) == Quantity::Time;
        line.extend(factor.map(|(name, factor)| match factor {
            Some(factor) if name != label => Cell::from((factor, Quantity::Ratio)),
            _ if name == label => (Estimate::plain(1.0), Quantity::Ratio).into(),
            _ => Cell::EMPTY,
        }));
        line.push(solved(rows, rows_of_label).into());
        let wrong = count(rows, rows_of_label, Outcome::Wrong);
        line.extend(factor.map(|(name, factor)| {
            let word = if wrong > 0 {
                "wrong answers".to_owned()
            } else if name == label {
                "baseline".to_owned()
            } else {
                let nothing = || "nothing to compare".to_owned();
                factor.map_or_else(nothing, |factor| decision(factor, is_time))
            };
            Cell::from(word)
        }));
        table.rows.push(line);
    }
    table
}

/// The number of samples that ended so.
fn count(rows: &Rows, own: &[u32], outcome: Outcome) -> usize {
    let ended = own
        .iter()
        .filter(|row| rows.outcome(**row) == Some(outcome));
    ended.count()
}

/// How many samples were solved, and how many are wrong: `66 of 66`, `0 of 2, 2 wrong`.
fn solved(rows: &Rows, own: &[u32]) -> String {
    let solved = count(rows, own, Outcome::Solved);
    let wrong = match count(rows, own, Outcome::Wrong) {
        0 => String::new(),
        wrong => format!(", {} wrong", units::count(wrong as u64)),
    };
    format!(
        "{} of {}{wrong}",
        units::count(solved as u64),
        units::count(own.len() as u64)
    )
}

/// What a factor with its interval decides, in words: `2,690× faster`.
fn decision(factor: Estimate, is_time: bool) -> String {
    let ends = factor.interval.map(|ends| match factor.bound {
        Bound::Exact => (ends.low, ends.high),
        Bound::AtLeast => (ends.low, f64::INFINITY),
        Bound::AtMost => (f64::NEG_INFINITY, ends.high),
        Bound::Either => (f64::NEG_INFINITY, f64::INFINITY),
    });
    let times = |times: f64| Quantity::Ratio.spoken(times);
    match (ends, is_time) {
        (None, _) => "too few to decide".to_owned(),
        (Some((_, high)), true) if high < 1.0 => format!("{} faster", times(1.0 / factor.value)),
        (Some((low, _)), true) if low > 1.0 => format!("{} slower", times(factor.value)),
        (Some((_, high)), false) if high < 1.0 => "lower".to_owned(),
        (Some((low, _)), false) if low > 1.0 => "higher".to_owned(),
        _ => "no difference found".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::rows;

    #[test]
    fn a_result_names_each_variant_with_its_decision() {
        let experiment = Experiment::read(
            "e.toml",
            "name='e'\ntitle='t'\nabout='a'\nproblem='reach'\nvariants=['slow','fast','same','few']\ninstances=[{generator='g'}]",
        )
        .expect("an experiment");
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
        let table = variants(&rows, &experiment);
        let word = |cell: &Cell| cell.to_string().replace('\u{202f}', " ");
        let seen: Vec<Vec<String>> = table
            .rows
            .iter()
            .map(|row| row.iter().map(word).collect())
            .collect();
        let last: Vec<&str> = seen.iter().map(|row| row[4].as_str()).collect();
        assert_eq!(
            last,
            [
                "baseline",
                "100× faster",
                "no difference found",
                "too few to decide",
                "wrong answers"
            ]
        );
        assert_eq!(seen[1][2..4], ["0.0100×", "20 of 20"]);
        assert_eq!(seen[3][3], "1 of 2");
        assert_eq!(seen[4][3], "0 of 2, 2 wrong");
    }
}
