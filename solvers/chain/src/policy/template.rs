//! Templates by relation matrices (thesis, chapters 3 and 6.1): all placements of the visible
//! pieces, the leaf with the best match.
//!
//! A leaf is the board after its chain, if there is one. A node that completes a template (see
//! [`Completion`]), before its chain or after it, beats every leaf, the earlier the better. No node is pruned because
//! no template is left there: a clear may repair it.

use std::sync::Arc;

use super::elementary::{exp, ln};
use super::landing::{Approach, Drops, Touch};
use super::repair::Repair;
use super::{Decision, Policy, View, Work, highest};
use crate::board::{Board, Size};
use crate::matching::{Constraints, Contacts, HeightValues, MAX_TEMPLATES, Matcher};
use crate::placement::{Piece, Placement};
use crate::templates::criterion::{Criterion, Threshold};

/// How several matches of a leaf make one value (thesis 3.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selection {
    /// (a) The best match.
    #[default]
    Best,
    /// (b) How many templates are not violated.
    Count,
    /// (c) The mean match of those.
    Mean,
    /// (d) The best match, raised by every other template that is nearly as good: a soft maximum,
    /// `ln Σ exp(β·match) / β`. Ours.
    Soft,
    /// (e) The best match of the first set that has a leaf without violation. Ours.
    InOrder,
    /// (f) The best match less what the columns furthest behind take from it: however well the rest
    /// stands, their cells come one upon the other, each waiting for its colour. Ours.
    Balanced,
}

impl Selection {
    /// The words in settings, in the order of [`Selection::ALL`].
    pub const NAMES: [&'static str; 6] = ["a", "b", "c", "d", "e", "f"];
    /// Every choice.
    pub const ALL: [Self; 6] = [
        Self::Best,
        Self::Count,
        Self::Mean,
        Self::Soft,
        Self::InOrder,
        Self::Balanced,
    ];

    /// Whether a leaf is worth its best template, whatever the others are.
    fn takes_the_best(self) -> bool {
        matches!(self, Self::Best | Self::InOrder | Self::Balanced)
    }

    /// What a cell that the column furthest behind lacks takes from the match, nearly.
    fn lag(self) -> f64 {
        if self == Self::Balanced { LAG } else { 0.0 }
    }
}

/// When a template counts as completed. The thesis says "match of 0.95 or more"; a full chain of
/// eight cannot stand, because it fires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Completion {
    /// All capitals but one in place, before a chain or after it.
    #[default]
    OneMissing,
    /// All but one standing after the chain, or all before it.
    StandingOrFiring,
    /// All but one standing after the chain.
    Standing,
    /// All in place, before a chain or after it.
    All,
    /// A match of at least so much, before a chain or after it: the thesis's own reading.
    Match(Threshold),
}

impl Completion {
    /// The words in settings, in the order of [`Completion::ALL`].
    pub const NAMES: [&'static str; 5] = [
        "one-missing",
        "standing-or-firing",
        "standing",
        "all",
        "match",
    ];
    /// Every choice, the match with the thesis's threshold.
    pub const ALL: [Self; 5] = [
        Self::OneMissing,
        Self::StandingOrFiring,
        Self::Standing,
        Self::All,
        Self::Match(Threshold::new(9500)),
    ];

    /// What a board must show before its chain; `None` if that does not count.
    #[must_use]
    pub fn before(self) -> Option<Criterion> {
        match self {
            Self::OneMissing => Some(Criterion::Missing(1)),
            Self::StandingOrFiring | Self::All => Some(Criterion::Missing(0)),
            Self::Standing => None,
            Self::Match(threshold) => Some(Criterion::AtLeast(threshold)),
        }
    }

    /// What a board must show after its chain; no reading asks for less before it.
    #[must_use]
    pub fn after(self) -> Criterion {
        match self {
            Self::OneMissing | Self::StandingOrFiring | Self::Standing => Criterion::Missing(1),
            Self::All => Criterion::Missing(0),
            Self::Match(threshold) => Criterion::AtLeast(threshold),
        }
    }
}

