//! Jump point search on uniform ground where both corners must be free: the kernel of `jps`, `jps-tables` and
//! `jps-bounds`, which differ only in how they find the next jump points and which of them they leave out.
//!
//! Harabor and Grastien 2011, "Online graph pruning for pathfinding on grid maps", and 2014, "Improving jump point
//! search": diagonal turning points are not queued. The goal is not a jump point. A shortest path ends with a leg,
//! diagonal and then straight, from its last jump point; so it is enough to test for each expanded jump point whether
//! this leg to the goal is free.

use std::sync::Arc;

use ikeru_core::{Deadline, Refusal, skip};

use super::detect::{self, BitWork};
use super::jump_points::{JumpPoint, JumpPoints, START};
use super::jumps::unpacked;
use crate::answer::Answer;
use crate::cost::Guarantee;
use crate::instance::{Instance, Query};
use crate::map::{Cell, Heading};
use crate::question::Corners;
use crate::variants::batch::solver;
use crate::variants::dense::astar::{OpenEntry, OpenQueue};
use crate::variants::dense::board::DenseMap;
use crate::variants::dense::bucket::BucketQueue;
use crate::variants::dense::nodes::Nodes;
use crate::variants::finder::{Finder, FinderCounts, Prepared, QueryWork, Searched, Stopped};

/// The method of finding the next jump points.
///
/// PERF: all jumps are listed first, and one loop then examines the jump points, so that their loads do not wait for
/// each other.
pub trait Jumps: Send + Sync {
    /// The [packed](super::jumps::packed) jumps from `from`, in `list` or in a table. Jumps known to be on no shortest path to `goal` may
    /// be left out. Counts the jumps examined, and words like [`BitLines::jump`](super::bits::BitLines::jump).
    fn ahead<'a>(
        &'a self,
        points: &JumpPoints,
        from: Reached,
        goal: Cell,
        counts: &mut FinderCounts,
        list: &'a mut Vec<u32>,
    ) -> &'a [u32];
    /// Returns whether a shortest path to `goal` may continue from the jump point `place` after this arrival.
    #[inline]
    fn leads(&self, _points: &JumpPoints, _place: u32, _arrival: Heading, _goal: Cell) -> bool {
        true
    }
    /// The size in bytes.
    fn bytes(&self) -> u64;
}

/// A jump point that is expanded.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// Its number.
    pub place: u32,
    /// Its cell.
    pub cell: Cell,
    /// Its ground, see [`DenseMap::ground`].
    pub ground: u16,
    /// The direction of arrival.
    pub arrival: usize,
}

/// A solver whose jumps are found by the result of `make`.
///
/// # Errors
/// Those of [`refuse_unfit`] and of `make`; [`Refusal::Timeout`] if the deadline passes first.
pub fn jumper<'a, J: Jumps + 'a>(
    instance: &'a Instance,
    board: Arc<DenseMap>,
    deadline: Deadline,
    make: impl Fn(&JumpPoints, &Arc<DenseMap>) -> Result<J, Refusal>,
) -> Prepared<'a> {
    refuse_unfit(instance, &board)?;
    let points = Arc::new(JumpPoints::new(&board, deadline)?);
    let jumps = Arc::new(make(&points, &board)?);
    Ok(solver(instance, move || {
        Jumper::new(instance, board.clone(), points.clone(), jumps.clone())
    }))
}

/// Refuses questions for which jump points are not defined.
///
/// # Errors
/// If the ground is mixed, or diagonal steps are not allowed or do not need both corners free.
pub fn refuse_unfit(instance: &Instance, board: &DenseMap) -> Result<(), Refusal> {
    let moves = instance.question.moves;
    if !moves.diagonal || moves.corners != Corners::BothSides {
        skip!("jump points need diagonal steps with both corners free (corners=both-sides)");
    }
    if !board.is_uniform {
        skip!("jump points need ground of one factor");
    }
    Ok(())
}

