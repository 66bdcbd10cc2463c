//! The savings of the switches over all questions: each switch alone, last and by its Shapley value, and pairs of
//! switches.

use std::collections::HashMap;

use ikeru_bench_data::Scale;

use super::{Game, Switch};
use crate::charts::{Axis, BARS, Chart, Looks, Panel, Point, Series};
use crate::metric::Metric;
use crate::row;
use crate::statistics::interval::t_mean;
use crate::statistics::shapley;
use crate::statistics::{Estimate, mean};
use crate::table::Cell;
use crate::units::Quantity;

/// The names of the bars of each switch.
const ORDERS: [&str; 3] = ["switched on first", "its part", "switched on last"];

/// All questions as one game of sums, and the logarithms of the questions whose values are all positive.
pub(super) struct Savings {
    /// For each set of switches, the saving over all questions compared with all switches off.
    pub(super) saved: Game,
    /// The instance of each of `falls`.
    pub(super) instances: Vec<String>,
    /// −ln of every set's value, for each question with positive values.
    pub(super) falls: Vec<Game>,
}

impl Savings {
    pub(super) fn of(games: &[(String, Game)]) -> Self {
        let sets = games.first().map_or(0, |(_, game)| game.len());
        let saved = |set: usize| games.iter().map(|(_, game)| game[0] - game[set]).sum();
        let positive = games
            .iter()
            .filter(|(_, game)| game.iter().all(|value| *value > 0.0));
        Self {
            saved: (0..sets).map(saved).collect(),
            instances: positive
                .clone()
                .map(|(instance, _)| instance.clone())
                .collect(),
            falls: positive
                .map(|(_, game)| game.iter().map(|value| -value.ln()).collect())
                .collect(),
        }
    }

    /// The decrease of the mean logarithm from one set to another.
    fn fall(&self, from: usize, to: usize) -> Option<f64> {
        let falls: Vec<f64> = self
            .falls
            .iter()
            .map(|game| game[to] - game[from])
            .collect();
        mean(&falls)
    }

    fn all(&self) -> usize {
        self.saved.len() - 1
    }

    /// The Shapley value of the switch at `at` in the decrease of the mean logarithm. Each question counts once, as in
    /// the whole; the interval is that of the means of the instances.
    fn part(&self, at: usize) -> Option<Estimate> {
        let mut parts = Vec::with_capacity(self.falls.len());
        let mut of_instance: HashMap<&str, Vec<f64>> = HashMap::new();
        for (instance, game) in self.instances.iter().zip(&self.falls) {
            let part = *shapley::values(game)?.get(at)?;
            parts.push(part);
            of_instance.entry(instance).or_default().push(part);
        }
        let means: Vec<f64> = of_instance.values().filter_map(|own| mean(own)).collect();
        Some(Estimate {
            interval: t_mean(&means)?.interval,
            ..Estimate::plain(mean(&parts)?)
        })
    }

    /// The decrease of the mean logarithm when the switch at `at` is switched on first, and when it is switched on
    /// last.
    fn alone_and_last(&self, at: usize) -> [Option<f64>; 2] {
        let bit = 1 << at;
        [self.fall(0, bit), self.fall(self.all() & !bit, self.all())]
    }

    pub(super) fn row(&self, at: usize, switch: &Switch, saved: f64, metric: &Metric) -> Vec<Cell> {
        let part = self.part(at);
        let whole = self.fall(0, self.all()).filter(|fall| *fall != 0.0);
        let share = part.zip(whole).map(|(part, whole)| part.value / whole);
        let [alone, last] = self.alone_and_last(at);
        let interval = part.and_then(|part| part.map(f64::exp).interval);
        row![
            &switch.name,
            format!("{} → {}", switch.off, switch.on),
            factor(part.map(|part| part.value)),
            (interval, Quantity::Ratio),
            (share, Quantity::Share),
            sum(saved, metric),
            factor(alone),
            factor(last),
        ]
    }

    /// Three bars per switch: its effect when switched on first, its Shapley value, and its effect when switched on
    /// last. `None` where no logarithm is known.
    pub(super) fn chart(
        &self,
        subtitle: &str,
        switches: &[Switch],
        metric: &Metric,
    ) -> Option<Chart> {
        let whole = self.fall(0, self.all())?;
        let parts: Vec<Estimate> = (0..switches.len())
            .map(|at| self.part(at))
            .collect::<Option<_>>()?;
        let (most, best) = parts
            .iter()
            .zip(switches)
            .max_by(|(a, _), (b, _)| a.value.total_cmp(&b.value))?;
        let looks = Looks::new(ORDERS, None);
        let point = |order: usize, at: usize| {
            let [alone, last] = self
                .alone_and_last(at)
                .map(|fall| fall.map(Estimate::plain));
            let fall = [alone, Some(parts[at]), last][order]?;
            Some(Point::of(at as f64, fall.map(f64::exp)))
        };
        let series = |(order, name): (usize, &str)| Series {
            name: name.to_owned(),
            look: looks.of(name),
            points: (0..switches.len())
                .filter_map(|at| point(order, at))
                .collect(),
            same: Vec::new(),
            summary: None,
        };
        Some(Chart {
            style: BARS,
            title: format!(
                "{} saves most {}: {} of {} in all",
                best.name,
                metric.noun(),
                Quantity::Ratio.word(most.value.exp()),
                Quantity::Ratio.word(whole.exp()),
            ),
            subtitle: format!(
                "{subtitle}; the parts multiply to the whole, with 95 % intervals over the instances"
            ),
            x: Axis {
                categories: switches.iter().map(|switch| switch.name.clone()).collect(),
                ..Axis::default()
            },
            y: Axis {
                label: format!("how many times less {}", metric.noun()),
                scale: Scale::Log,
                ..Axis::default()
            },
            panels: vec![Panel {
                series: ORDERS.into_iter().enumerate().map(series).collect(),
                ..Panel::default()
            }],
            guides: Vec::new(),
            bars_from: Some(1.0),
        })
    }

    pub(super) fn last_row(&self, metric: &Metric) -> Vec<Cell> {
        row![
            "all together",
            Cell::EMPTY,
            factor(self.fall(0, self.all())),
            Cell::EMPTY,
            (1.0, Quantity::Share),
            sum(self.saved[self.all()], metric),
            Cell::EMPTY,
            Cell::EMPTY,
        ]
    }

    pub(super) fn pairs(&self, switches: &[Switch]) -> Vec<Vec<Cell>> {
        let of_questions = self
            .falls
            .iter()
            .filter_map(|game| shapley::interactions(game));
        let of_questions: Vec<_> = of_questions.collect();
        let Some(first) = of_questions.first() else {
            return Vec::new();
        };
        let row = |(at, ((a, b), _)): (usize, &((usize, usize), f64))| {
            let beyond: Vec<f64> = of_questions.iter().map(|pairs| pairs[at].1).collect();
            let pair = format!("{} with {}", switches[*a].name, switches[*b].name);
            let mut row = row![pair, Cell::EMPTY, factor(mean(&beyond))];
            row.resize(8, Cell::EMPTY);
            row
        };
        first.iter().enumerate().map(row).collect()
    }
}

/// The factor that corresponds to a decrease of the mean logarithm.
fn factor(fall: Option<f64>) -> Cell {
    (fall.map(f64::exp), Quantity::Ratio).into()
}

/// A sum over all questions; counts are printed with every digit.
fn sum(saved: f64, metric: &Metric) -> Cell {
    let quantity = match metric.quantity() {
        Quantity::Plain => Quantity::Count,
        other => other,
    };
    (saved, quantity).into()
}
