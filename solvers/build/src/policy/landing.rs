//! Where the two puyos of a piece land, which equal neighbours they get, and whether something vanishes.
//! Every search asks this at every placement.

use ikeru_chain::simulate::bitboard::beside;
use ikeru_chain::{Board, Piece, Placement, PuyoColour, Rotation, Size};

use crate::matching::Contacts;

/// A placement with its columns: the axis first, the child second.
#[derive(Debug, Clone, Copy)]
pub struct Landing {
    /// The placement.
    pub placement: Placement,
    columns: [u8; 2],
    /// How much higher than its column each puyo lands: the upper one of an upright piece 1.
    offsets: [u8; 2],
}

impl Landing {
    fn new(placement: Placement) -> Self {
        Self {
            placement,
            columns: [placement.column, placement.child_column() as u8],
            offsets: [
                u8::from(placement.rotation == Rotation::Down),
                u8::from(placement.rotation == Rotation::Up),
            ],
        }
    }

    /// Bit numbers of the cells that axis and child land in; `None` if either is above the board.
    #[inline]
    pub fn cells(&self, board: &Board) -> Option<[usize; 2]> {
        let heights = board.heights();
        let top = board.size().height();
        let row = |i: usize| usize::from(heights[usize::from(self.columns[i])] + self.offsets[i]);
        let (axis, child) = (row(0), row(1));
        (axis < top && child < top).then(|| {
            [
                16 * usize::from(self.columns[0]) + axis,
                16 * usize::from(self.columns[1]) + child,
            ]
        })
    }

    /// Column heights after it.
    #[inline]
    pub fn heights(&self, heights: &[u8; Size::MAX_WIDTH]) -> [u8; Size::MAX_WIDTH] {
        let mut after = *heights;
        after[usize::from(self.columns[0])] += 1;
        after[usize::from(self.columns[1])] += 1;
        after
    }
}

/// Every placement on boards of one size, in the order of [`Placement::all`].
#[derive(Debug, Clone)]
pub struct Landings {
    any: Vec<Landing>,
    double: Vec<Landing>,
}

impl Landings {
    /// Those of `size`.
    pub fn new(size: Size) -> Self {
        let landings = |first: usize, second: usize| {
            PuyoColour::new(first).zip(PuyoColour::new(second)).map_or(
                Vec::new(),
                |(axis, child)| {
                    Placement::all(size, Piece { axis, child })
                        .map(Landing::new)
                        .collect()
                },
            )
        };
        Self {
            any: landings(0, 1),
            double: landings(0, 0),
        }
    }

    /// Those of `piece`.
    #[inline]
    pub fn of(&self, piece: Piece) -> &[Landing] {
        if piece.is_double() {
            &self.double
        } else {
            &self.any
        }
    }
}

/// The contacts of a piece on a board, for each of the cells that its puyos can land in.
///
/// PERF: puyos of two colours do not meet each other, so that the 22 placements of a piece are made of
/// at most 12 cells × 2 colours, looked at once each.
#[derive(Debug, Clone, Copy)]
pub struct ContactTable {
    planes: [u128; 2],
    double: bool,
    /// Per puyo, bit `2·column + offset`: whether it alone makes something vanish there.
    vanishing: [u16; 2],
    /// Per puyo, by `2·column + offset`: its equal neighbours.
    beside: [[u128; 2 * Size::MAX_WIDTH]; 2],
}

/// The effect of a landing.
#[derive(Debug, Clone, Copy)]
pub struct Effect {
    /// Whether something vanishes.
    pub vanishes: bool,
    cells: [usize; 2],
    beside: [u128; 2],
}

impl Effect {
    /// Whether no puyo gets an equal neighbour.
    #[inline]
    pub fn adds_no_contact(&self) -> bool {
        self.beside[0] | self.beside[1] == 0
    }

    /// The pairs of equal neighbours that it makes.
    #[inline]
    pub fn contacts(&self) -> Contacts {
        let mut contacts = Contacts::default();
        for (cell, beside) in self.cells.iter().zip(self.beside) {
            contacts.add(1 << cell, beside);
        }
        contacts
    }
}

impl ContactTable {
    /// Of `piece` on `board`, which has no group of four.
    #[inline]
    pub fn new(board: &Board, piece: Piece) -> Self {
        let mut table = Self {
            planes: [board.plane(piece.axis), board.plane(piece.child)],
            double: piece.is_double(),
            vanishing: [0; 2],
            beside: [[0; 2 * Size::MAX_WIDTH]; 2],
        };
        if table.double {
            return table;
        }
        for (column, &height) in board.heights()[..board.size().width()].iter().enumerate() {
            for offset in 0..2 {
                // Above the board at worst, where no plane has a stone; nothing lands there.
                let stone = 1_u128 << ((16 * column + usize::from(height) + offset) & 127);
                let slot = 2 * column + offset;
                for (puyo, &plane) in table.planes.iter().enumerate() {
                    let near = beside(stone) & plane;
                    table.beside[puyo][slot] = near;
                    let vanishes = connects_four(stone, near, plane);
                    table.vanishing[puyo] |= u16::from(vanishes) << slot;
                }
            }
        }
        table
    }

    /// Whether nothing vanishes wherever the piece lands: cheap, and wrong only on the safe side.
    #[inline]
    pub fn never_vanishes(&self) -> bool {
        !self.double && self.vanishing == [0; 2]
    }

    /// The effect of `landing`, which lands in `cells`.
    #[inline]
    pub fn effect(&self, landing: &Landing, cells: [usize; 2]) -> Effect {
        if self.double {
            return self.effect_of_double(cells);
        }
        let slots = [0, 1].map(|i| usize::from(2 * landing.columns[i] + landing.offsets[i]));
        let vanishing = self.vanishing[0] >> slots[0] | self.vanishing[1] >> slots[1];
        Effect {
            vanishes: vanishing & 1 == 1,
            cells,
            beside: [self.beside[0][slots[0]], self.beside[1][slots[1]]],
        }
    }

    fn effect_of_double(&self, cells: [usize; 2]) -> Effect {
        let [axis, child] = cells.map(|bit| 1_u128 << bit);
        let plane = self.planes[0] | axis | child;
        let near = [beside(axis) & plane, beside(child) & plane];
        Effect {
            vanishes: connects_four(axis, near[0], plane) || connects_four(child, near[1], plane),
            cells,
            beside: near,
        }
    }
}

/// Whether `stone`, whose equal neighbours are `near`, belongs to a group of four or more.
#[inline]
fn connects_four(stone: u128, near: u128, plane: u128) -> bool {
    if near == 0 {
        return false;
    }
    // Within three steps of any stone of a group of four there are four of it.
    let mut group = stone | near;
    for _ in 0..2 {
        if has_four(group) {
            return true;
        }
        let wider = group | beside(group) & plane;
        if wider == group {
            return false;
        }
        group = wider;
    }
    has_four(group)
}

/// Whether at least four bits are set. PERF: the portable target has no `popcnt`.
#[inline]
fn has_four(plane: u128) -> bool {
    without_lowest(without_lowest(without_lowest(plane))) != 0
}

/// `plane` without its lowest bit, if it has one.
#[inline]
pub(super) fn without_lowest(plane: u128) -> u128 {
    plane & plane.wrapping_sub(1)
}
