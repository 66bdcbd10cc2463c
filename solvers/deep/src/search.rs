//! The depth-first search. Each idea of the ladder is a switch of [`Ideas`]: duplicate elimination, the
//! transposition table, the triggers of the last ply, the bound.

use ikeru_chain::simulate::Simulator;
use ikeru_chain::{Board, Placement};
use ikeru_core::{BoundPolicy, Counters, Incumbent, Score, Search, Ticker};

use crate::bound::{Supply, bound};
use crate::position::{Found, Position};
use crate::table::TranspositionTable;
use crate::trigger::Triggers;

/// The ideas that a search uses.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ideas {
    /// Try only half of the placements of a double, and search equal boards after a clear once per parent.
    pub dedupe: bool,
    /// Keep a table of `2^bits` boards already searched.
    pub table_bits: Option<u32>,
    /// Try only the placements of the last piece that may set off a chain.
    pub trigger: bool,
    /// Prune boards whose bound is not above the value of the best chain known.
    pub bound: bool,
}

/// The data that all passes over one position share.
pub struct SearchPlan<'a> {
    position: &'a Position,
    simulator: Simulator,
    ideas: Ideas,
    /// The placements to try at every ply.
    placements: Vec<Vec<Placement>>,
    /// The puyos still to come at every ply.
    supplies: Vec<Supply>,
}

/// Boards between two checks of the deadline, each with up to 30 simulations: some milliseconds by flood fill.
const BOARDS_PER_LOOK: u32 = 256;

/// Deterministic work, by the names of the problem's counters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    nodes: u64,
    simulations: u64,
    duplicates: u64,
    table_hits: u64,
    silent: u64,
    bound_cuts: u64,
}

impl Counts {
    /// Adds them to the counters.
    pub fn add_to(self, counters: &mut Counters) {
        counters.add("nodes", self.nodes);
        counters.add("simulations", self.simulations);
        counters.add("duplicates", self.duplicates);
        counters.add("table_hits", self.table_hits);
        counters.add("silent", self.silent);
        counters.add("bound_cuts", self.bound_cuts);
    }
}

/// A board in the tree.
#[derive(Debug, Clone)]
pub struct BoardNode {
    /// The board after all chains.
    pub board: Board,
    /// The placements from the root to this board.
    pub placements: Vec<Placement>,
    /// An upper bound on the value of every later chain.
    pub bound: Score,
}

/// The results of a pass.
#[derive(Debug, Default)]
pub struct PassResult {
    /// The best chain so far.
    pub found: Found,
    /// The work done.
    pub counts: Counts,
    /// True if the deadline passed.
    pub stopped: bool,
}

impl<'a> SearchPlan<'a> {
    /// A plan for `position` that uses `ideas`.
    pub fn new(position: &'a Position, simulator: Simulator, ideas: Ideas) -> Self {
        let pieces = &position.pieces[..position.depth];
        let size = position.field.size();
        let placements = pieces.iter().map(|&piece| {
            if ideas.dedupe {
                Placement::all(size, piece).collect()
            } else {
                Placement::all_turned(size).collect()
            }
        });
        Self {
            position,
            simulator,
            ideas,
            placements: placements.collect(),
            supplies: Supply::of(pieces),
        }
    }

    /// A table for one thread, if the plan uses any.
    pub fn table(&self) -> Option<TranspositionTable> {
        self.ideas.table_bits.map(TranspositionTable::new)
    }

    /// The largest number of pieces placed.
    pub fn depth(&self) -> usize {
        self.position.depth
    }

    /// The root of the tree: the position.
    pub fn root(&self) -> BoardNode {
        let Position {
            field, objective, ..
        } = *self.position;
        BoardNode {
            board: field,
            placements: Vec::new(),
            bound: bound(&field, &self.supplies[0], objective),
        }
    }
}

/// One pass over the tree, or over parts of it.
pub struct Pass<'a> {
    plan: &'a SearchPlan<'a>,
    table: Option<&'a mut TranspositionTable>,
    incumbent: &'a Incumbent,
    policy: BoundPolicy,
    /// The best score known before the pass.
    known: Score,
    ticker: Ticker<'a>,
    path: Vec<Placement>,
    /// The results so far.
    pub findings: PassResult,
}

