//! The puzzle with its scale of costs: what every node of the search shares.

use ikeru_core::Score;

use crate::puzzle::Puzzle;
use crate::tjoin::grid::Grid;
use crate::tjoin::kernel::Lane;

/// The finest unit of prices: costs are scores times at most this.
const FINEST_SCALE: i64 = 16;

/// What every node shares.
#[derive(Debug)]
pub struct Field<'a> {
    /// The question.
    pub puzzle: &'a Puzzle,
    /// Its free edges.
    pub grid: Grid,
    /// Costs are scores times this: a power of two.
    pub scale: i64,
}

impl<'a> Field<'a> {
    /// With the finest scale whose costs and prices fit into lanes `L`; `None` if none does.
    #[must_use]
    pub fn new<L: Lane>(puzzle: &'a Puzzle) -> Option<Self> {
        let grid = Grid::new(puzzle);
        let room = L::LIMIT / 4 / grid.largest_sum()?;
        let scale = (0..=FINEST_SCALE.ilog2()).map(|bits| 1 << bits);
        let scale = scale.filter(|scale| *scale <= room).max()?;
        Some(Self {
            puzzle,
            grid,
            scale,
        })
    }

    /// The largest score that a scaled bound allows.
    #[must_use]
    pub fn score(&self, bound: i64) -> Score {
        bound.div_euclid(self.scale)
    }
}
