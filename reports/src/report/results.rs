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
        .extend(base.map(|(label, _)| format!("against {label} (95 % interval)")));
    // The last column is the first that a narrow terminal has no room for.
    table.heads.push("solved".to_owned());
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
        line.extend(base.map(|(name, base)| {
            if name == label {
                return Cell::from("baseline");
            }
            let factor = Factor::between(rows, column, rows_of_label, base);
            let is_time = Quantity::of_column(column) == Quantity::Time;
            Cell::from(match factor {
                Some(factor) => decision(factor.estimate, is_time),
                None => "nothing to compare".to_owned(),
            })
        }));
        line.push(solved(rows, rows_of_label).into());
        table.rows.push(line);
    }
    table
}

/// How many samples were solved: `66 of 66`.
fn solved(rows: &Rows, own: &[u32]) -> String {
    let is_solved = |row: &&u32| rows.outcome(**row) == Some(Outcome::Solved);
    let solved = own.iter().filter(is_solved).count();
    format!(
        "{} of {}",
        units::count(solved as u64),
        units::count(own.len() as u64)
    )
}

/// What a factor with its interval decides, in words: `2,690× faster (2,400 … 3,010×)`. A factor below 1 is told as its
/// inverse, so that all variants are told alike.
fn decision(factor: Estimate, is_time: bool) -> String {
    let Some(ends) = factor.interval else {
        return "too few to decide".to_owned();
    };
    let (low, high) = match factor.bound {
        Bound::Exact => (ends.low, ends.high),
        Bound::AtLeast => (ends.low, f64::INFINITY),
        Bound::AtMost => (0.0, ends.high),
        Bound::Either => (0.0, f64::INFINITY),
    };
    let told = |value: f64, (low, high): (f64, f64), word: &str| {
        let times = |times: f64| Quantity::Ratio.spoken(times);
        if high.is_finite() {
            let range = Quantity::Ratio.range(low, high);
            format!("{} {word} ({range})", times(value))
        } else {
            format!("at least {} {word}", times(low))
        }
    };
    let [below, above] = if is_time {
        ["faster", "slower"]
    } else {
        ["lower", "higher"]
    };
    if high < 1.0 {
        told(1.0 / factor.value, (1.0 / high, 1.0 / low), below)
    } else if low > 1.0 {
        told(factor.value, (low, high), above)
    } else if low > 0.0 && high.is_finite() {
        let times = |times: f64| Quantity::Ratio.spoken(times);
        let ends = format!("{} {below} to {} {above}", times(1.0 / low), times(high));
        format!("no difference found: {ends}")
    } else {
        "no difference found".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::rows;

    #[test]
    fn a_factor_is_told_in_one_direction() {
        let factor = |value, (low, high), bound| Estimate {
            bound,
            ..Estimate::within(low, value, high)
        };
        for (one, is_time, expected) in [
            (
                factor(0.01, (0.008, 0.0125), Bound::Exact),
                true,
                "100× faster (80.0 … 125×)",
            ),
            (
                factor(0.5, (0.4, 0.625), Bound::Exact),
                false,
                "2× lower (1.60 … 2.50×)",
            ),
            (
                factor(3.0, (2.0, 4.0), Bound::Exact),
                true,
                "3× slower (2.00 … 4.00×)",
            ),
            // Ours was stopped, the baseline was stopped, both.
            (
                factor(3.0, (2.0, 4.0), Bound::AtLeast),
                true,
                "at least 2× slower",
            ),
            (
                factor(0.3, (0.2, 0.5), Bound::AtMost),
                true,
                "at least 2× faster",
            ),
            (
                factor(0.3, (0.2, 0.5), Bound::Either),
                true,
                "no difference found",
            ),
            (
                factor(0.9, (0.8, 1.1), Bound::Exact),
                true,
                "no difference found: 1.25× faster to 1.1× slower",
            ),
        ] {
            assert_eq!(decision(one, is_time), expected);
        }
    }

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
        let mut rows = rows(&text);
        rows.set_order("label", ["slow", "fast", "same", "few"]);
        let table = variants(&rows, &experiment);
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
                "100× faster (90.4 … 111×)",
                "no difference found: 1.11× faster to 1.11× slower",
                "too few to decide"
            ]
        );
        assert_eq!([&seen[1][3], &seen[3][3]], ["20 of 20", "1 of 2"]);
        // At 80 columns the decision stays; what has no room is less.
        let narrow = table.within(Some(72));
        assert!(narrow.contains("100× faster ("), "{narrow}");
        assert!(narrow.contains("this terminal: solved;"), "{narrow}");
    }
}
