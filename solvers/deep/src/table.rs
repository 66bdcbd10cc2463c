//! The transposition table: boards that different orders of placements reach are searched once.
//!
//! A board that was searched with the same number of pieces left needs no second search: every chain below it was
//! found, or was no better than the incumbent, which only rises. A slot therefore stores no value, and overwriting a
//! slot costs time but not correctness. Slots store whole boards, because different boards may have equal hashes.

use ikeru_chain::Board;

/// A fixed number of slots; a newer board replaces an older one.
#[derive(Debug)]
pub struct TranspositionTable {
    slots: Vec<TableSlot>,
    generation: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(align(64))]
struct TableSlot {
    planes: [u128; 3],
    /// The number of the search that wrote it; 0 for none.
    generation: u32,
    left: u32,
}

impl TranspositionTable {
    /// A table of `2^bits` slots of 64 bytes.
    pub fn new(bits: u32) -> Self {
        Self {
            slots: vec![TableSlot::default(); 1 << bits],
            generation: 0,
        }
    }

    /// Bytes of all slots.
    pub fn bytes(&self) -> u64 {
        (self.slots.len() * size_of::<TableSlot>()) as u64
    }

    /// Removes all boards.
    pub fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill(TableSlot::default());
            self.generation = 1;
        }
    }

    /// Returns whether `board` with `left` pieces is not in the table, and stores it.
    #[inline]
    pub fn is_new(&mut self, board: &Board, left: usize) -> bool {
        let slot = TableSlot {
            planes: *board.planes(),
            generation: self.generation,
            left: left as u32,
        };
        // The highest bits of a product depend on all bits of its factors.
        let shift = 64 - self.slots.len().ilog2();
        let index = hash(board, left).unbounded_shr(shift) as usize;
        std::mem::replace(&mut self.slots[index], slot) != slot
    }
}

#[inline]
fn hash(board: &Board, left: usize) -> u64 {
    let words = board
        .planes()
        .map(|plane| (plane >> 64) as u64 ^ (plane as u64).rotate_left(29));
    let [a, b, c] = words;
    let mixed = (a ^ left as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.rotate_left(21);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ c.rotate_left(42);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

#[cfg(test)]
mod tests {
    use ikeru_chain::{Cell, Size};

    use super::*;

    #[test]
    fn a_board_is_new_once_for_each_number_of_pieces() {
        for bits in [0, 10] {
            let mut table = TranspositionTable::new(bits);
            table.clear();
            let mut board = Board::empty(Size::THESIS);
            assert!(table.is_new(&board, 2));
            assert!(!table.is_new(&board, 2));
            assert!(table.is_new(&board, 1));
            board.drop(0, Cell::Garbage);
            assert!(table.is_new(&board, 1));
            assert!(!table.is_new(&board, 1));
            table.clear();
            assert!(table.is_new(&board, 1));
        }
    }
}
