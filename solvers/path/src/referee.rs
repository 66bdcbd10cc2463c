//! The referee: replays every way and checks that none is shorter. It shares no code with any variant.
//!
//! Shortness is checked twice. Lengths that a scenario publishes are compared with every row they
//! hold for. And a plain Dijkstra with exact lengths, straight and diagonal sums kept apart, runs for
//! single queries always and for batches on queries spread evenly, as many as [`DIJKSTRA_SQUARES`]
//! pays for. That no way exists is checked for every query on the connected parts of the map.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use ikeru_core::{Checked, Wrong};

use crate::answer::{Answer, Way};
use crate::cost::{Costs, Length};
use crate::instance::{Instance, Query};
use crate::map::{Cell, Direction};
use crate::question::Corners;

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
    parts: Vec<u32>,
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
            parts: parts(instance),
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
            let connected = self.part(query.start) == self.part(query.goal);
            return if connected {
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
            let shortest = dijkstra(self.instance, query).unwrap_or_default();
            self.compare(length, shortest)?;
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
            let legal = Direction::of(dx, dy).is_some_and(|d| legal(self.instance, here, d));
            if !legal {
                return Err(format!("has a way with an illegal step {here} → {next}"));
            }
            length += step(self.instance, next, dx != 0 && dy != 0);
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

    fn part(&self, cell: Cell) -> u32 {
        self.parts[usize::from(cell.y) * self.instance.map().width() + usize::from(cell.x)]
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

fn free(instance: &Instance, cell: Cell) -> bool {
    instance.factor(cell).is_some()
}

fn legal(instance: &Instance, from: Cell, direction: Direction) -> bool {
    // Written out here although the variants know the rule too: a referee takes nobody's word.
    // A step off the upper or left edge wraps to a square that is on no map.
    let next = from.step(direction);
    if !free(instance, next) {
        return false;
    }
    if from.x == next.x || from.y == next.y {
        return true;
    }
    let beside = [Cell::new(from.x, next.y), Cell::new(next.x, from.y)];
    let free_beside = beside
        .into_iter()
        .filter(|cell| free(instance, *cell))
        .count();
    let needed = match instance.question.moves.corners {
        Corners::Allow => 0,
        Corners::OneSide => 1,
        Corners::BothSides => 2,
    };
    instance.question.moves.diagonal && free_beside >= needed
}

/// What the step onto `cell` adds to a length.
fn step(instance: &Instance, cell: Cell, diagonal: bool) -> Length {
    let factor = u64::from(instance.factor(cell).unwrap_or(0));
    if diagonal {
        Length {
            straight: 0,
            diagonal: factor,
        }
    } else {
        Length {
            straight: factor,
            diagonal: 0,
        }
    }
}

/// A length in the order of its costs, for a queue.
struct Ordered(Costs, Length, Cell);

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.compare(self.1, other.1)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

/// The length of the shortest way, by Dijkstra's algorithm on exact lengths.
#[must_use]
pub fn dijkstra(instance: &Instance, query: Query) -> Option<Length> {
    lengths_from(instance, query.start, Some(query.goal))[index(instance, query.goal)]
}

/// The lengths of the shortest ways from `start` to every square that is nearer than `goal`, or
/// to all where there is no goal.
#[must_use]
pub fn lengths_from(instance: &Instance, start: Cell, goal: Option<Cell>) -> Vec<Option<Length>> {
    let costs = instance.question.costs;
    let mut lengths = vec![None; instance.map().letters().len()];
    let mut settled = vec![false; lengths.len()];
    let mut queue = BinaryHeap::new();
    lengths[index(instance, start)] = Some(Length::default());
    queue.push(Reverse(Ordered(costs, Length::default(), start)));
    while let Some(Reverse(Ordered(_, length, here))) = queue.pop() {
        if Some(here) == goal {
            break;
        }
        if std::mem::replace(&mut settled[index(instance, here)], true) {
            continue;
        }
        for direction in Direction::ALL {
            if !legal(instance, here, direction) {
                continue;
            }
            let next = here.step(direction);
            let longer = length + step(instance, next, direction.is_diagonal());
            let known = &mut lengths[index(instance, next)];
            if known.is_none_or(|known| costs.compare(longer, known).is_lt()) {
                *known = Some(longer);
                queue.push(Reverse(Ordered(costs, longer, next)));
            }
        }
    }
    lengths
}

fn index(instance: &Instance, cell: Cell) -> usize {
    usize::from(cell.y) * instance.map().width() + usize::from(cell.x)
}

/// The connected part that every square belongs to, numbered from 1; 0 for blocked squares.
fn parts(instance: &Instance) -> Vec<u32> {
    let mut parts = vec![0; instance.map().letters().len()];
    let mut stack = Vec::new();
    let mut last = 0;
    for cell in instance.map().cells() {
        if parts[index(instance, cell)] != 0 || !free(instance, cell) {
            continue;
        }
        last += 1;
        parts[index(instance, cell)] = last;
        stack.push(cell);
        while let Some(here) = stack.pop() {
            for direction in Direction::ALL {
                if !legal(instance, here, direction) {
                    continue;
                }
                let next = here.step(direction);
                let part = &mut parts[index(instance, next)];
                if *part == 0 {
                    *part = last;
                    stack.push(next);
                }
            }
        }
    }
    parts
}
