//! Jump point search on uniform ground where both corners must be free: the kernel of `jps`, `jps-tables` and
//! `jps-bounds`, which differ only in how the jump points ahead are found, and in which of them are left out.
//!
//! Harabor and Grastien 2011, "Online graph pruning for pathfinding on grid maps", and 2014,
//! "Improving jump point search": diagonal turning points are passed through without being queued.
//! The goal is no jump point here. A shortest path ends with a leg, diagonal and then straight, from
//! its last jump point; so it is enough to ask of each jump point expanded whether it sees the goal.

use std::sync::Arc;

use ikeru_core::{Deadline, Refusal, skip};

use super::jump_points::{JumpPoint, JumpPoints, START};
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
use crate::variants::finder::{Finder, Prepared, QueryWork, Stopped};

/// How the jump points ahead are found.
pub trait Jumps: Send + Sync {
    /// Shows `visit` every jump point, with the direction of arrival, that one jump from `from` leads
    /// to, but for those that are on no shortest path to `goal`; how many jumps were looked at. Adds to `words` as
    /// [`BitLines::jump`](super::bits::BitLines::jump) does.
    fn ahead(
        &self,
        points: &JumpPoints,
        from: Reached,
        goal: Cell,
        words: &mut u64,
        visit: impl FnMut(u32, Heading),
    ) -> u64;
    /// Whether a shortest path to `goal` may go on from the jump point `place` after this arrival.
    #[inline]
    fn leads(&self, _points: &JumpPoints, _place: u32, _arrival: Heading, _goal: Cell) -> bool {
        true
    }
    /// Bytes kept.
    fn bytes(&self) -> u64;
}

/// A jump point as it is expanded.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// Its number.
    pub place: u32,
    /// Where it is.
    pub cell: Cell,
    /// Its ground, see [`DenseMap::ground`].
    pub ground: u16,
    /// The direction of arrival.
    pub arrival: usize,
}

/// A solver that finds its jump points by `make`.
///
/// # Errors
/// Refuses mixed ground and other rules than both-sides corners, and what `make` refuses; [`Refusal::Timeout`] if the deadline passes first.
pub fn jumper<'a, J: Jumps + 'a>(
    instance: &'a Instance,
    deadline: Deadline,
    make: impl Fn(&JumpPoints, &Arc<DenseMap>) -> Result<J, Refusal>,
) -> Prepared<'a> {
    let moves = instance.question.moves;
    if !moves.diagonal || moves.corners != Corners::BothSides {
        skip!("jump points need diagonal steps with both corners free (corners=both-sides)");
    }
    let board = Arc::new(DenseMap::new(instance, true, deadline)?);
    if !board.is_uniform {
        skip!("jump points need ground of one factor");
    }
    let points = Arc::new(JumpPoints::new(instance, &board, deadline)?);
    let jumps = Arc::new(make(&points, &board)?);
    Ok(solver(instance, move || {
        Jumper::new(instance, board.clone(), points.clone(), jumps.clone())
    }))
}

/// Shows `watch` every jump point of the first query as it is expanded, after the one before it; gives back the corners of the
/// path, the goal first. Nothing where [`jumper`] would refuse the instance.
pub fn replay<J: Jumps>(
    instance: &Instance,
    make: impl Fn(&JumpPoints, &Arc<DenseMap>) -> Result<J, Refusal>,
    watch: impl FnMut(Cell, Cell),
) -> Option<Vec<Cell>> {
    let deadline = Deadline::never();
    let board = Arc::new(DenseMap::new(instance, true, deadline).ok()?);
    let points = Arc::new(JumpPoints::new(instance, &board, deadline).ok()?);
    let jumps = Arc::new(make(&points, &board).ok()?);
    let query = *instance.queries.first().filter(|_| board.is_uniform)?;
    let mut jumper = Jumper::new(instance, board, points, jumps);
    let last = jumper.search(query, &mut QueryWork::new(deadline), watch);
    Some(jumper.trace(query, last.ok()??).collect())
}

struct Jumper<J> {
    board: Arc<DenseMap>,
    points: Arc<JumpPoints>,
    jumps: Arc<J>,
    nodes: Nodes<JumpPoint>,
    queue: BucketQueue,
}