impl<'a> Pass<'a> {
    /// Begins a pass with an empty table. It ignores chains that are not better than the score `known`.
    pub fn new(
        plan: &'a SearchPlan<'a>,
        table: &'a mut Option<TranspositionTable>,
        search: &Search<'a>,
        known: Score,
    ) -> Self {
        if let Some(table) = table {
            table.clear();
        }
        Self {
            plan,
            table: table.as_mut(),
            incumbent: search.incumbent,
            policy: search.bound_policy,
            known,
            ticker: search.deadline.ticker(BOARDS_PER_LOOK),
            path: Vec::new(),
            findings: PassResult::default(),
        }
    }

    /// Searches everything below `node`.
    pub fn visit(&mut self, node: &BoardNode) {
        self.path.clone_from(&node.placements);
        if self.is_cut(node.bound) {
            self.findings.counts.bound_cuts += 1;
        } else {
            self.descend(&node.board, node.bound);
        }
    }

    /// Tries every placement on `node`; returns the children that are not pruned.
    pub fn children(&mut self, node: &BoardNode) -> Vec<BoardNode> {
        self.path.clone_from(&node.placements);
        let mut children = Vec::new();
        self.expand(&node.board, node.bound, &mut |pass, board, bound| {
            children.push(BoardNode {
                board: *board,
                placements: pass.path.clone(),
                bound,
            });
        });
        children
    }

    fn descend(&mut self, board: &Board, bound: Score) {
        self.expand(board, bound, &mut |pass, child, bound| {
            pass.descend(child, bound);
        });
    }

    /// Tries every placement on `board`; calls `inner` with each child (and its bound) that has pieces left and is not
    /// pruned.
    #[inline]
    fn expand(
        &mut self,
        board: &Board,
        board_bound: Score,
        inner: &mut impl FnMut(&mut Self, &Board, Score),
    ) {
        if self.findings.stopped || self.ticker.passed() {
            self.findings.stopped = true;
            return;
        }
        let plan = self.plan;
        let Position {
            depth,
            objective,
            ref pieces,
            ..
        } = *plan.position;
        let ply = self.path.len();
        let left = depth - ply - 1;
        let mut cleared: Vec<Board> = Vec::new();
        self.findings.counts.nodes += 1;
        let triggers = (plan.ideas.trigger && left == 0).then(|| Triggers::of(board, pieces[ply]));
        for &placement in &plan.placements[ply] {
            if !placement.is_legal(board) {
                continue;
            }
            if triggers.is_some_and(|some| !some.may_fire(board, pieces[ply], placement)) {
                self.findings.counts.silent += 1;
                continue;
            }
            let (child, chain) = (plan.simulator.place)(board, pieces[ply], placement);
            self.findings.counts.simulations += 1;
            let mut child_bound = board_bound;
            if chain.steps > 0 {
                self.offer(objective.value(chain), placement);
                if left == 0 {
                    continue;
                }
                // Only after a chain can two placements leave the same board, and only then are
                // fewer puyos left than the parent's bound counted.
                if plan.ideas.dedupe {
                    if cleared.contains(&child) {
                        self.findings.counts.duplicates += 1;
                        continue;
                    }
                    cleared.push(child);
                }
                if plan.ideas.bound {
                    child_bound = bound(&child, &plan.supplies[ply + 1], objective);
                }
            }
            if left == 0 {
                continue;
            }
            if self.is_cut(child_bound) {
                self.findings.counts.bound_cuts += 1;
            } else if self
                .table
                .as_mut()
                .is_some_and(|table| !table.is_new(&child, left))
            {
                self.findings.counts.table_hits += 1;
            } else {
                self.path.push(placement);
                inner(self, &child, child_bound);
                self.path.pop();
            }
        }
    }

    /// Keeps the chain that `last` sets off after the path, if it is the best so far.
    #[inline]
    fn offer(&mut self, value: Score, last: Placement) {
        if value > self.best_known() {
            self.incumbent.improve(value);
            if value > self.findings.found.value {
                self.findings.found.value = value;
                self.findings.found.placements.clone_from(&self.path);
                self.findings.found.placements.push(last);
            }
        }
    }

    #[inline]
    fn is_cut(&self, bound: Score) -> bool {
        self.plan.ideas.bound && bound <= self.best_known()
    }

    #[inline]
    fn best_known(&self) -> Score {
        match self.policy {
            BoundPolicy::Private => self.known.max(self.findings.found.value),
            BoundPolicy::Shared => self.known.max(self.incumbent.get()),
        }
    }
}
