//! Legal steps, connected parts and shortest lengths of a map, computed without code of the variants.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use ikeru_core::Ticker;

use crate::cost::{Costs, Length};
use crate::instance::Instance;
use crate::map::{Cell, Heading};
use crate::question::{Corners, Question};

/// A map under the rules of one question.
#[derive(Debug)]
pub struct GroundTruth {
    question: Question,
    width: usize,
    height: usize,
    /// The factor of each cell in hundredths; [`BLOCKED`] if it cannot be entered.
    factors: Vec<u32>,
    /// The number of the connected part of each cell, from 1; 0 for blocked cells.
    parts: Vec<u32>,
}

const BLOCKED: u32 = u32::MAX;

impl GroundTruth {
    /// The ground of an instance; `None` if the deadline passes first.
    pub fn new(instance: &Instance, ticker: &mut Ticker) -> Option<Self> {
        let map = instance.map();
        let factors = map
            .cells()
            .map(|cell| instance.factor(cell).unwrap_or(BLOCKED));
        let mut ground = Self {
            question: instance.question,
            width: map.width(),
            height: map.height(),
            factors: factors.collect(),
            parts: Vec::new(),
        };
        ground.parts = ground.parts(instance, ticker)?;
        Some(ground)
    }

    fn index(&self, cell: Cell) -> usize {
        usize::from(cell.y) * self.width + usize::from(cell.x)
    }

    fn free(&self, cell: Cell) -> bool {
        // A step beyond the upper or left edge wraps to a cell that is outside every map.
        let on_map = usize::from(cell.x) < self.width && usize::from(cell.y) < self.height;
        on_map && self.factors[self.index(cell)] != BLOCKED
    }

    /// Returns whether a step is legal. The rule is written a second time here, so that the referee does not depend
    /// on the variants.
    pub fn legal(&self, from: Cell, direction: Heading) -> bool {
        let next = from.step(direction);
        if !self.free(next) {
            return false;
        }
        if from.x == next.x || from.y == next.y {
            return true;
        }
        let beside = [Cell::new(from.x, next.y), Cell::new(next.x, from.y)];
        let free_beside = beside.into_iter().filter(|cell| self.free(*cell)).count();
        let needed = match self.question.moves.corners {
            Corners::Allow => 0,
            Corners::OneSide => 1,
            Corners::BothSides => 2,
        };
        self.question.moves.diagonal && free_beside >= needed
    }

    /// The length of the step onto `cell`, which must be free.
    pub fn step(&self, cell: Cell, diagonal: bool) -> Length {
        let factor = u64::from(self.factors[self.index(cell)]);
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

    /// Returns whether there is a path between two cells. No path begins or ends on a blocked cell.
    pub fn connected(&self, a: Cell, b: Cell) -> bool {
        let part = self.parts[self.index(a)];
        part != 0 && part == self.parts[self.index(b)]
    }

    /// The lengths of the shortest paths from `start` to `goal` and to every cell that is nearer, or to all cells
    /// without a goal, by Dijkstra's algorithm on exact lengths. Other cells may have too large a length. `None` if
    /// the deadline passes first.
    pub fn lengths_from(
        &self,
        start: Cell,
        goal: Option<Cell>,
        ticker: &mut Ticker,
    ) -> Option<Vec<Option<Length>>> {
        let costs = self.question.costs;
        let mut lengths = vec![None; self.factors.len()];
        let mut settled = vec![false; lengths.len()];
        let mut queue = BinaryHeap::new();
        lengths[self.index(start)] = Some(Length::default());
        queue.push(Reverse(Ordered(costs, Length::default(), start)));
        while let Some(Reverse(Ordered(_, length, here))) = queue.pop() {
            if Some(here) == goal {
                break;
            }
            if ticker.passed() {
                return None;
            }
            if std::mem::replace(&mut settled[self.index(here)], true) {
                continue;
            }
            for direction in Heading::ALL {
                if !self.legal(here, direction) {
                    continue;
                }
                let next = here.step(direction);
                let longer = length + self.step(next, direction.is_diagonal());
                let known = &mut lengths[self.index(next)];
                if known.is_none_or(|known| costs.compare(longer, known).is_lt()) {
                    *known = Some(longer);
                    queue.push(Reverse(Ordered(costs, longer, next)));
                }
            }
        }
        Some(lengths)
    }

    /// The length of the shortest path, `Some(None)` if there is none; `None` if the deadline passes first.
    pub fn length(&self, start: Cell, goal: Cell, ticker: &mut Ticker) -> Option<Option<Length>> {
        let lengths = self.lengths_from(start, Some(goal), ticker)?;
        Some(lengths[self.index(goal)])
    }

    fn parts(&self, instance: &Instance, ticker: &mut Ticker) -> Option<Vec<u32>> {
        let mut parts = vec![0; self.factors.len()];
        let mut stack = Vec::new();
        let mut last = 0;
        for cell in instance.map().cells() {
            if parts[self.index(cell)] != 0 || !self.free(cell) {
                continue;
            }
            last += 1;
            parts[self.index(cell)] = last;
            stack.push(cell);
            while let Some(here) = stack.pop() {
                if ticker.passed() {
                    return None;
                }
                for direction in Heading::ALL {
                    if !self.legal(here, direction) {
                        continue;
                    }
                    let next = here.step(direction);
                    let part = &mut parts[self.index(next)];
                    if *part == 0 {
                        *part = last;
                        stack.push(next);
                    }
                }
            }
        }
        Some(parts)
    }
}

/// A length with its cell, ordered by the costs, for a queue.
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
