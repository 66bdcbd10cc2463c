//! The referee: replays every way and checks that none is shorter. It shares no code with any variant.
//!
//! Shortness is checked twice. Lengths that a scenario publishes are compared with every row they
//! hold for. And a plain Dijkstra with exact lengths, straight and diagonal sums kept apart, runs for
//! single queries always and for batches on queries spread evenly, as many as [`DIJKSTRA_SQUARES`]
//! pays for. That no way exists is checked for every query on the connected parts of the map. What
//! [`crate::truth`] has found out once is remembered: later samples of the same question are compared.

use std::cmp::Ordering;
use std::sync::Arc;

use ikeru_core::{Checked, Wrong};

use crate::answer::{Answer, Way};
use crate::cost::Length;
use crate::instance::{Instance, Query};
use crate::map::Direction;
use crate::truth::Ground;

/// Squares of Dijkstra's algorithm that one check of a batch may visit: a second or two.
pub const DIJKSTRA_SQUARES: usize = 1 << 22;

/// Checks an answer.
///
/// # Errors
/// Names the first wrong query, how many are wrong, what was claimed and what is true.
pub fn check(instance: &Instance, answer: &Answer) -> Result<Checked, Wrong> {
    let queries = &instance.queries;
    if answer.len() != queries.len() {
        return Err(Wrong(format!(
            "{} answers to {} queries",
            answer.len(),
            queries.len()
        )));
    }
    let mut court = Court::new(instance, answer);
    let mut wrong: Option<String> = None;
    let mut wrong_rows = 0;
    for (index, (query, way)) in queries.iter().zip(answer.ways()).enumerate() {
        if let Err(reason) = court.hear(index, *query, way) {
            wrong_rows += 1;
            wrong.get_or_insert(format!("query {} {reason}", index + 1));
        }
    }
    match wrong {
        Some(first) => Err(Wrong(format!(
            "{wrong_rows} of {} rows wrong: {first}",
            queries.len()
        ))),
        None => court.verdict(queries.len()),
    }
}

struct Court<'a> {
    instance: &'a Instance,
    answer: &'a Answer,
    ground: Arc<Ground>,
    dijkstra_every: usize,
    total: Length,
    ways: usize,
    steps: usize,
    dijkstra_checked: usize,
    published_checked: usize,
    /// Sums over the ways that Dijkstra checked: how far above the optimum, in parts of it.
    excess: f64,
}

impl<'a> Court<'a> {
    fn new(instance: &'a Instance, answer: &'a Answer) -> Self {
        let squares = instance.map().letters().len();
        let affordable = (DIJKSTRA_SQUARES / squares).max(1);
        Self {
            instance,
            answer,
            ground: instance.truths.ground(instance),
            dijkstra_every: instance.queries.len().div_ceil(affordable).max(1),
            total: Length::default(),
            ways: 0,
            steps: 0,
            dijkstra_checked: 0,
            published_checked: 0,
            excess: 0.0,
        }
    }

    fn hear(&mut self, index: usize, query: Query, way: Option<Way>) -> Result<(), String> {
        let Some(way) = way else {
            return if self.ground.connected(query.start, query.goal) {
                Err(format!(
                    "has a way from {} to {}, none claimed",
                    query.start, query.goal
                ))
            } else {
                Ok(())
            };
        };
        let length = self.replay(query, way)?;
        let costs = self.instance.question.costs;
        if length != way.length {
            return Err(format!(
                "claims {} for a way of {}",
                costs.decimal(way.length),
                costs.decimal(length)
            ));
        }
        self.ways += 1;
        self.total += length;
        if let Some(published) = query.published
            && self.instance.question.is_published_rule()
        {
            self.published_checked += 1;
            if !agrees(costs.decimal(length), published) {
                return Err(format!(
                    "has length {}, published as {published}",
                    costs.decimal(length)
                ));
            }
        }
        if index.is_multiple_of(self.dijkstra_every) {
            self.dijkstra_checked += 1;
            let shortest = self.instance.truths.shortest(&self.ground, query);
            self.compare(length, shortest.unwrap_or_default())?;
        }
        Ok(())
    }

    fn compare(&mut self, length: Length, shortest: Length) -> Result<(), String> {
        let costs = self.instance.question.costs;
        let (found, best) = (costs.decimal(length), costs.decimal(shortest));
        match costs.compare(length, shortest) {
            Ordering::Equal => Ok(()),
            // Two ways may differ by less than a decimal shows; the exact sums tell them apart.
            Ordering::Less => Err(format!("has length {found}, below the shortest, {best}")),
            Ordering::Greater if self.answer.optimal => {
                Err(format!("has length {found}, the shortest has {best}"))
            }
            Ordering::Greater => {
                self.excess += found / best - 1.0;
                Ok(())
            }
        }
    }

    /// Walks the way and sums what its steps cost.
    fn replay(&mut self, query: Query, way: Way) -> Result<Length, String> {
        let mut cells = way.cells();
        if cells.next() != Some(query.start) {
            return Err(format!("has a way that does not start at {}", query.start));
        }
        let mut here = query.start;
        let mut length = Length::default();
        for next in cells {
            let (dx, dy) = (
                i32::from(next.x) - i32::from(here.x),
                i32::from(next.y) - i32::from(here.y),
            );
            let legal = Direction::of(dx, dy).is_some_and(|d| self.ground.legal(here, d));
            if !legal {
                return Err(format!("has a way with an illegal step {here} → {next}"));
            }
            length += self.ground.step(next, dx != 0 && dy != 0);
            here = next;
            self.steps += 1;
        }
        if here == query.goal {
            Ok(length)
        } else {
            Err(format!(
                "has a way that ends at {here} instead of {}",
                query.goal
            ))
        }
    }

    fn verdict(self, queries: usize) -> Result<Checked, Wrong> {
        let costs = self.instance.question.costs;
        let score = costs.millionths(self.total);
        if score != self.answer.claimed {
            return Err(Wrong(format!(
                "the ways sum up to {score} millionths, {} claimed",
                self.answer.claimed
            )));
        }
        let mean_excess = 100.0 * self.excess / self.dijkstra_checked.max(1) as f64;
        Ok(Checked {
            score: (self.ways > 0).then_some(score),
            measures: vec![
                ("queries", queries as f64),
                ("ways", self.ways as f64),
                ("length", costs.decimal(self.total)),
                ("steps", self.steps as f64),
                ("dijkstra_checked", self.dijkstra_checked as f64),
                ("published_checked", self.published_checked as f64),
                ("excess_percent", mean_excess),
            ],
        })
    }
}

/// Whether a length is the published one, which is printed with six significant digits or more.
fn agrees(length: f64, published: f64) -> bool {
    let digits_before_point = published.max(1.0).log10().floor();
    let last_digit = 10_f64.powf(digits_before_point - 5.0);
    (length - published).abs() <= 0.51 * last_digit
}
