//! Jump point search on uniform ground where both corners must be free: the kernel of `jps` and
//! `jps-tables`, which differ only in how a jump is found.
//!
//! Harabor and Grastien 2011, "Online graph pruning for pathfinding on grid maps", and 2014,
//! "Improving jump point search": diagonal turning points are passed through without being queued.

use std::sync::Arc;

use ikeru_core::{BoxedSolve, Refusal, Ticker};

use crate::GridPath;
use crate::answer::Answer;
use crate::astar::{Entry, Queue};
use crate::batch::{Finder, OutOfTime, Work, solver};
use crate::board::{Board, NOWHERE};
use crate::instance::{Instance, Query};
use crate::map::{Cell, Direction};
use crate::nodes::{Nodes, Slot};
use crate::question::Corners;
use crate::ring::Ring;

/// How far one gets in a direction.
pub trait Jumps: Send + Sync {
    /// Straight on from `cell`: n > 0, the next jump point is n steps away; n ≤ 0, there is none
    /// before the way ends after −n steps.
    fn straight(&self, cell: Cell, direction: Direction) -> i32;
    /// Diagonally on from `cell`: n > 0, the next square with a straight jump worth looking at is at
    /// most n steps away and all steps there are legal; n ≤ 0, there is none before the way ends
    /// after −n steps.
    fn diagonal(&self, cell: Cell, direction: Direction) -> i32;
    /// Bytes kept.
    fn bytes(&self) -> u64;
}

/// A solver that jumps by `make`.
///
/// # Errors
/// Refuses mixed ground and other rules than both-sides corners.
pub fn jumper<'a, J: Jumps + 'a>(
    instance: &'a Instance,
    make: impl Fn(&Instance) -> J,
) -> Result<BoxedSolve<'a, GridPath>, Refusal> {
    let moves = instance.question.moves;
    if !moves.diagonal || moves.corners != Corners::BothSides {
        return Err(Refusal::skip(
            "jump points need diagonal steps with both corners free (corners=both-sides)",
        ));
    }
    let board = Board::new(instance, true)?;
    if !board.is_uniform() {
        return Err(Refusal::skip("jump points need ground of one factor"));
    }
    let (board, jumps) = (Arc::new(board), Arc::new(make(instance)));
    Ok(solver(instance, move || {
        // No jump is longer: its diagonal part is no longer than the shorter side, its straight
        // part than the longer one.
        let longest = instance.map().width() + instance.map().height();
        Jumper::new(board.clone(), jumps.clone(), longest)
    }))
}

struct Jumper<J> {
    board: Arc<Board>,
    jumps: Arc<J>,
    nodes: Nodes<JumpPoint>,
    queue: Ring,
}

/// What is known of a square that may be a jump point.
///
/// PERF: one cache line serves all that an expansion needs. In three arrays random512-10-0 took
/// 594 µs per query, so 446 (bench `peers`, a busy machine).
#[derive(Debug, Clone, Copy)]
struct JumpPoint {
    node: u64,
    /// The jump point before this one.
    before: Cell,
    /// Its neighbourhood, as [`Board::around`] has it.
    around: u16,
}

impl Slot for JumpPoint {
    #[inline]
    fn node(&self) -> u64 {
        self.node
    }
    #[inline]
    fn set_node(&mut self, node: u64) {
        self.node = node;
    }
}

/// One query while it is answered.
struct Race {
    goal: Cell,
    /// The cost of the best way found, `u32::MAX` before the first.
    best: u32,
}

impl<J: Jumps> Jumper<J> {
    fn new(board: Arc<Board>, jumps: Arc<J>, longest: usize) -> Self {
        // A jump of n diagonal steps raises f by at most twice their cost.
        let point = |around: &u16| JumpPoint {
            node: u64::MAX,
            before: Cell::new(0, 0),
            around: *around,
        };
        let largest_rise = 2 * longest as u64 * u64::from(board.scale.diagonal);
        Self {
            nodes: Nodes::new(board.around.iter().map(point).collect()),
            queue: Ring::new(board.scale, largest_rise),
            board,
            jumps,
        }
    }

    fn search(
        &mut self,
        query: Query,
        work: &mut Work,
        ticker: &mut Ticker,
    ) -> Result<bool, OutOfTime> {
        let mut race = Race {
            goal: query.goal,
            best: u32::MAX,
        };
        self.nodes.forget();
        let h = self.estimate(query.start, query.goal);
        self.queue.clear(h);
        self.nodes
            .improve(self.board.square(query.start), 0, NOWHERE);
        if query.start == query.goal {
            return Ok(true);
        }
        let start = Entry {
            cell: query.start,
            g: 0,
        };
        self.queue.push(h, h, start);
        while let Some(Entry { cell, g }) = self.queue.pop(race.best) {
            let square = self.board.square(cell);
            let Some((arrival, point)) = self.nodes.arrival(square, g) else {
                continue;
            };
            if ticker.passed() {
                return Err(OutOfTime);
            }
            work.expansions += 1;
            let from = Entry { cell, g };
            let mut steps = self.board.steps_among(point.around, arrival);
            let toward = toward(cell, race.goal);
            while steps != 0 {
                // Toward the goal first: a way found soon cuts the other directions short.
                let first = toward & steps;
                let direction = if first != 0 { first } else { steps }.trailing_zeros() as u8;
                steps &= !(1 << direction);
                let direction = Direction(direction);
                if direction.is_diagonal() {
                    self.diagonal(from, direction, &mut race, work);
                } else {
                    self.straight(cell, from, direction, &mut race, work);
                }
            }
        }
        Ok(race.best < u32::MAX)
    }

