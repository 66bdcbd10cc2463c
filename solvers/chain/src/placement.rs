//! Pieces and their placements: 22, or 11 for a double; legality, the rule for the top row, and loss.

use std::fmt;
use std::str::FromStr;

use ikeru_core::{InputError, choices, input_error};
use serde::{Deserialize, Serialize};

use crate::board::{Board, Cell, PuyoColour, Size};

/// Two puyos that fall together. The player turns one puyo, the child, around the other one, the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece {
    /// The colour of the axis.
    pub axis: PuyoColour,
    /// The colour of the child.
    pub child: PuyoColour,
}

impl Piece {
    /// Returns whether both puyos have the same colour.
    #[inline]
    pub fn is_double(self) -> bool {
        self.axis == self.child
    }

    /// Every legal placement on `board`: the columns from the left, in each column the rotations up, right,
    /// down, left; for a double only up and right.
    pub fn placements(self, board: &Board) -> impl Iterator<Item = Placement> + use<> {
        let board = *board;
        Placement::all(board.size(), self).filter(move |placement| placement.is_legal(&board))
    }
}

/// `RG`: axis, then child.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.axis.letter(), self.child.letter())
    }
}

/// The position of the child relative to the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rotation {
    /// On top of the axis.
    Up,
    /// One column to the right.
    Right,
    /// Under the axis.
    Down,
    /// One column to the left.
    Left,
}

impl Rotation {
    /// All four, clockwise from [`Rotation::Up`].
    pub const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];

    /// Its letter in text.
    pub const fn letter(self) -> char {
        match self {
            Self::Up => 'U',
            Self::Right => 'R',
            Self::Down => 'D',
            Self::Left => 'L',
        }
    }
}

/// The column and rotation of a piece. Both puyos fall straight down, each until it rests in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Placement {
    /// The axis's column, from 0.
    pub column: u8,
    /// The position of the child.
    pub rotation: Rotation,
}

impl Placement {
    /// Every placement of `piece` on an empty board of `size`: `4·width − 2` placements, or half for a double.
    pub fn all(size: Size, piece: Piece) -> impl Iterator<Item = Self> {
        let turned = !piece.is_double();
        let once = [Rotation::Up, Rotation::Right];
        Self::all_turned(size).filter(move |place| turned || once.contains(&place.rotation))
    }

    /// The `4·width − 2` placements of a piece whose puyos differ.
    pub fn all_turned(size: Size) -> impl Iterator<Item = Self> {
        let columns = 0..size.width() as u8;
        let turned = |column| Rotation::ALL.map(|rotation| Self { column, rotation });
        columns
            .flat_map(turned)
            .filter(move |placement| placement.fits(size))
    }

    /// Returns whether both puyos are above columns of the board.
    #[inline]
    pub fn fits(self, size: Size) -> bool {
        let column = usize::from(self.column);
        column < size.width()
            && match self.rotation {
                Rotation::Up | Rotation::Down => true,
                Rotation::Right => column + 1 < size.width(),
                Rotation::Left => column > 0,
            }
    }

    /// The child's column; only meaningful if the placement [fits](Placement::fits).
    #[inline]
    pub const fn child_column(self) -> usize {
        match self.rotation {
            Rotation::Up | Rotation::Down => self.column as usize,
            Rotation::Right => self.column as usize + 1,
            Rotation::Left => (self.column as usize).wrapping_sub(1),
        }
    }

    /// The column, row and colour of the axis and of the child of `piece` after they have fallen.
    #[inline]
    pub fn landing(self, board: &Board, piece: Piece) -> [(usize, usize, PuyoColour); 2] {
        let (axis, child) = (usize::from(self.column), self.child_column());
        let row =
            |column: usize, below: bool| usize::from(board.heights()[column]) + usize::from(below);
        [
            (axis, row(axis, self.rotation == Rotation::Down), piece.axis),
            (
                child,
                row(child, self.rotation == Rotation::Up),
                piece.child,
            ),
        ]
    }

    /// Returns whether at least one of the puyos lands on the board.
    fn lands_in_part(self, board: &Board) -> bool {
        let full = |column: usize| usize::from(board.heights()[column]) == board.size().height();
        let (axis, child) = (usize::from(self.column), self.child_column());
        self.fits(board.size()) && !(full(axis) && full(child))
    }