/// Answers the first query and returns the corners of its path, goal first. `watch` is called with the predecessor
/// and the cell of every jump point that is expanded. Returns `None` if there is no path, no query or no uniform
/// ground.
pub fn replay<J: Jumps>(
    instance: &Instance,
    make: impl Fn(&JumpPoints, &Arc<DenseMap>) -> Result<J, Refusal>,
    mut watch: impl FnMut(Cell, Cell),
) -> Option<Vec<Cell>> {
    let deadline = Deadline::never();
    let board = Arc::new(DenseMap::new(instance, true, deadline).ok()?);
    let points = Arc::new(JumpPoints::new(&board, deadline).ok()?);
    let jumps = Arc::new(make(&points, &board).ok()?);
    let query = *instance.queries.first().filter(|_| board.is_uniform)?;
    let mut jumper = Jumper::new(instance, board, points, jumps);
    let watch = |nodes: &Nodes<JumpPoint>, point: &JumpPoint| {
        let is_start = point.before == START;
        let before = if is_start {
            query.start
        } else {
            nodes.slot(point.before as usize).cell
        };
        watch(before, point.cell);
    };
    let last = jumper.search(query, &mut QueryWork::new(deadline), watch);
    Some(jumper.trace(query, last.ok()??).collect())
}

struct Jumper<J> {
    board: Arc<DenseMap>,
    points: Arc<JumpPoints>,
    jumps: Arc<J>,
    nodes: Nodes<JumpPoint>,
    queue: BucketQueue,
    list: Vec<u32>,
}

impl<J: Jumps> Jumper<J> {
    fn new(
        instance: &Instance,
        board: Arc<DenseMap>,
        points: Arc<JumpPoints>,
        jumps: Arc<J>,
    ) -> Self {
        // An upper bound on the steps of a jump: its diagonal part is at most the shorter side, its straight part at
        // most the longer side. A jump raises f by at most twice its cost.
        let longest = (instance.map().width() + instance.map().height()) as u64;
        let largest_rise = 2 * longest * u64::from(board.scale.diagonal);
        Self {
            nodes: Nodes::new(points.unknown()),
            queue: BucketQueue::new(board.scale, largest_rise),
            list: Vec::new(),
            board,
            points,
            jumps,
        }
    }

    /// The last jump point before the goal; `None` if there is no path. `watch` is called with each jump point that
    /// is expanded and the states of all jump points.
    fn search<W: FnMut(&Nodes<JumpPoint>, &JumpPoint)>(
        &mut self,
        query: Query,
        work: &mut QueryWork,
        watch: W,
    ) -> Searched<Option<u32>> {
        detect::run(JumpSearch {
            jumper: self,
            query,
            work,
            watch,
        })
    }

    /// The goal, the jump points and turning points of the path whose last jump point is `last`, and the start, in
    /// this order.
    fn trace(&self, query: Query, last: u32) -> impl Iterator<Item = Cell> + '_ {
        let point = |place: u32| (place != START).then(|| self.nodes.slot(place as usize));
        let points = std::iter::successors(point(last), move |known| point(known.before));
        let start = (query.start != query.goal).then_some(query.start);
        let cells = points.map(|point| point.cell).chain(start);
        let mut after = query.goal;
        let legs = cells.flat_map(move |cell| {
            let turn = turning_point(cell, after);
            after = cell;
            turn.into_iter().chain([cell])
        });
        std::iter::once(query.goal).chain(legs)
    }
}

/// One search, see [`Jumper::search`].
struct JumpSearch<'a, 'b, J, W> {
    jumper: &'a mut Jumper<J>,
    query: Query,
    work: &'a mut QueryWork<'b>,
    watch: W,
}

