//! The chart of questions per second, with its title and subtitle.

use super::{ConsoleView, OnConsole};
use crate::charts::{self, Looks, Panel, Point, Series};
use crate::consoles::budget::{BUDGETS, Manages};
use crate::consoles::managing::{ConsoleClaim, sentence};
use crate::consoles::throughput::per_second;

impl ConsoleView<'_> {
    /// The chart of the rows `own` under the analysis's `heading`: questions per second.
    pub fn chart(
        &self,
        own: &[u32],
        baseline: Option<&str>,
        heading: Option<&str>,
    ) -> Option<charts::Chart> {
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
                    same: Vec::new(),
                    summary: None,
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
        Some(charts::consoles(
            self.title(),
            self.subtitle(heading),
            names.collect(),
            places.iter().position(|place| self.is_handheld(*place)),
            panels,
        ))
    }

    /// A sentence with the consoles on which the first label and the best label answer every question and instance of
    /// the chart within a frame.
    fn title(&self) -> String {
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
        let best = claims.iter().rev().max_by_key(managing);
        shown.extend(
            best.filter(|best| managing(best) > managing(&first))
                .cloned(),
        );
        sentence(&shown, BUDGETS[0], self.consoles())
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
