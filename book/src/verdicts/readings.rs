//! Figures under every reading of the rules that a source leaves open.
//!
//! The games of all readings were played once; a table has their means. A figure differs only if every allowed reading of its rules is
//! refuted, each at its share of the level. If some are, the verdict depends on a rule that the text leaves open.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use ikeru_bench_data::{Figure, PublishedSource, builtin};
use ikeru_records::units;
use ikeru_statistics::interval::student;
use ikeru_statistics::{Estimate, Interval};

use crate::evidence::Evidence;

use super::{JudgedFigure, LEVEL, Verdict};
use crate::figures::in_words;

/// The readings of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Readings {
    /// The number of those that are allowed.
    pub count: usize,
    /// The number of those that are refuted.
    pub refuted: usize,
    /// The means in rising order.
    pub means: Vec<f64>,
    /// The reading whose mean is nearest to the printed value, and its mean.
    pub nearest: (String, Estimate),
}

/// A line of a table: a value for each rule, and the numbers of each figure.
struct StoredReading {
    rules: Vec<(&'static str, &'static str)>,
    figures: BTreeMap<&'static str, [f64; 3]>,
}

/// All tables that are part of the program, which a test checks.
fn tables() -> &'static [Vec<StoredReading>] {
    static TABLES: OnceLock<Vec<Vec<StoredReading>>> = OnceLock::new();
    let numbers = |text: &str| {
        let mut numbers = text.split(' ').map(|one| one.parse().expect("a number"));
        [(); 3].map(|()| numbers.next().expect("mean, deviation and number"))
    };
    let read = |(_, text): (&str, &'static str)| {
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
        let reading = |line: &'static str| {
            let cells = head.iter().copied().zip(line.split(','));
            let is_rule = |(column, _): &(&str, &str)| !column.contains('/');
            let (rules, figures): (Vec<_>, Vec<_>) = cells.partition(is_rule);
            let figures = figures.into_iter().map(|(id, cell)| (id, numbers(cell)));
            let figures = figures.collect();
            StoredReading { rules, figures }
        };
        lines.map(reading).collect()
    };
    TABLES.get_or_init(|| builtin::stored_readings().map(read).collect())
}

/// Returns whether the source allows this reading.
fn is_allowed(source: &PublishedSource, reading: &StoredReading) -> bool {
    reading.rules.iter().all(|(setting, value)| {
        let mut rules = source.rules.iter().filter(|rule| rule.setting == *setting);
        rules.any(|rule| rule.readings.iter().any(|one| one.to_string() == *value))
    })
}

/// The mean of a figure under one reading with its 95 % interval, and the chances of it if the true value is the lower or the upper
/// end of the band.
fn judged_alone(figure: &Figure, [low, high]: [f64; 2], numbers: [f64; 3]) -> (Estimate, [f64; 2]) {
    let [share, deviation, count] = numbers;
    let of = count as usize;
    let half = student(0.05, count - 1.0).unwrap_or(f64::INFINITY) * deviation / count.sqrt();
    let estimate = Estimate::of(share, Some(Interval::around(share, half)));
    let evidence = match figure.unit.starts_with("of the") {
        true => Some(Evidence::Share { share, of }),
        false => Evidence::of_mean(estimate, of, false),
    };
    let chances = evidence.map(|of| [of.chance_below(low), of.chance_above(high)]);
    (estimate, chances.unwrap_or([1.0; 2]))
}