/// The policy.
pub struct TemplatePolicy {
    matcher: Arc<Matcher>,
    /// Masks of templates that are searched for one after another, until a leaf keeps one.
    sets: Vec<u32>,
    values: HeightValues,
    drops: Drops,
    depth: usize,
    selection: Selection,
    completion: Completion,
    repair: Repair,
    /// Whether the border is fully known from neighbours.
    neighbours: bool,
    /// No board with fewer stones completes a template.
    fewest: u32,
}

/// Pieces that a repair looks ahead. A third one costs twenty times as much and was worth nothing
/// that 500 games could show.
const REPAIR_DEPTH: usize = 2;
/// β of [`Selection::Soft`]: a second template that matches as well counts like 0.007 of match.
const SHARPNESS: f64 = 100.0;
/// The lag of [`Selection::Balanced`], tuned on sequences below 10,000.
const LAG: f64 = 0.03;
/// The value of a completed node at ply 0; each ply later is 1 less. No match is above 1.
const COMPLETED: f64 = 1000.0;

/// The best leaf so far.
#[derive(Debug, Clone, Copy)]
struct Best {
    value: f64,
    tie: i32,
    first: Option<Placement>,
}

/// An inner node.
struct Node<'a> {
    board: &'a Board,
    stones: u32,
    /// Pairs of equal neighbours.
    contacts: u32,
    /// What the border takes from each template.
    penalties: [i32; MAX_TEMPLATES],
}

impl TemplatePolicy {
    /// Looks `depth` pieces ahead, as far as they are visible.
    #[must_use]
    pub fn new(
        matcher: Arc<Matcher>,
        depth: usize,
        selection: Selection,
        completion: Completion,
    ) -> Self {
        Self {
            values: HeightValues::new(&matcher, selection.lag()),
            drops: Drops::new(matcher.size()),
            repair: Repair::new(Arc::clone(&matcher)),
            neighbours: matcher.only_neighbours(),
            fewest: matcher.fewest_stones(completion.after()),
            sets: vec![matcher.all()],
            matcher,
            depth,
            selection,
            completion,
        }
    }

    /// With the templates in `sets`, one mask each, in this order (selection (e)).
    #[must_use]
    pub fn in_order(self, sets: Vec<u32>) -> Self {
        Self { sets, ..self }
    }

    /// The first placement towards the best leaf; `None` if no leaf keeps a template.
    pub fn search(&mut self, view: &View, work: &mut Work) -> Option<Placement> {
        (0..self.sets.len()).find_map(|set| self.search_among(self.sets[set], view, work))
    }

