//! Templates by relation matrices (thesis, chapters 3 and 6.1): the search tries all placements of the visible pieces
//! and chooses the leaf with the best match.
//!
//! A leaf is the board after its chain, if there is one. A node that completes a template (see [`TemplateTarget`]),
//! before or after its chain, is better than every leaf, and an earlier node is better than a later one. A node that
//! violates every template is not pruned, because a clear may repair it.

use std::sync::Arc;

use ikeru_chain::{Board, Piece, Placement, Size};
use ikeru_core::choices;

use super::ahead::HeightsAhead;
use super::landing::{ContactTable, Landings};
use super::node::{InnerNode, PlacedPiece};
use super::repair::Repair;
use super::selection::{LeafValue, SelectionRule};
use super::{Policy, PolicyMove, PolicyWork, View, highest};
use crate::matching::{
    Constraints, Contacts, Extended, HeightValues, TemplateTarget, occupied, stones_of,
};
use crate::templates::criterion::Criterion;

/// The policy.
pub struct TemplatePolicy {
    target: TemplateTarget,
    /// Masks of templates. They are searched in this order until a leaf does not violate a template.
    sets: Vec<u32>,
    values: HeightValues,
    ahead: HeightsAhead,
    landings: Landings,
    depth: usize,
    selection: SelectionRule,
    repair: Repair,
    /// The constraints of an empty board.
    empty: Arc<Constraints>,
    /// True if all border relations are between neighbours.
    neighbours: bool,
    dead: DeadTemplates,
}

choices! {
    /// What a clear within a search does to the templates that were violated before it.
    #[derive(Default)]
    pub enum DeadTemplates {
        /// It may repair them: a leaf is compared with every template.
        #[default]
        Repaired = "repaired",
        /// Nothing: what is violated at a node is violated below it, as section 3.6 of the thesis can be read.
        Inherited = "inherited",
    }
}

/// The number of pieces that a repair looks ahead. A third piece costs twenty times as much and made no difference in
/// 500 games.
pub(super) const REPAIR_DEPTH: usize = 2;
/// The value of a completed node at ply 0; each later ply is worth 1 less. No match is above 1.
pub(super) const COMPLETED: f64 = 1000.0;

/// The best leaf so far.
#[derive(Debug, Clone, Copy)]
struct Best {
    value: f64,
    tie: i32,
    first: Option<Placement>,
}

impl TemplatePolicy {
    /// A policy that looks `depth` pieces ahead, or fewer if fewer are visible.
    pub fn new(target: TemplateTarget, depth: usize, selection: SelectionRule) -> Self {
        let matcher = &target.matcher;
        Self {
            values: HeightValues::new(target.clone(), selection.deficit_weight()),
            ahead: HeightsAhead::new(),
            landings: Landings::new(matcher.size()),
            repair: Repair::new(Arc::clone(matcher)),
            empty: Arc::new(Constraints::none(matcher)),
            neighbours: matcher.only_neighbours(),
            sets: vec![matcher.all()],
            target,
            depth,
            selection,
            dead: DeadTemplates::default(),
        }
    }

    /// The same policy with another rule for violated templates.
    #[must_use]
    pub fn with_dead(self, dead: DeadTemplates) -> Self {
        Self { dead, ..self }
    }

    /// The same policy, which searches the templates of each mask of `sets` in this order (selection (e)).
    pub fn in_order(self, sets: Vec<u32>) -> Self {
        Self { sets, ..self }
    }

    /// The first placement towards the best leaf; `None` if every leaf violates all templates.
    pub fn search(&mut self, view: &View, work: &mut PolicyWork) -> Option<Placement> {
        (0..self.sets.len()).find_map(|set| self.search_among(self.sets[set], view, work))
    }

    fn search_among(
        &mut self,
        among: u32,
        view: &View,
        work: &mut PolicyWork,
    ) -> Option<Placement> {
        let mut constraints = Constraints::of(&self.target.matcher, view.board, view.colours);
        constraints.alive &= among;
        let mut best = Best {
            value: f64::NEG_INFINITY,
            tie: 0,
            first: None,
        };
        let pieces = &view.pieces[..view.pieces.len().min(self.depth)];
        let search = &mut Searching {
            policy: self,
            among,
            colours: view.colours,
            best: &mut best,
            work,
        };
        match pieces {
            [piece] => search.last_ply(view.board, &Extended::none(&constraints), *piece, 1, None),
            _ => search.expand(view.board, &constraints, pieces, 1, None),
        }
        best.first
    }

