//! The referee: replays every path and checks that no path is shorter. It uses no code of the variants.
//!
//! Lengths are checked twice. First, the published length of a row is compared with the path if the question has the
//! published rules. If they differ, Dijkstra's algorithm decides whether the answer or the row is wrong (the measure
//! `published_contradicted` counts wrong rows). Second, Dijkstra's algorithm with exact lengths, straight and
//! diagonal sums kept apart, always checks a single query. For a batch it checks one query drawn from each run of
//! equal size, within the budget of [`DIJKSTRA_CELLS`] (the measure `dijkstra_checked` counts them); the other
//! queries are only replayed. A claim that no path exists is checked for every query on the connected parts of the
//! map. The referee keeps the lengths that it has computed, so that later samples of the same question are only
//! compared.

pub mod ground_truth;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use ikeru_core::{Checked, Deadline, Random, Referee, Refereed, Rejection, Ticker, Wrong};

use crate::GridPath;
use crate::answer::{Answer, Path};
use crate::cost::{Costs, Length};
use crate::instance::{Instance, Query};
use crate::map::{Cell, Heading};
use ground_truth::GroundTruth;

/// The number of cells that Dijkstra's algorithm may visit in one check of a batch, about one or two seconds; at
/// least one query is checked.
pub const DIJKSTRA_CELLS: usize = 1 << 22;

/// The referee of one question. It keeps its results, so that Dijkstra's algorithm runs only once for each query,
/// even with many answers.
#[derive(Debug, Default)]
pub struct PathReferee {
    ground: OnceLock<GroundTruth>,
    /// The largest number of decimals of a published length.
    decimals: OnceLock<i32>,
    /// The shortest lengths by start and goal; `None` if there is no path.
    shortest: Mutex<BTreeMap<(Cell, Cell), Option<Length>>>,
}

impl Referee<GridPath> for PathReferee {
    /// The error gives the number of wrong rows and describes the first wrong query: the claim and the truth.
    fn check(&self, instance: &Instance, answer: &Answer, deadline: Deadline) -> Refereed {
        let queries = &instance.queries;
        if answer.len() != queries.len() {
            return Err(Wrong(format!(
                "{} answers to {} queries",
                answer.len(),
                queries.len()
            ))
            .into());
        }
        let mut check = PathCheck::new(self, instance, answer, deadline)?;
        let mut wrong: Option<String> = None;
        let mut wrong_rows = 0;
        for (index, (query, path)) in queries.iter().zip(answer.paths()).enumerate() {
            match check.query(index, *query, path) {
                Ok(()) => {}
                Err(Objection::Timeout) => return Err(Rejection::Timeout),
                Err(Objection::Wrong(reason)) => {
                    wrong_rows += 1;
                    wrong.get_or_insert(format!("query {} {reason}", index + 1));
                }
            }
        }
        match wrong {
            Some(first) => Err(Wrong(format!(
                "{wrong_rows} of {} rows wrong: {first}",
                queries.len()
            ))
            .into()),
            None => check.finish(queries.len()),
        }
    }
}

impl PathReferee {
    /// The map under the rules of the question; `None` if the deadline passes first.
    fn ground(&self, instance: &Instance, ticker: &mut Ticker) -> Option<&GroundTruth> {
        if let Some(ground) = self.ground.get() {
            return Some(ground);
        }
        let ground = GroundTruth::new(instance, ticker)?;
        Some(self.ground.get_or_init(|| ground))
    }

    /// The largest number of decimals of a published length in the whole scenario.
    fn decimals(&self, instance: &Instance) -> i32 {
        *self.decimals.get_or_init(|| {
            let rows = instance.input.scenario.iter();
            let lengths = rows.filter_map(|row| row.published);
            lengths.map(decimals).max().unwrap_or(0)
        })
    }

    /// The length of the shortest path, `Some(None)` if there is none; `None` if the deadline passes first.
    fn shortest(
        &self,
        ground: &GroundTruth,
        query: Query,
        ticker: &mut Ticker,
    ) -> Option<Option<Length>> {
        // A value is inserted completely or not at all, so the map is valid even after a panic.
        let known = || self.shortest.lock().unwrap_or_else(PoisonError::into_inner);
        let ends = (query.start, query.goal);
        if let Some(length) = known().get(&ends) {
            return Some(*length);
        }
        let length = ground.length(query.start, query.goal, ticker)?;
        known().insert(ends, length);
        Some(length)
    }
}

/// The reason for rejecting the answer of one query.
enum Objection {
    Wrong(String),
    Timeout,
}

impl From<String> for Objection {
    fn from(reason: String) -> Self {
        Self::Wrong(reason)
    }
}

/// The number of cells between two readings of the clock.
const TICKS: u32 = 1024;

