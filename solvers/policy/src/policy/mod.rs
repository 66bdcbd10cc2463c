//! Policies: a policy gets a board and the next pieces, and chooses the placement of the first one.
//!
//! A policy sees the game only as a [`View`] and the clock only through [`PolicyWork`]. [`crate::game`] plays games
//! with policies, and [`crate::versus`] plays matches.
//!
//! | module | owns |
//! |---|---|
//! | [`random`] | any legal placement |
//! | [`greedy`] | the largest attack at once |
//! | [`potential`] | potential maximization (thesis 4.2) |
//! | [`expectation`] | the same one piece beyond the known ones |
//! | [`exhaustive`] | templates leaf by leaf, as the thesis describes them (3.6, 2.2) |
//! | [`template`] | templates by relation matrices (thesis, chapter 3 and 6.1) |
//! | `node` | an inner node of that search, and a placement below it |
//! | [`selection`] | the value of a leaf from several matches |
//! | [`repair`] | the search when every leaf violates all templates |
//! | [`beam`] | beam search over random continuations |
//! | `elementary` | exponential and logarithm, the same on every machine |
//! | `latent` | the evaluation of boards in the beam |
//! | [`combined`] | templates, then potential maximization (thesis 6.2) |
//! | `ahead` | a bound on one more piece from column heights |
//! | [`landing`] | landing cells and the test for groups of four, for all searches |

mod ahead;
pub mod beam;
pub mod combined;
mod elementary;
pub mod exhaustive;
pub mod expectation;
pub mod greedy;
pub mod landing;
mod latent;
mod node;
pub mod potential;
pub mod random;
pub mod repair;
pub mod selection;
pub mod template;

use ikeru_chain::simulate::place;
use ikeru_chain::{AboveTop, Board, Chain, Piece, Placement, Size, resolve};
use ikeru_core::{Counters, Deadline, Measure, Ticker, measures};

/// A policy's view of a game.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The board, settled and without groups of four.
    pub board: &'a Board,
    /// The visible pieces, the one to place first; at least one.
    pub pieces: &'a [Piece],
    /// The number of pieces placed before.
    pub turn: usize,
    /// The number of colours in the game; the first colours are used.
    pub colours: usize,
    /// The rule for puyos above the top row.
    pub above_top: AboveTop,
}

/// A policy's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyMove {
    /// The placement of the first piece.
    pub placement: Placement,
    /// True if the placement fires the chain that the policy has built.
    pub fires: bool,
}

impl PolicyMove {
    /// A decision that does not fire.
    pub fn build(placement: Placement) -> Self {
        Self {
            placement,
            fires: false,
        }
    }
}

/// Chooses placements. A policy may keep state within a game.
pub trait Policy: Send {
    /// Chooses the placement of the first visible piece; `None` only if it has no legal placement.
    fn choose(&mut self, view: &View, work: &mut PolicyWork) -> Option<PolicyMove>;
    /// Resets the state before a new game.
    fn restart(&mut self) {}
    /// The size of its tables in bytes.
    fn table_bytes(&self) -> u64 {
        0
    }
}

/// Counters of a policy's deterministic work, and its deadline.
#[derive(Debug, Clone, Default)]
pub struct PolicyWork<'a> {
    /// Decisions taken.
    pub decisions: u64,
    /// Placements tried at any depth.
    pub placements: u64,
    /// Simulations of chains, including latent ones; some policies resolve boards on which nothing vanishes, which
    /// count too.
    pub chains: u64,
    /// Decisions for which no template was left.
    pub repairs: u64,
    deadline: Option<Deadline<'a>>,
    ticker: Option<Ticker<'a>>,
}

/// The error of [`PolicyWork::check_deadline`]: the deadline has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeadlinePassed;

/// The number of boards between two readings of the clock, each with about twenty placements.
const BOARDS_PER_LOOK: u32 = 64;

impl<'a> PolicyWork<'a> {
    /// Counters at 0, with `deadline`.
    pub fn until(deadline: Deadline<'a>) -> Self {
        Self {
            deadline: Some(deadline),
            ticker: Some(deadline.ticker(BOARDS_PER_LOOK)),
            ..Self::default()
        }
    }

    /// Reads the clock.
    ///
    /// # Errors
    /// If the deadline has passed.
    pub fn check_deadline(&self) -> Result<(), DeadlinePassed> {
        match self.deadline {
            Some(deadline) if deadline.passed() => Err(DeadlinePassed),
            _ => Ok(()),
        }
    }

    /// Returns whether the deadline had passed at the last reading of the clock; called once for every board that is
    /// expanded. A late policy may return any decision, because it is not played.
    #[inline]
    pub fn is_late(&mut self) -> bool {
        self.ticker.as_mut().is_some_and(Ticker::passed)
    }

    /// The counters that [`PolicyWork::count`] adds.
    pub const MEASURES: &'static [Measure] = measures! {
        neither decisions: "decisions taken by policies; `random` and `greedy` count none";
        lower placements: "placements looked at, at any depth";
        lower chains: "chains simulated in search";
        lower repairs: "decisions for which no template was left";
    };

    /// Adds the counts to `counters`.
    pub fn count(&self, counters: &mut Counters) {
        let values = [self.decisions, self.placements, self.chains, self.repairs];
        for (measure, value) in Self::MEASURES.iter().zip(values) {
            counters.add(measure.name, value);
        }
    }

    /// Places `piece` on `board`. If something `vanishes`, the chain happens and is counted.
    #[inline]
    pub(crate) fn place(
        &mut self,
        board: &Board,
        piece: Piece,
        placement: Placement,
        vanishes: bool,
    ) -> (Board, Chain) {
        if vanishes {
            self.chains += 1;
            return place(board, piece, placement);
        }
        let mut below = *board;
        below.place(piece, placement);
        (below, Chain::default())
    }

    /// Places `piece` on `board`, where a puyo above the top row vanishes, and lets the chain happen, which is
    /// counted if there is one.
    pub(crate) fn place_in_part(
        &mut self,
        board: &Board,
        piece: Piece,
        placement: Placement,
    ) -> (Board, Chain) {
        let mut below = *board;
        below.place_in_part(piece, placement);
        let chain = resolve(&mut below);
        self.chains += u64::from(chain.steps > 0);
        (below, chain)
    }

    /// Lets the chain on `board` happen and counts it, even if nothing vanishes.
    #[inline]
    pub(crate) fn resolve(&mut self, board: &mut Board) -> Chain {
        self.chains += 1;
        resolve(board)
    }
}

/// Cells of `board` without a stone.
#[inline]
pub(crate) fn free_cells(board: &Board) -> u32 {
    board.size().cells() as u32 - board.stones()
}

/// Sum of height differences between neighbouring columns.
#[inline]
pub(crate) fn roughness(board: &Board) -> u32 {
    let heights = &board.heights()[..board.size().width()];
    heights
        .windows(2)
        .map(|pair| u32::from(pair[0].abs_diff(pair[1])))
        .sum()
}

/// The height of the highest column.
#[inline]
pub(crate) fn highest(heights: &[u8; Size::MAX_WIDTH]) -> u8 {
    heights.iter().copied().fold(0, u8::max)
}
