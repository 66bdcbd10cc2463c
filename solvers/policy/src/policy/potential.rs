//! Potential maximization (thesis 4.2): it chooses the first placement towards the largest attack that the visible
//! pieces can start, without starting it yet.
//!
//! The thesis leaves open when the special cases (a) to (d) apply. Here a first placement may clear a short chain
//! (case d), and the chain is fired if no better one is expected, it is long enough and the board is full enough
//! (cases a and b).

use ikeru_chain::{AboveTop, Board, Chain, Piece, Placement, Size};
use ikeru_core::choices;

use super::landing::{ContactTable, Landings};
use super::latent;
use super::{Policy, PolicyMove, PolicyWork, View, free_cells, roughness};
use crate::matching::Contacts;

choices! {
    /// The value of a first placement.
    #[derive(Default)]
    pub enum PotentialValue {
        /// The largest attack that the visible pieces can start after it: the thesis's definition.
        #[default]
        Visible = "visible",
        /// The larger of that and slightly less than the largest attack that one or two puyos of any colour on one
        /// column would start after it. A chain then counts even if no visible piece starts it. The thesis's text
        /// excludes this, but its figures are closer to it.
        AnyColour = "any-colour",
    }

    /// The value of the piece after the known ones, of which only the probabilities are known.
    #[derive(Default)]
    pub enum Unseen {
        /// It does not count: the thesis's choice.
        #[default]
        None = "none",
        /// The largest attack of any kind of piece.
        Best = "best",
        /// The mean attack of all kinds, where two colours are twice as likely as a double.
        Mean = "mean",
        /// The smallest attack of any kind of piece.
        Worst = "worst",
    }
}

/// The rules of potential maximization: when it fires, and which chains it may clear before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PotentialRules {
    /// Pieces to look ahead.
    pub depth: usize,
    /// The value of a first placement.
    pub value: PotentialValue,
    /// The value of the piece after those that it looks ahead, which is unknown.
    pub unseen: Unseen,
    /// The longest chain that a first placement may clear without firing.
    pub partial: u32,
    /// The longest chain within a look-ahead after which it is continued.
    pub through: u32,
    /// The shortest chain worth firing.
    pub chains: u32,
    /// A chain is fired only if at most this number of cells is free, …
    pub free: u32,
    /// … or if it has at least this length.
    pub enough: u32,
    /// Any chain is fired if at most this number of cells is free and no later attack is expected.
    pub cramped: u32,
}

impl Default for PotentialRules {
    fn default() -> Self {
        Self::THESIS
    }
}

impl PotentialRules {
    /// The rules for an empty board, tuned to the chains, attacks and moves of the thesis.
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
    /// The rules for extending a chain that templates have begun: it is fired later.
    pub const EXTENDING: Self = Self {
        free: 18,
        enough: 12,
        ..Self::THESIS
    };
}

/// The value of a point of attack that a known piece can start.
pub(super) const VISIBLE: u32 = 1000;
/// The value of a point of attack of a latent chain, slightly less than [`VISIBLE`].
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
    /// The largest attack that the visible pieces, or the one after them, can start later, and the placement of the
    /// largest value.
    pub later: Option<(u32, Placement)>,
}

impl Potential {
    /// A policy for boards of `size`.
    pub fn new(size: Size, rules: PotentialRules) -> Self {
        Self {
            rules,
            landings: Landings::new(size),
        }
    }

    /// Computes the best attack at once and the best later one.
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

    /// Returns whether to fire `chain` now, where `later` is the best later attack and `free` the number of free
    /// cells.
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
