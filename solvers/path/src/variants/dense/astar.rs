//! The A* kernel of `dijkstra`, `heap` and `bucket`: dense arrays, with any open list.

use std::sync::Arc;

use ikeru_core::Ticker;

use super::board::DenseMap;
use super::canonical::NOWHERE;
use super::nodes::{ARRIVAL, Nodes, STATES, state, unknown};
use crate::answer::Answer;
use crate::cost::Guarantee;
use crate::instance::Query;
use crate::map::{Cell, Heading};
use crate::variants::finder::{Finder, FinderCounts, QueryWork, Searched, Stopped};

/// The order in which directions are tried. Diagonal steps are last, so that a last-in-first-out open list continues
/// with them first: a canonical path can turn freely only after a diagonal step.
const ORDER: [u8; 8] = [0, 2, 4, 6, 1, 3, 5, 7];

/// The increments of a step in one direction.
#[derive(Debug, Clone, Copy)]
struct DenseStep {
    /// The increment of the padded number of a cell.
    offset: i32,
    /// The increment of the place of a cell, see [`entry`].
    place: u32,
    /// The cost on uniform ground.
    cost: u32,
    /// The direction in the state of a node.
    arrival: u32,
}

/// Larger than any estimate.
const NONE: u32 = u32::MAX;

/// A cell that is expanded.
#[derive(Debug, Clone, Copy)]
struct Expanded {
    square: usize,
    entry: OpenEntry,
    f: u32,
    node: u64,
}

/// An entry of the open list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenEntry {
    /// The cell, in the numbering of the search.
    pub place: u32,
    /// The cost from the start when it was queued.
    pub g: u32,
}

/// An open list.
pub trait OpenQueue: Send {
    /// Removes all entries, for a new query whose start has the estimate `f`.
    fn clear(&mut self, f: u32);
    /// Adds an entry with its estimates `f` of the whole path and `h` of the rest.
    fn push(&mut self, f: u32, h: u32, entry: OpenEntry);
    /// Takes an entry with the least `f`, or nearly the least. Returns `None` at the latest when every remaining
    /// entry has an estimate of at least `best`.
    fn pop(&mut self, best: u32) -> Option<OpenEntry>;
    /// Returns whether an entry with this estimate would be taken next if it were added now. A search may then
    /// continue with it directly.
    #[inline]
    fn is_next(&self, _f: u32) -> bool {
        false
    }
}

/// The lengths of moves: a search may jump over cells in which it would only go straight on.
pub trait MoveLengths: Send {
    /// False if every move is a single step.
    const JUMP: bool;
    /// The number of steps of a straight move from `from` in `direction`, at most to `goal`; all its steps cost the
    /// same. The number of words scanned after the first is added to `words`.
    fn length(&self, direction: Heading, from: Cell, goal: Cell, words: &mut u64) -> i32;
    /// The size in bytes.
    fn bytes(&self) -> u64;
}

/// Moves of one step.
pub struct SingleSteps;

impl MoveLengths for SingleSteps {
    const JUMP: bool = false;
    #[inline(always)]
    fn length(&self, _: Heading, _: Cell, _: Cell, _: &mut u64) -> i32 {
        1
    }
    fn bytes(&self) -> u64 {
        0
    }
}

/// A* on a board. A cell is reopened when a cheaper path to it is found, so any open list that pops entries in
/// roughly the right order gives shortest paths.
pub struct AStar<Q, M = SingleSteps> {
    board: Arc<DenseMap>,
    nodes: Nodes,
    queue: Q,
    moves: [DenseStep; 8],
    /// The cell that is expanded next without being queued; its estimate is [`NONE`] if there is none.
    following: Expanded,
    /// The canonical steps from each state of a node, bit `i` for the `i`-th of [`ORDER`].
    steps: Box<[u8; STATES]>,
    lengths: M,
}

impl<Q: OpenQueue> AStar<Q> {
    /// A search on `board` with the open list `queue`.
    pub fn new(board: &Arc<DenseMap>, queue: Q) -> Self {
        let canonical = |state: usize| board.canonical(state as u16, state >> ARRIVAL);
        Self::with_moves(board.clone(), &board.ground, canonical, queue, SingleSteps)
    }
}

