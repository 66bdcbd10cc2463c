//! Where the two puyos of a piece land, which equal neighbours they get, and whether something
//! vanishes: the part of every search that runs at every placement.

use crate::board::{Board, PuyoColour, Size};
use crate::matching::Contacts;
use crate::placement::{Piece, Placement, Rotation};

/// A placement with its columns: the axis first, the child second.
#[derive(Debug, Clone, Copy)]
pub struct Drop {
    /// The placement.
    pub placement: Placement,
    columns: [u8; 2],
    /// How much higher than its column each puyo lands: the upper one of an upright piece 1.
    lifts: [u8; 2],
}

impl Drop {
    fn new(placement: Placement) -> Self {
        Self {
            placement,
            columns: [placement.column, placement.child_column() as u8],
            lifts: [
                u8::from(placement.rotation == Rotation::Down),
                u8::from(placement.rotation == Rotation::Up),
            ],
        }
    }

    /// Bit numbers of the cells that axis and child land in; `None` if either is above the board.
    #[inline]
    #[must_use]
    pub fn cells(&self, board: &Board) -> Option<[usize; 2]> {
        let heights = board.heights();
        let top = board.size().height();
        let row = |i: usize| usize::from(heights[usize::from(self.columns[i])] + self.lifts[i]);
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
    #[must_use]
    pub fn heights(&self, heights: &[u8; Size::MAX_WIDTH]) -> [u8; Size::MAX_WIDTH] {
        let mut after = *heights;
        after[usize::from(self.columns[0])] += 1;
        after[usize::from(self.columns[1])] += 1;
        after
    }
}

/// Every placement on boards of one size, in the order of [`Placement::all`].
#[derive(Debug, Clone)]
pub struct Drops {
    any: Vec<Drop>,
    double: Vec<Drop>,
}

impl Drops {
    /// Those of `size`.
    #[must_use]
    pub fn new(size: Size) -> Self {
        let drops = |first: usize, second: usize| {
            PuyoColour::new(first).zip(PuyoColour::new(second)).map_or(
                Vec::new(),
                |(axis, child)| {
                    Placement::all(size, Piece { axis, child })
                        .map(Drop::new)
                        .collect()
                },
            )
        };
        Self {
            any: drops(0, 1),
            double: drops(0, 0),
        }
    }

    /// Those of `piece`.
    #[inline]
    #[must_use]
    pub fn of(&self, piece: Piece) -> &[Drop] {
        if piece.is_double() {
            &self.double
        } else {
            &self.any
        }
    }
}

/// What a piece meets on a board, for each of the cells that its puyos can land in.
///
/// PERF: puyos of two colours do not meet each other, so that the 22 placements of a piece are made of
/// at most 12 cells × 2 colours, looked at once each.
#[derive(Debug, Clone, Copy)]
pub struct Approach {
    planes: [u128; 2],
    double: bool,
    /// Per puyo, bit `2·column + lift`: whether it alone makes something vanish there.
    vanishing: [u16; 2],
    /// Per puyo, by `2·column + lift`: its equal neighbours.
    beside: [[u128; 2 * Size::MAX_WIDTH]; 2],
}

/// What happens where a piece lands.
#[derive(Debug, Clone, Copy)]
pub struct Touch {
    /// Whether something vanishes.
    pub vanishes: bool,
    cells: [usize; 2],
    beside: [u128; 2],
}

impl Touch {
    /// Whether no puyo gets an equal neighbour.
    #[inline]
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.beside[0] | self.beside[1] == 0
    }

    /// The pairs of equal neighbours that it makes.
    #[inline]
    #[must_use]
    pub fn contacts(&self) -> Contacts {
        let mut contacts = Contacts::default();
        for (cell, beside) in self.cells.iter().zip(self.beside) {
            contacts.add(1 << cell, beside);
        }
        contacts
    }
}

impl Approach {
    /// Of `piece` on `board`, which has no group of four.
    #[inline]
    #[must_use]
    pub fn new(board: &Board, piece: Piece) -> Self {
        let mut approach = Self {
            planes: [board.plane(piece.axis), board.plane(piece.child)],
            double: piece.is_double(),
            vanishing: [0; 2],
            beside: [[0; 2 * Size::MAX_WIDTH]; 2],
        };
        if approach.double {
            return approach;
        }
        for (column, &height) in board.heights()[..board.size().width()].iter().enumerate() {
            for lift in 0..2 {
                // Above the board at worst, where no plane has a stone; nothing lands there.
                let stone = 1_u128 << ((16 * column + usize::from(height) + lift) & 127);
                let slot = 2 * column + lift;
                for (puyo, &plane) in approach.planes.iter().enumerate() {
                    let near = beside(stone) & plane;
                    approach.beside[puyo][slot] = near;
                    let vanishes = connects_four(stone, near, plane);
                    approach.vanishing[puyo] |= u16::from(vanishes) << slot;
                }
            }
        }
        approach
    }

    /// Whether nothing vanishes wherever the piece lands: cheap, and wrong only on the safe side.
    #[inline]
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        !self.double && self.vanishing == [0; 2]
    }

    /// What happens at `drop`, which lands in `cells`.
    #[inline]
    #[must_use]
    pub fn touch(&self, drop: &Drop, cells: [usize; 2]) -> Touch {
        if self.double {
            return self.touch_double(cells);
        }
        let slots = [0, 1].map(|i| usize::from(2 * drop.columns[i] + drop.lifts[i]));
        let vanishing = self.vanishing[0] >> slots[0] | self.vanishing[1] >> slots[1];
        Touch {
            vanishes: vanishing & 1 == 1,
            cells,
            beside: [self.beside[0][slots[0]], self.beside[1][slots[1]]],
        }
    }

    fn touch_double(&self, cells: [usize; 2]) -> Touch {
        let [axis, child] = cells.map(|bit| 1_u128 << bit);
        let plane = self.planes[0] | axis | child;
        let near = [beside(axis) & plane, beside(child) & plane];
        Touch {
            vanishes: connects_four(axis, near[0], plane) || connects_four(child, near[1], plane),
            cells,
            beside: near,
        }
    }
}

/// The cells beside those of `plane`; also bits above the board, which no plane of stones has.
#[inline]
pub(crate) fn beside(plane: u128) -> u128 {
    plane << 1 | plane >> 1 | plane << 16 | plane >> 16
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
    let without_lowest = |plane: u128| plane & plane.wrapping_sub(1);
    without_lowest(without_lowest(without_lowest(plane))) != 0
}
