//! The charts of modelled times: along a column on each of some consoles, or of two variants on every console.

use std::collections::BTreeMap;

use super::{ByLabel, ConsoleView, OnConsole, entry};
use ikeru_bench_data::Scale;
use ikeru_consoles::Console;
use ikeru_consoles::budget::{self, BUDGETS, Manages};
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
        (1, _) | (_, 0 | 2..) if some.len() <= MOST_NAMED => format!("on the {}", listed(some)),
        (_, 0) => format!("on all {} consoles", all.len()),
        (_, 1..=MOST_NAMED) => format!("on all {} consoles but the {}", all.len(), listed(&others)),
        (own, _) => format!("on {own} of {} consoles", all.len()),
    }
}

/// The largest number of consoles that a title names together.
const MOST_NAMED: usize = 4;

/// The values of a column at which a verdict is at least `wanted`: `at every size`, `up to size 12`.
fn extent(column: &str, verdicts: &[(f64, Manages)], wanted: Manages) -> Option<String> {
    let within = |(_, own): &&(f64, Manages)| *own >= wanted;
    let (count, all) = (verdicts.iter().filter(within).count(), verdicts.len());
    let from_first = verdicts.iter().take_while(within).last();
    match (count, from_first) {
        (0, _) => None,
        (1, Some((x, _))) => Some(format!("at {column} {}", Quantity::Plain.trimmed(*x))),
        _ if count == all => Some(format!("at every {column}")),
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

/// A merit counts the answers that surely and likely meet each budget; a lower mean of their high ends is better.
type Merit = ([usize; 2 * BUDGETS.len()], f64);

/// The item with the highest merit, the first of equal ones.
fn best<T>(all: impl Iterator<Item = T>, merit: impl Fn(&T) -> Merit) -> Option<T> {
    all.reduce(|best, one| match merit(&one) > merit(&best) {
        true => one,
        false => best,
    })
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
            .first_and_best(&worst, None)
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

    /// The merit of some answers.
    fn merit<'o>(&self, own: impl Iterator<Item = &'o OnConsole>) -> Merit {
        let own: Vec<&OnConsole> = own.collect();
        let high = |one: &&OnConsole| {
            let time = one.slowest.time(self.consoles());
            time.map_or(1e18, |time| {
                time.interval.map_or(time.value, |ends| ends.high).min(1e18)
            })
            .ln()
        };
        let count = |at: usize| {
            let wanted = [Manages::Sure, Manages::Likely][at % 2];
            own.iter()
                .filter(|one| one.manages[at / 2] >= wanted)
                .count()
        };
        let mean = own.iter().map(high).sum::<f64>() / own.len().max(1) as f64;
        (std::array::from_fn(count), -mean)
    }

    /// The first label, and if it is another one the best on the console at `place`, or on all: that with the most questions in
    /// time.
    pub(super) fn first_and_best<'w>(
        &self,
        worst: &'w ByLabel,
        place: Option<usize>,
    ) -> Vec<&'w (String, BTreeMap<usize, OnConsole>)> {
        let is_at = |own: &usize| place.is_none_or(|place| place == *own);
        let known = worst.iter().filter(|(_, on)| on.keys().any(is_at));
        let best = best(known, |(label, _)| {
            let all = self.answers(label).flatten();
            self.merit(all.filter(|(own, _)| is_at(own)).map(|(_, one)| one))
        });
        let mut shown: Vec<_> = worst.first().into_iter().chain(best).collect();
        shown.dedup_by(|a, b| a.0 == b.0);
        shown
    }

    /// The title of a chart along a column: the best label on each of the consoles `places`, and the values at which it meets
    /// 60 fps. `of` has the answers of a label on a console, by value.
    fn best_along<'o>(
        &self,
        word: &str,
        places: &[usize],
        of: impl Fn(&str, usize) -> Vec<(f64, &'o OnConsole)>,
    ) -> String {
        let name = |place: &usize| self.consoles()[*place].name.as_str();
        let all: Vec<&str> = places.iter().map(name).collect();
        let mut claims = Vec::<(String, Vec<(String, Vec<&str>)>)>::new();
        let worst = self.worst();
        for place in places {
            let labels = worst.iter().map(|(label, _)| (label, of(label, *place)));
            let known = labels.filter(|(_, own)| !own.is_empty());
            let best = best(known, |(_, own)| {
                self.merit(own.iter().map(|(_, one)| *one))
            });
            let claim = best.and_then(|(label, own)| {
                let own = own.into_iter().map(|(x, one)| (x, one.manages[0]));
                let own: Vec<_> = own.collect();
                let extent = |wanted| extent(word, &own, wanted);
                let extent = doubted(extent(Manages::Sure), extent(Manages::Likely))?;
                Some((label.as_str(), format!("{extent} ")))
            });
            let (label, extent) = claim.unwrap_or(("no variant", String::new()));
            entry(entry(&mut claims, label), &extent).push(name(place));
        }
        let claims = claims.iter().map(|(label, own)| {
            let own = own.iter();
            let own = own.map(|(extent, places)| format!("{extent}{}", on(places, &all)));
            format!("{label} {}", own.collect::<Vec<_>>().join(", "))
        });
        let claims = claims.collect::<Vec<_>>().join("; ");
        format!("Best at {}, modelled: {claims}", BUDGETS[0].short)
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
        let title = self.best_along(word, places, of);
        let x = Axis {
            label: charts::axis_word(self.rows, own, column),
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
            guides: budget::guides(),
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
            .first_and_best(&worst, None)
            .into_iter()
            .map(|(label, consoles)| {
                let [sure, likely] = [Manages::Sure, Manages::Likely].map(|wanted| {
                    let own = consoles.iter().filter(|(_, one)| one.manages[0] == wanted);
                    own.map(|(place, _)| name(place)).collect::<Vec<_>>()
                });
                let words = |own: &Vec<&str>| (!own.is_empty()).then(|| on(own, &all));
                // The likely ones are those that the words name as exceptions.
                let are_exceptions = sure.len() > MOST_NAMED
                    && (1..=MOST_NAMED).contains(&likely.len())
                    && sure.len() + likely.len() == all.len();
                let said = match are_exceptions {
                    true => words(&sure).map(|sure| sure + ", there likely"),
                    false => doubted(words(&sure), words(&likely)),
                };
                format!("{label} {}", said.unwrap_or_else(|| on(&[], &all)))
            });
        let every = ["", ", every question"][usize::from(self.questions.len() > 1)];
        let claims = claims.collect::<Vec<_>>().join("; ");
        format!("Modelled within {}{every}: {claims}", BUDGETS[0].name)
    }

    /// The description of the model, and the consoles at `places` on which it was not checked.
    fn subtitle(&self, heading: Option<&str>, places: &[usize]) -> String {
        let mut words = heading.map_or(String::new(), |heading| format!("{heading}: "));
        if !self.common.is_empty() {
            words += &format!("{}; ", self.common);
        }
        words += &format!(
            "{}, modelled for one core; intervals: of the models",
            self.unit()
        );
        let answers = self.questions.iter().flat_map(|(_, labels)| labels);
        let mut answers = answers.flat_map(|(_, on)| on.values());
        if answers.any(|one| one.slowest.time(self.consoles()).is_none()) {
            words += "; no mark: the tables exceed the memory";
        }
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
        assert_eq!(on(&["PS1", "PS2"], &["PS1", "PS2"]), "on the PS1 and PS2");
    }

    #[test]
    fn an_extent_says_at_which_values_a_budget_is_met() {
        use Manages::{Likely, No, Sure};
        for (verdicts, expected) in [
            ([Sure, Sure, Sure], Some("at every width")),
            ([Sure, Sure, No], Some("up to width 9")),
            ([Sure, Likely, No], Some("at width 8, likely up to width 9")),
            (
                [Sure, Likely, Likely],
                Some("at width 8, likely at every width"),
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
