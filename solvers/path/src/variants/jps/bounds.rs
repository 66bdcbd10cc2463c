//! `jps-bounds`: the graph of all jump points, with bounds on the goals of each first step.
//!
//! Goal bounding (Rabin and Sturtevant 2016) at jump points only. For each jump point and direction, a box contains
//! every cell to which a canonical shortest path leaves the jump point in that direction, and a flag for each of 64
//! regions of the map is set if the region contains such a cell (arc flags: Möhring et al. 2005). A jump is followed
//! only if the goal is in the box of its direction and in a region whose flag is set. Boxes distinguish near goals,
//! flags distant ones.
//!
//! *No shortest path is lost:* the canonical path that jump point search finds to a goal is also shortest from each
//! of its jump points, so the box and regions of its next direction contain the goal. For the same reason a jump
//! point is not queued if no direction that is canonical after the arrival has the goal in its box and regions.

use std::sync::Arc;

use ikeru_core::{Deadline, Refusal, Settings, Variant, skip};

use super::jump_points::JumpPoints;
use super::search::{Jumps, Reached, jumper};
use super::tables::refuse_too_many;
use crate::GridPath;
use crate::instance::Instance;
use crate::map::{Cell, Heading};
use crate::variants::dense::board::DenseMap;
use crate::variants::dense::first_moves::FirstMoves;
use crate::variants::finder::{FinderCounts, Prepared};

/// `jps-bounds`.
pub const JPS_BOUNDS: Variant<GridPath> = Variant {
    name: "jps-bounds",
    about: "jump point search on the graph of all jump points; for each of them and each direction a box around the goals that it leads to, and their regions",
    source: "Rabin and Sturtevant 2016, Combining bounding boxes and JPS to prune grid pathfinding",
    exact: true,
    version: 3,
    settings: &[],
    prepare,
};

/// The most cells that the preparation may visit: all cells for each jump point.
const MOST_VISITS: u64 = 1 << 33;

fn prepare<'a>(instance: &'a Instance, _: &Settings, deadline: Deadline) -> Prepared<'a> {
    let board = Arc::new(DenseMap::new(instance, true, deadline)?);
    jumper(instance, board, deadline, |points, board| {
        Bounds::new(instance, points, board, deadline)
    })
}

/// Jumps by jump point and direction, with bounds on the goals of each direction.
struct Bounds {
    board: Arc<DenseMap>,
    regions: Regions,
    goals: Vec<GoalBounds>,
    /// For each jump point and direction of the first step, the index of its first jump; then the end.
    first: Vec<u32>,
    /// See [`packed`](super::jumps::packed).
    jumps: Vec<u32>,
}

/// The division of the map into eight columns and eight rows of regions.
#[derive(Debug, Clone, Copy)]
struct Regions {
    /// Regions per cell along a row and along a column, in parts of 2¹⁶.
    columns: u32,
    rows: u32,
}

impl Regions {
    fn new(width: usize, height: usize) -> Self {
        Self {
            columns: (8 << 16) / width.max(8) as u32,
            rows: (8 << 16) / height.max(8) as u32,
        }
    }

    #[inline]
    fn of(self, cell: Cell) -> u32 {
        ((u32::from(cell.x) * self.columns) >> 16) + 8 * ((u32::from(cell.y) * self.rows) >> 16)
    }
}

/// The goals of each direction: a box of cells, inclusive, and a bit for each region.
///
/// PERF: two cache lines; the eight boxes are compared at once. A query takes 0.47 of the time of `jps-tables` on the
/// published map arena2 (13 expansions for 57), 0.38 on path.terrain 224×224 (19 for 93), 0.5 on path.random (388 for
/// 1313); boxes without regions leave 475 there (bench `queries`). Most expansions in mazes and rooms are on the path
/// itself.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct GoalBounds {
    left: [i16; 8],
    right: [i16; 8],
    top: [i16; 8],
    bottom: [i16; 8],
    regions: [u64; 8],
}

impl GoalBounds {
    const NONE: Self = Self {
        left: [i16::MAX; 8],
        right: [-1; 8],
        top: [i16::MAX; 8],
        bottom: [-1; 8],
        regions: [0; 8],
    };

    /// Adds `cell`, which is in `region`, to the goals of each of `directions`.
    fn add(&mut self, mut directions: u8, cell: Cell, region: u32) {
        // Sides have at most 8192 cells.
        let (x, y) = (cell.x as i16, cell.y as i16);
        while directions != 0 {
            let direction = directions.trailing_zeros() as usize;
            directions &= directions - 1;
            self.left[direction] = self.left[direction].min(x);
            self.right[direction] = self.right[direction].max(x);
            self.top[direction] = self.top[direction].min(y);
            self.bottom[direction] = self.bottom[direction].max(y);
            self.regions[direction] |= 1 << region;
        }
    }

