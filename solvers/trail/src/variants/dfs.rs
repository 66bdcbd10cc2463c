//! `dfs`: the article's depth-first search as it is printed, the naive variant.
//!
//! One call for each vertex that the trail comes to. Every call has the route so far as a copy of its own; a
//! flag for each edge, set before the call and cleared after it, says whether the route passes the edge.

use ikeru_core::{
    Attempt, BoxedSolve, Deadline, Incumbent, Refusal, Score, Search, Settings, Source, Ticker,
    Variant,
};

use crate::TrailProblem;
use crate::puzzle::{Answer, Puzzle, Trail, Vertex};
use crate::stack::{with_stack, without_stack};

/// `dfs`.
pub const VARIANT: Variant<TrailProblem> = Variant {
    name: "dfs",
    about: "Plain depth-first search over all trails, one recursive call for each edge, with a copy of the route.",
    source: Source::Article {
        name: "Challeran",
        section: "深さ優先探索 (depth-first search)",
    },
    exact: true,
    version: 2,
    settings: &[],
    prepare,
};

/// Nodes between two looks at the deadline.
const TICKS: u32 = 256;
/// Bytes that the copies of one route may take, one for each of its edges.
const ROUTES: usize = 256 << 20;

fn prepare<'a>(
    puzzle: &'a Puzzle,
    _: &Settings,
    deadline: Deadline,
) -> Result<BoxedSolve<'a, TrailProblem>, Refusal> {
    if deadline.passed() {
        return Err(Refusal::Timeout);
    }
    let edges = puzzle.board().operations().len();
    let copies = edges.saturating_mul(edges + 1) / 2 * size_of::<Vertex>();
    if copies > ROUTES {
        return Err(Refusal::skip(format!(
            "every call copies the route: up to {} MiB for the {edges} edges of this board, at most {}",
            copies >> 20,
            ROUTES >> 20
        )));
    }
    Ok(Box::new(move |search: &mut Search| solve(puzzle, search)))
}

/// The variables outside the recursion.
struct Run<'a> {
    puzzle: &'a Puzzle,
    passed: Vec<bool>,
    best: Option<Trail>,
    nodes: u64,
    /// Whether the deadline passed before the end.
    cut_short: bool,
    incumbent: &'a Incumbent,
    ticker: Ticker<'a>,
}

impl Run<'_> {
    /// Searches all trails that begin with `route`, which comes to `vertex` with `score`.
    fn dfs(&mut self, vertex: Vertex, score: Score, route: &[Vertex]) {
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
        let board = self.puzzle.board();
        for (edge, next) in board.neighbours(vertex) {
            if self.passed[edge] {
                continue;
            }
            self.passed[edge] = true;
            let longer = [route, &[next]].concat();
            self.dfs(next, board.operations()[edge].apply(score), &longer);
            self.passed[edge] = false;
        }
    }
}

fn solve(puzzle: &Puzzle, search: &mut Search) -> Attempt<Answer> {
    let edges = puzzle.board().operations().len();
    let mut run = Run {
        puzzle,
        passed: vec![false; edges],
        best: None,
        nodes: 0,
        cut_short: false,
        incumbent: search.incumbent,
        ticker: search.deadline.ticker(TICKS),
    };
    for edge in puzzle.passed_edges() {
        run.passed[edge] = true;
    }
    let searched = with_stack(edges, || {
        run.dfs(puzzle.position(), puzzle.position_score(), puzzle.route());
        run
    });
    let Some(run) = searched else {
        return without_stack(search);
    };
    search.counters.add("nodes", run.nodes);
    if !run.cut_short {
        return Attempt::proven(run.best);
    }
    let best = run.best.map(Some);
    let bound = Some(puzzle.ceiling());
    Attempt::Timeout { best, bound }
}
