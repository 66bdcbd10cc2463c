//! The chart of questions per second, with its title and subtitle.

use std::collections::{BTreeMap, BTreeSet};

use super::{ConsoleView, OnConsole};
use ikeru_bench_data::Scale;
use ikeru_bench_data::experiment::{GuideAxis, GuideLine};
use ikeru_consoles::budget::{BUDGETS, Manages};
use ikeru_consoles::managing::{ConsoleClaim, sentence};
use ikeru_consoles::throughput::per_second;
use ikeru_reports::charts::{self, Axis, Chart, Looks, Panel, Point, Series};

/// The rates that a game requires, per second, with their labels.
const RATES: [(f64, &str); 3] = [(60.0, "60 Hz"), (30.0, "30 Hz"), (10.0, "0.1 s")];

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

/// Adds panels whose x values are indices of `consoles`. The consoles from the index `handhelds` on are handhelds.
fn per_console(
    chart: Chart,
    consoles: Vec<String>,
    handhelds: Option<usize>,
    panels: Vec<Panel>,
) -> Chart {
    let guide = |axis, (at, label): (f64, &str)| GuideLine {
        at,
        label: label.to_owned(),
        axis,
    };
    let border = handhelds.filter(|first| *first > 0);
    let border = border.map(|first| (first as f64 - 0.5, "handhelds"));
    let border = border.map(|border| guide(GuideAxis::X, border));
    let rates = RATES.map(|rate| guide(GuideAxis::Y, rate));
    Chart {
        x: Axis {
            categories: consoles,
            ..Axis::default()
        },
        y: Axis {
            label: "questions per second".to_owned(),
            scale: Scale::Log,
            ..Axis::default()
        },
        panels,
        guides: rates.into_iter().chain(border).collect(),
        ..chart
    }
}

impl ConsoleView<'_> {
    /// The chart of the rows `own` under the analysis's `heading`: questions per second.
    pub fn chart(
        &self,
        own: &[u32],
        baseline: Option<&str>,
        heading: Option<&str>,
    ) -> Option<Chart> {
        let places = self.places();
        if places.is_empty() {
            return None;
        }
        let looks = Looks::of_experiment(self.rows, own, baseline);
        let consoles = self.consoles();
        let point = |(place, one): (&usize, &OnConsole)| {
            let x = places.iter().position(|known| known == place)?;
            Some(Point::of(x as f64, per_second(one.slowest.time(consoles)?)))
        };
        let is_one = self.questions.len() == 1;
        let panels = self.questions.iter().map(|(question, labels)| Panel {
            title: if is_one {
                String::new()
            } else {
                question.clone()
            },
            series: labels
                .iter()
                .map(|(label, on)| Series {
                    name: label.clone(),
                    look: looks.of(label),
                    points: on.iter().filter_map(point).collect(),
                    ..Series::default()
                })
                .filter(|series| !series.points.is_empty())
                .collect(),
            published: Vec::new(),
        });
        let panels: Vec<Panel> = panels.collect();
        let names = places.iter().map(|place| {
            let console = &consoles[*place];
            format!("{} {}", console.name, console.year)
        });
        let mut subtitle = self.subtitle(heading);
        let all = self.questions.iter().flat_map(|(_, labels)| labels);
        subtitle += &misfits(all.map(|(label, on)| {
            let small = on.iter().filter(|(_, one)| !one.slowest.fits);
            let small: Vec<&str> = small.map(|(at, _)| consoles[*at].name.as_str()).collect();
            (label.as_str(), small.join(", "))
        }));
        let unchecked = self.unchecked();
        if !unchecked.is_empty() {
            subtitle += &format!("; models never compared with a machine: {unchecked}");
        }
        let handhelds = places.iter().position(|place| self.is_handheld(*place));
        let chart = charts::along_names(charts::SIDE_BY_SIDE, self.title(), subtitle);
        Some(per_console(chart, names.collect(), handhelds, panels))
    }

    /// A sentence with the consoles on which the first label and the best label answer every question and instance of
    /// the chart within a frame; with the last of the worst labels, if the first is the best.
    pub(super) fn title(&self) -> String {
        let claims = self.claims(0);
        let managing = |claim: &&ConsoleClaim| {
            let said = self.places().into_iter();
            let said = said.filter_map(|place| claim.says(place, self.consoles()));
            said.filter(|manages| *manages >= Manages::Likely).count()
        };
        let Some(first) = claims.first() else {
            return String::new();
        };
        let mut shown = vec![first.clone()];
        let differs = |other: &&ConsoleClaim| managing(other) != managing(&first);
        let best = claims.iter().rev().max_by_key(managing).filter(differs);
        let worst = || claims.iter().rev().min_by_key(managing).filter(differs);
        shown.extend(best.or_else(worst).cloned());
        let said = sentence(&shown, BUDGETS[0], self.consoles());
        match self.questions.len() {
            1 => said,
            _ => said.replacen(':', ", every question:", 1),
        }
    }

    fn subtitle(&self, heading: Option<&str>) -> String {
        let mut words = format!(
            "{}, modelled for one core, by the instruction sets' own cycles and cache misses; bars: all models and the fit's residual",
            self.unit()
        );
        if let [(question, _)] = &self.questions[..] {
            words = format!("{question}; {words}");
        }
        match heading {
            Some(heading) => format!("{heading}: {words}"),
            None => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::misfits;

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
}
