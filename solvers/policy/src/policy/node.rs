//! An inner node of the search of [`super::template`], and a placement below it after which nothing vanishes.

use ikeru_chain::{Board, Piece, Placement, Size};

use crate::matching::{Contacts, MAX_TEMPLATES, Matcher};

/// An inner node. Data that few of its leaves need is computed when the first leaf needs it.
pub(super) struct InnerNode<'a> {
    pub(super) board: &'a Board,
    pub(super) stones: u32,
    /// The pairs of equal neighbours, once computed.
    contacts: Option<Contacts>,
    /// The border penalty of each template of the mask `known`.
    penalties: [i32; MAX_TEMPLATES],
    /// The templates whose penalty was computed.
    known: u32,
}

impl<'a> InnerNode<'a> {
    pub(super) fn new(board: &'a Board) -> Self {
        Self {
            board,
            stones: board.stones(),
            contacts: None,
            penalties: [0; MAX_TEMPLATES],
            known: 0,
        }
    }

    pub(super) fn contacts(&mut self) -> Contacts {
        *self
            .contacts
            .get_or_insert_with(|| Contacts::of(self.board))
    }

    /// The border penalty of template `number` after a placement without a chain that forms the contacts `new`.
    #[inline]
    pub(super) fn penalty(&mut self, matcher: &Matcher, number: usize, new: &Contacts) -> i64 {
        if self.known >> number & 1 == 0 {
            self.known |= 1 << number;
            self.penalties[number] = matcher.border_penalty(number, &self.contacts()) as i32;
        }
        i64::from(self.penalties[number]) + matcher.border_penalty(number, new)
    }
}

/// A placement after which nothing vanishes.
pub(super) struct PlacedPiece<'a> {
    pub(super) piece: Piece,
    pub(super) placement: Placement,
    /// The templates that are not violated after it.
    pub(super) alive: u32,
    /// The column heights after it.
    pub(super) heights: &'a [u8; Size::MAX_WIDTH],
    /// The contacts that it forms.
    pub(super) contacts: Contacts,
}

impl PlacedPiece<'_> {
    pub(super) fn board(&self, node: &InnerNode) -> Board {
        let mut board = *node.board;
        board.place(self.piece, self.placement);
        board
    }
}