impl<J: Jumps> Jumper<J> {
    fn new(
        instance: &Instance,
        board: Arc<DenseMap>,
        points: Arc<JumpPoints>,
        jumps: Arc<J>,
    ) -> Self {
        // No jump is longer: its diagonal part is no longer than the shorter side, its straight
        // part than the longer one. It raises f by at most twice its cost.
        let longest = (instance.map().width() + instance.map().height()) as u64;
        let largest_rise = 2 * longest * u64::from(board.scale.diagonal);
        Self {
            nodes: Nodes::new(points.unknown()),
            queue: BucketQueue::new(board.scale, largest_rise),
            board,
            points,
            jumps,
        }
    }

    /// The last jump point before the goal; `None` if there is no path. `watch` sees each jump point that is expanded, after the
    /// one before it.
    fn search(
        &mut self,
        query: Query,
        QueryWork { counts, ticker }: &mut QueryWork,
        mut watch: impl FnMut(Cell, Cell),
    ) -> Result<Option<u32>, Stopped> {
        let Query { start, goal, .. } = query;
        counts.expansions += 1;
        if self.points.sees(start, goal, &mut counts.words) {
            return Ok(Some(START));
        }
        let Self {
            board,
            points,
            jumps,
            nodes,
            queue,
        } = self;
        // The exact cost of a leg, and the estimate of the rest of a path.
        let cost = |from: Cell, to: Cell| {
            let (dx, dy) = (from.x.abs_diff(to.x), from.y.abs_diff(to.y));
            board.scale.heuristic(u32::from(dx), u32::from(dy))
        };
        // The cost of the best path found and its last jump point, the limit before the first.
        let (mut best, mut last) = (board.limit, None);
        let mut beyond = false;
        let mut reach = |nodes: &mut Nodes<JumpPoint>,
                         queue: &mut BucketQueue,
                         from: (u32, Cell, u32),
                         to: u32,
                         direction: Heading| {
            if !jumps.leads(points, to, direction, goal) {
                return;
            }
            let cell = nodes.slot(to as usize).cell;
            let g = from.2 + cost(from.1, cell);
            let Some(point) = nodes.relax(to as usize, g, direction.0.into()) else {
                return;
            };
            point.before = from.0;
            let h = cost(cell, goal);
            if g + h >= board.limit {
                beyond = true;
                return;
            }
            counts.queued += 1;
            queue.push(g + h, h, OpenEntry { place: to, g });
        };
        nodes.forget();
        queue.clear(cost(start, goal));
        // From nowhere all legal steps are worth taking, and an illegal one leads no jump anywhere.
        counts.generated += points.jumps(start, u8::MAX, &mut counts.words, |to, direction| {
            reach(nodes, queue, (START, start, 0), to, direction);
        });
        while let Some(OpenEntry { place, g }) = queue.pop(best) {
            let Some(point) = nodes.reached(place as usize, g) else {
                continue;
            };
            let cell = point.cell;
            let f = g + cost(cell, goal);
            if f >= best {
                continue;
            }
            if ticker.passed() {
                return Err(Stopped::OutOfTime);
            }
            counts.expansions += 1;
            let before = point.before;
            watch(
                if before == START {
                    start
                } else {
                    nodes.slot(before as usize).cell
                },
                cell,
            );
            if points.sees(cell, goal, &mut counts.words) {
                (best, last) = (f, Some(place));
                continue;
            }
            let from = Reached {
                place,
                cell,
                ground: nodes.ground(place as usize),
                arrival: nodes.arrived(place as usize),
            };
            counts.generated +=
                jumps.ahead(points, from, goal, &mut counts.words, |to, direction| {
                    reach(nodes, queue, (place, cell, g), to, direction);
                });
        }
        if beyond && last.is_none() {
            return Err(Stopped::TooLong);
        }
        Ok(last)
    }

    /// The jump points of a path that ends with `last`, and its turning points between them, from the
    /// goal back to the start.
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

impl<J: Jumps> Finder for Jumper<J> {
    fn find(
        &mut self,
        query: Query,
        answer: &mut Answer,
        work: &mut QueryWork,
    ) -> Result<(), Stopped> {
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
}

/// Where a jump from `from` to `to` turns from its diagonal into its straight part, if it does.
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
