//! A* with exact lengths, straight and diagonal sums kept apart, for queries whose paths are too long for the scaled
//! costs of the other searches. It is slow, but exact on every map and with all factors.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::finder::{FinderCounts, QueryWork, Searched, Stopped};
use crate::answer::Answer;
use crate::cost::{Costs, Length};
use crate::instance::{Instance, Query};
use crate::map::{Cell, Heading};

/// A search on the map of an instance, which keeps its memory between queries.
pub struct Exact<'a> {
    instance: &'a Instance,
    /// The smallest factor of the question in hundredths, used by the estimate.
    cheapest: u64,
    /// The shortest known length to each cell, and the direction of arrival.
    nodes: Vec<Option<(Length, Option<Heading>)>>,
    open: BinaryHeap<Reverse<ExactEntry>>,
}

/// An entry of the open list, ordered by its estimate of the whole path.
struct ExactEntry {
    costs: Costs,
    estimate: Length,
    length: Length,
    cell: Cell,
}

impl Ord for ExactEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.costs.compare(self.estimate, other.estimate)
    }
}

impl PartialOrd for ExactEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ExactEntry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ExactEntry {}

impl<'a> Exact<'a> {
    /// A search for the question of `instance`.
    pub fn new(instance: &'a Instance) -> Self {
        let factors = instance.question.factors.0.iter().flatten();
        Self {
            instance,
            cheapest: factors.min().map_or(0, |factor| u64::from(*factor)),
            nodes: Vec::new(),
            open: BinaryHeap::new(),
        }
    }

    /// Appends the answer of `query` to `answer`.
    ///
    /// # Errors
    /// If the deadline passes first; then nothing is appended.
    pub fn find(&mut self, query: Query, answer: &mut Answer, work: &mut QueryWork) -> Searched {
        let QueryWork { counts, ticker } = work;
        self.nodes.clear();
        self.nodes.resize(self.instance.map().letters().len(), None);
        self.open.clear();
        self.reach(query.start, Length::default(), None, query.goal, counts);
        while let Some(Reverse(ExactEntry { cell, length, .. })) = self.open.pop() {
            if cell == query.goal {
                let path = std::iter::successors(Some(cell), |cell| {
                    let (_, arrival) = self.nodes[self.index(*cell)]?;
                    Some(cell.step(arrival?.turned(4)))
                });
                answer.push_backward(path, |_| length);
                return Ok(());
            }
            if self.nodes[self.index(cell)].is_some_and(|(known, _)| known != length) {
                continue;
            }
            if ticker.passed() {
                return Err(Stopped::OutOfTime);
            }
            counts.expansions += 1;
            for direction in Heading::ALL {
                let moves = self.instance.question.moves;
                let factor = |direction| self.instance.factor(cell.step(direction));
                let Some(weight) = factor(direction).map(u64::from) else {
                    continue;
                };
                if !moves.legal(direction, |side| factor(side).is_some()) {
                    continue;
                }
                counts.generated += 1;
                let mut longer = length;
                if direction.is_diagonal() {
                    longer.diagonal += weight;
                } else {
                    longer.straight += weight;
                }
                self.reach(
                    cell.step(direction),
                    longer,
                    Some(direction),
                    query.goal,
                    counts,
                );
            }
        }
        answer.push_none();
        Ok(())
    }

    /// Records a path to `cell` if it is the shortest known.
    fn reach(
        &mut self,
        cell: Cell,
        length: Length,
        arrival: Option<Heading>,
        goal: Cell,
        counts: &mut FinderCounts,
    ) {
        let costs = self.instance.question.costs;
        let index = self.index(cell);
        let known = &mut self.nodes[index];
        if known.is_some_and(|(known, _)| costs.compare(length, known).is_ge()) {
            return;
        }
        *known = Some((length, arrival));
        counts.queued += 1;
        self.open.push(Reverse(ExactEntry {
            costs,
            estimate: length + self.estimate(cell, goal),
            length,
            cell,
        }));
    }

    /// A lower bound on the rest of the path: its length on open ground of the smallest factor.
    fn estimate(&self, from: Cell, goal: Cell) -> Length {
        let (dx, dy) = (
            u64::from(from.x.abs_diff(goal.x)),
            u64::from(from.y.abs_diff(goal.y)),
        );
        let diagonal = if self.instance.question.moves.diagonal {
            dx.min(dy)
        } else {
            0
        };
        Length {
            straight: self.cheapest * (dx + dy - 2 * diagonal),
            diagonal: self.cheapest * diagonal,
        }
    }

    fn index(&self, cell: Cell) -> usize {
        usize::from(cell.y) * self.instance.map().width() + usize::from(cell.x)
    }
}