struct PathCheck<'a> {
    referee: &'a PathReferee,
    instance: &'a Instance,
    answer: &'a Answer,
    ground: &'a GroundTruth,
    ticker: Ticker<'a>,
    /// Dijkstra's algorithm checks one query in each run of this length, …
    dijkstra_every: usize,
    /// … drawn from the content of the instance, so that a variant cannot predict which.
    draws: Random,
    drawn: usize,
    total: Length,
    paths: usize,
    steps: usize,
    forest: usize,
    dijkstra_checked: usize,
    published_checked: usize,
    /// The number of rows whose published length is not that of the shortest path.
    published_contradicted: usize,
    /// The sum of the relative excess over the optimum of the paths that Dijkstra's algorithm checked.
    excess: f64,
}

impl<'a> PathCheck<'a> {
    fn new(
        referee: &'a PathReferee,
        instance: &'a Instance,
        answer: &'a Answer,
        deadline: Deadline<'a>,
    ) -> Result<Self, Rejection> {
        let squares = instance.map().letters().len();
        let affordable = (DIJKSTRA_CELLS / squares).max(1);
        let mut ticker = deadline.ticker(TICKS);
        let ground = referee.ground(instance, &mut ticker);
        Ok(Self {
            referee,
            instance,
            answer,
            ground: ground.ok_or(Rejection::Timeout)?,
            ticker,
            dijkstra_every: instance.queries.len().div_ceil(affordable).max(1),
            draws: Random::new("path referee", fingerprint(instance)),
            drawn: 0,
            total: Length::default(),
            paths: 0,
            steps: 0,
            forest: 0,
            dijkstra_checked: 0,
            published_checked: 0,
            published_contradicted: 0,
            excess: 0.0,
        })
    }

    /// Returns whether Dijkstra's algorithm checks query `index`: one in each run of `dijkstra_every`.
    fn is_drawn(&mut self, index: usize) -> bool {
        let place = index % self.dijkstra_every;
        if place == 0 {
            let rest = self.instance.queries.len() - index;
            self.drawn = self.draws.index(self.dijkstra_every.min(rest));
        }
        place == self.drawn
    }

    fn query(&mut self, index: usize, query: Query, path: Option<Path>) -> Result<(), Objection> {
        let drawn = self.is_drawn(index);
        let Some(path) = path else {
            return if self.ground.connected(query.start, query.goal) {
                Err(format!(
                    "has a path from {} to {}, none claimed",
                    query.start, query.goal
                )
                .into())
            } else {
                if self.published(query).is_some() && query.start != query.goal {
                    self.published_checked += 1;
                    self.published_contradicted += 1;
                }
                Ok(())
            };
        };
        if !self.ground.connected(query.start, query.goal) {
            return Err(format!(
                "has no path from {} to {}, one claimed",
                query.start, query.goal
            )
            .into());
        }
        let length = self.replay(query, path)?;
        let costs = self.instance.question.costs;
        if length != path.length {
            return Err(format!(
                "claims {} for a path of {}",
                costs.decimal(path.length),
                costs.decimal(length)
            )
            .into());
        }
        self.paths += 1;
        self.total += length;
        let most = self.referee.decimals(self.instance);
        let mut is_contradicted = false;
        if let Some(published) = self.published(query) {
            self.published_checked += 1;
            is_contradicted = !agrees(costs.decimal(length), published, most);
        }
        if drawn || is_contradicted {
            self.dijkstra_checked += 1;
            let shortest = self.referee.shortest(self.ground, query, &mut self.ticker);
            let shortest = shortest.ok_or(Objection::Timeout)?.unwrap_or_default();
            self.compare(length, shortest)?;
            let published = self.published(query).filter(|_| is_contradicted);
            let shortest = costs.decimal(shortest);
            let is_false = |published: f64| !agrees(shortest, published, most);
            self.published_contradicted += usize::from(published.is_some_and(is_false));
        }
        Ok(())
    }

    /// The published length of a row, if the question has the published rules.
    fn published(&self, query: Query) -> Option<f64> {
        let is_by_rule = self.instance.question.is_published_rule();
        query.published.filter(|_| is_by_rule)
    }