impl<J: Jumps, W: FnMut(&Nodes<JumpPoint>, &JumpPoint)> BitWork for JumpSearch<'_, '_, J, W> {
    type Output = Searched<Option<u32>>;
    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self {
            jumper,
            query,
            work,
            mut watch,
        } = self;
        let QueryWork { counts, ticker } = work;
        let Query { start, goal, .. } = query;
        let Jumper {
            board,
            points,
            jumps,
            nodes,
            queue,
            list,
        } = jumper;
        let scale = board.scale;
        // The exact cost of a leg, and the estimate of the rest of a path.
        let cost = |from: Cell, to: Cell| {
            let (dx, dy) = (from.x.abs_diff(to.x), from.y.abs_diff(to.y));
            scale.heuristic(u32::from(dx), u32::from(dy))
        };
        counts.expansions += 1;
        if points.board.sees(start, goal, None, &mut counts.words) {
            return Ok(Some(START));
        }
        let runs = points.board.runs(goal, &mut counts.words);
        // The cost of the best path found, at first the limit, and its last jump point.
        let (mut best, mut last) = (board.limit, None);
        let mut beyond = false;
        nodes.forget();
        queue.clear(cost(start, goal));
        // All legal steps are canonical at the start; an illegal step has no jump.
        list.clear();
        points.board.jumps(start, u8::MAX, counts, list);
        let mut ahead = &list[..];
        let (mut place, mut cell, mut g) = (START, start, 0);
        loop {
            for jump in ahead {
                let (to, direction) = unpacked(*jump);
                if !jumps.leads(points, to, direction, goal) {
                    continue;
                }
                let to_cell = nodes.slot(to as usize).cell;
                let g = g + cost(cell, to_cell);
                let Some(point) = nodes.relax(to as usize, g, direction.0.into()) else {
                    continue;
                };
                point.before = place;
                let h = cost(to_cell, goal);
                if g + h >= board.limit {
                    beyond = true;
                    continue;
                }
                counts.queued += 1;
                queue.push(g + h, h, OpenEntry { place: to, g });
            }
            ahead = &[];
            let Some(entry) = queue.pop(best) else {
                break;
            };
            OpenEntry { place, g } = entry;
            let Some(point) = nodes.reached(place as usize, g) else {
                continue;
            };
            cell = point.cell;
            let f = g + cost(cell, goal);
            if f >= best {
                continue;
            }
            if ticker.passed() {
                return Err(Stopped::OutOfTime);
            }
            counts.expansions += 1;
            watch(nodes, point);
            if points
                .board
                .sees(cell, goal, Some(&runs), &mut counts.words)
            {
                (best, last) = (f, Some(place));
                continue;
            }
            let from = Reached {
                place,
                cell,
                ground: nodes.ground(place as usize),
                arrival: nodes.arrived(place as usize),
            };
            list.clear();
            ahead = jumps.ahead(points, from, goal, counts, list);
        }
        if beyond && last.is_none() {
            return Err(Stopped::TooLong);
        }
        Ok(last)
    }
}

impl<J: Jumps> Finder for Jumper<J> {
    fn find(&mut self, query: Query, answer: &mut Answer, work: &mut QueryWork) -> Searched {
        match self.search(query, work, |_, _| {})? {
            None => answer.push_none(),
            Some(last) => {
                answer.push_backward(self.trace(query, last), |path| self.board.length(path));
            }
        }
        Ok(())
    }

    fn guarantee(&self) -> Guarantee {
        self.board.guarantee
    }

    fn table_bytes(&self) -> u64 {
        self.points.bytes() + self.jumps.bytes() + self.board.bytes()
    }

    fn jumps(&self) -> bool {
        true
    }
}

/// The cell in which a jump from `from` to `to` turns from its diagonal to its straight part, if it has both.
fn turning_point(from: Cell, to: Cell) -> Option<Cell> {
    let (dx, dy) = (
        i32::from(to.x) - i32::from(from.x),
        i32::from(to.y) - i32::from(from.y),
    );
    let diagonal = dx.abs().min(dy.abs());
    (diagonal > 0 && dx.abs() != dy.abs()).then(|| {
        Cell::new(
            (i32::from(from.x) + diagonal * dx.signum()) as u16,
            (i32::from(from.y) + diagonal * dy.signum()) as u16,
        )
    })
}
