//! The first moves of the shortest paths from one cell to all others.
//!
//! Dijkstra's algorithm with canonical steps. A cell keeps all directions in which canonical shortest paths to it
//! arrive, and all directions in which they leave the start. Buckets are not wider than the cheapest step, so a cell
//! is final when its bucket is opened and the order within a bucket does not matter.

use std::sync::Arc;

use ikeru_core::{Refusal, Ticker};

use super::astar::{OpenEntry, cell, entry};
use super::board::DenseMap;
use super::canonical::NOWHERE;
use crate::map::{Cell, Heading};

/// The state of a cell.
#[derive(Debug, Clone, Copy)]
struct ReachedCell {
    cost: u32,
    /// The directions of arrival on paths of this cost.
    arrivals: u8,
    /// The directions in which these paths leave the start.
    first: u8,
}

const UNREACHED: ReachedCell = ReachedCell {
    cost: u32::MAX,
    arrivals: 0,
    first: 0,
};

/// A search from one cell after another, which keeps its memory between them.
pub struct FirstMoves {
    board: Arc<DenseMap>,
    offsets: [isize; 8],
    reached: Vec<ReachedCell>,
    /// A ring of buckets that covers the range of one step.
    buckets: Vec<Vec<OpenEntry>>,
    /// The width of a bucket is two to the power of this.
    shift: u32,
}

impl FirstMoves {
    /// A search on `board`, whose ground must be uniform.
    ///
    /// # Errors
    /// Refuses costs beyond 32 bits.
    pub fn new(board: Arc<DenseMap>) -> Result<Self, Refusal> {
        if board.limit == 0 {
            return Err(too_long());
        }
        let shift = board.scale.straight.ilog2();
        let longest = u64::from(board.heaviest) * u64::from(board.scale.diagonal);
        let buckets = ((longest >> shift) as usize + 2).next_power_of_two();
        Ok(Self {
            offsets: board.offsets(),
            reached: vec![UNREACHED; board.squares],
            buckets: vec![Vec::new(); buckets],
            shift,
            board,
        })
    }

    /// Calls `visit` with every cell that can be reached from `start`, except `start`, and the directions of the
    /// first moves of canonical shortest paths to it, one bit each. Cells are visited bucket by bucket, nearest
    /// first.
    ///
    /// # Errors
    /// Refuses a map whose costs are beyond 32 bits; [`Refusal::Timeout`] if the deadline passes first.
    pub fn from(
        &mut self,
        start: Cell,
        ticker: &mut Ticker,
        mut visit: impl FnMut(Cell, u8),
    ) -> Result<(), Refusal> {
        let board = &*self.board;
        let last = self.buckets.len() - 1;
        self.reached.fill(UNREACHED);
        self.reached[board.square(start)].cost = 0;
        self.buckets[0].push(entry(start, 0));
        let (mut queued, mut number) = (1, 0);
        while queued > 0 {
            let mut bucket = std::mem::take(&mut self.buckets[number & last]);
            queued -= bucket.len();
            for OpenEntry { place, g } in bucket.drain(..) {
                let square = board.square(cell(place));
                let here = self.reached[square];
                if here.cost != g {
                    continue;
                }
                ticker.check()?;
                if g > 0 {
                    visit(cell(place), here.first);
                }
                let mut steps = steps_from(board, square, here.arrivals);
                while steps != 0 {
                    let direction = steps.trailing_zeros() as usize;
                    steps &= steps - 1;
                    let next = square.wrapping_add_signed(self.offsets[direction]);
                    let cost = g + [board.scale.straight, board.scale.diagonal][direction & 1];
                    let known = &mut self.reached[next];
                    let first = if g == 0 { 1 << direction } else { here.first };
                    if cost == known.cost {
                        known.arrivals |= 1 << direction;
                        known.first |= first;
                    } else if cost < known.cost {
                        if cost >= board.limit {
                            return Err(too_long());
                        }
                        *known = ReachedCell {
                            cost,
                            arrivals: 1 << direction,
                            first,
                        };
                        let ahead = cell(place).step(Heading(direction as u8));
                        let slot = (cost >> self.shift) as usize & last;
                        self.buckets[slot].push(entry(ahead, cost));
                        queued += 1;
                    }
                }
            }
            self.buckets[number & last] = bucket;
            number += 1;
        }
        Ok(())
    }
}

/// The canonical steps after arriving in any of these directions, or at a start if there is none.
#[inline]
fn steps_from(board: &DenseMap, square: usize, mut arrivals: u8) -> u8 {
    let ground = board.ground[square];
    if arrivals == 0 {
        return board.canonical(ground, NOWHERE);
    }
    let mut steps = 0;
    while arrivals != 0 {
        steps |= board.canonical(ground, arrivals.trailing_zeros() as usize);
        arrivals &= arrivals - 1;
    }
    steps
}

fn too_long() -> Refusal {
    Refusal::skip("paths of this map are too long for the 32 bits that a table's costs have")
}
