//! The cells in which the puyos of a piece land, the pairs of equal neighbours that they form, and the test whether
//! something vanishes. Every search uses these at every placement.

use ikeru_chain::board::LANE;
use ikeru_chain::simulate::bitboard::beside;
use ikeru_chain::{Board, Piece, Placement, PuyoColour, Rotation, Size};

use crate::matching::Contacts;

/// A placement with its columns, that of the axis first.
#[derive(Debug, Clone, Copy)]
pub struct Landing {
    /// The placement.
    pub placement: Placement,
    columns: [u8; 2],
    /// The height of each puyo above its column: 1 for the upper puyo of an upright piece, else 0.
    offsets: [u8; 2],
    /// The increase of the column heights, one byte for each column.
    added: u64,
}

impl Landing {
    fn new(placement: Placement) -> Self {
        let columns = [placement.column, placement.child_column() as u8];
        Self {
            placement,
            columns,
            added: columns.iter().map(|column| 1 << (8 * column)).sum(),
            offsets: [
                u8::from(placement.rotation == Rotation::Down),
                u8::from(placement.rotation == Rotation::Up),
            ],
        }
    }

    /// The bit numbers of the cells in which axis and child land; `None` if either is above the board.
    #[inline]
    pub fn cells(&self, board: &Board) -> Option<[usize; 2]> {
        self.cells_on(board.heights(), board.size())
    }

    #[inline]
    fn cells_on(&self, heights: &[u8; Size::MAX_WIDTH], size: Size) -> Option<[usize; 2]> {
        let top = size.height();
        let row = |i: usize| usize::from(heights[usize::from(self.columns[i])] + self.offsets[i]);
        let (axis, child) = (row(0), row(1));
        (axis < top && child < top).then(|| {
            [
                16 * usize::from(self.columns[0]) + axis,
                16 * usize::from(self.columns[1]) + child,
            ]
        })
    }

    /// The column heights after the placement.
    #[inline]
    pub fn heights(&self, heights: &[u8; Size::MAX_WIDTH]) -> [u8; Size::MAX_WIDTH] {
        // One addition of a word: stores of single bytes would delay the load of the whole word.
        (u64::from_le_bytes(*heights) + self.added).to_le_bytes()
    }
}

/// Every placement on boards of one size, in the order of [`Placement::all`].
#[derive(Debug, Clone)]
pub struct Landings {
    size: Size,
    any: Vec<Landing>,
    double: Vec<Landing>,
}

impl Landings {
    /// The placements on boards of `size`.
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
            size,
            any: landings(0, 1),
            double: landings(0, 0),
        }
    }

    /// The placements of `piece`.
    #[inline]
    pub fn of(&self, piece: Piece) -> &[Landing] {
        if piece.is_double() {
            &self.double
        } else {
            &self.any
        }
    }

    /// The column heights after each legal placement of a double. Any other piece has two placements for each of
    /// them, because a half turn leaves the same heights.
    pub fn heights_after(
        &self,
        heights: &[u8; Size::MAX_WIDTH],
    ) -> impl Iterator<Item = [u8; Size::MAX_WIDTH]> {
        let legal = self.double.iter();
        legal
            .filter(|landing| landing.cells_on(heights, self.size).is_some())
            .map(|landing| landing.heights(heights))
    }
}

/// The cells of a board in which a piece makes something vanish, and the contacts that it forms.
///
/// PERF: computed for whole planes; testing each of the twelve cells in which a piece can land took 5 % of the
/// instructions of a move of `template`.
#[derive(Debug, Clone, Copy)]
pub struct ContactTable {
    planes: [u128; 2],
    double: bool,
    /// For each puyo, the cells in which it alone completes a group of four.
    completing: [u128; 2],
    /// The two lowest free cells of each column.
    open: u128,
}

