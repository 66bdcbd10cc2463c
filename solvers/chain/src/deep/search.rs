//! The depth-first search, each idea a const parameter: duplicate elimination, the table of boards
//! already searched, the triggers of the last ply, the bound.

use ikeru_core::{BoundPolicy, Counters, Incumbent, Score, Search, Ticker};

use crate::board::Board;
use crate::deep::bound::{Supply, bound};
use crate::deep::table::Table;
use crate::deep::trigger::Triggers;
use crate::deep::{Found, Position};
use crate::placement::Placement;
use crate::simulate::Simulator;

/// What a search keeps between questions about one position.
pub struct Searcher<
    'a,
    const DEDUPE: bool,
    const TABLE: bool,
    const TRIGGER: bool,
    const BOUND: bool,
> {
    position: &'a Position,
    simulator: Simulator,
    /// For every ply, what is tried.
    placements: Vec<Vec<Placement>>,
    /// For every ply, what is still to come.
    supplies: Vec<Supply>,
    table: Table,
}

/// What a searcher may know of others and of time.
pub struct Surroundings<'s> {
    /// The score shared with whoever watches or works beside.
    pub incumbent: &'s Incumbent,
    /// Whether that score prunes.
    pub policy: BoundPolicy,
    /// When to give up.
    pub ticker: Ticker<'s>,
}

/// Boards between two looks at the clock, each with up to 30 simulations: some milliseconds by flood fill.
const BOARDS_PER_LOOK: u32 = 256;

impl<'s> Surroundings<'s> {
    /// Those of a search.
    #[must_use]
    pub fn of(search: &Search<'s>) -> Self {
        Self {
            incumbent: search.incumbent,
            policy: search.bound_policy,
            ticker: search.deadline.ticker(BOARDS_PER_LOOK),
        }
    }
}

/// Deterministic work, by the names of the problem's counters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Work {
    nodes: u64,
    simulations: u64,
    duplicates: u64,
    table_hits: u64,
    silent: u64,
    bound_cuts: u64,
}

impl Work {
    /// Adds it to the counters.
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
pub struct Node {
    /// After all that vanished.
    pub board: Board,
    /// What led there from the root.
    pub placements: Vec<Placement>,
    /// What no chain from there can exceed.
    pub bound: Score,
}

impl<'a, const DEDUPE: bool, const TABLE: bool, const TRIGGER: bool, const BOUND: bool>
    Searcher<'a, DEDUPE, TABLE, TRIGGER, BOUND>
{
    /// A searcher of `position`, with a table of `2^table_bits` boards if it uses one.
    #[must_use]
    pub fn new(position: &'a Position, simulator: Simulator, table_bits: u32) -> Self {
        let pieces = &position.pieces[..position.depth];
        let size = position.field.size();
        let placements = pieces.iter().map(|&piece| {
            if DEDUPE {
                Placement::all(size, piece).collect()
            } else {
                Placement::all_turned(size).collect()
            }
        });
        Self {
            position,
            simulator,
            placements: placements.collect(),
            supplies: Supply::of(pieces),
            table: Table::new(if TABLE { table_bits } else { 0 }),
        }
    }

    /// Bytes that the table takes.
    #[must_use]
    pub fn table_bytes(&self) -> u64 {
        if TABLE { self.table.bytes() } else { 0 }
    }

    /// The position itself.
    #[must_use]
    pub fn root(&self) -> Node {
        let Position { field, goal, .. } = *self.position;
        Node {
            board: field,
            placements: Vec::new(),
            bound: bound(&field, &self.supplies[0], goal),
        }
    }

    /// Begins a pass: nothing found, nothing searched.
    pub fn pass<'p, 's>(
        &'p mut self,
        surroundings: Surroundings<'s>,
    ) -> Pass<'p, 'a, 's, DEDUPE, TABLE, TRIGGER, BOUND> {
        self.table.clear();
        Pass {
            searcher: self,
            surroundings,
            path: Vec::new(),
            found: Found::default(),
            work: Work::default(),
            stopped: false,
        }
    }
}

