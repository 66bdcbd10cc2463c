//! The charts of modelled times: along a column on each of some consoles, or of two variants on every console.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{ByLabel, ConsoleView, OnConsole, entry};
use ikeru_bench_data::Scale;
use ikeru_bench_data::experiment::{GuideAxis, GuideLine};
use ikeru_consoles::Console;
use ikeru_consoles::budget::{BUDGETS, Manages};
use ikeru_records::Family;
use ikeru_records::units::Quantity;
use ikeru_reports::charts::{self, Axis, Chart, Looks, Panel, Point, Series, Style};

/// Some of all consoles in words: `on the PS2 and Wii`, `on all 14 consoles but the GBA`.
fn on(some: &[&str], all: &[&str]) -> String {
    let listed = |names: &[&str]| match names {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        names => names.concat(),
    };
    let others: Vec<&str> = all
        .iter()
        .copied()
        .filter(|name| !some.contains(name))
        .collect();
    match (some.len(), others.len()) {
        (0, _) => "on none".to_owned(),
        (1, _) | (_, 2..) if some.len() <= MOST_NAMED => format!("on the {}", listed(some)),
        (_, 0) => format!("on all {} consoles", all.len()),
        (_, 1..=MOST_NAMED) => format!("on all {} consoles but the {}", all.len(), listed(&others)),
        (own, _) => format!("on {own} of {} consoles", all.len()),
    }
}

/// The largest number of consoles that a title names together.
const MOST_NAMED: usize = 4;

/// The values of a column at which a verdict is at least `wanted`: `on every size`, `up to size 12`.
fn extent(column: &str, verdicts: &[(f64, Manages)], wanted: Manages) -> Option<String> {
    let within = |(_, own): &&(f64, Manages)| *own >= wanted;
    let (count, all) = (verdicts.iter().filter(within).count(), verdicts.len());
    let from_first = verdicts.iter().take_while(within).last();
    match (count, from_first) {
        (0, _) => None,
        (1, Some((x, _))) => Some(format!("at {column} {}", Quantity::Plain.trimmed(*x))),
        _ if count == all => Some(format!("on every {column}")),
        (_, Some((x, _))) if verdicts.iter().take_while(within).count() == count => {
            Some(format!("up to {column} {}", Quantity::Plain.trimmed(*x)))
        }
        _ => Some(format!("at {count} of {all} values of {column}")),
    }
}

/// A phrase for what is sure, and one for what is at least likely where that is more.
fn doubted(sure: Option<String>, likely: Option<String>) -> Option<String> {
    match (sure, likely) {
        (Some(sure), Some(likely)) if sure != likely => Some(format!("{sure}, likely {likely}")),
        (None, Some(likely)) => Some(format!("likely {likely}")),
        (sure, _) => sure,
    }
}

/// The verdicts along a column in words: consoles with the same ones are named together.
fn claim(column: &str, consoles: &[(&str, Vec<(f64, Manages)>)]) -> String {
    let names: Vec<&str> = consoles.iter().map(|(name, _)| *name).collect();
    let mut phrases = Vec::<(String, Vec<&str>)>::new();
    for (name, verdicts) in consoles {
        let extent = |wanted| extent(column, verdicts, wanted);
        let phrase = doubted(extent(Manages::Sure), extent(Manages::Likely));
        let phrase = phrase.unwrap_or_else(|| format!("at no {column}"));
        entry(&mut phrases, &phrase).push(name);
    }
    let words = phrases.iter();
    let words = words.map(|(phrase, own)| format!("{phrase} {}", on(own, &names)));
    words.collect::<Vec<_>>().join(", ")
}

/// The claims of labels as a title.
fn titled(every: &str, claims: impl Iterator<Item = String>) -> String {
    let claims: Vec<String> = claims.collect();
    format!(
        "Modelled within {}{every}: {}",
        BUDGETS[0].name,
        claims.join("; ")
    )
}

