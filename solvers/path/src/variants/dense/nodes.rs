//! The state of each cell in a search: the cost so far, the direction of arrival and the ground, in 8 bytes that need
//! no clearing between queries.

/// The slot of a cell: a node, and data that a search keeps in the same cache line.
pub trait NodeSlot {
    /// The node.
    fn node(&self) -> u64;
    /// Replaces the node.
    fn set_node(&mut self, node: u64);
}

/// A slot that holds only a node.
impl NodeSlot for u64 {
    #[inline]
    fn node(&self) -> u64 {
        *self
    }
    #[inline]
    fn set_node(&mut self, node: u64) {
        *self = node;
    }
}

/// Costs from the start, by cell.
///
/// A node is `age:16 | g:32 | class:3 | arrival:4 | around:9`, and the age decreases with every query. Any value of
/// an earlier query is therefore larger than any of this query, and a single comparison decides whether a cost is an
/// improvement. Class and neighbourhood are the [ground](super::board::DenseMap::ground), which never changes.
///
/// Ground and cost share a slot, so that an expansion touches one array.
#[derive(Debug)]
pub struct Nodes<S = u64> {
    slots: Vec<S>,
    age: u64,
}

const OLDEST: u64 = (1 << 16) - 1;
/// The lowest bit of the cost, above arrival and ground.
const COST: u32 = 16;
/// The lowest bit of the direction of arrival, between the parts of the ground.
pub const ARRIVAL: u32 = 9;
const GROUND: u64 = 0xe1ff;

/// The state of a node: its direction of arrival and its neighbourhood as one number below [`STATES`].
#[inline]
pub fn state(node: u64) -> usize {
    node as usize % STATES
}

/// The number of states.
pub const STATES: usize = 1 << (ARRIVAL + 4);

/// The node of a cell that was not reached, with its ground.
pub fn unknown(ground: u16) -> u64 {
    !GROUND | u64::from(ground)
}

impl<S: NodeSlot> Nodes<S> {
    /// Nodes in `slots`, in the order of the cells, all [`unknown`].
    pub fn new(slots: Vec<S>) -> Self {
        Self { slots, age: OLDEST }
    }

    /// Resets all nodes for the next query.
    pub fn forget(&mut self) {
        if self.age == 0 {
            for slot in &mut self.slots {
                slot.set_node(slot.node() | !GROUND);
            }
            self.age = OLDEST;
        }
        self.age -= 1;
    }

    /// Records the cost `g` if it is the least known for `square`, and then returns its slot.
    #[inline]
    pub fn relax(&mut self, square: usize, g: u32, arrival: usize) -> Option<&mut S> {
        self.relax_state(square, g, (arrival as u32) << ARRIVAL)
    }

    /// [`relax`](Self::relax) with the direction as encoded in a node.
    #[inline]
    pub fn relax_state(&mut self, square: usize, g: u32, arrival: u32) -> Option<&mut S> {
        let cost = self.age << 32 | u64::from(g);
        let slot = &mut self.slots[square];
        // PERF: one load, one comparison and one store per generated step (bench `queries`).
        let node = slot.node();
        if cost >= node >> COST {
            return None;
        }
        slot.set_node(cost << COST | u64::from(arrival) | node & GROUND);
        Some(slot)
    }

    /// The slot of `square` if `g` is still the least cost known for it.
    #[inline]
    pub fn reached(&self, square: usize, g: u32) -> Option<&S> {
        let slot = &self.slots[square];
        (slot.node() >> COST == self.age << 32 | u64::from(g)).then_some(slot)
    }

    /// The last cost of `square`.
    #[inline]
    pub fn cost(&self, square: usize) -> u32 {
        (self.slots[square].node() >> COST) as u32
    }

    /// The direction of the last arrival at `square`.
    #[inline]
    pub fn arrived(&self, square: usize) -> usize {
        (self.slots[square].node() >> ARRIVAL & 15) as usize
    }

    /// The ground of `square`.
    #[inline]
    pub fn ground(&self, square: usize) -> u16 {
        (self.slots[square].node() & GROUND) as u16
    }

    /// The slot of `square`.
    #[inline]
    pub fn slot(&self, square: usize) -> &S {
        &self.slots[square]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_forgets_the_one_before_and_never_the_ground() {
        let mut nodes = Nodes::new(vec![unknown(7), unknown(0xa0bc)]);
        // More queries than there are ages.
        for query in 0..2 * OLDEST as u32 + 3 {
            nodes.forget();
            let g = query % 5;
            assert!(nodes.reached(1, g).is_none());
            assert!(nodes.relax(1, g + 1, 3).is_some());
            assert!(nodes.relax(1, g + 1, 4).is_none(), "no improvement");
            assert!(nodes.relax(1, g, 8).is_some());
            assert!(nodes.reached(1, g + 1).is_none(), "no longer the least");
            assert_eq!(nodes.reached(1, g).map(|_| nodes.arrived(1)), Some(8));
            assert_eq!((nodes.ground(0), nodes.ground(1)), (7, 0xa0bc));
        }
    }
}
