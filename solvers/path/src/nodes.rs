//! What a search knows of each square: the cost so far and the direction of arrival, in 8 bytes that
//! need no clearing between queries.

use crate::map::{Cell, Direction};

/// What is kept for each square: a node, and whatever a search wants in the same cache line.
pub trait Slot {
    /// The node.
    fn node(&self) -> u64;
    /// Replaces the node.
    fn set_node(&mut self, node: u64);
}

/// A node and nothing else.
impl Slot for u64 {
    #[inline]
    fn node(&self) -> u64 {
        *self
    }
    #[inline]
    fn set_node(&mut self, node: u64) {
        *self = node;
    }
}

/// Costs from the start, by square.
///
/// A node is `age:28 | g:32 | arrival:4`, the age falling with every query. So any value of an
/// earlier query is larger than any of this one, and a single comparison says whether a cost is news.
#[derive(Debug)]
pub struct Nodes<S = u64> {
    slots: Vec<S>,
    age: u64,
}

const OLDEST: u64 = (1 << 28) - 1;

impl<S: Slot> Nodes<S> {
    /// Nodes in these slots, by square.
    #[must_use]
    pub fn new(slots: Vec<S>) -> Self {
        let mut nodes = Self { slots, age: 0 };
        nodes.forget();
        nodes
    }

    /// Forgets everything, for the next query.
    pub fn forget(&mut self) {
        if self.age == 0 {
            self.slots
                .iter_mut()
                .for_each(|slot| slot.set_node(u64::MAX));
            self.age = OLDEST;
        }
        self.age -= 1;
    }

    /// Takes note of a cost `g` if it is the least known for `square`; then gives its slot.
    #[inline]
    pub fn improve(&mut self, square: usize, g: u32, arrival: usize) -> Option<&mut S> {
        let value = self.age << 36 | u64::from(g) << 4 | arrival as u64;
        let slot = &mut self.slots[square];
        // PERF: one load, one comparison and one store per generated step (bench `queries`).
        if value >> 4 >= slot.node() >> 4 {
            return None;
        }
        slot.set_node(value);
        Some(slot)
    }

    /// The direction of arrival if `g` is still the least cost known for `square`, and its slot.
    #[inline]
    #[must_use]
    pub fn arrival(&self, square: usize, g: u32) -> Option<(usize, &S)> {
        let slot = &self.slots[square];
        let node = slot.node();
        (node >> 4 == self.age << 32 | u64::from(g)).then_some(((node & 15) as usize, slot))
    }

    /// What is kept for `square`.
    #[inline]
    #[must_use]
    pub fn slot(&self, square: usize) -> &S {
        &self.slots[square]
    }

    /// The way back from `goal`, square by square, goal first. Every square on it was reached.
    pub fn way_back(&self, goal: Cell, stride: usize) -> impl Iterator<Item = Cell> + '_ {
        let arrival = move |cell: Cell| {
            let square = (usize::from(cell.y) + 1) * stride + usize::from(cell.x) + 1;
            (self.slots[square].node() & 15) as u8
        };
        std::iter::successors(Some(goal), move |cell| {
            let direction = arrival(*cell);
            (direction < 8).then(|| cell.step(Direction(direction).turned(4)))
        })
    }
}
