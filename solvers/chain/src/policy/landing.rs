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
            PuyoColour::new(first).zip(PuyoColour::new(second)).map_or(Vec::new(), |(axis, child)| {
                Placement::all(size, Piece { axis, child }).map(Drop::new).collect()
            })
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
        if piece.is_double() { &self.double } else { &self.any }
    }
}

/// The planes that a piece of two colours meets on a board.
#[derive(Debug, Clone, Copy)]
pub struct Meeting {
    axis: u128,
    child: u128,
    same: bool,
}

/// What happens where a piece lands.
#[derive(Debug, Clone, Copy)]
pub struct Touch {
    /// Whether something vanishes.
    pub vanishes: bool,
    /// Pairs of equal neighbours that it makes.
    pub contacts: Contacts,
}

impl Meeting {
    /// Of `piece` on `board`.
    #[inline]
    #[must_use]
    pub fn new(board: &Board, piece: Piece) -> Self {
        Self {
            axis: board.plane(piece.axis),
            child: board.plane(piece.child),
            same: piece.is_double(),
        }
    }

    /// What happens where axis and child land in `cells` of a board without groups of four.
    #[inline]
    #[must_use]
    pub fn touch(&self, cells: [usize; 2]) -> Touch {
        let [axis, child] = cells.map(|bit| 1_u128 << bit);
        let both = if self.same { axis | child } else { 0 };
        let (axis_plane, child_plane) = (self.axis | axis | both, self.child | child | both);
        let axis_beside = beside(axis) & axis_plane;
        let child_beside = beside(child) & child_plane;
        if axis_beside | child_beside == 0 {
            return Touch {
                vanishes: false,
                contacts: Contacts::default(),
            };
        }
        let mut contacts = Contacts::default();
        contacts.add(axis, axis_beside);
        contacts.add(child, child_beside);
        Touch {
            vanishes: connects_four(axis, axis_beside, axis_plane)
                || connects_four(child, child_beside, child_plane),
            contacts,
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
        if group.count_ones() >= 4 {
            return true;
        }
        let wider = group | beside(group) & plane;
        if wider == group {
            return false;
        }
        group = wider;
    }
    group.count_ones() >= 4
}