    /// The first placement of a search by repair value, used if every leaf violates all templates.
    pub fn repair(&self, view: &View, work: &mut PolicyWork) -> Option<Placement> {
        work.repairs += 1;
        let pieces = &view.pieces[..view.pieces.len().min(self.depth).min(REPAIR_DEPTH)];
        // A placement that loses a puyo above the top row is the last resort, where the rule allows it.
        let whole = self.repair.choose(view.board, pieces, work);
        whole.or_else(|| view.above_top.placements(pieces[0], view.board).next())
    }
}

impl Policy for TemplatePolicy {
    fn choose(&mut self, view: &View, work: &mut PolicyWork) -> Option<PolicyMove> {
        work.decisions += 1;
        let placement = self.search(view, work).or_else(|| self.repair(view, work));
        placement.map(PolicyMove::build)
    }

    fn table_bytes(&self) -> u64 {
        (self.values.bytes() + self.ahead.bytes()) as u64
    }
}

struct Searching<'a, 'd> {
    policy: &'a mut TemplatePolicy,
    /// The templates to search for.
    among: u32,
    colours: usize,
    best: &'a mut Best,
    work: &'a mut PolicyWork<'d>,
}

impl Searching<'_, '_> {
    /// Tries all placements of the first of `pieces`, of which there are at least two, at ply `ply` below the first
    /// placement `first`.
    fn expand(
        &mut self,
        board: &Board,
        constraints: &Constraints,
        pieces: &[Piece],
        ply: u32,
        first: Option<Placement>,
    ) {
        let [piece, rest @ ..] = pieces else { return };
        if self.is_over(ply) {
            return;
        }
        let mut node = InnerNode::new(board);
        let nearly = self.is_nearly_complete(&node);
        let table = ContactTable::new(board, *piece);
        for index in 0..self.policy.landings.of(*piece).len() {
            let landing = self.policy.landings.of(*piece)[index];
            let Some(cells) = landing.cells(board) else {
                continue;
            };
            self.work.placements += 1;
            let first = first.unwrap_or(landing.placement);
            let stones = [(piece.axis, cells[0]), (piece.child, cells[1])];
            let matcher = &self.policy.target.matcher;
            let alive = Extended::none(constraints).alive_after(matcher, stones[0], stones[1]);
            if table.vanishes(cells) {
                let mut placed = *board;
                placed.place(*piece, landing.placement);
                self.clear(placed, alive, rest, ply, first);
                continue;
            }
            let placed = PlacedPiece {
                piece: *piece,
                placement: landing.placement,
                alive,
                heights: &landing.heights(board.heights()),
                contacts: table.contacts(cells),
            };
            if nearly && self.completes_without_chain(&mut node, &placed) {
                self.offer(COMPLETED - f64::from(ply), 0, first);
                continue;
            }
            if let [last] = rest
                && alive != 0
                && self.is_hopeless(placed.heights, *last, ply + 1)
            {
                continue;
            }
            let below = placed.board(&node);
            if let [last] = rest {
                let extended = Extended::new(constraints, &stones, alive);
                self.last_ply(&below, &extended, *last, ply + 1, Some(first));
            } else {
                let mut constraints = constraints.clone();
                let matcher = &self.policy.target.matcher;
                for (colour, cell) in stones {
                    constraints.place(matcher, colour, cell, self.colours);
                }
                self.expand(&below, &constraints, rest, ply + 1, Some(first));
            }
        }
    }

