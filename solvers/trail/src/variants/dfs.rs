//! `dfs`: the article's depth-first search as it is printed, the naive variant.
//!
//! The search makes one call for each vertex that the trail enters. Every call has a separate copy of the route so far.
//! A flag for each edge, set before the call and cleared after it, records whether the route passes the edge.
//!
//! `dfs+corner-as-printed` is the article's listing of pruning 1, which tests once before the search; `dfs+corner`
//! tests at every visit. The article does not mention trails that begin at their goal: for these nothing is pruned.
//!
//! `dfs+deadend-as-printed` is the article's listing of pruning 2, unchanged; `dfs+deadend` is the correct form. The
//! listing counts the passable edges of every vertex and subtracts one when it enters the vertex. It also subtracts one
//! at the start, which is never entered: at a start with an odd number of edges the trail does not return a last time,
//! and optima are lost.

use ikeru_core::{
    Attempt, Deadline, Incumbent, Prepared, Score, Search, Settings, Ticker, Variant, skip,
};

use crate::TrailProblem;
use crate::puzzle::{Answer, Puzzle, Trail, Vertex};
use crate::stack::{with_stack, without_stack};

/// `dfs`.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dfs",
    about: "Plain depth-first search over all trails, one recursive call for each edge, with a copy of the route.",
    source: "Challeran, 深さ優先探索 (depth-first search)",
    exact: true,
    version: 2,
    settings: &[],
    prepare: prepare::<false, false>,
};

/// `dfs+corner-as-printed`.
pub const CORNER_AS_PRINTED: Variant<TrailProblem> = Variant {
    name: "dfs+corner-as-printed",
    about: "Pruning 1 as the article lists it: asked once whether the goal lies in a corner, and then the first visit ends the trail.",
    source: "Challeran, 枝刈りその1 (pruning 1, listing)",
    exact: true,
    version: 1,
    settings: &[],
    prepare: prepare::<true, false>,
};

/// `dfs+deadend-as-printed`.
pub const DEADEND_AS_PRINTED: Variant<TrailProblem> = Variant {
    name: "dfs+deadend-as-printed",
    about: "Prunings 1–2 as the article lists them: the start counts as entered once too often, and optima can be lost.",
    source: "Challeran, 枝刈りその2 (pruning 2, listing)",
    exact: false,
    version: 1,
    settings: &[],
    prepare: prepare::<false, true>,
};

/// Nodes between two checks of the deadline.
const TICKS: u32 = 256;
/// The most bytes for the copies of one route, one copy for each of its edges.
const ROUTES: usize = 256 << 20;

fn prepare<'a, const CORNER: bool, const DEADEND: bool>(
    puzzle: &'a Puzzle,
    _: &Settings,
    deadline: Deadline,
) -> Prepared<'a, TrailProblem> {
    deadline.check()?;
    let edges = puzzle.board().operations().len();
    let copies = edges.saturating_mul(edges + 1) / 2 * size_of::<Vertex>();
    if copies > ROUTES {
        skip!(
            "every call copies the route: up to {} MiB for the {edges} edges of this board, at most {}",
            copies >> 20,
            ROUTES >> 20
        );
    }
    Ok(Box::new(move |search: &mut Search| {
        solve::<CORNER, DEADEND>(puzzle, search)
    }))
}

/// The variables outside of the recursion.
struct PrintedRun<'a> {
    puzzle: &'a Puzzle,
    passed: Vec<bool>,
    /// For pruning 2 as printed: the edges of each vertex that can still be passed, one more at the goal.
    passable: Vec<i32>,
    /// For pruning 1 as printed: true if the goal is in a corner and is not the start, so that it is visited at most
    /// once.
    once: bool,
    best: Option<Trail>,
    nodes: u64,
    /// True if the deadline passed before the end of the search.
    cut_short: bool,
    incumbent: &'a Incumbent,
    ticker: Ticker<'a>,
}

impl PrintedRun<'_> {
    /// Searches all trails that begin with `route`, which ends at `vertex` with `score`. With `CORNER` or `DEADEND` it
    /// searches only the trails that the article's listing of pruning 1 or 2 searches.
    fn dfs<const CORNER: bool, const DEADEND: bool>(
        &mut self,
        vertex: Vertex,
        score: Score,
        route: &[Vertex],
    ) {
        self.cut_short |= self.ticker.passed();
        if self.cut_short {
            return;
        }
        self.nodes += 1;
        if vertex == self.puzzle.goal() && self.best.as_ref().is_none_or(|best| score > best.score)
        {
            self.incumbent.improve(score);
            let vertices = route.to_vec();
            self.best = Some(Trail { vertices, score });
        }
        if CORNER && self.once && vertex == self.puzzle.goal() {
            return;
        }
        let board = self.puzzle.board();
        if DEADEND {
            let is_corner = board.neighbours(vertex).count() == 2;
            if vertex == self.puzzle.goal() && is_corner {
                return;
            }
            self.passable[vertex] -= 1;
        }
        for (edge, next) in board.neighbours(vertex) {
            if self.passed[edge] || DEADEND && self.passable[next] <= 1 {
                continue;
            }
            if DEADEND {
                self.passable[vertex] -= 1;
            }
            self.passed[edge] = true;
            let longer = [route, &[next]].concat();
            self.dfs::<CORNER, DEADEND>(next, board.operations()[edge].apply(score), &longer);
            self.passed[edge] = false;
            if DEADEND {
                self.passable[vertex] += 1;
            }
        }
        if DEADEND {
            self.passable[vertex] += 1;
        }
    }
}

fn solve<const CORNER: bool, const DEADEND: bool>(
    puzzle: &Puzzle,
    search: &mut Search,
) -> Attempt<Answer> {
    let edges = puzzle.board().operations().len();
    let mut run = PrintedRun {
        puzzle,
        passed: vec![false; edges],
        passable: Vec::new(),
        once: puzzle.start() != puzzle.goal()
            && puzzle.board().neighbours(puzzle.goal()).count() == 2,
        best: None,
        nodes: 0,
        cut_short: false,
        incumbent: search.incumbent,
        ticker: search.deadline.ticker(TICKS),
    };
    for edge in puzzle.passed_edges() {
        run.passed[edge] = true;
    }
    if DEADEND {
        let board = puzzle.board();
        let passable = |vertex: Vertex| {
            let free = board
                .neighbours(vertex)
                .filter(|(edge, _)| !run.passed[*edge]);
            free.count() as i32 + i32::from(vertex == puzzle.goal())
        };
        run.passable = (0..board.vertex_count()).map(passable).collect();
    }
    let searched = with_stack(edges, || {
        run.dfs::<CORNER, DEADEND>(puzzle.position(), puzzle.position_score(), puzzle.route());
        run
    });
    let Some(run) = searched else {
        return without_stack(search);
    };
    search.counters.add("nodes", run.nodes);
    if !run.cut_short {
        return if DEADEND {
            Attempt::unproven(run.best)
        } else {
            Attempt::proven(run.best)
        };
    }
    let best = run.best.map(Some);
    let bound = Some(puzzle.ceiling());
    Attempt::Timeout { best, bound }
}