/// One pass over the tree, or over parts of it.
pub struct Pass<
    'p,
    'a,
    's,
    const DEDUPE: bool,
    const TABLE: bool,
    const TRIGGER: bool,
    const BOUND: bool,
> {
    searcher: &'p mut Searcher<'a, DEDUPE, TABLE, TRIGGER, BOUND>,
    surroundings: Surroundings<'s>,
    path: Vec<Placement>,
    /// The best so far.
    pub found: Found,
    /// What was done.
    pub work: Work,
    /// Whether the deadline passed.
    pub stopped: bool,
}

impl<const DEDUPE: bool, const TABLE: bool, const TRIGGER: bool, const BOUND: bool>
    Pass<'_, '_, '_, DEDUPE, TABLE, TRIGGER, BOUND>
{
    /// Searches everything below `node`.
    pub fn visit(&mut self, node: &Node) {
        self.path.clone_from(&node.placements);
        if self.is_cut(node.bound) {
            self.work.bound_cuts += 1;
        } else {
            self.descend(&node.board, node.bound);
        }
    }

    /// Tries every placement on `node`; its children that are worth a visit.
    pub fn children(&mut self, node: &Node) -> Vec<Node> {
        self.path.clone_from(&node.placements);
        let mut children = Vec::new();
        self.expand(&node.board, node.bound, &mut |pass, board, bound| {
            children.push(Node {
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

    /// Tries every placement on `board`; `inner` gets each child (with its bound) that has pieces
    /// left and that no rule leaves out.
    #[inline]
    fn expand(
        &mut self,
        board: &Board,
        board_bound: Score,
        inner: &mut impl FnMut(&mut Self, &Board, Score),
    ) {
        if self.stopped || self.surroundings.ticker.passed() {
            self.stopped = true;
            return;
        }
        let Position {
            depth,
            goal,
            ref pieces,
            ..
        } = *self.searcher.position;
        let ply = self.path.len();
        let left = depth - ply - 1;
        let mut cleared: Vec<Board> = Vec::new();
        self.work.nodes += 1;
        let triggers = (TRIGGER && left == 0).then(|| Triggers::of(board, pieces[ply]));
        for index in 0..self.searcher.placements[ply].len() {
            let placement = self.searcher.placements[ply][index];
            if !placement.is_legal(board) {
                continue;
            }
            if triggers.is_some_and(|some| !some.may_fire(board, pieces[ply], placement)) {
                self.work.silent += 1;
                continue;
            }
            let (child, chain) = (self.searcher.simulator.place)(board, pieces[ply], placement);
            self.work.simulations += 1;
            let mut child_bound = board_bound;
            if chain.steps > 0 {
                self.offer(goal.value(chain), placement);
                if left == 0 {
                    continue;
                }
                // Only where something vanished can two placements leave the same board, and only
                // there are fewer puyos left than the parent's bound counted.
                if DEDUPE {
                    if cleared.contains(&child) {
                        self.work.duplicates += 1;
                        continue;
                    }
                    cleared.push(child);
                }
                if BOUND {
                    child_bound = bound(&child, &self.searcher.supplies[ply + 1], goal);
                }
            }
            if left == 0 {
                continue;
            }
            if self.is_cut(child_bound) {
                self.work.bound_cuts += 1;
            } else if TABLE && !self.searcher.table.is_new(&child, left) {
                self.work.table_hits += 1;
            } else {
                self.path.push(placement);
                inner(self, &child, child_bound);
                self.path.pop();
            }
        }
    }

    /// Remembers the chain that `last` sets off after the path, if it is the best so far.
    #[inline]
    fn offer(&mut self, value: Score, last: Placement) {
        if value > self.found.value {
            self.found.value = value;
            self.found.placements.clone_from(&self.path);
            self.found.placements.push(last);
            self.surroundings.incumbent.raise(value);
        }
    }

    #[inline]
    fn is_cut(&self, bound: Score) -> bool {
        let best = match self.surroundings.policy {
            BoundPolicy::Private => self.found.value,
            BoundPolicy::Shared => self.found.value.max(self.surroundings.incumbent.get()),
        };
        BOUND && bound <= best
    }
}
