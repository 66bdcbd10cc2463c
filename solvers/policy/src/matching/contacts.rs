//! Pairs of equal neighbours, which determine the penalty of the soft border: observation 3 of [`super`].

use ikeru_chain::Board;

/// Pairs of neighbours of the same colour: the lower cells of vertical pairs, the left cells of horizontal pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Contacts {
    /// Lower cells.
    pub vertical: u128,
    /// Left cells.
    pub horizontal: u128,
}

impl Contacts {
    /// All contacts of `board`.
    pub fn of(board: &Board) -> Self {
        let planes = board.planes();
        let coloured = planes[1] | planes[2];
        let same = |shift: u32| {
            let differing = planes
                .iter()
                .fold(0, |any, &plane| any | (plane ^ (plane >> shift)));
            coloured & (coloured >> shift) & !differing
        };
        Self {
            vertical: same(1),
            horizontal: same(16),
        }
    }

    /// The number of pairs.
    #[inline]
    pub fn count(&self) -> u32 {
        self.vertical.count_ones() + self.horizontal.count_ones()
    }

    /// Adds the contacts of the stone at `bit` with its neighbours of the same colour, given as a plane.
    #[inline]
    pub fn add(&mut self, bit: u128, beside: u128) {
        if beside & (bit << 1) != 0 {
            self.vertical |= bit;
        }
        self.vertical |= beside & (bit >> 1);
        if beside & (bit << 16) != 0 {
            self.horizontal |= bit;
        }
        self.horizontal |= beside & (bit >> 16);
    }
}
