//! Figures under every reading of the rules that a source leaves open.
//!
//! The games of all readings were played once; a table has their means. A figure differs only if every allowed reading of its rules is
//! refuted, each at its share of the level. If some are, the verdict depends on a rule that the text leaves open.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use ikeru_bench_data::{Figure, PublishedSource, builtin};
use ikeru_records::units;
use ikeru_statistics::evidence::Evidence;
use ikeru_statistics::interval::student;
use ikeru_statistics::{Estimate, Interval};

use super::{JudgedFigure, LEVEL, Verdict};
use crate::figures::in_words;

/// The readings of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Readings {
    /// The number of those that are allowed.
    pub count: usize,
    /// The number of those that are refuted.
    pub refuted: usize,
    /// The least and the largest mean.
    pub range: [f64; 2],
    /// The reading whose mean is nearest to the printed value, and its mean.
    pub nearest: (String, Estimate),
}

/// A line of a table: a value for each rule, and the numbers of each figure.
struct Line {
    rules: Vec<(&'static str, &'static str)>,
    figures: BTreeMap<&'static str, [f64; 3]>,
}

/// All tables that are part of the program, which a test checks.
fn tables() -> &'static [Vec<Line>] {
    static TABLES: OnceLock<Vec<Vec<Line>>> = OnceLock::new();
    let read = |(_, text): (&str, &'static str)| {
        let mut lines = text.lines().map(|line| line.split(','));
        let head: Vec<&str> = lines.next().expect("a head").collect();
        let line = |fields: std::str::Split<'static, char>| {
            let (figures, rules): (Vec<_>, Vec<_>) = head
                .iter()
                .copied()
                .zip(fields)
                .partition(|(column, _)| column.contains('/'));
            let numbers = |text: &str| {
                let mut numbers = text.split(' ').map(|one| one.parse().expect("a number"));
                [(); 3].map(|()| numbers.next().expect("mean, deviation and number"))
            };
            let figures = figures.into_iter().map(|(id, cell)| (id, numbers(cell)));
            Line {
                rules,
                figures: figures.collect(),
            }
        };
        lines.map(line).collect()
    };
    TABLES.get_or_init(|| builtin::stored_readings().map(read).collect())
}

/// Returns whether the source allows the readings of this line.
fn is_allowed(source: &PublishedSource, line: &Line) -> bool {
    line.rules.iter().all(|(setting, reading)| {
        let mut rules = source.rules.iter().filter(|rule| rule.setting == *setting);
        rules.any(|rule| rule.readings.iter().any(|one| one.to_string() == *reading))
    })
}

fn evidence(figure: &Figure, [mean, deviation, count]: [f64; 3]) -> (Evidence, Estimate) {
    let freedom = count - 1.0;
    let half = student(0.05, freedom).unwrap_or(f64::INFINITY) * deviation / count.sqrt();
    let estimate = Estimate::of(mean, Some(Interval::around(mean, half)));
    let evidence = match figure.unit.starts_with("of the") {
        true => Evidence::Share {
            share: mean,
            of: count as usize,
        },
        false => Evidence::Mean {
            estimate,
            freedom,
            is_ratio: false,
        },
    };
    (evidence, estimate)
}

/// The readings of a figure; `None` if it is judged by its rows alone.
pub fn of_figure(source: &PublishedSource, figure: &Figure) -> Option<Readings> {
    let [low, high] = figure.band().filter(|_| figure.verdict.is_none())?;
    let table = tables()
        .iter()
        .find(|table| table[0].figures.contains_key(&*figure.id))?;
    let allowed: Vec<&Line> = table
        .iter()
        .filter(|line| is_allowed(source, line))
        .collect();
    let level = LEVEL / allowed.len().max(1) as f64;
    let mut refuted = 0;
    let mut means = Vec::new();
    for line in &allowed {
        let (evidence, estimate) = evidence(figure, line.figures[&*figure.id]);
        let is_above = high.is_finite() && 2.0 * evidence.chance_above(high) <= level;
        let is_below = low.is_finite() && 2.0 * evidence.chance_below(low) <= level;
        refuted += usize::from(is_above || is_below);
        means.push((line, estimate));
    }
    let value = figure.value?;
    let distance = |mean: &Estimate| (mean.value - value).abs();
    let nearest = means
        .iter()
        .min_by(|one, other| distance(&one.1).total_cmp(&distance(&other.1)))?;
    let words = nearest
        .0
        .rules
        .iter()
        .map(|(rule, reading)| format!("`{rule}={reading}`"));
    let ends = means.iter().map(|(_, mean)| mean.value);
    Some(Readings {
        count: allowed.len(),
        refuted,
        range: [
            ends.clone().fold(f64::INFINITY, f64::min),
            ends.fold(f64::NEG_INFINITY, f64::max),
        ],
        nearest: (words.collect::<Vec<_>>().join(", "), nearest.1),
    })
}

impl Readings {
    /// The verdict, from that of our rows, which are of one reading.
    fn verdict(&self, of_rows: Verdict) -> Verdict {
        match self.refuted {
            all if all == self.count => Verdict::Differs,
            0 if of_rows != Verdict::Differs => of_rows,
            _ => Verdict::OpenRule,
        }
    }

