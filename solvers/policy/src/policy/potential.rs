//! Potential maximization (thesis 4.2): the first placement towards the largest attack that the
//! visible pieces can start, without starting it yet.
//!
//! The thesis leaves open when the special cases (a) to (d) hold. Here: a first placement that clears
//! a short chain is allowed (case d); the chain is fired when no better one is expected and it is
//! long enough and the board full enough (cases a and b).

use ikeru_chain::{AboveTop, Board, Chain, Piece, Placement, Size};
use ikeru_core::choices;

use super::landing::{ContactTable, Landings};
use super::latent;
use super::{Policy, PolicyMove, PolicyWork, View, free_cells, roughness};
use crate::matching::Contacts;

choices! {
    /// What a first placement is worth.
    #[derive(Default)]
    pub enum PotentialValue {
        /// The largest attack that the visible pieces can start after it: the thesis's, by the letter.
        #[default]
        Visible = "visible",
        /// That, or a little less than the largest attack that one or two puyos of any colour on one column would start
        /// after it, so that a chain counts also while no visible piece starts it. The thesis's text excludes it; its figures are nearer to it.
        AnyColour = "any-colour",
    }

    /// How the piece after the known ones counts, of which only the probabilities are known.
    #[derive(Default)]
    pub enum Unseen {
        /// Not at all: the thesis's choice.
        #[default]
        None = "none",
        /// By the kind of piece that starts the largest attack.
        Best = "best",
        /// By the mean over all kinds, two colours twice as likely as a double.
        Mean = "mean",
        /// By the kind of piece that starts the smallest attack.
        Worst = "worst",
    }
}

/// When potential maximization fires, and the chains that it clears on the way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PotentialRules {
    /// Pieces to look ahead.
    pub depth: usize,
    /// What a first placement is worth.
    pub value: PotentialValue,
    /// Whether the piece after those looked ahead counts, which is not known.
    pub unseen: Unseen,
    /// The longest chain that a first placement may clear without firing.
    pub partial: u32,
    /// The longest chain in the middle of a look-ahead that may be followed further.
    pub through: u32,
    /// The shortest chain worth firing.
    pub chains: u32,
    /// Fire only with at most this number of free cells, …
    pub free: u32,
    /// … or with a chain of at least this length.
    pub enough: u32,
    /// With at most this number of free cells and no better chain ahead, fire any chain.
    pub cramped: u32,
}

impl Default for PotentialRules {
    fn default() -> Self {
        Self::THESIS
    }
}

impl PotentialRules {
    /// From an empty board; tuned until chains, attack and moves are the thesis's.
    pub const THESIS: Self = Self {
        depth: 3,
        value: PotentialValue::Visible,
        unseen: Unseen::None,
        partial: 3,
        through: 2,
        chains: 8,
        free: 24,
        enough: 11,
        cramped: 8,
    };
    /// For a chain that templates have begun: it may grow longer before it is fired.
    pub const EXTENDING: Self = Self {
        free: 18,
        enough: 12,
        ..Self::THESIS
    };
}

/// Parts of a point of attack that a piece can start.
pub(super) const VISIBLE: u32 = 1000;
/// Parts of a point of attack that no visible piece needs to start.
const LATENT: u32 = 999;

/// The policy.
pub struct Potential {
    pub(super) rules: PotentialRules,
    pub(super) landings: Landings,
}

/// The attacks that a board can start with its visible pieces.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outlook {
    /// The placement with the largest attack at once.
    pub now: Option<(Chain, Placement)>,
    /// The placement of the largest value, and the largest attack that the visible pieces, or the one after them, can start later.
    pub later: Option<(u32, Placement)>,
}

impl Potential {
    /// For boards of `size`.
    pub fn new(size: Size, rules: PotentialRules) -> Self {
        Self {
            rules,
            landings: Landings::new(size),
        }
    }

