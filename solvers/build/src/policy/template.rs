//! Templates by relation matrices (thesis, chapters 3 and 6.1): all placements of the visible
//! pieces, the leaf with the best match.
//!
//! A leaf is the board after its chain, if there is one. A node that completes a template (see
//! [`Target`]), before its chain or after it, beats every leaf, the earlier the better. No node is pruned because
//! no template is left there: a clear may repair it.

use std::sync::Arc;

use ikeru_chain::{Board, Piece, Placement, Size};

use super::landing::{ContactTable, Effect, Landings};
use super::repair::Repair;
use super::selection::{LeafValue, Selection};
use super::{Decision, Policy, View, Work, highest};
use crate::matching::{Constraints, Contacts, HeightValues, MAX_TEMPLATES, Target};
use crate::templates::criterion::Criterion;

/// The policy.
pub struct TemplatePolicy {
    target: Target,
    /// Masks of templates that are searched for one after another, until a leaf keeps one.
    sets: Vec<u32>,
    values: HeightValues,
    landings: Landings,
    depth: usize,
    selection: Selection,
    repair: Repair,
    /// Whether the border is fully known from neighbours.
    neighbours: bool,
}

/// Pieces that a repair looks ahead. A third one costs twenty times as much and made no
/// difference in 500 games.
pub(super) const REPAIR_DEPTH: usize = 2;
/// The value of a completed node at ply 0; each ply later is 1 less. No match is above 1.
pub(super) const COMPLETED: f64 = 1000.0;

/// The best leaf so far.
#[derive(Debug, Clone, Copy)]
struct Best {
    value: f64,
    tie: i32,
    first: Option<Placement>,
}

/// An inner node.
struct InnerNode<'a> {
    board: &'a Board,
    stones: u32,
    /// Pairs of equal neighbours.
    contacts: u32,
    /// The penalty of the border on each template.
    penalties: [i32; MAX_TEMPLATES],
}

impl TemplatePolicy {
    /// Looks `depth` pieces ahead, as far as they are visible.
    pub fn new(target: Target, depth: usize, selection: Selection) -> Self {
        let matcher = &target.matcher;
        Self {
            values: HeightValues::new(matcher, selection.deficit_weight()),
            landings: Landings::new(matcher.size()),
            repair: Repair::new(Arc::clone(matcher)),
            neighbours: matcher.only_neighbours(),
            sets: vec![matcher.all()],
            target,
            depth,
            selection,
        }
    }

    /// With the templates in `sets`, one mask each, in this order (selection (e)).
    pub fn in_order(self, sets: Vec<u32>) -> Self {
        Self { sets, ..self }
    }

    /// The first placement towards the best leaf; `None` if no leaf keeps a template.
    pub fn search(&mut self, view: &View, work: &mut Work) -> Option<Placement> {
        (0..self.sets.len()).find_map(|set| self.search_among(self.sets[set], view, work))
    }

    fn search_among(&mut self, among: u32, view: &View, work: &mut Work) -> Option<Placement> {
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
        search.expand(view.board, &constraints, pieces, 1, None);
        best.first
    }

    /// The first placement of a search by repair value: for when no leaf keeps a template.
    pub fn repair(&self, view: &View, work: &mut Work) -> Option<Placement> {
        work.repairs += 1;
        let pieces = &view.pieces[..view.pieces.len().min(self.depth).min(REPAIR_DEPTH)];
        self.repair.choose(view.board, pieces, work)
    }
}

impl Policy for TemplatePolicy {
    fn choose(&mut self, view: &View, work: &mut Work) -> Option<Decision> {
        work.decisions += 1;
        let placement = self.search(view, work).or_else(|| self.repair(view, work));
        placement.map(Decision::build)
    }

    fn table_bytes(&self) -> u64 {
        self.values.bytes() as u64
    }
}

struct Searching<'a, 'd> {
    policy: &'a mut TemplatePolicy,
    /// The templates searched for.
    among: u32,
    colours: usize,
    best: &'a mut Best,
    work: &'a mut Work<'d>,
}

impl Searching<'_, '_> {
    /// All placements of the first of `pieces` at ply `ply`, below the first placement `first`.
    fn expand(
        &mut self,
        board: &Board,
        constraints: &Constraints,
        pieces: &[Piece],
        ply: u32,
        first: Option<Placement>,
    ) {
        let [piece, rest @ ..] = pieces else { return };
        if self.best.value > COMPLETED - f64::from(ply) - 0.5 || self.work.is_late() {
            return;
        }
        let contacts = Contacts::of(board);
        let mut node = InnerNode {
            board,
            stones: board.stones(),
            contacts: contacts.count(),
            penalties: [0; MAX_TEMPLATES],
        };
        let nearly = node.stones + 2 >= self.policy.target.fewest();
        if rest.is_empty() {
            for number in 0..self.policy.target.matcher.count() {
                let penalty = self.policy.target.matcher.border_penalty(number, &contacts);
                node.penalties[number] = penalty as i32;
            }
        }
        let table = ContactTable::new(board, *piece);
        for index in 0..self.policy.landings.of(*piece).len() {
            let landing = self.policy.landings.of(*piece)[index];
            let Some(cells) = landing.cells(board) else {
                continue;
            };
            self.work.placements += 1;
            let first = first.unwrap_or(landing.placement);
            let effect = table.effect(cells);
            if effect.vanishes {
                self.clear(&node, *piece, landing.placement, rest, ply, first);
                continue;
            }
            let heights = landing.heights(board.heights());
            let alive = constraints.alive_after(
                &self.policy.target.matcher,
                (piece.axis, cells[0]),
                (piece.child, cells[1]),
            );
            let placed = || {
                let mut placed = *board;
                placed.place(*piece, landing.placement);
                placed
            };
            if nearly && self.completes_without_chain(alive, &heights, placed) {
                self.offer(COMPLETED - f64::from(ply), 0, first);
            } else if rest.is_empty() {
                if alive != 0 {
                    self.leaf(
                        &node,
                        alive,
                        &heights,
                        &effect,
                        (*piece, landing.placement),
                        first,
                    );
                }
            } else {
                let below = placed();
                let mut constraints = constraints.clone();
                let matcher = &self.policy.target.matcher;
                constraints.place(matcher, piece.axis, cells[0], self.colours);
                constraints.place(matcher, piece.child, cells[1], self.colours);
                self.expand(&below, &constraints, rest, ply + 1, Some(first));
            }
        }
    }

