//! `jps-weighted`: jump points on ground of different factors.
//!
//! The steps that a search has to take from a cell after an arrival are computed from the factors of the cell and its
//! neighbours: a step is left out if another path of at most two steps between the same cells is cheaper, or equally
//! cheap with its diagonal step first after a straight arrival. A straight move jumps over the cells in which only the
//! same step remains and whose next cell has the same factor: `jps` has no other cells within open ground. A diagonal
//! move is a single step, so that the costs of its cells prune the straight moves that begin there.
//!
//! *No cost is lost:* let t be a cell to which no shortest path was found, although one was found to each cell of
//! lower cost, and y the cell before t on a shortest path. The step from y was left out after the arrival from a cell
//! p, so an equally cheap path from p passes another cell z, diagonally into z and straight into y. Either the step
//! from z to t is taken, or z was reached straight from a cell q, which has such a path too, and so on. If these cells
//! formed a cycle, the straight steps into all of them would together cost as much as the diagonal steps into all of
//! them, but no factor is 0.
//!
//! Like `bucket`, it reopens a cell that is reached more cheaply. It searches with the same loop.
//!
//! PERF: 24 maps of path.terrain, 512×512 with features of 32 to 256 cells and forest at 2 or 5: 1.2 to 4.3 times as fast
//! as `bucket` by CPU time, 1.85 in the geometric mean, 2.0 from features of 64 cells on, with 0.13 to 0.45 of its
//! expansions. On path.roads, where two fifths of the cells are beside other ground, 0.8 to 1.0.

use std::collections::HashMap;
use std::sync::Arc;

use ikeru_core::{BoxedSolve, Deadline, Refusal, Settings, Variant, skip};

use super::bits::BitLines;
use super::planes::Plane;
use crate::GridPath;
use crate::instance::Instance;
use crate::map::{Cell, Heading, ROWS_PER_LOOK};
use crate::question::StepRules;
use crate::variants::batch::solver;
use crate::variants::dense::astar::{AStar, MoveLengths};
use crate::variants::dense::board::{CLASS, DenseMap, class};
use crate::variants::dense::bucket::BucketQueue;
use crate::variants::dense::canonical::{MIXED, NOWHERE, Neighbourhood};
use crate::variants::dense::nodes::ARRIVAL;
use crate::variants::finder::Prepared;

/// `jps-weighted`.
pub const JPS_WEIGHTED: Variant<GridPath> = Variant {
    name: "jps-weighted",
    about: "jump points on ground of different factors: steps pruned by the costs around a cell, straight moves over ground of one factor 64 cells at a time",
    source: "Carlson, Moghadam, Harabor, Stuckey and Ebrahimi 2023, Optimal pathfinding on weighted grid maps",
    exact: true,
    version: 1,
    settings: &[],
    prepare,
};

fn prepare<'a>(instance: &'a Instance, _: &Settings, deadline: Deadline) -> Prepared<'a> {
    let board = DenseMap::new(instance, true, deadline)?;
    let map = JumpMap::new(instance, &board, deadline)?;
    Ok(on_board(instance, board, map))
}

/// The largest number of buckets.
///
/// PERF: a jump raises an estimate by up to the whole map's length on the most expensive ground. In buckets as narrow
/// as those of `bucket` it would span 94,000 of them on a map of 1024×1024 with factors from 0.5 to 8.
const MOST_BUCKETS: u64 = 4096;

/// The solver on a given board and its jump map.
pub fn on_board<'a>(
    instance: &'a Instance,
    mut board: DenseMap,
    map: JumpMap,
) -> BoxedSolve<'a, GridPath> {
    let scale = board.scale;
    let dearest = u64::from(board.heaviest) * u64::from(scale.diagonal);
    let side = instance.map().width().max(instance.map().height()) as u64;
    // A jump raises a cost by at most half of the range of 32 bits.
    let longest = side.min((1 << 31) / dearest.max(1)).max(1);
    board.limit = u64::from(board.limit).saturating_sub(longest * dearest) as u32;
    let board = Arc::new(board);
    let jumps = Arc::new(JumpLengths {
        map,
        longest: longest as i32,
    });
    solver(instance, move || {
        let largest_rise = longest * (dearest + u64::from(scale.h_diagonal));
        let width = (largest_rise / MOST_BUCKETS).max(1).ilog2() + 1;
        let queue = BucketQueue::with_width(scale, largest_rise, width);
        let map = &jumps.map;
        let steps = |state: usize| {
            map.rows
                .get(state % MOST_ROWS)
                .map_or(0, |row| row[state >> ARRIVAL])
        };
        AStar::with_moves(board.clone(), &map.ground, steps, queue, jumps.clone())
    })
}

/// The steps to take from a cell after arriving in each direction and at a start.
type Row = [u8; NOWHERE + 1];