    /// Returns whether both puyos land on the board.
    #[inline]
    pub fn is_legal(self, board: &Board) -> bool {
        if !self.fits(board.size()) {
            return false;
        }
        let height = |column: usize| usize::from(board.heights()[column]);
        let (axis, child) = (usize::from(self.column), self.child_column());
        let top = board.size().height();
        if axis == child {
            height(axis) + 2 <= top
        } else {
            height(axis) < top && height(child) < top
        }
    }
}

/// `3U`: the axis's column from 1, then the child's side.
impl FromStr for Placement {
    type Err = InputError;

    /// Reads `3U`: a column from 1 and the child's side.
    fn from_str(word: &str) -> Result<Self, InputError> {
        let wrong = || {
            let what = "expected a column from 1 and the child's side, U, R, D or L, as in `3U`";
            input_error!("`{word}` is no placement, {what}")
        };
        let mut letters = word.chars();
        let (Some(digit), Some(side), None) = (letters.next(), letters.next(), letters.next())
        else {
            return Err(wrong());
        };
        let column = digit.to_digit(10).and_then(|column| column.checked_sub(1));
        let rotation = Rotation::ALL
            .into_iter()
            .find(|rotation| rotation.letter() == side);
        match (column, rotation) {
            (Some(column), Some(rotation)) => Ok(Self {
                column: column as u8,
                rotation,
            }),
            _ => Err(wrong()),
        }
    }
}

impl TryFrom<String> for Placement {
    type Error = InputError;

    fn try_from(word: String) -> Result<Self, InputError> {
        word.parse()
    }
}

impl From<Placement> for String {
    fn from(placement: Placement) -> Self {
        placement.to_string()
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.column + 1, self.rotation.letter())
    }
}

impl Board {
    /// Drops `piece` by the legal `placement`; does not simulate a chain.
    #[inline]
    pub fn place(&mut self, piece: Piece, placement: Placement) {
        for (column, row, colour) in placement.landing(self, piece) {
            self.add(column, row, Cell::Puyo(colour));
        }
    }

    /// Drops `piece` by `placement`; a puyo that would land above the top row vanishes. Does not simulate a chain.
    pub fn place_in_part(&mut self, piece: Piece, placement: Placement) {
        for (column, row, colour) in placement.landing(self, piece) {
            if row < self.size().height() {
                self.add(column, row, Cell::Puyo(colour));
            }
        }
    }
}

choices! {
    /// The rule for a puyo that would land above the top row.
    #[derive(Hash, Default)]
    pub enum AboveTop {
        /// The placement is illegal.
        #[default]
        Illegal = "illegal",
        /// The puyo vanishes; the placement is legal if the other puyo of the piece lands on the board.
        Vanish = "vanish",
    }
}

impl AboveTop {
    /// Returns whether `placement` is legal on `board` under this rule.
    #[inline]
    pub fn allows(self, placement: Placement, board: &Board) -> bool {
        placement.is_legal(board) || self == Self::Vanish && placement.lands_in_part(board)
    }

    /// The placements of `piece` that are legal on `board` under this rule, in the order of [`Placement::all`].
    pub fn placements(
        self,
        piece: Piece,
        board: &Board,
    ) -> impl Iterator<Item = Placement> + use<> {
        let board = *board;
        let all = Placement::all(board.size(), piece);
        all.filter(move |placement| self.allows(*placement, &board))
    }
}

choices! {
    /// The rule by which a game is lost.
    #[derive(Hash, Default)]
    pub enum LossRule {
        /// The game is lost when the next piece has no legal placement.
        #[default]
        NoPlacement = "no-placement",
        /// The game is also lost when a puyo stays in column 3, row 12, where pieces enter.
        Entrance = "entrance",
    }
}

