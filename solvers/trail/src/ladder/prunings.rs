//! The article's four prunings in its order: the nodes that each leaves out, and why no best trail is lost.
//!
//! The [kernel](super::kernel) calls each pruning at one place, behind a switch that is decided at compile time.

use ikeru_core::{Choice, choices};

use super::edge_set::EdgeSet;

/// The prunings of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prunings {
    /// Pruning 1: see [`is_last_visit`].
    pub corner: bool,
    /// Pruning 2: see [`is_dead_end`].
    pub deadend: bool,
    /// Pruning 3.
    pub moves: Moves,
    /// Pruning 4: see [`FreeEdges::bound`].
    pub bound: BoundRule,
}

choices! {
    /// Pruning 3: the board is coloured like a chessboard, and only vertices of the goal's colour can be the goal.
    pub enum Moves {
        /// Moves of one edge; every node is compared with the goal.
        Single = "single",
        /// Moves of one edge by two functions that call each other, one for each colour; only one of them
        /// compares its vertex with the goal. The article's first form.
        Mutual = "mutual",
        /// Moves of two edges between vertices of the goal's colour: half the calls, and a step back over the edge just
        /// passed is never tried (non-backtracking walks).
        Pairs = "pairs",
    }
}

choices! {
    /// Pruning 4: the edges that the upper bound counts as free.
    pub enum BoundRule {
        /// No bound.
        Never = "never",
        /// The edges that were free at the start of the search: cheap and weak (way 1).
        AtStart = "at-start",
        /// The edges that are free now, updated with every move (way 2).
        Running = "running",
    }
}

/// The number of combinations of prunings.
pub const COMBINATIONS: usize = 36;

impl Prunings {
    /// None: plain depth-first search on the kernel.
    pub const NONE: Self = Self {
        corner: false,
        deadend: false,
        moves: Moves::Single,
        bound: BoundRule::Never,
    };
    /// Pruning 1.
    pub const CORNER: Self = Self {
        corner: true,
        ..Self::NONE
    };
    /// Prunings 1–2.
    pub const DEADEND: Self = Self {
        deadend: true,
        ..Self::CORNER
    };
    /// Prunings 1–3.
    pub const PAIRS: Self = Self {
        moves: Moves::Pairs,
        ..Self::DEADEND
    };
    /// Prunings 1–4.
    pub const ALL: Self = Self {
        bound: BoundRule::Running,
        ..Self::PAIRS
    };

    /// The number of this combination, below [`COMBINATIONS`].
    pub const fn number(self) -> usize {
        self.corner as usize
            + 2 * (self.deadend as usize + 2 * (self.moves as usize + 3 * self.bound as usize))
    }

    /// The combination of a [`number`](Self::number).
    pub const fn numbered(number: usize) -> Self {
        Self {
            corner: number % 2 == 1,
            deadend: number / 2 % 2 == 1,
            moves: Moves::WORDS[number / 4 % 3].1,
            bound: BoundRule::WORDS[number / 12 % 3].1,
        }
    }
}

/// Pruning 1, tested at the goal: returns whether the goal cannot be left and entered again. Then the trail ends here.
///
/// Leaving and entering again takes two free edges at the goal. The article tests once, before the search, whether the
/// goal is in a corner. The test of free edges includes that case and applies more often as edges are passed.
#[inline]
pub fn is_last_visit<S: EdgeSet>(passed: &S, goal_edges: S::Few) -> bool {
    passed.lacks(goal_edges) < 2
}

/// Pruning 2, tested before a move: returns whether it leads to a vertex other than the goal that cannot be left.
///
/// `passed` are the edges passed after the move, `exits` all edges at its last vertex. No trail ends there.
#[inline]
pub fn is_dead_end<S: EdgeSet>(passed: &S, exits: S::Few) -> bool {
    passed.contains(exits)
}

/// The possible gain of the free edges, for pruning 4.
#[derive(Debug, Clone, Copy)]
pub struct FreeEdges {
    /// Sum of the free `+`.
    pub gain: i64,
    /// Product of the free factors above 1.
    pub product: i64,
    /// 0 while a `×0` is free, because it raises a negative score to 0; else [`i64::MIN`].
    pub floor: i64,
}

impl FreeEdges {
    /// Pruning 4, tested at every node: an upper bound on the score of every trail from a node of this `score`. A
    /// node is pruned if its bound does not exceed the best score known.
    ///
    /// The bound is (score + free `+`) × free `×` for a positive sum, as in the article. A negative sum is not
    /// multiplied; a free `×0` first raises a negative score to 0.
    ///
    /// A bound with the edges free at the start may multiply by a factor that the score already contains, and so
    /// exceed 64 bits. Then it is the largest number, which prunes nothing.
    #[inline]
    pub fn bound(self, score: i64) -> i64 {
        let sum = score.max(self.floor) + self.gain;
        sum.max(sum.saturating_mul(self.product))
    }
}
