//! The A* kernel of `dijkstra`, `heap` and `bucket`: dense arrays, any open list.

use std::sync::Arc;

use super::board::DenseMap;
use super::canonical::NOWHERE;
use super::nodes::{Nodes, unknown};
use crate::answer::Answer;
use crate::cost::Guarantee;
use crate::instance::Query;
use crate::map::{Cell, Heading};
use crate::variants::finder::{Finder, QueryWork, Stopped};

/// The directions that are not diagonal.
const STRAIGHT: u8 = 0b0101_0101;

/// An entry of the open list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenEntry {
    /// The cell, however a search numbers them.
    pub place: u32,
    /// Its cost from the start when it was queued.
    pub g: u32,
}

/// An open list.
pub trait OpenQueue: Send {
    /// Forgets everything, for a query whose start has the estimate `f`.
    fn clear(&mut self, f: u32);
    /// Adds an entry with its estimates of the whole path and of the rest.
    fn push(&mut self, f: u32, h: u32, entry: OpenEntry);
    /// Takes an entry of least `f`, or one that is near enough; `None` at the latest when every
    /// entry left has at least the estimate `best`.
    fn pop(&mut self, best: u32) -> Option<OpenEntry>;
}

/// A* on a board. Cells are reopened where a cheaper path to them turns up, so any open list that
/// pops entries in roughly the right order gives shortest paths.
pub struct AStar<Q> {
    board: Arc<DenseMap>,
    nodes: Nodes,
    queue: Q,
    offsets: [isize; 8],
}

impl<Q: OpenQueue> AStar<Q> {
    /// A search on `board` with the open list `queue`.
    pub fn new(board: Arc<DenseMap>, queue: Q) -> Self {
        let nodes = board.ground.iter().map(|ground| unknown(*ground));
        Self {
            nodes: Nodes::new(nodes.collect()),
            offsets: board.offsets(),
            board,
            queue,
        }
    }

    /// Whether there is a path; the nodes then hold it. Nothing from the board's limit on is looked at.
    fn search<const WEIGHTED: bool>(
        &mut self,
        query: Query,
        QueryWork { counts, ticker }: &mut QueryWork,
    ) -> Result<bool, Stopped> {
        let board = &*self.board;
        let goal = query.goal;
        let estimate = |cell: Cell| {
            board.scale.heuristic(
                u32::from(cell.x.abs_diff(goal.x)),
                u32::from(cell.y.abs_diff(goal.y)),
            )
        };
        // The limit until the goal has been reached.
        let mut best = if query.start == goal { 0 } else { board.limit };
        let mut beyond = board.limit == 0;
        self.nodes.forget();
        let h = estimate(query.start);
        self.queue.clear(h);
        self.nodes.relax(board.square(query.start), 0, NOWHERE);
        self.queue.push(h, h, entry(query.start, 0));
        while let Some(OpenEntry { place, g }) = self.queue.pop(best) {
            let cell = cell(place);
            let square = board.square(cell);
            let Some((arrival, _)) = self.nodes.arrival(square, g) else {
                continue;
            };
            if best < board.limit && g + estimate(cell) >= best {
                continue;
            }
            counts.expansions += 1;
            if ticker.passed() {
                return Err(Stopped::OutOfTime);
            }
            let mut steps = board.canonical(self.nodes.ground(square), arrival);
            counts.generated += u64::from(steps.count_ones());
            while steps != 0 {
                // Diagonal steps last: an open list that is last in, first out goes on with them
                // first, and only from a diagonal can a canonical path still turn anywhere.
                let straight = steps & STRAIGHT;
                let direction = if straight != 0 { straight } else { steps }.trailing_zeros();
                steps &= !(1 << direction);
                let direction = direction as usize;
                let next = square.wrapping_add_signed(self.offsets[direction]);
                let g = g + if WEIGHTED {
                    board.step_onto(self.nodes.ground(next), direction)
                } else {
                    [board.scale.straight, board.scale.diagonal][direction & 1]
                };
                if self.nodes.relax(next, g, direction).is_none() {
                    continue;
                }
                let cell = cell.step(Heading(direction as u8));
                let h = estimate(cell);
                let f = g + h;
                if f >= best {
                    beyond = true;
                } else if cell == goal {
                    best = f;
                } else {
                    counts.queued += 1;
                    self.queue.push(f, h, entry(cell, g));
                }
            }
        }
        let found = best < board.limit;
        if beyond && !found {
            return Err(Stopped::TooLong);
        }
        Ok(found)
    }

    /// The path back from `goal`, cell by cell, goal first. Every cell on it was reached.
    fn trace(&self, goal: Cell) -> impl Iterator<Item = Cell> + '_ {
        std::iter::successors(Some(goal), |cell| {
            let arrival = self.nodes.arrived(self.board.square(*cell));
            (arrival != NOWHERE).then(|| cell.step(Heading(arrival as u8).turned(4)))
        })
    }
}

/// An entry whose place is a cell in 32 bits.
#[inline]
pub fn entry(cell: Cell, g: u32) -> OpenEntry {
    OpenEntry {
        place: u32::from(cell.y) << 16 | u32::from(cell.x),
        g,
    }
}

/// The cell of such a place.
#[inline]
pub fn cell(place: u32) -> Cell {
    Cell::new(place as u16, (place >> 16) as u16)
}

impl<Q: OpenQueue> Finder for AStar<Q> {
    fn find(
        &mut self,
        query: Query,
        answer: &mut Answer,
        work: &mut QueryWork,
    ) -> Result<(), Stopped> {
        let found = if self.board.is_uniform {
            self.search::<false>(query, work)?
        } else {
            self.search::<true>(query, work)?
        };
        if found {
            answer.push_backward(self.trace(query.goal), |path| self.board.length(path));
        } else {
            answer.push_none();
        }
        Ok(())
    }

    fn table_bytes(&self) -> u64 {
        self.board.bytes()
    }

    fn guarantee(&self) -> Guarantee {
        self.board.guarantee
    }
}