    /// Tries all placements of the last piece.
    ///
    /// PERF: example `games`. The heights of a leaf bound its value, and most leaves need no more. Constraints,
    /// contacts, border penalties and the order of matches are computed only when needed. If every template is
    /// violated, only placements that make something vanish are examined. Together with [`Searching::is_hopeless`]
    /// this reduces the instructions of a move to 0.69 with stairs, 0.74 with sandwich and 0.80 with both
    /// (callgrind).
    fn last_ply(
        &mut self,
        board: &Board,
        constraints: &Extended,
        piece: Piece,
        ply: u32,
        first: Option<Placement>,
    ) {
        if self.is_over(ply) {
            return;
        }
        let table = ContactTable::new(board, piece);
        if constraints.is_violated() && table.never_vanishes() {
            // The piece is not a double: it has two placements for each placement of a double.
            let ahead = self.policy.landings.heights_after(board.heights());
            self.work.placements += 2 * ahead.count() as u64;
            return;
        }
        let mut node = InnerNode::new(board);
        let nearly = self.is_nearly_complete(&node);
        let bounded = self.policy.selection.takes_the_best();
        for index in 0..self.policy.landings.of(piece).len() {
            let landing = self.policy.landings.of(piece)[index];
            let Some(cells) = landing.cells(board) else {
                continue;
            };
            self.work.placements += 1;
            let vanishes = table.vanishes(cells);
            if !vanishes && constraints.is_violated() {
                continue;
            }
            let matcher = &self.policy.target.matcher;
            let alive =
                constraints.alive_after(matcher, (piece.axis, cells[0]), (piece.child, cells[1]));
            if !vanishes && alive == 0 {
                continue;
            }
            let heights = landing.heights(board.heights());
            if bounded && self.policy.values.bound(&heights) < self.best.value {
                continue;
            }
            let first = first.unwrap_or(landing.placement);
            if vanishes {
                let mut placed = *board;
                placed.place(piece, landing.placement);
                self.clear(placed, alive, &[], ply, first);
                continue;
            }
            let placed = PlacedPiece {
                piece,
                placement: landing.placement,
                alive,
                heights: &heights,
                contacts: table.contacts(cells),
            };
            if nearly && self.completes_without_chain(&mut node, &placed) {
                self.offer(COMPLETED - f64::from(ply), 0, first);
            } else {
                self.leaf(&mut node, &placed, first);
            }
        }
    }

    /// Returns whether no placement of the last piece at `ply`, from a board with `heights`, can reach a better leaf
    /// than the best one. Placements that the bound rules out are counted.
    #[inline]
    fn is_hopeless(&mut self, heights: &[u8; Size::MAX_WIDTH], last: Piece, ply: u32) -> bool {
        if self.is_decided(ply) {
            return true;
        }
        let policy = &mut *self.policy;
        if !policy.selection.takes_the_best() {
            return false;
        }
        let ahead = policy
            .ahead
            .of(heights, &policy.landings, &mut policy.values);
        let is_hopeless = ahead.bound < self.best.value;
        if is_hopeless {
            self.work.placements += u64::from(ahead.placements(last));
        }
        is_hopeless
    }

    /// Returns whether no node at `ply` can be better than the best one, or the deadline has passed.
    fn is_over(&mut self, ply: u32) -> bool {
        self.is_decided(ply) || self.work.is_late()
    }

    /// Returns whether a template was completed at `ply` or before.
    fn is_decided(&self, ply: u32) -> bool {
        self.best.value > COMPLETED - f64::from(ply) - 0.5
    }

    /// Returns whether a template may be complete after one more piece.
    fn is_nearly_complete(&self, node: &InnerNode) -> bool {
        node.stones + 2 >= self.policy.target.fewest()
    }

    /// Returns whether a board on which nothing vanishes completes a template that it does not violate.
    #[inline]
    fn completes_without_chain(&mut self, node: &mut InnerNode, placed: &PlacedPiece) -> bool {
        // Without a chain, the board before it and the board after it are the same.
        let criterion = self.policy.target.criterion();
        let policy = &mut *self.policy;
        let matcher = &policy.target.matcher;
        if placed.alive == 0 {
            return false;
        }
        let occupied = occupied(placed.heights);
        let known = policy.values.get(placed.heights).iter();
        let mut possible = known.filter(|value| {
            placed.alive >> value.number & 1 == 1
                && matcher.meets_with(value, (occupied, 0), criterion)
        });
        if matches!(criterion, Criterion::Missing(_)) {
            // The heights determine the empty cells.
            return possible.next().is_some();
        }
        // The heights do not determine the border penalty. The node keeps it by the weights of leaves.
        let same_weights = Arc::ptr_eq(matcher, &policy.target.leaves);
        if policy.neighbours && node.board.garbage() == 0 && same_weights {
            return possible.any(|value| {
                let number = usize::from(value.number);
                let penalty = node.penalty(matcher, number, &placed.contacts);
                matcher.meets_with(value, (occupied, penalty), criterion)
            });
        }
        possible.next().is_some()
            && matcher.completed(&placed.board(node), criterion) & placed.alive != 0
    }

    fn offer(&mut self, value: f64, tie: i32, first: Placement) {
        let better = value > self.best.value || value == self.best.value && tie > self.best.tie;
        if better || self.best.first.is_none() && value > f64::NEG_INFINITY {
            *self.best = Best {
                value,
                tie,
                first: Some(first),
            };
        }
    }