impl<Q: OpenQueue, M: MoveLengths> AStar<Q, M> {
    /// A search whose cells have this `ground`, with the canonical steps from each [state] of a node.
    pub fn with_moves(
        board: Arc<DenseMap>,
        ground: &[u16],
        canonical: impl Fn(usize) -> u8,
        queue: Q,
        lengths: M,
    ) -> Self {
        let nodes = ground.iter().map(|ground| unknown(*ground));
        let offsets = board.offsets();
        let moves = ORDER.map(|direction| {
            let (dx, dy) = Heading(direction).offset();
            DenseStep {
                offset: offsets[usize::from(direction)] as i32,
                place: ((i32::from(dy) << 16) + i32::from(dx)) as u32,
                cost: [board.scale.straight, board.scale.diagonal][usize::from(direction % 2)],
                arrival: u32::from(direction) << ARRIVAL,
            }
        });
        let ordered = |steps: u8| {
            let bits = ORDER
                .iter()
                .zip(0..)
                .map(|(direction, bit)| (steps >> direction & 1) << bit);
            bits.sum()
        };
        let mut steps = Box::new([0; STATES]);
        for (state, steps) in steps.iter_mut().enumerate().take((NOWHERE + 1) << ARRIVAL) {
            *steps = ordered(canonical(state));
        }
        Self {
            nodes: Nodes::new(nodes.collect()),
            following: Expanded {
                square: 0,
                entry: OpenEntry { place: 0, g: 0 },
                f: NONE,
                node: 0,
            },
            moves,
            steps,
            lengths,
            board,
            queue,
        }
    }

    /// Searches a path and returns whether there is one; the nodes then hold it. Estimates from the board's limit on
    /// are not examined.
    ///
    /// PERF: a separate function with local counters avoids spilled registers: `bucket` takes 0.96 of the
    /// instructions.
    #[inline(never)]
    fn search<const WEIGHTED: bool>(
        &mut self,
        query: Query,
        work: &mut QueryWork,
    ) -> Searched<bool> {
        let mut counts = work.counts;
        let found = self.search_with::<WEIGHTED>(query, &mut counts, &mut work.ticker);
        work.counts = counts;
        found
    }