    fn compare(&mut self, length: Length, shortest: Length) -> Result<(), String> {
        let costs = self.instance.question.costs;
        let (found, best) = (costs.decimal(length), costs.decimal(shortest));
        match costs.compare(length, shortest) {
            Ordering::Equal => Ok(()),
            // The lengths of two paths may differ by less than the decimals show; the exact sums distinguish them.
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

    /// Follows the path, checks its steps and sums their lengths.
    fn replay(&mut self, query: Query, path: Path) -> Result<Length, Objection> {
        let mut cells = path.cells();
        if cells.next() != Some(query.start) {
            return Err(format!("has a path that does not start at {}", query.start).into());
        }
        let mut here = query.start;
        let mut length = Length::default();
        for next in cells {
            if self.ticker.passed() {
                return Err(Objection::Timeout);
            }
            let (dx, dy) = (
                i32::from(next.x) - i32::from(here.x),
                i32::from(next.y) - i32::from(here.y),
            );
            let legal = Heading::of(dx, dy).is_some_and(|d| self.ground.legal(here, d));
            if !legal {
                return Err(format!("has a path with an illegal step {here} → {next}").into());
            }
            length += self.ground.step(next, dx != 0 && dy != 0);
            here = next;
            self.steps += 1;
            let map = self.instance.map();
            let cell = usize::from(next.y) * map.width() + usize::from(next.x);
            self.forest += usize::from(map.letters()[cell] == b'T');
        }
        if here == query.goal {
            Ok(length)
        } else {
            Err(format!("has a path that ends at {here} instead of {}", query.goal).into())
        }
    }

    fn finish(self, queries: usize) -> Refereed {
        let costs = self.instance.question.costs;
        let score = costs.millionths(self.total);
        if score != self.answer.claimed {
            return Err(Wrong(format!(
                "the paths sum up to {score} millionths, {} claimed",
                self.answer.claimed
            ))
            .into());
        }
        let mean_excess = 100.0 * self.excess / self.dijkstra_checked.max(1) as f64;
        let mut checked = Checked {
            score: (self.paths > 0).then_some(score),
            measures: vec![
                ("queries", queries as f64),
                ("ways", self.paths as f64),
                ("length", costs.decimal(self.total)),
                ("root_two", Costs::Octile.decimal(self.total)),
                ("steps", self.steps as f64),
                ("forest", self.forest as f64),
                ("dijkstra_checked", self.dijkstra_checked as f64),
                ("published_checked", self.published_checked as f64),
                ("published_contradicted", self.published_contradicted as f64),
                ("left_out", self.instance.rows_left_out() as f64),
            ],
        };
        // Over a shortest path of length 0 no other path has an excess.
        if mean_excess.is_finite() {
            checked.measures.push(("excess_percent", mean_excess));
        }
        Ok(checked)
    }
}

/// A hash of the map and its queries.
fn fingerprint(instance: &Instance) -> u64 {
    let ends = instance.queries.iter().flat_map(|query| {
        [query.start.x, query.start.y, query.goal.x, query.goal.y].map(u64::from)
    });
    let letters = instance
        .map()
        .letters()
        .iter()
        .map(|letter| u64::from(*letter));
    letters
        .chain(ends)
        .fold(0xcbf2_9ce4_8422_2325, |hash, value| {
            (hash ^ value).wrapping_mul(0x100_0000_01b3)
        })
}

/// The number of decimals of a published length without trailing zeros.
fn decimals(published: f64) -> i32 {
    let text = published.to_string();
    text.split_once('.')
        .map_or(0, |(_, decimals)| decimals.len() as i32)
}

/// Returns whether a length equals the published one to its last published digit. Trailing zeros are lost when a
/// length is read: some programs print six significant digits, others two decimals. A published length therefore
/// counts with at least six significant digits, but with no more decimals than the largest number in its scenario
/// (`most`). Lengths with two decimals were first rounded to three, so their error is up to one unit of the last
/// digit instead of half a unit. Lengths of the city maps, with eight decimals, were summed with 1.41421356 for √2,
/// so they are too short by up to 1.7 × 10⁻⁹ of the length.
fn agrees(length: f64, published: f64, most: i32) -> bool {
    let digits_before_point = published.max(1.0).log10().floor() as i32 + 1;
    let shortest = most.min(6 - digits_before_point);
    let last_digit = 10_f64.powi(-decimals(published).max(shortest));
    let rounded = last_digit * if most == 2 { 0.999 } else { 0.51 };
    (-rounded..=rounded + 1.7e-9 * length).contains(&(length - published))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_length_counts_to_its_last_digit() {
        for (length, published, most, same) in [
            (2.414_213_562_4, 2.414_213_56, 8, true),
            (2.414_213_562_4, 2.414_213_57, 8, false),
            (2.414_213_562_4, 2.414_214, 6, true),
            (2.414_213_562_4, 2.414_22, 5, false),
            // Eight decimals of a sum with a √2 of eight decimals, from the map of a city.
            (94.426_406_871_19, 94.426_406_86, 8, true),
            (94.426_407_871_19, 94.426_406_86, 8, false),
            // Six significant digits without trailing zeros.
            (15.0, 15.0, 5, true),
            (15.000_06, 15.0, 5, false),
            (1_234.562_4, 1_234.56, 5, true),
            (1_234.572, 1_234.56, 5, false),
            // Two decimals in all rows, some with a trailing zero that is lost.
            (447.333_04, 447.33, 2, true),
            // Rounded twice: 149.225, then 149.22.
            (149.225_39, 149.22, 2, true),
            (149.225_39, 149.22, 5, false),
            (149.230_39, 149.22, 2, false),
            (447.343_04, 447.33, 2, false),
            (15.496_5, 15.5, 2, true),
            (15.485, 15.5, 2, false),
            (7.0, 7.0, 2, true),
            (7.01, 7.0, 2, false),
        ] {
            let agreed = agrees(length, published, most);
            assert_eq!(agreed, same, "{length} {published} {most}");
        }
    }
}
