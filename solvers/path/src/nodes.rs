//! What a search knows of each square: the cost so far and the direction of arrival, in 8 bytes that
//! need no clearing between queries.

use crate::map::{Cell, Direction};

/// Costs from the start, by square.
///
/// A node is `age:28 | g:32 | arrival:4`, the age falling with every query. So any value of an
/// earlier query is larger than any of this one, and a single comparison says whether a cost is news.
#[derive(Debug)]
pub struct Nodes {
    nodes: Vec<u64>,
    age: u64,
}

const OLDEST: u64 = (1 << 28) - 1;

impl Nodes {
    /// Nodes of a board of `squares`.
    #[must_use]
    pub fn new(squares: usize) -> Self {
        Self {
            nodes: vec![u64::MAX; squares],
            age: OLDEST,
        }
    }

    /// Forgets everything, for the next query.
    pub fn forget(&mut self) {
        if self.age == 0 {
            self.nodes.fill(u64::MAX);
            self.age = OLDEST;
        }
        self.age -= 1;
    }

    /// Takes note of a cost `g` if it is the least known for `square`; whether it is.
    #[inline]
    pub fn improve(&mut self, square: usize, g: u32, arrival: usize) -> bool {
        let value = self.age << 36 | u64::from(g) << 4 | arrival as u64;
        let node = &mut self.nodes[square];
        // PERF: one load, one comparison and one store per generated step (bench `queries`).
        let better = value >> 4 < *node >> 4;
        if better {
            *node = value;
        }
        better
    }

    /// The direction of arrival if `g` is still the least cost known for `square`.
    #[inline]
    #[must_use]
    pub fn arrival(&self, square: usize, g: u32) -> Option<usize> {
        let node = self.nodes[square];
        (node >> 4 == self.age << 32 | u64::from(g)).then_some((node & 15) as usize)
    }

    /// The way back from `goal`, square by square, goal first. Every square on it was reached.
    pub fn way_back(&self, goal: Cell, stride: usize) -> impl Iterator<Item = Cell> + '_ {
        let arrival = move |cell: Cell| {
            let square = (usize::from(cell.y) + 1) * stride + usize::from(cell.x) + 1;
            (self.nodes[square] & 15) as u8
        };
        std::iter::successors(Some(goal), move |cell| {
            let direction = arrival(*cell);
            (direction < 8).then(|| cell.step(Direction(direction).turned(4)))
        })
    }
}
