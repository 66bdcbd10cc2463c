//! Policies: a policy sees a board and the next pieces and says where the first one goes.
//!
//! A policy knows of game and clock only what [`View`] and [`PolicyWork`] tell it; [`crate::game`] plays games
//! with it, [`crate::versus`] matches.
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
//! | [`selection`] | how several matches make the value of a leaf |
//! | [`repair`] | the search when no template can be kept |
//! | [`beam`] | beam search over random continuations |
//! | `elementary` | exponential and logarithm, the same on every machine |
//! | `latent` | the evaluation of boards in the beam |
//! | [`combined`] | templates, then potential maximization (thesis 6.2) |
//! | [`oracle`] | the whole sequence known: how early a template can be completed |
//! | `ahead` | what column heights promise of one more piece |
//! | [`landing`] | where pieces land and whether something vanishes, for all searches |

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
pub mod oracle;
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
    /// How many pieces were placed before.
    pub turn: usize,
    /// Number of colours in the game: the first ones.
    pub colours: usize,
    /// What becomes of puyos above the top row.
    pub above_top: AboveTop,
}

/// A policy's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyMove {
    /// Where the first piece goes.
    pub placement: Placement,
    /// Whether the chain that this starts is the one the policy has built for.
    pub fires: bool,
}

impl PolicyMove {
    /// To go on building.
    pub fn build(placement: Placement) -> Self {
        Self {
            placement,
            fires: false,
        }
    }
}

/// Chooses placements. A policy may remember things within a game.
pub trait Policy: Send {
    /// Where the first visible piece goes; `None` only where it has no legal placement.
    fn choose(&mut self, view: &View, work: &mut PolicyWork) -> Option<PolicyMove>;
    /// Forgets the game before.
    fn restart(&mut self) {}
    /// Bytes of its tables.
    fn table_bytes(&self) -> u64 {
        0
    }
}

/// The deterministic work of a policy, and how long it may go on.
#[derive(Debug, Clone, Default)]
pub struct PolicyWork<'a> {
    /// Decisions taken.
    pub decisions: u64,
    /// Placements looked at, at any depth.
    pub placements: u64,
    /// Boards on which something vanished and a chain was simulated.
    pub chains: u64,
    /// Decisions for which no template was left.
    pub repairs: u64,
    deadline: Option<Deadline<'a>>,
    ticker: Option<Ticker<'a>>,
}

/// The deadline has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeadlinePassed;

/// Boards between two looks at the clock, each with some twenty placements.
const BOARDS_PER_LOOK: u32 = 64;

impl<'a> PolicyWork<'a> {
    /// No work yet, to be done by `deadline`.
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
    /// When the deadline has passed.
    pub fn check_deadline(&self) -> Result<(), DeadlinePassed> {
        match self.deadline {
            Some(deadline) if deadline.passed() => Err(DeadlinePassed),
            _ => Ok(()),
        }
    }

    /// Whether the deadline has passed as of the last look at the clock; asked once for every board that
    /// is expanded. A policy that is late may decide anything: its decision is not played.
    #[inline]
    pub fn is_late(&mut self) -> bool {
        self.ticker.as_mut().is_some_and(Ticker::passed)
    }

    /// The columns of [`PolicyWork::count`].
    pub const MEASURES: &'static [Measure] = measures! {
        neither decisions: "decisions taken by policies";
        lower placements: "placements looked at, at any depth";
        lower chains: "chains simulated in search";
        lower repairs: "decisions for which no template was left";
    };

    /// Adds itself to `counters`.
    pub fn count(&self, counters: &mut Counters) {
        let values = [self.decisions, self.placements, self.chains, self.repairs];
        for (measure, value) in Self::MEASURES.iter().zip(values) {
            counters.add(measure.name, value);
        }
    }

    /// `board` after `piece`, and its chain, counted, if something `vanishes`.
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

    /// `board` after `piece`, of which a puyo above the top row vanishes, and its chain, counted if there is one.
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

    /// Lets the chain on `board` happen, counted.
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