impl ConsoleView<'_> {
    /// The chart of the rows `own` under the analysis's `heading`: the first label and the best on every console.
    pub fn chart(
        &self,
        own: &[u32],
        (places, baseline, heading): (&[usize], Option<&str>, Option<&str>),
    ) -> Option<Chart> {
        let worst = self.worst();
        let looks = Looks::of_experiment(self.rows, own, baseline);
        let point = |(x, place): (usize, &usize), on: &BTreeMap<usize, OnConsole>| {
            let time = on.get(place)?.slowest.time(self.consoles())?;
            Some(Point::of(x as f64, time))
        };
        let series = self
            .first_and_best(&worst)
            .into_iter()
            .map(|(label, on)| Series {
                name: label.clone(),
                look: looks.of(label),
                points: (places.iter().enumerate())
                    .filter_map(|at| point(at, on))
                    .collect(),
                ..Series::default()
            });
        let panel = Panel {
            series: series.collect(),
            ..Panel::default()
        };
        let names = places.iter().map(|place| {
            let Console { name, year, .. } = &self.consoles()[*place];
            format!("{name}, {year}")
        });
        let x = Axis {
            column: "console".to_owned(),
            categories: names.collect(),
            ..Axis::default()
        };
        let said = (self.title(), self.subtitle(heading, places));
        (!panel.series.is_empty())
            .then(|| self.with_budgets(charts::JOINED_ROWS, said, x, vec![panel]))
    }

    /// The first label, and if it is another one the best: it meets 60 fps for the most questions and consoles, or likely
    /// does, and among equal ones it is the fastest.
    pub(super) fn first_and_best<'w>(
        &self,
        worst: &'w ByLabel,
    ) -> Vec<&'w (String, BTreeMap<usize, OnConsole>)> {
        let time = |one: &&OnConsole| one.slowest.slowness(self.consoles()).min(1e18).ln();
        let merit = |(label, _): &&(String, BTreeMap<usize, OnConsole>)| {
            let own = self.questions.iter().flat_map(|(_, labels)| labels);
            let own = own.filter(|(known, _)| known == label);
            let own: Vec<&OnConsole> = own.flat_map(|(_, on)| on.values()).collect();
            let count = |wanted| own.iter().filter(|one| one.manages[0] >= wanted).count();
            let mean = own.iter().map(time).sum::<f64>() / own.len().max(1) as f64;
            (count(Manages::Sure), count(Manages::Likely), -mean)
        };
        let best = worst
            .iter()
            .reduce(|best, one| match merit(&one).partial_cmp(&merit(&best)) {
                Some(Ordering::Greater) => one,
                _ => best,
            });
        let mut shown: Vec<_> = worst.first().into_iter().chain(best).collect();
        shown.dedup_by(|a, b| a.0 == b.0);
        shown
    }

    /// The chart along a column of numbers: a panel for each of the consoles `places`, a line for each label.
    pub fn along(
        &self,
        column: &str,
        own: &[u32],
        (places, baseline, heading): (&[usize], Option<&str>, Option<&str>),
    ) -> Option<Chart> {
        let groups = self.rows.group(column, own).into_iter();
        let at = groups.filter_map(|(x, own)| {
            let shown = ConsoleView::of(self.rows, &own, self.basis);
            Some((x.parse().ok()?, shown.worst()))
        });
        let at: Vec<(f64, ByLabel)> = at.collect();
        let worst = self.worst();
        let looks = Looks::of_experiment(self.rows, own, baseline);
        let of = |label: &str, place: usize| {
            let found = at.iter().filter_map(move |(x, all)| {
                let (_, on) = all.iter().find(|(known, _)| known == label)?;
                Some((*x, on.get(&place)?))
            });
            found.collect::<Vec<_>>()
        };
        let panels = places.iter().map(|place| {
            let series = worst.iter().map(|(label, _)| Series {
                name: label.clone(),
                look: looks.of(label),
                points: (of(label, *place).into_iter())
                    .filter_map(|(x, one)| Some(Point::of(x, one.slowest.time(self.consoles())?)))
                    .collect(),
                ..Series::default()
            });
            let Console { name, year, .. } = &self.consoles()[*place];
            Panel {
                title: format!("{name}, {year}"),
                series: series.filter(|series| !series.points.is_empty()).collect(),
                ..Panel::default()
            }
        });
        let panels: Vec<Panel> = panels.collect();
        let word = Family::of(column).map_or(column, |(_, name)| name);
        let claims = self.first_and_best(&worst).into_iter().map(|(label, _)| {
            let verdicts = |place: &usize| {
                let own = of(label, *place).into_iter();
                let own = own.map(|(x, one)| (x, one.manages[0])).collect();
                (self.consoles()[*place].name.as_str(), own)
            };
            let all: Vec<(&str, Vec<(f64, Manages)>)> = places.iter().map(verdicts).collect();
            format!("{label} {}", claim(word, &all))
        });
        let title = titled("", claims);
        let x = Axis {
            label: word.to_owned(),
            column: column.to_owned(),
            quantity: Quantity::of_column(column),
            ..Axis::default()
        };
        let said = (title, self.subtitle(heading, places));
        let chart = self.with_budgets(charts::LINES, said, x, panels);
        (at.len() > 1 && chart.panels.iter().any(|panel| !panel.series.is_empty())).then_some(chart)
    }

    /// A chart of modelled times, with the budgets as lines.
    fn with_budgets(
        &self,
        style: &'static Style,
        (title, subtitle): (String, String),
        x: Axis,
        panels: Vec<Panel>,
    ) -> Chart {
        Chart {
            x,
            y: Axis {
                label: format!("modelled time of {}", self.unit()),
                column: "modelled_ns".to_owned(),
                scale: Scale::Log,
                quantity: Quantity::Time,
                ..Axis::default()
            },
            panels,
            guides: BUDGETS
                .map(|budget| GuideLine {
                    at: budget.ns,
                    label: budget.short.to_owned(),
                    axis: GuideAxis::Y,
                })
                .to_vec(),
            ..charts::of_style(style, title, subtitle)
        }
    }

    /// A sentence with the consoles on which the first label and the best answer every question and instance within a frame.
    pub(super) fn title(&self) -> String {
        let name = |place: &usize| self.consoles()[*place].name.as_str();
        let places = self.places();
        let all: Vec<&str> = places.iter().map(name).collect();
        let worst = self.worst();
        let claims = self
            .first_and_best(&worst)
            .into_iter()
            .map(|(label, consoles)| {
                let [sure, likely] = [Manages::Sure, Manages::Likely].map(|wanted| {
                    let own = consoles.iter().filter(|(_, one)| one.manages[0] == wanted);
                    own.map(|(place, _)| name(place)).collect::<Vec<_>>()
                });
                let words = |own: &Vec<&str>| (!own.is_empty()).then(|| on(own, &all));
                let said = doubted(words(&sure), words(&likely));
                format!("{label} {}", said.unwrap_or_else(|| on(&[], &all)))
            });
        let every = ["", ", every question"][usize::from(self.questions.len() > 1)];
        titled(every, claims)
    }

    /// The description of the model, and the consoles at `places` on which it was not checked.
    fn subtitle(&self, heading: Option<&str>, places: &[usize]) -> String {
        let mut words = heading.map_or(String::new(), |heading| format!("{heading}: "));
        if !self.common.is_empty() {
            words += &format!("{}; ", self.common);
        }
        words += &format!(
            "{}, modelled for one core; intervals: of the models; no mark: the tables exceed the memory",
            self.unit()
        );
        match self.unchecked(places) {
            open if open.is_empty() => words,
            open => format!("{words}; not checked: {open}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consoles_are_named_in_the_shortest_words() {
        let all = [
            "PS1", "PS2", "PS3", "GBA", "DS", "3DS", "PSP", "Wii", "Switch", "N64",
        ];
        for (some, expected) in [
            (&all[..0], "on none"),
            (&all[..1], "on the PS1"),
            (&all[..4], "on the PS1, PS2, PS3 and GBA"),
            (&all[..5], "on 5 of 10 consoles"),
            (&all[..8], "on all 10 consoles but the Switch and N64"),
            (&all, "on all 10 consoles"),
        ] {
            assert_eq!(on(some, &all), expected);
        }
        assert_eq!(on(&["PS1", "PS2"], &["PS1", "PS2"]), "on all 2 consoles");
    }

    #[test]
    fn an_extent_says_at_which_values_a_budget_is_met() {
        use Manages::{Likely, No, Sure};
        for (verdicts, expected) in [
            ([Sure, Sure, Sure], Some("on every width")),
            ([Sure, Sure, No], Some("up to width 9")),
            ([Sure, Likely, No], Some("at width 8, likely up to width 9")),
            (
                [Sure, Likely, Likely],
                Some("at width 8, likely on every width"),
            ),
            ([No, Sure, Sure], Some("at 2 of 3 values of width")),
            ([No, No, Sure], Some("at 1 of 3 values of width")),
            ([Likely, No, No], Some("likely at width 8")),
            ([No, No, No], None),
        ] {
            let verdicts: Vec<(f64, Manages)> =
                [8.0, 9.0, 10.0].into_iter().zip(verdicts).collect();
            let extent = |wanted| extent("width", &verdicts, wanted);
            assert_eq!(doubted(extent(Sure), extent(Likely)).as_deref(), expected);
        }
    }
}