    /// The range, the number of refuted readings and the nearest one.
    fn in_words(&self, unit: &str) -> String {
        let (mean, interval) = in_words(self.nearest.1, unit);
        format!(
            "Under {} of the rules that the text leaves open: {}; {} of them differ. Nearest to the printed value, {mean} ({interval}), is {}.",
            units::plural(self.count, "reading"),
            self.range_in_words(unit),
            self.refuted,
            self.nearest.0,
        )
    }

    /// The least and the largest mean in words.
    pub fn range_in_words(&self, unit: &str) -> String {
        crate::printed_unit::range(self.range[0], self.range[1], unit)
    }
}

/// Replaces the verdicts of figures that depend on open rules.
pub fn decide_by_readings(figures: &mut [JudgedFigure]) {
    for one in figures {
        let Some(readings) = of_figure(one.source, one.figure) else {
            continue;
        };
        one.remark = format!("{} {}", one.remark, readings.in_words(&one.figure.unit));
        one.remark = one.remark.trim_start().to_owned();
        let verdict = readings.verdict(one.verdict);
        if verdict != one.verdict {
            (one.verdict, one.lacking) = (verdict, None);
            let [low, high] = readings.range;
            one.decides = Some(Interval { low, high });
        }
        one.readings = Some(readings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thesis() -> &'static PublishedSource {
        let mut sources = builtin::published().expect("published figures read").iter();
        sources
            .find(|source| source.word() == "thesis")
            .expect("the thesis")
    }

    fn figure(id: &str) -> &'static Figure {
        let mut figures = thesis().figures.iter();
        figures.find(|figure| figure.id == id).expect("a figure")
    }

    #[test]
    fn every_reading_of_a_table_is_declared_and_every_figure_known() {
        for line in tables().iter().flatten() {
            for (setting, reading) in &line.rules {
                let mut rules = thesis().rules.iter();
                let rule = rules.find(|rule| rule.setting == *setting);
                let rule = rule.unwrap_or_else(|| panic!("{setting} is not declared"));
                let excluded = rule.excluded.iter().map(|one| &one.reading);
                let mut known = rule.readings.iter().chain(excluded);
                assert!(
                    known.any(|one| one.to_string() == *reading),
                    "{setting}={reading}"
                );
            }
            for (id, [_, _, count]) in &line.figures {
                assert!(figure(id).band().is_some() && *count >= 30.0, "{id}");
            }
        }
    }

    #[test]
    fn a_figure_differs_only_if_every_reading_does() {
        let verdict = |refuted, of_rows| {
            let nearest = (String::new(), Estimate::of(1.0, None));
            let (count, range) = (4, [0.0, 1.0]);
            let readings = Readings {
                count,
                refuted,
                range,
                nearest,
            };
            readings.verdict(of_rows)
        };
        for (refuted, of_rows, expected) in [
            (0, Verdict::Reproduced, Verdict::Reproduced),
            (0, Verdict::Undecided, Verdict::Undecided),
            (0, Verdict::Differs, Verdict::OpenRule),
            (3, Verdict::Reproduced, Verdict::OpenRule),
            (3, Verdict::Differs, Verdict::OpenRule),
            (4, Verdict::Undecided, Verdict::Differs),
        ] {
            assert_eq!(verdict(refuted, of_rows), expected, "{refuted} {of_rows:?}");
        }
    }

    #[test]
    fn a_share_of_matches_depends_on_the_tactics() {
        let readings = of_figure(thesis(), figure("thesis/versus-share")).expect("readings");
        assert!(0 < readings.refuted && readings.refuted < readings.count);
        assert!(readings.range[0] < 0.7 && readings.range[1] > 0.8);
    }

    /// A figure with a declared rule may have the verdict: the sources have few.
    #[test]
    fn at_most_fifteen_figures_depend_on_an_open_rule() {
        let figures = thesis().figures.iter();
        let open = figures.filter(|figure| of_figure(thesis(), figure).is_some());
        assert!(open.count() <= 15);
    }

    /// The page says so. Some of 432 readings give all six by chance in a few games, so those were played again.
    #[test]
    fn no_single_reading_gives_all_six_numbers_of_table_6_1() {
        let numbers = ["chains", "attack", "moves"];
        let numbers =
            ["combined", "potential"].map(|arm| numbers.map(|of| format!("thesis/{arm}-{of}")));
        let gives = |line: &&Line| {
            numbers.as_flattened().iter().all(|id| {
                let [low, high] = figure(id).band().expect("a band");
                (low..=high).contains(&line.figures[id.as_str()][0])
            })
        };
        let table = tables()
            .iter()
            .find(|table| table[0].figures.contains_key("thesis/gain-chains"));
        let allowed = table
            .expect("a table")
            .iter()
            .filter(|line| is_allowed(thesis(), line));
        let allowed: Vec<&Line> = allowed.collect();
        let farthest = |line: &&&Line| {
            let ids = numbers.as_flattened().iter();
            let off = ids.map(|id| {
                (line.figures[id.as_str()][0] / figure(id).value.expect("a number") - 1.0).abs()
            });
            off.fold(0.0, f64::max)
        };
        let nearest = allowed
            .iter()
            .map(|line| farthest(&line))
            .fold(f64::INFINITY, f64::min);
        assert!(nearest < 0.07, "{nearest}");
        assert_eq!(
            (allowed.len(), allowed.into_iter().filter(gives).count()),
            (432, 0)
        );
    }
}