    fn search_among(&mut self, among: u32, view: &View, work: &mut Work) -> Option<Placement> {
        let mut constraints = Constraints::of(&self.matcher, view.board, view.colours);
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

    /// Whether the node completes a template, before its chain or after it.
    fn completes(&self, board: &Board, before: bool) -> bool {
        let criterion = if before {
            self.completion.before()
        } else {
            Some(self.completion.after())
        };
        board.stones() >= self.fewest
            && criterion.is_some_and(|criterion| self.matcher.completed(board, criterion) != 0)
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
        let mut node = Node {
            board,
            stones: board.stones(),
            contacts: contacts.count(),
            penalties: [0; MAX_TEMPLATES],
        };
        let nearly = node.stones + 2 >= self.policy.fewest;
        if rest.is_empty() {
            for number in 0..self.policy.matcher.count() {
                let penalty = self.policy.matcher.border_penalty(number, &contacts);
                node.penalties[number] = penalty as i32;
            }
        }
        let approach = Approach::new(board, *piece);
        for index in 0..self.policy.drops.of(*piece).len() {
            let drop = self.policy.drops.of(*piece)[index];
            let Some(cells) = drop.cells(board) else {
                continue;
            };
            self.work.placements += 1;
            let first = first.unwrap_or(drop.placement);
            let touch = approach.touch(&drop, cells);
            if touch.vanishes {
                self.clear(&node, *piece, drop.placement, rest, ply, first);
                continue;
            }
            let heights = drop.heights(board.heights());
            let alive = constraints.alive_after(
                &self.policy.matcher,
                (piece.axis, cells[0]),
                (piece.child, cells[1]),
            );
            let placed = || {
                let mut placed = *board;
                placed.place(*piece, drop.placement);
                placed
            };
            if nearly && self.completes_quietly(alive, &heights, placed) {
                self.offer(COMPLETED - f64::from(ply), 0, first);
            } else if rest.is_empty() {
                if alive != 0 {
                    self.leaf(
                        &node,
                        alive,
                        &heights,
                        &touch,
                        (*piece, drop.placement),
                        first,
                    );
                }
            } else {
                let below = placed();
                let mut constraints = constraints.clone();
                constraints.place(&self.policy.matcher, piece.axis, cells[0], self.colours);
                constraints.place(&self.policy.matcher, piece.child, cells[1], self.colours);
                self.expand(&below, &constraints, rest, ply + 1, Some(first));
            }
        }
    }

    /// Whether a board on which nothing vanishes completes one of the templates `alive`.
    #[inline]
    fn completes_quietly(
        &mut self,
        alive: u32,
        heights: &[u8; Size::MAX_WIDTH],
        placed: impl Fn() -> Board,
    ) -> bool {
        // Nothing vanishes, so that before and after are the same board.
        let criterion = self.policy.completion.after();
        if alive == 0 {
            return false;
        }
        let matcher = &self.policy.matcher;
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
        node: &Node,
        alive: u32,
        heights: &[u8; Size::MAX_WIDTH],
        touch: &Touch,
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
        let matcher = &policy.matcher;
        let floor = self.best.value;
        let mut value = f64::NEG_INFINITY;
        for candidate in policy.values.get(matcher, heights) {
            if candidate.value < floor || candidate.value <= value {
                break;
            }
            let number = usize::from(candidate.number);
            if alive >> number & 1 == 1 {
                let mut penalty = i64::from(node.penalties[number]);
                if !touch.is_alone() {
                    penalty += matcher.border_penalty(number, &touch.contacts());
                }
                value = value.max(candidate.value - matcher.value(number, penalty));
            }
        }
        if value >= floor && value > f64::NEG_INFINITY {
            let contacts = node.contacts + touch.contacts().count();
            self.offer(value, tie(contacts, node.stones + 2, heights), first);
        }
    }

    /// A placement after which something vanishes: nothing of the node is worth keeping.
    fn clear(
        &mut self,
        node: &Node,
        piece: Piece,
        placement: Placement,
        rest: &[Piece],
        ply: u32,
        first: Placement,
    ) {
        let mut board = *node.board;
        board.place(piece, placement);
        let completed = COMPLETED - f64::from(ply);
        if self.policy.completes(&board, true) {
            self.offer(completed, 0, first);
            return;
        }
        self.work.resolve(&mut board);
        if self.policy.completes(&board, false) {
            self.offer(completed, 0, first);
        } else if rest.is_empty() {
            self.resolved_leaf(&board, None, first);
        } else {
            let mut constraints = Constraints::of(&self.policy.matcher, &board, self.colours);
            constraints.alive &= self.among;
            self.expand(&board, &constraints, rest, ply + 1, Some(first));
        }
    }

    /// A leaf from its board alone; `alive` if the templates without violation are known.
    fn resolved_leaf(&mut self, board: &Board, alive: Option<u32>, first: Placement) {
        let policy = &mut *self.policy;
        let matcher = &policy.matcher;
        let floor = match policy.selection {
            selection if selection.takes_the_best() => self.best.value,
            _ => f64::NEG_INFINITY,
        };
        let contacts = Contacts::of(board);
        let (mut best, mut sum, mut count) = (f64::NEG_INFINITY, 0.0, 0);
        let mut soft = 0.0;
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
                let value = candidate.value - matcher.value(number, penalty);
                best = best.max(value);
                soft += exp(SHARPNESS * value);
                sum += value;
                count += 1;
            }
        }
        if count > 0 {
            let value = match policy.selection {
                Selection::Best | Selection::InOrder | Selection::Balanced => best,
                Selection::Count => f64::from(count),
                Selection::Mean => sum / f64::from(count),
                Selection::Soft => ln(soft) / SHARPNESS,
            };
            self.offer(
                value,
                tie(contacts.count(), board.stones(), board.heights()),
                first,
            );
        }
    }
}

/// Between equal leaves: many contacts, few stones, low columns.
#[inline]
fn tie(contacts: u32, stones: u32, heights: &[u8; Size::MAX_WIDTH]) -> i32 {
    contacts as i32 - 2 * stones as i32 - i32::from(highest(heights))
}