/// The readings of a figure; `None` if it is judged by its rows alone.
pub fn of_figure(source: &PublishedSource, figure: &Figure) -> Option<Readings> {
    let band = figure.band().filter(|_| figure.verdict.is_none())?;
    let (id, value) = (figure.id.as_str(), figure.value?);
    let mut tables = tables().iter();
    let table = tables.find(|table| table[0].figures.contains_key(id))?;
    let allowed = table.iter().filter(|one| is_allowed(source, one));
    let judged = allowed.map(|one| (one, judged_alone(figure, band, one.figures[id])));
    let judged: Vec<_> = judged.collect();
    let level = LEVEL / judged.len() as f64;
    let is_refuted = |end: f64, chance: f64| end.is_finite() && 2.0 * chance <= level;
    let refuted = judged.iter().filter(|(_, (_, [below, above]))| {
        is_refuted(band[0], *below) || is_refuted(band[1], *above)
    });
    let far = |mean: Estimate| (mean.value - value).abs();
    let by_distance = |(_, (one, _)): &&(_, (_, _)), (_, (other, _)): &&(_, (_, _))| {
        far(*one).total_cmp(&far(*other))
    };
    let (nearest, (mean, _)) = judged.iter().min_by(by_distance)?;
    let words = nearest.rules.iter();
    let words = words.map(|(rule, reading)| format!("`{rule}={reading}`"));
    let means = judged.iter().map(|(_, (mean, _))| mean.value);
    let mut means: Vec<f64> = means.collect();
    means.sort_by(f64::total_cmp);
    Some(Readings {
        count: judged.len(),
        refuted: refuted.count(),
        means,
        nearest: (words.collect::<Vec<_>>().join(", "), *mean),
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
        format!(
            "Under {} of the rules that the text leaves open: {}; {} of them differ. Nearest to the printed value is {}.",
            units::plural(self.count, "reading"),
            self.range_in_words(unit),
            self.refuted,
            self.nearest_in_words(unit),
        )
    }

    /// The nearest reading with its mean and interval.
    pub fn nearest_in_words(&self, unit: &str) -> String {
        let (mean, interval) = in_words(self.nearest.1, unit);
        format!("{mean} ({interval}), with {}", self.nearest.0)
    }

    /// The least and the largest mean.
    pub fn range(&self) -> [f64; 2] {
        [self.means[0], self.means[self.count - 1]]
    }

    /// The least and the largest mean in words.
    pub fn range_in_words(&self, unit: &str) -> String {
        let [least, most] = self.range();
        crate::printed_unit::range(least, most, unit)
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
            let [low, high] = readings.range();
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

    fn figures() -> impl Iterator<Item = (&'static PublishedSource, &'static Figure)> {
        let sources = builtin::published().expect("published figures read").iter();
        sources.flat_map(|source| source.figures.iter().map(move |figure| (source, figure)))
    }

    fn figure(id: &str) -> (&'static PublishedSource, &'static Figure) {
        let found = figures().find(|(_, figure)| figure.id == id);
        found.expect("a figure")
    }

    fn band(id: &str) -> [f64; 2] {
        figure(id).1.band().expect("a band")
    }

    #[test]
    fn every_reading_of_a_table_is_declared_and_at_most_fifteen_figures_depend_on_them() {
        let open = figures().filter_map(|(source, figure)| of_figure(source, figure));
        let open = open.filter(|of| (1..of.count).contains(&of.refuted));
        assert!(open.count() <= 15);
        for line in tables().iter().flatten() {
            let (source, _) = figure(line.figures.keys().next().expect("a figure"));
            for (setting, reading) in &line.rules {
                let mut rules = source.rules.iter();
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
                let has_band = figure(id).1.band().is_some();
                assert!(has_band && *count >= 30.0, "{id}");
            }
        }
    }

    #[test]
    fn a_figure_differs_only_if_every_reading_does() {
        let verdict = |refuted, of_rows| {
            let nearest = (String::new(), Estimate::of(1.0, None));
            let (count, means) = (4, vec![0.0; 4]);
            let readings = Readings {
                count,
                refuted,
                means,
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

    /// Some of 432 readings give all six by chance in a few games, so those were played again.
    #[test]
    fn no_single_reading_gives_all_six_numbers_of_table_6_1() {
        let numbers = ["chains", "attack", "moves"];
        let numbers =
            ["combined", "potential"].map(|arm| numbers.map(|of| format!("thesis/{arm}-{of}")));
        let gives = |line: &&StoredReading| {
            numbers.as_flattened().iter().all(|id| {
                let [low, high] = band(id);
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
        let allowed: Vec<&StoredReading> = allowed.collect();
        let farthest = |line: &&&StoredReading| {
            let ids = numbers.as_flattened().iter();
            let off = ids.map(|id| {
                let value = figure(id).1.value.expect("a number");
                (line.figures[id.as_str()][0] / value - 1.0).abs()
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