impl ContactTable {
    /// The table of `piece` on `board`, which must not have a group of four.
    #[inline]
    pub fn new(board: &Board, piece: Piece) -> Self {
        let planes = [board.plane(piece.axis), board.plane(piece.child)];
        let double = piece.is_double();
        let tops = board.occupied() + board.floor();
        Self {
            planes,
            double,
            completing: if double {
                [0; 2]
            } else {
                planes.map(completing)
            },
            open: tops | tops << 1,
        }
    }

    /// Returns true only if nothing vanishes at any placement of the piece. The test is cheap and may return false in
    /// other cases.
    #[inline]
    pub fn never_vanishes(&self) -> bool {
        !self.double && (self.completing[0] | self.completing[1]) & self.open == 0
    }

    /// Returns whether something vanishes if the piece lands in `cells`.
    #[inline]
    pub fn vanishes(&self, cells: [usize; 2]) -> bool {
        if self.double {
            return self.double_vanishes(cells);
        }
        (self.completing[0] >> cells[0] | self.completing[1] >> cells[1]) & 1 == 1
    }

    /// The pairs of equal neighbours that the piece forms in `cells`.
    #[inline]
    pub fn contacts(&self, cells: [usize; 2]) -> Contacts {
        let planes = if self.double {
            [self.with(cells); 2]
        } else {
            self.planes
        };
        let mut contacts = Contacts::default();
        for (cell, plane) in cells.iter().zip(planes) {
            let stone = 1 << cell;
            contacts.add(stone, beside(stone) & plane);
        }
        contacts
    }

    fn double_vanishes(&self, cells: [usize; 2]) -> bool {
        let near = cells.map(|cell| beside(1 << cell) & self.planes[0]);
        let near = near[0] | near[1];
        // With at most one neighbour, and no further puyo next to it, the group has at most three puyos.
        if without_lowest(near) == 0 && near & beside(self.planes[0]) == 0 {
            return false;
        }
        let plane = self.with(cells);
        let vanishes = |cell: usize| connects_four(1 << cell, plane);
        vanishes(cells[0]) || vanishes(cells[1])
    }

    /// The plane of the colour of a double, with its two puyos added.
    #[inline]
    fn with(&self, cells: [usize; 2]) -> u128 {
        self.planes[0] | 1 << cells[0] | 1 << cells[1]
    }
}

/// The cells in which one more puyo completes a group of four of `plane`, which has none: cells adjacent to a group
/// of three, to three puyos, or to two puyos of which one has a neighbour. (The neighbour is a third puyo, because
/// two neighbours of a cell are never adjacent.)
#[inline]
fn completing(plane: u128) -> u128 {
    let (below, above) = (plane << 1, plane >> 1);
    let (left, right) = (plane << LANE, plane >> LANE);
    let (both_vertical, some_vertical) = (below & above, below | above);
    let (both_horizontal, some_horizontal) = (left & right, left | right);
    let two = both_vertical | both_horizontal | (some_vertical & some_horizontal);
    let three = (both_vertical & some_horizontal) | (both_horizontal & some_vertical);
    // The middles of groups of three, all puyos of groups of three, and all puyos with a neighbour.
    let middle = plane & two;
    let of_three = middle | beside(middle) & plane;
    let paired = plane & (some_vertical | some_horizontal);
    beside(of_three) | three | (two & beside(paired))
}

/// Returns whether `stone` of `plane` belongs to a group of four or more.
#[inline]
fn connects_four(stone: u128, plane: u128) -> bool {
    let near = beside(stone) & plane;
    if near == 0 {
        return false;
    }
    // A group of four or more has at least four stones within three steps of any stone.
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

/// Returns whether at least four bits are set. PERF: the portable target has no `popcnt`.
#[inline]
fn has_four(plane: u128) -> bool {
    without_lowest(without_lowest(without_lowest(plane))) != 0
}

/// `plane` without its lowest bit, if it has one.
#[inline]
fn without_lowest(plane: u128) -> u128 {
    plane & plane.wrapping_sub(1)
}