    /// Whether a board on which nothing vanishes completes one of the templates `alive`.
    #[inline]
    fn completes_without_chain(
        &mut self,
        alive: u32,
        heights: &[u8; Size::MAX_WIDTH],
        placed: impl Fn() -> Board,
    ) -> bool {
        // Nothing vanishes, so that before and after are the same board.
        let criterion = self.policy.target.criterion();
        if alive == 0 {
            return false;
        }
        let matcher = &self.policy.target.matcher;
        let possible = self
            .policy
            .values
            .get(matcher, heights)
            .iter()
            .any(|value| alive >> value.number & 1 == 1 && matcher.may_meet(value, criterion));
        // Heights tell all about empty cells, but not what the border takes from a match.
        let exact = matches!(criterion, Criterion::Missing(_));
        possible && (exact || matcher.completed(&placed(), criterion) & alive != 0)
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

    /// A leaf on which nothing vanished.
    #[inline]
    fn leaf(
        &mut self,
        node: &InnerNode,
        alive: u32,
        heights: &[u8; Size::MAX_WIDTH],
        effect: &Effect,
        (piece, placement): (Piece, Placement),
        first: Placement,
    ) {
        let policy = &mut *self.policy;
        let plain = policy.neighbours && node.board.garbage() == 0;
        if !plain || !policy.selection.takes_the_best() {
            let mut board = *node.board;
            board.place(piece, placement);
            self.resolved_leaf(&board, Some(alive), first);
            return;
        }
        let matcher = &policy.target.matcher;
        let floor = self.best.value;
        let mut value = f64::NEG_INFINITY;
        for candidate in policy.values.get(matcher, heights) {
            if candidate.value < floor || candidate.value <= value {
                break;
            }
            let number = usize::from(candidate.number);
            if alive >> number & 1 == 1 {
                let mut penalty = i64::from(node.penalties[number]);
                penalty += matcher.border_penalty(number, &effect.contacts());
                value = value.max(candidate.value - matcher.value(number, penalty));
            }
        }
        if value >= floor && value > f64::NEG_INFINITY {
            let contacts = node.contacts + effect.contacts().count();
            self.offer(value, tie(contacts, node.stones + 2, heights), first);
        }
    }

    /// A placement after which something vanishes: the board is looked at from scratch.
    fn clear(
        &mut self,
        node: &InnerNode,
        piece: Piece,
        placement: Placement,
        rest: &[Piece],
        ply: u32,
        first: Placement,
    ) {
        let mut board = *node.board;
        board.place(piece, placement);
        let completed = COMPLETED - f64::from(ply);
        if self.policy.target.is_met_before(&board) {
            self.offer(completed, 0, first);
            return;
        }
        self.work.resolve(&mut board);
        if self.policy.target.is_met_after(&board) {
            self.offer(completed, 0, first);
        } else if rest.is_empty() {
            self.resolved_leaf(&board, None, first);
        } else {
            let mut constraints =
                Constraints::of(&self.policy.target.matcher, &board, self.colours);
            constraints.alive &= self.among;
            self.expand(&board, &constraints, rest, ply + 1, Some(first));
        }
    }

    /// A leaf from its board alone; `alive` if the templates without violation are known.
    fn resolved_leaf(&mut self, board: &Board, alive: Option<u32>, first: Placement) {
        let policy = &mut *self.policy;
        let matcher = &policy.target.matcher;
        let floor = match policy.selection {
            selection if selection.takes_the_best() => self.best.value,
            _ => f64::NEG_INFINITY,
        };
        let contacts = Contacts::of(board);
        let mut leaf = LeafValue::new(policy.selection);
        for candidate in policy.values.get(matcher, board.heights()) {
            if candidate.value < floor {
                break;
            }
            let number = usize::from(candidate.number);
            let is_alive = match alive {
                Some(alive) => alive >> number & 1 == 1,
                None => self.among >> number & 1 == 1 && matcher.agrees(number, board),
            };
            if is_alive {
                let penalty = matcher.soft_penalty(number, board, &contacts);
                leaf.add(candidate.value - matcher.value(number, penalty));
            }
        }
        if let Some(value) = leaf.value() {
            let tie = tie(contacts.count(), board.stones(), board.heights());
            self.offer(value, tie, first);
        }
    }
}

/// Between equal leaves: many contacts, few stones, low columns.
#[inline]
pub(super) fn tie(contacts: u32, stones: u32, heights: &[u8; Size::MAX_WIDTH]) -> i32 {
    contacts as i32 - 2 * stones as i32 - i32::from(highest(heights))
}