    /// The directions whose box contains `cell` and whose flag is set for its region, one bit each.
    #[inline]
    fn toward(&self, cell: Cell, region: u32) -> u8 {
        let (x, y) = (cell.x as i16, cell.y as i16);
        let mut directions = 0;
        for direction in 0..8 {
            let holds = (self.left[direction] <= x)
                & (x <= self.right[direction])
                & (self.top[direction] <= y)
                & (y <= self.bottom[direction])
                & (self.regions[direction] >> region & 1 == 1);
            directions |= u8::from(holds) << direction;
        }
        directions
    }
}

impl Bounds {
    fn new(
        instance: &Instance,
        points: &JumpPoints,
        board: &Arc<DenseMap>,
        deadline: Deadline,
    ) -> Result<Self, Refusal> {
        let visits = points.cells().len() as u64 * board.squares as u64;
        if visits > MOST_VISITS {
            skip!(
                "boxes need a search from each of this map's {} jump points, {visits} cells and more than {MOST_VISITS}; jps-tables needs none",
                points.cells().len()
            );
        }
        let mut search = FirstMoves::new(board.clone())?;
        let map = instance.map();
        let regions = Regions::new(map.width(), map.height());
        let (mut goals, mut first, mut jumps) = (Vec::new(), vec![0], Vec::new());
        let mut ticker = deadline.ticker(1024);
        for point in points.cells() {
            let mut bounds = GoalBounds::NONE;
            search.from(*point, &mut ticker, |cell, directions| {
                bounds.add(directions, cell, regions.of(cell));
            })?;
            goals.push(bounds);
            for direction in Heading::ALL {
                let mut counts = FinderCounts::default();
                points
                    .board
                    .jumps(*point, 1 << direction.0, &mut counts, &mut jumps);
                first.push(jumps.len() as u32);
            }
            refuse_too_many(&jumps)?;
        }
        Ok(Self {
            board: board.clone(),
            regions,
            goals,
            first,
            jumps,
        })
    }

    /// The directions that may lead to `goal` from a jump point of this ground after arriving in direction `arrival`.
    #[inline]
    fn toward(&self, place: u32, ground: u16, arrival: usize, goal: Cell) -> u8 {
        let region = self.regions.of(goal);
        self.board.canonical(ground, arrival) & self.goals[place as usize].toward(goal, region)
    }
}

impl Jumps for Bounds {
    #[inline(always)]
    fn ahead<'a>(
        &'a self,
        _: &JumpPoints,
        from: Reached,
        goal: Cell,
        counts: &mut FinderCounts,
        list: &'a mut Vec<u32>,
    ) -> &'a [u32] {
        let mut directions = self.toward(from.place, from.ground, from.arrival, goal);
        while directions != 0 {
            let at = 8 * from.place as usize + directions.trailing_zeros() as usize;
            directions &= directions - 1;
            list.extend(&self.jumps[self.first[at] as usize..self.first[at + 1] as usize]);
        }
        counts.generated += list.len() as u64;
        list
    }

    #[inline]
    fn leads(&self, points: &JumpPoints, place: u32, arrival: Heading, goal: Cell) -> bool {
        self.toward(place, points.ground(place), arrival.0.into(), goal) != 0
    }

    fn bytes(&self) -> u64 {
        let jumps = size_of_val(&*self.first) + size_of_val(&*self.jumps);
        (size_of_val(&*self.goals) + jumps) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_those_that_were_added() {
        let mut goals = GoalBounds::NONE;
        assert_eq!(goals.toward(Cell::new(0, 0), 0), 0);
        goals.add(0b1000_0001, Cell::new(5, 8191), 3);
        goals.add(0b0000_0001, Cell::new(8191, 7), 63);
        assert_eq!(goals.toward(Cell::new(5, 8191), 3), 0b1000_0001);
        assert_eq!(goals.toward(Cell::new(6, 8000), 3), 0b0000_0001);
        assert_eq!(goals.toward(Cell::new(6, 8000), 4), 0);
        assert_eq!(goals.toward(Cell::new(4, 8000), 3), 0);
        assert_eq!(goals.toward(Cell::new(6, 6), 63), 0);
    }

    #[test]
    fn every_cell_has_a_region() {
        for (width, height) in [(1, 1), (7, 8), (9, 8192), (513, 300)] {
            let regions = Regions::new(width, height);
            let corner = Cell::new(width as u16 - 1, height as u16 - 1);
            assert!(regions.of(corner) < 64);
            assert_eq!(regions.of(Cell::new(0, 0)), 0);
        }
        assert_eq!(Regions::new(513, 300).of(Cell::new(512, 299)), 63);
    }
}
