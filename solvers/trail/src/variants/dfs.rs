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
//!
//! `dfs+ideas` has the article's other ideas for speed as settings, each of which can be left out.

use ikeru_core::{
    Attempt, Deadline, Incumbent, Prepared, Score, Search, Settings, Ticker, Variant, settings,
    skip,
};

use crate::TrailProblem;
use crate::puzzle::{Answer, EdgeOperation, Puzzle, Trail, Vertex};
use crate::stack::{with_stack, without_stack};

/// `dfs`.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dfs",
    about: "Plain depth-first search over all trails, one recursive call for each edge, with a copy of the route.",
    source: "Challeran, 深さ優先探索 (depth-first search)",
    exact: true,
    version: 2,
    settings: &[],
    prepare: prepare::<0>,
};

/// `dfs+corner-as-printed`.
pub const CORNER_AS_PRINTED: Variant<TrailProblem> = Variant {
    name: "dfs+corner-as-printed",
    about: "Pruning 1 as the article lists it: asked once whether the goal lies in a corner, and then the first visit ends the trail.",
    source: "Challeran, 枝刈りその1 (pruning 1, listing)",
    exact: true,
    version: 1,
    settings: &[],
    prepare: prepare::<CORNER>,
};

/// `dfs+deadend-as-printed`.
pub const DEADEND_AS_PRINTED: Variant<TrailProblem> = Variant {
    name: "dfs+deadend-as-printed",
    about: "Prunings 1–2 as the article lists them: the start counts as entered once too often, and optima can be lost.",
    source: "Challeran, 枝刈りその2 (pruning 2, listing)",
    exact: false,
    version: 1,
    settings: &[],
    prepare: prepare::<DEADEND>,
};

/// `dfs+ideas`.
pub const IDEAS: Variant<TrailProblem> = Variant {
    name: "dfs+ideas",
    about: "Plain depth-first search with the article's other ideas for speed, each as a setting: flags of edges, one route, operations without a branch.",
    source: "Challeran, その他高速化のためのアイディア (other ideas for speed)",
    exact: true,
    version: 1,
    settings: settings![FLAGS COPIES BRANCHES],
    prepare: |puzzle, settings, deadline| {
        let search = [
            prepare::<KEPT>,
            prepare::<{ KEPT | BRANCH }>,
            prepare::<0>,
            prepare::<BRANCH>,
            prepare::<{ SOUGHT | KEPT }>,
            prepare::<{ SOUGHT | KEPT | BRANCH }>,
            prepare::<SOUGHT>,
            prepare::<{ SOUGHT | BRANCH }>,
        ];
        let (flags, copies) = (settings.get(&FLAGS)?, settings.get(&COPIES)?);
        let number = 4 * usize::from(!flags) + 2 * usize::from(copies);
        search[number + usize::from(settings.get(&BRANCHES)?)](puzzle, settings, deadline)
    },
};

settings! {
    FLAGS: bool = "flags", true, "a flag for each edge says whether the route passes it; false looks through the route instead";
    COPIES: bool = "copies", false, "a copy of the route for each call";
    BRANCHES: bool = "branches", false, "a branch for each kind of operation instead of one multiplication and one addition";
}

/// The listings of pruning 1 and 2, and what the ideas for speed replace, as bits.
const CORNER: u8 = 1;
const DEADEND: u8 = 2;
/// The passed edges are looked for in the route.
const SOUGHT: u8 = 4;
/// All calls share one route.
const KEPT: u8 = 8;
/// The kind of an operation is tested.
const BRANCH: u8 = 16;

/// Nodes between two checks of the deadline.
const TICKS: u32 = 256;
/// The most bytes for the copies of one route, one copy for each of its edges.
const ROUTES: usize = 256 << 20;

fn prepare<'a, const RULES: u8>(
    puzzle: &'a Puzzle,
    _: &Settings,
    deadline: Deadline,
) -> Prepared<'a, TrailProblem> {
    deadline.check()?;
    let edges = puzzle.board().operations().len();
    let copies = edges.saturating_mul(edges + 1) / 2 * size_of::<Vertex>();
    if RULES & KEPT == 0 && copies > ROUTES {
        skip!(
            "every call copies the route: up to {} MiB for the {edges} edges of this board, at most {}",
            copies >> 20,
            ROUTES >> 20
        );
    }
    Ok(Box::new(move |search: &mut Search| {
        solve::<RULES>(puzzle, search)
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
    /// Searches all trails that begin with `route`, which ends at `vertex` with `score`. With [`CORNER`] or [`DEADEND`] it
    /// searches only the trails that the article's listing of pruning 1 or 2 searches.
    fn dfs<const RULES: u8>(&mut self, vertex: Vertex, score: Score, route: &mut Vec<Vertex>) {
        let is = |rule: u8| RULES & rule != 0;
        self.cut_short |= self.ticker.passed();
        if self.cut_short {
            return;
        }
        self.nodes += 1;
        if vertex == self.puzzle.goal() && self.best.as_ref().is_none_or(|best| score > best.score)
        {
            self.incumbent.improve(score);
            let vertices = route.clone();
            self.best = Some(Trail { vertices, score });
        }
        if is(CORNER) && self.once && vertex == self.puzzle.goal() {
            return;
        }
        let board = self.puzzle.board();
        if is(DEADEND) {
            let is_corner = board.neighbours(vertex).count() == 2;
            if vertex == self.puzzle.goal() && is_corner {
                return;
            }
            self.passable[vertex] -= 1;
        }
        for (edge, next) in board.neighbours(vertex) {
            let is_step = |step: &[Vertex]| step == [vertex, next] || step == [next, vertex];
            let passed = match is(SOUGHT) {
                true => route.windows(2).any(is_step),
                false => self.passed[edge],
            };
            if passed || is(DEADEND) && self.passable[next] <= 1 {
                continue;
            }
            if is(DEADEND) {
                self.passable[vertex] -= 1;
            }
            self.passed[edge] = true;
            let then = match board.operations()[edge] {
                EdgeOperation::Add(addend) if is(BRANCH) => score + addend,
                EdgeOperation::Multiply(factor) if is(BRANCH) => factor * score,
                operation => operation.apply(score),
            };
            if is(KEPT) {
                route.push(next);
                self.dfs::<RULES>(next, then, route);
                route.pop();
            } else {
                self.dfs::<RULES>(next, then, &mut [route, [next].as_slice()].concat());
            }
            self.passed[edge] = false;
            if is(DEADEND) {
                self.passable[vertex] += 1;
            }
        }
        if is(DEADEND) {
            self.passable[vertex] += 1;
        }
    }
}

fn solve<const RULES: u8>(puzzle: &Puzzle, search: &mut Search) -> Attempt<Answer> {
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
    if RULES & DEADEND != 0 {
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
        let mut route = puzzle.route().to_vec();
        run.dfs::<RULES>(puzzle.position(), puzzle.position_score(), &mut route);
        run
    });
    let Some(run) = searched else {
        return without_stack(search);
    };
    search.counters.add("nodes", run.nodes);
    if !run.cut_short {
        return if RULES & DEADEND != 0 {
            Attempt::unproven(run.best)
        } else {
            Attempt::proven(run.best)
        };
    }
    let best = run.best.map(Some);
    let bound = Some(puzzle.ceiling());
    Attempt::Timeout { best, bound }
}