    /// Jumps straight on from `turn`, which is reached from the jump point `from.cell` at cost
    /// `from.g`.
    #[inline]
    fn straight(
        &mut self,
        from: Cell,
        turn: Entry,
        direction: Direction,
        race: &mut Race,
        work: &mut Work,
    ) {
        work.generated += 1;
        let jump = self.jumps.straight(turn.cell, direction);
        let to_goal = steps_to(turn.cell, direction, race.goal);
        let Some(steps) = steps_of(jump, to_goal) else {
            return;
        };
        let cell = ahead(turn.cell, direction, steps);
        let g = turn.g + steps as u32 * self.board.scale.straight;
        self.reach(from, Entry { cell, g }, direction, race, work);
    }

    /// Goes diagonally on from `from`, looking straight on at every square worth it.
    #[inline]
    fn diagonal(&mut self, from: Entry, direction: Direction, race: &mut Race, work: &mut Work) {
        let mut here = from;
        let components = [direction.turned(7), direction.turned(1)];
        loop {
            work.generated += 1;
            let jump = self.jumps.diagonal(here.cell, direction);
            let to_goal = steps_beside(here.cell, direction, race.goal);
            let Some(steps) = steps_of(jump, to_goal) else {
                return;
            };
            here.cell = ahead(here.cell, direction, steps);
            here.g += steps as u32 * self.board.scale.diagonal;
            if race.best < u32::MAX && here.g + self.estimate(here.cell, race.goal) >= race.best {
                return;
            }
            if here.cell == race.goal {
                self.reach(from.cell, here, direction, race, work);
                return;
            }
            for component in components {
                self.straight(from.cell, here, component, race, work);
            }
        }
    }

    #[inline]
    fn estimate(&self, from: Cell, goal: Cell) -> u32 {
        let scale = self.board.scale;
        scale.heuristic(
            u32::from(from.x.abs_diff(goal.x)),
            u32::from(from.y.abs_diff(goal.y)),
        )
    }

    #[inline]
    fn reach(
        &mut self,
        from: Cell,
        to: Entry,
        direction: Direction,
        race: &mut Race,
        work: &mut Work,
    ) {
        let h = self.estimate(to.cell, race.goal);
        let square = self.board.square(to.cell);
        if to.g + h >= race.best {
            return;
        }
        let arrival = usize::from(direction.0);
        let Some(point) = self.nodes.improve(square, to.g, arrival) else {
            return;
        };
        point.before = from;
        if to.cell == race.goal {
            race.best = to.g;
            return;
        }
        work.queued += 1;
        self.queue.push(to.g + h, h, to);
    }
}

/// The diagonal direction that nears `goal` most, as a bit.
#[inline]
fn toward(cell: Cell, goal: Cell) -> u8 {
    match (goal.x >= cell.x, goal.y >= cell.y) {
        (true, false) => 1 << 1,
        (true, true) => 1 << 3,
        (false, true) => 1 << 5,
        (false, false) => 1 << 7,
    }
}

/// The square `steps` ahead.
#[inline]
fn ahead(cell: Cell, direction: Direction, steps: i32) -> Cell {
    let (dx, dy) = direction.offset();
    Cell::new(
        (i32::from(cell.x) + steps * i32::from(dx)) as u16,
        (i32::from(cell.y) + steps * i32::from(dy)) as u16,
    )
}

/// The steps to take of a jump, see [`Jumps`]: to where the goal comes into line, if that is within
/// reach, otherwise to the jump point, if there is one.
#[inline]
fn steps_of(jump: i32, to_goal: i32) -> Option<i32> {
    if (1..=jump.abs()).contains(&to_goal) {
        Some(to_goal)
    } else {
        (jump > 0).then_some(jump)
    }
}

/// How many straight steps ahead `goal` lies; 0 if it does not.
#[inline]
fn steps_to(cell: Cell, direction: Direction, goal: Cell) -> i32 {
    let (dx, dy) = direction.offset();
    let x = i32::from(goal.x) - i32::from(cell.x);
    let y = i32::from(goal.y) - i32::from(cell.y);
    // Across the line of sight nothing may be left.
    if x * i32::from(dy) == 0 && y * i32::from(dx) == 0 {
        x * i32::from(dx) + y * i32::from(dy)
    } else {
        0
    }
}

/// After how many diagonal steps `goal` lies straight ahead in a row or a column; 0 if never.
#[inline]
fn steps_beside(cell: Cell, direction: Direction, goal: Cell) -> i32 {
    let (dx, dy) = direction.offset();
    let x = (i32::from(goal.x) - i32::from(cell.x)) * i32::from(dx);
    let y = (i32::from(goal.y) - i32::from(cell.y)) * i32::from(dy);
    x.min(y).max(0)
}

impl<J: Jumps> Finder for Jumper<J> {
    fn find(
        &mut self,
        query: Query,
        answer: &mut Answer,
        work: &mut Work,
        ticker: &mut Ticker,
    ) -> Result<(), OutOfTime> {
        if !self.search(query, work, ticker)? {
            answer.push_none();
            return Ok(());
        }
        let leg = |cell: &Cell| {
            (*cell != query.start).then(|| self.nodes.slot(self.board.square(*cell)).before)
        };
        let jump_points = std::iter::successors(Some(query.goal), leg);
        let mut after: Option<Cell> = None;
        let corners = jump_points.flat_map(|cell| {
            let turn = after.and_then(|after| turning_point(cell, after));
            after = Some(cell);
            turn.into_iter().chain([cell])
        });
        answer.push_backward(corners, |way| self.board.length(way));
        Ok(())
    }

    fn table_bytes(&self) -> u64 {
        self.jumps.bytes() + self.board.bytes()
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
