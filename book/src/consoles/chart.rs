//! The charts of modelled times: along a column on each of some consoles, or of two variants on every console.

use std::collections::{BTreeMap, BTreeSet};

use super::{ByLabel, ConsoleView, OnConsole, entry, slowness};
use ikeru_bench_data::Scale;
use ikeru_bench_data::experiment::{GuideAxis, GuideLine};
use ikeru_consoles::Console;
use ikeru_consoles::budget::{BUDGETS, Manages};
use ikeru_records::Family;
use ikeru_records::units::Quantity;
use ikeru_reports::charts::{self, Axis, Chart, Looks, Panel, Point, Series, Style};

/// The labels that the memory of consoles does not hold, given with these consoles: `; too large for GBA: memo and brute`.
fn misfits<'a>(all: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut misfits: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (label, consoles) in all.filter(|(_, consoles)| !consoles.is_empty()) {
        misfits.entry(consoles).or_default().insert(label);
    }
    let words = misfits.into_iter().map(|(consoles, labels)| {
        let labels = Vec::from_iter(labels).join(" and ");
        format!("; too large for {consoles}: {labels}")
    });
    words.collect()
}

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

/// The chart's title: the claims of the first label and of the one that is in time most often, or least often if the first is that.
fn title(every: &str, claims: &[(&str, usize, String)]) -> String {
    let Some(first) = claims.first() else {
        return String::new();
    };
    let in_time = |claim: &&(&str, usize, String)| claim.1;
    let differs = |other: &&(&str, usize, String)| other.1 != first.1;
    let best = claims.iter().rev().max_by_key(in_time).filter(differs);
    let worst = || claims.iter().rev().min_by_key(in_time).filter(differs);
    let shown = [Some(first), best.or_else(worst)].into_iter().flatten();
    let words: Vec<String> = shown
        .map(|(label, _, words)| format!("{label} {words}"))
        .collect();
    format!(
        "Modelled within {}{every}: {}",
        BUDGETS[0].name,
        words.join("; ")
    )
}

/// The number of verdicts in time along a column, and the words for them: consoles with the same ones are named together.
fn claim(column: &str, consoles: &[(&str, Vec<(f64, Manages)>)]) -> (usize, String) {
    let names: Vec<&str> = consoles.iter().map(|(name, _)| *name).collect();
    let mut phrases = Vec::<(String, Vec<&str>)>::new();
    for (name, verdicts) in consoles {
        let extent = |wanted| extent(column, verdicts, wanted);
        let phrase = doubted(extent(Manages::Sure), extent(Manages::Likely));
        let phrase = phrase.unwrap_or_else(|| format!("at no {column}"));
        entry(&mut phrases, &phrase).push(name);
    }
    let all = consoles.iter().flat_map(|(_, verdicts)| verdicts);
    let in_time = all.filter(|(_, own)| *own >= Manages::Likely).count();
    let words = phrases
        .iter()
        .map(|(phrase, own)| format!("{phrase} {}", on(own, &names)));
    (in_time, words.collect::<Vec<_>>().join(", "))
}