impl LossRule {
    /// Returns whether the player of `board` has lost when `piece` comes.
    pub fn is_lost(self, board: &Board, piece: Piece, above_top: AboveTop) -> bool {
        let entrance = Board::bit(2, 11) & board.occupied() != 0;
        let stuck = || above_top.placements(piece, board).next().is_none();
        (self == Self::Entrance && entrance) || stuck()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(axis: usize, child: usize) -> Piece {
        let colour = |index| PuyoColour::new(index).expect("a colour");
        Piece {
            axis: colour(axis),
            child: colour(child),
        }
    }

    #[test]
    fn there_are_22_placements_and_11_of_a_double() {
        let board = Board::empty(Size::THESIS);
        assert_eq!(piece(0, 1).placements(&board).count(), 22);
        assert_eq!(piece(1, 1).placements(&board).count(), 11);
        let narrow = Board::empty(Size::new(2, 2).expect("the smallest board"));
        assert_eq!(piece(0, 1).placements(&narrow).count(), 6);
    }

    #[test]
    fn all_placements_of_a_piece_give_different_boards() {
        let board = Board::empty(Size::THESIS);
        for piece in [piece(0, 1), piece(2, 2)] {
            let after: std::collections::HashSet<Board> = piece
                .placements(&board)
                .map(|placement| {
                    let mut after = board;
                    after.place(piece, placement);
                    after
                })
                .collect();
            assert_eq!(after.len(), piece.placements(&board).count());
        }
    }

    #[test]
    fn both_puyos_must_land() {
        let mut board = Board::empty(Size::THESIS);
        for _ in 0..12 {
            board.drop(2, Cell::Garbage);
        }
        let count = |board: &Board| piece(0, 1).placements(board).count();
        assert_eq!(count(&board), 20, "neither upright placement in column 3");
        let is_lost = |loss: LossRule, board: &Board| {
            [AboveTop::Illegal, AboveTop::Vanish]
                .map(|above_top| loss.is_lost(board, piece(0, 1), above_top))
        };
        assert_eq!(is_lost(LossRule::Entrance, &board), [true, true]);
        assert_eq!(is_lost(LossRule::NoPlacement, &board), [false, false]);
        board.drop(2, Cell::Garbage);
        assert_eq!(count(&board), 16, "nothing over column 3");
        for column in [0, 1, 3, 4, 5] {
            for _ in 0..13 {
                board.drop(column, Cell::Garbage);
            }
        }
        assert_eq!(is_lost(LossRule::NoPlacement, &board), [true, true]);
    }

    #[test]
    fn a_puyo_above_the_top_row_vanishes_where_the_rule_says_so() {
        let mut board = Board::empty(Size::THESIS);
        for column in 0..6 {
            // Full, one free cell, two, full, full, full.
            for _ in 0..[13, 12, 11, 13, 13, 13][column] {
                board.drop(column, Cell::Garbage);
            }
        }
        let words = |above_top: AboveTop| -> Vec<String> {
            let places = above_top.placements(piece(0, 1), &board);
            places.map(|placement| placement.to_string()).collect()
        };
        assert_eq!(words(AboveTop::Illegal), ["2R", "3U", "3D", "3L"]);
        assert_eq!(
            words(AboveTop::Vanish),
            ["1R", "2U", "2R", "2D", "2L", "3U", "3R", "3D", "3L", "4L"]
        );
        let after = |word: &str, column: usize, row: usize| {
            let mut after = board;
            after.place_in_part(piece(0, 1), word.parse().expect("a placement"));
            (after.stones() - board.stones(), after.cell(column, row))
        };
        let [red, green] = [0, 1].map(|colour| Cell::Puyo(piece(colour, 0).axis));
        assert_eq!(after("2U", 1, 12), (1, red));
        assert_eq!(after("2D", 1, 12), (1, green));
        assert_eq!(after("1R", 1, 12), (1, green));
        assert_eq!(after("3U", 2, 12), (2, green));
    }

    #[test]
    fn the_child_lies_where_the_rotation_says() {
        let (red, green) = (Cell::Puyo(piece(0, 1).axis), Cell::Puyo(piece(0, 1).child));
        let cells = |rotation| {
            let mut board = Board::empty(Size::THESIS);
            board.place(
                piece(0, 1),
                Placement {
                    column: 1,
                    rotation,
                },
            );
            [(0, 0), (1, 0), (1, 1), (2, 0)].map(|(column, row)| board.cell(column, row))
        };
        let none = Cell::Empty;
        assert_eq!(cells(Rotation::Up), [none, red, green, none]);
        assert_eq!(cells(Rotation::Down), [none, green, red, none]);
        assert_eq!(cells(Rotation::Left), [green, red, none, none]);
        assert_eq!(cells(Rotation::Right), [none, red, none, green]);
    }
}