    #[inline(always)]
    fn search_with<const WEIGHTED: bool>(
        &mut self,
        query: Query,
        counts: &mut FinderCounts,
        ticker: &mut Ticker,
    ) -> Searched<bool> {
        let board = &*self.board;
        let goal = query.goal;
        let scale = board.scale;
        let goal_place = entry(goal, 0).place;
        let estimate = |place: u32| {
            let cell = cell(place);
            scale.heuristic(
                u32::from(cell.x.abs_diff(goal.x)),
                u32::from(cell.y.abs_diff(goal.y)),
            )
        };
        // The cost of the goal, or the limit as long as the goal was not reached.
        let mut best = if query.start == goal { 0 } else { board.limit };
        self.nodes.forget();
        let start = entry(query.start, 0);
        let h = estimate(start.place);
        let mut beyond = h >= board.limit;
        self.queue.clear(h);
        self.nodes.relax(board.square(query.start), 0, NOWHERE);
        self.queue.push(h, h, start);
        while let Some(entry) = self.queue.pop(best) {
            let square = board.square(cell(entry.place));
            let Some(node) = self.nodes.reached(square, entry.g) else {
                continue;
            };
            if best < board.limit && entry.g + estimate(entry.place) >= best {
                continue;
            }
            let mut here = Expanded {
                square,
                entry,
                f: 0,
                node: *node,
            };
            loop {
                counts.expansions += 1;
                if ticker.passed() {
                    return Err(Stopped::OutOfTime);
                }
                self.following.f = NONE;
                let mut steps = self.steps[state(here.node)];
                while steps != 0 {
                    // PERF: counted one by one, because counting the bits of a word takes twelve instructions on the
                    // portable target.
                    counts.generated += 1;
                    let index = steps.trailing_zeros() as usize % 8;
                    let step = &self.moves[index];
                    steps &= steps - 1;
                    let length = match (M::JUMP, index) {
                        // PERF: every direction has separate code, see `JumpBoard::jumps`.
                        (true, 0) => self.length(0, here.entry, goal, counts),
                        (true, 1) => self.length(2, here.entry, goal, counts),
                        (true, 2) => self.length(4, here.entry, goal, counts),
                        (true, 3) => self.length(6, here.entry, goal, counts),
                        _ => 1,
                    };
                    let offset = step.offset * length;
                    let square = here.square.wrapping_add_signed(offset as isize);
                    let cost = if WEIGHTED {
                        let direction = (step.arrival >> ARRIVAL) as usize;
                        board.step_onto(self.nodes.ground(square), direction)
                    } else {
                        step.cost
                    };
                    let g = here.entry.g + length as u32 * cost;
                    let Some(node) = self.nodes.relax_state(square, g, step.arrival) else {
                        continue;
                    };
                    let moved = step.place.wrapping_mul(length as u32);
                    let place = here.entry.place.wrapping_add(moved);
                    let h = estimate(place);
                    let f = g + h;
                    if f >= best {
                        beyond = true;
                    } else if place == goal_place {
                        best = f;
                    } else if !M::JUMP || self.steps[state(*node)] != 0 {
                        counts.queued += 1;
                        let entry = OpenEntry { place, g };
                        if self.queue.is_next(f) {
                            let before = std::mem::replace(
                                &mut self.following,
                                Expanded {
                                    square,
                                    entry,
                                    f,
                                    node: *node,
                                },
                            );
                            if before.f != NONE {
                                self.queue.push(before.f, 0, before.entry);
                            }
                        } else {
                            self.queue.push(f, h, entry);
                        }
                    }
                }
                here = self.following;
                if here.f >= best {
                    break;
                }
            }
        }
        let found = best < board.limit;
        if beyond && !found {
            return Err(Stopped::TooLong);
        }
        Ok(found)
    }

    #[inline(always)]
    fn length(&self, direction: u8, from: OpenEntry, goal: Cell, counts: &mut FinderCounts) -> i32 {
        let from = cell(from.place);
        let words = &mut counts.words;
        self.lengths.length(Heading(direction), from, goal, words)
    }

    /// The path cell by cell, from `goal` back to the start. Every cell on it was reached.
    fn trace(&self, goal: Cell) -> impl Iterator<Item = Cell> + '_ {
        let node = |cell: Cell| {
            let square = self.board.square(cell);
            (self.nodes.arrived(square), self.nodes.cost(square))
        };
        std::iter::successors(Some((goal, node(goal))), move |&(cell, (arrival, g))| {
            if arrival == NOWHERE {
                return None;
            }
            let before = cell.step(Heading(arrival as u8).turned(4));
            let ground = self.nodes.ground(self.board.square(cell));
            let g = g.wrapping_sub(self.board.step_onto(ground, arrival));
            // A cell over which a jump led has no node of this search, or that of an equally short path.
            let over = M::JUMP && self.nodes.reached(self.board.square(before), g).is_none();
            Some((before, if over { (arrival, g) } else { node(before) }))
        })
        .map(|(cell, _)| cell)
    }
}

/// An entry whose place holds the coordinates of a cell in 32 bits.
#[inline]
pub fn entry(cell: Cell, g: u32) -> OpenEntry {
    OpenEntry {
        place: u32::from(cell.y) << 16 | u32::from(cell.x),
        g,
    }
}

/// The cell whose coordinates `place` holds.
#[inline]
pub fn cell(place: u32) -> Cell {
    Cell::new(place as u16, (place >> 16) as u16)
}

impl<Q: OpenQueue, M: MoveLengths> Finder for AStar<Q, M> {
    fn find(&mut self, query: Query, answer: &mut Answer, work: &mut QueryWork) -> Searched {
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
        self.board.bytes() + self.lengths.bytes()
    }

    fn jumps(&self) -> bool {
        M::JUMP
    }

    fn guarantee(&self) -> Guarantee {
        self.board.guarantee
    }
}