impl ConsoleView<'_> {
    /// The chart of the rows `own` under the analysis's `heading`: the first label and the fastest on every console.
    pub fn chart(
        &self,
        own: &[u32],
        (places, baseline, heading): (&[usize], Option<&str>, Option<&str>),
    ) -> Option<Chart> {
        let worst = self.worst();
        let time = |one: &OnConsole| slowness(&one.slowest, self.consoles()).min(1e18).ln();
        let slow = |on: &BTreeMap<usize, OnConsole>| on.values().map(time).sum::<f64>();
        let first = worst.first()?;
        let fastest = worst
            .iter()
            .min_by(|a, b| slow(&a.1).total_cmp(&slow(&b.1)));
        let fastest = fastest.filter(|fastest| fastest.0 != first.0);
        let looks = Looks::of_experiment(self.rows, own, baseline);
        let point = |(x, place): (usize, &usize), on: &BTreeMap<usize, OnConsole>| {
            let time = on.get(place)?.slowest.time(self.consoles())?;
            Some(Point::of(x as f64, time))
        };
        let series = std::iter::once(first)
            .chain(fastest)
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
            categories: names.collect(),
            ..Axis::default()
        };
        let said = self.subtitle(heading, places);
        Some(self.with_budgets(charts::JOINED_ROWS, (self.title(), said), x, vec![panel]))
    }

    /// The chart along a column of numbers: a panel for each of the consoles `places`, a line for each label.
    pub fn along(
        &self,
        column: &str,
        own: &[u32],
        (places, baseline, heading): (&[usize], Option<&str>, Option<&str>),
    ) -> Option<Chart> {
        let number = |row: &u32| self.rows.number(column, *row);
        let mut values: Vec<f64> = own.iter().filter_map(number).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let at = values.iter().map(|x| {
            let own: Vec<u32> = own
                .iter()
                .copied()
                .filter(|row| number(row) == Some(*x))
                .collect();
            (*x, ConsoleView::of(self.rows, &own, self.basis).worst())
        });
        let at: Vec<(f64, ByLabel)> = at.collect();
        let worst = self.worst();
        let labels: Vec<&str> = worst.iter().map(|(label, _)| label.as_str()).collect();
        let looks = Looks::of_experiment(self.rows, own, baseline);
        let of = |label: &str, place: usize| {
            let found = at.iter().filter_map(move |(x, all)| {
                let (_, on) = all.iter().find(|(known, _)| known == label)?;
                Some((*x, on.get(&place)?))
            });
            found.collect::<Vec<_>>()
        };
        let panels = places.iter().map(|place| {
            let series = labels.iter().map(|label| Series {
                name: (*label).to_owned(),
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
        let claims = labels.iter().map(|label| {
            let verdicts = |place: &usize| {
                let own = of(label, *place).into_iter();
                let own = own.map(|(x, one)| (x, one.manages[0])).collect();
                (self.consoles()[*place].name.as_str(), own)
            };
            let all: Vec<(&str, Vec<(f64, Manages)>)> = places.iter().map(verdicts).collect();
            let (in_time, words) = claim(word, &all);
            (*label, in_time, words)
        });
        let claims: Vec<(&str, usize, String)> = claims.collect();
        let x = Axis {
            label: word.to_owned(),
            column: column.to_owned(),
            quantity: Quantity::of_column(column),
            ..Axis::default()
        };
        let said = (title("", &claims), self.subtitle(heading, places));
        let chart = self.with_budgets(charts::LINES, said, x, panels);
        (values.len() > 1 && chart.panels.iter().any(|panel| !panel.series.is_empty()))
            .then_some(chart)
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

    /// A sentence with the consoles on which labels answer every question and instance within a frame.
    pub(super) fn title(&self) -> String {
        let name = |place: &usize| self.consoles()[*place].name.as_str();
        let places = self.places();
        let all: Vec<&str> = places.iter().map(name).collect();
        let worst = self.worst();
        let claims = worst.iter().map(|(label, consoles)| {
            let [sure, likely] = [Manages::Sure, Manages::Likely].map(|wanted| {
                let own = consoles.iter().filter(|(_, one)| one.manages[0] == wanted);
                own.map(|(place, _)| name(place)).collect::<Vec<_>>()
            });
            let words = match (sure.is_empty(), likely.is_empty()) {
                (_, true) => on(&sure, &all),
                (true, false) => format!("likely {}", on(&likely, &all)),
                (false, false) => format!("{}, likely {}", on(&sure, &all), on(&likely, &all)),
            };
            (label.as_str(), sure.len() + likely.len(), words)
        });
        let every = if self.questions.len() == 1 {
            ""
        } else {
            ", every question"
        };
        title(every, &claims.collect::<Vec<_>>())
    }

    /// The description of the model: what is not known of the consoles at `places`, and whose tables they do not hold.
    fn subtitle(&self, heading: Option<&str>, places: &[usize]) -> String {
        let mut words = heading.map_or(String::new(), |heading| format!("{heading}: "));
        if let [(question, _)] = &self.questions[..] {
            words += &format!("{question}; ");
        }
        words += &format!(
            "{}, modelled for one core, by the instruction sets' own cycles and cache misses; intervals: all models and the fit's residual",
            self.unit()
        );
        let all = self.consoles();
        let worst = self.worst();
        words += &misfits(worst.iter().map(|(label, on)| {
            let own = on
                .iter()
                .filter(|(at, one)| places.contains(at) && !one.slowest.fits);
            let small: Vec<&str> = own.map(|(at, _)| all[*at].name.as_str()).collect();
            (label.as_str(), small.join(", "))
        }));
        match self.unchecked(places) {
            open if open.is_empty() => words,
            open => format!("{words}; models never compared with a machine: {open}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_the_same_consoles_do_not_hold_are_named_once() {
        let all = [
            ("template", "GBA"),
            ("beam", ""),
            ("combined", "GBA"),
            ("memo", "PS1, GBA"),
        ];
        let all = all.map(|(label, consoles)| (label, consoles.to_owned()));
        let expected = "; too large for GBA: combined and template; too large for PS1, GBA: memo";
        assert_eq!(misfits(all.into_iter()), expected);
        assert_eq!(misfits(std::iter::empty()), "");
    }

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