    /// Offers a leaf on which nothing vanished.
    #[inline]
    fn leaf(&mut self, node: &mut InnerNode, placed: &PlacedPiece, first: Placement) {
        let policy = &mut *self.policy;
        if !policy.neighbours || node.board.garbage() != 0 {
            self.resolved_leaf(&placed.board(node), Some(placed.alive), first);
            return;
        }
        let matcher = &policy.target.leaves;
        let mut leaf = LeafValue::above(policy.selection, self.best.value);
        let sorted = !policy.selection.takes_the_best();
        for candidate in policy.values.of(placed.heights, sorted) {
            let number = usize::from(candidate.number);
            if placed.alive >> number & 1 == 1 && leaf.may_rise_to(candidate.value) {
                let penalty = node.penalty(matcher, number, &placed.contacts);
                leaf.add(candidate.value - matcher.value(number, penalty));
            }
        }
        if let Some(value) = leaf.value() {
            let contacts = node.contacts().count() + placed.contacts.count();
            self.offer(value, tie(contacts, node.stones + 2, placed.heights), first);
        }
    }

    /// Examines a board on which something vanishes, from scratch; before its chain it does not violate the templates
    /// `alive`.
    fn clear(&mut self, mut board: Board, alive: u32, rest: &[Piece], ply: u32, first: Placement) {
        let completed = COMPLETED - f64::from(ply);
        let target = &self.policy.target;
        // Templates outside `among` count as completed too.
        let possible = alive != 0 || self.among != target.matcher.all();
        if possible && target.is_met_before(&board) {
            self.offer(completed, 0, first);
            return;
        }
        self.work.resolve(&mut board);
        let inherits = self.policy.dead == DeadTemplates::Inherited;
        let among = if inherits {
            self.among & alive
        } else {
            self.among
        };
        if self.policy.target.is_met_after(&board) {
            self.offer(completed, 0, first);
            return;
        }
        if among == 0 {
            return;
        }
        if rest.is_empty() {
            let left = || Constraints::alive_of(&self.policy.target.matcher, &board, among);
            self.resolved_leaf(&board, inherits.then(left), first);
        } else if let [last] = rest {
            let (stones, empty) = (stones_of(&board), Arc::clone(&self.policy.empty));
            let matcher = &self.policy.target.matcher;
            let extended = Extended::of(matcher, &empty, (&board, &stones), among);
            self.last_ply(&board, &extended, *last, ply + 1, Some(first));
        } else {
            let mut constraints =
                Constraints::of(&self.policy.target.matcher, &board, self.colours);
            constraints.alive &= among;
            self.expand(&board, &constraints, rest, ply + 1, Some(first));
        }
    }

    /// Offers a leaf, computed from its board; `alive` gives the templates without violation if they are known.
    fn resolved_leaf(&mut self, board: &Board, alive: Option<u32>, first: Placement) {
        let policy = &mut *self.policy;
        let matcher = &policy.target.leaves;
        if policy.selection.takes_the_best()
            && policy.values.bound(board.heights()) < self.best.value
        {
            return;
        }
        let mut leaf = LeafValue::above(policy.selection, self.best.value);
        let sorted = !policy.selection.takes_the_best();
        let candidates = policy.values.of(board.heights(), sorted);
        let alive = alive.unwrap_or_else(|| {
            let useful = candidates
                .iter()
                .filter(|candidate| leaf.may_rise_to(candidate.value));
            let useful = useful.fold(0, |mask, candidate| mask | 1 << candidate.number);
            Constraints::alive_of(matcher, board, useful & self.among)
        });
        let mut contacts = None;
        for candidate in candidates {
            let number = usize::from(candidate.number);
            if alive >> number & 1 == 1 && leaf.may_rise_to(candidate.value) {
                let contacts = contacts.get_or_insert_with(|| Contacts::of(board));
                let penalty = matcher.soft_penalty(number, board, contacts);
                leaf.add(candidate.value - matcher.value(number, penalty));
            }
        }
        if let Some((value, contacts)) = leaf.value().zip(contacts) {
            let tie = tie(contacts.count(), board.stones(), board.heights());
            self.offer(value, tie, first);
        }
    }
}

/// The tie-break between leaves of equal value: it prefers many contacts, few stones and low columns.
#[inline]
pub(super) fn tie(contacts: u32, stones: u32, heights: &[u8; Size::MAX_WIDTH]) -> i32 {
    contacts as i32 - 2 * stones as i32 - i32::from(highest(heights))
}