    /// The best attack at once and later.
    pub fn outlook(&self, view: &View, work: &mut PolicyWork) -> Outlook {
        let pieces = &view.pieces[..view.pieces.len().min(self.rules.depth)];
        let mut outlook = Outlook::default();
        let mut best = None;
        let mut largest = 0;
        let table = ContactTable::new(view.board, pieces[0]);
        for landing in self.landings.of(pieces[0]) {
            let placement = landing.placement;
            let (below, chain) = match landing.cells(view.board) {
                Some(cells) => {
                    let vanishes = table.vanishes(cells);
                    work.place(view.board, pieces[0], placement, vanishes)
                }
                None if view.above_top.allows(placement, view.board) => {
                    work.place_in_part(view.board, pieces[0], placement)
                }
                None => continue,
            };
            work.placements += 1;
            let mut tie = 0;
            if chain.steps > 0 {
                if outlook
                    .now
                    .is_none_or(|(known, _)| chain.attack > known.attack || known.steps == 0)
                {
                    outlook.now = Some((chain, placement));
                }
                if chain.steps > self.rules.partial {
                    continue;
                }
                tie -= 1000;
            }
            let attack = self.best_attack(&below, &pieces[1..], view.above_top, work);
            let expected = match self.rules.unseen {
                Unseen::None => 0,
                _ => self.expected_attack(&below, &pieces[1..], view, work),
            };
            largest = largest.max(attack).max(expected / VISIBLE);
            let expected = expected.max(VISIBLE * attack);
            let value = match self.rules.value {
                PotentialValue::Visible => {
                    tie += 4 * Contacts::of(&below).count() as i32 - roughness(&below) as i32;
                    (expected, tie)
                }
                PotentialValue::AnyColour => {
                    let latent = latent::largest_attack(&below, view.colours, work);
                    (expected.max(LATENT * latent), latent as i32)
                }
            };
            if best.is_none_or(|(known, _)| value > known) {
                best = Some((value, placement));
            }
        }
        outlook.later = best.map(|(_, placement)| (largest, placement));
        outlook
    }

    /// The largest attack that `pieces` can start on `board`.
    pub fn best_attack(
        &self,
        board: &Board,
        pieces: &[Piece],
        above_top: AboveTop,
        work: &mut PolicyWork,
    ) -> u32 {
        let [piece, rest @ ..] = pieces else { return 0 };
        if work.is_late() {
            return 0;
        }
        let table = ContactTable::new(board, *piece);
        if rest.is_empty() && table.never_vanishes() {
            return 0;
        }
        let mut best = 0;
        for landing in self.landings.of(*piece) {
            let (below, chain) = match landing.cells(board) {
                Some(cells) => {
                    work.placements += 1;
                    let vanishes = table.vanishes(cells);
                    if !vanishes && rest.is_empty() {
                        continue;
                    }
                    work.place(board, *piece, landing.placement, vanishes)
                }
                None if above_top.allows(landing.placement, board) => {
                    work.placements += 1;
                    work.place_in_part(board, *piece, landing.placement)
                }
                None => continue,
            };
            best = best.max(chain.attack);
            if chain.steps <= self.rules.through {
                best = best.max(self.best_attack(&below, rest, above_top, work));
            }
        }
        best
    }

    /// Whether to fire `chain` now, with `later` the best attack ahead and `free` free cells.
    pub fn fires(&self, chain: Chain, later: u32, free: u32) -> bool {
        let rules = &self.rules;
        let full = chain.attack >= later
            && chain.steps >= rules.chains
            && (free <= rules.free || chain.steps >= rules.enough);
        full || free <= rules.cramped && later == 0
    }
}

impl Policy for Potential {
    fn choose(&mut self, view: &View, work: &mut PolicyWork) -> Option<PolicyMove> {
        work.decisions += 1;
        let outlook = self.outlook(view, work);
        let later = outlook.later.map_or(0, |(attack, _)| attack);
        if let Some((chain, placement)) = outlook.now
            && self.fires(chain, later, free_cells(view.board))
        {
            let fires = chain.steps >= self.rules.chains;
            return Some(PolicyMove { placement, fires });
        }
        let (_, placement) = outlook
            .later
            .or(outlook.now.map(|(chain, p)| (chain.attack, p)))?;
        Some(PolicyMove::build(placement))
    }
}