/// The largest number of different rows: a node has this many states for a neighbourhood.
const MOST_ROWS: usize = 1 << ARRIVAL;

/// The canonical steps of all cells, and the straight lines of cells over which moves jump.
pub struct JumpMap {
    rows: Vec<Row>,
    /// The class of factor and the number of the row of each padded cell.
    ground: Vec<u16>,
    /// Lines to the north, the east, the south and the west.
    lines: [BitLines; 4],
}

impl JumpMap {
    /// The jump map of an instance.
    ///
    /// # Errors
    /// Refuses ground of factor 0 and ground that is too mixed; [`Refusal::Timeout`] if the deadline passes first.
    pub fn new(instance: &Instance, board: &DenseMap, deadline: Deadline) -> Result<Self, Refusal> {
        let (rows, ground) = rows(instance.question.moves, board, deadline)?;
        let ticker = &mut deadline.ticker(ROWS_PER_LOOK);
        let offsets = board.offsets();
        let mut lines: [BitLines; 4] = Default::default();
        for (lines, direction) in lines.iter_mut().zip((0..8).step_by(2)) {
            let pass = Plane::of(board, |square| {
                let next = square.wrapping_add_signed(offsets[direction]);
                let steps = rows[usize::from(ground[square]) % MOST_ROWS][direction];
                board.ground[square] != 0
                    && steps == 1 << direction
                    && class(ground[square]) == class(ground[next])
            });
            *lines = BitLines::new(Heading(direction as u8), &pass, &pass, ticker)?;
        }
        Ok(Self {
            rows,
            ground,
            lines,
        })
    }
}

/// The different rows, and for each padded cell its class of factor with the number of its row.
fn rows(
    moves: StepRules,
    board: &DenseMap,
    deadline: Deadline,
) -> Result<(Vec<Row>, Vec<u16>), Refusal> {
    let offsets = board.offsets();
    let mut ticker = deadline.ticker(1 << 16);
    // A cell that is blocked, or open but with no open neighbour, has ground 0.
    let mut rows = vec![[0; NOWHERE + 1]];
    let mut number_of_row = HashMap::from([(rows[0], 0)]);
    let mut number_around = HashMap::new();
    let mut numbered = board.ground.clone();
    let mut last = (0, 0);
    for (square, numbered) in numbered
        .iter_mut()
        .enumerate()
        .filter(|(_, ground)| **ground != 0)
    {
        ticker.check()?;
        let ground = *numbered;
        let mut prices = [board.prices(ground); 9];
        if prices[0][0] == 0 {
            skip!("jump points need ground of factors above 0");
        }
        // The neighbours' classes; on ground of one factor only the open neighbours matter.
        let mut around = u64::from(ground);
        if ground & MIXED != 0 {
            for (price, offset) in prices.iter_mut().zip(offsets) {
                let other = board.ground[square.wrapping_add_signed(offset)];
                *price = board.prices(other);
                around = around << 3 | class(other) as u64;
            }
        }
        // Most cells resemble the one to their left, so that nothing is looked up.
        if around != last.0 {
            let number = *number_around.entry(around).or_insert_with(|| {
                let cells = Neighbourhood {
                    moves,
                    mask: ground as u8,
                    prices,
                };
                let row = cells.steps();
                *number_of_row.entry(row).or_insert_with(|| {
                    rows.push(row);
                    rows.len() - 1
                })
            });
            last = (around, number);
        }
        let (_, number) = last;
        if number >= MOST_ROWS {
            skip!("the ground is mixed in more than {MOST_ROWS} ways; bucket needs no jump points");
        }
        *numbered = (class(ground) << CLASS | number) as u16;
    }
    Ok((rows, numbered))
}

/// Moves that jump at most `longest` steps.
struct JumpLengths {
    map: JumpMap,
    longest: i32,
}

impl MoveLengths for Arc<JumpLengths> {
    const JUMP: bool = true;

    #[inline(always)]
    fn length(&self, direction: Heading, from: Cell, goal: Cell, words: &mut u64) -> i32 {
        let lines = &self.map.lines[usize::from(direction.0 / 2)];
        let length = lines.jump(direction, from, words).min(self.longest);
        let x = i32::from(goal.x) - i32::from(from.x);
        let y = i32::from(goal.y) - i32::from(from.y);
        let (dx, dy) = direction.offset();
        let (ahead, beside) = match dx {
            0 => (y * i32::from(dy), x),
            _ => (x * i32::from(dx), y),
        };
        if beside == 0 && ahead > 0 {
            length.min(ahead)
        } else {
            length
        }
    }

    fn bytes(&self) -> u64 {
        let JumpMap {
            rows,
            ground,
            lines,
        } = &self.map;
        let lines = lines.iter().map(BitLines::bytes).sum::<u64>();
        lines + (size_of_val(&**rows) + size_of_val(&**ground)) as u64
    }
}
